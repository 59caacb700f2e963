//! Channels: pipes, socket pairs and event counters, kept here instead of in the kernel.
//!
//! A channel has two *ends*; a descriptor names one of them. What is written at one end is read at
//! the other; a pipe carries data one way only, an event counter has one end that does both.
//!
//! ```text
//!   pipe:        end 1 ──► end 0          socket pair:  end 0 ◄──► end 1          counter: end 0 ⟲
//! ```
//!
//! Every use is an event on the channel ([`wait`]) that blocks until the channel is ready for it: the
//! search knows four levels ([`Channel::levels`]), and the rest is here, in the rolled-back world.
//!
//! | part | what |
//! |---|---|
//! | [`mod@ring`] | the bytes between writing and reading |
//! | [`transfer`] | reading and writing |
//! | [`open`] | how channels come and go |
//! | [`ready`] | `poll` and `select` |
//! | [`epoll`] | `epoll` |
//! | [`creation`] | `pipe`, `socketpair`, `eventfd` |
//! | [`signals`] | `signalfd` |
//! | [`call`] | which system call is which of these |
//! | [`at_root`] | channels that the kernel has when exploration begins |
//!
//! *Waiting for several channels.* A thread that finds none of them ready leaves its bit in
//! [`Channel::pollers`] of each, in the event with which it looked at that channel, and then waits on a
//! channel of its own, its *bell*. Whoever makes a channel more ready takes the bits and rings, in an
//! event after its own for each; the thread then looks again. As in the kernel, looking at several
//! channels is no atomic operation. A bell that rings for a thread that gave up waiting costs it one
//! more look, once.
//!
//! *Numbers.* Which channel a descriptor gets follows from the events on the table of descriptors
//! alone: entries of the table are counted there ([`Channel::entries`]), and the channel is free when
//! the last is gone.
//!
//! Source: POSIX.1-2017 `pipe`, `read`, `write`, `socketpair`; pipe(7), unix(7), eventfd(2).

pub mod at_root;
pub mod call;
mod creation;
pub mod epoll;
pub mod open;
pub mod ready;
mod ring;
pub mod signals;
pub mod transfer;

use super::{overlay, state};
use crate::engine::{self, early, object};
use crate::pthread::cancel;
use crate::pthread::signal::interrupt::{self, Ended, Restarts, There, Turn};
use crate::pthread::signal::late;
use crate::scoped_cell::ScopedCell;
use crate::thread_mask::ThreadMask;
use crate::world::{world, THREADS_MAX};
use dpor_explorer::program::{Kind as Event, Operation, ThreadId, AGAIN, TIMEOUT};
use ring::Ring;

/// Number of channels at once, at most.
pub const CHANNELS: usize = 64;
/// Directions of channels at once, each with room for [`ring::BYTES`].
const RINGS: usize = 64;

/// What a channel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// None. (The state is all-zero at first.)
    Free = 0,
    /// A pipe.
    Pipe,
    /// A pair of `SOCK_STREAM` sockets.
    Stream,
    /// A pair of `SOCK_SEQPACKET` sockets.
    Packet,
    /// A pair of `SOCK_DGRAM` sockets.
    Datagram,
    /// `eventfd`.
    Counter,
    /// `signalfd`.
    Signals,
}

/// One channel, by number in [`State`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Channel {
    /// What the channel is, see [`Kind`]; [`Kind::Free`]: the entry is unused.
    pub kind: Kind,
    /// Of a counter: whether each read takes 1 (`EFD_SEMAPHORE`).
    pub semaphore: bool,
    /// Counter: the timer that counts, or 0.
    pub timer: u8,
    /// By end: whether it writes no more (`shutdown` with `SHUT_WR`).
    pub shut_write: [bool; 2],
    /// By end: whether it reads no more (`shutdown` with `SHUT_RD`).
    pub shut_read: [bool; 2],
    /// By end: whether the next read fails with `ECONNRESET`.
    pub reset: [bool; 2],
    /// By end: 1 + number of the ring that it reads from, or 0.
    rings: [u8; 2],
    /// Entries of the table of descriptors; changes in events on the table only.
    pub entries: u16,
    /// By end: number of descriptors that are not closed.
    pub open: [u16; 2],
    /// Threads that wait for a change.
    pub pollers: ThreadMask,
    /// By end, for reading and for writing: number of times that it became ready (again).
    pub activity: [[u32; 2]; 2],
    /// Counter: its value. Signals: which are read, as the kernel has sets.
    pub count: u64,
}

/// State of the channels that a restore takes back.
#[repr(C)]
pub struct State {
    channels: [Channel; CHANNELS],
    /// Number of the channel at which the search for a free one begins.
    next: u16,
    /// By thread: 1 + number of the channel that it uses or waits for; numbers from [`CHANNELS`] on
    /// are bells.
    standing: [u16; THREADS_MAX],
    /// Threads whose bells ring.
    ringing: ThreadMask,
    /// `epoll`.
    pub epoll: epoll::State,
    rings: [Ring; RINGS],
}

/// Returns the state of all channels.
fn channels() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // and its like only.
    unsafe { ScopedCell::at(&raw mut (*state()).channels) }
}

/// Returns a channel by its number, as it is now.
pub fn channel(number: usize) -> Channel {
    held(number).get()
}

/// Returns a channel, by number, to be changed.
pub fn held(number: usize) -> ScopedCell<Channel> {
    // SAFETY: as `channels`; the index is checked by the array.
    unsafe { ScopedCell::at(&raw mut (*state()).channels.channels[number]) }
}

/// Returns the ring that an end reads from.
fn ring(number: usize, end: usize) -> ScopedCell<Ring> {
    let ring = channel(number).rings[end];
    // SAFETY: the state lies in the world, which is mapped; a channel that is used has a ring,
    // whose number is one too large.
    unsafe { ScopedCell::at(&raw mut (*state()).channels.rings[usize::from(ring) - 1]) }
}

/// Takes the threads that wait for a change of a channel, and which wait no more.
fn take_pollers(number: usize) -> ThreadMask {
    let none = ThreadMask::EMPTY;
    held(number).change(|channel| core::mem::replace(&mut channel.pollers, none))
}

/// Notes that the running thread waits for a change of a channel.
fn add_poller(number: usize) {
    held(number).change(|channel| channel.pollers.insert(engine::thread()));
}

/// Level of an end at which reading or writing ends, as the other end is gone.
const GONE: u64 = 0x7fff;
/// Highest level that tells an amount.
const LEVEL_MAX: u64 = GONE - 1;
/// A threshold that is never reached.
pub const NEVER: u64 = 0xffff;

/// Numbers of locks of files ([`super::overlay::locks`]), which the search takes for channels, from here on.
/// Those between are bells.
pub const LOCKS: usize = CHANNELS + THREADS_MAX;

/// Bytes that are written to a pipe at once or not at all (`PIPE_BUF`).
pub const ATOMIC: usize = 4096;

/// The value at which an event counter is full.
const COUNT_MAX: u64 = u64::MAX - 1;

impl Channel {
    /// Reading at this end finds no more than what is there.
    pub fn is_read_over(&self, end: usize) -> bool {
        let other = 1 - end;
        match self.kind {
            Kind::Pipe => self.open[other] == 0,
            Kind::Stream | Kind::Packet => {
                self.open[other] == 0 || self.shut_write[other] || self.shut_read[end]
            }
            Kind::Datagram => self.shut_read[end],
            Kind::Counter | Kind::Signals | Kind::Free => false,
        }
    }

    /// Writing at this end fails.
    pub fn is_write_over(&self, end: usize) -> bool {
        let other = 1 - end;
        match self.kind {
            Kind::Counter | Kind::Signals | Kind::Free => false,
            _ => self.open[other] == 0 || self.shut_write[end] || self.shut_read[other],
        }
    }

    /// Returns how ready the channel is, for the search: for each end reading and writing, 16 bits
    /// each.
    pub fn levels(&self, number: usize) -> u64 {
        let level = |end: usize, writing: bool| match (self.kind, writing, end) {
            // Who waits for signals waits for a bell.
            (Kind::Free | Kind::Signals, ..) | (Kind::Pipe, true, 0) | (Kind::Pipe, false, 1) => 0,
            (Kind::Counter, _, 1) => 0,
            (Kind::Counter, false, _) => self.count.min(LEVEL_MAX),
            (Kind::Counter, true, _) => (COUNT_MAX - self.count).min(LEVEL_MAX),
            (_, false, _) if self.is_read_over(end) || self.reset[end] => GONE,
            (_, false, _) => ring(number, end).look(Ring::stored).min(LEVEL_MAX),
            (_, true, _) if self.is_write_over(end) => GONE,
            (Kind::Pipe, true, _) => {
                (ring(number, 1 - end).look(Ring::room) as u64).min(ATOMIC as u64)
            }
            // A full socket is unsupported, so nobody waits for one.
            (_, true, _) => 1,
        };
        level(0, false) | level(0, true) << 16 | level(1, false) << 32 | level(1, true) << 48
    }
}

/// Waits for reading at an end to have this level, or for writing.
pub fn thresholds(end: usize, reading: u64, writing: u64) -> u64 {
    let own = reading | writing << 16;
    match end {
        0 => own | NEVER << 32 | NEVER << 48,
        _ => own << 32 | NEVER | NEVER << 16,
    }
}

/// Waits for an end to be readable, or for its writer to be gone.
pub fn to_read(end: usize) -> u64 {
    thresholds(end, 1, NEVER)
}

/// Waits for room at the other side of an end.
pub fn to_write(end: usize, room: usize) -> u64 {
    thresholds(end, NEVER, room as u64)
}

/// Performs an event on a channel, which blocks the thread until the channel is as ready as
/// `thresholds` says; 0 does not block.
pub fn wait(number: usize, thresholds: u64) {
    event(number, thresholds, false, false);
}

/// The way in which a wait for a channel ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Waited {
    /// The channel is ready for what the thread wants.
    Ready,
    /// Nothing else could go on, and the wait has a time-out.
    GaveUp,
    /// A signal handler ended the wait.
    Interrupted,
}

/// What a call is prepared for when it waits.
#[derive(Clone, Copy)]
pub struct Terms {
    /// Whether the call has a time-out.
    pub timed: bool,
    /// The effect that a signal handler has on the call.
    pub restarts: Restarts,
    /// Whether the call has already done a part of what it does, such as writing some of the bytes.
    pub had_effect: bool,
}

impl Terms {
    /// A read or write that has done nothing yet.
    pub const BEGIN: Terms = Terms {
        timed: false,
        restarts: Restarts::IfAsked,
        had_effect: false,
    };
}

/// Waits as [`wait`], in a call that signal handlers, requests to end and time-outs may end.
pub fn wait_within(number: usize, thresholds: u64, terms: Terms) -> Waited {
    if thresholds == 0 {
        event(number, 0, false, false);
        return Waited::Ready;
    }
    let is_ready = || {
        event(number, 0, false, false);
        let levels = levels_of(number as u16 + 1);
        let reaches = |k: u64| (levels >> k) & 0xffff >= (thresholds >> k) & 0xffff;
        [0, 16, 32, 48].into_iter().any(reaches).then_some(())
    };
    let wait = |timed| {
        cancel::block_in_call(terms.had_effect);
        let turn = event(number, thresholds, timed, terms.timed);
        cancel::end_blocking();
        turn
    };
    let there = || is_ready().map_or(There::No, There::Done);
    match interrupt::wait(terms.restarts, terms.timed, is_ready, there, wait) {
        Ended::Done(()) => Waited::Ready,
        Ended::Late => Waited::GaveUp,
        Ended::Interrupted => Waited::Interrupted,
    }
}

/// Performs one event on a channel, see [`wait`]. `timed`: the thread gives up where nothing else
/// can go on; `limited`: because its call has a limit.
fn event(number: usize, thresholds: u64, timed: bool, limited: bool) -> Turn<()> {
    let me = usize::from(engine::thread().0);
    channels().change(|all| all.standing[me] = number as u16 + 1);
    let decision = engine::perform(Operation {
        object: object::channel(number),
        argument: thresholds,
        timed,
        again: limited && early::is_possible(),
        ..engine::operation(Event::Channel)
    });
    match decision.alternative {
        TIMEOUT => Turn::GaveUp,
        AGAIN => Turn::Again,
        _ => Turn::Done(()),
    }
}

/// Returns what a thread stands before: 1 + number of the channel of its [`Event::Channel`].
pub fn standing(thread: ThreadId) -> u16 {
    channels().look(|all| all.standing[usize::from(thread.0)])
}

/// Returns whether the bell of a thread rings.
fn rings(thread: ThreadId) -> bool {
    channels().look(|all| all.ringing.contains(thread))
}

/// Returns the levels of what [`standing`] told, for the search, after the event.
pub fn levels_of(standing: u16) -> u64 {
    let number = usize::from(standing) - 1;
    if let Some(file) = number.checked_sub(LOCKS) {
        return overlay::locks::levels(file);
    }
    match number.checked_sub(CHANNELS) {
        None => channel(number).levels(number),
        Some(thread) => u64::from(rings(ThreadId(thread as u16))),
    }
}

/// Returns whether another thread stands before an event on the channel.
pub fn is_used_by_others(number: usize) -> bool {
    let me = usize::from(engine::thread().0);
    // SAFETY: the engine's state lies in the world, which is mapped; this is a plain read, and no
    // other fiber runs.
    let live = unsafe { (*world()).engine.live };
    // SAFETY: the world is mapped, and `t` is the number of a live thread; this is a plain read of
    // what another fiber published.
    let pending = |t: usize| unsafe { (*world()).threads[t].fiber.pending };
    let others = live.iter().map(|thread| usize::from(thread.0));
    { others }.any(|t| {
        t != me
            && match late::awaits(ThreadId(t as u16)) {
                true => late::awaits_in(ThreadId(t as u16)) == Event::Channel as u8,
                false => pending(t) == Event::Channel as u8,
            }
            && usize::from(standing(ThreadId(t as u16))) == number + 1
    })
}

/// What a change of a channel has to be followed by.
#[must_use]
pub struct Change {
    pollers: ThreadMask,
}

/// Applies a change, in the step of the event on the channel, or of one that conflicts with it.
pub fn change<T>(number: usize, apply: impl FnOnce() -> T) -> (T, Change) {
    let (levels, activity) = (channel(number).levels(number), channel(number).activity);
    let result = apply();
    let after = channel(number).levels(number);
    let is_more = (0..4).any(|k| (after >> (16 * k)) & 0xffff > (levels >> (16 * k)) & 0xffff);
    let mut pollers = ThreadMask::EMPTY;
    if is_more || channel(number).activity != activity {
        pollers = take_pollers(number);
    }
    (result, Change { pollers })
}

impl Change {
    /// A change of nothing, which nobody waits for.
    pub const NONE: Change = Change {
        pollers: ThreadMask::EMPTY,
    };

    /// Makes a change of a channel that these threads wait for.
    pub const fn of(pollers: ThreadMask) -> Change {
        Change { pollers }
    }

    /// Rings, in events of their own.
    pub fn tell(self) {
        for thread in self.pollers.iter() {
            wait(CHANNELS + usize::from(thread.0), 0);
            channels().change(|all| all.ringing.insert(thread));
        }
    }
}

/// Waits for the running thread's bell. `timed`: as of [`Terms`].
pub fn wait_for_bell(timed: bool) -> Waited {
    wait_for_bell_in(Terms {
        timed,
        restarts: Restarts::Never,
        had_effect: false,
    })
}

/// Waits for the running thread's bell, in a call that is prepared for what `terms` say.
pub fn wait_for_bell_in(terms: Terms) -> Waited {
    let me = engine::thread();
    let bell = CHANNELS + usize::from(me.0);
    let waited = wait_within(bell, thresholds(0, 1, NEVER), terms);
    if waited == Waited::Ready {
        if !rings(me) {
            would_hang();
        }
        channels().change(|all| all.ringing.remove(me));
    }
    waited
}

/// Ends as unsupported an event that came back although what it waits for has not come: the process
/// is ending.
pub fn would_hang() -> ! {
    engine::unsupported("waiting for a descriptor while the process ends")
}

/// Publishes the running thread's clock for those that read what it wrote to the channel.
fn release(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, object::channel(number).0);
    }
}

/// Orders the running thread after those that wrote what it reads from the channel.
fn acquire(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.acquire(thread, object::channel(number).0);
    }
}

/// Returns whether a blocked thread waits for what another has closed. No fiber runs.
pub fn is_closed(operation: &Operation) -> bool {
    let number = operation.object.0 as u32 as usize;
    number < CHANNELS && channel(number).kind == Kind::Free
}

/// Returns what a blocked thread waits for, in words. No fiber runs.
pub fn describe_wait(operation: &Operation) -> &'static str {
    let number = operation.object.0 as u32 as usize;
    if number >= LOCKS {
        return "for the lock of a file";
    }
    if number >= CHANNELS {
        return match overlay::ranges::waits(number - CHANNELS) {
            true => "for the lock of a range of a file",
            false => "for a descriptor to be ready",
        };
    }
    let waits_for = |k: u32| (operation.argument >> (16 * k)) & 0xffff < GONE;
    match (waits_for(0) || waits_for(2), waits_for(1) || waits_for(3)) {
        (true, false) => "for something to read",
        (false, true) => "for room to write",
        _ => "for a descriptor to be ready",
    }
}

/// Returns the channel of a timer.
pub fn of_timer(number: usize) -> Option<usize> {
    let is_its =
        |channel: &Channel| channel.kind != Kind::Free && usize::from(channel.timer) == number;
    channels().look(|all| all.channels.iter().position(is_its))
}

/// Lets the timer of a channel expire, in the step of an event on the channel.
pub fn expire(number: usize) {
    release(number);
    let ((), change) = change(number, || {
        held(number).change(|channel| {
            channel.count += 1;
            channel.activity[0][0] += 1;
        });
    });
    change.tell();
}

/// Returns the name of a channel in reports.
pub fn name(number: usize) -> String {
    if let Some(file) = number.checked_sub(LOCKS) {
        return format!("lock of file {file}");
    }
    match number.checked_sub(CHANNELS) {
        None => format!("channel {number}"),
        Some(thread) => format!("descriptors that thread {thread} waits for"),
    }
}
