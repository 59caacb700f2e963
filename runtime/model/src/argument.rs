//! The one thing that an operation says by a number, and its names: what it means, the operation's kind determines.
//!
//! It is made by a constructor that says what it is, and read through a method of [`Operation`] that asserts, in debug
//! builds, that the operation is of a kind that says this. Nobody else sees the number, but for hashing it.

use crate::{Detail, Kind, ObjectId, Operation, ThreadId};

/// What an operation says by a number; [`Argument::NONE`] where its kind says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Argument(u64);

/// Part of a futex wait's argument: the program gave it a time-out.
const TIMED: u64 = 1 << 32;

impl Argument {
    /// The argument of an operation that has none.
    pub const NONE: Argument = Argument(0);

    /// `RwlockWrite`: it comes after an `RwlockAnnounce`.
    pub const ANNOUNCED: Argument = Argument(1);

    /// `Create`, `Join`: which thread is created or waited for.
    pub const fn thread(thread: ThreadId) -> Argument {
        Argument(thread.0 as u64)
    }

    /// `CondSignal`: the only thread to wake.
    pub const fn only(thread: ThreadId) -> Argument {
        Argument(1 + thread.0 as u64)
    }

    /// `Choose`: out of how many.
    pub const fn choices(count: u64) -> Argument {
        Argument(count)
    }

    /// `Early`: how often a call may give up.
    pub const fn at_most(times: u64) -> Argument {
        Argument(times)
    }

    /// `SemInit`: the count; `BarrierInit`: for how many threads.
    pub const fn count(count: u64) -> Argument {
        Argument(count)
    }

    /// `BarrierArrive`, `BarrierLeave`: whether the program may look at the result.
    pub const fn tells(looks: bool) -> Argument {
        Argument(looks as u64)
    }

    /// Operations on a mutex, `CondEnqueue`: its [`mutex_kind`].
    pub const fn mutex(kind: u64) -> Argument {
        Argument(kind)
    }

    /// `MutexLockAll`: the [`mutex_kind`]s of its mutexes, in order.
    pub fn mutexes(kinds: impl IntoIterator<Item = u64>) -> Argument {
        let all = kinds.into_iter().enumerate();
        Argument(all.fold(0, |kinds, (i, kind)| kinds | kind << (2 * i)))
    }

    /// `ChannelInit`: the levels; `Channel`: the thresholds (`object/channel.rs`).
    pub const fn levels(levels: u64) -> Argument {
        Argument(levels)
    }

    /// `ReadModifyWrite`: its [`update`].
    pub const fn update(operator: u64) -> Argument {
        Argument(operator)
    }

    /// `Load` of which only is seen whether a count is 1 ([`crate::Detail::Counter`]): how many bytes the count has.
    pub const fn counting(bytes: u32) -> Argument {
        Argument(bytes as u64)
    }

    /// `FutexWait`, `FutexWoken`: one that answers to wake-ups with one of these bits.
    pub const fn waiting(bits: u32, timed: bool) -> Argument {
        Argument(bits as u64 | if timed { TIMED } else { 0 })
    }

    /// `FutexWake`: at most `count` waiters that answer to one of these bits.
    pub const fn waking(count: u32, bits: u32) -> Argument {
        Argument((count as u64) << 32 | bits as u64)
    }

    /// `FutexRequeue`, `FutexWakeOp`: how many of the first futex, and of the second.
    pub const fn requeueing(wake: u32, moved: u32) -> Argument {
        Argument((wake as u64) << 32 | moved as u64)
    }

    /// An access that waits: test and width of its [`crate::Condition`].
    pub(crate) const fn condition(test: u8, bits: u32) -> Argument {
        Argument(test as u64 | (bits as u64) << 8)
    }

    /// `Start`, `MainReturn`, `ProcessEnd`, `Exit`: what the program alone understands. `Mark`: its number.
    pub const fn of_program(number: u64) -> Argument {
        Argument(number)
    }

    /// The number, for hashing.
    #[inline]
    pub const fn hashed(self) -> u64 {
        self.0
    }

    /// The thread of a `Create` or `Join` whose argument this is.
    #[inline]
    pub const fn as_thread(self) -> ThreadId {
        ThreadId(self.0 as u16)
    }

    /// What [`Argument::of_program`] was told.
    #[inline]
    pub const fn as_program_says(self) -> u64 {
        self.0
    }
}

impl Kind {
    /// True if an operation of this kind with this [`Operation::argument`] is no event: it
    /// conflicts with nothing and is executed as soon as it can be, after the event that made it
    /// possible.
    pub fn is_passive(self, argument: Argument) -> bool {
        match self {
            Kind::Start | Kind::Join | Kind::JoinAll | Kind::MainReturn | Kind::ProcessEnd => true,
            Kind::Mark => true,
            Kind::BarrierLeave => argument.0 == 0,
            Kind::FutexWoken => argument.0 & TIMED == 0,
            _ => false,
        }
    }

    /// True if the argument is the [`mutex_kind`] of the operation's mutex.
    const fn says_mutex_kind(self) -> bool {
        matches!(
            self,
            Kind::MutexInit
                | Kind::MutexDestroy
                | Kind::MutexLock
                | Kind::MutexTrylock
                | Kind::MutexUnlock
                | Kind::MutexAbandon
                | Kind::MutexConsistent
                | Kind::CondEnqueue
                | Kind::CondReacquire
        )
    }
}

/// What an operation says by its argument.
impl Operation {
    /// True if it is no event ([`Kind::is_passive`]).
    #[inline]
    pub fn is_passive(&self) -> bool {
        self.kind.is_passive(self.argument)
    }

    /// `Create`, `Join`: the thread.
    #[inline]
    pub fn thread(&self) -> ThreadId {
        debug_assert!(
            matches!(self.kind, Kind::Create | Kind::Join),
            "no thread: {self:?}"
        );
        self.argument.as_thread()
    }

    /// `CondSignal`: the only thread to wake, if it may wake no other.
    #[inline]
    pub fn only(&self) -> Option<ThreadId> {
        debug_assert!(self.kind == Kind::CondSignal, "no signal: {self:?}");
        let number = self.argument.0.checked_sub(1);
        number.map(|number| ThreadId(number as u16))
    }

    /// `Choose`: out of how many.
    #[inline]
    pub fn choices(&self) -> u64 {
        debug_assert!(self.kind == Kind::Choose, "no choice: {self:?}");
        self.argument.0
    }

    /// `Early`: how often a call may give up.
    #[inline]
    pub fn at_most(&self) -> u64 {
        debug_assert!(self.kind == Kind::Early, "no early end: {self:?}");
        self.argument.0
    }

    /// `SemInit`, `BarrierInit`: how many.
    #[inline]
    pub fn count(&self) -> u64 {
        debug_assert!(
            matches!(self.kind, Kind::SemInit | Kind::BarrierInit),
            "no count: {self:?}"
        );
        self.argument.0
    }

    /// `BarrierArrive`, `BarrierLeave`: true if the program may look at the result.
    #[inline]
    pub fn tells(&self) -> bool {
        debug_assert!(
            matches!(self.kind, Kind::BarrierArrive | Kind::BarrierLeave),
            "no wait on a barrier: {self:?}"
        );
        self.argument.0 != 0
    }

    /// Operations on a semaphore other than `SemInit`: true if it is there from the start.
    #[inline]
    pub fn is_there(&self) -> bool {
        self.argument == semaphore::THERE && self.kind != Kind::SemInit
    }

    /// The [`mutex_kind`] of its mutex.
    #[inline]
    pub fn mutex_kind(&self) -> u64 {
        debug_assert!(self.kind.says_mutex_kind(), "no mutex: {self:?}");
        self.argument.0
    }

    /// `MutexLockAll`: the [`mutex_kind`] of the mutex in this place.
    #[inline]
    pub fn mutex_kind_of(&self, place: usize) -> u64 {
        debug_assert!(self.kind == Kind::MutexLockAll, "one mutex: {self:?}");
        self.argument.0 >> (2 * place) & 3
    }

    /// True for a `RwlockWrite` after an `RwlockAnnounce`.
    #[inline]
    pub fn is_announced(&self) -> bool {
        self.kind == Kind::RwlockWrite && self.argument == Argument::ANNOUNCED
    }

    /// `ChannelInit`: the levels; `Channel`: the thresholds.
    #[inline]
    pub fn levels(&self) -> u64 {
        debug_assert!(
            matches!(self.kind, Kind::ChannelInit | Kind::Channel),
            "no channel: {self:?}"
        );
        self.argument.0
    }

    /// `FutexWait`, `FutexWoken`: the bits of wake-ups that it answers to.
    #[inline]
    pub fn wait_bits(&self) -> u32 {
        debug_assert!(
            matches!(self.kind, Kind::FutexWait | Kind::FutexWoken),
            "no wait on a futex: {self:?}"
        );
        self.argument.0 as u32
    }

    /// `FutexWake`: how many waiters at most, and the bits of which they have to answer to one.
    #[inline]
    pub fn wakes(&self) -> (u32, u32) {
        debug_assert!(self.kind == Kind::FutexWake, "no wake-up: {self:?}");
        ((self.argument.0 >> 32) as u32, self.argument.0 as u32)
    }

    /// `FutexRequeue`, `FutexWakeOp`: how many waiters of the first futex, and of the second.
    #[inline]
    pub fn of_each(&self) -> (u32, u32) {
        debug_assert!(
            matches!(self.kind, Kind::FutexRequeue | Kind::FutexWakeOp),
            "one futex: {self:?}"
        );
        ((self.argument.0 >> 32) as u32, self.argument.0 as u32)
    }

    /// An access that waits: test and width of its [`crate::Condition`].
    #[inline]
    pub(crate) fn test(&self) -> (u8, u32) {
        debug_assert!(self.waits, "it waits for nothing: {self:?}");
        (self.argument.0 as u8, (self.argument.0 >> 8) as u32)
    }

    /// `Load` of which only is seen whether a count is 1: how many bytes the count has. 0: of any other.
    #[inline]
    pub fn counting(&self) -> u32 {
        match self.kind {
            Kind::Load if matches!(self.detail, Detail::Counter(_)) => self.argument.0 as u32,
            _ => 0,
        }
    }

    /// `ReadModifyWrite` that does not wait: its [`update`].
    #[inline]
    pub fn update(&self) -> u64 {
        debug_assert!(
            self.kind == Kind::ReadModifyWrite && !self.waits,
            "no update: {self:?}"
        );
        self.argument.0
    }
}

/// Mutex kinds, for [`Argument::mutex`].
pub mod mutex_kind {
    /// Relocking by the owner never succeeds; unlock by another thread is undefined (reported).
    pub const NORMAL: u64 = 0;
    /// Counts.
    pub const RECURSIVE: u64 = 1;
    /// Reports errors by return value.
    pub const ERRORCHECK: u64 = 2;
}

/// The mutexes of a `MutexLockAll` besides [`Operation::object`].
pub mod several {
    use super::ObjectId;

    /// The objects of an operation on several: one at least, and fewer than [`MAX`]. Whoever publishes it keeps it for ever.
    #[derive(PartialEq, Eq, Hash, Debug)]
    pub struct Several(pub Box<[ObjectId]>);

    /// So many mutexes, the first one included.
    pub const MAX: usize = 32;
}

/// Which semaphore, as [`Operation::argument`] of all its operations but `SemInit`.
pub mod semaphore {
    use super::Argument;

    /// The object has to be initialized.
    pub const MADE: Argument = Argument(0);
    /// The object is there from the start, with count 0.
    pub const THERE: Argument = Argument(1);
}

/// Who stores, as [`Operation::argument`] of `Store`.
pub mod store {
    use super::Argument;

    /// Perhaps several threads to these bytes.
    pub const SHARED: Argument = Argument(0);
    /// Only this thread stores to the object, in every execution: there is nothing to take apart.
    pub const OWN: Argument = Argument(1);
}

/// What a read-modify-write does, if that is all there is to it: nobody looks at its result. Then two
/// with the same of these can be swapped. For
/// [`Argument::update`].
pub mod update {
    /// The result is looked at, or the order of two matters.
    pub const OTHER: u64 = 0;
    /// Adds; also subtracts, as the addition of the negated operand.
    pub const ADD: u64 = 1;
    /// Bitwise and.
    pub const AND: u64 = 2;
    /// Bitwise or.
    pub const OR: u64 = 3;
    /// Bitwise exclusive or.
    pub const XOR: u64 = 4;
    /// Signed maximum.
    pub const MAX: u64 = 5;
    /// Signed minimum.
    pub const MIN: u64 = 6;
    /// Unsigned maximum.
    pub const UMAX: u64 = 7;
    /// Unsigned minimum.
    pub const UMIN: u64 = 8;
}
