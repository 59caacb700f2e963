//! Many workers on one tree, without shared memory.
//!
//! The tree is divided into *items*: subtrees below nodes that were given away. An item has one
//! holder, who alone appends below its head, so that every list of children is ordered by one
//! worker; and the order of the lists decides everything (see `crate::tree`). Reversals go *up*
//! to whoever has the node they are for ([`Message::Insert`]), and *down* to whoever a branch in
//! their way was given to ([`Message::Forward`]), never sideways.
//!
//! With an item comes what is left of its path, at every level: that was fixed when the path's
//! nodes were appended, so that nobody has to be told about it later, and each worker tests by
//! itself whether a reversal is covered there. See `path` (the search where nothing was given away),
//! `insert`, `close` (when the search is over, and what can be freed), `share` (what is given away).
//!
//! Messages may be delayed and overtake each other at will. There is no I/O here: whoever runs the
//! workers carries the messages.
//!
//! What is assumed: no message is lost and no worker dies. What is left of the search can be written
//! down at any moment in which no message is under way, and taken up by any number of other workers
//! (`frontier`): that is how the death of a worker is survived.
//!
//! **Source**: sleep sets and wakeup trees as in `crate::tree`; credits for messages under way as in
//! Mattern: Algorithms for distributed termination detection (1987), counted per item.
//!
//! **Deviations** from the usual work stealing of wakeup trees, where whoever comes first inserts:
//! 1. A node has one holder for ever, and insertions travel.
//! 2. Nodes are named by an item and a depth on the path to it, so that a message that concerns
//!    nothing any more can be told from its contents.
//! 3. Finished branches are kept, as bytes (`pack`), as long as something sleeps in them whose own
//!    branch is not done: with many workers that can be most of the tree. Whoever works at its left
//!    frees sooner.

mod close;
mod frontier;
mod insert;
mod item;
mod message;
mod naming;
mod notes;
mod pack;
mod partition;
mod path;
mod rest;
mod share;
mod wire;

pub use frontier::{Damaged, Frontier};
pub use message::{
    BarrierUsers, Before, Forward, Holder, Insertion, ItemId, Level, Message, NamedAccess,
    NamedStep, Planned, Work, WorkerId,
};
pub(crate) use partition::Partition;

use crate::config::Config;
use crate::end::{Counters, Execution, Fault};
use crate::explorer::Explorer;
use crate::trace::Trace;
use crate::Program;

/// A worker, one of several that explore the traces of a program, each once.
pub struct Worker {
    explorer: Explorer,
    /// What was executed before it took up the rest of a search.
    before: Counters,
}

impl Worker {
    /// A worker. Rank 0 has the whole tree, the others nothing.
    pub fn new(me: WorkerId, config: Config) -> Self {
        Worker {
            explorer: Explorer::for_worker(me, config),
            before: Counters::default(),
        }
    }

    /// Rank 0 of workers that go on with what is left of a search.
    ///
    /// # Errors
    /// That is not what it describes.
    pub fn resume(config: Config, left: &Frontier) -> Result<Self, Damaged> {
        let mut worker = Worker::new(WorkerId(0), config);
        let (partition, table) = worker.explorer.partition_and_table();
        partition.resume(table, left)?;
        worker.explorer.note_barriers(&left.barriers);
        worker.before = left.counters;
        Ok(worker)
    }

    /// Goes back to the root, so that [`Worker::frontier`] can be asked for once no message is under
    /// way. Messages may come of it.
    pub fn pause(&mut self) {
        self.explorer.partition_and_table().0.pause();
    }

    /// What this worker keeps of the tree: with what all others keep, what is left of the search. All
    /// workers are paused, and every message was received.
    pub fn frontier(&mut self) -> Frontier {
        let mut counters = self.counters();
        counters += self.before;
        let (partition, table) = self.explorer.partition_and_table();
        partition.frontier(table, counters)
    }

    /// Takes a message from another worker.
    pub fn receive(&mut self, message: Message) {
        let (partition, table) = self.explorer.partition_and_table();
        match message {
            Message::Steal { thief } => {
                if !(partition.is_rich() && partition.give(table, thief)) {
                    partition.outbox.push((thief, Message::Refuse));
                }
            }
            Message::Refuse => {}
            Message::Work(work) => {
                let item = work.item;
                partition.take(table, *work);
                for forward in partition.held.remove(&item).unwrap_or_default() {
                    self.receive(Message::Forward(Box::new(forward)));
                }
            }
            Message::Insert(insertion) => partition.take_up(table, &insertion),
            Message::Credit { item } => partition.credit(item),
            Message::Forward(forward) => partition.take_down(table, *forward),
            Message::Close {
                item,
                parent,
                received,
                counters,
                barriers,
            } => {
                self.explorer.note_barriers(&barriers);
                let (partition, _) = self.explorer.partition_and_table();
                partition.note_closed(item, parent, received, counters);
            }
            Message::Free { item } => partition.drop_item(item),
        }
    }

    /// Runs one execution. `None`: there is nothing to do at present.
    ///
    /// # Errors
    /// As [`Explorer::next`]; the search is over for all workers.
    pub fn step<P: Program>(&mut self, program: &mut P) -> Result<Option<Execution>, Fault> {
        self.explorer.next_of_worker(program)
    }

    /// Gives some of its work away unasked; false if there is none that can be given.
    pub fn give(&mut self, thief: WorkerId) -> bool {
        let (partition, table) = self.explorer.partition_and_table();
        partition.give(table, thief)
    }

    /// Takes the messages to be sent, in order.
    pub fn outbox(&mut self) -> Vec<(WorkerId, Message)> {
        std::mem::take(&mut self.explorer.partition_and_table().0.outbox)
    }

    /// True if [`Worker::step`] has something to do, or to report.
    pub fn has_work(&self) -> bool {
        self.explorer.is_wrong() || self.explorer.partition().has_work()
    }

    /// Rank 0: true if all workers are done.
    pub fn is_finished(&self) -> bool {
        !self.explorer.is_wrong() && self.explorer.partition().is_finished
    }

    /// Rank 0, once finished: what all workers executed.
    pub fn total(&self) -> Counters {
        let items = &self.explorer.partition().items;
        items
            .get(&ItemId::WHOLE)
            .map_or(Counters::default(), |item| item.total())
    }

    /// Sets the number of events that have to be repeated before a checkpoint is worth it, as
    /// [`Explorer::set_checkpoint_after`].
    pub fn set_checkpoint_after(&mut self, events: u32) {
        self.explorer.set_checkpoint_after(events);
    }

    /// Gives up all checkpoints but the root's, as [`Explorer::give_up_checkpoints`].
    pub fn give_up_checkpoints<P: Program>(&mut self, program: &mut P) {
        self.explorer.give_up_checkpoints(program);
    }

    /// The search itself, for what does not depend on there being others.
    pub fn explorer(&self) -> &Explorer {
        &self.explorer
    }

    /// Nodes of the tree that this worker keeps at present.
    pub fn nodes(&self) -> usize {
        self.explorer.partition().tree.len()
    }

    /// What this worker did.
    pub fn counters(&self) -> Counters {
        self.explorer.counters()
    }

    /// The events of the execution that [`Worker::step`] ran last.
    pub fn trace(&self) -> &Trace {
        self.explorer.trace()
    }

    /// The schedule of the last execution, as [`crate::SearchKind::Replay`] takes it.
    pub fn schedule(&self) -> Vec<(dpor_model::ThreadId, u32)> {
        self.explorer.schedule()
    }
}
