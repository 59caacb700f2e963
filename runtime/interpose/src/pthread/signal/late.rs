//! Signals that only a time-out led to.
//!
//! A thread gives up waiting where nothing else can go on, so that the others have to block first. What one of them
//! is sent after that it cannot have had before it looked; it arrives while the thread blocks, beside what others do
//! meanwhile. Once a program was seen to send such a signal ([`EventCause::LateSignals`]), threads that others send signals
//! may give up their waits, too, before a time-out: such a thread *awaits* a signal. It does not try to get what it
//! waits for, but stands before a semaphore of its own, on which whoever sends it the signal posts. Then its handler
//! runs, and it waits on. So every wait with a handler in it is one in which the thread knew in time. The thread has
//! no part in anything meanwhile, as it would have none in its wait: it stays among the waiters of a condition
//! variable.
//!
//! What it waits for must not have been there at any time-out while it awaited the signal, or it would have gone on.
//! It was not there when the thread gave up, because nothing else could go on then. So there may be one time-out after
//! that, the one that the signal comes from, and not a second; the thread would give up before the second
//! one. If several threads await signals, they give up in the order of their numbers.
//! A thread whose wait has a time limit chooses between the two when it gives up.
//!
//! An execution in which the signal does not come is none. If it ends without a time-out after that, it shows who
//! waits for what, as the thread waits for what it gave up: that is how a deadlock is found ([`in_deadlock`]).
//!
//! A handler that ends the wait ends it if what the thread waits for is not there when it was woken. If it is, the
//! thread was woken for that first, and the call goes on ([`super::interrupt`]).
//!
//! Threads at a barrier whose result the program looks at, and those that wait with a limit to write to a lock that
//! prefers writers, cannot give up and stay: a late signal for them is unsupported.

use super::super::{cancel, entry, time_out};
use super::deliver::{self, deliver};
use super::state::{bit, is_stuck, is_there, of, quietly, read_own, Look};
use crate::engine::given::posix_functions::TimeOut;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object, own_semaphore};
use crate::libc::signals;
use crate::world::world;
use core::ffi::c_int;
use dpor_model::{Argument, Decision, Detail, Kind, Operation, ThreadId, ThreadSet, TIMEOUT};

/// Returns whether threads that others send signals may await them.
pub(super) fn is_known() -> bool {
    learned_events::knows(EventCause::LateSignals)
}

/// Returns the number of time-outs in this execution.
fn time_outs() -> u64 {
    // SAFETY: the world is mapped; this is a plain read, and no other fiber runs.
    unsafe { (*world()).engine.time_outs }
}

/// Returns whether a thread remembers this number of time-outs.
pub(in crate::pthread) fn remembers_time_out(thread: ThreadId, number: u64) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs.
    let looked = unsafe { (*of(thread)).time_outs };
    looked == number || awaits_since(thread) == Some(number)
}

fn live() -> impl Iterator<Item = ThreadId> {
    // SAFETY: the world is mapped; this is a plain read, and no other fiber runs.
    let live = unsafe { (*world()).engine.live };
    live.iter()
}

/// Returns the number of time-outs at which a thread began to await a signal, if it awaits one.
fn awaits_since(thread: ThreadId) -> Option<u64> {
    // SAFETY: the entry lies in the world, which is mapped; no fiber runs, or the running thread
    // gave up, which is ordered after everything.
    unsafe { (*of(thread)).awaits.checked_sub(1) }
}

/// Returns whether a thread awaits a signal instead of what it would wait for.
pub fn awaits(thread: ThreadId) -> bool {
    awaits_since(thread).is_some()
}

/// Returns the kind (`Kind as u8`) of the operation that a thread which awaits a signal would else
/// wait in.
pub fn awaits_in(thread: ThreadId) -> u8 {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*of(thread)).awaits_in }
}

/// Returns what becomes of a time-out of the running thread, which happens where no other thread
/// can go on: a thread that was sent a signal would run its handler first.
pub(in crate::pthread) fn time_out() -> TimeOut {
    let me = engine::thread();
    if !is_known() {
        if is_stuck(me) {
            return TimeOut::Happens; // It runs its handler afterwards.
        }
        // The twin is that in which the signal came before the thread looked.
        return match live().any(is_stuck) {
            true => TimeOut::Impossible,
            false => TimeOut::Happens,
        };
    }
    // The same, or that in which the thread awaited the signal.
    let waited_on = |thread| awaits_since(thread).is_some_and(|since| since != time_outs());
    if live().any(|thread| is_stuck(thread) || waited_on(thread)) {
        return TimeOut::Impossible;
    }
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    match unsafe { (*of(me)).look } {
        Look::No => TimeOut::Happens,
        Look::Only if is_before_another(me) => TimeOut::Impossible,
        Look::Only | Look::Either => TimeOut::Looks,
    }
}

/// Returns whether a thread with a higher number than `me` awaits a signal.
fn is_before_another(me: ThreadId) -> bool {
    live().any(|thread| thread > me && awaits(thread))
}

/// Waits with `wait`, which may give up where nothing else can go on. `None`: it gave up so that it awaits a signal,
/// and one is there now. `timed`: it may have a time limit, too, which is asked again when it gave up.
pub(super) fn wait<T>(
    timed: bool,
    is_limited: impl FnOnce() -> bool,
    wait: impl FnOnce() -> T,
    gave_up: impl FnOnce(&T) -> bool,
) -> Option<T> {
    let me = engine::thread();
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*of(me)).look = if timed { Look::Either } else { Look::Only } };
    let result = quietly(wait);
    // SAFETY: the entry in the world is the running thread's own; the thread stands where it stood
    // before.
    let kind = unsafe {
        (*of(me)).look = Look::No;
        (*world()).threads[usize::from(me.0)].fiber.pending
    };
    if !gave_up(&result) {
        return Some(result);
    }
    let limited = timed && is_limited();
    if limited && is_over() {
        return Some(result);
    }
    if is_before_another(me) {
        engine::dead();
    }
    // SAFETY: the entry in the world is the running thread's own.
    unsafe {
        (*of(me)).awaits = 1 + time_outs();
        (*of(me)).awaits_limited = limited;
        (*of(me)).awaits_in = kind;
    }
    await_signal();
    None
}

/// Returns, for the running thread which gave up a wait with a limit, whether its time is over, or
/// it awaits a signal.
fn is_over() -> bool {
    let choice = Operation {
        argument: Argument::choices(2),
        ..engine::operation(Kind::Choose)
    };
    let is_over =
        is_before_another(engine::thread()) || quietly(|| engine::perform(choice).alternative) == 0;
    if is_over {
        // No other thread could go on since the thread gave up.
        time_out::count();
    }
    is_over
}

/// Blocks the running thread, which gave up a wait, until there is a signal for it.
fn await_signal() {
    let me = engine::thread();
    let own = of(me);
    loop {
        read_own();
        if is_there(me) {
            break;
        }
        // SAFETY: the running thread's own entries; after the event.
        unsafe { (*own).waiting = !*signals::mask_of(me) };
        engine::perform(own_semaphore::wait(object::signal_wait(me)));
    }
    // SAFETY: the entry in the world is the running thread's own; the event is over.
    unsafe {
        (*own).waiting = 0;
        (*own).awaits = 0;
    }
}

/// The way in which a signal that comes late can end a wait.
enum Ending {
    /// The operation is no wait, or others end it.
    None,
    /// The thread gives up the wait.
    GivesUp,
    /// Nothing ends the wait: late signals miss the thread.
    MissesSignals,
}

fn ending(operation: &Operation) -> Ending {
    match operation.kind {
        Kind::BarrierLeave if operation.tells() => Ending::MissesSignals,
        Kind::RwlockWrite if operation.is_announced() && operation.timed => Ending::MissesSignals,
        Kind::MutexLock
        | Kind::MutexLockAll
        | Kind::RwlockRead
        | Kind::RwlockWrite
        | Kind::CondReacquire
        | Kind::BarrierLeave
        | Kind::Join => Ending::GivesUp,
        Kind::Channel if operation.levels() != 0 => Ending::GivesUp,
        _ if own_semaphore::is_wait(operation) && !object::is_signal(operation.object) => {
            Ending::GivesUp
        }
        _ if operation.waits => Ending::GivesUp,
        _ => Ending::None,
    }
}

/// Performs an operation of the running thread's that handlers do not end, if it may await a late
/// signal; `None`: there is nothing special about it.
pub fn wait_on(operation: &Operation) -> Option<Decision> {
    let me = of(engine::thread());
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let quiet = unsafe { (*me).quiet };
    if quiet || !is_known() || !deliver::is_possible() {
        return None;
    }
    match ending(operation) {
        Ending::None => None,
        Ending::MissesSignals => {
            // SAFETY: `me` is the running thread's own entry in the world.
            unsafe { (*me).misses_late_signals = true };
            let decision = quietly(|| engine::perform(*operation));
            // SAFETY: `me` is the running thread's own entry in the world.
            unsafe { (*me).misses_late_signals = false };
            Some(decision)
        }
        Ending::GivesUp => Some(give_up_or_wait(operation)),
    }
}

fn give_up_or_wait(operation: &Operation) -> Decision {
    let mut timed = Operation {
        timed: true,
        ..*operation
    };
    let announced = operation.is_announced();
    let is_condition = operation.kind == Kind::CondReacquire;
    if announced || is_condition {
        timed.detail = Detail::Stays;
    }
    loop {
        // A time limit is that of the wait for a signal on the condition variable.
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        let is_limited = || unsafe { !is_condition || (*entry(engine::thread())).waiting != 0 };
        let gave_up = |decision: &Decision| decision.alternative == TIMEOUT;
        match wait(
            operation.timed,
            is_limited,
            || engine::perform(timed),
            gave_up,
        ) {
            Some(decision) if is_condition && gave_up(&decision) => {
                // It leaves the waiters.
                quietly(|| cancel::signal(operation.object, engine::thread()));
                return decision;
            }
            Some(decision) => return decision,
            None => {
                deliver();
            }
        }
    }
}

/// Notes that a signal is pending for a thread that did not take it at once, in the step of the
/// event that sends it.
pub(super) fn sent(target: ThreadId, signal: c_int) {
    // SAFETY: the entries lie in the world, which is mapped; the event before conflicts with those
    // around their other uses.
    let (looked, mask) = unsafe { ((*of(target)).time_outs, *signals::mask_of(target)) };
    let arrives = mask & bit(signal) == 0 && !signals::is_ignored(signal);
    let is_late = looked != time_outs() && !learned_events::begins_anew();
    if !is_late || !arrives || engine::has_finished(target) {
        return;
    }
    learned_events::learn(EventCause::LateSignals);
    if misses_late_signals(target) {
        engine::unsupported(
            "a signal for a thread that waits at a barrier whose result counts, or with a time limit to write, where only \
             a time-out let anything go on (--timeouts may help)",
        );
    }
}

/// Returns whether a thread stands in a wait that a late signal does not reach.
fn misses_late_signals(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*of(thread)).misses_late_signals }
}

/// What threads that await signals say about the end of an execution in which nothing can go on.
pub enum Awaiting {
    /// The threads that stand in the waits which they gave up.
    Waits(ThreadSet),
    /// The execution is no possible one.
    Impossible,
}

/// Returns what the threads that await signals say, see [`Awaiting`]. No time-out may have come
/// since they gave up, nor may one be theirs.
pub fn in_deadlock() -> Awaiting {
    let mut all = ThreadSet::EMPTY;
    for thread in live() {
        let Some(since) = awaits_since(thread) else {
            continue;
        };
        // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
        // runs.
        let limited = unsafe { (*of(thread)).awaits_limited };
        if since != time_outs() || limited {
            return Awaiting::Impossible;
        }
        all.insert(thread);
    }
    Awaiting::Waits(all)
}
