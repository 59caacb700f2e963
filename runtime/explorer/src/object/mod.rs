//! The object automata: when is an operation enabled, what does it do, and to which class of
//! access does its outcome belong.
//!
//! One module per kind of object. Each lists its operations with what holds of all of a kind ([`facts`]) and answers the
//! questions of [`Automaton`]; [`LISTS`] and `ask` are the two places that name the modules. The rest of the search asks
//! the functions of this module and knows no object.
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
pub(crate) mod facts;
pub(crate) mod futex;
pub mod kinds;
mod library;
pub(crate) mod memory;
pub(crate) mod mutex;
mod process;
pub(crate) mod results;
pub(crate) mod rwlock;
pub(crate) mod semaphore;
pub(crate) mod thread;
pub(crate) mod waiters;

pub(crate) use alternatives::Alternatives;
pub(crate) use effect::Effect;

use crate::commuting::Commuting;
use crate::conflict::{Access, Class, Footprint, Object};
use crate::end::Waiting;
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, Operation, ThreadId, SERIAL_THREAD, TIMEOUT};
use facts::{BlockedBy, Facts, ObjectKind};
pub(crate) use results::*;
use waiters::WaiterSets;

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

/// The present state of a program: also what no object's state tells.
pub(crate) trait Present: View {
    /// True if this thread has finished.
    fn has_finished(&self, thread: ThreadId) -> bool;
    /// True if no thread but `thread` is there any more.
    fn is_alone(&self, thread: ThreadId) -> bool;
    /// True if `thread`, which arrived at the barrier that it is to leave, can do so.
    fn may_leave(&self, leave: &Interned, thread: ThreadId) -> bool;
    /// True if `thread`, which joined the waiters of `futex` when it last began a wait, waits no more.
    fn is_woken(&self, futex: Object, thread: ThreadId) -> bool;
    /// True if `thread`, which stands before an access that waits, finds in memory what it waits for.
    fn finds_awaited(&self, thread: ThreadId) -> bool;
}

/// Which module answers for which kinds of operations.
const LISTS: &[(ObjectKind, &[(Kind, Facts)])] = &[
    (ObjectKind::Memory, memory::Memory::KINDS),
    (ObjectKind::Mutex, mutex::Mutex::KINDS),
    (ObjectKind::Condvar, condvar::Condvar::KINDS),
    (ObjectKind::Rwlock, rwlock::Rwlock::KINDS),
    (ObjectKind::Semaphore, semaphore::Semaphore::KINDS),
    (ObjectKind::Barrier, barrier::Barrier::KINDS),
    (ObjectKind::Futex, futex::Futex::KINDS),
    (ObjectKind::Channel, channel::Channel::KINDS),
    (ObjectKind::Early, early::Early::KINDS),
    (ObjectKind::Library, library::Library::KINDS),
    (ObjectKind::Thread, thread::Thread::KINDS),
    (ObjectKind::Process, process::Process::KINDS),
];

/// Asks the module of a kind of object: `ask!(interned.facts.of, effect(..))` is the answer of its [`Automaton::effect`].
macro_rules! ask {
    ($of:expr, $question:ident($($argument:expr),*)) => {
        match $of {
            ObjectKind::Memory => memory::Memory::$question($($argument),*),
            ObjectKind::Mutex => mutex::Mutex::$question($($argument),*),
            ObjectKind::Condvar => condvar::Condvar::$question($($argument),*),
            ObjectKind::Rwlock => rwlock::Rwlock::$question($($argument),*),
            ObjectKind::Semaphore => semaphore::Semaphore::$question($($argument),*),
            ObjectKind::Barrier => barrier::Barrier::$question($($argument),*),
            ObjectKind::Futex => futex::Futex::$question($($argument),*),
            ObjectKind::Channel => channel::Channel::$question($($argument),*),
            ObjectKind::Early => early::Early::$question($($argument),*),
            ObjectKind::Library => library::Library::$question($($argument),*),
            ObjectKind::Thread => thread::Thread::$question($($argument),*),
            ObjectKind::Process => process::Process::$question($($argument),*),
        }
    };
}

// Here, since it asks the modules, too.
pub(crate) mod canonical;

/// An operation that a thread is about to execute.
#[derive(Clone, Copy)]
pub(crate) struct Act<'a> {
    pub interned: &'a Interned,
    pub thread: ThreadId,
    /// What was decided ([`Automaton::alternatives`]).
    pub alternative: u32,
    /// If it compares: it finds what it expects.
    pub succeeds: bool,
}

/// What a kind of object answers of the operations on it. The operations are of the kinds that it lists; where an answer
/// is not given, none of them needs another.
pub(crate) trait Automaton {
    /// The kinds of operations on the object, each with what holds of all of the kind.
    const KINDS: &'static [(Kind, Facts)];

    /// What an operation does. One that can block is enabled.
    fn effect(act: Act, view: &impl View) -> Effect;

    /// What can be decided for an operation. `succeeds`: if it compares, it finds what it expects.
    #[inline]
    fn alternatives(
        interned: &Interned,
        _thread: ThreadId,
        _succeeds: bool,
        _view: &impl View,
    ) -> Alternatives {
        debug_assert!(!interned.facts.chooses, "who chooses says what");
        Alternatives::One(0)
    }

    /// True if an operation can be executed now. Not asked of a kind that nothing blocks.
    #[inline]
    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        Self::passes(interned, thread, |object| now.value(object))
    }

    /// True if all objects that can block an operation let it pass; `value` tells their states.
    #[inline]
    fn passes(interned: &Interned, thread: ThreadId, mut value: impl FnMut(Object) -> u64) -> bool {
        let gate = gate_object(interned);
        gate.is_none_or(|object| Self::lets_pass(interned, thread, value(object)))
    }

    /// True if the object that alone can block an operation lets it pass in state `value`.
    #[inline]
    fn lets_pass(_interned: &Interned, _thread: ThreadId, _value: u64) -> bool {
        true
    }

    /// How an operation that is blocked would touch what blocks it.
    fn blocked_class(_interned: &Interned) -> Class {
        Class::WRITE
    }

    /// If an operation gives up waiting: the object that this changes, if any, and its state afterwards.
    fn give_up(
        _interned: &Interned,
        _thread: ThreadId,
        _view: &impl View,
    ) -> Option<(Object, u64)> {
        None
    }

    /// The thread that holds an object in state `value`, if an operation waits for that to end.
    fn holder(_interned: &Interned, _value: u64) -> Option<ThreadId> {
        None
    }

    /// What a thread waits for that stands before an operation, as a part of a sentence ("thread 1 waits for a mutex").
    /// `noun`: the object.
    fn describe_wait(waiting: &Waiting, noun: &str, _trace: &Trace) -> String {
        match waiting.waits_for {
            Some(owner) if waiting.acquired_by.is_none() => {
                format!("for {noun} that thread {} waits to write", owner.0)
            }
            Some(owner) => format!("for {noun} that thread {} holds", owner.0),
            None => format!("for {noun}"),
        }
    }

    /// What of an object's value decides how things go on ([`canonical`]).
    fn canonical_value(value: u64) -> u64 {
        value
    }

    /// What else decides that, as words; none of an object that nobody uses.
    fn canonical_rest(_object: Object, _trace: &Trace, _now: &impl Present, _into: &mut Vec<u64>) {}

    /// The state of an object after one more event, of a class that commutes.
    fn with_one_more(_kind: Kind, _thread: ThreadId, value: u64, _waiters: &WaiterSets) -> u64 {
        value
    }
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
    if alternative == TIMEOUT {
        return timeout(interned, thread, view);
    }
    let act = Act {
        interned,
        thread,
        alternative,
        succeeds,
    };
    ask!(interned.facts.of, effect(act, view))
}

/// The thread gives up waiting. That nothing else could go on depends on all events before, so they
/// all happen before it.
fn timeout(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let mut effect = Effect {
        result: ETIMEDOUT,
        ..Effect::everything()
    };
    if let Some((object, after)) = ask!(interned.facts.of, give_up(interned, thread, view)) {
        let class = Class::WRITE;
        effect.footprint.push(Access { object, class });
        effect.after[1] = after;
    }
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
    match interned.facts.blocked_by {
        BlockedBy::Object => &interned.objects[..1],
        BlockedBy::Objects => &interned.objects,
        BlockedBy::Mutex => interned.other.as_slice(),
        BlockedBy::Memory if interned.awaits => memory::awaited_objects(interned),
        BlockedBy::Memory | BlockedBy::Threads | BlockedBy::Nothing => &[],
    }
}

/// True if an operation can be executed now.
#[inline]
pub(crate) fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
    interned.facts.blocked_by == BlockedBy::Nothing
        || ask!(interned.facts.of, is_enabled(interned, thread, now))
}

/// True if the object that alone can block an operation lets it pass in state `value`.
pub(crate) fn gate(interned: &Interned, thread: ThreadId, value: u64) -> bool {
    ask!(interned.facts.of, lets_pass(interned, thread, value))
}

/// True if all objects that can block an operation let it pass; `value` tells their states.
pub(crate) fn passes(
    interned: &Interned,
    thread: ThreadId,
    value: impl FnMut(Object) -> u64,
) -> bool {
    ask!(interned.facts.of, passes(interned, thread, value))
}

/// How a blocked operation would touch what blocks it.
pub(crate) fn blocked_footprint(interned: &Interned) -> Footprint {
    if interned.gate.is_some() {
        // A compare-exchange may find what it expects.
        return memory::footprint(interned, true);
    }
    let class = ask!(interned.facts.of, blocked_class(interned));
    let objects = gate_objects(interned).iter();
    objects.map(|&object| Access { object, class }).collect()
}

/// The thread that holds an object in state `value`, if the operation waits for that to end.
pub(crate) fn holder(interned: &Interned, value: u64) -> Option<ThreadId> {
    ask!(interned.facts.of, holder(interned, value))
}

impl Waiting {
    /// What the thread waits for, as a part of a sentence ("thread 1 waits for a mutex"). `noun`: what the object is
    /// called, with its article.
    pub fn describe(&self, noun: &str, trace: &Trace) -> String {
        ask!(
            kinds::facts(self.operation.kind).of,
            describe_wait(self, noun, trace)
        )
    }
}

/// What can be decided for an operation. `succeeds`: if it compares, it finds what it expects.
pub(crate) fn alternatives(
    interned: &Interned,
    thread: ThreadId,
    succeeds: bool,
    view: &impl View,
) -> Alternatives {
    match interned.facts.chooses {
        true => ask!(
            interned.facts.of,
            alternatives(interned, thread, succeeds, view)
        ),
        false => Alternatives::One(0),
    }
}

/// The state of an object after one more event, of a class that commutes.
pub(crate) fn with_one_more(
    interned: &Interned,
    thread: ThreadId,
    value: u64,
    waiters: &WaiterSets,
) -> u64 {
    let kind = interned.operation.kind;
    ask!(
        interned.facts.of,
        with_one_more(kind, thread, value, waiters)
    )
}
