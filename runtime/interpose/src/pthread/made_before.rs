//! Semaphores and barriers that were initialized before the root.
//!
//! The object model starts with nothing initialized. Mutexes, condition variables and read-write locks
//! may come into being without a call; these two may not, so the model is told of those that exist.

use crate::engine::{self, object};
use crate::world::world;
use dpor_explorer::program::{Kind, ObjectId, Operation};

/// So many are remembered.
const OBJECTS_MAX: usize = 1024;

/// All of them. All zero at first.
#[repr(C)]
pub(crate) struct Made {
    objects: [ObjectId; OBJECTS_MAX],
    /// Barriers: for how many threads. Semaphores: not used, their memory tells.
    arguments: [u64; OBJECTS_MAX],
    count: usize,
    /// There was no place for one.
    lost: bool,
}

fn made() -> *mut Made {
    // SAFETY: the world is mapped.
    unsafe { &raw mut (*world()).pthread.made_before }
}

/// The object was initialized, before the root.
pub fn add(object: ObjectId, argument: u64) {
    // SAFETY: before the root there is one thread and nothing switches; the borrow ends here.
    let made = unsafe { &mut *made() };
    let known = made.objects[..made.count].iter().position(|&o| o == object);
    let at = match known {
        Some(at) => at,
        None if made.count == OBJECTS_MAX => {
            made.lost = true;
            return;
        }
        None => {
            made.count += 1;
            made.count - 1
        }
    };
    (made.objects[at], made.arguments[at]) = (object, argument);
}

/// It was destroyed, before the root. Whether it had been initialized.
pub fn remove(object: ObjectId) -> bool {
    // SAFETY: as in `add`.
    let made = unsafe { &mut *made() };
    let Some(at) = made.objects[..made.count].iter().position(|&o| o == object) else {
        return false;
    };
    made.count -= 1;
    made.objects[at] = made.objects[made.count];
    made.arguments[at] = made.arguments[made.count];
    true
}

/// As the search is told of them.
pub fn all() -> Vec<Operation> {
    // SAFETY: plain reads; nobody writes these fields after the root.
    let made = unsafe { &*made() };
    let objects = made.objects[..made.count].iter();
    let init = |(&object, &argument): (&ObjectId, &u64)| {
        let address = object::address(object).unwrap_or(0) as usize;
        let (kind, argument) = match object == object::barrier(address) {
            true => (Kind::BarrierInit, argument),
            false => (Kind::SemInit, super::semaphore::count_in_memory(address)),
        };
        Operation {
            object,
            argument,
            ..Operation::new(kind, 0)
        }
    };
    objects.zip(&made.arguments).map(init).collect()
}

/// Thread 0's first word on them.
pub(super) fn at_root() {
    // SAFETY: plain read.
    if unsafe { (*made()).lost } {
        engine::unsupported(
            "more than 1024 semaphores and barriers when the second thread is created",
        );
    }
}
