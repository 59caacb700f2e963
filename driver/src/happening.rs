//! What the main thread of a check waits for: all of it comes through one queue.

use crate::cluster::Parcel;

/// What the main thread waits for.
#[derive(Debug)]
pub enum Happening {
    /// A line of the pipe. Parsed by whoever waits: the reader must keep up with the program, or the
    /// pipe seems silent while it works on a report of hundreds of megabytes.
    Line(Vec<u8>),
    /// The pipe was closed.
    Closed,
    /// The program's process has ended.
    Exited,
    /// We were sent a signal.
    Signal(i32),
    /// The program sends this to a rank.
    Frame(u32, Vec<u8>),
    /// A rank sends this.
    Parcel(u32, Parcel),
}
