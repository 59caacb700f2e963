//! Checks of several MPI ranks: `mpirun -n N dpor check --mpi PROGRAM`.
//!
//! Every rank starts the program; rank 0 leads the search and reports, the others help until it says that it
//! is over. The programs' processes speak with each other in frames ([`dpor_abi::link`]), which drivers
//! carry without reading them; what drivers themselves have to say is a [`Word`].
//!
//! ```text
//!   program ── socket ──► link thread ──┐                  ┌──► MPI thread ══ MPI ══► other ranks
//!                                       ├─► main thread ───┤
//!   other ranks ══ MPI ══► MPI thread ──┘                  └──► socket ──► program
//! ```

mod help;
pub mod local;
#[cfg(feature = "mpi")]
mod mpi;
pub mod place;

pub use help::help;

use crate::launch::Happening;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

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

/// The ranks of a check, seen from one of them.
#[derive(Debug)]
pub struct Company {
    /// Number of this rank.
    pub rank: u32,
    /// Number of all ranks.
    pub size: u32,
    errands: Sender<Errand>,
    /// What happens, here and elsewhere.
    pub happenings: (Sender<Happening>, Receiver<Happening>),
    /// The program's environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Rank 0 has said that the check is over.
    pub is_over: bool,
    /// True once a signal asked for the end: whoever sent it may kill us soon.
    pub is_hurried: bool,
}

/// How long ranks wait for each other at the end. A busy machine needs seconds to end processes.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long ranks wait for each other at the end after a signal.
const HURRY: Duration = Duration::from_millis(200);

impl Company {
    /// Joins the ranks that `mpirun` started.
    ///
    /// # Errors
    /// One sentence.
    pub fn join() -> Result<Company, String> {
        #[cfg(feature = "mpi")]
        let company = mpi::join();
        #[cfg(not(feature = "mpi"))]
        let company = Err(
            "--mpi: this dpor was built without MPI (cargo xtask build --mpi builds one with it)"
                .to_owned(),
        );
        company
    }

    /// Sends something to a rank.
    pub fn send(&self, to: u32, parcel: Parcel) {
        // Only a process that is about to end has no such thread any more.
        let _ = self.errands.send(Errand::Send(to, parcel));
    }

    /// Says something to a driver.
    pub fn say(&self, to: u32, word: Word) {
        self.send(to, Parcel::Word(word));
    }

    /// The check is over: rank 0 says so, and waits for the others.
    pub fn finish(&mut self) {
        if self.rank != 0 || self.is_over {
            return;
        }
        self.is_over = true;
        (1..self.size).for_each(|rank| self.say(rank, Word::Finish));
        let mut missing: BTreeSet<u32> = (1..self.size).collect();
        let deadline = Instant::now() + self.patience();
        while !missing.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.happenings.1.recv_timeout(left) {
                Ok(Happening::Parcel(rank, Parcel::Word(Word::Bye))) => drop(missing.remove(&rank)),
                Ok(_) => {}
                // Whoever does not answer is gone; MPI cannot be left in order then.
                Err(_) => return,
            }
        }
        self.leave();
    }

    /// Takes leave of MPI.
    fn leave(&self) {
        let (sender, done) = std::sync::mpsc::channel();
        if self.errands.send(Errand::Leave(sender)).is_ok() {
            // Otherwise the process ends without.
            let _ = done.recv_timeout(self.patience());
        }
    }

    fn patience(&self) -> Duration {
        match self.is_hurried {
            true => HURRY,
            false => PATIENCE,
        }
    }
}
