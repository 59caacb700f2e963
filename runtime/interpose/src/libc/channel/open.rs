//! How channels come and go.
//!
//! Making one fills two entries of the table of descriptors, in an event on the table, and a second
//! event tells the search how ready the channel is. Closing a descriptor is an event on the channel,
//! in which the other end may see the end of the data, and one on the table.

use super::ring::Ring;
use super::transfer::{enter, error, look_up};
use super::{
    change, channel, channels, held, release, ring, wait, Change, Channel, Kind, State, CHANNELS,
};
use crate::engine::{self, object};
use crate::libc::syscalls::touch;
use crate::libc::{descriptor, timers};
use crate::thread_mask::ThreadMask;
use dpor_abi::libc_call::Hidden;
use dpor_explorer::program::Kind as Event;

/// Takes a channel that is free, in an event on the table.
pub(super) fn allocate(kind: Kind, ends: usize) -> Option<usize> {
    channels().change(|state| allocate_in(state, kind, ends))
}

fn allocate_in(state: &mut State, kind: Kind, ends: usize) -> Option<usize> {
    let from = usize::from(state.next);
    let number = (from..from + CHANNELS)
        .map(|k| k % CHANNELS)
        .find(|&k| state.channels[k].kind == Kind::Free)?;
    let directions: &[usize] = match kind {
        Kind::Counter | Kind::Signals | Kind::Free => &[],
        Kind::Pipe => &[0],
        _ => &[0, 1],
    };
    let mut rings = [0; 2];
    for &end in directions {
        let free = state.rings.iter().position(|ring| !ring.is_used())?;
        state.rings[free].begin(matches!(kind, Kind::Packet | Kind::Datagram));
        rings[end] = free as u8 + 1;
    }
    state.next = ((number + 1) % CHANNELS) as u16;
    state.channels[number] = Channel {
        kind,
        semaphore: false,
        timer: 0,
        shut_write: [false; 2],
        shut_read: [false; 2],
        reset: [false; 2],
        rings,
        entries: 0,
        open: [u16::from(ends > 0), u16::from(ends > 1)],
        pollers: ThreadMask::EMPTY,
        activity: [[0; 2]; 2],
        count: 0,
    };
    Some(number)
}

/// Counts that one more entry of the table names the channel, or one less. In an event on the
/// table.
pub fn count_entry(number: usize, comes: bool) {
    if comes {
        return held(number).change(|channel| channel.entries += 1);
    }
    held(number).change(|channel| channel.entries -= 1);
    let was = channel(number);
    if was.entries > 0 {
        return;
    }
    if was.timer != 0 {
        timers::descriptor::is_free(was.timer);
    }
    channels().change(|state| {
        for end in was.rings.into_iter().filter(|&end| end > 0) {
            state.rings[usize::from(end) - 1].end();
        }
        (state.channels[number].kind, state.channels[number].rings) = (Kind::Free, [0; 2]);
    });
}

/// Counts one more descriptor of an end. In an event that conflicts with everything.
pub fn duplicate(number: usize, end: usize) {
    held(number).change(|channel| channel.open[end] += 1);
}

/// Counts that a descriptor of an end is gone, in an event on the channel, or one that conflicts
/// with everything.
pub fn drop_end(number: usize, end: usize) -> Change {
    release(number);
    let unread = match channel(number).kind {
        Kind::Stream | Kind::Packet => ring(number, end).look(Ring::stored) > 0,
        _ => false,
    };
    let ((), change) = change(number, || {
        held(number).change(|channel| {
            channel.open[end] -= 1;
            if channel.open[end] == 0 {
                channel.reset[1 - end] |= unread;
                channel.activity[1 - end][0] += 1;
                channel.activity[1 - end][1] += 1;
            }
        });
        let now = channel(number);
        if now.open[end] == 0 && now.timer != 0 {
            timers::descriptor::was_closed(now.timer);
        }
    });
    change
}

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

/// Tells the search of the channel of a descriptor that was just made, or changed in an event that
/// conflicts with everything.
pub fn publish(number: usize) {
    wait(number, 0);
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
            for other in 0..2 {
                channel.activity[other][0] += 1;
                channel.activity[other][1] += 1;
            }
        });
    });
    change.tell();
    0
}

/// Returns whether the running thread knows a descriptor to be a channel's, or looks it up.
pub fn is_channel(fd: i32) -> bool {
    look_up(fd).is_some_and(|known| known.channel_end().is_some())
}
