//! Reading from channels and writing to them.
//!
//! Each is one event, which blocks until it can be done; a long write to a pipe is one for each part
//! that finds room. What a thread publishes follows from what it knows of the table of descriptors;
//! if the descriptor turns out to be another one by then, it begins anew.

use super::activity::{is_active, READING, WRITING};
use super::change::{change, Change};
use super::enter::{enter, error, End};
use super::level::{to_read, to_write, ATOMIC, COUNT_MAX, LEVEL_MAX};
use super::order::{acquire, release};
use super::ring::{total, Ring, BYTES};
use super::table::{channel, held, ring, Kind};
use super::waiting::{wait_within, would_hang, Terms, Waited};
use crate::engine;
use crate::libc::signals::{self, Delivery};
use crate::libc::syscalls::{touch, Piece};
use crate::libc::{access, timers};
use dpor_report::FindingKind;

/// `read` and its kin. `peek`, `at_once`: as `MSG_PEEK` and `MSG_DONTWAIT`.
///
/// # Safety
/// The pieces are memory that the program may write.
pub unsafe fn read(fd: i32, pieces: &[Piece], peek: bool, at_once: bool) -> isize {
    let wanted = total(pieces);
    if let Some(number) = super::signals::known(fd) {
        // SAFETY: `pieces` are memory that the program may write, as this function's caller
        // guarantees.
        return unsafe { super::signals::read(fd, number, pieces) };
    }
    let found = enter(fd, |end| match end.nonblocking || at_once || wanted == 0 {
        true => 0,
        false => to_read(end.end),
    });
    let end = match found {
        Ok(end) => end,
        Err(errno) => return errno,
    };
    let (number, at) = (end.number, end.end);
    let kind = channel(number).kind;
    if kind == Kind::Pipe && at == 1 {
        return error(::libc::EBADF);
    }
    if kind == Kind::Signals {
        engine::unsupported("a descriptor that is closed and opened again while it is used");
    }
    if kind == Kind::Counter && wanted < 8 {
        return error(::libc::EINVAL);
    }
    if wanted == 0 && kind != Kind::Datagram && kind != Kind::Packet {
        return 0;
    }
    while (channel(number).levels(number) >> (32 * at)) & 0xffff == 0 {
        if end.nonblocking || at_once {
            return error(::libc::EAGAIN);
        }
        if engine::is_inside_event() {
            would_hang();
        }
        if wait_within(number, to_read(at), Terms::BEGIN) == Waited::Interrupted {
            return error(::libc::EINTR);
        }
    }
    acquire(number);
    // SAFETY: `pieces` are memory that the program may write, as this function's caller guarantees.
    let (result, change) = change(number, || unsafe {
        match kind {
            Kind::Counter => take_count(number, pieces),
            _ if ring(number, at).look(Ring::stored) > 0 => {
                let was_full = ring(number, at).look(Ring::room) < ATOMIC;
                let n = ring(number, at).change(|ring| ring.take(pieces, peek));
                let has_room = ring(number, at).look(Ring::room) >= ATOMIC;
                if kind != Kind::Pipe || was_full && has_room {
                    is_active(number, 1 - at, WRITING);
                }
                n as isize
            }
            _ if channel(number).reset[at] => {
                held(number).change(|channel| channel.reset[at] = false);
                error(::libc::ECONNRESET)
            }
            _ => 0,
        }
    });
    let mut left = usize::try_from(result).unwrap_or(0);
    for &(at, length) in pieces {
        access::received(at, length.min(left));
        left -= length.min(left);
    }
    if channel(number).timer != 0 && !peek {
        timers::watching::was_read(channel(number).timer);
    }
    change.tell();
    result
}

/// # Safety
/// The pieces are memory that the program may write, 8 bytes at least.
unsafe fn take_count(number: usize, pieces: &[Piece]) -> isize {
    let value = held(number).change(|channel| {
        let value = if channel.semaphore { 1 } else { channel.count };
        channel.count -= value;
        value
    });
    is_active(number, 0, WRITING);
    let mut bytes = value.to_ne_bytes().into_iter();
    for &(to, length) in pieces {
        touch(to, length.min(8));
        for (k, byte) in (0..length).zip(&mut bytes) {
            // SAFETY: `to + k` is inside of a piece, which the program may write, as this
            // function's caller guarantees.
            unsafe { *((to + k) as *mut u8) = byte };
        }
    }
    8
}

/// `write` and its kin. `at_once`, `quiet`: as `MSG_DONTWAIT` and `MSG_NOSIGNAL`.
///
/// # Safety
/// The pieces are memory that the program may read.
pub unsafe fn write(fd: i32, pieces: &[Piece], at_once: bool, quiet: bool) -> isize {
    let wanted = total(pieces);
    // SAFETY: the pieces are memory that the program may read, as this function's caller
    // guarantees; the first has eight bytes, or 0 is taken.
    let value = unsafe { value_of(pieces) };
    let needed = |end: &End, left: usize| match channel(end.number).kind {
        Kind::Counter => to_write(end.end, value.min(LEVEL_MAX) as usize),
        Kind::Pipe => to_write(end.end, left.min(ATOMIC)),
        // Sockets never block; a full one is unsupported.
        _ => 0,
    };
    let found = enter(fd, |end| match end.nonblocking || at_once || wanted == 0 {
        true => 0,
        false => needed(end, wanted),
    });
    let end = match found {
        Ok(end) => end,
        Err(errno) => return errno,
    };
    let (number, at) = (end.number, end.end);
    let waits = !end.nonblocking && !at_once;
    match channel(number).kind {
        Kind::Pipe if at == 0 => return error(::libc::EBADF),
        Kind::Signals => return error(::libc::EINVAL),
        Kind::Counter if wanted < 8 || value == u64::MAX => return error(::libc::EINVAL),
        Kind::Counter if channel(number).timer != 0 => return error(::libc::EINVAL),
        Kind::Pipe | Kind::Stream if wanted == 0 => return 0,
        _ => {}
    }
    let mut done = 0;
    loop {
        if channel(number).is_write_over(at) {
            if done > 0 {
                return done as isize;
            }
            if channel(number).kind == Kind::Datagram && !channel(number).shut_write[at] {
                return error(::libc::ECONNREFUSED);
            }
            return broken(quiet);
        }
        // SAFETY: `pieces` are memory that the program may read, as this function's caller
        // guarantees.
        let (n, change) = unsafe { write_part(number, at, pieces, done, waits, value) };
        done += n;
        change.tell();
        if done
            >= wanted.min(if channel(number).kind == Kind::Counter {
                8
            } else {
                wanted
            })
        {
            return done as isize;
        }
        if !waits {
            return if done > 0 {
                done as isize
            } else {
                error(::libc::EAGAIN)
            };
        }
        if n == 0 && engine::is_inside_event() {
            would_hang();
        }
        let terms = Terms {
            had_effect: done > 0,
            ..Terms::BEGIN
        };
        if wait_within(number, needed(&end, wanted - done), terms) == Waited::Interrupted {
            return match done {
                0 => error(::libc::EINTR),
                done => done as isize,
            };
        }
    }
}

/// Writes as much as there is room for, in the step of an event on the channel. Returns the bytes.
///
/// # Safety
/// The pieces are memory that the program may read.
unsafe fn write_part(
    number: usize,
    at: usize,
    pieces: &[Piece],
    done: usize,
    waits: bool,
    value: u64,
) -> (usize, Change) {
    let left = total(pieces) - done;
    let kind = channel(number).kind;
    if kind == Kind::Counter {
        if COUNT_MAX - channel(number).count < value {
            if waits && value > LEVEL_MAX {
                engine::unsupported("a write to an event counter that is nearly full");
            }
            return (0, Change::NONE);
        }
        release(number);
        return change(number, || {
            held(number).change(|channel| channel.count += value);
            is_active(number, 0, READING);
            8
        });
    }
    let to = 1 - at;
    let room = ring(number, to).look(Ring::room);
    let n = match kind {
        // Up to PIPE_BUF at once or not at all.
        Kind::Pipe if total(pieces) <= ATOMIC => match room >= left {
            true => left,
            false => 0,
        },
        Kind::Pipe if waits && room < left.min(ATOMIC) => 0,
        Kind::Pipe => left.min(room),
        Kind::Stream if left <= room => left,
        _ if left <= room && ring(number, to).look(Ring::messages) < MESSAGES_MAX => left,
        _ => engine::unsupported("a socket pair that holds more than 65,000 bytes or 10 messages"),
    };
    if n == 0 && left > 0 {
        return (0, Change::NONE);
    }
    release(number);
    // SAFETY: `pieces` are memory that the program may read, as this function's caller guarantees.
    let ((), change) = change(number, || unsafe {
        ring(number, to).change(|ring| ring.append(pieces, done, n));
        is_active(number, to, READING);
    });
    (n, change)
}

const _: () = assert!(BYTES == 65_536, "told in a message");

/// Messages that Linux keeps for a socket by default (`net.unix.max_dgram_qlen`).
const MESSAGES_MAX: u32 = 10;

/// Returns the first eight bytes of the pieces; 0 if there are not so many.
///
/// # Safety
/// The pieces are memory that the program may read.
unsafe fn value_of(pieces: &[Piece]) -> u64 {
    match pieces.first() {
        // SAFETY: the piece has eight bytes, which the program may read, as this function's caller
        // guarantees.
        Some(&(from, length)) if length >= 8 => unsafe { (from as *const u64).read_unaligned() },
        _ => 0,
    }
}

/// Fails a write that nobody reads: `EPIPE`, and SIGPIPE unless `quiet`.
fn broken(quiet: bool) -> isize {
    if !quiet {
        match signals::delivery(::libc::SIGPIPE) {
            Delivery::Ignored => {}
            Delivery::Fatal => engine::fail(
                FindingKind::Crash,
                "the program writes to a pipe or socket that nobody reads (SIGPIPE)",
            ),
            Delivery::NotModelled => {
                engine::unsupported("SIGPIPE, which has a handler or is blocked")
            }
        }
    }
    error(::libc::EPIPE)
}
