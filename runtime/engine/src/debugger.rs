//! What a debugger sees of a replay: where it is in the schedule, and where each fiber is suspended.
//!
//! The words of [`dpor_debug`] are for reading and, one of them, for writing; on the functions
//! `dpor_debug_*`, which do nothing, it sets breakpoints (as on those of the dynamic linker's `r_debug`).
//! Nothing of this is done but in a replay.
//!
//! ```text
//!   dpor_debug_begin      the replay begins: the debugger says at which step to stop
//!   dpor_debug_event      a fiber goes on with a step; called, as it seems, by what suspended it
//!   dpor_debug_finding    the finding is noted: on the fiber that shows it, or by the engine
//!   dpor_debug_end        nothing runs any more
//! ```

use crate::between::Shared;
use crate::knowledge::findings::{key, Pending};
use crate::runtime::{Runtime, ACTIVE};
use crate::world::{world, Thread};
use core::arch::asm;
use dpor_machine::state::Kept;
use dpor_model::{Kind, Operation, ThreadId};
use dpor_report::{Access, Finding, FindingKind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Version of the words' meaning.
const VERSION: u64 = 1;

/// What the debugger reads, and `STOP_AT`, which it writes.
#[no_mangle]
#[allow(non_upper_case_globals, reason = "a name for debuggers")]
pub static dpor_debug: Kept<[AtomicU64; 9]> = Kept::new([const { AtomicU64::new(0) }; 9]);

/// Index of the word with [`VERSION`]; 0 before the replay begins.
const IS: usize = 0;
/// Index of the number of the step that is being made in the finding's trace, from 0; that many when all are made.
const POSITION: usize = 1;
/// Index of the number of the thread that makes the step.
const THREAD: usize = 2;
/// Index of that thread's number plus 1 while it runs; 0: the engine does, and all fibers are suspended.
const RUNNING: usize = 3;
/// Index of the step before which, or before a later one, the debugger wants to stop.
const STOP_AT: usize = 4;
/// Index of the address of the set of threads that exist, a bit each.
const LIVE: usize = 5;
/// Index of the address of the first thread's suspended context (machine/src/fiber/x86_64.rs).
const CONTEXTS: usize = 6;
/// Index of the number of bytes from one thread's context to the next one's.
const STRIDE: usize = 7;
/// Index of the number of threads that there can be.
const THREADS: usize = 8;

fn set(word: usize, value: u64) {
    dpor_debug[word].store(value, Ordering::Relaxed);
}

fn get(word: usize) -> u64 {
    dpor_debug[word].load(Ordering::Relaxed)
}

/// Functions for breakpoints. Different instructions, so that the linker keeps them apart.
macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident $text:literal)+) => { $(
        $(#[$doc])*
        #[no_mangle]
        #[inline(never)]
        pub extern "C" fn $name() {
            // SAFETY: the instruction does nothing, and touches neither memory, stack nor flags.
            unsafe { asm!($text, options(nostack, preserves_flags)) };
        }
    )+ };
}

marks! {
    /// The replay begins.
    dpor_debug_begin "nop /* begin */"
    /// A fiber goes on with a step.
    dpor_debug_event "nop /* event */"
    /// The finding is noted.
    dpor_debug_finding "nop /* finding */"
    /// Nothing runs any more.
    dpor_debug_end "nop /* end */"
}

/// The finding that the replay is to show.
struct Expected {
    finding: Finding,
    /// True if another build of the program follows the schedule, in which the finding may be at other places.
    is_elsewhere: bool,
}

/// Apart from what the runtime knows, which is borrowed where a finding is noted.
static EXPECTED: Kept<Shared<Expected>> = Kept::new(Shared::nothing());

fn expected() -> Option<&'static Expected> {
    // SAFETY: null, or installed when the replay began, never freed and never changed.
    unsafe { EXPECTED.get().as_ref() }
}

/// The replay begins, which is to show the finding that is expected.
pub(crate) fn begin(rt: &Runtime) {
    if let Some(finding) = &rt.expected {
        EXPECTED.install(Box::new(Expected {
            finding: finding.clone(),
            is_elsewhere: rt.guide.is_some(),
        }));
    }

    // SAFETY: the world is mapped from the root on; only addresses in it are taken.
    let (live, contexts) = unsafe {
        let first = &raw const (*world()).threads[0].fiber.stack_pointer;
        (&raw const (*world()).engine.live as u64, first as u64)
    };
    // SAFETY: the world is mapped from the root on, and its number of threads never changes.
    let threads = unsafe { (*world()).threads.len() };
    set(LIVE, live);
    set(CONTEXTS, contexts);
    set(STRIDE, size_of::<Thread>() as u64);
    set(THREADS, threads as u64);
    set(STOP_AT, u64::MAX);
    set(POSITION, u64::MAX);
    set(IS, VERSION);
    dpor_debug_begin();
}

/// A thread goes on. Joins that were passed in the step before are steps of the trace, too; that it is told to decide again
/// (`is_step` is false) is none.
pub(crate) fn goes_on(rt: &Runtime, is_step: bool) {
    let is_shown = |operation: &&Operation| operation.kind != Kind::Mark;
    let passed = rt.passed.iter().filter(is_shown).count();
    let steps = passed as u64 + u64::from(is_step);
    set(POSITION, get(POSITION).wrapping_add(steps));
    set(THREAD, u64::from(rt.current.0));
}

/// Where the running thread's suspended context is entered: if the debugger wants to stop before this
/// step, the fiber first calls [`dpor_debug_event`].
///
/// # Safety
/// `context` is suspended (machine/src/fiber/x86_64.rs), and about to be resumed.
pub(crate) unsafe fn entered(context: usize) -> usize {
    if get(POSITION) < get(STOP_AT) {
        return context;
    }
    set(RUNNING, get(THREAD) + 1);
    // The picture in machine/src/fiber/x86_64.rs, one word lower, with the function's address behind the registers:
    // the switch "returns" to it, and it to where the switch would have.
    const REGISTERS: usize = 7;
    let lower = context - 8;
    // SAFETY: by the caller's promise the context is suspended: nobody uses the stack below it, and this is about to be
    // resumed.
    unsafe {
        core::ptr::copy(context as *const usize, lower as *mut usize, REGISTERS);
        let first = (lower as *mut usize).add(REGISTERS);
        first.write(dpor_debug_event as *const () as usize);
    }
    lower
}

/// A step begins in which no fiber runs.
pub(crate) fn step_of_engine() {
    if get(POSITION) >= get(STOP_AT) {
        running_now();
        dpor_debug_event();
    }
}

/// The running thread crashes, and will end the process: stops where it stands, if that is the finding.
/// When it is noted, its stack is gone.
pub(crate) fn crashes(thread: ThreadId) {
    if get(IS) != VERSION {
        return;
    }
    let is_it = |expected: &Expected| {
        let threads = expected.finding.accesses.iter().map(|access| access.thread);
        expected.finding.kind == FindingKind::Crash && threads.eq([u32::from(thread.0)])
    };
    if expected().is_some_and(is_it) {
        set(RUNNING, get(THREAD) + 1);
        dpor_debug_finding();
    }
}

/// Stops the program if what is noted is the finding.
pub(crate) fn noted(pending: &Pending) {
    if get(IS) != VERSION || pending.kind == FindingKind::Crash {
        return;
    }
    let is_it = |expected: &Expected| match expected.is_elsewhere {
        false => is(pending, &expected.finding),
        true => pending.kind == expected.finding.kind,
    };
    if expected().is_some_and(is_it) {
        running_now();
        dpor_debug_finding();
    }
}

/// Whether what is noted may be the finding that the replay is to show: by the key where the driver tells it, by the kind
/// otherwise.
pub(crate) fn may_be_expected(pending: &Pending) -> bool {
    expected().is_none_or(|expected| match &expected.finding.mark {
        Some(mark) => mark.key == key(pending),
        None => pending.kind == expected.finding.kind,
    })
}

/// Whether what is noted is the finding: its kind, at its places. Where only the driver can tell the
/// place (there is an instruction), the rest has to do.
fn is(pending: &Pending, finding: &Finding) -> bool {
    let same = |a: &Access, b: &Access| {
        let is_there = (&a.place.file, a.place.line) == (&b.place.file, b.place.line);
        a.thread == b.thread && a.access == b.access && (a.instruction != 0 || is_there)
    };
    let (noted, expected) = (&pending.accesses, &finding.accesses);
    pending.kind == finding.kind
        && noted.len() == expected.len()
        && noted.iter().zip(expected).all(|(a, b)| same(a, b))
}

/// The execution is over, and all that it found noted.
pub(crate) fn end(rt: &Runtime) {
    if get(IS) != VERSION {
        return;
    }
    goes_on(rt, true);
    running_now();
    dpor_debug_end();
}

fn running_now() {
    let runs = ACTIVE.load(Ordering::Relaxed);
    set(RUNNING, if runs { get(THREAD) + 1 } else { 0 });
}
