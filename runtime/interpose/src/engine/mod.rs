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

mod aside;
mod between;
pub mod blocks;
mod children;
mod choosing;
mod deaths;
mod debugger;
pub mod early;
mod endless;
mod ends;
mod estimating;
pub mod findings;
mod forever;
mod forked;
mod frames;
mod guard;
mod guide;
mod handled;
mod in_library;
pub mod journal;
mod leaks;
mod left_threads;
pub mod lifetimes;
pub(crate) mod loaded;
pub mod long_step;
mod memory;
#[cfg(feature = "mutations")]
pub mod mutations;
pub mod object;
pub mod orders;
pub mod output;
mod polled;
mod program;
mod raced;
mod report;
mod restoring;
pub mod root;
pub mod rounds;
pub(crate) mod run;
pub mod runtime;
mod sampling;
mod schedule;
mod seeking;
pub mod signals;
pub mod sites;
mod spill;
mod starts;
mod state;
mod steps;
pub mod storers;
mod thread_object;

pub mod kept_accesses;
pub mod taken_for_atomic;
mod unblocked;
pub mod uses;
mod waits;
pub mod weaker;
pub mod workers;

pub use findings::{warn, warn_of};
pub use lifetimes::{
    describe_place, find_held, is_followed, is_on_stack, is_short_lived, tell, tell_left,
    tell_zeros,
};
pub use loaded::{each as each_loaded, headers_of};
pub use memory::{begin_of_stack, end_of_stack, freed_wrongly, is_followed as follows_memory};
pub use raced::{destroyed, race};
pub use root::is_used_by_runtime;
pub use state::{Fiber, State};

use crate::fiber::borrow;
use crate::fiber::x86_64::switch;
use crate::hooks::repeated;
use crate::libc::stdio;
use crate::thread_limit;
use crate::thread_mask::ThreadMask;
use crate::world::{world, THREADS_MAX};
use core::ops::{Deref, DerefMut};
use dpor_explorer::program::{
    joining, Decision, Kind, Next, ObjectId, Operation, ThreadId, NO_OBJECT, ROUND, TURN,
};
use dpor_races::Races;
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
    runtime().is_null() && crate::start::options().is_some()
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
    // SAFETY: see `runtime`.
    unsafe { (*rt).current }
}

/// The running thread's part of the engine's state.
///
/// # Safety
/// Exploration began, and a fiber runs.
#[inline(always)]
unsafe fn own_fiber() -> *mut Fiber {
    // SAFETY: the world is mapped, and the index is checked by the array.
    unsafe { &raw mut (*world()).threads[(*runtime()).current.0 as usize].fiber }
}

/// Publishes what the running thread does next and waits until the explorer lets it run.
/// The caller then performs the operation and must not block. Other threads may have run in between.
#[inline(always)]
pub fn perform(operation: Operation) -> Decision {
    let rt = runtime();
    let world = world();
    // SAFETY: a fiber runs, the engine waits inside `step`; see `runtime`.
    unsafe {
        let t = (*rt).current.0 as usize;
        let fiber = &raw mut (*world).threads[t].fiber;
        if (*fiber).atomic > 0 && operation.kind != Kind::Exit {
            return at_once(operation.kind);
        }
        if (*rt).exiting {
            return Decision::default();
        }
        if uses::is_interruptible((*rt).current) || (*world).engine.signals.contains((*rt).current)
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

/// The same for an operation of memory with which a turn of a loop begins that may be as the one from event number
/// `since` on was: then the thread waits until one of the places that it looked at is not what it was.
#[cold]
pub fn perform_again(operation: Operation, since: u32) -> Decision {
    if is_interruptible() || is_inside_event() {
        return perform(operation);
    }
    perform(begin_again(operation, since))
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

/// True if the running thread changed memory that others know, and without an event, since there were so many events:
/// in a step that ended later, or in the present one.
pub fn wrote_since(events: u32) -> bool {
    // SAFETY: as in `perform`.
    let wrote = unsafe { (*own_fiber()).wrote };
    wrote > events || CHANGED.load(Ordering::Relaxed)
}

/// The running thread changed memory in a turn that ends.
pub fn changed_in_turn() {
    // SAFETY: as in `perform`.
    unsafe { (*own_fiber()).wrote = (*runtime()).depth as u32 + 1 };
}

/// An operation with which a thread begins another turn of a loop that it went round often: others go first.
#[cold]
fn set_aside(operation: Operation) -> Operation {
    match operation.other {
        NO_OBJECT => Operation {
            other: ROUND,
            ..operation
        },
        _ => operation,
    }
}

/// The running thread begins a turn of a loop that may be as the last, which began before event number `since`.
/// `reads`: the loop may read what others know without an event.
pub fn set_turn(since: u32, reads: bool) {
    // SAFETY: as in `perform`.
    unsafe { ((*own_fiber()).turn, (*own_fiber()).turn_reads) = (since + 1, reads) };
}

/// The running thread begins no such turn after all.
#[inline(always)]
pub fn forget_turn() {
    // SAFETY: as in `perform`.
    if unsafe { (*runtime()).turns } {
        take_turn();
    }
}

/// The operation, marked if it is the first of a turn of a loop that may be as the last.
#[inline(always)]
pub fn first_of_turn(operation: Operation) -> Operation {
    // SAFETY: as in `perform`.
    match unsafe { (*runtime()).turns } {
        false => operation,
        true => marked(operation),
    }
}

#[cold]
fn marked(operation: Operation) -> Operation {
    match take_turn() {
        Some(since) if !is_interruptible() && !is_inside_event() && !is_cancelled() => {
            begin_again(operation, since)
        }
        _ => operation,
    }
}

fn begin_again(operation: Operation, since: u32) -> Operation {
    // SAFETY: as in `perform`.
    unsafe {
        (*runtime()).turn_began = since;
        (*runtime()).turn_reads = (*own_fiber()).turn_reads;
    }
    Operation {
        other: TURN,
        ..operation
    }
}

/// The same, for its first access.
pub fn take_turn() -> Option<u32> {
    // SAFETY: as in `perform`.
    let turn = unsafe { core::mem::take(&mut (*own_fiber()).turn) };
    turn.checked_sub(1)
}

/// Whether handlers of signals may run in the running thread, or a request to end may reach it.
pub fn is_interruptible() -> bool {
    // SAFETY: as in `perform`.
    let is_pending = unsafe { (*world()).engine.signals.contains(thread()) };
    is_pending || uses::is_interruptible(thread()) || uses::knows(uses::Use::ProcessSignals)
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
    // SAFETY: as in `perform`.
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
    // SAFETY: as in `perform`; the context saved here is never resumed.
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

/// The number the running thread's next child gets: a function of its own history (which children
/// it created and joined). The thread exists once `Kind::Create` with this argument was performed;
/// its fiber then starts in [`crate::pthread::thread::run`]. `None`: there is no room for it ([`crate::thread_limit`]).
pub fn reserve_thread() -> Option<ThreadId> {
    let rt = runtime();
    // SAFETY: as in `perform`.
    unsafe {
        let me = (*rt).current.0 as usize;
        let fiber = own_fiber();
        if (*fiber).returned > 0 {
            let returned = &mut (*world()).returned;
            let mut all = returned.iter_mut().zip(0..);
            let found = all.find(|(owner, _)| usize::from(**owner) == me + 1);
            let (owner, number) = found.expect("[dpor internal bug] a number that came back");
            *owner = 0;
            (*fiber).returned -= 1;
            return Some(ThreadId(number));
        }
        let nth = (*fiber).children as usize;
        if nth == THREADS_MAX {
            return None;
        }
        (*fiber).children += 1;
        let rt = &mut *rt;
        if rt.number(me, nth).is_none() {
            workers::number(rt, me as u16, nth as u16)?;
        }
        // A search that is taken up knows the numbers of another process.
        let number = rt
            .number(me, nth)
            .filter(|&t| usize::from(t) < thread_limit::get());
        number.map(ThreadId)
    }
}

/// The thread that the running thread created in its last operation, if it wrote nothing since.
pub fn created_last() -> Option<ThreadId> {
    // SAFETY: as in `perform`.
    unsafe {
        let creates = (*own_fiber()).pending == Kind::Create as u8;
        let number = (*own_fiber()).argument as u16;
        (creates && !WRITTEN.load(Ordering::Relaxed)).then_some(ThreadId(number))
    }
}

/// A join, of `target` if it is of one thread: `Kind::Join` or `Kind::JoinAll`. `looks`: at what the
/// thread returned.
pub fn join(kind: Kind, target: ThreadId, looks: bool) -> Operation {
    let wrote = u128::from(WRITTEN.load(Ordering::Relaxed)) * joining::WROTE;
    Operation {
        argument: u64::from(target.0),
        expected: wrote | (u128::from(looks) * joining::RESULT),
        ..operation(kind)
    }
}

/// The object of an access to memory.
pub fn memory_object(address: usize, bytes: u64) -> ObjectId {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).blocks.object(address as u64, bytes) }
}

/// Whether a thread has finished.
pub fn has_finished(thread: ThreadId) -> bool {
    // SAFETY: as in `perform`.
    unsafe { !(*world()).engine.is_live(thread) }
}

/// Gives a joined thread's number back to the running thread, which joined it.
pub fn release_thread(thread: ThreadId) {
    // SAFETY: as in `perform`.
    unsafe {
        (*world()).returned[usize::from(thread.0)] = (*runtime()).current.0 + 1;
        (*own_fiber()).returned += 1;
    }
}

/// The `pthread_t` of a thread.
pub fn pthread_of(thread: ThreadId) -> libc::pthread_t {
    // SAFETY: as in `perform`; thread pointers never change.
    unsafe { (*runtime()).thread_pointer_of(thread) as libc::pthread_t }
}

/// The thread with this `pthread_t`, if it is one of ours.
pub fn thread_of(pthread: libc::pthread_t) -> Option<ThreadId> {
    // SAFETY: as in `perform`.
    let rt = unsafe { &*runtime() };
    let pointer = pthread as usize;
    if pointer == rt.thread_pointer {
        return Some(ThreadId(0));
    }
    // Areas lie one after the other; the last one is the engine's.
    let nth = pointer.checked_sub(rt.areas[0].start)? / borrow::STACK_BYTES;
    let thread = ThreadId(nth as u16 + 1);
    (nth + 1 < rt.areas.len() && rt.thread_pointer_of(thread) == pointer).then_some(thread)
}

/// Stack of a thread: lowest address and bytes. Thread 0's is what is mapped of it now.
pub fn stack_of(thread: ThreadId) -> (usize, usize) {
    // SAFETY: as in `perform`.
    let rt = unsafe { &*runtime() };
    match thread.0 {
        0 => (rt.stack_end - (8 << 20), 8 << 20),
        _ => (
            rt.area(thread).start,
            rt.area(thread).tls_low - rt.area(thread).start,
        ),
    }
}

/// The process ends here with a finding, as an event that conflicts with everything.
pub fn fail(kind: FindingKind, message: &str) -> ! {
    findings::sentence(kind, message.to_owned(), site(), 0, Vec::new());
    perform(operation(Kind::Exit));
    unreachable!("[dpor internal bug] a doomed thread went on");
}

/// The process ends here (`_exit`), as an event that conflicts with everything.
/// A code other than 0, and than those of `--exit-status`, is a finding.
pub fn end_process(code: i32) -> ! {
    finish_process(code, Last::AtOnce)
}

/// What precedes the end of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// Nothing.
    AtOnce,
    /// The handlers of `exit`.
    Handlers,
    /// Those of `quick_exit`, after which nothing is flushed.
    QuickHandlers,
}

/// See [`end_process`].
pub fn finish_process(code: i32, last: Last) -> ! {
    let flush = last == Last::Handlers;
    crate::pthread::signal::deliver::look_last();
    let rt = runtime();
    // SAFETY: as in `perform`.
    let fails = unsafe { !(*rt).options.exit_status.has(code) };
    #[cfg(feature = "mutations")]
    let fails = fails && !mutations::does(mutations::Wrong::AnyStatus);
    if fails {
        let details = vec![format!("exit status {code}")];
        // What the execution printed belongs to the finding.
        if flush {
            stdio::flush();
        }
        findings::sentence(
            FindingKind::NonzeroExit,
            format!("the process exits with status {code}"),
            site(),
            0,
            details,
        );
    }
    let waits = !fails && last != Last::AtOnce && !is_inside_event() && crate::exit::waits();
    // With nobody left whom it could forestall, the end is not an event: nothing is ordered by it.
    let alone = !fails && is_last();
    if !alone {
        let kind = if waits { Kind::ProcessEnd } else { Kind::Exit };
        perform(Operation {
            argument: code as u64,
            ..operation(kind)
        });
    }
    let all_ended = alone || waits && is_last();
    if flush && !fails {
        crate::pthread::thread::note_abandoned();
        if is_last() {
            crate::pthread::lives::tell_of_left();
            leaks::tell_of_leaks();
            raced::tell_of_unused_loads();
        }
    }
    // SAFETY: as in `perform`.
    unsafe {
        (*rt).exiting = true;
        (*rt).failed = fails;
    }
    if flush {
        stdio::flush();
    }
    leave(match all_ended {
        true => Next::Finished,
        false => Next::Ended,
    })
}

/// The running thread ends, and nothing of it is left to do.
pub fn finish_thread() -> ! {
    leave(Next::Finished)
}

/// Whether a thread stands where it waits for the end of the others, with nothing left to do but to end the process.
pub fn stands_at_end(thread: ThreadId) -> bool {
    // SAFETY: the world is mapped; a plain read.
    let pending = unsafe { (*world()).threads[usize::from(thread.0)].fiber.pending };
    pending == Kind::JoinAll as u8 || pending == Kind::ProcessEnd as u8
}

/// Threads that have ended when the process does, and that nobody joined or detached.
pub fn note_abandoned(threads: ThreadMask) {
    // SAFETY: as in `perform`.
    unsafe { (*world()).engine.abandoned = threads };
}

/// How many events the execution has.
pub fn depth() -> usize {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).depth }
}

/// Main, on thread 0, has returned.
pub fn main_returned() {
    // SAFETY: as in `perform`.
    unsafe { (*world()).engine.main_returned = true };
}

/// True if every other thread has finished.
fn is_last() -> bool {
    // SAFETY: as in `perform`.
    unsafe { (*world()).engine.live.is_only((*runtime()).current) }
}

/// The running thread stands in an assume that does not hold, for ever.
pub fn dead() -> ! {
    leave(Next::Dead)
}

/// The running thread stands at the head of the loop at `site`, for ever (`--loop-bound`).
pub fn cut(site: u64) -> ! {
    // SAFETY: as in `perform`.
    unsafe {
        (*own_fiber()).site = site;
        (*world()).engine.cut.insert(thread());
    }
    leave(Next::Dead)
}

/// The loops at which threads stand for ever: their sites.
pub fn cut_loops() -> impl Iterator<Item = u64> {
    // SAFETY: as in `perform`.
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

/// The race detector, for the running fiber: each use of it borrows it anew, for one call.
pub struct Detector(*mut Races);

impl Deref for Detector {
    type Target = Races;

    #[inline(always)]
    fn deref(&self) -> &Races {
        // SAFETY: a fiber runs, and the engine waits without a reference. What the detector is told or asked
        // does not come back to the runtime, so that no other borrow begins before this one ends.
        unsafe { &*self.0 }
    }
}

impl DerefMut for Detector {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Races {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.0 }
    }
}

/// The race detector and the running thread's number in it; `None` if it is not to be told of what
/// happens: with `--races=off` and `--plain=check`, and in most steps that are repeated.
#[inline(always)]
pub fn races() -> Option<(Detector, u16)> {
    // Whatever it is told may make an access matter again that it knows.
    repeated::forget_all();
    races_of_access()
}

/// As [`races`], to be told of a plain access.
#[inline(always)]
pub fn races_of_access() -> Option<(Detector, u16)> {
    let rt = runtime();
    // SAFETY: as in `perform`.
    unsafe {
        if !(*rt).judging.is_on() {
            return None;
        }
        Some((Detector(&raw mut (*rt).races), (*rt).current.0))
    }
}

/// The race detector, for what the program or a finding learns from it; `None` with `--races=off`.
pub fn ask_races() -> Option<(Detector, u16)> {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).judging.ask() };
    races()
}

/// Between these two, the running thread's operations are no scheduling points: the whole section
/// is one event that conflicts with everything. Nests.
pub fn atomic_begin() {
    perform(operation(Kind::Opaque));
    // SAFETY: as in `perform`.
    unsafe { (*own_fiber()).atomic += 1 };
}

/// See [`atomic_begin`].
pub fn atomic_end() {
    // SAFETY: as in `perform`.
    unsafe { (*own_fiber()).atomic = (*own_fiber()).atomic.saturating_sub(1) };
}

/// Whether the running thread's accesses are inside an event already (an atomic section, or the
/// end of the process), so that they are performed at once.
#[inline(always)]
pub fn is_inside_event() -> bool {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).exiting || (*own_fiber()).atomic > 0 }
}

/// Whether the process is ending: handlers of `exit` run, and no other thread will.
pub fn is_ending() -> bool {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).exiting }
}

/// Whether the running thread is the target of a cancellation, in some execution.
#[inline(always)]
pub fn is_cancelled() -> bool {
    uses::is_cancelled(thread())
}

/// Whether another thread of the program exists.
pub fn has_company() -> bool {
    let hidden = crate::libc::timers::watchers();
    // SAFETY: as in `perform`.
    let (live, me) = unsafe { (&(*world()).engine.live, (*runtime()).current) };
    !live.is_only(me) && live.minus(&hidden).minus(&ThreadMask::of(me)) != ThreadMask::EMPTY
}

/// How many waits of a thread may end without a signal.
pub fn spurious_max() -> u64 {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).options.spurious }
}

/// Records a value for the outcome of this execution.
pub fn observe(name: &[u8], value: i64) {
    // SAFETY: as in `perform`.
    unsafe { (*runtime()).findings.observe(name, value) };
}

/// Captured output: bytes the program wrote to descriptor 1 or 2.
pub fn capture(descriptor: i32, bytes: &[u8]) {
    // SAFETY: as in `perform`.
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
