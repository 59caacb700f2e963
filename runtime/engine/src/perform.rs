//! Publishing what the running thread does next, and waiting until the search lets it.

use crate::accesses::repeated;
use crate::given::posix;
use crate::running::{is_interruptible, operation, own_fiber, site, thread};
use crate::runtime::{runtime, Runtime, CALL_SITE, CHANGED, WRITTEN};
use crate::state::Fiber;
use crate::stop::Stop;
use crate::stopping::stop_now;
use crate::world::world;
use crate::{call_stacks, findings, first_uses, learned_events};
use dpor_machine::fiber::x86_64::switch;
use dpor_model::{Decision, Iteration, Kind, Next, Operation, SiteId, ThreadId, NO_OBJECT};
use dpor_report::FindingKind;
use std::sync::atomic::Ordering;

/// Publishes what the running thread does next and waits until the explorer lets it run.
/// The caller then performs the operation and must not block. Other threads may have run in between.
#[inline(always)]
pub fn perform(mut operation: Operation) -> Decision {
    operation.site = call_stacks::here(operation.site);
    let rt = runtime();
    let world = world();
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        let t = (*rt).current.0 as usize;
        let fiber = &raw mut (*world).threads[t].fiber;
        if (*fiber).atomic > 0 && operation.kind != Kind::Exit {
            return at_once(operation.kind);
        }
        if (*rt).exiting {
            return Decision::default();
        }
        if learned_events::is_interruptible((*rt).current)
            || (*world).engine.signals.contains((*rt).current)
        {
            if let Some(decision) = interrupted(&operation) {
                return decision;
            }
        }
        (*fiber).pending = operation.kind as u8;
        (*fiber).argument = operation.argument;
        (*fiber).site = operation.site;
        (*rt).executed.next = Next::Operation(operation);
        note_changed(&mut *rt, &mut *fiber);
        if (*fiber).round {
            (*fiber).round = false;
            (*rt).executed.next = Next::Operation(set_aside(operation));
        }
        switch(&raw mut (*fiber).stack_pointer, (*rt).engine_stack_pointer);
        CALL_SITE.set(operation.site);
        if call_stacks::are_kept() {
            first_uses::about_to_use(&operation);
        }
        (*rt).decision
    }
}

/// Notes that the running thread changed memory without an event in the step that ends, if it did.
#[inline(always)]
fn note_changed(rt: &mut Runtime, fiber: &mut Fiber) {
    if CHANGED.load(Ordering::Relaxed) {
        fiber.wrote = rt.depth as u32 + 1;
    }
}

/// Signals may be pending for the running thread, or a request to end: what becomes of its operation
/// then, if it does not go on.
#[cold]
fn interrupted(operation: &Operation) -> Option<Decision> {
    posix().before_operation(operation)
}

/// Publishes a join, or the return of main, and waits until it is over.
///
/// If what it waits for has ended and the thread did nothing in this step that the explorer wants to
/// know the place of, there is nothing to wait for: it is passed in the same step.
pub fn wait_for_end(mut join: Operation) -> Decision {
    join.site = call_stacks::here(join.site);
    let rt = runtime();
    let world = world();
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        let t = (*rt).current.0 as usize;
        let fiber = &raw mut (*world).threads[t].fiber;
        let live = &(*world).engine.live;
        let ended = match join.kind {
            Kind::Join => !live.contains(join.thread()),
            Kind::MainReturn => true,
            _ => live.is_only((*rt).current),
        };
        let unnoticed = (*rt).trailing_cells.is_empty() && (*rt).read.is_empty();
        // Where deaths are of interest, steps are as short as can be.
        let apart = !unnoticed || (*rt).deaths.is_some();
        // What may end the thread, or run in it, comes before the operation.
        let apart = apart || is_interruptible();
        if !ended || apart || (*fiber).atomic > 0 || (*rt).exiting {
            return perform(join);
        }
        (*fiber).pending = join.kind as u8;
        (*fiber).argument = join.argument;
        (*fiber).site = join.site;
        (*rt).passed.push(join);
        call_stacks::step_begins();
        note_changed(&mut *rt, &mut *fiber);
        WRITTEN.store(false, Ordering::Relaxed);
        CHANGED.store(false, Ordering::Relaxed);
        repeated::forget_all();
        CALL_SITE.set(join.site);
    }
    Decision::default()
}

/// Inside an atomic section: the section's own event stands for what happens in it.
#[cold]
fn at_once(kind: Kind) -> Decision {
    match kind {
        Kind::Load
        | Kind::Store
        | Kind::ReadModifyWrite
        | Kind::CompareExchange
        | Kind::SharedRead
        | Kind::SharedWrite
        | Kind::Opaque
        | Kind::Pause => Decision::default(),
        _ => unsupported("a thread or synchronization call inside an atomic section"),
    }
}

/// Publishes how the running thread ended and never comes back.
pub(crate) fn leave(next: Next) -> ! {
    let rt = runtime();
    // SAFETY: a fiber runs, and the engine, inside a step, holds no reference to runtime or world; the context saved
    // here is never resumed.
    unsafe {
        if matches!(next, Next::Finished) {
            let (state, me) = (&raw mut (*world()).engine, (*rt).current);
            (*state).live.remove(me);
            (*state).wrote_last.put(me, WRITTEN.load(Ordering::Relaxed));
        }
        (*rt).executed.next = next;
        let mut never = 0;
        switch(&mut never, (*rt).engine_stack_pointer);
    }
    unreachable!("[dpor internal bug] a finished thread went on");
}

/// The process ends here with a finding, as an event that conflicts with everything.
pub fn fail(kind: FindingKind, message: &str) -> ! {
    fail_with(kind, message, Vec::new())
}

/// As [`fail`], with lines that say more.
pub fn fail_with(kind: FindingKind, message: &str, details: Vec<String>) -> ! {
    findings::sentence(kind, message.to_owned(), site(), 0, details);
    perform(operation(Kind::Exit));
    unreachable!("[dpor internal bug] a doomed thread went on");
}

/// The running thread ends, and nothing of it is left to do.
pub fn finish_thread() -> ! {
    leave(Next::Finished)
}

/// The running thread stands in an assume that does not hold, for ever.
pub fn dead() -> ! {
    leave(Next::Dead)
}

/// The running thread stands at the head of the loop at `site`, for ever (`--loop-bound`).
pub fn cut(site: SiteId) -> ! {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe {
        (*own_fiber()).site = site;
        (*world()).engine.cut.insert(thread());
    }
    leave(Next::Dead)
}

/// The program did something that cannot be controlled: ends the whole check with this verdict.
/// `what` completes "unsupported: "; the call site is added ([`refusal`](crate::refusal)).
pub fn unsupported(what: &str) -> ! {
    // SAFETY: a fiber runs: the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).refused_at = site() };
    stop_now(Stop::Unsupported(what.to_owned()))
}

/// Begins a section in which the running thread's operations are no scheduling points: the whole section, up to
/// [`atomic_end`], is one event that conflicts with everything. Sections nest.
pub fn atomic_begin() {
    perform(operation(Kind::Opaque));
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe { (*own_fiber()).atomic += 1 };
}

/// Ends the section that [`atomic_begin`] began.
pub fn atomic_end() {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe { (*own_fiber()).atomic = (*own_fiber()).atomic.saturating_sub(1) };
}

/// First function of a fiber.
pub extern "C" fn fiber_body(thread: usize) -> ! {
    posix().run(ThreadId(thread as u16));
    leave(Next::Finished)
}

/// An operation with which a thread begins another turn of a loop that it went round often: others go first.
#[cold]
fn set_aside(operation: Operation) -> Operation {
    match (operation.other, operation.iteration) {
        (NO_OBJECT, Iteration::None) => Operation {
            iteration: Iteration::Late,
            ..operation
        },
        _ => operation,
    }
}
