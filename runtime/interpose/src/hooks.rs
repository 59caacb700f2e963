//! What the pass inserts calls to: memory accesses (see `dpor_abi::hook` for the table).
//!
//! Atomic and volatile accesses are events: publish, wait, perform, note the cells before and
//! after. Plain ones are judged by the race detector and are no scheduling points, unless
//! `--plain=explore`. Outside exploration every hook is the access itself.
//!
//! | part | what |
//! |---|---|
//! | [`atomic`], [`plain_hooks`] | the hooks of accesses |
//! | [`event`], [`plain`] | what an access is: an event, or judged by happens-before |
//! | [`crate::engine::accesses`] | what the search must know of the memory that accesses touch |
//! | here | the hooks of fences and inline assembly |

use crate::engine;
use crate::engine::runtime::CALL_SITE;
use core::sync::atomic::Ordering;
use dpor_abi::order;
use dpor_model::SiteId;
pub(crate) use options::plain_is_explored;
use race::report;

pub(crate) mod atomic;
pub(crate) mod awaiting;
pub(crate) mod clean_entry;
mod event;
mod frames;
pub(crate) mod futex_word;
pub(crate) mod library_calls;
mod native;
mod operator;
pub(crate) mod options;
pub(crate) mod plain;
pub(crate) mod plain_hooks;
mod race;
mod rounds;

/// Fence: no event under sequential consistency, but it orders what the race detector judges.
#[no_mangle]
pub extern "C" fn __dpor_fence(order: u32, single_thread: u32, _site: SiteId) {
    if single_thread != 0 {
        return core::sync::atomic::compiler_fence(Ordering::SeqCst);
    }
    if !engine::active() {
        return core::sync::atomic::fence(Ordering::SeqCst);
    }
    if let Some((mut races, thread)) = engine::races() {
        races.fence(thread, order);
    }
}

/// Ends the execution: a lock that is held for a few instructions was found taken. The execution in
/// which this thread comes after the unlock is another one, so this one ends here.
#[no_mangle]
pub extern "C" fn __dpor_spin() {
    if engine::active() && !engine::is_inside_event() {
        engine::dead();
    }
    let native = real!(sched_yield: fn() -> core::ffi::c_int);
    // SAFETY: libc's function takes no arguments.
    unsafe { native() };
}

/// Tells of a memory operand of inline assembly, about to be used: a sequentially consistent
/// read-modify-write.
#[no_mangle]
pub extern "C" fn __dpor_assembly_access(address: u64, bytes: u64, site: SiteId) {
    if plain::is_unjudged(address, bytes, true, site) {
        return;
    }
    let site = engine::call_stacks::here(site);
    plain::explore_both(address, bytes, site);
    if let Some((mut races, thread)) = engine::races() {
        for (at, width) in plain::pieces(address, bytes) {
            report(races.atomic_rmw(thread, at, width, order::SEQ_CST, site));
        }
    }
}

/// Inline assembly that reaches memory in a way that cannot be seen.
#[no_mangle]
pub extern "C" fn __dpor_assembly_unknown(site: SiteId) {
    if engine::active() && engine::has_company() {
        CALL_SITE.set(site);
        engine::unsupported("inline assembly");
    }
    crate::engine::accesses::uninstrumented::reads_anything();
}
