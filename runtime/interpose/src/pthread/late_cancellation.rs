//! Waits for a semaphore that a request to end ends, although only a time-out led to the request.
//!
//! The thread tries the semaphore, and if that fails asks to be told of posts, in the same event; a post does
//! not commute with it. Then it waits for an object of its own. Who posts tells it, in an event after the post, and
//! so does who asks it to end; it then looks again for both. Another thread may have taken the count by then.

use super::cancel::{is_possible, post};
use super::{entry, me};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::object;
use crate::thread_mask::ThreadMask;
use crate::world::world;
use dpor_model::ThreadId;

/// Returns whether the running thread can be cancelled, and its waits have to be such that a
/// request ends them.
pub fn ends_waits() -> bool {
    is_possible() && learned_events::knows(EventCause::LateRequests)
}

/// Notes that the running thread wants to be told of posts of the semaphore at an address, or no
/// more (0); in the step of an event on it that does not commute with a post.
pub fn listen(semaphore: usize) {
    // SAFETY: the entry in the world is the running thread's own; whoever posts reads it in the
    // step of its event.
    unsafe { (*me()).cancel.semaphore = semaphore };
}

/// Returns whether the running thread wants to be told of posts of a semaphore.
pub fn listens() -> bool {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).cancel.semaphore != 0 }
}

/// Tells those that [`listen`] of a post of the running thread's, in this step, on the semaphore at
/// an address.
pub fn posted(semaphore: usize) {
    if !learned_events::knows(EventCause::LateRequests) {
        return;
    }
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let listens = |t: ThreadId| unsafe { (*entry(t)).cancel.semaphore == semaphore };
    // SAFETY: a plain read of the world.
    let live = unsafe { (*world()).engine.live };
    let told: ThreadMask = live.iter().filter(|&t| listens(t)).collect();
    told.iter().for_each(|thread| post(object::request(thread)));
}
