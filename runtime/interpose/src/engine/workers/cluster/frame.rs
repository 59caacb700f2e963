//! What the coordinators of a cluster tell each other.

use super::super::shared::Stop;
use serde::{Deserialize, Serialize};

/// With the round it belongs to: what is left of an earlier one means nothing, and what comes of a later one
/// waits.
#[derive(Serialize, Deserialize)]
pub struct Envelope {
    /// See [`super::super::Sums::rounds`].
    pub round: u32,
    /// What is said.
    pub frame: Frame,
}

/// See the module.
#[derive(Serialize, Deserialize)]
pub enum Frame {
    /// From a worker to worker `to` of the reader's rank.
    Letter {
        /// Its number there.
        to: u32,
        /// A [`dpor_explorer::worker::Message`].
        message: Vec<u8>,
    },
    /// A worker without work asks anyone of the reader's rank.
    Beg {
        /// A [`dpor_explorer::worker::WorkerId`].
        thief: u32,
    },
    /// From rank 0 to the others.
    Told(Told),
    /// From the others to rank 0.
    Said(Said),
}

/// What rank 0 tells the others.
#[derive(Serialize, Deserialize)]
pub enum Told {
    /// A round begins: a [`super::super::saved::Left`] without anything left, as JSON.
    Begin(Vec<u8>),
    /// What workers are to do ([`super::super::shared::Shared::ordered_word`]).
    Order(u32),
    /// How many messages were received and sent? Asked for the so manyth time.
    Count(u64),
    /// So many more executions may be begun.
    Grant(u64),
    /// All threads that have numbers; `None`: no more can have one.
    Names(Option<Vec<(u16, u16)>>),
    /// It is time to tell what was learnt.
    Tell,
    /// The workers are to end.
    End(Stop),
    /// The workers are of no use.
    Abandon,
}

/// What the others tell rank 0.
#[derive(Serialize, Deserialize)]
pub enum Said {
    /// It cannot begin: why.
    Refused(String),
    /// An answer.
    Counted(Counted),
    /// The executions granted are used up, and more are wanted.
    Wants,
    /// So many executions were granted and are not needed.
    Returns(u64),
    /// Threads want numbers.
    Unnamed(Vec<(u16, u16)>),
    /// So many executions have ended, and so many there will have been (the number, the least, the most).
    Executed(u64, Option<[f64; 3]>),
    /// Its workers end.
    Ends(Stop),
    /// A worker's word to its coordinator.
    Worker {
        /// Its number there.
        worker: u32,
        /// Begins with a [`super::super::member::Tag`].
        message: Vec<u8>,
    },
    /// A worker was killed, in an execution of this schedule.
    Killed(Vec<(u16, u32)>),
}

/// An answer to [`Told::Count`].
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Counted {
    /// Which question is answered.
    pub question: u64,
    /// Whether all workers rest.
    pub all_rest: bool,
    /// Messages that workers received.
    pub received: u64,
    /// Messages that workers sent.
    pub sent: u64,
}
