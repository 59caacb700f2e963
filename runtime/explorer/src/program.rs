//! A program as the search runs it, step by step, and takes it back: the only face between explorer and runtime.
//!
//! The explorer owns the object model (mutexes, condition variables, …) and decides what is enabled; the program
//! owns the memory and performs the accesses. Both the native runtime and the tiny interpreters of
//! the tests implement [`Program`], and speak in the words of `dpor_model`.

#[cfg(doc)]
use dpor_model::{update, Iteration, NO_OBJECT};
use dpor_model::{Checkpoint, Decision, Executed, Next, ObjectId, Operation, ThreadId};

/// A program that can be run step by step and taken back.
pub trait Program {
    /// Back to a checkpoint. Called before the first step too.
    fn restore(&mut self, checkpoint: Checkpoint);

    /// Saves the current state; `None` if it cannot (the explorer then replays from an earlier one).
    fn checkpoint(&mut self) -> Option<Checkpoint>;

    /// The explorer is about to restore a checkpoint and to repeat so many events from there, which the
    /// program executed before, in the same order.
    fn will_repeat(&mut self, _events: usize) {}

    /// The explorer has repeated so many events since it restored a checkpoint, and goes on with new ones.
    fn repeated(&mut self, _events: usize) {}

    /// The number of events whose repetition is as dear as the last restore was, as far as a checkpoint below would have
    /// spared it. Usually nothing.
    fn restore_weighs(&self) -> u32 {
        0
    }

    /// The explorer will not restore it again.
    fn discard(&mut self, checkpoint: Checkpoint);

    /// Whether what is saved takes more memory than it may: the explorer then discards some.
    fn checkpoints_exceed(&self) -> bool {
        false
    }

    /// Where the threads stand at the root: live threads with their next operation.
    fn root(&mut self) -> Vec<(ThreadId, Next)>;

    /// Synchronization objects that are not at the root as if they had never been initialized: the
    /// operations that initialized them. Asked once, after [`Program::root`].
    fn initialized_at_root(&mut self) -> Vec<Operation> {
        Vec::new()
    }

    /// Executes the pending operation of `thread`, which is enabled, as decided, and lets the
    /// thread run to its next one. Between two steps nothing runs.
    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed;

    /// Joins that the thread passed in its last step, right after the operation, because what they
    /// wait for had ended already: in order, and each as it would have published it. The thread made
    /// no access of [`Program::trailing_writes`] or [`Program::trailing_reads`] before the last of
    /// them. A program may leave this to steps of their own.
    fn passed(&self) -> &[Operation] {
        &[]
    }

    /// Plain (non-event) writes that `thread` made in its last step to cells that earlier had
    /// events: the cell and its value afterwards, in order. They matter only for predicting a
    /// `CompareExchange`. Usually empty.
    fn trailing_writes(&self) -> &[(ObjectId, u64)] {
        &[]
    }

    /// Cells that earlier had events and that the thread read in its last step without an event, in
    /// order. [`NO_OBJECT`] among them: code of which nobody knows what it reads, so all cells. They matter only for [`crate::Reductions::observers`]. A read that does
    /// not happen after the last store to the cell makes the search disordered
    /// ([`crate::Explorer::is_disordered`]). Usually empty.
    fn trailing_reads(&self) -> &[ObjectId] {
        &[]
    }

    /// The operand of the read-modify-write that was stepped last, in the low bytes. Asked only if
    /// it was an [`update`] other than [`update::OTHER`]. It is not part of the operation, which is
    /// interned: a program may add many different numbers.
    fn operand(&mut self) -> u64 {
        0
    }

    /// The current value of a memory cell, if the program can tell. Asked after each step for what threads
    /// wait for ([`Operation::waits`], [`Iteration::MayRepeat`]); otherwise only where nothing else
    /// tells, to predict a `CompareExchange`: around accesses of more than 16 bytes, and after the
    /// process ended while a thread stood before one on a cell without any event.
    fn peek(&mut self, _cell: ObjectId) -> Option<u64> {
        None
    }

    /// The number of events when the turn began that the last event ended, if the thread of that event stands before an
    /// operation with the mark [`Iteration::MayRepeat`].
    fn turn_began(&mut self) -> u32 {
        0
    }

    /// Threads came to accesses that wait. What of their looks races depends on whether a thread could have come there
    /// before an event, of which number: `may_come_first` tells, while the thread stands there.
    fn judge_looks(&mut self, _may_come_first: &dyn Fn(ThreadId, usize) -> bool) {}

    /// Whether that turn may have read without an event what other threads write.
    fn turn_reads(&mut self) -> bool {
        false
    }

    /// Whether a thread made progress, in a turn that ended after more than so many events: then it is by design that it
    /// goes on for ever.
    fn makes_progress(&mut self, _thread: ThreadId, _since: usize) -> bool {
        false
    }

    /// A thread waits until one of these cells changes ([`Iteration::MayRepeat`]): from now on
    /// [`Program::trailing_writes`] has to tell of them.
    fn watch(&mut self, _cells: &[ObjectId]) {}

    /// A cell that a parked thread looked at was changed by what is no event, so that no other execution need have the
    /// look behind the change: the search has to begin anew without [`crate::Reductions::turns`].
    fn parked_unaware(&mut self) {}

    /// For [`crate::SearchKind::States`]: a number that is the same for two states of the program only if they are equal:
    /// its memory, where its threads are, and all else that decides how it goes on, but for the objects that the explorer
    /// keeps. `None`: states of this program cannot be told apart.
    fn fingerprint(&mut self) -> Option<u128> {
        None
    }

    /// For [`crate::SearchKind::States`]: a number for where a thread is, a function of the thread's own state. What the
    /// thread may do later is learned for each number; one for all is right, too.
    fn place(&mut self, _thread: ThreadId) -> u64 {
        0
    }

    /// For [`crate::SearchKind::States`]: whether a thread marked that it gets on, since that was asked last.
    fn take_progress(&mut self) -> bool {
        false
    }

    /// For [`crate::SearchKind::Guided`]: the next step, thread and alternative, after the events of the trace; one
    /// that `can` be executed. `None`: the default scheduler's.
    fn guide(
        &mut self,
        _trace: &crate::Trace,
        _can: &dyn Fn(ThreadId, u32) -> bool,
    ) -> Option<(ThreadId, u32)> {
        None
    }
}
