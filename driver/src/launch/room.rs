//! How many threads a process has room for. Most programs need few; one that needs more is started again.

use super::{Ended, Word};
use dpor_abi::options::{Options, NO_ROOM_FOR_THREADS};
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether some process had too little room for its threads.
static MANY_THREADS: AtomicBool = AtomicBool::new(false);

/// The options with the room for threads that a program has that runs now. A search goes on with the room that it
/// began with, on which addresses depend.
pub fn with_room(options: &Options) -> Options {
    let known = options.many_threads || MANY_THREADS.load(Ordering::Relaxed);
    Options {
        many_threads: room_of_saved(&options.resume).unwrap_or(known),
        ..options.clone()
    }
}

/// The options with the room for threads of all ranks of a cluster, none of which is started again.
pub fn with_room_of_ranks(options: &Options) -> Options {
    Options {
        many_threads: room_of_saved(&options.resume).unwrap_or(true),
        ..options.clone()
    }
}

/// Whether there was room for many threads in the search that a file keeps. What else is wrong with the file is the
/// runtime's to say.
fn room_of_saved(path: &str) -> Option<bool> {
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(SAVED_START_MAX).read_to_end(&mut start).ok()?;
    let says = |pair: &[u8]| start.windows(pair.len()).any(|part| part == pair);
    says(b"\"many-threads=1\"")
        .then_some(true)
        .or_else(|| says(b"\"many-threads=0\"").then_some(false))
}

/// Bytes at the beginning of such a file that hold the search's options (chosen: many times what they take).
const SAVED_START_MAX: u64 = 1 << 20;

/// Whether this one had.
pub(super) fn needs_many_threads(ended: &Ended) -> bool {
    let Word::Report(report, _) = &ended.word else {
        return false;
    };
    let reason = report.reason.as_deref().unwrap_or_default();
    reason.contains(NO_ROOM_FOR_THREADS)
}

/// Gives every process of this command room for many threads, from now on.
pub(super) fn want_many_threads() {
    MANY_THREADS.store(true, Ordering::Relaxed);
}
