//! Plain accesses that the running thread already made in this step: they tell nobody anything new.
//!
//! A program spends most of its accesses on what it accessed just before. Two words for every eight bytes of its
//! memory, one for writes and one for accesses of either kind, recognize those in a dozen instructions, without a look
//! at the race detector's cells (decision 0095).
//!
//! ```text
//!           40 bits of the address (for another room: others) choose two words
//!  63                          20 19 15 14        0
//! ┌──────────────────────────────┬─────┬───────────┐
//! │ granule, and in it the stamp │  0  │ pieces    │  first word: accesses of either kind; second: writes
//! └──────────────────────────────┴─────┴───────────┘
//! ```
//!
//! *Granule*: the address without its three lowest bits. Those of its bits that choose the words are the same in all
//! that can be there, so the stamp stands in their place: a word is of one granule and one stamp.
//! *Stamp*: a number that is never used again, and above it the number of the thread that runs.
//! *Pieces*: the aligned pieces of the granule that one access of this stamp covers: eight bytes, four words of two,
//! two of four, one of eight.
//!
//! **Rule.** A piece is in a word only if an access that covers it was told whole ([`remember`]) and nothing happened
//! since that could make it matter again. Whatever could calls [`forget_all`], which begins a stamp: a step that begins
//! (so all events, a switch, a restore); the race detector being told of anything but plain accesses (blocks, atomics,
//! locks); the words that accesses leave behind being reset within a step; a range of accesses to be ignored that begins
//! (in it none is remembered).
//! Of what was told once in a step, telling it or a part of it again changes nothing: the detector finds it redundant
//! (`dpor_races`, `check.rs`), and the cells that the search is to be told of are a set. A read is also redundant
//! behind a write to the same bytes.
//!
//! **Told in an earlier step.** The detector also knows an access again that the same thread made in an earlier step, if it
//! published nothing since, that is, if it is in the same *epoch*. So the thread's stamps since its epoch began still count
//! for the detector ([`was_told`]), whatever other threads did in between, though not for what is noted for each step, until
//! nothing more has to be noted in this one ([`nothing_is_noted`]). That ends where the detector does something to the memory
//! that is no plain access: it says where ([`forget_range`]; of much memory all is forgotten). It ends for all memory where the
//! program goes back in time, and where a step is not judged ([`forget_told`]). Where memory is limited, a stamp has no room
//! for the thread: then it ends, too, where another thread runs.
//!
//! **Whole pages.** Where the detector judges a page of its memory as one, [`whole_pages`] says what was told of that, whatever
//! bytes it was of. It is asked first.
//!
//! **Never taken back.** A stamp is never used again, also where the program goes back in time or another process goes on,
//! so what is left in the words says nothing then. They are no part of a snapshot, and a forked process begins with
//! empty ones.

use super::whole_pages;
use super::words::{self, word, PAGE_OF, WINDOW, WINDOW_SMALL};
use dpor_machine::state::{Kept, PerStep, Plain};
use dpor_machine::sys;
use dpor_model::{ThreadId, THREADS_MAX};

/// Lowest bit of the stamp and of the granule in a word.
const STAMP_SHIFT: u32 = 20;
/// Where an address is shifted to, so that its granule is where a word has it. What is left of its lowest bits lies
/// where words are 0.
const ADDRESS_SHIFT: u32 = STAMP_SHIFT - 3;
/// All pieces of a granule.
const ALL: u64 = (1 << 15) - 1;
/// Where what is wrong in an address that is not aligned lies.
const NOT_ALIGNED: u64 = 7 << ADDRESS_SHIFT;
/// Bytes of a range that is remembered at most: what is longer is rarely repeated.
const RANGE_MAX: u64 = 1 << 20;

/// Which words count.
struct Valid {
    /// The stamp, where words have it. Until memory is mapped no word has it: it is no address's.
    stamp: Plain<u64>,
    /// Of accesses of either kind and of writes: the first stamp that counts in this step, and how far behind it the last
    /// one with all its pieces lies.
    count: Plain<[(u64, u64); 2]>,
    /// The last stamp of which an access was remembered.
    used: Plain<u64>,
}

/// What the race detector was told of: the stamps that count.
struct Told {
    /// The first stamp of the running thread's epoch, where words have it; [`NOTHING`]: no stamp counts.
    first: Plain<u64>,
    /// Stamps below this do not count any more.
    since: Plain<u64>,
    /// The thread that runs.
    running: Plain<usize>,
    /// The last epoch of each thread, as the detector calls it, and its first stamp without the thread.
    threads: Plain<[(u32, u64); THREADS_MAX]>,
    /// Bits of a stamp that count, where words have it; those above are the thread's.
    counting: Plain<u64>,
}

/// No stamp is as high, where words have it.
const NOTHING: u64 = u64::MAX;

/// Where words have the thread, if there is room: the stamp below counts to 67 million.
const THREAD_SHIFT: u32 = STAMP_SHIFT + 26;
const _: () = assert!(
    (THREADS_MAX as u64) << (THREAD_SHIFT - ADDRESS_SHIFT) <= WINDOW,
    "a thread's number has to fit between the stamp and the bits of the address that choose no word"
);

static TOLD: Kept<Told> = Kept::new(Told {
    first: Plain::new(NOTHING),
    since: Plain::new(0),
    running: Plain::new(0),
    threads: Plain::new([(0, 0); THREADS_MAX]),
    counting: Plain::new(u64::MAX << STAMP_SHIFT),
});

static VALID: PerStep<Valid> = PerStep::new(Valid {
    stamp: Plain::new(u64::MAX << STAMP_SHIFT),
    count: Plain::new([(u64::MAX << STAMP_SHIFT, ALL); 2]),
    used: Plain::new(0),
});

/// Maps the words; at the root. False if there is no memory for that.
pub fn begin() -> bool {
    let window = match sys::is_memory_limited() {
        true => WINDOW_SMALL,
        false => WINDOW,
    };
    [window, WINDOW_SMALL].into_iter().any(map)
}

/// Maps words for a window of so many bytes, all of them empty.
fn map(window: u64) -> bool {
    if !words::map(window) {
        return false;
    }
    if window == WINDOW {
        whole_pages::map();
    }
    let highest = match window {
        WINDOW => 1 << THREAD_SHIFT,
        small => small << ADDRESS_SHIFT,
    };
    // SAFETY: only the thread that runs the program's fibers, or is about to, uses them; these are plain writes.
    unsafe {
        *TOLD.counting.get() = highest - (1 << STAMP_SHIFT);
        *TOLD.threads.get() = [(0, 0); THREADS_MAX];
        *TOLD.since.get() = 0;
        *VALID.used.get() = 0;
        begin_stamp(1 << STAMP_SHIFT);
    }
    nothing_was_told();
    true
}

/// The running thread's stamp with this number, where words have it, is the present one.
///
/// # Safety
/// Only the thread that runs the program's fibers, or the engine between their steps, calls this.
#[inline(always)]
unsafe fn begin_stamp(number: u64) {
    // SAFETY: by the caller's promise nobody else uses these; plain accesses.
    unsafe {
        let thread = match has_threads() {
            true => (*TOLD.running.get() as u64) << THREAD_SHIFT,
            false => 0,
        };
        let stamp = thread | number;
        *VALID.stamp.get() = stamp;
        *VALID.count.get() = [(stamp, ALL); 2];
    }
    whole_pages::count_none();
}

/// Whether stamps have their threads.
#[inline(always)]
fn has_threads() -> bool {
    // SAFETY: only the thread that runs the program's fibers writes it.
    unsafe { *TOLD.counting.get() == (1 << THREAD_SHIFT) - (1 << STAMP_SHIFT) }
}

/// The number of the present stamp, where words have it.
#[inline(always)]
fn number() -> u64 {
    // SAFETY: only the thread that runs the program's fibers writes them.
    unsafe { *VALID.stamp.get() & *TOLD.counting.get() }
}

/// What a word of the granule that the address is in says if it is of this granule and of a stamp that counts: the stamp,
/// what is wrong in the address, and the pieces.
#[inline(always)]
fn look(address: u64, of_writes: bool) -> Option<u64> {
    // SAFETY: only this thread; see `word`.
    unsafe {
        let word = *word(address, of_writes) ^ address << ADDRESS_SHIFT;
        let (first, last) = (*VALID.count.get())[usize::from(of_writes)];
        (word.wrapping_sub(first) <= last).then_some(word)
    }
}

/// Bit of an aligned piece of `1 << size` bytes, `size` at most 3.
#[inline(always)]
const fn piece(address: u64, size: u32) -> u32 {
    let first = [0, 8, 12, 14][size as usize];
    first + ((address & 7) >> size) as u32
}

/// Returns whether an access of `1 << size` bytes, `size` at most 4, is known. False where it is not aligned: that is for
/// [`is_range_known`].
#[inline(always)]
pub fn is_known(address: u64, size: u32, is_write: bool) -> bool {
    if whole_pages::is_known(address, 1 << size, is_write) {
        return true;
    }
    match size {
        0..3 => {
            // What is wrong in an address that is not aligned is kept.
            let offset = 7 & !((1 << size) - 1);
            let is_wrong = |word: u64| size != 0 && word & NOT_ALIGNED != 0;
            look(address & !offset, is_write)
                .is_some_and(|word| word >> piece(address, size) & 1 != 0 && !is_wrong(word))
        }
        3 => is_granule_known(address, is_write),
        _ => {
            is_granule_known(address, is_write)
                && is_granule_known(address.wrapping_add(8), is_write)
        }
    }
}

/// Returns whether an aligned access of eight bytes is known; false if it is not aligned.
#[inline(always)]
fn is_granule_known(address: u64, is_write: bool) -> bool {
    const WHOLE: u64 = 1 << piece(0, 3);
    look(address, is_write).is_some_and(|word| word & (NOT_ALIGNED | WHOLE) == WHOLE)
}

/// The pieces that lie in `bytes` bytes from `low` on.
const fn within(low: u64, bytes: u64) -> u64 {
    let (mut pieces, mut size) = (0, 0);
    while size < 4 {
        let mut at = 0;
        while at < 8 {
            if low <= at && at + (1 << size) <= low + bytes {
                pieces |= 1 << piece(at, size);
            }
            at += 1 << size;
        }
        size += 1;
    }
    pieces
}

/// [`within`], by first byte and number of bytes.
const WITHIN: [[u64; 9]; 8] = {
    let mut table = [[0; 9]; 8];
    let mut low = 0;
    while low < 8 {
        let mut bytes = 0;
        while bytes < 9 {
            table[low][bytes] = within(low as u64, bytes as u64);
            bytes += 1;
        }
        low += 1;
    }
    table
};

/// The granules of an access: their addresses, and the pieces of each that it covers.
#[inline(always)]
fn parts(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = address.saturating_add(bytes);
    let mut at = address;
    core::iter::from_fn(move || {
        let (low, left) = (at & 7, end - at);
        let count = left.min(8 - low);
        let granule = at - low;
        at += count;
        (left != 0).then(|| (granule, WITHIN[low as usize][count as usize]))
    })
}

/// Returns whether all pieces that an access of any size covers are known.
pub fn is_range_known(address: u64, bytes: u64, is_write: bool) -> bool {
    parts(address, bytes).all(|(granule, pieces)| {
        whole_pages::is_any_known(granule, is_write)
            || look(granule, is_write).is_some_and(|word| word & pieces == pieces)
    })
}

/// Returns whether the detector was told of an access of any size in the running thread's epoch, in this step or an earlier
/// one.
#[inline(always)]
pub fn was_told(address: u64, bytes: u64, is_write: bool) -> bool {
    parts(address, bytes).all(|(granule, pieces)| told(granule, is_write) & pieces == pieces)
}

/// Returns whether the detector was told in the running thread's epoch of an access to the page that an address is in, which
/// it judges as one.
#[inline(always)]
pub fn was_page_told(address: u64, of_writes: bool) -> bool {
    // SAFETY: only the thread that runs the program's fibers touches these; they are plain reads.
    let (first, last) = unsafe { (*TOLD.first.get(), *VALID.stamp.get()) };
    whole_pages::was_told(address, of_writes, first, last)
}

/// Remembers an access that was told to a page that the detector judges as one; returns false if that cannot be remembered.
#[inline(always)]
pub fn remember_page(address: u64, is_write: bool) -> bool {
    judged();
    // SAFETY: only the thread that runs the program's fibers touches it; a plain read.
    whole_pages::remember(address, is_write, unsafe { *VALID.stamp.get() })
}

/// The pieces of a granule that the detector was told of in the running thread's epoch.
#[inline(always)]
fn told(granule: u64, of_writes: bool) -> u64 {
    // SAFETY: only this thread; see `word`.
    unsafe {
        // Of another granule it is no stamp of this thread's, or one that is not of its epoch.
        let word = *word(granule, of_writes) ^ granule << ADDRESS_SHIFT;
        match *TOLD.first.get() <= word && word <= *VALID.stamp.get() | ALL {
            true => word & ALL,
            false => 0,
        }
    }
}

/// Remembers an access of `1 << size` bytes that was told, whole. `carries`: nothing has to be noted of accesses to the
/// same granules, so that what was told of them in an earlier step is known in this one.
#[inline(always)]
pub fn remember(address: u64, size: u32, is_write: bool, carries: bool) {
    remember_parts(address, 1 << size, is_write, carries);
}

/// Remembers an access of any size that was told, whole.
pub fn remember_range(address: u64, bytes: u64, is_write: bool) {
    match bytes {
        0..=RANGE_MAX => remember_parts(address, bytes, is_write, false),
        _ => judged(),
    }
}

#[inline(always)]
fn remember_parts(address: u64, bytes: u64, is_write: bool, carries: bool) {
    judged();
    for (granule, pieces) in parts(address, bytes) {
        words::note_used(granule);
        add(granule, pieces, false, carries);
        if is_write {
            add(granule, pieces, true, carries);
        }
    }
}

/// An access of this stamp was judged.
#[inline(always)]
fn judged() {
    // SAFETY: only the thread that runs the program's fibers touches these; they are plain accesses.
    unsafe { *VALID.used.get() = *VALID.stamp.get() };
}

/// Whatever is noted of accesses for each step is noted of this one: up to its end the detector alone wants to know of reads,
/// and of writes if `of_writes`. So what it was told counts.
#[inline(always)]
pub fn nothing_is_noted(of_writes: bool) {
    // SAFETY: only the thread that runs the program's fibers touches these; they are plain accesses.
    unsafe {
        let first = *TOLD.first.get();
        if first != NOTHING {
            let count = (first, (*VALID.stamp.get() | ALL) - first);
            (*VALID.count.get())[0] = count;
            if of_writes {
                (*VALID.count.get())[1] = count;
            }
            whole_pages::count(first, *VALID.stamp.get(), of_writes);
        }
    }
}

/// Adds pieces to a word of a granule.
#[inline(always)]
fn add(granule: u64, pieces: u64, of_writes: bool, carries: bool) {
    let word = word(granule, of_writes);
    let known = match look(granule, of_writes) {
        Some(word) => word & ALL,
        None if carries => told(granule, of_writes),
        None => 0,
    };
    // SAFETY: only the thread that runs the program's fibers touches the words; these are plain accesses.
    unsafe { *word = *VALID.stamp.get() ^ granule << ADDRESS_SHIFT | known | pieces };
}

/// Nothing is known of the memory from `from` to `end` any more, and nothing was told of it.
#[inline]
pub fn forget_range(from: u64, end: u64) {
    whole_pages::forget(from, end.min(from.saturating_add(words::mapped_window())));
    match end.saturating_sub(from) {
        0..PAGE_OF => words::empty(from, end),
        bytes if bytes < words::mapped_window() => words::empty_pages(from, end),
        _ => forget_told(),
    }
}

/// A step of a thread begins: no access is known any more. `epoch`: the thread's in the detector, if that is told of what
/// happens in the step.
#[inline(always)]
pub fn step_begins(thread: ThreadId, epoch: Option<u32>) {
    // SAFETY: only the engine's context runs; these are plain accesses.
    unsafe {
        if !has_threads() && *TOLD.running.get() != thread.index() {
            nothing_was_told();
        }
        *TOLD.running.get() = thread.index();
    }
    match epoch {
        None => forget_told(),
        Some(epoch) => {
            orders_change();
            settle(epoch);
        }
    }
}

/// The detector is about to be told of something: the running thread's epoch may end, and no access is known any more.
/// Afterwards the epoch is to be settled.
#[inline(always)]
pub fn orders_change() {
    // SAFETY: only the thread that runs the program's fibers; a plain write.
    unsafe { *TOLD.first.get() = NOTHING };
    forget_all();
}

/// The running thread is in this epoch: what was told in it counts.
#[inline(always)]
pub fn settle(epoch: u32) {
    // SAFETY: only the thread that runs the program's fibers, and the engine between its steps: plain accesses. Numbers of
    // threads are below `THREADS_MAX`.
    unsafe {
        let thread = *TOLD.running.get();
        let last = TOLD.threads.get().cast::<(u32, u64)>().add(thread);
        if (*last).0 != epoch || (*last).1 < *TOLD.since.get() {
            *last = (epoch, number());
        }
        *TOLD.first.get() = *VALID.stamp.get() - number() + (*last).1;
    }
}

/// What the detector was told up to now says nothing about what it is told next, and no access is known any more.
#[inline(always)]
pub fn forget_told() {
    nothing_was_told();
    forget_all();
}

/// Stamps up to the present one do not count any more.
#[inline(always)]
fn nothing_was_told() {
    // SAFETY: only the thread that runs the program's fibers, and the engine between its steps; plain accesses.
    unsafe {
        *TOLD.first.get() = NOTHING;
        *TOLD.since.get() = number() + (1 << STAMP_SHIFT);
    }
}

/// Returns whether any access was remembered since [`forget_all`].
#[inline(always)]
pub fn is_any_known() -> bool {
    // SAFETY: only the thread that runs the program's fibers touches the words; this is a plain
    // read.
    unsafe { *VALID.used.get() == *VALID.stamp.get() }
}

/// No access is known any more.
#[inline(always)]
pub fn forget_all() {
    // SAFETY: only the thread that runs the program's fibers touches these.
    unsafe {
        let next = (number() + (1 << STAMP_SHIFT)) & *TOLD.counting.get();
        match next {
            0 => used_up(),
            next => begin_stamp(next),
        }
    }
}

/// The stamps are used up: the words are emptied, and stamps begin anew.
#[cold]
fn used_up() {
    match words::mapped_window() {
        // Before there are words nothing may be known.
        // SAFETY: as in `forget_all`.
        0 => unsafe { *VALID.stamp.get() = u64::MAX << STAMP_SHIFT },
        window => assert!(map(window), "[dpor internal bug] words cannot be emptied"),
    }
}

/// Uses small words, whatever memory there is, and empties them; for tests of that.
#[doc(hidden)]
pub fn begin_small() {
    assert!(map(WINDOW_SMALL));
}
