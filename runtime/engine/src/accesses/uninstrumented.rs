//! Calls of code without instrumentation: what it reads, nobody sees.
//!
//! A thread is *inside* such a call from the hook before it until instrumented code runs again in the
//! frame that called, or above it. The address of the stack tells: a callback's frame is below. As long
//! as it is inside, each of its steps may read anything. The word is kept for each thread and goes back
//! in time with the program.
//!
//! Whether the called function is instrumented is looked up among those that the modules list.

use crate::accesses::announced::{Hook, HOOK};
use crate::atomic_site::AtomicSite;
use crate::foreign;
use crate::process::functions::{is_instrumented, is_of_a_known_library};
use crate::runtime::CALL_SITE;
use crate::world::world;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use dpor_machine::state::{Kept, PerStep};
use dpor_model::{SiteId, ThreadId};

/// Stack pointer at the call that the running thread is inside; 0: it is in none.
static INSIDE: PerStep<AtomicUsize> = PerStep::new(AtomicUsize::new(0));
/// Site of the last call of code without instrumentation that was made while there were other
/// threads.
static LAST_SITE: Kept<AtomicSite> = Kept::new(AtomicSite::unknown());
/// Whether anybody wants to know.
static WANTED: Kept<AtomicBool> = Kept::new(AtomicBool::new(true));

/// Return address of the hook that announced the last call of code without instrumentation.
static FOREIGN: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// The function that it called.
static CALLED: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Returns the function without instrumentation that the only thread of the program is in, or was
/// in last, if instrumented code announced no call since.
pub fn called_alone() -> Option<usize> {
    let last = HOOK.after.load(Ordering::Relaxed);
    let is_foreign = last != 0 && last == FOREIGN.load(Ordering::Relaxed);
    is_foreign.then(|| CALLED.load(Ordering::Relaxed))
}

/// Returns whether instrumented code made the call at whose beginning the stack pointer is this:
/// the hook before it said where its return address would be, and was not before a call of other
/// code, which may have jumped on.
pub fn is_called_directly(stack_pointer: usize) -> bool {
    HOOK.slot.load(Ordering::Relaxed) == stack_pointer
        && HOOK.after.load(Ordering::Relaxed) != FOREIGN.load(Ordering::Relaxed)
}

/// Inside until the thread ends.
const FOREVER: usize = usize::MAX;

/// Notes the site, in register `site`, and where the return address of the call to come will be.
macro_rules! note_call {
    ($site:literal, $($then:literal),+; $($name:ident = $value:expr),+) => {
        naked_asm!(
            "mov rax, [rsp]",
            concat!("mov [rip + {call_site}], ", $site),
            concat!("mov [rip + {hook} + {site}], ", $site),
            "mov [rip + {hook} + {slot}], rsp",
            "mov [rip + {hook} + {after}], rax",
            $($then,)+
            call_site = sym CALL_SITE,
            hook = sym HOOK,
            site = const core::mem::offset_of!(Hook, site),
            slot = const core::mem::offset_of!(Hook, slot),
            after = const core::mem::offset_of!(Hook, after),
            $($name = sym $value,)+
        )
    };
}

/// Notes that the program calls something that is not instrumented here and reads nothing unseen.
///
/// Notes the site and where the call's return address will be.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_call(site: SiteId) {
    note_call!(
        "rdi",
        "cmp qword ptr [rip + {inside}], 0",
        "jne 2f",
        "ret",
        "2:",
        "mov rdi, rsp",
        "jmp {called}";
        inside = INSIDE, called = called
    )
}

/// Notes that the program calls `function` (null: known not to be instrumented), which may read
/// anything.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_call_unseen(function: usize, site: SiteId) {
    note_call!("rsi", "mov rdx, rsp", "jmp {called}"; called = called_unseen)
}

/// Announces a call as [`__dpor_call`] does, or as [`__dpor_call_unseen`] if the function that may read anything is given.
/// `slot`: the address of the slot where the return address of the call to come will be.
pub fn announce(site: SiteId, unseen: Option<usize>, slot: usize) {
    CALL_SITE.set(site);
    HOOK.site.set(site);
    HOOK.slot.store(slot, Ordering::Relaxed);
    // SAFETY: the return address of the function that announces, which is on the stack.
    let after = unsafe { (slot as *const usize).read() };
    HOOK.after.store(after, Ordering::Relaxed);
    match unseen {
        None => called(slot),
        Some(function) => called_unseen(function, site, slot),
    }
}

extern "C" fn called(stack_pointer: usize) {
    let inside = INSIDE.load(Ordering::Relaxed);
    if inside != 0 && stack_pointer >= inside {
        INSIDE.store(0, Ordering::Relaxed);
    }
}

extern "C" fn called_unseen(function: usize, site: SiteId, stack_pointer: usize) {
    called(stack_pointer);
    if is_instrumented(function) {
        return;
    }
    if function != 0 {
        FOREIGN.store(HOOK.after.load(Ordering::Relaxed), Ordering::Relaxed);
        CALLED.store(function, Ordering::Relaxed);
        if crate::active() {
            foreign::enters(function);
        }
    }
    if WANTED.load(Ordering::Relaxed) && INSIDE.load(Ordering::Relaxed) == 0 {
        INSIDE.store(stack_pointer, Ordering::Relaxed);
        if crate::active() && crate::has_company() {
            LAST_SITE.set(site);
        }
        crate::accesses::cells::note_unseen();
    }
}

/// Inline assembly, or an instruction that the pass does not know, may read anything.
pub fn reads_anything() {
    if WANTED.load(Ordering::Relaxed) {
        crate::accesses::cells::note_unseen();
    }
}

/// Returns the site at which the program last called code of which nobody knows what it reads; 0:
/// none.
pub fn last_site() -> SiteId {
    LAST_SITE.get()
}

/// Says whether anybody wants to know.
pub fn want(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
    if !wanted {
        INSIDE.store(0, Ordering::Relaxed);
    }
}

/// Lets `thread` begin a step. Returns whether it is inside a call, so that it may read anything.
/// `wanted`: as in [`want`]; a forked process may not know yet.
pub fn begin_step(thread: ThreadId, wanted: bool) -> bool {
    WANTED.store(wanted, Ordering::Relaxed);
    // SAFETY: the world is mapped; no fiber runs.
    let inside = unsafe { (*world()).threads[thread.0 as usize].fiber.inside };
    INSIDE.store(inside, Ordering::Relaxed);
    inside != 0
}

/// Notes that a step of `thread` ended: keeps with it whether it is inside such a call.
pub fn end_step(thread: ThreadId) {
    let inside = INSIDE.load(Ordering::Relaxed);
    // SAFETY: the world is mapped, and no fiber runs. A page that is not written need not be
    // restored.
    unsafe {
        let word = &raw mut (*world()).threads[thread.0 as usize].fiber.inside;
        if *word != inside {
            *word = inside;
        }
    }
}

/// Notes that the runtime is about to call a function that it was given, and after which the thread
/// does no more than end: its body, or a destructor.
pub fn last_call(function: usize) {
    call(function, FOREVER);
}

/// Notes that the runtime is about to call a function that it was given, from the frame whose stack
/// pointer this is, or from one right below it.
pub fn call(function: usize, stack_pointer: usize) {
    if crate::active() && !is_instrumented(function) {
        foreign::enters(function);
    }
    let outside = WANTED.load(Ordering::Relaxed)
        && (INSIDE.load(Ordering::Relaxed) == 0 || stack_pointer == FOREVER);
    if outside && !is_instrumented(function) && !is_of_a_known_library(function) {
        INSIDE.store(stack_pointer, Ordering::Relaxed);
        crate::accesses::cells::note_unseen();
    }
}
