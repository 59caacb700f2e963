//! What each kind of finding means, and what to do about it.

use crate::FindingKind;

impl FindingKind {
    /// One sentence that says what it is, and one that says what helps.
    #[allow(clippy::too_many_lines, reason = "a table of words")]
    pub fn explained(self) -> (&'static str, &'static str) {
        use FindingKind as Kind;
        match self {
            Kind::DataRace => (
                "Two threads access the same memory, one of them writes, and nothing orders them.",
                "Protect both accesses with the same mutex, make the object atomic, or let one thread \
                 wait for the other.",
            ),
            Kind::Deadlock => (
                "Threads wait for each other, and none can ever go on.",
                "Take locks in one order in all threads; see that whoever is waited for comes.",
            ),
            Kind::Livelock => (
                "Threads keep going round in loops in which nothing changes any more.",
                "See that what the loops wait for is written, and before they wait.",
            ),
            Kind::EndlessLoop => (
                "A thread runs in a loop that it never leaves.",
                "The loop does the same again and again without a visible operation: see what should \
                 end it.",
            ),
            Kind::Assertion => (
                "An assertion fails in some interleaving.",
                "The trace is the interleaving: see which events come between what the assertion \
                 takes for one step.",
            ),
            Kind::Abort => (
                "The program aborts in some interleaving.",
                "The trace is the interleaving that leads there.",
            ),
            Kind::Crash => (
                "The program dies of a signal in some interleaving.",
                "See which pointer or object the place uses, and which thread made it invalid.",
            ),
            Kind::NonzeroExit => (
                "The program ends with an exit status that is not zero.",
                "If that is no failure, say so: --exit-status N, or any.",
            ),
            Kind::UseAfterFree => (
                "Memory is used after it was freed.",
                "Let the thread that frees it wait for those that use it, or count references.",
            ),
            Kind::UseAfterReturn => (
                "A local variable of a function is used by another thread after its life has ended.",
                "Let the function wait for the threads that use it, or give them memory that lives longer.",
            ),
            Kind::Ltl => (
                "A formula of --ltl does not hold on some run, or an automaton of --automaton accepts one; the trace is the way to a loop, and the loop.",
                "Look at what the loop leaves undone, or at the formula.",
            ),
            Kind::NonProgress => (
                "With --non-progress: threads go on for ever, and nobody calls dpor_progress().",
                "Let somebody get on in each loop, or mark that it does.",
            ),
            Kind::Starvation => (
                "With --no-starvation: a thread waits for a lock or a turn for ever, while others go on.",
                "Use a lock that hands on the turn in order (a ticket lock, a queue).",
            ),
            Kind::Nondeterminism => (
                "With --deterministic: two executions end in different memory.",
                "Let what is computed not depend on who comes first, or leave it out with dpor_unmatched().",
            ),
            Kind::DoubleFree => (
                "Memory is freed twice.",
                "Let one thread own the block, or clear the pointer under the lock it is freed under.",
            ),
            Kind::InvalidFree => (
                "What is freed is no block of the heap.",
                "Free the pointer that malloc returned, and only that.",
            ),
            Kind::OutOfBounds => (
                "An access lies next to the block of memory that it is meant for.",
                "See which thread determined the index or the size, and whether it may change between.",
            ),
            Kind::Leak => (
                "Memory is never freed.",
                "Free it when the last thread that uses it is done.",
            ),
            Kind::UninitializedObject => (
                "A mutex, condition variable or other object is used before it was initialized, or \
                 after it was destroyed.",
                "Initialize it before the threads that use it are created, and destroy it after they \
                 were joined.",
            ),
            Kind::NotDestroyed => (
                "An object that a call initialized is never destroyed.",
                "Call the function that destroys it when the last thread that uses it is done.",
            ),
            Kind::DestroyedInUse => (
                "An object is destroyed or freed while it is locked or waited on.",
                "Join the threads that use it first.",
            ),
            Kind::UnlockNotOwner => (
                "A thread unlocks what it does not hold.",
                "Unlock in the thread that locked; a semaphore may be posted by any.",
            ),
            Kind::SelfDeadlock => (
                "A thread locks again what it holds already.",
                "Lock once, or use a recursive mutex.",
            ),
            Kind::CondvarMutexMismatch => (
                "Threads wait on one condition variable with different mutexes.",
                "Wait with the one mutex that protects the condition.",
            ),
            Kind::LostWakeup => (
                "A signal comes before the wait that it is for, and is lost.",
                "Set the condition and signal under the mutex, and look at the condition before the \
                 wait.",
            ),
            Kind::MainExitsEarly => (
                "main returns while other threads run, which ends them in the midst of things.",
                "Join the threads, or end main with pthread_exit.",
            ),
            Kind::ThreadMisuse => (
                "A thread is joined, detached or ended in a way that POSIX leaves undefined.",
                "Join or detach every thread exactly once.",
            ),
            Kind::Invariant => (
                "An invariant does not hold in some state.",
                "The trace leads to the first state in which it does not.",
            ),
            Kind::OutcomeDifference => (
                "Interleavings lead to different outcomes.",
                "If they are to be equal, see which events of the traces come in another order.",
            ),
            Kind::ProcessDeath => (
                "The program kills its process: it overwrites the checker's memory, or dies where the \
                 checker cannot catch it.",
                "See what the last events of the trace write to.",
            ),
            Kind::InitializedTwice => (
                "An object is initialized again while it is in use.",
                "Initialize it once, before the threads are created, or with pthread_once.",
            ),
            Kind::LockOrderInversion => (
                "Locks are taken in different orders by different threads.",
                "Take them in one order everywhere: here it did not deadlock, but it may.",
            ),
            Kind::NotLinearizable => (
                "With `dpor scenario`: calls of a data structure have results that no order of the calls, one after the \
                 other, has.",
                "See in the table which calls overlap, and at which step of the trace each of them takes effect.",
            ),
            Kind::SpeculatedLoad => (
                "The optimizer loads a variable whether the program does or not, and that load races; its \
                 value is not used.",
                "Nothing: the compiler may do so, and the program has no race here. A tool that does not \
                 know may report one.",
            ),
        }
    }
}
