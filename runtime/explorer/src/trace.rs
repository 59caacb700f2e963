//! One execution: its events, their happens-before relation, and the state of every object.
//!
//! All of it is kept per event and in flat vectors, so that the last events are removed by popping; nothing is
//! computed again for the events that stay.

pub(crate) mod after;
mod append;
mod awaited;
mod clock;
mod event;
mod observations;
mod parked;
mod passive;
mod row;
mod turns;
mod twins;
mod unseen;

pub use event::Event;
pub(crate) use event::{Entry, NewEvent, PlainWrite};
pub(crate) use observations::{Observation, Observations, Reader};
pub(crate) use parked::Parked;
pub(crate) use passive::{Passive, Passives, Way};
pub(crate) use row::{join_rows, Row};
pub use turns::Starving;
pub(crate) use turns::{Turn, Turns};
pub(crate) use twins::{Own, Symmetry};
pub(crate) use unseen::{Mark, Unseen};

use crate::commuting::Commuting;
use crate::conflict::{Access, Class, Object, GLOBAL};
use crate::object::waiters::WaiterSets;
use crate::operation::{Interned, OperationIndex, Table};
use crate::threads::{Marks, Standing, Threads};
use awaited::Awaited;
use dpor_model::{Kind, ObjectId, Operation, ThreadId, ThreadSet, THREADS_MAX};

/// The events of the last execution, or of the present one as far as it went.
pub struct Trace {
    pub(crate) table: Table,
    pub(crate) threads: Threads,
    events: Vec<Event>,
    accesses: Vec<Access>,
    /// Row `k`: the clock of event `k`; each of `stride` numbers.
    pub(crate) clocks: Vec<u32>,
    /// Number of threads that each clock has room for.
    pub(crate) stride: usize,
    /// By object: its accesses in order.
    pub(crate) logs: Vec<Vec<Entry>>,
    plain: Vec<PlainWrite>,
    pub(crate) passive: Passives,
    pub(crate) observations: Observations,
    pub(crate) unseen: Unseen,
    pub(crate) symmetry: Symmetry,
    /// Positions of the events with which a thread gave up waiting, ascending.
    pub(crate) timeouts: Vec<u32>,
    /// Position and operand of each update, in order.
    operands: Vec<(u32, u64)>,
    /// 1 + position of each thread's last event.
    last: [u32; THREADS_MAX],
    /// Positions of each thread's events, ascending.
    pub(crate) by_thread: Vec<Vec<u32>>,
    /// The last event or passive step of each thread.
    pub(crate) rows: [Row; THREADS_MAX],
    /// By thread: 1 + position of the event that created it; 0 for a thread that no event created.
    pub(crate) creator: [u32; THREADS_MAX],
    /// By thread: the mutexes that it holds, as a lockset.
    held: [u64; THREADS_MAX],
    /// The mutexes that have a bit in locksets, in the order of their bits.
    locks: Vec<Object>,
    /// The states of objects at the root, as far as they are not 0.
    pub(crate) initial: Vec<(Object, u64)>,
    pub(crate) commuting: Commuting,
    pub(crate) waiters: WaiterSets,
    /// The threads for which [`Trace::compares_equal`] holds.
    pub(crate) comparisons: ThreadSet,
    pub(crate) awaited: Awaited,
    pub(crate) turns: Turns,
    pub(crate) parked: Vec<Parked>,
    /// The clock of all that happens before the next event by program order and edges alone, without conflicts.
    pub(crate) base: Vec<u32>,
}

const STRIDE_MIN: usize = 8;

impl Trace {
    pub(crate) fn new(table: Table, symmetry: Symmetry, commuting: Commuting) -> Self {
        let waiters = WaiterSets::new(commuting.mutation);
        Trace {
            table,
            symmetry,
            threads: Threads::new(),
            events: Vec::new(),
            accesses: Vec::new(),
            clocks: Vec::new(),
            stride: STRIDE_MIN,
            logs: Vec::new(),
            plain: Vec::new(),
            passive: Passives::default(),
            observations: Observations::default(),
            unseen: Unseen::default(),
            timeouts: Vec::new(),
            operands: Vec::new(),
            last: [0; THREADS_MAX],
            by_thread: vec![Vec::new(); THREADS_MAX],
            rows: [Row::Zero; THREADS_MAX],
            creator: [0; THREADS_MAX],
            held: [0; THREADS_MAX],
            locks: Vec::new(),
            initial: Vec::new(),
            commuting,
            waiters,
            comparisons: ThreadSet::EMPTY,
            awaited: Awaited::default(),
            turns: Turns::default(),
            parked: Vec::new(),
            base: vec![0; STRIDE_MIN],
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True before the first event.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event by its position.
    pub fn event(&self, position: usize) -> &Event {
        &self.events[position]
    }

    /// All events in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The operation that an event executed.
    pub fn operation(&self, position: usize) -> &Operation {
        &self.interned(position).operation
    }

    /// The operation that `thread` stands before; `None` if it stands before none.
    pub fn pending(&self, thread: ThreadId) -> Option<&Operation> {
        let operation = self.pending_operation(thread)?;
        Some(&self.table.get(operation).operation)
    }

    pub(crate) fn pending_operation(&self, thread: ThreadId) -> Option<OperationIndex> {
        match self.threads.get(thread) {
            Standing::Before(operation) => Some(operation),
            _ => None,
        }
    }

    /// The objects that an event touched, each with its name and whether the event changed it (a failed
    /// compare-exchange or trylock does not). Empty for operations without object, and for those that conflict with
    /// everything.
    pub fn accesses(&self, position: usize) -> impl Iterator<Item = (ObjectId, bool)> + '_ {
        let listed = self
            .footprint(position)
            .iter()
            .filter(|a| a.object != GLOBAL);
        listed.map(|a| (self.table.object_id(a.object), a.class != Class::READ))
    }

    /// The states of an object before and after an event; `None` if the event did not touch it. Of memory: the cell's
    /// bytes.
    pub fn values(&self, position: usize, object: ObjectId) -> Option<(u64, u64)> {
        let log = self.log(self.table.find_object(object)?);
        let at = log
            .binary_search_by_key(&(position as u32), |entry| entry.event)
            .ok()?;
        Some((log[at].before, log[at].after))
    }

    /// The mutexes of a lockset, by name.
    pub fn lockset(&self, set: u64) -> impl Iterator<Item = ObjectId> + '_ {
        let locks = self.locks.iter().enumerate();
        locks
            .filter(move |(bit, _)| set >> bit & 1 == 1)
            .map(|(_, &o)| self.table.object_id(o))
    }

    /// Positions of a thread's events, ascending.
    #[inline]
    pub(crate) fn events_of(&self, thread: ThreadId) -> &[u32] {
        &self.by_thread[usize::from(thread.0)]
    }

    /// Position of the last event of a thread; `None` if it has none.
    pub fn last_event(&self, thread: ThreadId) -> Option<usize> {
        (self.last[usize::from(thread.0)] as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn interned(&self, position: usize) -> &Interned {
        self.table.get(self.events[position].operation)
    }

    #[inline]
    pub(crate) fn footprint(&self, position: usize) -> &[Access] {
        let begin = self.events[position].accesses as usize;
        match self.events.get(position + 1) {
            Some(next) => &self.accesses[begin..next.accesses as usize],
            None => &self.accesses[begin..],
        }
    }

    #[inline]
    pub(crate) fn log(&self, object: Object) -> &[Entry] {
        self.logs.get(object.0 as usize).map_or(&[], |log| log)
    }

    #[inline]
    pub(crate) fn plain_writes(&self) -> &[PlainWrite] {
        &self.plain
    }

    #[inline]
    pub(crate) fn base(&self) -> &[u32] {
        &self.base
    }

    /// The mutexes that a thread holds now, as a lockset ([`Trace::lockset`]).
    #[inline]
    pub fn held(&self, thread: ThreadId) -> u64 {
        self.held[usize::from(thread.0)]
    }

    /// 1 + position of each thread's last event, 0 if it has none.
    #[inline]
    pub(crate) fn frontier(&self) -> &[u32] {
        &self.last[..self.stride]
    }

    /// Notes where a thread stands now.
    #[inline(always)]
    pub(crate) fn stand(&mut self, thread: ThreadId, standing: Standing) {
        let marks = match standing {
            Standing::Before(operation) => {
                let interned = self.table.get(operation);
                Marks {
                    passive: interned.passive,
                    timed: interned.operation.timed,
                    leaving: interned.operation.kind == Kind::ProcessEnd,
                }
            }
            _ => Marks::default(),
        };
        self.threads.set(thread, standing, marks);
    }

    /// Corrects where the thread of the last event stands after it.
    pub(crate) fn stand_again(&mut self, thread: ThreadId, standing: Standing) {
        self.stand(thread, standing);
        if let Some(event) = self.events.last_mut() {
            event.next = standing;
        }
    }

    /// The class that an access had when it happened: a store of class `WRITE` may have become that by being read.
    #[inline]
    pub(crate) fn first_class(&self, entry: &Entry) -> Class {
        match entry.observed {
            true => self.footprint(entry.event as usize)[0].class,
            false => entry.class,
        }
    }

    /// The last event or passive step of the thread of event `position` before that event.
    #[inline]
    pub(crate) fn row_before(&self, position: usize) -> Row {
        self.events[position].row
    }

    /// True if a plain write happens also in the execution of only those events for which `inside` holds. With each
    /// event the set must contain all that happen before it.
    pub(crate) fn is_left(&self, write: &PlainWrite, inside: impl Fn(usize) -> bool) -> bool {
        self.is_row_left(write.row, inside)
    }

    /// True if the event or passive step `row` is also in the execution of only those events for which `inside` holds.
    pub(crate) fn is_row_left(&self, row: Row, inside: impl Fn(usize) -> bool) -> bool {
        match row {
            Row::Event(event) => inside(event as usize),
            row => {
                let ends = self.row(row).unwrap_or_default().iter();
                ends.filter(|&&end| end > 0)
                    .all(|&end| inside(end as usize - 1))
            }
        }
    }

    /// The operand of the update at `position`.
    pub(crate) fn operand(&self, position: usize) -> u64 {
        let at = self
            .operands
            .binary_search_by_key(&(position as u32), |operand| operand.0);
        self.operands[at.expect("an update has an operand")].1
    }

    /// The threads that stand before an operation, each with that operation.
    pub(crate) fn pending_threads(&self) -> impl Iterator<Item = (ThreadId, OperationIndex)> + '_ {
        self.threads
            .pending
            .iter()
            .map(|t| match self.threads.get(t) {
                Standing::Before(operation) => (t, operation),
                other => unreachable!("thread {t:?} pending but {other:?}"),
            })
    }
}
