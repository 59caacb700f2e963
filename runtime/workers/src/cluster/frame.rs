//! Messages between the coordinators of a cluster.

use crate::shared::Stop;
use serde::{Deserialize, Serialize};

/// A frame with the round that it belongs to: a frame of an earlier round means nothing, and one of a later round
/// waits.
#[derive(Serialize, Deserialize)]
pub struct Envelope {
    /// The sender's round ([`Sums::rounds`](dpor_engine::knowledge::sums::Sums::rounds)).
    pub round: u32,
    /// The message itself.
    pub frame: Frame,
}

/// A message from one coordinator to another.
#[derive(Serialize, Deserialize)]
pub enum Frame {
    /// A message from a worker to worker `to` of the reader's rank.
    Letter {
        /// Number of the receiving worker in the reader's rank.
        to: u32,
        /// A [`dpor_explorer::worker::Message`].
        message: Vec<u8>,
    },
    /// A request of a worker without work, for any worker of the reader's rank.
    Beg {
        /// A [`dpor_explorer::worker::WorkerId`].
        thief: u32,
    },
    /// An order or a question from rank 0 to another.
    LeaderMessage(LeaderMessage),
    /// A report or an answer from another rank to rank 0.
    FollowerMessage(FollowerMessage),
}

/// Orders and questions from rank 0 to the other ranks.
#[derive(Serialize, Deserialize)]
pub enum LeaderMessage {
    /// A round begins: a [`crate::saved::SearchFile`] without anything left, as JSON.
    Begin(Vec<u8>),
    /// What workers are to do ([`crate::shared::Shared::ordered_word`]).
    Order(u32),
    /// A question for the numbers of messages received and sent, with its own number.
    Count(u64),
    /// Permission to begin so many more executions.
    Grant(u64),
    /// All threads that have numbers; `None`: no more can have one.
    Names(Option<Vec<(u16, u16)>>),
    /// Workers are to tell what they learnt.
    Tell,
    /// The workers are to end.
    End(Stop),
    /// The workers are of no use.
    Abandon,
}

/// Reports and answers from the other ranks to rank 0.
#[derive(Serialize, Deserialize)]
pub enum FollowerMessage {
    /// The rank cannot begin, for this reason.
    Refused(String),
    /// The answer to [`LeaderMessage::Count`].
    Counted(Counted),
    /// The executions granted are used up, and more are wanted.
    Wants,
    /// Executions that were granted and are not needed, by their number.
    Returns(u64),
    /// Threads want numbers.
    Unnamed(Vec<(u16, u16)>),
    /// The number of executions that have ended, and an estimate of all (the number, the least, the most).
    Executed(u64, Option<[f64; 3]>),
    /// The rank's workers end, for this reason.
    Ends(Stop),
    /// A worker's word to its coordinator.
    Worker {
        /// Number of the worker in its rank.
        worker: u32,
        /// Begins with a [`crate::member::Tag`].
        message: Vec<u8>,
    },
    /// A worker was killed, in an execution of this schedule.
    Killed(Vec<(u16, u32)>),
}

/// An answer to [`LeaderMessage::Count`].
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Counted {
    /// The number of the question that is answered.
    pub question: u64,
    /// True if all workers of the rank rest.
    pub all_rest: bool,
    /// Messages that workers received.
    pub received: u64,
    /// Messages that workers sent.
    pub sent: u64,
}
