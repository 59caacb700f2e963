//! Events that a search learns to make: the program was seen to do something for which they matter.
//!
//! That a thread ends is no event as long as nobody asks whether it has ended; whether it was
//! cancelled is asked nowhere as long as nobody cancels. A search learns of the first such call, and
//! begins anew; from then on the events are made. So within one search that is not begun anew, all
//! executions agree on what is an event.

use crate::between::Shared;
use crate::given::concerns;
use crate::runtime::runtime;
use crate::thread_mask::ThreadMask;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;
use dpor_model::ThreadId;

/// Something that the program does, and that makes events of what otherwise are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EventCause {
    /// A thread asks whether another has ended: the end of a thread is an event.
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
    /// More mutexes are tried, in more rounds, than are explored of a `std::lock`: its way of backing off is not known
    /// whole.
    BacksOff,
    /// Threads that block are asked to end, where only a time-out let anything go on: their waits are such that a
    /// request ends them.
    LateRequests,
    /// Threads other than the first register exit handlers, or two call `exit`: that it begins is an event.
    Exits,
    /// Plain accesses meet places that loops look at, or something tells of a parked thread without an order (`polled.rs`):
    /// a turn in vain comes twice before its thread waits.
    TurnsAgain,
    /// Clocks are looked at: who hears of a thread that slept comes later. Where states are remembered: a finding may be
    /// one only because clocks stand still, and so they advance.
    Clocks,
    /// Threads do not go on because a turn of theirs was in vain: then whatever tells of such a thread without ordering
    /// what it did matters.
    Parks,
    /// Places that loops look at are changed by what is no event: threads whose turn was in vain wait for that.
    WaitsAgain,
    /// More threads live at once than there are real ones at first (`more_threads.rs`).
    MoreThreads,
}

/// The words of these in a schedule, which begin with [`MARK`].
const WORDS: [(EventCause, &str); 14] = [
    (EventCause::Ends, "+ends"),
    (EventCause::ProcessSignals, "+process-signals"),
    (EventCause::Attributes, "+attributes"),
    (EventCause::LateSignals, "+late-signals"),
    (EventCause::SignalDescriptors, "+signal-descriptors"),
    (EventCause::TriedLocks, "+tried-locks"),
    (EventCause::BacksOff, "+backs-off"),
    (EventCause::LateRequests, "+late-requests"),
    (EventCause::Exits, "+exits"),
    (EventCause::TurnsAgain, "+turns-again"),
    (EventCause::Clocks, "+clocks"),
    (EventCause::Parks, "+parks"),
    (EventCause::WaitsAgain, "+waits-again"),
    (EventCause::MoreThreads, "+more-threads"),
];
/// Words for the threads that are cancelled or sent signals in some execution; a bit mask in hexadecimal digits
/// follows.
const CANCELLED: &str = "+cancelled=";
const SIGNALLED: &str = "+signalled=";
/// Word for the threads that go no further in some execution, as an iteration of theirs was in vain.
const PARKED: &str = "+parked=";
/// Words for the scenarios whose calls look at which others returned ([`Masks`]); of the second, `each` or a number follows.
const MASKS: &str = "+masks";
const DOUBTED: &str = "+masks=";
/// Word for the places that properties read; [`Watched::encode`](crate::knowledge::watched::Watched::encode) follows.
const WATCHED: &str = "+watched=";
const MARK: char = '+';

/// The scenarios whose calls look at which others have returned (`call_order.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Masks {
    /// None: orders in time are told by those of traces.
    #[default]
    None,
    /// All, from the beginning.
    All,
    /// All, since something is wrong with one of them, and all findings are wanted.
    Each,
    /// This one, with which something is wrong, and no other is run.
    One(u32),
}

impl Masks {
    /// What two processes know together: of two scenarios the first.
    fn and(self, other: Masks) -> Masks {
        match (self, other) {
            (Masks::None, known) | (known, Masks::None) => known,
            (Masks::All, _) | (_, Masks::All) => Masks::All,
            (Masks::Each, _) | (_, Masks::Each) => Masks::Each,
            (Masks::One(one), Masks::One(other)) => Masks::One(one.min(other)),
        }
    }
}

/// All that was seen. In the arena: shared with processes forked for one execution, never taken back.
///
/// The engine asks for it while it holds the rest of what the runtime knows, fibers while they run: so it
/// is apart from that, and nobody borrows it for longer than an access.
#[derive(Default)]
struct LearnedEvents {
    bits: Cell<u32>,
    /// Threads that are the target of `pthread_cancel`.
    cancelled: Cell<ThreadMask>,
    /// Threads to which others send signals.
    signalled: Cell<ThreadMask>,
    /// Threads that go no further in some execution, as a turn of theirs was in vain.
    parked: Cell<ThreadMask>,
    masks: Cell<Masks>,
    /// Some thread is cancelled or sent signals.
    interruptible: Cell<bool>,
    /// True if something is new to the running search.
    changed: Cell<bool>,
    /// True if calls with a time limit were made: for the verdict, and nothing to begin anew for.
    timed: Cell<bool>,
    /// True if a clock was looked at: for a verdict that is kept, and nothing to begin anew for.
    clock_read: Cell<bool>,
    /// True in a replay, which knows what the search knew that found its schedule, and learns nothing.
    is_replay: bool,
}

static LEARNED: Kept<Shared<LearnedEvents>> = Kept::new(Shared::nothing());

/// Installs an empty record. To be called once, at the root.
pub fn begin(is_replay: bool) {
    LEARNED.install(Box::new(LearnedEvents {
        is_replay,
        ..LearnedEvents::default()
    }));
}

#[inline(always)]
fn learned() -> &'static LearnedEvents {
    // SAFETY: the record is installed since the root, for good; it changes in its cells only, and nobody has a `&mut` to it.
    unsafe { &*LEARNED.get() }
}

fn add(to: &Cell<ThreadMask>, thread: ThreadId) {
    let mut threads = to.get();
    threads.insert(thread);
    to.set(threads);
    learned().changed.set(true);
}

#[inline(always)]
fn contains(threads: &Cell<ThreadMask>, thread: ThreadId) -> bool {
    // SAFETY: the cell lives in the record; one thread of the system runs, and it only looks during this call, so that
    // nobody changes the mask meanwhile.
    unsafe { (*threads.as_ptr()).contains(thread) }
}

/// A mask as one number, whose lowest bit is thread 0.
fn hexadecimal(threads: &ThreadMask) -> String {
    let words = threads.words();
    let last = words.iter().rposition(|&word| word != 0).unwrap_or(0);
    let rest = words[..last]
        .iter()
        .rev()
        .map(|word| format!("{word:016x}"));
    std::iter::once(format!("{:x}", words[last]))
        .chain(rest)
        .collect()
}

/// The mask that [`hexadecimal`] wrote.
fn of_hexadecimal(digits: &str) -> Option<ThreadMask> {
    let bytes = digits.is_ascii().then_some(digits.as_bytes())?;
    let words: Option<Vec<u64>> = bytes
        .rchunks(16)
        .map(|word| u64::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok())
        .collect();
    Some(ThreadMask::from_words(words?.into_iter()))
}

/// Whether something was learnt in this search, which then has to begin anew; it is told once.
pub fn take_changed() -> bool {
    learned().changed.take()
}

/// Whether something was learnt in this execution, after which the search begins anew.
pub fn begins_anew() -> bool {
    learned().changed.get()
}

fn is_replay() -> bool {
    learned().is_replay
}

/// Whether the events of `what` are made in this search.
pub fn knows(what: EventCause) -> bool {
    learned().bits.get() >> what as u8 & 1 == 1
}

/// The search that begins knows of `what`.
pub fn know(what: EventCause) {
    learned().bits.set(learned().bits.get() | 1 << what as u8);
}

/// The program does it: whether the events are made in this search. If not, the search is not gone on
/// with after this execution.
pub fn learn(what: EventCause) -> bool {
    let known = knows(what);
    if !known && !is_replay() {
        know(what);
        learned().changed.set(true);
    }
    known
}

/// Notes that something else was learnt that a search has to know from its beginning.
pub fn note_other() {
    learned().changed.set(true);
}

/// A call with a time limit was made.
pub fn note_timed() {
    learned().timed.set(true);
}

/// Whether a call with a time limit was made in some execution.
pub fn is_timed() -> bool {
    learned().timed.get()
}

/// The program looked at a clock while it had one thread.
static CLOCK_READ_BEFORE_ROOT: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// The program looks at a clock before its exploration begins.
pub fn note_clock_read_before_root() {
    CLOCK_READ_BEFORE_ROOT.store(true, Ordering::Relaxed);
}

/// The program looks at a clock.
pub fn note_clock_read() {
    learned().clock_read.set(true);
}

/// Whether the program looked at a clock, in some execution or before all of them.
pub fn is_clock_read() -> bool {
    learned().clock_read.get() || CLOCK_READ_BEFORE_ROOT.load(Ordering::Relaxed)
}

/// Whether a thread may be cancelled in this search, or others may send it signals.
#[inline(always)]
pub fn is_interruptible(thread: ThreadId) -> bool {
    learned().interruptible.get() && (is_cancelled(thread) || is_signalled(thread))
}

/// Whether a thread may be cancelled in this search.
#[inline(always)]
pub fn is_cancelled(thread: ThreadId) -> bool {
    contains(&learned().cancelled, thread)
}

/// Learns that the program cancels a thread; returns, as [`learn`], whether that is known in this search.
pub fn learn_cancelled(thread: ThreadId) -> bool {
    let known = is_cancelled(thread);
    if !known && !is_replay() {
        add(&learned().cancelled, thread);
        learned().interruptible.set(true);
    }
    known
}

/// Whether others may send a thread signals in this search.
pub fn is_signalled(thread: ThreadId) -> bool {
    contains(&learned().signalled, thread)
}

/// Learns that the program sends another thread a signal; returns, as [`learn`], whether that is known in this search.
pub fn learn_signalled(thread: ThreadId) -> bool {
    let known = is_signalled(thread);
    if !known && !is_replay() {
        add(&learned().signalled, thread);
        learned().interruptible.set(true);
    }
    known
}

/// Whether a thread goes no further in some execution of this search, as a turn of it was in vain.
pub fn is_parked(thread: ThreadId) -> bool {
    contains(&learned().parked, thread)
}

/// Learns that an iteration of the thread is in vain.
pub fn learn_parked(thread: ThreadId) {
    if !is_parked(thread) && !is_replay() {
        add(&learned().parked, thread);
        learn(EventCause::Parks);
    }
}

/// The scenarios whose calls look at which others returned, in this search.
pub fn masks() -> Masks {
    learned().masks.get()
}

/// The search that begins knows that calls have to look.
pub fn know_masks(masks: Masks) {
    learned().masks.set(learned().masks.get().and(masks));
}

/// Learns that calls have to look.
pub fn learn_masks(masks: Masks) {
    know_masks(masks);
    learned().changed.set(true);
}

/// Takes over what a schedule says of that, and nothing else. `None` if it is no text of [`encode`].
pub fn decode_masks(text: &str) -> Option<()> {
    let mut words = text.split_ascii_whitespace();
    match words.find(|word| word.starts_with(MASKS)) {
        None => Some(()),
        Some(word) => decode_masks_word(word),
    }
}

fn decode_masks_word(word: &str) -> Option<()> {
    know_masks(match word.strip_prefix(DOUBTED) {
        None => (word == MASKS).then_some(Masks::All)?,
        Some("each") => Masks::Each,
        Some(number) => Masks::One(number.parse().ok()?),
    });
    Some(())
}

/// Writes what was learnt, and what the concerns learnt, for a schedule: words separated by
/// blanks.
pub fn encode() -> String {
    let mut text = (concerns().encode_learnt)();
    let mut add = |word: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    };
    for (_, word) in WORDS.iter().filter(|(what, _)| knows(*what)) {
        add(word);
    }
    for (mark, threads) in [
        (CANCELLED, &learned().cancelled),
        (SIGNALLED, &learned().signalled),
        (PARKED, &learned().parked),
    ] {
        if threads.get() != ThreadMask::EMPTY {
            add(&format!("{mark}{}", hexadecimal(&threads.get())));
        }
    }
    match masks() {
        Masks::None => {}
        Masks::All => add(MASKS),
        Masks::Each => add(&format!("{DOUBTED}each")),
        Masks::One(scenario) => add(&format!("{DOUBTED}{scenario}")),
    }
    // SAFETY: the runtime is installed since the root, for good, and nobody changes the list during this call.
    let watched = unsafe { (*runtime()).properties.watched.encode() };
    if !watched.is_empty() {
        add(&format!("{WATCHED}{watched}"));
    }
    text
}

/// Takes over what [`encode`] wrote; `None` if it is no such text.
pub fn decode(text: &str) -> Option<()> {
    let (own, calls): (Vec<&str>, Vec<&str>) = text
        .split_ascii_whitespace()
        .partition(|word| word.starts_with(MARK));
    for word in own {
        let add = |to: &Cell<ThreadMask>, digits| {
            let mut threads = to.get();
            threads.add(&of_hexadecimal(digits)?);
            to.set(threads);
            Some(())
        };
        if let Some(mask) = word.strip_prefix(CANCELLED) {
            add(&learned().cancelled, mask)?;
            learned().interruptible.set(true);
        } else if let Some(mask) = word.strip_prefix(SIGNALLED) {
            add(&learned().signalled, mask)?;
            learned().interruptible.set(true);
        } else if let Some(mask) = word.strip_prefix(PARKED) {
            add(&learned().parked, mask)?;
        } else if word.starts_with(MASKS) {
            decode_masks_word(word)?;
        } else if let Some(reads) = word.strip_prefix(WATCHED) {
            // SAFETY: the runtime is installed since the root, for good; nobody else uses these lists during this call.
            let (properties, blocks) =
                unsafe { (&mut (*runtime()).properties, &mut (*runtime()).blocks) };
            properties.watched.add(reads, blocks)?;
        } else {
            let &(what, _) = WORDS.iter().find(|(_, known)| *known == word)?;
            know(what);
        }
    }
    (concerns().decode_learnt)(&calls.join(" "))
}
