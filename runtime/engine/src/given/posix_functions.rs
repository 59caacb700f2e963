//! POSIX's functions, as far as the engine asks: what they know of threads, and of how an execution may end.

use crate::runtime::Runtime;
use crate::searching::Searching;
use dpor_explorer::End;
use dpor_model::{Decision, Operation, SiteId, ThreadId};

/// What becomes of a time-out, which happens where no other thread can go on.
pub enum TimeOut {
    /// The time-out happens: the thread goes on.
    Happens,
    /// The time-out may be none: the thread may await a signal that only a time-out leads to.
    Looks,
    /// A thread that waits was asked to end, or sent a signal, and would go on: no such execution. Its twin is
    /// that in which the request came before the thread blocked.
    Impossible,
}

/// What the engine asks of POSIX's functions.
pub trait Posix: Sync {
    /// A thread of the program begins, on its fiber: runs all of it.
    fn run(&self, thread: ThreadId);

    /// Signals may be pending for the running thread, or a request to end, before it performs an operation. Some:
    /// the operation was performed, in another way, with this decision.
    fn before_operation(&self, operation: &Operation) -> Option<Decision>;

    /// The running thread, which somebody asks to end, makes plain accesses only, one at `site`: it leaves from there if
    /// it can be cancelled anywhere.
    fn may_leave_at(&self, site: SiteId);

    /// Whether the running thread can be cancelled anywhere, by what it says itself.
    fn is_cancelled_anywhere(&self) -> bool;

    /// Lets a thread give up waiting, and returns what becomes of that. Between two steps.
    fn time_out(&self) -> TimeOut;

    /// The operation before which a thread stands, at `site`, that waits for the end of `target` without a limit.
    fn wait_for_ever(&self, target: ThreadId, site: SiteId) -> Operation;

    /// The address of the function that a thread runs, if one was created with this number.
    fn start(&self, thread: ThreadId) -> Option<usize>;

    /// Number of ended threads that had this thread number before.
    fn predecessors(&self, thread: ThreadId) -> u32;

    /// The site at which a thread was created, if it was and is not joined.
    fn created_at(&self, thread: ThreadId) -> Option<SiteId>;

    /// Whether a turn of a loop of the thread's with a mark of progress ended after more than so many events.
    fn is_marked(&self, thread: ThreadId, since: usize) -> bool;

    /// Whether a turn ended after more than so many events of a loop that the thread cannot leave.
    fn is_endless(&self, thread: ThreadId, since: usize) -> bool;

    /// What the search leaves out of `std::lock`, in words for the verdict.
    fn left_out(&self) -> Option<String>;

    /// An end, with the threads that await signals where they wait.
    fn with_waits(&self, search: &Searching, end: &End) -> End;

    /// Threads of a deadlock that would go on, to run a handler or to leave: it is no deadlock, and no
    /// execution that is possible. Nor is one in which the process ends and they wait.
    fn stuck(&self, search: &Searching, end: &End) -> Vec<ThreadId>;

    /// Whether a timer will not expire any more, although in another execution it does.
    fn is_timer_wasted(&self, end: &End) -> bool;

    /// Why nothing can be said of an end, in words for the verdict `unsupported`; `None`: it is decided. `stuck` are the
    /// threads that [`Posix::stuck`] names.
    fn undecided(
        &self,
        rt: &Runtime,
        search: &Searching,
        end: &End,
        stuck: &[ThreadId],
    ) -> Option<&'static str>;
}
