//! What happens before what by way of a channel, for the race detector.

use crate::engine::{self, object};

/// Publishes the running thread's clock for those that read what it wrote to the channel.
#[inline(never)]
pub(super) fn release(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, object::channel(number).0);
    }
}

/// Orders the running thread after those that wrote what it reads from the channel.
#[inline(never)]
pub(super) fn acquire(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.acquire(thread, object::channel(number).0);
    }
}
