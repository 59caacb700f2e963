//! Functions that begin and end, and variables of theirs: the memory they have on the stack ends with them.
//!
//! Only functions have these hooks of which another thread may reach a variable. Most of their frames are of no
//! interest (`dpor_races`, `stacks.rs`), so a hook is little more than two comparisons.

use super::race::report;
use crate::engine::by_states::dead_stack;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::runtime::runtime;
use crate::engine::{self, call_stacks};
use core::arch::naked_asm;
use dpor_model::SiteId;

/// Notes that a function has begun. `top`: the address of its return address. 1: of interest, so
/// that it is to be told of its variables.
#[unsafe(naked)]
#[no_mangle]
pub extern "C" fn __dpor_frame_begin(top: u64, site: SiteId) -> u32 {
    // Its frame ends where the call of this hook begins.
    naked_asm!("lea rdx, [rsp + 8]", "jmp {begins}", begins = sym frame_begins)
}

/// Notes that a function is about to return. 1: of interest, as for its begin.
#[unsafe(naked)]
#[no_mangle]
pub extern "C" fn __dpor_frame_end(top: u64, site: SiteId) -> u32 {
    naked_asm!("lea rdx, [rsp + 8]", "jmp {ends}", ends = sym frame_ends)
}

/// Notes that the running function gives up what it has on the stack below `top`.
#[unsafe(naked)]
#[no_mangle]
pub extern "C" fn __dpor_stack_end(top: u64, site: SiteId) {
    naked_asm!("lea rdx, [rsp + 8]", "jmp {ends}", ends = sym stack_ends)
}

/// Notes that a variable of the running function comes to life.
#[no_mangle]
pub extern "C" fn __dpor_scope_begin(address: u64, bytes: u64, _site: SiteId) {
    if begins(address, address + bytes) {
        begins_anew(address, address + bytes);
    }
}

/// Ends the life of a variable at `address`, of `bytes` bytes.
#[no_mangle]
pub extern "C" fn __dpor_scope_end(address: u64, bytes: u64, site: SiteId) {
    if ends(address, address + bytes) {
        ends_now(address, address + bytes, site);
    }
}

extern "C" fn frame_begins(top: u64, _site: SiteId, low: u64) -> u32 {
    u32::from(begins(low, top))
}

extern "C" fn frame_ends(top: u64, _site: SiteId, low: u64) -> u32 {
    u32::from(ends(low, top))
}

extern "C" fn stack_ends(top: u64, site: SiteId, low: u64) {
    if ends(low, top) {
        ends_now(low, top, site);
    }
}

/// Returns whether the detector has to be told that something begins in `[low, high)`.
#[inline(always)]
fn begins(low: u64, high: u64) -> bool {
    let rt = runtime();
    // SAFETY: if not null, a fiber runs, and nobody else holds a reference (see `runtime`).
    let needs = !rt.is_null() && unsafe { (*rt).races.needs_begin((*rt).current, low, high) };
    dead_stack::forget_scratch();
    needs
}

/// Returns whether the race detector has to be told of the end of the memory from `low` to `high`.
#[inline(always)]
fn ends(low: u64, high: u64) -> bool {
    let rt = runtime();
    // SAFETY: if `rt` is not null, a fiber runs, and nobody else holds a reference (see `runtime`).
    let needs = !rt.is_null() && unsafe { (*rt).races.needs_end((*rt).current, low, high) };
    dead_stack::forget_scratch();
    needs
}

#[cold]
fn begins_anew(low: u64, high: u64) {
    if !engine::active() {
        return;
    }
    if let Some((mut races, thread)) = engine::races() {
        report(races.begin_frame(thread, low, high));
    }
}

#[cold]
fn ends_now(low: u64, high: u64, site: SiteId) {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::FramesLive) {
        return;
    }
    if !engine::active() {
        return;
    }
    if let Some((mut races, thread)) = engine::races() {
        report(races.end_frame(thread, low, high, call_stacks::at_this_moment(site)));
    }
}
