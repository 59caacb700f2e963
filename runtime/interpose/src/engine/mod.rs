//! Runs program threads as fibers, one step at a time, as the explorer decides.
//!
//! ```text
//!   fiber: interposed call or hook ── perform(operation) ──► suspended        (publishes what it does next)
//!   engine: explorer.next ── step(thread) ──► fiber goes on: performs it, runs to its next operation
//! ```
//!
//! This file is the face to interposed functions and hooks; everything in it runs on a program
//! fiber (with the program's thread-local storage: no `thread_local!`, no `std::thread`, no
//! `println!`), except where said.

mod auto_checkpoint;
mod between;
pub mod blocks;
mod children;
pub mod concern;
mod cut_executions;
mod deaths;
mod debugger;
mod detector;
mod driver_channel;
pub mod early;
mod endless;
mod estimating;
mod execution_end;
mod fault_handlers;
mod find_one;
pub mod findings;
mod forever;
mod forked;
mod frames;
mod guard;
mod guide;
mod in_library;
pub mod journal;
mod leaks;
mod left_threads;
pub mod lifetimes;
pub(crate) mod loaded;
pub mod long_step;
mod loop_iteration;
mod memory;
#[cfg(feature = "mutations")]
pub mod mutations;
pub mod object;
pub mod orders;
pub mod output;
pub mod own_image;
pub mod own_semaphore;
mod polled;
mod private_stack;
mod process_end;
mod program;
mod progress;
mod race_findings;
mod report;
mod resources_used;
mod restoring;
pub mod root;
pub mod rounds;
pub(crate) mod run;
pub mod runtime;
mod runtime_at_root;
mod sampling;
mod schedule;
mod search_config;
mod search_fault;
pub mod signals;
pub mod sites;
mod spill;
mod starts;
mod state;
mod steps;
pub mod store_ownership;
mod thread_object;
mod threads;

pub mod kept_accesses;
pub mod learned_events;
pub mod taken_for_atomic;
mod unblocked;
mod vacuous;
mod verdict;
mod waits;
pub mod weaker;
pub mod workers;

pub use detector::{ask_races, races, races_of_access, Detector};
pub use findings::{warn, warn_of};
pub use lifetimes::{
    describe_place, find_held, is_followed, is_on_stack, is_short_lived, tell, tell_left,
    tell_uninitialized_mutex,
};
pub use loaded::{each as each_loaded, headers_of};
use loop_iteration::set_aside;
pub use loop_iteration::{
    changed_in_turn, first_of_turn, forget_turn, perform_again, set_turn, take_turn, wrote_since,
};
pub use memory::{begin_of_stack, end_of_stack, freed_wrongly, is_followed as follows_memory};
pub use polled::relaxed as tells_without_order;
pub use process_end::{
    end_process, finish_process, main_returned, note_abandoned, stands_at_end, Last,
};
pub use race_findings::{destroyed, race};
pub use root::is_used_by_runtime;
pub use state::{Fiber, State};
pub use threads::{
    created_last, has_finished, join, pthread_of, release_thread, reserve_thread, stack_of,
    thread_of,
};

use crate::hooks::repeated;
use crate::thread_mask::ThreadMask;
use crate::world::world;
use dpor_explorer::program::{Decision, Kind, Next, ObjectId, Operation, ThreadId, NO_OBJECT};
use dpor_machine::fiber::x86_64::switch;
use dpor_report::FindingKind;
use runtime::{runtime, Runtime, Stop, ACTIVE, CALL_SITE, CHANGED, WRITTEN};
use std::sync::atomic::Ordering;

/// Whether a program fiber runs under exploration. False before the root, in the runtime's own
/// contexts, and with `off=1`: interposed functions then pass through to libc.
#[inline(always)]
pub fn active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// Whether program code runs on thread 0 before the root, to be explored once a second thread is
/// needed. False with `off=1`, in the runtime's own contexts, and before `start`.
pub fn before_root() -> bool {
    runtime().is_null() && crate::process::options().is_some()
}

/// Makes this point the root, if exploration has not begun and the runtime is not off.
/// Afterwards [`active`] is true, unless the runtime is off. Called on thread 0, by whatever needs
/// a second thread or a choice.
pub fn begin() {
    if !active() {
        root::begin();
    }
}

/// The running program thread. 0 before the root.
#[inline(always)]
pub fn thread() -> ThreadId {
    let rt = runtime();
    if rt.is_null() {
        return ThreadId(0);
    }
    // SAFETY: the runtime is installed and never freed, and reading one word of it makes no reference that could be in
    // the way of another's.
    unsafe { (*rt).current }
}

/// The running thread's part of the engine's state.
///
/// # Safety
/// Exploration began, and a fiber runs.
#[inline(always)]
unsafe fn own_fiber() -> *mut Fiber {
    // SAFETY: by the caller's promise exploration began, so the world is mapped; the array checks the index.
    unsafe { &raw mut (*world()).threads[(*runtime()).current.0 as usize].fiber }
}

/// Publishes what the running thread does next and waits until the explorer lets it run.
/// The caller then performs the operation and must not block. Other threads may have run in between.
#[inline(always)]
pub fn perform(operation: Operation) -> Decision {
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
        CALL_SITE.store(operation.site, Ordering::Relaxed);
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

/// The running thread allocates or frees memory, which is a change that lasts.
pub fn note_allocation() {
    CHANGED.store(true, Ordering::Relaxed);
}

/// Whether handlers of signals may run in the running thread, or a request to end may reach it.
pub fn is_interruptible() -> bool {
    // SAFETY: a fiber runs: the world is mapped, and only that fiber uses it while the engine waits inside a step.
    let is_pending = unsafe { (*world()).engine.signals.contains(thread()) };
    is_pending
        || learned_events::is_interruptible(thread())
        || learned_events::knows(learned_events::EventCause::ProcessSignals)
}

/// Signals may be pending for the running thread, or a request to end: what becomes of its operation
/// then, if it does not go on.
#[cold]
fn interrupted(operation: &Operation) -> Option<Decision> {
    crate::pthread::cancel::refuse(operation);
    crate::pthread::signal::deliver::look(operation);
    crate::pthread::signal::late::wait_on(operation)
}

/// Publishes a join, or the return of main, and waits until it is over.
///
/// If what it waits for has ended and the thread did nothing in this step that the explorer wants to
/// know the place of, there is nothing to wait for: it is passed in the same step.
pub fn wait_for_end(join: Operation) -> Decision {
    let rt = runtime();
    let world = world();
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        let t = (*rt).current.0 as usize;
        let fiber = &raw mut (*world).threads[t].fiber;
        let live = &(*world).engine.live;
        let ended = match join.kind {
            Kind::Join => !live.contains(ThreadId(join.argument as u16)),
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
        note_changed(&mut *rt, &mut *fiber);
        WRITTEN.store(false, Ordering::Relaxed);
        CHANGED.store(false, Ordering::Relaxed);
        repeated::forget_all();
        CALL_SITE.store(join.site, Ordering::Relaxed);
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
fn leave(next: Next) -> ! {
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

/// An operation without parameters at the site of the running thread's last instrumented call.
pub fn operation(kind: Kind) -> Operation {
    Operation::new(kind, site())
}

/// The site of the running thread's last instrumented call; 0 if unknown.
#[inline(always)]
pub fn site() -> u64 {
    CALL_SITE.load(Ordering::Relaxed)
}

/// The object of an access to memory.
pub fn memory_object(address: usize, bytes: u64) -> ObjectId {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).blocks.object(address as u64, bytes) }
}

/// The process ends here with a finding, as an event that conflicts with everything.
pub fn fail(kind: FindingKind, message: &str) -> ! {
    findings::sentence(kind, message.to_owned(), site(), 0, Vec::new());
    perform(operation(Kind::Exit));
    unreachable!("[dpor internal bug] a doomed thread went on");
}

/// The running thread ends, and nothing of it is left to do.
pub fn finish_thread() -> ! {
    leave(Next::Finished)
}

/// The number of events that the execution has so far.
pub fn depth() -> usize {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).depth }
}

/// The running thread stands in an assume that does not hold, for ever.
pub fn dead() -> ! {
    leave(Next::Dead)
}

/// The running thread stands at the head of the loop at `site`, for ever (`--loop-bound`).
pub fn cut(site: u64) -> ! {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe {
        (*own_fiber()).site = site;
        (*world()).engine.cut.insert(thread());
    }
    leave(Next::Dead)
}

/// The loops at which threads stand for ever: their sites.
pub fn cut_loops() -> impl Iterator<Item = u64> {
    // SAFETY: the world is mapped from the root on; the engine asks when an execution has ended, so no fiber runs.
    let (cut, threads) = unsafe { ((*world()).engine.cut, &(*world()).threads) };
    let threads_cut = cut.iter().map(|thread| usize::from(thread.0));
    threads_cut.map(|thread| threads[thread].fiber.site)
}

/// The program did something that cannot be controlled: ends the whole check with this verdict.
/// `what` completes "unsupported: "; the call site is added.
pub fn unsupported(what: &str) -> ! {
    let place = sites::place(site());
    let reason = match place.line {
        0 => what.to_owned(),
        line => format!("{what} at {}:{line} in {}", place.file, place.function),
    };
    run::stop_now(Stop::Unsupported(reason))
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

/// Whether the running thread's accesses are inside an event already (an atomic section, or the
/// end of the process), so that they are performed at once.
#[inline(always)]
pub fn is_inside_event() -> bool {
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe { (*runtime()).exiting || (*own_fiber()).atomic > 0 }
}

/// Whether the process is ending: handlers of `exit` run, and no other thread will.
pub fn is_ending() -> bool {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).exiting }
}

/// Whether the running thread is the target of a cancellation, in some execution.
#[inline(always)]
pub fn is_cancelled() -> bool {
    learned_events::is_cancelled(thread())
}

/// Whether another thread of the program exists.
pub fn has_company() -> bool {
    let hidden = crate::libc::timers::watchers();
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    let (live, me) = unsafe { (&(*world()).engine.live, (*runtime()).current) };
    !live.is_only(me) && live.minus(&hidden).minus(&ThreadMask::of(me)) != ThreadMask::EMPTY
}

/// The number of waits of a thread that may end without a signal.
pub fn spurious_max() -> u64 {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).options.spurious }
}

/// Records a value for the outcome of this execution.
pub fn observe(name: &[u8], value: i64) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).findings.observe(name, value) };
}

/// Keeps bytes that the program wrote to descriptor 1 or 2.
pub fn capture(descriptor: i32, bytes: &[u8]) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).output.capture(descriptor, bytes) };
}

/// First function of a fiber.
extern "C" fn fiber_body(thread: usize) -> ! {
    crate::pthread::thread::run(ThreadId(thread as u16));
    leave(Next::Finished)
}

/// The kind with a number, of those in whose case something is to be done; of others
/// [`Kind::Load`]. The number may be anything: the program can overwrite it.
fn kind_of(number: u8) -> Kind {
    const ASKED: [Kind; 12] = [
        Kind::Start,
        Kind::Create,
        Kind::Exit,
        Kind::Pause,
        Kind::Join,
        Kind::JoinAll,
        Kind::MainReturn,
        Kind::ProcessEnd,
        Kind::Choose,
        Kind::BarrierLeave,
        Kind::FutexWoken,
        Kind::Channel,
    ];
    const KINDS: [Kind; 256] = {
        let mut kinds = [Kind::Load; 256];
        let mut k = 0;
        while k < ASKED.len() {
            kinds[ASKED[k] as usize] = ASKED[k];
            k += 1;
        }
        kinds
    };
    KINDS[usize::from(number)]
}
