//! How the program's process ended, and what it left.

use dpor_abi::journal::Journal;
use dpor_report::{LoadedObject, Progress, Report};
use std::process::ExitStatus;
use std::time::Duration;

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    /// What it said.
    pub word: Word,
    /// The exit status of the process.
    pub status: ExitStatus,
    /// Whether the process was told to stop, by a signal or by us.
    pub interrupted: bool,
    /// Whether it was we who told it: the limit of time was over, and the runtime had not seen to it.
    pub out_of_time: bool,
    /// The last progress message.
    pub progress: Progress,
    /// What it left, in whatever way it ended.
    pub journal: Left,
    /// The journal as it was written, in bytes.
    pub journal_bytes: Vec<u8>,
    /// Wall time from start to end.
    pub wall: Duration,
}

/// What is left in the memory that the driver gave to the runtime ([`dpor_abi::journal`]).
#[derive(Debug)]
pub enum Left {
    /// How far it was.
    Journal(Box<Journal>),
    /// Nothing: exploration never began.
    Nothing,
    /// Something that no runtime wrote.
    Overwritten,
}

/// The last word of the runtime.
#[derive(Debug)]
pub enum Word {
    /// Exploration ended with a report.
    Report(Box<Report>, Vec<LoadedObject>),
    /// The runtime cannot go on.
    Failure(String),
    /// The runtime was not there: nothing of the program ran.
    Absent,
    /// Exploration never began: the program had one thread to its end.
    Plain,
    /// Exploration began and then nothing more was heard.
    Lost,
}
