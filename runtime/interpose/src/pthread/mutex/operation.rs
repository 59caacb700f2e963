//! What a call on a mutex is to the model, and what it is judged by before the root.

use super::kind::{check, kind, kind_word, DESTROYED};
use crate::engine::{self, object};
use crate::pthread::{destroyed, misuse_before_root, valid};
use ::libc::pthread_mutex_t;
use dpor_model::{mutex_kind, Argument, Kind, Operation};

/// Returns the operation `what` on a mutex.
pub(super) unsafe fn operation(what: Kind, mutex: *mut pthread_mutex_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::mutex(mutex as usize);
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    operation.argument = Argument::mutex(unsafe { kind(mutex) });
    operation
}

/// Returns the operation `what` on a mutex that exists.
pub(super) unsafe fn use_of(what: Kind, mutex: *mut pthread_mutex_t) -> Operation {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe {
        let operation = operation(what, mutex);
        check(mutex);
        if kind_word(mutex).read() != DESTROYED {
            destroyed::made_anew(Operation {
                kind: Kind::MutexInit,
                ..operation
            });
        }
        operation
    }
}

/// Judges a call before the root. `must`: whether its caller must hold the mutex, or must not.
pub(super) unsafe fn judge_before_root(mutex: *mut pthread_mutex_t, must: Option<bool>) {
    misuse_before_root::explore_if(|| {
        let object = object::mutex(mutex as usize);
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        let (kind, word) = unsafe { (kind(mutex), kind_word(mutex).read()) };
        if word == DESTROYED || !valid::is_mutex_kind(word) {
            return true;
        }
        destroyed::was_made_anew(object);
        // The other kinds say that the caller does not hold them.
        let matters = |&must: &bool| kind == mutex_kind::NORMAL || !must;
        must.filter(matters)
            .is_some_and(|must| misuse_before_root::is_held_wrongly(object, must))
    });
}
