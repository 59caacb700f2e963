//! What workers tell each other: plain data that names nothing by a number of one process.
//!
//! Objects go by the program's names ([`ObjectId`]), nodes by an item and a depth on its path, so
//! that a message means the same to every worker, and after a restart. How they become bytes is up to
//! whoever carries them (serde).

use crate::end::Counters;
use dpor_model::{ObjectId, ThreadId, ThreadSet};
use serde::{Deserialize, Serialize};

/// A worker, by its rank among all. Rank 0 begins with the whole tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct WorkerId(pub u32);

/// An item of work: the subtree below one node that was given away, or the whole tree. Unique in a
/// run: its giver and a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ItemId {
    /// Who gave it away.
    pub giver: WorkerId,
    /// Counts the items that the giver gave away, from 1 on; the whole tree is number 0 of rank 0.
    pub number: u32,
}

impl ItemId {
    /// The whole tree.
    pub const WHOLE: ItemId = ItemId {
        giver: WorkerId(0),
        number: 0,
    };
}

/// An item and the worker that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Holder {
    /// What.
    pub item: ItemId,
    /// Who.
    pub worker: WorkerId,
}

/// An access of a step, with the object by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NamedAccess {
    /// The object; [`dpor_model::NO_OBJECT`] stands for everything.
    pub object: ObjectId,
    /// How it is touched: a number that means the same in every process.
    pub class: u32,
    /// The mutex of a class that names one, otherwise [`dpor_model::NO_OBJECT`].
    pub of: ObjectId,
}

/// A step of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NamedStep {
    /// The thread whose step it is.
    pub thread: ThreadId,
    /// Which alternative.
    pub alternative: u32,
    /// What it touches.
    pub accesses: Vec<NamedAccess>,
}

/// A branch to the left of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Before {
    /// How it begins.
    pub step: NamedStep,
    /// Whether nothing will ever be inserted from below the step.
    pub is_final: bool,
}

/// A level of the path to an item: a node, and which of its children the path goes through.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// Who has the node: an index into [`Work::chain`].
    pub holder: u32,
    /// The node's children before the path's, started or not. They never change.
    pub before: Vec<Before>,
    /// The path's child.
    pub step: NamedStep,
    /// Whether the child is one of several choices, of which all were planned for good.
    pub is_choice: bool,
}

/// A planned node and how many of the nodes after it are below it: a tree in preorder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Planned {
    /// The node.
    pub step: NamedStep,
    /// Number of its children.
    pub children: u32,
}

/// A node that nobody started, given away with everything below it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Work {
    /// The name of the item from now on.
    pub item: ItemId,
    /// The items around it, the whole tree first.
    pub chain: Vec<Holder>,
    /// From the root to the node, which is the last level's step.
    pub path: Vec<Level>,
    /// What is planned below the node: its children, each with its subtree.
    pub planned: Vec<Planned>,
    /// Nobody will ever insert anything into it from outside.
    pub is_alone: bool,
}

/// A reversal for a node that somebody else has. The sender tested that nothing to the left of
/// `via` covers it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Insertion {
    /// The item that the node belongs to.
    pub item: ItemId,
    /// An item given away from it, through whose node the sender's path goes.
    pub via: ItemId,
    /// The depth of the node; the reversed event is the one after it on the path to `via`.
    pub depth: u32,
    /// What should happen there instead, as bytes: about ten a step.
    #[serde(with = "serde_bytes")]
    pub plan: Vec<u8>,
    /// Whom to credit.
    pub sender: Holder,
}

/// What is left of a reversal at the node that was given away as `item`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Forward {
    /// Where to go on.
    pub item: ItemId,
    /// The reversed event, which sleeps there, and what is left: as in [`Insertion`].
    #[serde(with = "serde_bytes")]
    pub plan: Vec<u8>,
}

/// Threads that used a barrier in any execution. More than it waits for, and their arrivals conflict:
/// then the search has to begin anew ([`crate::Fault::CrowdedBarrier`]).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BarrierUsers {
    /// Which barrier.
    pub barrier: ObjectId,
    /// How many threads it waits for.
    pub width: u64,
    /// Which threads.
    pub threads: ThreadSet,
}

/// A message between workers. They may be delayed and overtake each other; none is lost.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Asks for work.
    Steal {
        /// Who asks.
        thief: WorkerId,
    },
    /// There is none to give.
    Refuse,
    /// The answer to a request, or unasked.
    Work(Box<Work>),
    /// Goes up, to an item around the sender's.
    Insert(Box<Insertion>),
    /// An insertion was finished or forwarded.
    Credit {
        /// The item in which it arose.
        item: ItemId,
    },
    /// Goes down, to an item given away.
    Forward(Box<Forward>),
    /// An item is closed: nothing is left to do in it.
    Close {
        /// The item.
        item: ItemId,
        /// The item it was given away from.
        parent: ItemId,
        /// Forwards that it received; if more were sent, it is not closed.
        received: u64,
        /// What was executed in it and in all that was given away from it.
        counters: Counters,
        /// What the sender knows of barriers.
        barriers: Vec<BarrierUsers>,
    },
    /// Nobody will ever ask for the item again: forget it.
    Free {
        /// The item.
        item: ItemId,
    },
}
