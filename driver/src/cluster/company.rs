//! The ranks of a check, as one of them speaks with the others.

use super::{Errand, Parcel, Word};
use crate::happening::Happening;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// The ranks of a check, seen from one of them.
#[derive(Debug)]
pub struct Company {
    /// Number of this rank.
    pub rank: u32,
    /// Number of all ranks.
    pub size: u32,
    pub(super) errands: Sender<Errand>,
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
    pub(super) fn leave(&self) {
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
