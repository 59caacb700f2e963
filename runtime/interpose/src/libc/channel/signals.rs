//! `signalfd`: descriptors that signals are read from.
//!
//! Such a channel holds nothing but the set of signals it reads; what is pending is kept where it always
//! is, and who looks sees what is pending for itself and for the process ([`crate::pthread::signal::read`]).
//! So whether it is ready depends on the thread, and waiting for it is waiting for the bell ([`super`]): whoever
//! sends a signal rings for those that can read it.
//!
//! Each signal that is read is taken in an event of its own, as the kernel does: between two of one call
//! another thread may read.
//!
//! *Unsupported*: edge-triggered sets of `epoll` (the kernel tells of any signal that is sent), and `readv`
//! (older kernels read into each part by itself).
//!
//! Source: signalfd(2); `fs/signalfd.c` of Linux for what fields are set.

use super::change::Change;
use super::enter::{error, look_up};
use super::life::{allocate, publish};
use super::table::{add_poller, channel, held, take_pollers, Kind};
use super::waiting::{wait_for_bell_in, would_hang, Terms, Waited};
use crate::engine;
use crate::engine::given::concerns;
use crate::engine::learned_events::{self, EventCause};
use crate::libc::signals::maskable;
use crate::libc::syscalls::{touch, Piece};
use crate::libc::{access, descriptor};
use crate::pthread::signal::{read, Sent};
use ::libc::signalfd_siginfo;
use dpor_model::Kind as Event;

const STRUCTURE: usize = size_of::<signalfd_siginfo>();
const _: () = assert!(STRUCTURE == 128, "signalfd(2)");

/// Performs an event that conflicts with everything.
pub(super) fn everything() {
    engine::perform(engine::operation(Event::Opaque));
}

/// `signalfd4`, after an event that conflicts with everything.
///
/// # Safety
/// `set` is readable for `bytes` bytes of the program's.
pub unsafe fn create(fd: i32, set: usize, bytes: usize, flags: i32) -> isize {
    if bytes != size_of::<u64>() || flags & !(::libc::SFD_NONBLOCK | ::libc::SFD_CLOEXEC) != 0 {
        return error(::libc::EINVAL);
    }
    // SAFETY: `set` points to the program's set of one word, as this function's caller guarantees.
    let set = maskable(unsafe { (set as *const u64).read_unaligned() });
    if fd != -1 {
        return change_set(fd, set);
    }
    learned_events::learn(EventCause::SignalDescriptors);
    let Some(number) = allocate(Kind::Signals, 1) else {
        engine::unsupported("more than 64 pipes, socket pairs and event counters at once");
    };
    held(number).change(|channel| channel.count = set);
    // SFD_NONBLOCK is O_NONBLOCK.
    let status = (flags & ::libc::O_NONBLOCK | ::libc::O_RDWR) as u32;
    let fd = descriptor::add_channel(number, 0, status);
    if fd < 0 {
        engine::unsupported("more than 256 descriptors or 128 open files");
    }
    publish(number);
    fd
}

fn change_set(fd: i32, set: u64) -> isize {
    let number = match of(fd) {
        Some(number) => number,
        None if descriptor::file(fd as usize).is_some() => return error(::libc::EINVAL),
        None => return error(::libc::EBADF),
    };
    held(number).change(|channel| channel.count = set);
    let pollers = take_pollers(number);
    Change { pollers }.tell();
    fd as isize
}

/// Returns the channel of a descriptor that signals are read from, in an event that conflicts with
/// everything.
fn of(fd: i32) -> Option<usize> {
    let file = descriptor::file(usize::try_from(fd).ok()?)?;
    let number = (file.kind == descriptor::Kind::Channel).then_some(file.kernel as usize / 2)?;
    (channel(number).kind == Kind::Signals).then_some(number)
}

/// Returns the channel that the running thread takes a descriptor to be, if it is one of these.
pub(super) fn known(fd: i32) -> Option<usize> {
    let (number, _) = look_up(fd)?.channel_end()?;
    (channel(number).kind == Kind::Signals).then_some(number)
}

/// Looks at what [`known`] told of: an event that conflicts with everything. Whether the descriptor does not block.
pub(super) fn look(fd: i32, number: usize) -> bool {
    everything();
    if of(fd) != Some(number) {
        engine::unsupported("a signalfd that is closed while it is used");
    }
    let flags = descriptor::file(fd as usize).map_or(0, |file| file.flags);
    flags & ::libc::O_NONBLOCK as u32 != 0
}

/// `read` of what [`known`] told of.
///
/// # Safety
/// The pieces are memory that the program may write.
pub(super) unsafe fn read(fd: i32, number: usize, pieces: &[Piece]) -> isize {
    let &[(to, bytes)] = pieces else {
        engine::unsupported("readv of a signalfd");
    };
    let wanted = bytes / STRUCTURE;
    if wanted == 0 {
        return error(::libc::EINVAL);
    }
    let mut done = 0;
    while done < wanted {
        let nonblocking = look(fd, number);
        if let Some(sent) = read::take(channel(number).count) {
            let at = to + done * STRUCTURE;
            touch(at, STRUCTURE);
            // SAFETY: `at` is inside of the pieces, which are the program's, as this function's
            // caller guarantees.
            unsafe { (at as *mut signalfd_siginfo).write_unaligned(told(&sent)) };
            done += 1;
            access::received(at, STRUCTURE);
            (concerns().signal_taken)(sent.signal);
            continue;
        }
        if done > 0 {
            break;
        }
        if nonblocking {
            return error(::libc::EAGAIN);
        }
        if engine::is_inside_event() {
            would_hang();
        }
        add_poller(number);
        if wait_for_bell_in(Terms::BEGIN) == Waited::Interrupted {
            return error(::libc::EINTR);
        }
    }
    (done * STRUCTURE) as isize
}

/// Returns what `signalfd` tells of a signal; which fields are set depends on who sent it.
fn told(sent: &Sent) -> signalfd_siginfo {
    const SI_TIMER: i32 = -2;
    // SAFETY: numbers, for which zero is a value.
    let mut told: signalfd_siginfo = unsafe { core::mem::zeroed() };
    told.ssi_signo = sent.signal as u32;
    told.ssi_code = sent.code;
    if sent.code < 0 {
        told.ssi_ptr = sent.value as u64;
        told.ssi_int = sent.value as i32;
    }
    if sent.code == SI_TIMER {
        told.ssi_tid = sent.timer;
    } else if sent.code <= 0 {
        // SAFETY: the two calls take no arguments and cannot fail.
        (told.ssi_pid, told.ssi_uid) = unsafe { (::libc::getpid() as u32, ::libc::getuid()) };
    }
    told
}

/// Takes over those that the program made before the root.
pub(super) fn take_over() {
    let foreign: Vec<i32> = descriptor::foreign()
        .filter(|&fd| super::kernel::link(fd) == "anon_inode:[signalfd]")
        .collect();
    for fd in foreign {
        let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
        let set = told.lines().find_map(|line| line.strip_prefix("sigmask:"));
        let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
        // Otherwise it stays the kernel's, and its use is unsupported.
        let Some(set) = set.filter(|_| descriptor::is_same_file(fd, fd)) else {
            continue;
        };
        let Some(number) = allocate(Kind::Signals, 0) else {
            crate::process::refuse(
                "more than 64 pipes, socket pairs and event counters at the second thread",
            );
        };
        held(number).change(|channel| channel.count = set);
        let flags = super::kernel::status(fd);
        let descriptors = descriptor::become_channel(fd, number, 0, flags);
        held(number).change(|channel| {
            channel.open[0] = descriptors;
            channel.entries = descriptors;
        });
        read::is_used_at_root();
    }
}
