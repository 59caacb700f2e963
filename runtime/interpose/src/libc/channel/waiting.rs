//! Waiting for a channel to be ready, or for the bell of the running thread.

use super::event::{event, levels_of, rings, standing};
use super::level::{thresholds, NEVER};
use super::table::{channels, CHANNELS};
use crate::engine;
use crate::pthread::cancel;
use crate::pthread::signal::interrupt::{self, Ended, Restarts, There, Turn};
use crate::pthread::signal::late;
use crate::world::world;
use dpor_model::{Kind as Event, ThreadId, AGAIN, TIMEOUT};

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

/// Waits as [`super::wait`], in a call that signal handlers, requests to end and time-outs may end.
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
        let alternative = event(number, thresholds, timed, terms.timed);
        cancel::end_blocking();
        match alternative {
            TIMEOUT => Turn::GaveUp,
            AGAIN => Turn::Again,
            _ => Turn::Done(()),
        }
    };
    let there = || is_ready().map_or(There::No, There::Done);
    match interrupt::wait(terms.restarts, terms.timed, is_ready, there, wait) {
        Ended::Done(()) => Waited::Ready,
        Ended::Late => Waited::GaveUp,
        Ended::Interrupted => Waited::Interrupted,
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
