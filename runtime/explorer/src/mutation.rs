//! Faults that a test seeds into the search, to see that other tests notice them.
//!
//! Without the feature `mutations` there are none: [`Seeded`] is empty, and what asks it is a constant. The
//! runtime that programs run with is built so.

/// The fault that was seeded into a search, if any.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Seeded {
    #[cfg(feature = "mutations")]
    fault: Option<Mutation>,
}

#[cfg(feature = "mutations")]
impl Seeded {
    /// Says whether the search is to make this mistake.
    #[inline]
    pub(crate) fn is(self, fault: Mutation) -> bool {
        self.fault == Some(fault)
    }
}

#[cfg(not(feature = "mutations"))]
impl Seeded {
    /// Says that the search is to make no mistake.
    #[inline]
    pub(crate) const fn is(self, _: Mutation) -> bool {
        false
    }
}

#[cfg(feature = "mutations")]
impl From<Mutation> for Seeded {
    fn from(fault: Mutation) -> Seeded {
        Seeded { fault: Some(fault) }
    }
}

/// Known ways to get the search wrong.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// The search makes no mistake.
    #[default]
    None,
    /// Analyse only races whose second event is new in this execution.
    IncrementalAnalysis,
    /// A verdict about a step of the reversed thread is final, whatever that thread had done.
    AnyShields,
    /// A sibling that was started covers what the walk would insert below it.
    StartedIsCovered,
    /// A moved event keeps the outcome that it had where it was.
    StaleOutcome,
    /// Another alternative is planned with what it would do where the one taken was.
    AlternativesInPlace,
    /// Remove one event before a blocked writer, not every reader.
    SingleRemoval,
    /// A thread that waits for several cells races with events on the first of them alone.
    GateOfOneCell,
    /// Insertions go on below branches in which the reversed event no longer
    /// sleeps, as in the published algorithm: no mistake, but the same traces from larger trees.
    DeepInsertion,
    /// Deep insertion, and other alternatives are added where a free choice is made, and nowhere
    /// else.
    AlternativesAtFreeNodes,
    /// Operations that the end of the process forestalled are not reversed before it.
    ExitForestallsNothing,
    /// Operations that are blocked at the end are forgotten.
    NoVirtualEvents,
    /// Operations that are blocked when a thread gives up waiting are forgotten.
    BlockedForgotten,
    /// For a wait on a semaphore, only the latest event on it is considered.
    LatestPostOnly,
    /// The count that a wait would have found without a post forgets posts that came later.
    LaterPostsForgotten,
    /// Posts conflict with posts.
    PostsConflict,
    /// Arrivals at a barrier conflict, however few threads use it.
    ArrivalsConflict,
    /// Arrivals at a barrier commute, however many threads use it.
    CrowdsCommute,
    /// A thread leaves a barrier without an edge from those that let it.
    LeavesWithoutEdges,
    /// The lowest thread of a generation is always the serial one.
    SerialIsLowest,
    /// A thread goes on after a wait on a futex without an edge from what woke it.
    WokenWithoutEdge,
    /// A wake-up takes the lowest waiters.
    WakesLowest,
    /// Who waits is known of threads below 64 only.
    WaitersInOneWord,
    /// A thread that waits with a limit decides once whether it gives up early.
    DecidesOnce,
    /// Who does not give up early does not look at how many did.
    EarlyUnread,
    /// Who gives up early is not counted.
    EarlyUncounted,
    /// A wait on a futex is taken to find what it found where it was executed.
    WaitsFindTheSame,
    /// Of two stores to one cell of which the second is read, the first never comes last.
    UnreadStaysFirst,
    /// A load does not observe the store it reads.
    LoadsObserveNothing,
    /// Reads without an event do not observe.
    PlainReadsObserveNothing,
    /// Observations change no race that was noted before.
    RacesStayAsNoted,
    /// Nor do those of cells that nobody can name.
    UnseenReadsObserveNothing,
    /// A store sleeps on after another to its cell, read or not.
    ReadStoresSleep,
    /// A store that was to be read need not be.
    NothingOwed,
    /// An exchange without result commutes with its like, and with additions.
    ExchangeCommutes,
    /// Read-modify-writes of different widths commute.
    WidthsCommute,
    /// Two threads that are alike stay so although their events conflict.
    OrderedTwins,
    /// Classic: what sleeps is not woken by what conflicts with it.
    NeverWakes,
    /// Classic: of an operation's races only that with the latest event is looked at.
    LatestOnly,
    /// Classic: a thread of which some alternatives sleep is tried like one of which none does.
    SleepingHides,
    /// Workers: a reversal is not sent to whom a branch in its way was given.
    ForwardDropped,
    /// Workers: earlier branches at nodes of others are not asked whether they cover a reversal.
    RemoteBeforeUntested,
    /// Workers: what is finished and packed covers all that would be inserted there.
    PackedIsCovered,
    /// Workers: that stores which were executed asleep may be read later keeps nothing from being freed.
    ReadsReachNothing,
    /// Workers: what is closed is freed, and covers all that would be inserted there.
    FreedWhenClosed,
    /// States: a thread that goes round alone may put off the others for ever.
    PutOff,
    /// States: what threads may do is learned in the first round alone.
    LearnsOnce,
    /// States: an operation that is pending and was never performed looks at nothing.
    LooksForgotten,
    /// States: a chosen set may have steps that change a proposition.
    VisibleChosen,
    /// States: within a bound of preemptions, states are matched without the thread that moved last.
    MoverForgotten,
    /// States: within a bound of preemptions, what was met with more of them is not met again with fewer.
    FewestForgotten,
    /// States: all have the same hash.
    HashesAlike,
    /// States: runs are kept as if they were ends.
    RunsAsEnds,
    /// States: what only the history of an object tells is no part of a state.
    HistoryForgotten,
    /// States: the objects are no part of a state.
    ObjectsForgotten,
    /// States: that a thread goes on behind a join in the step of another is not learned.
    WayOnUnseen,
    /// States: a thread that waits may do nothing later.
    WaitersForgotten,
    /// States: a thread goes on although what it does clashes with what another one did before its last step.
    FusedThroughOthers,
    /// States: a thread goes on although what it does clashes with what others may do later.
    FusedThroughFutures,
    /// States: a thread goes on although others stand otherwise behind its step.
    FusedThroughBegins,
    /// States: whether several steps were too many is not asked again when more is known.
    FusedForGood,
    /// A frontier lacks finished branches into which something may still be inserted.
    ClosedIsNotSaved,
    /// Counters with different answers commute.
    AnswersIgnored,
    /// Counters with different operands commute.
    OperandsIgnored,
    /// A counter sleeps on where its like turns its answer.
    TurnedSleepOn,
    /// A counter covers a plan that turns its answer.
    TurnedCover,
    /// A counter that a plan begins with is taken to have the answer that it has elsewhere.
    AnswersAlike,
    /// A counter is not reversed with its like whose answer it takes.
    LikeNotReversed,
    /// Whether increments commute with drops in all orders is not asked.
    IncrementsUnasked,
    /// Each drop has an increment of its own, also one that need not come before it.
    IncrementsOfOthers,
    /// A drop that stands before an increment that turns its answer is not executed there.
    IncrementsTurnNothing,
    /// A look at a count is not made again behind what may come before it.
    LooksNotRepeated,
    /// A drop covers plans with looks of which it turns the answer.
    LooksCovered,
    /// A drop sleeps on where a look is executed of which it turns the answer.
    DropsSleepOn,
    /// Whether looks at a count find two at least in all orders is not asked.
    LooksBelieved,
    /// The other alternatives of a choice are planned for good, whatever covers them.
    ChoicesAreForGood,
    /// Marks: the latest event of a thread before its mark is taken for one behind it.
    LatestEventIsBehind,
    /// Marks: that a thread gave up says nothing of their order.
    TimeoutsPartNothing,
    /// Marks: of the threads that gave up only the last one counts, or the first.
    LatestTimeoutParts,
    FirstTimeoutParts,
    /// Marks: a thread that gave up before both has one come before the other.
    TimeoutsBeforeBothPart,
}
