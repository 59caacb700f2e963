//! Real threads are made at the root, few at first: a search that needs more learns that, and begins anew with more.
//!
//! A program's thread runs with the stack, the thread-local storage and the descriptor of a real thread. What libc does
//! when such a thread begins must not be part of an execution that is taken back, so it is done at the root, where nobody
//! knows how many will be needed. Each costs 70 µs of processor time, which is much of a check of two threads.
//!
//! The search goes back to the root, where the others are made; that state is the root from then on. Blocks that libc
//! allocates meanwhile are where they would be if the others had been made at once behind the first: addresses do not depend on
//! when it was learnt ([`EventCause::MoreThreads`] is in schedules, so that replays do the same).

use crate::learned_events::{self, EventCause};
use crate::native::Native;
use crate::{forked, loaded, process, root_memory};
use core::ffi::{c_int, c_void};
use dpor_abi::options::{Options, FIRST_THREADS};
use dpor_explorer::Program;
use dpor_machine::fiber::{borrow, Area};
use dpor_machine::thread_limit;
use dpor_model::{ThreadId, ROOT};

/// Makes those with which exploration begins.
pub fn at_root(options: &Options) -> Vec<Area> {
    let room = thread_limit::get();
    let create = create();
    let first = match thread_limit::is_many() {
        true => room,
        false => FIRST_THREADS,
    };
    // SAFETY: `create` is libc's own `pthread_create`, not the runtime's function of that name.
    let areas = unsafe { borrow::borrow(first, room, create) };
    let mut areas = areas.unwrap_or_else(|| refuse());
    if options.is_by_states() {
        make(&mut areas);
    }
    areas
}

/// The search begins anew: makes more if that is known to be needed, and not done. On the engine's context.
pub fn as_learnt(native: &mut Native) {
    if at_beginning(native) && forked::is_used(&native.rt().options) {
        forked::take(0);
    }
}

/// The same where exploration begins, before the root is held. Whether more were made.
pub fn at_beginning(native: &mut Native) -> bool {
    let rt = native.rt();
    let is_due =
        rt.areas.len() < thread_limit::get() && learned_events::knows(EventCause::MoreThreads);
    if !is_due || rt.stop.is_some() {
        return false;
    }
    native.restore(ROOT);
    let rt = native.rt();
    // Blocks belong to the thread that allocates them.
    rt.current = ThreadId::MAIN;
    if let Some(snapshots) = &mut rt.snapshots {
        snapshots.retire();
    }
    make(&mut rt.areas);
    root_memory::save(rt, &loaded::maps());
    true
}

fn make(areas: &mut Vec<Area>) {
    let create = create();
    // SAFETY: `create` is libc's own `pthread_create`. Nobody used the threads' memory, or it was taken back to the root.
    if areas.len() < thread_limit::get() && !unsafe { borrow::borrow_more(areas, create) } {
        refuse();
    }
}

fn refuse() -> ! {
    process::refuse("the system does not allow the threads that the checker needs")
}

fn create() -> borrow::PthreadCreate {
    crate::real!(pthread_create: fn(*mut libc::pthread_t, *const libc::pthread_attr_t,
        extern "C" fn(*mut c_void) -> *mut c_void, *mut c_void) -> c_int)
}
