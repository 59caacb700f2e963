//! Semaphores and barriers that were initialized before the root, and all objects that were destroyed.
//!
//! The object model starts with nothing initialized. Mutexes, condition variables and read-write locks
//! may come into being without a call; semaphores and barriers may not, so the model is told of those that
//! exist. Of what was destroyed it is told, too, so that a use is one of a destroyed object.

use crate::engine::{self, object};
use crate::world::{self, rolled_back};
use dpor_model::{Argument, ObjectId, Operation, SiteId};

/// Number of objects that are remembered, at most.
const OBJECTS_MAX: usize = 1024;

/// Semaphores, barriers and destroyed objects at the root. All zero at first.
#[repr(C)]
pub(crate) struct ObjectsAtRoot {
    objects: [ObjectId; OBJECTS_MAX],
    /// Barriers: for how many threads. Semaphores: not used, their memory tells. Or [`DESTROYED`].
    arguments: [u64; OBJECTS_MAX],
    count: usize,
    /// Whether there was no place for an object.
    lost: bool,
}

/// Instead of a number of threads.
const DESTROYED: u64 = u64::MAX;

rolled_back!(static MADE: RolledBack<ObjectsAtRoot> = world::OBJECTS_AT_ROOT);

fn made() -> *mut ObjectsAtRoot {
    MADE.get()
}

/// Notes that an object was initialized, before the root.
pub fn add(object: ObjectId, argument: u64) {
    // SAFETY: before the root there is one thread and nothing switches; the borrow ends here.
    let made = unsafe { &mut *made() };
    let known = made.objects[..made.count].iter().position(|&o| o == object);
    let at = match known {
        Some(at) => at,
        None if made.count == OBJECTS_MAX => {
            // A use of a destroyed object that is not known is one of an object like any other.
            let forgettable = made.arguments.iter().position(|&a| a == DESTROYED);
            match forgettable.filter(|_| argument != DESTROYED) {
                Some(at) => at,
                None => {
                    made.lost |= argument != DESTROYED;
                    return;
                }
            }
        }
        None => {
            made.count += 1;
            made.count - 1
        }
    };
    (made.objects[at], made.arguments[at]) = (object, argument);
}

/// Notes that an object was destroyed, before the root.
pub fn destroyed(object: ObjectId) {
    add(object, DESTROYED);
}

/// Returns what is known of an object, before the root: the number of threads of a barrier, 0 for a
/// semaphore, [`DESTROYED`] for what was destroyed.
fn find(object: ObjectId) -> Option<u64> {
    // SAFETY: the list lies in the world; before the root there is one thread, and the borrow ends
    // with this function.
    let made = unsafe { &*made() };
    let at = made.objects[..made.count]
        .iter()
        .position(|&o| o == object)?;
    Some(made.arguments[at])
}

/// Returns the argument with which a semaphore or barrier was initialized, if it was and is not
/// destroyed.
pub fn exists(object: ObjectId) -> Option<u64> {
    find(object).filter(|&argument| argument != DESTROYED)
}

/// Returns whether an object was destroyed before the root, and not initialized since.
pub fn is_destroyed(object: ObjectId) -> bool {
    find(object) == Some(DESTROYED)
}

/// Objects that are no more, or of which the model needs to know nothing.
pub fn forget(which: impl Fn(ObjectId) -> bool) {
    // SAFETY: the list lies in the world; before the root there is one thread, and the borrow ends
    // with the loop.
    let made = unsafe { &mut *made() };
    let mut at = 0;
    while at < made.count {
        if which(made.objects[at]) {
            made.count -= 1;
            made.objects[at] = made.objects[made.count];
            made.arguments[at] = made.arguments[made.count];
        } else {
            at += 1;
        }
    }
}

/// Returns the operations by which the search is told of all these objects.
pub fn all() -> Vec<Operation> {
    // SAFETY: plain reads; nobody writes these fields after the root.
    let made = unsafe { &*made() };
    let objects = made.objects[..made.count].iter();
    objects
        .zip(&made.arguments)
        .flat_map(|(&object, &argument)| told(object, argument))
        .collect()
}

/// Returns the operations that make an object what it is.
fn told(object: ObjectId, argument: u64) -> Vec<Operation> {
    let (init, destroy) = object::life(object);
    let operation = |kind, count| Operation {
        object,
        argument: Argument::count(count),
        ..Operation::new(kind, SiteId::UNKNOWN)
    };
    let address = object::address(object).unwrap_or(0) as usize;
    match (argument, init) {
        (DESTROYED, _) => vec![operation(init, 1), operation(destroy, 0)],
        _ if object::is_semaphore(object) => {
            let count = count_in_memory(address);
            vec![operation(init, count)]
        }
        _ => vec![operation(init, argument)],
    }
}

/// Returns the value that libc's functions count up to the root: the low half of a semaphore's
/// first word.
fn count_in_memory(address: usize) -> u64 {
    // SAFETY: the semaphore at `address` was initialized and not destroyed; at the root only thread
    // 0 runs.
    unsafe { (address as *const u32).read() }.into()
}

/// Ends the exploration as unsupported, at the root, if there was no place for an object.
pub(crate) fn at_root() {
    // SAFETY: the list lies in the world, which is mapped; this is a plain read on the only thread.
    if unsafe { (*made()).lost } {
        engine::unsupported(
            "more than 1024 semaphores and barriers when the second thread is created",
        );
    }
}
