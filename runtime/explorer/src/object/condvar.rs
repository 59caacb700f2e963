//! Condition variables.
//!
//! State: the set of waiters ([`super::waiters`]), or [`DESTROYED`]. A wait is two events: `CondEnqueue` gives up the mutex and joins the set,
//! `CondReacquire` is enabled when the thread is no longer in the set and the mutex is free.
//!
//! Joining the set commutes with joining it: who waits longer is not part of a trace. A signal
//! therefore may wake any waiter, as POSIX allows, and each is an alternative.
//!
//! A wait that ends without a signal is an alternative of the first half, which then only gives up
//! the mutex ([`ways_to_wait`]).

use super::facts::BlockedBy;
use super::waiters::WaiterSets;
use super::{mutex, Act, Alternatives, Automaton, Effect, Facts, Present, View, EBUSY, OK};
use crate::conflict::{Access, Class, Object};
use crate::end::{MisuseKind, Waiting};
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Detail, Kind, Operation, ThreadId, NO_WAITER};
use smallvec::smallvec;

/// Condition variables of POSIX.
pub(crate) struct Condvar;

impl Automaton for Condvar {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::CondInit, Facts::new("cond-init").makes()),
        (Kind::CondDestroy, Facts::new("cond-destroy").destroys()),
        (Kind::CondEnqueue, Facts::new("cond-wait").chooses()),
        (
            Kind::CondReacquire,
            Facts::new("cond-wake").blocked_by(BlockedBy::Mutex),
        ),
        (Kind::CondSignal, Facts::new("cond-signal").chooses()),
        (Kind::CondBroadcast, Facts::new("cond-broadcast")),
    ];

    fn effect(act: Act, view: &impl View) -> Effect {
        match act.interned.operation.kind {
            Kind::CondReacquire => {
                let mutex = act.interned.mutex();
                let value = view.value(mutex);
                mutex::effect(&act.interned.operation, mutex, act.thread, value)
            }
            _ => effect(act.interned, act.thread, act.alternative, view),
        }
    }

    fn alternatives(
        interned: &Interned,
        thread: ThreadId,
        _: bool,
        view: &impl View,
    ) -> Alternatives {
        match interned.operation.kind {
            Kind::CondSignal => to_wake(&interned.operation, view.value(interned.object()), view),
            _ => ways_to_wait(interned, thread, view),
        }
    }

    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        let waiters = now.value(interned.object());
        !now.waiters().contains(waiters, thread)
            && Self::passes(interned, thread, |object| now.value(object))
    }

    /// Whether the mutex lets the thread pass, which may still wait for a signal.
    fn lets_pass(interned: &Interned, thread: ThreadId, value: u64) -> bool {
        mutex::lets_pass(&interned.operation, thread, value)
    }

    fn give_up(interned: &Interned, thread: ThreadId, view: &impl View) -> Option<(Object, u64)> {
        let object = interned.object();
        let left = || view.waiters().without(view.value(object), thread);
        (interned.operation.detail != Detail::Stays).then(|| (object, left()))
    }

    fn holder(_: &Interned, value: u64) -> Option<ThreadId> {
        mutex::owner(value)
    }

    /// The mutex with which its waiters wait.
    fn canonical_rest(object: Object, _: &Trace, now: &impl Present, into: &mut Vec<u64>) {
        let waiters = now.value(object);
        if waiters != DESTROYED {
            let mutex = now.waiters_mutex(object, waiters);
            into.extend(mutex.map(|mutex| u64::from(mutex.0)));
        }
    }

    fn with_one_more(_: Kind, thread: ThreadId, value: u64, waiters: &WaiterSets) -> u64 {
        waiters.with(value, thread)
    }

    fn describe_wait(waiting: &Waiting, _: &str, _: &Trace) -> String {
        match waiting.waits_for {
            Some(owner) => format!("to lock again the mutex that thread {} holds", owner.0),
            None => "for a signal".to_owned(),
        }
    }
}

pub(crate) const DESTROYED: u64 = u64::MAX;

/// Whom a signal can wake.
pub(crate) fn to_wake(signal: &Operation, value: u64, view: &impl View) -> Alternatives {
    let is_waiting = |thread| view.waiters().contains(value, thread);
    match signal.only() {
        _ if value == 0 || value == DESTROYED => Alternatives::One(NO_WAITER),
        None => view.waiters().alternatives(value),
        Some(only) if is_waiting(only) => Alternatives::One(only.0.into()),
        Some(_) => Alternatives::One(NO_WAITER),
    }
}

pub(crate) fn effect(
    interned: &Interned,
    thread: ThreadId,
    alternative: u32,
    view: &impl View,
) -> Effect {
    let object = interned.object();
    let value = view.value(object);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match interned.operation.kind {
        Kind::CondInit if interned.operation.detail == Detail::Remade && value != DESTROYED => {
            Effect::read(object, value, EBUSY)
        }
        Kind::CondInit | Kind::CondDestroy if value != 0 && value != DESTROYED => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::CondInit => write(0),
        Kind::CondEnqueue => enqueue(interned, thread, alternative, view, value),
        // It is no call on the condition variable.
        Kind::CondSignal if value == DESTROYED && interned.operation.only().is_some() => {
            Effect::read(object, value, OK)
        }
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        Kind::CondDestroy => write(DESTROYED),
        Kind::CondSignal if alternative == NO_WAITER => write(value),
        Kind::CondSignal => {
            let woken = ThreadId(alternative as u16);
            write(view.waiters().without(value, woken))
        }
        Kind::CondBroadcast => write(0),
        _ => unreachable!("not an operation on a condition variable: {interned:?}"),
    }
}

/// How a thread can wait: as a waiter, or, in other alternatives, ending the wait by itself. A wait
/// that ends by itself might as well have ended at once: whoever else is signalled meanwhile may be
/// signalled then, too. This depends on the mutex alone.
pub(crate) fn ways_to_wait(
    interned: &Interned,
    thread: ThreadId,
    view: &impl View,
) -> Alternatives {
    match interned.operation.detail {
        _ if mutex::owner(view.value(interned.mutex())) != Some(thread) => Alternatives::One(0),
        Detail::Leaves => Alternatives::One(1),
        Detail::WaysToEnd(count) => Alternatives::Below(count + 1),
        _ => Alternatives::One(0),
    }
}

fn enqueue(
    interned: &Interned,
    thread: ThreadId,
    alternative: u32,
    view: &impl View,
    waiters: u64,
) -> Effect {
    let (object, mutex) = (interned.object(), interned.mutex());
    let held = view.value(mutex);
    if held == mutex::DESTROYED {
        return Effect::misuse(MisuseKind::UseAfterDestroy);
    }
    if mutex::owner(held) != Some(thread) {
        // This outcome does not touch the condition variable, so that it must not depend on it.
        return mutex::not_owner(&interned.operation, mutex, held);
    }
    if alternative != 0 {
        return Effect::on(mutex, Class::WRITE, mutex::unlocked(held));
    }
    if waiters == DESTROYED {
        return Effect::misuse(MisuseKind::UseAfterDestroy);
    }
    if waiters != 0 && view.waiters_mutex(object, waiters) != Some(mutex) {
        return Effect::misuse(MisuseKind::CondvarMutexMismatch);
    }
    Effect {
        footprint: smallvec![
            Access {
                object: mutex,
                class: Class::WRITE
            },
            Access {
                object,
                class: Class::enqueue(mutex)
            },
        ],
        after: [
            mutex::unlocked(held),
            view.waiters().with(waiters, thread),
            0,
        ],
        ..Effect::none()
    }
}
