//! What goes from rank to rank.

use serde::{Deserialize, Serialize};
use std::sync::mpsc::Sender;

/// What drivers tell each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Word {
    /// Rank 0 tells the program's environment, which is to be that of all.
    Environment(Vec<(Vec<u8>, Vec<u8>)>),
    /// Rank 0 tells that the check is over.
    Finish,
    /// Another rank tells that it has heard of it.
    Bye,
    /// Another rank cannot take part, or the tool failed there.
    Failed(String),
    /// The program's process of another rank died, with what it left ([`dpor_abi::journal`]).
    Died {
        /// Wait status of the process.
        status: i32,
        /// Bytes of the journal.
        journal: Vec<u8>,
        /// The message of a process that found itself in a state that cannot be.
        panic: Option<String>,
    },
    /// The process of another rank was killed by somebody, in this way.
    Killed(String),
    /// A signal asks another rank for the end.
    Interrupted,
}

/// A message from rank to rank.
#[derive(Clone, Debug)]
pub enum Parcel {
    /// A frame from one rank's program to another's.
    Frame(Vec<u8>),
    /// A word from one rank's driver to another's.
    Word(Word),
}

/// A task for the thread that speaks MPI.
#[derive(Debug)]
pub enum Errand {
    /// Send this to a rank.
    Send(u32, Parcel),
    /// Take leave of the others, and say when that is done.
    Leave(Sender<()>),
}
