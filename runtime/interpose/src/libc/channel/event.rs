//! The event of a use of a channel, and what the search is told of it.

use super::table::{channel, channels, CHANNELS};
use crate::engine::{self, early, object};
use crate::libc::overlay::lock_levels;
use crate::world::THREADS_MAX;
use dpor_model::{Argument, Kind as Event, Operation, ThreadId};

/// Numbers of locks of files ([`crate::libc::overlay::locks`]), which the search takes for channels, from here on.
/// Those between are bells.
pub const LOCKS: usize = CHANNELS + THREADS_MAX;

/// Performs an event on a channel, which blocks the thread until the channel is as ready as
/// `thresholds` says; 0 does not block.
pub fn wait(number: usize, thresholds: u64) {
    event(number, thresholds, false, false);
}

/// Performs one event on a channel, see [`wait`]. `timed`: the thread gives up where nothing else
/// can go on; `limited`: because its call has a limit. Returns the
/// alternative that was chosen: `TIMEOUT` or `AGAIN` if it gave up.
pub(super) fn event(number: usize, thresholds: u64, timed: bool, limited: bool) -> u32 {
    let me = usize::from(engine::thread().0);
    channels().change(|all| all.standing[me] = number as u16 + 1);
    engine::perform(Operation {
        object: object::channel(number),
        argument: Argument::levels(thresholds),
        timed,
        again: limited && early::is_possible(),
        ..engine::operation(Event::Channel)
    })
    .alternative
}

/// Returns what a thread stands before: 1 + number of the channel of its [`Event::Channel`].
pub fn standing(thread: ThreadId) -> u16 {
    channels().look(|all| all.standing[usize::from(thread.0)])
}

/// Returns whether the bell of a thread rings.
pub(super) fn rings(thread: ThreadId) -> bool {
    channels().look(|all| all.ringing.contains(thread))
}

/// Returns the levels of what [`standing`] told, for the search, after the event.
pub fn levels_of(standing: u16) -> u64 {
    let number = usize::from(standing) - 1;
    if let Some(file) = number.checked_sub(LOCKS) {
        return lock_levels::levels(file);
    }
    match number.checked_sub(CHANNELS) {
        None => channel(number).levels(number),
        Some(thread) => u64::from(rings(ThreadId(thread as u16))),
    }
}
