//! What C++ compilers call: guards of function-local statics, destructors of `thread_local` objects.
//!
//! A guard is 8 bytes; the first is 1 once the object is constructed, and compiled code reads it (an
//! atomic event) before it calls us. So setting it is a store event on that cell, made while the
//! guard's lock is held. The lock is the runtime's own, as for `pthread_once`.
//!
//! Destructors of created threads are a list of ours, run when the thread ends. Those of thread 0
//! are libc's, which runs them in `exit`.
//!
//! Source: Itanium C++ ABI, 3.3.2 "One-time Construction API" and 3.3.5 "DSO Object Destruction API";
//! glibc's `__cxa_thread_atexit_impl`.

mod destructor;

use crate::engine::accesses::uninstrumented;
use crate::engine::{self, object};
use crate::pthread::{happens_before, locks_at_root, me};
use core::ffi::{c_int, c_void};
pub use destructor::Destructor;
use dpor_model::{mutex_kind, Kind};

crate::hooks::clean_entry::clean_entries! {
    __cxa_guard_acquire, __cxa_guard_release, __cxa_guard_abort
}

/// A guard variable: the byte that compiled code tests.
type Guard = *mut u8;

/// 1: the caller must construct the object, then release or abort. 0: it is constructed.
///
/// # Safety
/// `guard` points to a guard of 8 bytes.
pub unsafe extern "C" fn __cxa_guard_acquire(guard: Guard) -> c_int {
    if engine::before_root() {
        // SAFETY: `guard` is the program's guard of 8 bytes, a variable that lives as long as its
        // module; there is one thread.
        if unsafe { guard.read() } != 0 {
            return 0;
        }
        if !locks_at_root::contains(object::guard(guard as usize)) {
            locks_at_root::add(object::guard(guard as usize), mutex_kind::NORMAL);
            return 1;
        }
        // The initializer needs the object it is constructing: the model reports the deadlock.
        engine::begin();
    }
    if !engine::active() {
        let acquire = real!(__cxa_guard_acquire: fn(Guard) -> c_int);
        // SAFETY: libc++abi's or libstdc++'s function gets the program's guard as it came.
        return unsafe { acquire(guard) };
    }
    locks_at_root::lock_guard(guard as usize);
    // SAFETY: `guard` is the program's guard, which is written only while its lock is held, as it
    // is here.
    if unsafe { guard.read() } != 0 {
        locks_at_root::unlock_guard(guard as usize);
        return 0;
    }
    1
}

/// Notes that the object of a guard is constructed.
///
/// # Safety
/// `guard` points to a guard that the running thread acquired.
pub unsafe extern "C" fn __cxa_guard_release(guard: Guard) {
    if engine::active() {
        let address = guard as usize;
        let mut store = engine::operation(Kind::Store);
        store.object = engine::memory_object(address, 1);
        store.offset = (address % 8) as u8;
        store.bytes = 1;
        store.argument = dpor_model::store::OWN;
        engine::perform(store);
        happens_before::store_release(address, 1);
        // SAFETY: `guard` is the program's, written only by the thread that holds its lock, which
        // this one does; the event is over.
        unsafe { guard.write(1) };
        locks_at_root::unlock_guard(address);
    } else if engine::before_root() {
        // SAFETY: `guard` is the program's guard, a variable that lives as long as its module;
        // there is one thread.
        unsafe { guard.write(1) };
        locks_at_root::remove(object::guard(guard as usize));
    } else {
        let release = real!(__cxa_guard_release: fn(Guard));
        // SAFETY: the library's function gets the program's guard as it came.
        unsafe { release(guard) }
    }
}

/// Construction failed; the next caller tries again.
///
/// # Safety
/// `guard` points to a guard that the running thread acquired.
pub unsafe extern "C" fn __cxa_guard_abort(guard: Guard) {
    if engine::active() {
        locks_at_root::unlock_guard(guard as usize);
    } else if engine::before_root() {
        locks_at_root::remove(object::guard(guard as usize));
    } else {
        let abort = real!(__cxa_guard_abort: fn(Guard));
        // SAFETY: the library's function gets the program's guard as it came.
        unsafe { abort(guard) }
    }
}

/// Remembers the destructor of a `thread_local` object. `library` would keep its shared object
/// loaded; nothing is unloaded while the program is explored.
///
/// # Safety
/// `destroy` may be called with `object` when the thread ends.
#[no_mangle]
pub unsafe extern "C" fn __cxa_thread_atexit_impl(
    destroy: unsafe extern "C" fn(*mut c_void),
    object: *mut c_void,
    library: *mut c_void,
) -> c_int {
    if !engine::active() || engine::thread().0 == 0 {
        let atexit = real!(__cxa_thread_atexit_impl:
            fn(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { atexit(destroy, object, library) };
    }
    // SAFETY: `malloc` takes any size; this one is not 0.
    let node = unsafe { ::libc::malloc(size_of::<Destructor>()) }.cast::<Destructor>();
    if node.is_null() {
        return -1;
    }
    let me = me();
    // SAFETY: the block is ours and large enough; the entry is the running thread's own.
    unsafe {
        node.write(Destructor {
            destroy,
            object,
            next: (*me).destructors,
        });
        (*me).destructors = node;
    }
    0
}

/// Calls the running thread's destructors, last registered first; new ones may be added meanwhile.
///
/// # Safety
/// The thread's function has returned or was left.
pub unsafe extern "C" fn run_destructors() {
    let me = me();
    // SAFETY: the running thread's own list; every node came from malloc above.
    unsafe {
        while !(*me).destructors.is_null() {
            let node = (*me).destructors;
            let Destructor {
                destroy,
                object,
                next,
            } = node.read();
            (*me).destructors = next;
            ::libc::free(node.cast());
            uninstrumented::last_call(destroy as *const () as usize);
            destroy(object);
        }
    }
}
