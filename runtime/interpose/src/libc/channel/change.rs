//! Changes of channels, and the bells of the threads that wait for them.

use super::activity::{is_active, READING};
use super::event::wait;
use super::order::release;
use super::table::{channel, channels, held, take_pollers, CHANNELS};
use crate::thread_mask::ThreadMask;

/// What a change of a channel has to be followed by.
#[must_use]
pub struct Change {
    pub(super) pollers: ThreadMask,
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

/// Lets the timer of a channel expire, in the step of an event on the channel.
pub fn expire(number: usize) {
    release(number);
    let ((), change) = change(number, || {
        held(number).change(|channel| channel.count += 1);
        is_active(number, 0, READING);
    });
    change.tell();
}
