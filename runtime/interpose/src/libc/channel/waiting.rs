//! Waiting for a channel to be ready, or for the bell of the running thread.

use super::level::{thresholds, NEVER};
use super::table::{channel, channels, CHANNELS};
use crate::engine::{self, early, object};
use crate::libc::overlay;
use crate::pthread::cancel;
use crate::pthread::signal::interrupt::{self, Ended, Restarts, There, Turn};
use crate::pthread::signal::late;
use crate::world::{world, THREADS_MAX};
use dpor_explorer::program::{Kind as Event, Operation, ThreadId, AGAIN, TIMEOUT};

/// Numbers of locks of files ([`overlay::locks`]), which the search takes for channels, from here on.
/// Those between are bells.
pub const LOCKS: usize = CHANNELS + THREADS_MAX;

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
        return overlay::lock_levels::levels(file);
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
