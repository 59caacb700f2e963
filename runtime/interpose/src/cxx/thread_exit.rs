//! `promise::set_value_at_thread_exit` and its like: a state that is made ready when its thread ends.
//!
//! libstdc++.so keeps a list for each thread, in a key, whose destructor calls what each entry says. An
//! entry of a promise holds a `weak_ptr` of the state; it locks it, stores that the state is ready, with
//! release, wakes whoever waits, and lets go of it. Here an entry calls [`make_ready`] instead, which makes
//! the same accesses as events, empties the entry, and leaves to the library what is left: to delete it.
//!
//! `notify_all_at_thread_exit` needs nothing: it unlocks a mutex and notifies by functions that the
//! runtime has.
//!
//! Source: libstdc++, `src/c++11/future.cc`, `bits/shared_ptr_base.h`, `bits/atomic_futex.h`.

use crate::engine;
use crate::hooks::atomic::{__dpor_cas4, __dpor_load4, __dpor_rmw4};
use crate::state::Kept;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_abi::{order, rmw};

/// Function that an entry of the list has called at the end of the thread.
type Callback = unsafe extern "C" fn(*mut MakeReady);

/// `_State_baseV2::_Make_ready`.
#[repr(C)]
struct MakeReady {
    next: *mut MakeReady,
    callback: Callback,
    /// The `weak_ptr`: the state, and who counts its owners.
    state: *mut State,
    owners: *mut Owners,
}

/// `_State_baseV2`, as far as it matters.
#[repr(C)]
struct State {
    virtual_table: usize,
    result: usize,
    /// Whether the state is ready ([`READY`]), and whether anybody waits ([`WAITERS`]).
    status: u32,
}

/// `_Sp_counted_base`. All weak pointers are one owner of it, if there are owners of the state.
#[repr(C)]
struct Owners {
    virtual_table: *const OwnersTable,
    uses: u32,
    weak: u32,
}

#[repr(C)]
struct OwnersTable {
    destructors: [usize; 2],
    /// Function that destroys the state.
    dispose: unsafe extern "C" fn(*mut Owners),
    /// Function that destroys the counters.
    destroy: unsafe extern "C" fn(*mut Owners),
}

const READY: u32 = 1;
const WAITERS: u32 = 1 << 31;

/// What the library's entries call.
static LIBRARYS: Kept<AtomicPtr<()>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// `_Make_ready::_M_set()`: makes the entry part of the thread's list.
///
/// # Safety
/// `entry` is writable until the thread ends, and the library fills it in.
#[no_mangle]
unsafe extern "C" fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(
    entry: *mut MakeReady,
) {
    let set = real!(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv: fn(*mut MakeReady));
    // SAFETY: the library's function gets the entry as it came, and fills it in.
    unsafe { set(entry) };
    if engine::active() || engine::before_root() {
        // SAFETY: the library has filled in the entry.
        let library = unsafe { (*entry).callback };
        LIBRARYS.store(library as *mut (), Ordering::Relaxed);
        // SAFETY: the entry was filled in by the library, and is the running thread's own until the
        // thread ends.
        unsafe { (*entry).callback = make_ready };
    }
}

/// Makes a state ready at the end of the running thread, in place of the library's function.
unsafe extern "C" fn make_ready(entry: *mut MakeReady) {
    if engine::active() {
        // SAFETY: an entry that `_M_set` got; it holds a weak pointer, and whoever owns the state owns the
        // counters.
        unsafe {
            let (state, owners) = ((*entry).state, (*entry).owners);
            if !owners.is_null() {
                if lock(owners) {
                    store_ready(state);
                    let_go(owners);
                }
                (*entry).state = ptr::null_mut();
                (*entry).owners = ptr::null_mut();
                let_go_weakly(owners);
            }
        }
    }
    let library = LIBRARYS.load(Ordering::Relaxed);
    // SAFETY: stored by `_M_set`, before there was an entry that calls this.
    unsafe { core::mem::transmute::<*mut (), Callback>(library)(entry) }
}

/// Becomes one more owner of a state, if it has any. Returns whether it did.
///
/// # Safety
/// `owners` points to the counters of a state that has an owner or a weak pointer.
unsafe fn lock(owners: *mut Owners) -> bool {
    let site = engine::site();
    // SAFETY: `owners` points to counters that exist, as this function's caller guarantees; each
    // access is an event.
    unsafe {
        let uses = &raw mut (*owners).uses;
        let mut count = __dpor_load4(uses, order::RELAXED, site);
        while count != 0 {
            let more = count + 1;
            let found = __dpor_cas4(uses, count, more, order::ACQ_REL, order::RELAXED, 1, site);
            if found == count {
                return true;
            }
            count = found;
        }
    }
    false
}

/// Stores that a state is ready, and wakes who waits for it.
///
/// # Safety
/// `state` points to a state, of which the caller is an owner.
unsafe fn store_ready(state: *mut State) {
    let site = engine::site();
    let notify = real!(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj: fn(*mut u32));
    // SAFETY: `state` points to a state that exists, as this function's caller guarantees; each
    // access is an event.
    unsafe {
        let status = &raw mut (*state).status;
        let before = __dpor_rmw4(status, READY, rmw::XCHG, order::RELEASE, 1, site);
        if before & WAITERS != 0 {
            notify(status);
        }
    }
}

/// Counts one owner less. Returns whether it was the last.
///
/// # Safety
/// `count` points to a counter to which the caller contributes one.
unsafe fn is_last(count: *mut u32) -> bool {
    // SAFETY: `count` points to a counter that exists, as this function's caller guarantees.
    unsafe { __dpor_rmw4(count, 1, rmw::SUB, order::ACQ_REL, 1, engine::site()) == 1 }
}

/// # Safety
/// The running thread is one of the owners.
unsafe fn let_go(owners: *mut Owners) {
    // SAFETY: `owners` points to counters that exist, as this function's caller guarantees; the
    // last owner destroys the state.
    unsafe {
        if is_last(&raw mut (*owners).uses) {
            ((*(*owners).virtual_table).dispose)(owners);
            let_go_weakly(owners);
        }
    }
}

/// # Safety
/// The running thread has a weak pointer, or was the last owner.
unsafe fn let_go_weakly(owners: *mut Owners) {
    // SAFETY: `owners` points to counters that exist, as this function's caller guarantees; the
    // last one destroys them.
    unsafe {
        if is_last(&raw mut (*owners).weak) {
            ((*(*owners).virtual_table).destroy)(owners);
        }
    }
}
