//! How executions end, and how a search can fail.

use dpor_model::{ObjectId, Operation, ThreadId};
use serde::{Deserialize, Serialize};

/// An execution, as the search ran it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// Number of its events.
    pub events: usize,
    /// Events `0..replayed` were repeated from the execution before.
    pub replayed: usize,
    /// The execution has more preemptions than [`crate::Config::bound`], in every order that is equivalent.
    pub beyond: bool,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every thread finished.
    Complete,
    /// Some thread stands in an assume that does not hold, and no other can go on.
    Blocked,
    /// Everything that could go on was explored elsewhere. The optimal search has none of these.
    Redundant,
    /// No thread can go on, and not all finished.
    Deadlock(Deadlock),
    /// Threads go round in loops and take back what they did, while all others wait: they may do so for ever.
    Livelock(Deadlock),
    /// A thread ended the process ([`dpor_model::Kind::Exit`]).
    Exited,
    /// An operation that POSIX leaves undefined. It was not executed; it is the last event.
    Misuse(Misuse),
    /// [`crate::Config::max_events`] was reached.
    EventBound,
    /// Whatever came next would have had too many preemptions ([`crate::Config::bound`]).
    PreemptionBound,
}

/// Threads that wait for each other, or for nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Every thread that did not finish.
    pub waiting: Vec<Waiting>,
    /// Threads of which each waits for the next and the last for the first, if there are such.
    pub cycle: Vec<ThreadId>,
}

impl Deadlock {
    /// True if threads wait for each other.
    pub fn is_cycle(&self) -> bool {
        !self.cycle.is_empty()
    }

    /// A thread that locks again what it holds, if that is the cycle.
    pub fn self_deadlock(&self) -> Option<ThreadId> {
        match self.cycle[..] {
            [thread] => Some(thread),
            _ => None,
        }
    }
}

/// A thread that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub thread: ThreadId,
    /// Before which operation.
    pub operation: Operation,
    /// The thread that holds the mutex or has to finish; `None`: nobody in particular (a
    /// condition variable that nobody signals).
    pub waits_for: Option<ThreadId>,
    /// Position of the event with which `waits_for` took what this thread wants.
    pub acquired_by: Option<usize>,
    /// A thread that goes round in a loop: the cells that it looks at there, the bits that it looks at, and what they
    /// are. Empty for one that waits for one place ([`Operation::waits`]).
    pub looks: Vec<(ObjectId, u64, u64)>,
    /// A thread that goes round in a loop which takes back what it does to mutexes; `operation` is the first of a turn.
    pub goes_round: bool,
    /// A thread that goes round in a loop: the number of events when its last turn began, or the cycle in which it is.
    pub since: Option<usize>,
}

impl Waiting {
    /// True if the thread goes round in a loop.
    pub fn spins(&self) -> bool {
        self.goes_round || self.operation.waits || !self.looks.is_empty()
    }
}

/// An operation that POSIX leaves undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// What is wrong.
    pub kind: MisuseKind,
    /// Position of the event.
    pub event: usize,
}

/// What is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MisuseKind {
    /// Unlock of a mutex or read-write lock that the caller does not hold, also by a wait.
    UnlockNotOwner,
    /// Wait with another mutex than the present waiters'.
    CondvarMutexMismatch,
    /// Destruction or initialization of a lock that is held, of a condition variable with waiters,
    /// or of a barrier at which threads wait.
    DestroyedInUse,
    /// Use of a destroyed object.
    UseAfterDestroy,
    /// Use of a semaphore or barrier that was never initialized.
    UseBeforeInit,
}

/// Why a search cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The program did something else than when the same prefix ran before.
    Divergence {
        /// Position of the event after which it differs.
        event: usize,
        /// Where its thread stood then; `None`: at its end.
        expected: Option<Box<Operation>>,
        /// Where it stands now.
        got: Option<Box<Operation>>,
    },
    /// An event did not have the outcome that was derived for it, or could not run at all.
    /// Data races over the cells of a compare-exchange can do this.
    Misprediction {
        /// Position of the event.
        event: usize,
        /// The thread that waits.
        thread: ThreadId,
        /// The operation that the thread waits before; `None`: the thread does not stand before one.
        operation: Option<Box<Operation>>,
    },
    /// Threads were said to be alike and are not ([`crate::Reductions::symmetry`]): the search has to
    /// begin again without this reduction.
    Unlike {
        /// The thread that showed it.
        thread: ThreadId,
    },
    /// A thread number beyond [`dpor_model::THREADS_MAX`].
    ThreadLimit,
    /// More threads use a barrier than it waits for. Only of workers: all of them have to begin
    /// anew with this in [`crate::Config::crowded_barriers`].
    CrowdedBarrier {
        /// Which.
        barrier: ObjectId,
        /// How many threads it waits for.
        width: u64,
    },
    /// A thread waits for a value of a cell, and stores to it commuted unless they were read. Only of
    /// workers: all of them have to begin anew with this in [`crate::Config::awaited_cells`].
    AwaitedCell {
        /// Which.
        cell: ObjectId,
    },
    /// A store and a read without an event that nothing orders ([`crate::Explorer::is_disordered`]). Only
    /// of workers: all of them have to begin anew without [`crate::Reductions::observers`].
    Disordered,
    /// An increment was taken to commute with a drop that may be the last one. Only of workers: all of them have to begin
    /// anew without [`crate::Reductions::increments`].
    Miscounted,
    /// The schedule to replay names a thread that cannot go on, or an alternative there is not.
    BadSchedule {
        /// Index of the step.
        step: usize,
    },
    /// [`crate::Config::prefix`] is for another search.
    PrefixUnsupported,
    /// The program stopped in the middle of a step ([`dpor_model::Next::Stopped`]).
    Stopped,
    /// What a [`crate::Spill`] keeps cannot be read again.
    Unreadable,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Executions in which every thread finished.
    pub complete: u64,
    /// Executions that ended in an assume.
    pub blocked: u64,
    /// Executions that turned out to be explored elsewhere: 0 in the optimal search.
    pub redundant: u64,
    /// Executions that ended in a deadlock or a livelock.
    pub deadlocked: u64,
    /// Executions in which a thread ended the process.
    pub exited: u64,
    /// Executions that ended in a misuse.
    pub failed: u64,
    /// Executions cut at the bound of events.
    pub bound_exceeded: u64,
    /// Executions with more preemptions than the bound, complete ones included.
    pub beyond: u64,
    /// Events executed for the first time.
    pub events: u64,
    /// Events executed again to get back to a branch.
    pub events_replayed: u64,
    /// Checkpoints taken besides the root.
    pub checkpoints_taken: u64,
    /// Checkpoints given up for lack of memory ([`crate::Program::checkpoints_exceed`]).
    pub checkpoints_evicted: u64,
    /// Restores of any checkpoint, the root included.
    pub checkpoints_restored: u64,
    /// Races reversed, covered ones included.
    pub reversals: u64,
    /// How often the search began anew because a barrier has more users than it waits for. What was
    /// counted before is not in the numbers of executions above.
    pub restarts: u64,
    /// Largest number of threads created so far in one execution.
    pub threads_max: u32,
    /// Largest number of tree nodes in memory at one time.
    pub nodes_max: u64,
    /// Nodes written out for lack of memory ([`crate::Spill`]), again and again ones included.
    pub nodes_spilled: u64,
}

impl Counters {
    /// Executions of any kind.
    pub fn executions(&self) -> u64 {
        self.complete
            + self.blocked
            + self.redundant
            + self.deadlocked
            + self.exited
            + self.failed
            + self.bound_exceeded
            + self.beyond
    }

    pub(crate) fn count(&mut self, end: &End) {
        *match end {
            End::Complete => &mut self.complete,
            End::Blocked => &mut self.blocked,
            End::Redundant => &mut self.redundant,
            End::Deadlock(_) | End::Livelock(_) => &mut self.deadlocked,
            End::Exited => &mut self.exited,
            End::Misuse(_) => &mut self.failed,
            End::EventBound => &mut self.bound_exceeded,
            End::PreemptionBound => &mut self.beyond,
        } += 1;
    }
}

impl std::ops::AddAssign for Counters {
    /// Sums; the larger of largest numbers.
    fn add_assign(&mut self, other: Counters) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.redundant += other.redundant;
        self.deadlocked += other.deadlocked;
        self.exited += other.exited;
        self.failed += other.failed;
        self.bound_exceeded += other.bound_exceeded;
        self.beyond += other.beyond;
        self.events += other.events;
        self.events_replayed += other.events_replayed;
        self.checkpoints_taken += other.checkpoints_taken;
        self.checkpoints_evicted += other.checkpoints_evicted;
        self.checkpoints_restored += other.checkpoints_restored;
        self.reversals += other.reversals;
        self.threads_max = self.threads_max.max(other.threads_max);
        self.nodes_max = self.nodes_max.max(other.nodes_max);
        self.nodes_spilled += other.nodes_spilled;
    }
}
