//! `poll` and `select`: which descriptors are ready, and waiting until one is.
//!
//! Each channel is looked at in an event of its own, one after the other, as the kernel does. A
//! single channel is waited for directly. Files, directories and what was captured are always ready.
//!
//! A call with a time-out that is not 0 gives up where no thread can go on, and looks once more, as the
//! kernel does; or it gives up early (`--timeouts`), when it has looked once; with `--timeouts=all` it looks once, at
//! any moment. Without descriptors it is a sleep.

use super::enter::{enter, enter_within, error, look_up, End};
use super::level::{thresholds, ATOMIC, COUNT_MAX, GONE, NEVER};
use super::order::acquire;
use super::ring::Ring;
use super::signals;
use super::table::{add_poller, channel, ring, Kind};
use super::waiting::{wait_for_bell, Terms, Waited};
use crate::engine::{self, early};
use crate::libc::{descriptor, time};
use crate::pthread::signal::interrupt::{self, Restarts};
use crate::pthread::signal::read;
use ::libc::{
    c_short, pollfd, POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLRDHUP, POLLRDNORM, POLLWRNORM,
};

const READING: c_short = POLLIN | POLLRDNORM;
const WRITING: c_short = POLLOUT | POLLWRNORM;

/// The time that a call may wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// The call may not wait.
    None,
    /// The call may wait so many nanoseconds.
    Some(i64),
    /// The call may wait for ever.
    Endless,
}

impl Patience {
    /// Returns whether the call waits, given how the exploration treats time-outs.
    pub fn waits(self) -> bool {
        match self {
            Patience::None => false,
            Patience::Some(_) => {
                early::note_call();
                !early::always()
            }
            Patience::Endless => true,
        }
    }

    /// Returns whether the call may give up early, which is asked when it has looked once.
    pub fn may_be_early(self) -> bool {
        matches!(self, Patience::Some(_)) && early::is_possible()
    }

    /// Returns whether the wait may be given up where nothing else can go on.
    pub fn is_limited(self) -> bool {
        matches!(self, Patience::Some(_))
    }

    /// Returns the result of a call that found nothing, and ends. `waited`: where nothing else
    /// could go on.
    pub fn is_over(self, waited: bool) -> isize {
        if let Patience::Some(nanoseconds) = self {
            // One that waited has looked for signals.
            if !waited && interrupt::ends() {
                return error(::libc::EINTR);
            }
            time::slept(nanoseconds);
        }
        0
    }
}

/// Returns what is true of an end of a channel now, as `poll` says it.
pub fn events_of(number: usize, end: usize) -> c_short {
    let channel = channel(number);
    let (over, gone) = (channel.is_read_over(end), channel.is_write_over(end));
    let stored = |end: usize| ring(number, end).look(Ring::stored) > 0;
    let pick = |condition: bool, events: c_short| if condition { events } else { 0 };
    match (channel.kind, end) {
        (Kind::Free, _) => 0,
        (Kind::Signals, _) => pick(read::is_there(channel.count), POLLIN),
        (Kind::Counter, _) => {
            let has_room = channel.count < COUNT_MAX && channel.timer == 0;
            pick(channel.count > 0, READING) | pick(has_room, WRITING)
        }
        (Kind::Pipe, 0) => pick(stored(0), READING) | pick(over, POLLHUP),
        (Kind::Pipe, _) => {
            pick(ring(number, 0).look(Ring::room) >= ATOMIC, WRITING) | pick(gone, POLLERR)
        }
        (Kind::Datagram, _) => pick(stored(end), READING) | WRITING,
        (Kind::Stream | Kind::Packet, _) => {
            let closed = channel.open[1 - end] == 0;
            pick(stored(end) || over, READING)
                | pick(over, POLLRDHUP)
                | pick(closed || over && channel.shut_write[end], POLLHUP)
                | pick(channel.reset[end], POLLERR)
                | WRITING
        }
    }
}

/// What makes waiting for these events end.
fn levels_for(number: usize, end: usize, events: c_short) -> u64 {
    let pipe = channel(number).kind == Kind::Pipe;
    let reading = if events & READING != 0 { 1 } else { GONE };
    let room = if pipe { ATOMIC as u64 } else { 1 };
    let writing = if events & WRITING != 0 { room } else { GONE };
    match (pipe, end) {
        (true, 0) => thresholds(end, reading, NEVER),
        (true, _) => thresholds(end, NEVER, writing),
        _ => thresholds(end, reading, writing),
    }
}

/// What a descriptor is, for a call that looks at it.
enum Looked {
    /// An end of a channel, after the event on it.
    Channel(End),
    /// Something that is always ready.
    Always,
    /// The descriptor is not open.
    Not,
}

fn look(fd: i32) -> Looked {
    match look_up(fd) {
        None => Looked::Not,
        Some(known) if known.channel_end().is_some() => match signals::known(fd) {
            Some(number) => Looked::Channel(End {
                number,
                end: 0,
                nonblocking: signals::look(fd, number),
            }),
            None => match enter(fd, |_| 0) {
                Ok(end) if channel(end.number).kind == Kind::Signals => engine::unsupported(
                    "a descriptor that is closed and opened again while it is used",
                ),
                Ok(end) => Looked::Channel(end),
                Err(_) => Looked::Not,
            },
        },
        Some(known) if known.is_epoll() => engine::unsupported("waiting for a descriptor of epoll"),
        Some(_) if is_foreign(fd) => {
            engine::unsupported("waiting for a socket or device from outside")
        }
        Some(_) => Looked::Always,
    }
}

fn is_foreign(fd: i32) -> bool {
    descriptor::file(fd as usize).is_some_and(|file| file.kind == descriptor::Kind::Other)
}

/// What a call of `poll` asks about: the program's, which other threads can come to while the call waits.
pub struct Entries {
    at: *mut pollfd,
    count: usize,
}

impl Entries {
    /// # Safety
    /// At `at` lie `count` entries, which stay as long as the result is used.
    pub unsafe fn at(at: usize, count: usize) -> Self {
        Entries {
            at: at as *mut pollfd,
            count,
        }
    }

    fn iter(&self) -> impl Iterator<Item = pollfd> + '_ {
        // SAFETY: `k` is below the number of entries that `at` was told of.
        (0..self.count).map(|k| unsafe { self.at.add(k).read() })
    }

    fn tell(&self, k: usize, events: c_short) {
        // SAFETY: `k` is below the number of entries, which are the program's; no other fiber runs
        // since the last event.
        unsafe { (*self.at.add(k)).revents = events };
    }
}

/// `poll`: fills in `revents`; returns how many are not 0.
pub fn poll(all: &Entries, patience: Patience) -> isize {
    if all.iter().all(|entry| entry.fd < 0) {
        return wait_for_none(patience);
    }
    let mut gives_up = !patience.waits();
    let mut waited = false;
    if patience.may_be_early() {
        let ready = look_at(all, false);
        if ready > 0 {
            return ready;
        }
        if early::happens() {
            return patience.is_over(false);
        }
    }
    if !gives_up {
        match wait_for_the_only(all, patience) {
            Ok(gave_up) => (gives_up, waited) = (gave_up, gave_up),
            Err(errno) if errno == error(::libc::EINTR) => return errno,
            // The look that follows tells.
            Err(_) => {}
        }
    }
    loop {
        let ready = look_at(all, true);
        if ready > 0 {
            return ready;
        }
        if gives_up {
            return patience.is_over(waited);
        }
        if engine::is_inside_event() {
            super::would_hang();
        }
        match wait_for_bell(patience.is_limited()) {
            Waited::Ready => {}
            Waited::GaveUp => (gives_up, waited) = (true, true),
            Waited::Interrupted => return error(::libc::EINTR),
        }
    }
}

/// Looks at each descriptor and fills in `revents`; returns how many are not 0. `waits`: what is not ready will tell
/// when it is.
fn look_at(all: &Entries, waits: bool) -> isize {
    let mut ready = 0;
    for (k, entry) in all.iter().enumerate() {
        all.tell(k, 0);
        if entry.fd < 0 {
            continue;
        }
        let events = match look(entry.fd) {
            Looked::Not => POLLNVAL,
            Looked::Always => entry.events & (READING | WRITING),
            Looked::Channel(End { number, end, .. }) => {
                let wanted = entry.events | POLLERR | POLLHUP;
                let events = events_of(number, end) & wanted;
                if events != 0 {
                    acquire(number);
                } else if waits {
                    add_poller(number);
                }
                events
            }
        };
        all.tell(k, events);
        ready += isize::from(events != 0);
    }
    ready
}

/// Waits although there is nothing to wait for but the time-out, and signals.
fn wait_for_none(patience: Patience) -> isize {
    match patience {
        Patience::None => 0,
        Patience::Some(nanoseconds) => time::sleep_in_call(nanoseconds),
        Patience::Endless => wait_for_ever(),
    }
}

/// `pause`, in other words.
fn wait_for_ever() -> isize {
    if engine::is_inside_event() {
        super::would_hang();
    }
    match wait_for_bell(false) {
        Waited::Interrupted => error(::libc::EINTR),
        // Of an earlier wait for channels.
        Waited::Ready => wait_for_ever(),
        Waited::GaveUp => super::would_hang(),
    }
}

/// If there is one descriptor only, and it is a channel's: waits for it, so that the look that follows
/// finds it ready. Whether it gave up.
///
/// # Errors
/// `-EBADF`, `-EINTR`.
fn wait_for_the_only(all: &Entries, patience: Patience) -> Result<bool, isize> {
    let mut open = all.iter().filter(|entry| entry.fd >= 0);
    let (Some(entry), None) = (open.next(), open.next()) else {
        return Ok(false);
    };
    if look_up(entry.fd).is_none_or(|known| known.channel_end().is_none())
        || signals::known(entry.fd).is_some()
    {
        return Ok(false);
    }
    let (fd, events) = (entry.fd, entry.events);
    let levels = |end: &End| levels_for(end.number, end.end, events);
    let terms = Terms {
        timed: patience.is_limited(),
        restarts: Restarts::Never,
        had_effect: false,
    };
    enter_within(fd, terms, levels).map(|(_, gave_up)| gave_up)
}

/// Bits of a set of `select`.
fn is_in(set: usize, fd: usize) -> bool {
    // SAFETY: a set of the program's that is as long as it said.
    set != 0 && unsafe { *((set + fd / 8) as *const u8) } >> (fd % 8) & 1 == 1
}

/// `select`: `sets` for reading, writing and exceptions, of descriptors below `count`, or 0.
///
/// # Safety
/// The sets are the program's, and writable.
pub unsafe fn select(count: usize, sets: [usize; 3], patience: Patience) -> isize {
    let mut entries = [pollfd {
        fd: -1,
        events: 0,
        revents: 0,
    }; descriptor::DESCRIPTORS];
    if count > entries.len() && sets.iter().any(|&set| set != 0) {
        engine::unsupported("select with more than 256 descriptors");
    }
    let entries = &mut entries[..count.min(descriptor::DESCRIPTORS)];
    for (fd, entry) in entries.iter_mut().enumerate() {
        let wanted = [READING, WRITING, 0];
        let sets = sets.iter().zip(wanted).filter(|&(&set, _)| is_in(set, fd));
        for (_, events) in sets {
            (entry.fd, entry.events) = (fd as i32, entry.events | events);
        }
    }
    // SAFETY: ours, and they stay until the call is over.
    let all = unsafe { Entries::at(entries.as_mut_ptr() as usize, entries.len()) };
    let result = poll(&all, patience);
    if result < 0 {
        return result;
    }
    if entries.iter().any(|entry| entry.revents & POLLNVAL != 0) {
        return error(::libc::EBADF);
    }
    // Of `poll`'s events, those that `select` counts for each set.
    let counts = [READING | POLLHUP | POLLERR, WRITING | POLLERR, 0];
    let mut total = 0;
    for (set, counted) in sets.into_iter().zip(counts) {
        if set == 0 {
            continue;
        }
        crate::libc::syscalls::touch(set, entries.len().div_ceil(64) * 8);
        for (fd, entry) in entries.iter().enumerate() {
            let ready = is_in(set, fd) && entry.revents & counted != 0;
            // SAFETY: the set has `count` bits, of which `fd` is one, and is the program's, as this
            // function's caller guarantees.
            unsafe {
                let byte = (set + fd / 8) as *mut u8;
                *byte = *byte & !(1 << (fd % 8)) | u8::from(ready) << (fd % 8);
            }
            total += isize::from(ready);
        }
    }
    total
}
