//! Semaphores of the runtime's own, on which threads wait for each other: for the end of a thread, for a signal, for a
//! request to end, for a timer. Each is there from the start, with count 0, and is never destroyed.

use crate::operation;
use dpor_model::{semaphore, Kind, ObjectId, Operation};

/// Blocks until somebody has posted; takes one post.
pub fn wait(object: ObjectId) -> Operation {
    on(object, Kind::SemWait)
}

/// The operation that posts to the semaphore once.
pub fn post(object: ObjectId) -> Operation {
    on(object, Kind::SemPost)
}

/// Looks whether somebody has posted.
pub fn look(object: ObjectId) -> Operation {
    on(object, Kind::SemGetvalue)
}

/// True if an operation waits for a post of a semaphore, the runtime's own or one of the program's.
pub fn is_wait(operation: &Operation) -> bool {
    operation.kind == Kind::SemWait
}

/// True if an operation posts a semaphore.
pub fn is_post(operation: &Operation) -> bool {
    operation.kind == Kind::SemPost
}

fn on(object: ObjectId, kind: Kind) -> Operation {
    Operation {
        object,
        argument: semaphore::THERE,
        ..operation(kind)
    }
}
