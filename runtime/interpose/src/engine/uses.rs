//! What the program was seen to do that makes events of what otherwise are none.
//!
//! That a thread ends is no event as long as nobody asks whether it has ended; whether it was
//! cancelled is asked nowhere as long as nobody cancels. A search learns of the first such call, and
//! begins anew; from then on the events are made. So within one search that is not begun anew, all
//! executions agree on what is an event.

use super::runtime::runtime;
use crate::libc::opaque;
use dpor_explorer::program::ThreadId;

/// Something that makes events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Use {
    /// Whether a thread has ended is asked: its end is an event.
    Ends,
    /// Signals are sent to the process, and may be pending for it.
    ProcessSignals,
    /// Names and scheduling attributes of threads are read: changing them is an event.
    Attributes,
    /// Signals are sent to threads that block, where only a time-out let anything go on: threads that are
    /// sent signals may give up their waits so that such a signal finds them.
    LateSignals,
    /// Signals may be read from a descriptor: sending one conflicts with everything.
    SignalDescriptors,
    /// Mutexes that `std::lock` locks are tried elsewhere: its rounds that fail can be noticed.
    TriedLocks,
    /// And there are more of them than are explored.
    BacksOff,
    /// Threads that block are asked to end, where only a time-out let anything go on: their waits are such that a
    /// request ends them.
    LateRequests,
}

/// By their words in a schedule, which begin with [`MARK`].
const WORDS: [(Use, &str); 8] = [
    (Use::Ends, "+ends"),
    (Use::ProcessSignals, "+process-signals"),
    (Use::Attributes, "+attributes"),
    (Use::LateSignals, "+late-signals"),
    (Use::SignalDescriptors, "+signal-descriptors"),
    (Use::TriedLocks, "+tried-locks"),
    (Use::BacksOff, "+backs-off"),
    (Use::LateRequests, "+late-requests"),
];
/// Thread numbers that are cancelled, or sent signals: this and a bit mask in hexadecimal digits.
const CANCELLED: &str = "+cancelled=";
const SIGNALLED: &str = "+signalled=";
const MARK: char = '+';

/// All that was seen. In the arena: shared with processes forked for one execution, never taken back.
#[derive(Default)]
pub struct Uses {
    bits: u32,
    /// Bit t: thread t is the target of `pthread_cancel`.
    pub cancelled: u64,
    /// Bit t: others send signals to thread t.
    pub signalled: u64,
    /// Which mutexes are locked together, and which are tried.
    pub locks: crate::cxx::lock_all::Seen,
    /// Something is new to the running search.
    changed: bool,
}

impl Uses {
    /// Whether something was learnt in this search, which then has to begin anew.
    pub fn take_changed(&mut self) -> bool {
        core::mem::take(&mut self.changed)
    }
}

/// Whether something was learnt in this execution, after which the search begins anew.
pub fn begins_anew() -> bool {
    uses().changed
}

fn uses() -> &'static mut Uses {
    // SAFETY: a fiber runs, or the engine between steps; no reference outlives a call of this file.
    unsafe { &mut (*runtime()).uses }
}

/// A replay knows what the search knew that found its schedule.
fn is_replay() -> bool {
    // SAFETY: as in `uses`.
    unsafe { (*runtime()).is_replay() }
}

/// Whether these events are made in this search.
pub fn knows(what: Use) -> bool {
    uses().bits >> what as u8 & 1 == 1
}

/// The program does it: whether the events are made in this search. If not, the search is not gone on
/// with after this execution.
pub fn learn(what: Use) -> bool {
    let known = knows(what);
    if !known && !is_replay() {
        let uses = uses();
        uses.bits |= 1 << what as u8;
        uses.changed = true;
    }
    known
}

/// Whether a thread may be cancelled in this search.
pub fn is_cancelled(thread: ThreadId) -> bool {
    uses().cancelled >> thread.0 & 1 == 1
}

/// As [`learn`]: the program cancels a thread.
pub fn learn_cancelled(thread: ThreadId) -> bool {
    let known = is_cancelled(thread);
    if !known && !is_replay() {
        let uses = uses();
        uses.cancelled |= 1 << thread.0;
        uses.changed = true;
    }
    known
}

/// Whether others may send a thread signals in this search.
pub fn is_signalled(thread: ThreadId) -> bool {
    uses().signalled >> thread.0 & 1 == 1
}

/// As [`learn`]: the program sends another thread a signal.
pub fn learn_signalled(thread: ThreadId) -> bool {
    let known = is_signalled(thread);
    if !known && !is_replay() {
        let uses = uses();
        uses.signalled |= 1 << thread.0;
        uses.changed = true;
    }
    known
}

/// What was learnt, and the calls that are events ([`opaque::encode`]), for a schedule: words separated
/// by blanks.
pub fn encode() -> String {
    let mut text = opaque::encode();
    let mut add = |word: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    };
    for (_, word) in WORDS.iter().filter(|(what, _)| knows(*what)) {
        add(word);
    }
    if uses().cancelled != 0 {
        add(&format!("{CANCELLED}{:x}", uses().cancelled));
    }
    if uses().signalled != 0 {
        add(&format!("{SIGNALLED}{:x}", uses().signalled));
    }
    text
}

/// Takes over what [`encode`] wrote; `None` if it is no such text.
pub fn decode(text: &str) -> Option<()> {
    let (own, calls): (Vec<&str>, Vec<&str>) = text
        .split_ascii_whitespace()
        .partition(|word| word.starts_with(MARK));
    for word in own {
        if let Some(mask) = word.strip_prefix(CANCELLED) {
            uses().cancelled |= u64::from_str_radix(mask, 16).ok()?;
        } else if let Some(mask) = word.strip_prefix(SIGNALLED) {
            uses().signalled |= u64::from_str_radix(mask, 16).ok()?;
        } else {
            let &(what, _) = WORDS.iter().find(|(_, known)| *known == word)?;
            uses().bits |= 1 << what as u8;
        }
    }
    opaque::decode(&calls.join(" "))
}
