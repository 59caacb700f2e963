//! How ready a channel is, as the search knows it: levels of reading and writing at each end, and the levels that
//! threads wait for.

use super::ring::Ring;
use super::table::{ring, Channel, Kind};

/// Level of an end at which reading or writing ends, as the other end is gone.
pub(super) const GONE: u64 = 0x7fff;
/// Highest level that tells an amount.
pub(super) const LEVEL_MAX: u64 = GONE - 1;
/// A threshold that is never reached.
pub const NEVER: u64 = 0xffff;

/// Bytes that are written to a pipe at once or not at all (`PIPE_BUF`).
pub const ATOMIC: usize = 4096;

/// The value at which an event counter is full.
pub(super) const COUNT_MAX: u64 = u64::MAX - 1;

impl Channel {
    /// Reading at this end finds no more than what is there.
    pub fn is_read_over(&self, end: usize) -> bool {
        let other = 1 - end;
        match self.kind {
            Kind::Pipe => self.open[other] == 0,
            Kind::Stream | Kind::Packet => {
                self.open[other] == 0 || self.shut_write[other] || self.shut_read[end]
            }
            Kind::Datagram => self.shut_read[end],
            Kind::Counter | Kind::Signals | Kind::Free => false,
        }
    }

    /// Writing at this end fails.
    pub fn is_write_over(&self, end: usize) -> bool {
        let other = 1 - end;
        match self.kind {
            Kind::Counter | Kind::Signals | Kind::Free => false,
            _ => self.open[other] == 0 || self.shut_write[end] || self.shut_read[other],
        }
    }

    /// Returns how ready the channel is, for the search: for each end reading and writing, 16 bits
    /// each.
    pub fn levels(&self, number: usize) -> u64 {
        let level = |end: usize, writing: bool| match (self.kind, writing, end) {
            // Who waits for signals waits for a bell.
            (Kind::Free | Kind::Signals, ..) | (Kind::Pipe, true, 0) | (Kind::Pipe, false, 1) => 0,
            (Kind::Counter, _, 1) => 0,
            (Kind::Counter, false, _) => self.count.min(LEVEL_MAX),
            (Kind::Counter, true, _) => (COUNT_MAX - self.count).min(LEVEL_MAX),
            (_, false, _) if self.is_read_over(end) || self.reset[end] => GONE,
            (_, false, _) => ring(number, end).look(Ring::stored).min(LEVEL_MAX),
            (_, true, _) if self.is_write_over(end) => GONE,
            (Kind::Pipe, true, _) => {
                (ring(number, 1 - end).look(Ring::room) as u64).min(ATOMIC as u64)
            }
            // A full socket is unsupported, so nobody waits for one.
            (_, true, _) => 1,
        };
        level(0, false) | level(0, true) << 16 | level(1, false) << 32 | level(1, true) << 48
    }
}

/// Waits for reading at an end to have this level, or for writing.
pub fn thresholds(end: usize, reading: u64, writing: u64) -> u64 {
    let own = reading | writing << 16;
    match end {
        0 => own | NEVER << 32 | NEVER << 48,
        _ => own << 32 | NEVER | NEVER << 16,
    }
}

/// Waits for an end to be readable, or for its writer to be gone.
pub fn to_read(end: usize) -> u64 {
    thresholds(end, 1, NEVER)
}

/// Waits for room at the other side of an end.
pub fn to_write(end: usize, room: usize) -> u64 {
    thresholds(end, NEVER, room as u64)
}
