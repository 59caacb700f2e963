//! The running thread: who it is, where it stands, and what it may ask of the engine without an event.
//!
//! All of it runs on a program fiber, but where said.

use crate::call_stacks;
use crate::given::make_root;
use crate::learned_events;
use crate::properties::look;
use crate::runtime::{runtime, ACTIVE, CALL_SITE, CHANGED};
use crate::state::Fiber;
use crate::thread_mask::ThreadMask;
use crate::world::world;
use dpor_model::{Kind, ObjectId, Operation, SiteId, ThreadId};
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

/// The running program thread. 0 before the root.
#[inline(always)]
pub fn thread() -> ThreadId {
    let rt = runtime();
    if rt.is_null() {
        return ThreadId::MAIN;
    }
    // SAFETY: the runtime is installed and never freed, and reading one word of it makes no reference that could be in
    // the way of another's.
    unsafe { (*rt).current }
}

/// Makes this point the root, if exploration has not begun and the runtime is not off.
/// Afterwards [`active`] is true, unless the runtime is off. Called on thread 0, by whatever needs
/// a second thread or a choice.
pub fn begin() {
    if look::is_on() {
        look::leave("begins what needs the search (a choice, a thread, a failed assertion)");
    }
    if !active() {
        make_root();
    }
}

/// The running thread's part of the engine's state.
///
/// # Safety
/// Exploration began, and a fiber runs.
#[inline(always)]
pub unsafe fn own_fiber() -> *mut Fiber {
    // SAFETY: by the caller's promise exploration began, so the world is mapped; the array checks the index.
    unsafe { &raw mut (*world()).threads[(*runtime()).current.0 as usize].fiber }
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

/// An operation without parameters at the site of the running thread's last instrumented call.
pub fn operation(kind: Kind) -> Operation {
    Operation::new(kind, site())
}

/// The site of the running thread's last instrumented call; 0 if unknown.
#[inline(always)]
pub fn site() -> SiteId {
    if call_stacks::are_kept() {
        // What follows in this call is of the same calls.
        CALL_SITE.set(call_stacks::here(CALL_SITE.get()));
    }
    CALL_SITE.get()
}

/// The object of an access to memory.
pub fn memory_object(address: usize, bytes: u64) -> ObjectId {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).blocks.object(address as u64, bytes) }
}

/// The number of events that the execution has so far.
pub fn depth() -> usize {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).depth }
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
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    let (live, hidden, me) = unsafe {
        let state = &(*world()).engine;
        (&state.live, &state.watchers, (*runtime()).current)
    };
    !live.is_only(me) && live.minus(hidden).minus(&ThreadMask::of(me)) != ThreadMask::EMPTY
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
