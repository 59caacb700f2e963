//! Which system calls are about channels, and what they do.
//!
//! Such a call may have to wait, so it is answered on the thread's own stack, outside of the signal
//! handler that it arrived in ([`crate::libc::opaque::redirect_answered`]).

use super::enter::{enter, error, look_up};
use super::life::publish;
use super::ready::{self, Entries, Patience};
use super::ring::Ring;
use super::table::{channel, ring, take_pollers, Kind};
use super::{epoll, open, signals, transfer};
use crate::engine;
use crate::libc::overlay::{locks, ranges};
use crate::libc::syscalls::{touch, vectors, Piece};
use crate::libc::{access, descriptor};
use crate::pthread::signal::interrupt;
use ::libc::pollfd;
use dpor_machine::probe;

type Args = [usize; 6];

/// Returns whether a system call is answered here.
pub fn is_here(number: i64, args: &Args) -> bool {
    match number {
        ::libc::SYS_pipe
        | ::libc::SYS_pipe2
        | ::libc::SYS_socketpair
        | ::libc::SYS_eventfd
        | ::libc::SYS_eventfd2
        | ::libc::SYS_signalfd
        | ::libc::SYS_signalfd4
        | ::libc::SYS_epoll_create
        | ::libc::SYS_epoll_create1
        | ::libc::SYS_epoll_ctl
        | ::libc::SYS_epoll_wait
        | ::libc::SYS_epoll_pwait
        | ::libc::SYS_epoll_pwait2
        | ::libc::SYS_poll
        | ::libc::SYS_ppoll
        | ::libc::SYS_select
        | ::libc::SYS_pselect6
        | ::libc::SYS_flock => true,
        ::libc::SYS_read
        | ::libc::SYS_write
        | ::libc::SYS_readv
        | ::libc::SYS_writev
        | ::libc::SYS_recvfrom
        | ::libc::SYS_sendto
        | ::libc::SYS_recvmsg
        | ::libc::SYS_sendmsg
        | ::libc::SYS_shutdown
        | ::libc::SYS_fstat => is_channel(args[0]),
        ::libc::SYS_fcntl => ranges::is_here(args[1]),
        ::libc::SYS_ioctl => is_channel(args[0]) && args[1] == ::libc::FIONREAD as usize,
        ::libc::SYS_newfstatat => {
            args[3] as i32 & ::libc::AT_EMPTY_PATH != 0 && is_channel(args[0])
        }
        // The second half, after an event on the channel, is the table's.
        ::libc::SYS_close => is_channel(args[0]) && !descriptor::is_closing(args[0] as i32),
        ::libc::SYS_dup2 | ::libc::SYS_dup3 => {
            let file = descriptor::file(args[1]);
            args[0] != args[1] && file.is_some_and(|f| f.kind == descriptor::Kind::Channel)
        }
        _ => false,
    }
}

/// Returns whether a descriptor is a channel, by what the thread knows; if it knows nothing, the
/// call was announced as an event on the table, or as one that conflicts with everything.
fn is_channel(fd: usize) -> bool {
    match descriptor::known(fd as i32) {
        Some(known) => known.channel_end().is_some(),
        None => descriptor::file(fd).is_some_and(|file| file.kind == descriptor::Kind::Channel),
    }
}

/// Answers a system call of [`is_here`], on the thread's own stack.
///
/// # Safety
/// The arguments are those of the program's call `number`.
pub unsafe fn answer(number: i64, args: &Args) -> isize {
    let fd = args[0] as i32;
    let one = [(args[1], args[2])];
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // each arm uses those that its call has.
    unsafe {
        if !are_there(number, args) {
            return error(::libc::EFAULT);
        }
        match number {
            ::libc::SYS_read => transfer::read(fd, &one, false, false),
            ::libc::SYS_readv if signals::known(fd).is_some() => {
                engine::unsupported("readv of a signalfd")
            }
            ::libc::SYS_readv => {
                access::receives_parts(args[1]);
                let result = transfer::read(fd, vectors(args), false, false);
                access::received_parts(None);
                result
            }
            ::libc::SYS_write => transfer::write(fd, &one, false, false),
            ::libc::SYS_writev => transfer::write(fd, vectors(args), false, false),
            ::libc::SYS_recvfrom if args[4] == 0 => received(fd, &one, args[3] as i32),
            ::libc::SYS_sendto if args[4] == 0 => sent(fd, &one, args[3] as i32),
            ::libc::SYS_recvmsg => message(args, true),
            ::libc::SYS_sendmsg => message(args, false),
            ::libc::SYS_shutdown => open::shutdown(fd, args[1] as i32),
            ::libc::SYS_close => open::close(fd),
            ::libc::SYS_fstat => attributes(fd, args[1]),
            ::libc::SYS_newfstatat => attributes(fd, args[2]),
            ::libc::SYS_ioctl => stored(fd, args[2]),
            ::libc::SYS_flock => locks::flock(fd, args[1] as i32),
            ::libc::SYS_fcntl => ranges::control(fd, args[1] as i32, args[2]),
            ::libc::SYS_pipe => open::pipe(args[0], 0),
            ::libc::SYS_pipe2 => open::pipe(args[0], args[1] as i32),
            ::libc::SYS_socketpair => open::socket_pair(fd, args[1] as i32, args[3]),
            ::libc::SYS_eventfd => open::counter(args[0] as u32, 0),
            ::libc::SYS_eventfd2 => open::counter(args[0] as u32, args[1] as i32),
            ::libc::SYS_signalfd => signals::create(fd, args[1], args[2], 0),
            ::libc::SYS_signalfd4 => signals::create(fd, args[1], args[2], args[3] as i32),
            ::libc::SYS_dup2 | ::libc::SYS_dup3 => replace(args[0], args[1]),
            ::libc::SYS_epoll_create if fd <= 0 => error(::libc::EINVAL),
            ::libc::SYS_epoll_create => epoll::create(0),
            ::libc::SYS_epoll_create1 => epoll::create(fd),
            ::libc::SYS_epoll_ctl => epoll::control(fd, args[1] as i32, args[2] as i32, args[3]),
            ::libc::SYS_epoll_wait => {
                epoll::wait(fd, args[1], args[2] as i32, milliseconds(args[3]))
            }
            ::libc::SYS_epoll_pwait => with_mask(args[4], || {
                epoll::wait(fd, args[1], args[2] as i32, milliseconds(args[3]))
            }),
            ::libc::SYS_epoll_pwait2 => with_mask(args[4], || {
                epoll::wait(fd, args[1], args[2] as i32, time(args[3], 1))
            }),
            ::libc::SYS_poll => ready::poll(&entries(args), milliseconds(args[2])),
            ::libc::SYS_ppoll => {
                with_mask(args[3], || ready::poll(&entries(args), time(args[2], 1)))
            }
            ::libc::SYS_select => {
                ready::select(args[0], [args[1], args[2], args[3]], time(args[4], 1_000))
            }
            ::libc::SYS_pselect6 => {
                let mask = if args[5] == 0 {
                    0
                } else {
                    *(args[5] as *const usize)
                };
                let sets = [args[1], args[2], args[3]];
                with_mask(mask, || ready::select(args[0], sets, time(args[4], 1)))
            }
            _ => engine::unsupported("a socket call with an address"),
        }
    }
}

/// Returns whether the program's arguments point to memory, as far as their ends tell. In the
/// handler of system calls a fault would be EFAULT; here it would be the program's.
///
/// # Safety
/// The arguments are those of the program's system call; headers and vectors that they point to may
/// not change meanwhile.
unsafe fn are_there(number: i64, args: &Args) -> bool {
    let is_there = |address: usize, bytes: usize| {
        let last = address.wrapping_add(bytes.saturating_sub(1)) & !7;
        let ends = [address & !7, last];
        let (stack, size) = engine::stack_of(engine::thread());
        let is_own = address >= stack && last < stack + size && last >= address & !7;
        bytes == 0
            || is_own
            || last >= address & !7 && ends.iter().all(|&at| probe::word(at).is_some())
    };
    let optional = |address: usize, bytes: usize| address == 0 || is_there(address, bytes);
    let pieces = |args: &Args| {
        is_there(args[1], args[2].min(1024) * size_of::<Piece>())
            // SAFETY: the vector was just found to be in mapped memory.
            && unsafe { vectors(args) }
                .iter()
                .all(|&(at, bytes)| is_there(at, bytes))
    };
    match number {
        ::libc::SYS_read | ::libc::SYS_write | ::libc::SYS_recvfrom | ::libc::SYS_sendto => {
            is_there(args[1], args[2])
        }
        ::libc::SYS_readv | ::libc::SYS_writev => pieces(args),
        ::libc::SYS_recvmsg | ::libc::SYS_sendmsg => {
            is_there(args[1], size_of::<::libc::msghdr>()) && {
                // SAFETY: the header was just found to be in mapped memory.
                let told = unsafe { (args[1] as *const ::libc::msghdr).read() };
                pieces(&[0, told.msg_iov as usize, told.msg_iovlen, 0, 0, 0])
            }
        }
        ::libc::SYS_fstat => is_there(args[1], size_of::<::libc::stat>()),
        ::libc::SYS_newfstatat => is_there(args[2], size_of::<::libc::stat>()),
        ::libc::SYS_ioctl => is_there(args[2], 4),
        ::libc::SYS_fcntl => is_there(args[2], size_of::<::libc::flock>()),
        ::libc::SYS_pipe | ::libc::SYS_pipe2 => is_there(args[0], 8),
        ::libc::SYS_socketpair => is_there(args[3], 8),
        ::libc::SYS_signalfd | ::libc::SYS_signalfd4 => is_there(args[1], args[2].min(8)),
        ::libc::SYS_epoll_ctl => optional(args[3], size_of::<::libc::epoll_event>()),
        ::libc::SYS_epoll_wait | ::libc::SYS_epoll_pwait | ::libc::SYS_epoll_pwait2 => {
            let count = (args[2] as i32).max(0) as usize;
            let timed = number == ::libc::SYS_epoll_pwait2;
            is_there(
                args[1],
                count.saturating_mul(size_of::<::libc::epoll_event>()),
            ) && (!timed || optional(args[3], 16))
        }
        ::libc::SYS_poll | ::libc::SYS_ppoll => {
            is_there(args[0], args[1].saturating_mul(size_of::<pollfd>()))
                && (number == ::libc::SYS_poll || optional(args[2], 16))
        }
        ::libc::SYS_select | ::libc::SYS_pselect6 => {
            let bytes = args[0].min(descriptor::DESCRIPTORS).div_ceil(64) * 8;
            args[1..4].iter().all(|&set| optional(set, bytes))
                && optional(args[4], 16)
                && (number == ::libc::SYS_select || optional(args[5], 16))
        }
        _ => true,
    }
}

/// Waits with the signal mask at an address, or the thread's own (0).
///
/// # Safety
/// `mask` is 0 or the address of a set of signals, one word.
unsafe fn with_mask(mask: usize, wait: impl FnOnce() -> isize) -> isize {
    match mask {
        0 => wait(),
        // SAFETY: `mask` is not null, so it points to the program's set of signals, as this
        // function's caller guarantees.
        mask => interrupt::with_mask(unsafe { *(mask as *const u64) }, wait),
    }
}

fn milliseconds(time: usize) -> Patience {
    match time as i32 {
        0 => Patience::None,
        limit @ 1.. => Patience::Some(i64::from(limit) * 1_000_000),
        _ => Patience::Endless,
    }
}

/// `unit`: of the fraction, in nanoseconds.
///
/// # Safety
/// `at` is null or points to a pair of seconds and a fraction.
unsafe fn time(at: usize, unit: i64) -> Patience {
    // SAFETY: `at` is not null here, so it points to a pair of numbers, as this function's caller
    // guarantees.
    match (at != 0).then(|| unsafe { *(at as *const [i64; 2]) }) {
        None => Patience::Endless,
        Some([0, 0]) => Patience::None,
        Some([seconds, fraction]) => Patience::Some(
            seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(fraction.saturating_mul(unit)),
        ),
    }
}

/// Returns the entries of a `poll`, as the program has them.
///
/// # Safety
/// `args` are the arguments of the program's `poll`.
unsafe fn entries(args: &Args) -> Entries {
    if args[1] > descriptor::DESCRIPTORS {
        engine::unsupported("poll with more than 256 descriptors");
    }
    touch(args[0], args[1] * size_of::<pollfd>());
    // SAFETY: the program's array has as many entries as the call says, as this function's caller
    // guarantees.
    unsafe { Entries::at(args[0], args[1]) }
}

const RECEIVING: i32 = ::libc::MSG_PEEK | ::libc::MSG_DONTWAIT | ::libc::MSG_CMSG_CLOEXEC;
const SENDING: i32 = ::libc::MSG_DONTWAIT | ::libc::MSG_NOSIGNAL;

/// # Safety
/// The pieces are memory that the program may write.
unsafe fn received(fd: i32, pieces: &[Piece], flags: i32) -> isize {
    if flags & !RECEIVING != 0 {
        engine::unsupported("recv with flags other than MSG_PEEK and MSG_DONTWAIT");
    }
    if !is_socket(fd) {
        return error(::libc::ENOTSOCK);
    }
    let (peek, at_once) = (
        flags & ::libc::MSG_PEEK != 0,
        flags & ::libc::MSG_DONTWAIT != 0,
    );
    // SAFETY: `pieces` are memory that the program may write, as this function's caller guarantees.
    unsafe { transfer::read(fd, pieces, peek, at_once) }
}

/// # Safety
/// The pieces are memory that the program may read.
unsafe fn sent(fd: i32, pieces: &[Piece], flags: i32) -> isize {
    if flags & !SENDING != 0 {
        engine::unsupported("send with flags other than MSG_DONTWAIT and MSG_NOSIGNAL");
    }
    if !is_socket(fd) {
        return error(::libc::ENOTSOCK);
    }
    let (at_once, quiet) = (
        flags & ::libc::MSG_DONTWAIT != 0,
        flags & ::libc::MSG_NOSIGNAL != 0,
    );
    // SAFETY: `pieces` are memory that the program may read, as this function's caller guarantees.
    unsafe { transfer::write(fd, pieces, at_once, quiet) }
}

/// Returns whether a descriptor is of a pair of sockets: what its channel is never changes.
fn is_socket(fd: i32) -> bool {
    let number = look_up(fd).and_then(|known| known.channel_end());
    number.is_some_and(|(number, _)| {
        !matches!(
            channel(number).kind,
            Kind::Pipe | Kind::Counter | Kind::Signals
        )
    })
}

/// `recvmsg` and `sendmsg`, without names and control data.
///
/// # Safety
/// `args` are the arguments of the program's `recvmsg` or `sendmsg`.
unsafe fn message(args: &Args, receives: bool) -> isize {
    let header = args[1] as *mut ::libc::msghdr;
    // SAFETY: `header` is the program's message header, as this function's caller guarantees.
    let told = unsafe { header.read() };
    if told.msg_controllen != 0 || !told.msg_name.is_null() {
        engine::unsupported("sendmsg or recvmsg with a name or control data");
    }
    let vector = [0, told.msg_iov as usize, told.msg_iovlen, 0, 0, 0];
    let (fd, flags) = (args[0] as i32, args[2] as i32);
    // SAFETY: the header and its vector are the program's, as this function's caller guarantees; no
    // other fiber writes them before the event.
    unsafe {
        if !receives {
            return sent(fd, vectors(&vector), flags);
        }
        if descriptor::known(fd)
            .and_then(|known| known.channel_end())
            .is_some_and(|(number, _)| channel(number).kind != Kind::Stream)
        {
            engine::unsupported("recvmsg of messages, which may be cut");
        }
        let is_own = access::receives_parts(args[1]);
        let result = received(fd, vectors(&vector), flags);
        access::received_parts((is_own && result >= 0).then_some(args[1]));
        if result >= 0 {
            touch(args[1], size_of::<::libc::msghdr>());
            (*header).msg_flags = 0;
        }
        result
    }
}

/// `fstat` of a channel.
///
/// # Safety
/// `to` is writable for a `stat` of the program's.
unsafe fn attributes(fd: i32, to: usize) -> isize {
    let end = match enter(fd, |_| 0) {
        Ok(end) => end,
        Err(errno) => return errno,
    };
    touch(to, size_of::<::libc::stat>());
    // SAFETY: `to` is writable for a `stat`, as this function's caller guarantees; zero is a value
    // of every field.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        stat.st_mode = match channel(end.number).kind {
            Kind::Pipe => ::libc::S_IFIFO | 0o600,
            Kind::Counter | Kind::Signals => 0o600,
            _ => ::libc::S_IFSOCK | 0o777,
        };
        stat.st_nlink = 1;
        stat.st_blksize = 4096;
        stat.st_ino = 1 + end.number as u64;
        (to as *mut ::libc::stat).write(stat);
    }
    0
}

/// `FIONREAD`.
///
/// # Safety
/// `to` is writable for an `int` of the program's.
unsafe fn stored(fd: i32, to: usize) -> isize {
    let end = match enter(fd, |_| 0) {
        Ok(end) => end,
        Err(errno) => return errno,
    };
    if matches!(channel(end.number).kind, Kind::Counter | Kind::Signals) {
        return error(::libc::ENOTTY);
    }
    // A pipe tells the same at both of its ends.
    let at = if channel(end.number).kind == Kind::Pipe {
        0
    } else {
        end.end
    };
    touch(to, 4);
    let stored = ring(end.number, at).look(Ring::next_bytes);
    // SAFETY: `to` is writable for an `int`, as this function's caller guarantees; no other fiber
    // runs since the event.
    unsafe { *(to as *mut i32) = stored as i32 };
    0
}

/// `dup2` onto a descriptor of a channel, after an event that conflicts with everything.
fn replace(fd: usize, to: usize) -> isize {
    let number = match descriptor::file(to).filter(|f| f.kind == descriptor::Kind::Channel) {
        Some(file) => file.kernel as usize / 2,
        None => return descriptor::duplicate_to(fd, to),
    };
    let pollers = take_pollers(number);
    let result = descriptor::duplicate_to(fd, to);
    publish(number);
    super::Change { pollers }.tell();
    result
}
