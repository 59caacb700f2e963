//! A thread that runs long without a visible operation: is it in a loop that cannot end?
//!
//! When the step limit is reached, the fiber is single-stepped (trap flag) for up to
//! [`INSTRUCTIONS_MAX`] instructions. Nothing else runs meanwhile, so if all registers *and* all
//! memory that can have changed are as they were at an earlier instruction, the thread will repeat
//! itself for ever: proven, finding `endless-loop`. Otherwise the verdict is `incomplete`.
//!
//! Memory is compared through the snapshot: every page that is or becomes hot, and the live stack.

use crate::given::{concerns, posix, system};
use crate::knowledge::findings::FatalFinding;
use crate::knowledge::watch::Watch;
use crate::runtime::{runtime, CALL_SITE};
use crate::stop::Stop;
use crate::{call_stacks, findings, stopping};
use core::ffi::c_void;
use dpor_model::{Kind, Next, Operation, SiteId};
use dpor_report::FindingKind;

/// Enough for loops of a few thousand instructions to come round; single steps cost about 1 µs.
const INSTRUCTIONS_MAX: u32 = 100_000;
/// The trap flag.
const TRAP: i64 = 0x100;
/// The resume flag, which says nothing of the program: the processor sets it in what it saves at a fault (of a page that
/// the kernel took away, say), and clears it after the next instruction. Source: Intel SDM, volume 3, 17.3.1.1.
const RESUME: i64 = 0x1_0000;

fn gregs<'a>(context: *mut c_void) -> &'a mut [i64; 23] {
    // SAFETY: the kernel passes a valid ucontext, which is ours until the handler returns.
    unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs }
}

/// General registers, instruction pointer and flags; the rest of the array is about the trap itself.
fn relevant(registers: &[i64; 23]) -> [i64; 18] {
    let mut kept = [0; 18];
    kept.copy_from_slice(&registers[..18]);
    kept[libc::REG_EFL as usize] &= !(TRAP | RESUME);
    kept
}

/// The step limit was reached in the running fiber: starts to look.
pub fn begin(context: *mut c_void) {
    let registers = gregs(context);
    let pointer = registers[libc::REG_RSP as usize] as usize;
    let (low, bytes) = crate::stack_of(crate::thread());
    // SAFETY: a handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    let rt = unsafe { &mut *runtime() };
    let stack = rt.live_stack_of_running(pointer);
    // On another stack than its own nothing can be proven: how much of its own is live is unknown.
    let memory = rt
        .snapshots
        .as_ref()
        .filter(|_| (low..low + bytes).contains(&pointer))
        // Nor if there is memory that a snapshot does not hold.
        .filter(|_| (concerns().can_checkpoint)())
        .map(|snapshots| snapshots.save(&[stack]));
    rt.watch = Some(Watch {
        registers: *registers,
        memory,
        steps: 0,
    });
    registers[libc::REG_EFL as usize] |= TRAP;
}

/// One instruction was executed. False: the trap is not ours.
pub fn stepped(context: *mut c_void) -> bool {
    let registers = gregs(context);
    // SAFETY: a handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    let rt = unsafe { &mut *runtime() };
    let Some(watch) = &mut rt.watch else {
        return false;
    };
    if rt.watch_serial != rt.serial && rt.watch_serial != 0 {
        // The fiber reached an operation after all and came back here later.
        return stop_watching(context);
    }
    rt.watch_serial = rt.serial;
    watch.steps += 1;
    let same = relevant(registers) == relevant(&watch.registers);
    if same && unchanged(rt.snapshots.as_ref(), rt.watch.as_ref()) {
        stop_watching(context);
        if system().may_interrupt() {
            // Its handler may leave the loop, or the process.
            give_up();
        }
        endless(context);
        return true;
    }
    if rt
        .watch
        .as_ref()
        .is_some_and(|watch| watch.steps >= INSTRUCTIONS_MAX)
    {
        stop_watching(context);
        rt.stopped_at = gregs(context)[libc::REG_RIP as usize] as u64;
        give_up();
    }
    true
}

fn unchanged(snapshots: Option<&dpor_machine::snapshot::Snapshots>, watch: Option<&Watch>) -> bool {
    match (snapshots, watch) {
        (
            Some(snapshots),
            Some(Watch {
                memory: Some(memory),
                ..
            }),
        ) => snapshots.is_unchanged(memory),
        _ => false,
    }
}

/// The fiber is about to make an event: whatever it is in, it is no loop without one.
pub fn end_watch(context: *mut c_void) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    if unsafe { (*runtime()).watch.is_some() } {
        stop_watching(context);
    }
}

fn stop_watching(context: *mut c_void) -> bool {
    gregs(context)[libc::REG_EFL as usize] &= !TRAP;
    // SAFETY: a handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    let rt = unsafe { &mut *runtime() };
    rt.watch = None;
    rt.watch_serial = 0;
    true
}

/// Ends the process with a finding: it is proven that the thread never gets out of its loop.
fn endless(context: *mut c_void) {
    let site = CALL_SITE.get();
    if crate::exit_state::is_left_to_come() {
        // The process ends meanwhile.
        let never = posix().wait_for_ever(crate::thread(), site);
        return crate::signals::leave_fiber(context, Next::Operation(never));
    }
    let instruction = gregs(context)[libc::REG_RIP as usize] as u64;
    let message = "a thread repeats the same state for ever".to_owned();
    findings::sentence_of(FatalFinding {
        kind: FindingKind::EndlessLoop,
        message,
        site,
        instruction,
        object: None,
        details: Vec::new(),
        calls: call_stacks::of(gregs(context)),
    });
    crate::signals::leave_fiber(
        context,
        Next::Operation(Operation::new(Kind::Exit, SiteId::UNKNOWN)),
    );
}

fn give_up() -> ! {
    stopping::stop_now(Stop::Incomplete(
        "step limit: a thread ran long without a visible operation".to_owned(),
    ))
}
