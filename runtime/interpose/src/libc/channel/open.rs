//! The calls by which channels come and go.
//!
//! Making one fills two entries of the table of descriptors, in an event on the table, and a second
//! event tells the search how ready the channel is. Closing a descriptor is an event on the channel,
//! in which the other end may see the end of the data, and one on the table.

use super::activity::{is_active, READING, WRITING};
use super::change::change;
use super::enter::{enter, error, look_up};
use super::life::{allocate, drop_end, publish};
use super::order::release;
use super::table::{channel, held, Kind};
use crate::engine::{self, object};
use crate::libc::descriptor;
use crate::libc::syscalls::touch;
use dpor_abi::libc_call::Hidden;
use dpor_model::Kind as Event;

/// First half of closing the descriptor of a channel: the event on the channel. False if the
/// descriptor is not open.
pub fn begin_close(fd: i32) -> bool {
    let Ok(end) = enter(fd, |_| 0) else {
        return false;
    };
    descriptor::begin_close(fd);
    drop_end(end.number, end.end).tell();
    true
}

/// `close` of a channel's descriptor, which was not announced by libc's function.
pub fn close(fd: i32) -> isize {
    if !begin_close(fd) {
        return error(::libc::EBADF);
    }
    on_table();
    descriptor::close(fd as usize)
}

/// Performs an event on the table of descriptors.
pub(super) fn on_table() {
    let mut operation = engine::operation(Event::SharedWrite);
    operation.object = object::hidden(Hidden::Descriptors as u32);
    engine::perform(operation);
}

/// `pipe2` and `socketpair`, after the event on the table. `kind` is no counter.
///
/// # Safety
/// `to` is writable for two descriptors of the program's.
unsafe fn pair(kind: Kind, flags: i32, to: usize) -> isize {
    let Some(number) = allocate(kind, 2) else {
        engine::unsupported("more than 64 pipes, socket pairs and event counters at once");
    };
    let flags = (flags & ::libc::O_NONBLOCK) as u32;
    let access = |end: usize| match (kind, end) {
        (Kind::Pipe, 0) => ::libc::O_RDONLY,
        (Kind::Pipe, _) => ::libc::O_WRONLY,
        _ => ::libc::O_RDWR,
    } as u32;
    let mut made = [0; 2];
    for (end, made) in made.iter_mut().enumerate() {
        let fd = descriptor::add_channel(number, end, flags | access(end));
        if fd < 0 {
            engine::unsupported("more than 256 descriptors or 128 open files");
        }
        *made = fd as i32;
    }
    touch(to, 8);
    // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees; no other
    // fiber runs since the event.
    unsafe { (to as *mut [i32; 2]).write_unaligned(made) };
    publish(number);
    0
}

/// `pipe2`, after the event on the table.
///
/// # Safety
/// `to` is writable for two descriptors of the program's.
pub unsafe fn pipe(to: usize, flags: i32) -> isize {
    if flags & !(::libc::O_NONBLOCK | ::libc::O_CLOEXEC) != 0 {
        engine::unsupported("pipe2 with flags other than O_NONBLOCK and O_CLOEXEC");
    }
    // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees.
    unsafe { pair(Kind::Pipe, flags, to) }
}

/// `socketpair`, after the event on the table.
///
/// # Safety
/// `to` is writable for two descriptors of the program's.
pub unsafe fn socket_pair(family: i32, kind: i32, to: usize) -> isize {
    if family != ::libc::AF_UNIX {
        return error(::libc::EOPNOTSUPP);
    }
    let flags = kind & (::libc::SOCK_NONBLOCK | ::libc::SOCK_CLOEXEC);
    let kind = match kind & !flags {
        ::libc::SOCK_STREAM => Kind::Stream,
        ::libc::SOCK_SEQPACKET => Kind::Packet,
        ::libc::SOCK_DGRAM => Kind::Datagram,
        _ => return error(::libc::ESOCKTNOSUPPORT),
    };
    // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees.
    // SOCK_NONBLOCK is O_NONBLOCK.
    unsafe { pair(kind, flags, to) }
}

/// `eventfd2`, after the event on the table.
pub fn counter(initial: u32, flags: i32) -> isize {
    if flags & !(::libc::EFD_SEMAPHORE | ::libc::EFD_CLOEXEC | ::libc::EFD_NONBLOCK) != 0 {
        return error(::libc::EINVAL);
    }
    counter_of(initial, flags, 0)
}

/// Makes an event counter that `timer` counts, unless that is 0. The flags are valid.
pub fn counter_of(initial: u32, flags: i32, timer: u8) -> isize {
    let Some(number) = allocate(Kind::Counter, 1) else {
        engine::unsupported("more than 64 pipes, socket pairs and event counters at once");
    };
    held(number).change(|channel| {
        channel.count = u64::from(initial);
        channel.timer = timer;
        channel.semaphore = flags & ::libc::EFD_SEMAPHORE != 0;
    });
    let status = (flags & ::libc::O_NONBLOCK | ::libc::O_RDWR) as u32;
    let fd = descriptor::add_channel(number, 0, status);
    if fd < 0 {
        engine::unsupported("more than 256 descriptors or 128 open files");
    }
    publish(number);
    fd
}

/// `shutdown` of a socket of a pair.
pub fn shutdown(fd: i32, how: i32) -> isize {
    if !(0..=2).contains(&how) {
        return error(::libc::EINVAL);
    }
    let end = match enter(fd, |_| 0) {
        Ok(end) => end,
        Err(errno) => return errno,
    };
    if matches!(
        channel(end.number).kind,
        Kind::Pipe | Kind::Counter | Kind::Signals
    ) {
        return error(::libc::ENOTSOCK);
    }
    release(end.number);
    let ((), change) = change(end.number, || {
        held(end.number).change(|channel| {
            channel.shut_read[end.end] |= how != ::libc::SHUT_WR;
            channel.shut_write[end.end] |= how != ::libc::SHUT_RD;
        });
        for other in 0..2 {
            is_active(end.number, other, READING);
            is_active(end.number, other, WRITING);
        }
    });
    change.tell();
    0
}

/// Returns whether the running thread knows a descriptor to be a channel's, or looks it up.
pub fn is_channel(fd: i32) -> bool {
    look_up(fd).is_some_and(|known| known.channel_end().is_some())
}
