//! What kinds of operations there are.

#[cfg(doc)]
use crate::{mutex_kind, update, Argument, Detail, Executed, Next, Operation};

/// What a thread is about to do. Parameters are in [`Operation`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The first step of a created thread: runs to its first visible operation. No object.
    Start,
    /// Reads `bytes` bytes, beginning at byte `offset` of the aligned group of eight that `object`
    /// lies in. An access that reaches into further groups touches the objects named by their first
    /// bytes too.
    Load,
    /// Writes them.
    Store,
    /// Reads and writes them, whatever it finds. `argument` is an [`update`].
    ReadModifyWrite,
    /// Writes them if they equal [`Detail::Expects`], otherwise only reads.
    CompareExchange,
    /// Initializes mutex `object`; `argument` is a [`mutex_kind`], which counts from then on,
    /// whatever later operations say; without it, what the first operation on the mutex says.
    /// A write.
    MutexInit,
    /// Destroys it.
    MutexDestroy,
    /// Blocks until the mutex is free (or owned by the caller and recursive).
    /// `argument` is the [`mutex_kind`]. Result: 0, `EDEADLK`, `EOWNERDEAD` (it is locked, but what
    /// it protects may not be right), `ENOTRECOVERABLE`.
    MutexLock,
    /// Blocks until several different mutexes, each normal or recursive, are free (or owned by the
    /// caller and recursive), all at one moment; then locks them. They are `object` and `also`; `argument`:
    /// [`Argument::mutexes`].
    MutexLockAll,
    /// Result: as of `MutexLock`, or `EBUSY`.
    MutexTrylock,
    /// Result: 0 or `EPERM`.
    MutexUnlock,
    /// The thread, which holds the mutex, ends, and the mutex tells the next owner.
    MutexAbandon,
    /// What the mutex protects is right again. Result: 0, or `EINVAL` if it was not in doubt or the
    /// caller does not hold it.
    MutexConsistent,
    /// Initializes condition variable `object`.
    CondInit,
    /// Destroys it.
    CondDestroy,
    /// First half of a wait on `object`: unlocks mutex `other` and enqueues the thread, atomically.
    /// `argument` is the mutex's [`mutex_kind`]. Result: 0, or `EPERM` if the caller does not hold
    /// the mutex and it checks; then there is no second half. `detail`: [`Detail::Leaves`], or in how many ways the wait
    /// may end by itself. In alternative 0 the thread enqueues itself; in the others (1 to
    /// that number) it only unlocks the mutex, as if it had been woken at once.
    CondEnqueue,
    /// Second half: blocks until woken through `object`'s queue and mutex `other` is free; locks it.
    CondReacquire,
    /// Wakes one waiter of `object`; which one is the alternative. `argument`: none, or the only
    /// thread to wake ([`Argument::only`]), if it waits: then nothing is wrong if the object was destroyed.
    CondSignal,
    /// Wakes all.
    CondBroadcast,
    /// Creates thread `argument`, which then stands before its `Start`. `detail`: [`Detail::Elder`].
    Create,
    /// Blocks until thread `argument` has finished. `detail`: [`Detail::Joining`].
    Join,
    /// Blocks until all threads but the caller have finished (main returned). `detail` as for `Join`.
    JoinAll,
    /// Chooses a number in `0..argument`; it is the alternative.
    Choose,
    /// An access to an object of libc that only reads it: commutes with its like.
    SharedRead,
    /// Any other access to an object of libc.
    SharedWrite,
    /// Conflicts with every event of every other thread.
    Opaque,
    /// The process ends here: conflicts with every event of every other thread. After the step no thread goes on.
    Exit,
    /// The thread asks to be set aside, which is nothing visible. Always enabled, conflicts with nothing;
    /// the default scheduler prefers threads that stand before anything else.
    Pause,
    /// Blocks until nobody holds read-write lock `object` for writing, nor waits for that where
    /// writers are preferred; then holds it for reading.
    RwlockRead,
    /// The thread announces that it waits to write: from now on a lock that prefers writers lets no reader pass. The
    /// thread then stands before its `RwlockWrite`, which says so ([`Argument::ANNOUNCED`]).
    RwlockAnnounce,
    /// Blocks until nobody holds it. `argument`: [`Argument::ANNOUNCED`] after an `RwlockAnnounce`.
    RwlockWrite,
    /// Result: 0 or `EBUSY`.
    RwlockTryread,
    /// Result: 0 or `EBUSY`.
    RwlockTrywrite,
    /// Gives up the caller's hold. Result: 0.
    RwlockUnlock,
    /// Initializes read-write lock `object`.
    RwlockInit,
    /// Destroys it.
    RwlockDestroy,
    /// Initializes semaphore `object` with count `argument`. Result: 0 or `EINVAL`.
    SemInit,
    /// Destroys it.
    SemDestroy,
    /// Blocks until the count is not 0; then takes one.
    SemWait,
    /// Result: 0 or `EAGAIN`.
    SemTrywait,
    /// Gives one. Result: 0 or `EOVERFLOW`.
    SemPost,
    /// Result: the count.
    SemGetvalue,
    /// Initializes barrier `object` for `argument` threads. Result: 0 or `EINVAL`.
    BarrierInit,
    /// Destroys it; no thread may have arrived in a generation that is not complete.
    BarrierDestroy,
    /// First half of a wait on barrier `object`: the thread has arrived. Never blocks. The thread
    /// then stands before its `BarrierLeave`, which has the same [`Operation::argument`].
    BarrierArrive,
    /// Second half: blocks until the generation in which the caller arrived is complete.
    /// `argument`: whether the program may look at the result of a wait on this barrier ([`Argument::tells`]); then each
    /// thread of a generation is the serial one in some execution. Result: 0, or [`SERIAL_THREAD`]
    /// for one thread of the generation; if nobody looks, always 0.
    BarrierLeave,
    /// First half of a wait on futex `other`: reads the 4 bytes at `offset` of the group that
    /// `object` lies in; if they are the low bytes of [`Detail::Expects`], the thread joins the waiters of
    /// the futex, in one step, and then stands before its `FutexWoken`. `argument`:
    /// [`Argument::waiting`]. The program compares, as for a `CompareExchange`.
    FutexWait,
    /// Second half: blocks until the thread is no waiter any more. `object`: the futex whose waiters
    /// it joined, although it may have been moved to another since. `argument` as before. Result: 0.
    FutexWoken,
    /// Wakes waiters of futex `object`: as many as `argument` ([`Argument::waking`]) says, of those that
    /// it may wake. Which is the alternative. Result: how many.
    FutexWake,
    /// Wakes waiters of futex `object` and makes others waiters of `other`, as many of each as
    /// `argument` ([`Argument::requeueing`]) says. `detail`: none, or a [`Detail::Comparison`], and then
    /// nothing happens unless it holds. Result: how many were woken, with a comparison how many
    /// were woken or moved; or `EAGAIN`, negated.
    FutexRequeue,
    /// Changes the 4 bytes at `offset` of the group that the cell of `detail` lies in, wakes waiters of futex
    /// `object` and, if what was there passes a test, of `other`: as many of each as `argument`
    /// ([`Argument::requeueing`]) says. `detail`: [`Detail::Comparison`] with the test as futex(2) encodes it
    /// (`val3`). The program changes the word. Result: how many were woken.
    FutexWakeOp,
    /// Channel `object` has the levels `argument` (`object/channel.rs`) from now on.
    ChannelInit,
    /// Uses channel `object`; blocks until one of its levels is at least the threshold in the same
    /// place of `argument`. The program tells the levels afterwards in [`Executed::after`].
    Channel,
    /// Main returned. Always possible, conflicts with nothing.
    MainReturn,
    /// The last step of the process: the thread waits until no other can go on, or until those that can go
    /// round in a cycle (a livelock). It does not wait for an end of locks that threads hold in a
    /// cycle: that is a deadlock. Conflicts with nothing. The process may end after it ([`Next::Ended`]).
    ProcessEnd,
    /// Decides whether a call with a time limit gives up although others may go on. `object` counts how often that
    /// happened in this execution, `argument` is how often it may. Alternative 1: it gives up, and is counted;
    /// alternative 0: it does not, which is all there is where nobody else can go on, because then giving up is not
    /// early. `other`: the mutex that the call releases. `detail`: none, or [`Detail::Alone`].
    Early,
    /// The thread, which stands before a `RwlockWrite` after an `RwlockAnnounce`, no longer waits to write.
    RwlockRetract,
    /// A mark in what the thread does (`argument`: its number, below 64), no event: always possible, conflicts with
    /// nothing, and is in no report. It is only passed in a step. In which orders marks come, the executions of a trace
    /// tell.
    Mark,
    // A new kind goes before this one: `object/kinds.rs` counts on that.
    /// The thread, which joined the waiters of futex `object` and stands between the halves of its wait, leaves them.
    /// Result: 0, or `EAGAIN` if it waits no more.
    FutexRetract,
}

/// Result of a wait on a barrier for one of its threads: `PTHREAD_BARRIER_SERIAL_THREAD` of Linux.
pub const SERIAL_THREAD: i32 = -1;
