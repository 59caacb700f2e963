//! Stores of a thread to its own stack, in a turn of a loop that may be as the last.
//!
//! A turn that stores to memory that others know is none in vain (docs/decisions/0067). In code without optimization
//! much is stored that is gone, or what it was, when the turn ends: a `std::lock_guard` in the loop, or in a
//! function that the loop calls, keeps a pointer to its mutex. So what the thread's own stack held before a turn's first
//! store to a word of it is kept, and compared when the turn ends. Memory that is no longer part of the stack then,
//! below the frame of the loop, does not matter.

mod kept;

use crate::engine;
use crate::engine::accesses::repeated;
use crate::pthread::me;
pub use kept::OwnStackStores;

/// Keeps what is in the place of a store that the running thread is about to make. False: perhaps
/// it is a change that lasts.
#[cold]
pub fn keep(address: u64, bytes: u64) -> bool {
    let (low, size) = engine::stack_of(engine::thread());
    let (low, high) = (low as u64, (low + size) as u64);
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let own = unsafe { &mut (*me()).own_stack_stores };
    low <= address && bytes <= high - low && address <= high - bytes && own.keep(address, bytes)
}

/// Returns whether the turn that ends changed something that lasts, at the head of a loop; see
/// [`OwnStackStores::changed`].
pub fn turn_ends(of: u64, above: u64, again: bool) -> bool {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).own_stack_stores.changed(of, above, again) }
}

/// Notes that a turn of this loop begins.
pub fn turn_begins(of: u64) {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let own = unsafe { &mut (*me()).own_stack_stores };
    (own.of, own.count) = (of, 0);
    // What it stored before it stores anew.
    repeated::forget_all();
}
