//! `pthread_key_*`: thread-specific data.
//!
//! The values stay where libc keeps them, in the borrowed thread descriptor and in blocks from
//! `malloc`; both are part of a fiber's saved state. Here is what libc keeps to itself: which
//! destructors to run at the end of a thread.
//!
//! Creating and deleting a key changes a table that all threads share: an event.

use crate::engine::accesses::uninstrumented;
use crate::engine::{self, object};
use crate::world::{self, rolled_back};
use ::libc::pthread_key_t;
use core::ffi::{c_int, c_void};
use core::ptr;
use dpor_model::Kind;

crate::hooks::clean_entry::clean_entries! {
    pthread_key_create, __pthread_key_create, pthread_key_delete
}

/// `PTHREAD_KEYS_MAX`.
const KEYS_MAX: usize = 1024;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS_MAX: usize = 4;

/// A key's destructor, which is called with a thread's value.
pub type Destroy = unsafe extern "C" fn(*mut c_void);

/// Keys that have a destructor.
#[repr(C)]
pub(crate) struct Keys {
    /// Number above all keys that have a destructor.
    end: usize,
    destroy: [Option<Destroy>; KEYS_MAX],
}

rolled_back!(static KEYS: RolledBack<Keys> = world::KEYS);

fn keys() -> *mut Keys {
    KEYS.get()
}

/// Performs an event on the table of keys, which is an object.
fn change_table() {
    if engine::active() {
        let mut operation = engine::operation(Kind::SharedWrite);
        operation.object = object::guard(keys() as usize);
        engine::perform(operation);
    }
}

/// `pthread_key_create`: an event on the table of keys, then libc's function.
///
/// # Safety
/// `key` is writable for a `pthread_key_t`, and `destroy` may be called with what threads store.
pub unsafe extern "C" fn pthread_key_create(
    key: *mut pthread_key_t,
    destroy: Option<Destroy>,
) -> c_int {
    change_table();
    let create = real!(pthread_key_create: fn(*mut pthread_key_t, Option<Destroy>) -> c_int);
    // SAFETY: `key` is writable for a key, as this function's caller guarantees.
    let error = unsafe { create(key, destroy) };
    if error == 0 && (engine::active() || engine::before_root()) {
        // SAFETY: libc's function succeeded, so it wrote the key.
        set(unsafe { *key }, destroy);
    }
    error
}

/// `pthread_key_create` under the name that libstdc++ uses.
///
/// # Safety
/// `key` is writable for a `pthread_key_t`, and `destroy` may be called with what threads store.
pub unsafe extern "C" fn __pthread_key_create(
    key: *mut pthread_key_t,
    destroy: Option<Destroy>,
) -> c_int {
    // SAFETY: `key` is writable for a key, as this function's caller guarantees.
    unsafe { pthread_key_create(key, destroy) }
}

/// `pthread_key_delete`: an event on the table of keys, then libc's function.
///
/// # Safety
/// `key` exists, and no thread needs its destructor any more.
pub unsafe extern "C" fn pthread_key_delete(key: pthread_key_t) -> c_int {
    change_table();
    let delete = real!(pthread_key_delete: fn(pthread_key_t) -> c_int);
    // SAFETY: libc's function takes any number, and gets the program's key as it came.
    let error = unsafe { delete(key) };
    if error == 0 && (engine::active() || engine::before_root()) {
        set(key, None);
    }
    error
}

fn set(key: pthread_key_t, destroy: Option<Destroy>) {
    let key = key as usize;
    // SAFETY: the world is mapped, and nothing switches meanwhile.
    let keys = unsafe { &mut *keys() };
    keys.destroy[key] = destroy;
    if destroy.is_some() {
        keys.end = keys.end.max(key + 1);
    }
}

/// Destroys the running thread's values, in rounds, because a destructor may set values again.
///
/// # Safety
/// The thread is leaving: its values are no longer used by anybody else.
pub(super) unsafe extern "C" fn run_destructors() {
    for _ in 0..ROUNDS_MAX {
        // SAFETY: the running thread is leaving, as this function's caller guarantees, so nobody
        // else uses its values.
        if !unsafe { run_round() } {
            return;
        }
    }
}

/// Runs one round of destructors. Returns whether there was anything to destroy.
unsafe extern "C" fn run_round() -> bool {
    let mut any = false;
    let mut key = 0;
    // SAFETY: the world is mapped. Read anew each time: destructors may create and delete keys.
    while key < unsafe { (*keys()).end } {
        // SAFETY: the world is mapped; the index is below `end`, which is at most KEYS_MAX, and
        // libc knows the key.
        unsafe {
            if let Some(destroy) = (*keys()).destroy[key] {
                let value = ::libc::pthread_getspecific(key as pthread_key_t);
                if !value.is_null() {
                    any = true;
                    ::libc::pthread_setspecific(key as pthread_key_t, ptr::null());
                    uninstrumented::last_call(destroy as *const () as usize);
                    destroy(value);
                }
            }
        }
        key += 1;
    }
    any
}
