//! One event of an execution, and what the logs of objects have of it.

use super::row::Row;
use crate::conflict::{Access, Class, Object};
use crate::end::MisuseKind;
use crate::operation::OperationIndex;
use crate::threads::Standing;
use dpor_model::{Decision, ThreadId};

/// A visible operation that was executed.
#[derive(Clone, Debug)]
pub struct Event {
    /// The thread that executed it.
    pub thread: ThreadId,
    /// The alternative that was chosen for it, and its result.
    pub decision: Decision,
    /// The mutexes that the thread held before the event, one bit each ([`Trace::lockset`](crate::Trace::lockset)); only the first 64 mutexes
    /// have one.
    pub lockset: u64,
    /// The misuse that the event is, if it is one. Then it is the last event, and the program did not execute it.
    pub misuse: Option<MisuseKind>,
    /// True if the event is a switch away from a thread that could have gone on.
    pub preemptive: bool,
    pub(crate) operation: OperationIndex,
    /// Where the thread stood after the event.
    pub(crate) next: Standing,
    /// 1 + position of the thread's event before this one; 0 if there is none.
    pub(crate) previous: u32,
    /// The thread's event or passive step before this one.
    pub(crate) row: Row,
    /// `Create`: what `creator` of the created thread was, and where that thread stood.
    pub(crate) displaced: (u32, Standing),
    /// Index of the event's first access.
    pub(crate) accesses: u32,
    /// Number of passive steps before the event.
    pub(crate) passives: u32,
}

/// An access in the log of its object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Position of the event that made the access.
    pub event: u32,
    /// The thread of that event.
    pub thread: ThreadId,
    /// True for a store that some event read, whose class is `WRITE` since.
    pub observed: bool,
    /// How the event touched the object.
    pub class: Class,
    /// Index of the first entry of the run that this one is in: the longest sequence of entries that commute.
    pub run: u32,
    /// The object's state before the event.
    pub before: u64,
    /// The object's state after the event.
    pub after: u64,
}

/// A plain write to a cell that the search knows of, which is no event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainWrite {
    /// Number of events before the write.
    pub after: u32,
    /// The last event or passive step of its thread before the write.
    pub(crate) row: Row,
    pub cell: Object,
    pub value: u64,
}

/// A new event, as [`Trace::append`](crate::Trace::append) needs it.
pub(crate) struct NewEvent<'a> {
    pub thread: ThreadId,
    pub operation: OperationIndex,
    pub decision: Decision,
    pub footprint: &'a [Access],
    /// States of the objects of `footprint`.
    pub before: &'a [u64],
    pub after: &'a [u64],
    pub misuse: Option<MisuseKind>,
    pub next: Standing,
}
