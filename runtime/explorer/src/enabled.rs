//! Which threads can go on, and what keeps the others.

use crate::object::memory::{self, CELLS_MAX};
use crate::object::{self, alternatives, gate_object, gate_objects, Alternatives, View};
use crate::operation::{Interned, OperationIndex};
use crate::state::Now;
use crate::threads::Standing;
use crate::trace::Trace;
use crate::Program;
use dpor_model::{Detail, Kind, ThreadId, ThreadSet, TIMEOUT};

/// Predicts whether an operation that compares finds what it expects in the present state.
pub(crate) fn succeeds_now<P: Program>(
    trace: &Trace,
    program: &mut P,
    operation: OperationIndex,
) -> bool {
    let interned = trace.table.get(operation);
    if interned.compared().is_empty() {
        return false;
    }
    let mut cells = [0; CELLS_MAX];
    for (cell, &object) in cells.iter_mut().zip(interned.compared()) {
        let value = trace.value_after(object, |_| true);
        let value = value.or_else(|| program.peek(trace.table.object_id(object)));
        *cell = value.unwrap_or(0);
    }
    memory::succeeds(&interned.operation, cells)
}

/// Whether a compare-exchange finds what it expects, for an operation whose alternatives depend on it, from memory itself: only where the
/// program stands in the present state. False for all others.
pub(crate) fn finds_expected<P: Program>(
    trace: &Trace,
    program: &mut P,
    operation: OperationIndex,
) -> bool {
    let interned = trace.table.get(operation);
    let (Kind::FutexRequeue | Kind::FutexWakeOp, &[object]) =
        (interned.operation.kind, interned.compared())
    else {
        return false;
    };
    match program.peek(trace.table.object_id(object)) {
        Some(cell) => memory::succeeds(&interned.operation, [cell, 0, 0]),
        None => succeeds_now(trace, program, operation),
    }
}

/// True if a thread that cannot go on would only need a lock. What waits for a thread's end or a
/// signal misses an event, and no reversal that removes events brings one.
pub(crate) fn is_blocked_by_lock(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
) -> bool {
    let interned = trace.table.get(operation);
    gate_object(interned).is_some() && !waits_for_signal(trace, thread, operation)
}

/// True if `thread` stands in a wait that nobody has ended.
pub(crate) fn waits_for_signal(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> bool {
    let interned = trace.table.get(operation);
    interned.operation.kind == Kind::CondReacquire
        && trace
            .waiters
            .contains(Now(trace).value(interned.object()), thread)
}

/// True if no thread can go on, and none of them because of an assume.
fn is_quiet(trace: &Trace) -> bool {
    let goes_on = |(thread, operation)| is_enabled(trace, thread, operation);
    let dead = &trace.threads.dead;
    let is_parked = dead.is_empty() || dead.is_within(&trace.parked_threads());
    is_parked && !trace.pending_threads().any(goes_on)
}

/// True if `thread` waits with a time limit. What waits for a mutex after a signal does not, unless it [`Detail::Stays`].
pub(crate) fn waits_timed(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> bool {
    let op = &trace.table.get(operation).operation;
    op.timed
        && (op.kind != Kind::CondReacquire
            || op.detail == Detail::Stays
            || waits_for_signal(trace, thread, operation))
}

/// True if `thread` gave up waiting at this place before, while only the last step of the process was left to come:
/// it may do so for ever, and the process does not wait for that.
pub(crate) fn times_out_again(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> bool {
    let site = trace.table.get(operation).operation.site;
    let leaver = trace.threads.leaving.first();
    let since = leaver.map(|leaver| trace.stands_since(leaver));
    since.is_some_and(|since| {
        let mut own = trace.events_of(thread).iter().rev().map(|&k| k as usize);
        { own.by_ref() }.take_while(|&k| k >= since).any(|k| {
            trace.event(k).decision.alternative == TIMEOUT && trace.operation(k).site == site
        })
    })
}

/// The threads that can give up waiting: none as long as something else can happen.
#[inline]
pub(crate) fn timed_out(trace: &Trace) -> ThreadSet {
    match trace.threads.timed.is_empty() {
        true => ThreadSet::EMPTY,
        false => timed_out_now(trace),
    }
}

fn timed_out_now(trace: &Trace) -> ThreadSet {
    if !is_quiet(trace) {
        return ThreadSet::EMPTY;
    }
    let timed = trace.pending_threads();
    let timed = timed.filter(|&(thread, operation)| {
        waits_timed(trace, thread, operation) && !times_out_again(trace, thread, operation)
    });
    timed.map(|(thread, _)| thread).collect()
}

/// True if `thread` can execute the operation before which it stands with this alternative, as far
/// as that depends on other threads.
#[inline]
pub(crate) fn can_run(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
    alternative: u32,
) -> bool {
    match alternative {
        TIMEOUT => timed_out(trace).contains(thread),
        _ => is_enabled(trace, thread, operation),
    }
}

/// What can be decided for the operation before which `thread` stands. Who alone can go on does not give up early.
#[inline]
pub(crate) fn alternatives_now(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
    succeeds: bool,
) -> Alternatives {
    let interned = trace.table.get(operation);
    let alone = || !trace.table.by_states && goes_on_alone(trace, thread, interned);
    if interned.operation.kind == Kind::Early && alone() {
        return Alternatives::One(0);
    }
    alternatives(interned, thread, succeeds, &Now(trace))
}

/// True if nobody else can go on, nor could if the mutex were free that the call releases, and everything that others
/// did happens before what `thread` did last. That is so in all orders of a trace or in none: what else could come
/// before the operation would not happen before it.
#[cold]
fn goes_on_alone(trace: &Trace, thread: ThreadId, early: &Interned) -> bool {
    let Some(last) = trace.last_event(thread) else {
        return false;
    };
    // All that happened before a thread gave up happens before all that comes after that.
    let gave_up = |event: usize| { trace.timeouts.last() }.is_some_and(|&k| event <= k as usize);
    let is_known = |&end: &u32| match (end as usize).checked_sub(1) {
        Some(event) => event == last || trace.happens_before(event, last) || gave_up(event),
        None => true,
    };
    let lacks_released = |other, op| {
        let lacks = gate_objects(trace.table.get(op)).iter();
        lacks.copied().any(|object| Some(object) == early.other)
            && !waits_for_signal(trace, other, op)
    };
    let goes_on = |(other, op)| {
        other != thread && (is_enabled(trace, other, op) || lacks_released(other, op))
    };
    early.operation.detail != Detail::Alone
        && trace.threads.dead.is_empty()
        && !trace.pending_threads().any(goes_on)
        && trace.frontier().iter().all(is_known)
}

/// The alternatives of the operation before which `thread` stands, to be executed with one of them.
#[inline]
pub(crate) fn alternatives_with(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
    alternative: u32,
    succeeds: bool,
) -> Alternatives {
    match alternative {
        TIMEOUT => Alternatives::One(TIMEOUT),
        _ => alternatives_now(trace, thread, operation, succeeds),
    }
}

/// True if the operation before which `thread` stands can be executed now.
#[inline]
pub(crate) fn is_enabled(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> bool {
    !trace.is_held_back(thread)
        && object::is_enabled(trace.table.get(operation), thread, &Now(trace))
}

/// True if `thread` could go on and did not ask to be set aside.
#[inline]
pub(crate) fn could_go_on(trace: &Trace, thread: ThreadId) -> bool {
    match trace.threads.get(thread) {
        Standing::Before(operation) => {
            trace.table.get(operation).operation.kind != Kind::Pause
                && is_enabled(trace, thread, operation)
        }
        _ => false,
    }
}

/// Events that a thread makes without a break before the default scheduler lets another go on (chosen: few threads make
/// as many, and what the others do is noticed early in an execution that is cut).
const LONG: usize = 1 << 12;

/// True if the last [`LONG`] events are all of `thread`, and nobody counts preemptions.
#[inline]
fn ran_long(trace: &Trace, thread: ThreadId) -> bool {
    let own = trace.events_of(thread);
    let first = own.len().checked_sub(LONG).map(|n| own[n] as usize);
    first.is_some_and(|first| first + LONG == trace.len() && !trace.table.is_bounded())
}

/// The first of [`enabled_steps`], with its first alternative. Two searches use it; it is 1 % of the
/// instructions of each whether it is inlined in both.
#[inline(always)]
pub(crate) fn first_step(trace: &Trace) -> Option<(ThreadId, u32)> {
    let running = trace.events().last().map(|event| event.thread);
    let others = trace.threads.pending.iter().filter(|&t| Some(t) != running);
    // Who ran long comes last.
    let goes_on = running.filter(|&thread| !ran_long(trace, thread));
    for thread in goes_on.into_iter().chain(others) {
        if let Standing::Before(operation) = trace.threads.get(thread) {
            let interned = trace.table.get(operation);
            if !interned.yields && is_enabled(trace, thread, operation) {
                let first = match interned.facts.chooses {
                    true => {
                        let succeeds = trace.compares_equal(thread);
                        alternatives_now(trace, thread, operation, succeeds).first()
                    }
                    false => 0,
                };
                return Some((thread, first));
            }
        }
    }
    let (thread, alternatives) = enabled_steps(trace).next()?;
    Some((thread, alternatives.first()))
}

/// Threads that can go on, the running one first, the others in order.
pub(crate) fn enabled_steps(trace: &Trace) -> impl Iterator<Item = (ThreadId, Alternatives)> + '_ {
    let running = trace.events().last().map(|event| event.thread);
    let others = || {
        let all = trace.threads.pending.iter();
        all.filter(move |&t| Some(t) != running)
    };
    let step = |thread: ThreadId, set_aside: bool| match trace.threads.get(thread) {
        Standing::Before(operation) if is_enabled(trace, thread, operation) => {
            let interned = trace.table.get(operation);
            let succeeds = trace.compares_equal(thread);
            let all = || alternatives_now(trace, thread, operation, succeeds);
            (interned.yields == set_aside).then(|| (thread, all()))
        }
        _ => None,
    };
    let active = running.into_iter().chain(others());
    // Among threads that asked to be set aside, the one that ran last comes last: each gets its turn.
    let later = others().filter(move |&t| Some(t) > running);
    let sooner = others().filter(move |&t| Some(t) < running);
    let aside = later.chain(sooner).chain(running);
    let active = active.filter_map(move |thread| step(thread, false));
    let steps = active.chain(aside.filter_map(move |thread| step(thread, true)));
    let mut timed_out = timed_out(trace);
    let timed_out = std::iter::from_fn(move || timed_out.pop_first());
    steps.chain(timed_out.map(|thread| (thread, Alternatives::One(TIMEOUT))))
}
