//! Synchronization objects are memory, too.
//!
//! To the race detector, a call on an object is an atomic read of its first bytes: no two calls race,
//! but a call races with a plain write that is not ordered with it, such as an assignment of an
//! initializer, a `memset`, or the `free` of the memory. Making an object and destroying it writes all
//! of its bytes, as any plain write does.
//!
//! The access is made when the call is granted and before the call orders anything: a lock has no part
//! in ordering its own call after the initialization, and an unlock is over for whoever locks next. A lock
//! is remembered only behind what it orders, see `Races::lock_object`.
//! A wait on a condition variable touches it when it begins, and not when it is woken: POSIX lets who
//! has woken all waiters destroy it at once. The same goes for barriers.
//!
//! That no event of the search stands for the plain write loses no race. Whether two accesses are
//! ordered is a matter of what the calls order, which is the same in all executions of a class, and
//! the search visits every class.
//!
//! Source: POSIX.1-2017, XBD 4.12 and `pthread_cond_destroy`, `pthread_mutex_destroy`, `sem_destroy`.

use super::happens_before::note_order;
use super::semaphore_names;
use crate::annotations;
use crate::engine::{self, early, object};
use dpor_explorer::kinds;
use dpor_model::{Decision, Kind, ObjectId, Operation, AGAIN, TIMEOUT};
use dpor_races::Race;

/// Bytes at the beginning of an object that stand for it in a call: one word, which every way to make
/// it anew or to free it writes.
const BYTES_OF_USE: u64 = 8;

/// Publishes an operation on the object and waits for its turn, as [`fn@engine::perform`], and tells the
/// race detector of the access.
#[inline(always)]
pub fn perform(operation: Operation) -> Decision {
    // Nothing but the numbers is kept over the switch: what lies on the stack there is copied at
    // every restore.
    let (kind, object, other) = (operation.kind, operation.object, operation.other);
    let decision = engine::perform(operation);
    performed(kind, object, other, decision.result == 0);
    decision
}

/// Performs, as [`perform`], an operation that may wait with a limit; see [`early::wait`].
pub fn perform_within(operation: Operation, leave: impl FnOnce() -> bool) -> Decision {
    early::wait(operation, perform_or_decide, leave)
}

/// Performs, as [`perform`], an operation that may come to nothing ([`AGAIN`]), which then is no
/// access.
pub fn perform_or_decide(operation: Operation) -> Decision {
    let decision = engine::perform(operation);
    if decision.alternative != AGAIN {
        let succeeded = decision.result == 0;
        performed(operation.kind, operation.object, operation.other, succeeded);
    }
    decision
}

/// Performs, as [`perform`], an operation that waits for a lock. If the running thread gets the
/// lock, its caller tells of the access by [`lock`].
#[inline(always)]
pub fn perform_lock(operation: Operation) -> Decision {
    let (kind, object, other) = (operation.kind, operation.object, operation.other);
    let decision = engine::perform(operation);
    if decision.alternative == AGAIN {
        return decision;
    }
    if decision.result != 0 || decision.alternative == TIMEOUT {
        performed(kind, object, other, false);
    }
    decision
}

/// Tells of the access of a call with which the running thread got a lock for itself alone, and
/// waited for it.
pub fn lock(object: ObjectId) {
    if let Some((races, me)) = engine::races() {
        lock_besides(races.lockset(me), object);
    }
}

/// Tells of the accesses of a call that took several locks at once, none of them before the others.
pub fn lock_all(objects: impl Iterator<Item = ObjectId>) {
    if let Some((races, me)) = engine::races() {
        let others = races.lockset(me);
        objects.for_each(|object| lock_besides(others, object));
    }
}

/// Tells of the access of a call that took one lock, while the running thread held `others`.
fn lock_besides(others: u32, object: ObjectId) {
    let Some((mut races, me)) = engine::races() else {
        return;
    };
    match place(object) {
        Some((address, bytes)) if !annotations::ignoring() => {
            let word = (address, bytes.min(BYTES_OF_USE));
            if let Some(race) = races.lock_object(me, object.0, word, engine::site()) {
                engine::race(race);
            }
        }
        _ => races.lock(me, object.0),
    }
    if others != 0 {
        note_order(others, object);
    }
}

/// Tells of the accesses of an operation that took place, on an object and perhaps on another, a
/// mutex.
fn performed(kind: Kind, object: ObjectId, other: ObjectId, succeeded: bool) {
    match kind {
        Kind::MutexLock | Kind::MutexUnlock => used(object),
        Kind::BarrierLeave | Kind::RwlockAnnounce | Kind::RwlockRetract => {}
        Kind::CondReacquire => used(other),
        Kind::CondEnqueue => {
            used(object);
            used(other);
        }
        kind if succeeded && kinds::destroys(kind) => written(object, engine::destroyed),
        kind if succeeded && kinds::makes(kind) => written(object, engine::race),
        _ => used(object),
    }
}

/// Returns the address and the bytes of an object. `None`: the object is not in the program's
/// memory.
fn place(object: ObjectId) -> Option<(u64, u64)> {
    let address = object::address(object)?;
    let is_named = object::is_semaphore(object) && semaphore_names::contains(address);
    (!is_named).then(|| (address, object::bytes(object)))
}

/// Tells of the access of the running thread's call on an object.
#[inline(always)]
fn used(object: ObjectId) {
    if let Some((address, bytes)) = place(object) {
        used_at(address, bytes.min(BYTES_OF_USE));
    }
}

/// Tells of the access of a call on an object that lies in the `bytes` bytes at `address`.
pub fn used_at(address: u64, bytes: u64) {
    if annotations::ignoring() {
        return;
    }
    if let Some((mut races, me)) = engine::races() {
        if let Some(race) = races.use_object(me, address, bytes, engine::site()) {
            engine::race(race);
        }
    }
}

/// Tells of the write that makes or destroys `object`; `tell` is told of a race with it.
fn written(object: ObjectId, tell: fn(Race)) {
    if annotations::ignoring() {
        return;
    }
    let (Some((address, bytes)), Some((mut races, me))) = (place(object), engine::races()) else {
        return;
    };
    if let Some(race) = races.write(me, address, bytes, engine::site()) {
        tell(race);
    }
}
