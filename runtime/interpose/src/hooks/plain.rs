//! Plain accesses: judged by happens-before, or events of their own with `--plain=explore`.

use super::{event, plain_is_explored, report};
use crate::annotations;
use crate::engine::{self, runtime::runtime};
use core::sync::atomic::{AtomicU64, Ordering};
use dpor_explorer::program::Kind;

/// Bit k: some cell c with c mod 64 = k is touched by a compare-exchange. Never rolled back.
static EXCHANGED: AtomicU64 = AtomicU64::new(0);

/// A compare-exchange touched a cell for the first time.
pub fn remember_exchange(cell: u64) {
    EXCHANGED.fetch_or(1 << (cell & 63), Ordering::Relaxed);
}

/// The running thread writes without an event; matters for cells that a compare-exchange touches.
#[inline(always)]
pub fn note_write(address: usize, bytes: u64) {
    if EXCHANGED.load(Ordering::Relaxed) != 0 {
        note_cells(address as u64, bytes);
    }
}

