//! The object automata: when is an operation enabled, what does it do, and to which class of
//! access does its outcome belong. One file per kind of object.
//!
//! Every state is one `u64`. The log of an object keeps it before and after each event, so the
//! present state is the last entry's, and taking back an event restores it. States and results
//! here are functions of the object alone: nothing depends on the order in which commuting events
//! happened.

mod alternatives;
pub(crate) mod barrier;
pub(crate) mod channel;
pub(crate) mod condvar;
pub(crate) mod early;
mod effect;
pub(crate) mod futex;
pub(crate) mod memory;
pub(crate) mod mutex;
pub(crate) mod rwlock;
pub(crate) mod semaphore;
pub(crate) mod thread;
pub(crate) mod waiters;

pub(crate) use alternatives::Alternatives;
pub(crate) use effect::Effect;

use crate::commuting::Commuting;
use crate::condition::Condition;
use crate::conflict::{Access, Class, Object};
use crate::operation::Interned;
use crate::program::{Kind, Operation, ThreadId, SERIAL_THREAD, STAYS, TIMEOUT};
use waiters::WaiterSets;

/// Result of a call that succeeds; the others have the values of Linux.
pub(crate) const OK: i32 = 0;
pub(crate) const EPERM: i32 = 1;
pub(crate) const EAGAIN: i32 = 11;
pub(crate) const EBUSY: i32 = 16;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const EDEADLK: i32 = 35;
pub(crate) const EOVERFLOW: i32 = 75;
pub(crate) const ETIMEDOUT: i32 = 110;
pub(crate) const EOWNERDEAD: i32 = 130;
pub(crate) const ENOTRECOVERABLE: i32 = 131;

/// The objects in some state.
pub(crate) trait View {
    /// State of a synchronization object.
    fn value(&self, object: Object) -> u64;
    /// The mutex with which the threads wait that wait on `condvar` in state `waiters`.
    fn waiters_mutex(&self, condvar: Object, waiters: u64) -> Option<Object>;
    /// What states of sets of waiters mean.
    fn waiters(&self) -> &WaiterSets;
    /// True if `thread` holds read-write lock `rwlock`.
    fn holds(&self, rwlock: Object, thread: ThreadId) -> bool;
    /// The generation of `barrier` in which `thread` arrived last.
    fn generation(&self, barrier: Object, thread: ThreadId) -> barrier::Generation;
    /// The last wait on a futex that `thread` began.
    fn last_wait(&self, thread: ThreadId) -> Option<&Operation>;
    /// The futex on which `thread` waits, or waited last, which joined the waiters of `futex` when it last began a wait on one.
    fn queue(&self, futex: Object, thread: ThreadId) -> Object;
    /// What commutes in this search.
    fn commuting(&self) -> &Commuting;
}

/// What `thread` does when it executes an operation on objects in the state that `view` shows.
/// A compare-exchange, or a futex operation that compares, is predicted to find what it expects if
/// `succeeds`.
pub(crate) fn effect(
    interned: &Interned,
    thread: ThreadId,
    alternative: u32,
    succeeds: bool,
    view: &impl View,
) -> Effect {
    let op = &interned.operation;
    if alternative == TIMEOUT {
        return timeout(interned, thread, view);
    }
    match op.kind {
        Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange => {
            let footprint = memory::footprint(interned, succeeds);
            Effect {
                footprint,
                ..Effect::none()
            }
        }
        Kind::MutexInit
        | Kind::MutexDestroy
        | Kind::MutexLock
        | Kind::MutexTrylock
        | Kind::MutexUnlock
        | Kind::MutexAbandon
        | Kind::MutexConsistent => {
            let object = interned.object();
            mutex::effect(op, object, thread, view.value(object))
        }
        Kind::MutexLockAll => mutex::lock_all(interned, thread, view),
        Kind::CondReacquire => {
            let object = interned.mutex();
            mutex::effect(op, object, thread, view.value(object))
        }
        Kind::CondInit
        | Kind::CondDestroy
        | Kind::CondEnqueue
        | Kind::CondSignal
        | Kind::CondBroadcast => condvar::effect(interned, thread, alternative, view),
        Kind::RwlockRead
        | Kind::RwlockAnnounce
        | Kind::RwlockWrite
        | Kind::RwlockTryread
        | Kind::RwlockTrywrite
        | Kind::RwlockUnlock
        | Kind::RwlockInit
        | Kind::RwlockDestroy
        | Kind::RwlockRetract => rwlock::effect(interned, thread, view),
        Kind::SemInit
        | Kind::SemDestroy
        | Kind::SemWait
        | Kind::SemTrywait
        | Kind::SemPost
        | Kind::SemGetvalue => semaphore::effect(op, interned.object(), view),
        Kind::BarrierInit | Kind::BarrierDestroy | Kind::BarrierArrive | Kind::BarrierLeave => {
            barrier::effect(op, interned.object(), thread, alternative, view)
        }
        Kind::FutexWait
        | Kind::FutexWoken
        | Kind::FutexWake
        | Kind::FutexRequeue
        | Kind::FutexWakeOp
        | Kind::FutexRetract => futex::effect(interned, thread, alternative, succeeds, view),
        Kind::ChannelInit => Effect::on(interned.object(), Class::WRITE, op.argument),
        // The levels are known afterwards.
        Kind::Channel => Effect::on(interned.object(), Class::WRITE, 0),
        Kind::Early => early::effect(interned.object(), alternative, view),
        Kind::SharedRead => Effect::on(interned.object(), Class::READ, 0),
        Kind::SharedWrite => Effect::on(interned.object(), Class::WRITE, 0),
        Kind::Start
        | Kind::Create
        | Kind::Join
        | Kind::JoinAll
        | Kind::MainReturn
        | Kind::ProcessEnd
        | Kind::Choose
        | Kind::Pause => Effect::none(),
        Kind::Opaque | Kind::Exit => Effect::everything(),
    }
}

/// The thread gives up waiting. That nothing else could go on depends on all events before, so they
/// all happen before it.
fn timeout(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let mut effect = Effect {
        result: ETIMEDOUT,
        ..Effect::everything()
    };
    let op = &interned.operation;
    let object = match op.kind {
        Kind::CondReacquire | Kind::RwlockWrite if op.expected == STAYS => return effect,
        Kind::CondReacquire => interned.object(),
        Kind::FutexWoken => view.queue(interned.object(), thread),
        Kind::RwlockWrite if op.argument == 1 => interned.object(),
        _ => return effect,
    };
    let class = Class::WRITE;
    effect.footprint.push(Access { object, class });
    let value = view.value(object);
    effect.after[1] = match op.kind {
        Kind::RwlockWrite => rwlock::given_up(value),
        _ => view.waiters().without(value, thread),
    };
    effect
}

/// The object that can block an operation, if its kind ever blocks on one; one of them, if several can.
#[inline]
pub(crate) fn gate_object(interned: &Interned) -> Option<Object> {
    gate_objects(interned).first().copied()
}

/// The objects that can block an operation, if its kind ever blocks on one.
#[inline(always)]
pub(crate) fn gate_objects(interned: &Interned) -> &[Object] {
    match interned.operation.kind {
        Kind::MutexLock | Kind::RwlockRead | Kind::RwlockWrite | Kind::SemWait | Kind::Channel => {
            &interned.objects[..1]
        }
        Kind::MutexLockAll => &interned.objects,
        Kind::CondReacquire => interned.other.as_slice(),
        Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange
            if interned.awaits =>
        {
            awaited_objects(interned)
        }
        _ => &[],
    }
}

#[cold]
fn awaited_objects(interned: &Interned) -> &[Object] {
    match &interned.gate {
        Some(gate) => &gate.cells,
        None => &interned.objects[..1],
    }
}

/// True if the object that alone can block the operation lets it pass in state `value`.
pub(crate) fn gate(interned: &Interned, thread: ThreadId, value: u64) -> bool {
    let op = &interned.operation;
    if let Some(condition) = &interned.condition {
        return condition.holds(Condition::found(op, value));
    }
    match op.kind {
        Kind::MutexLock | Kind::CondReacquire => mutex::lets_pass(op, thread, value),
        Kind::RwlockRead | Kind::RwlockWrite => rwlock::lets_pass(op.kind, value),
        Kind::SemWait => semaphore::lets_pass(op, value),
        Kind::Channel => channel::lets_pass(op.argument, value),
        _ => true,
    }
}

/// True if all objects that can block the operation let it pass; `value` tells their states.
pub(crate) fn passes(
    interned: &Interned,
    thread: ThreadId,
    mut value: impl FnMut(Object) -> u64,
) -> bool {
    match interned.operation.kind {
        Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange
            if interned.gate.is_some() =>
        {
            gate_differs(interned, value)
        }
        Kind::MutexLockAll => mutex::lets_all_pass(interned, thread, value),
        _ => gate_object(interned).is_none_or(|object| gate(interned, thread, value(object))),
    }
}

fn gate_differs(interned: &Interned, value: impl FnMut(Object) -> u64) -> bool {
    let gate = interned.gate.as_ref();
    gate.is_none_or(|gate| gate.differs(value))
}

/// Whether an operation of this kind can have other alternatives than 0 ([`alternatives`]).
pub(crate) fn is_choice(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Choose
            | Kind::Early
            | Kind::CondSignal
            | Kind::CondEnqueue
            | Kind::FutexWake
            | Kind::FutexRequeue
            | Kind::FutexWakeOp
            | Kind::BarrierLeave
    )
}

/// What can be decided for an operation. `succeeds`: if it compares, it finds what it expects.
pub(crate) fn alternatives(
    interned: &Interned,
    thread: ThreadId,
    succeeds: bool,
    view: &impl View,
) -> Alternatives {
    match interned.operation.kind {
        Kind::Choose => Alternatives::Below((interned.operation.argument as u32).max(1)),
        Kind::Early => early::ways(&interned.operation, view.value(interned.object())),
        Kind::CondSignal => {
            condvar::to_wake(&interned.operation, view.value(interned.object()), view)
        }
        Kind::CondEnqueue => condvar::ways_to_wait(interned, thread, view),
        Kind::FutexWake => futex::to_wake(interned, view),
        Kind::FutexRequeue => futex::to_requeue(interned, succeeds, view),
        Kind::FutexWakeOp => futex::to_change(interned, succeeds, view),
        Kind::BarrierLeave => {
            barrier::serial_choice(&interned.operation, interned.object(), thread, view)
        }
        kind => {
            debug_assert!(!is_choice(kind));
            Alternatives::One(0)
        }
    }
}

/// The state of an object after one more event of a commuting class.
pub(crate) fn apply_commuting(
    kind: Kind,
    thread: ThreadId,
    value: u64,
    waiters: &WaiterSets,
) -> u64 {
    match kind {
        Kind::CondEnqueue | Kind::FutexWait => waiters.with(value, thread),
        Kind::RwlockRead | Kind::RwlockTryread => value + 1,
        Kind::RwlockUnlock => value - 1,
        Kind::SemPost => value + 1,
        Kind::BarrierArrive => barrier::with_arrival(value),
        _ => value,
    }
}
