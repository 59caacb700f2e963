//! Judges one access against one cell of shadow memory.
//!
//! *Source:* the idea of epochs is FastTrack's (Flanagan and Freund, PLDI 2009). *Deviations:*
//!
//! 1. A cell is a list of remembered accesses with byte masks instead of one write epoch and one read
//!    epoch or clock. An old access is dropped, byte by byte, only when the new one **dominates** it:
//!    the old happened before the new, and whatever conflicts with the old conflicts with the new.
//! 2. FastTrack is exact up to the first race of a location. Here the list stays exact behind a race:
//!    if a later access x is unordered with a dropped access o and conflicts with it, it also
//!    conflicts with the n that dominated o, and is unordered with it (n before x would put o before
//!    x), and so on along the chain to one that is still there.
//! 3. Atomic writes are not totally ordered by happens-before (relaxed ones order nothing), so they
//!    too are one entry per thread where they must be.
//!
//! **Fast path.** If the list holds an access of the same epoch that dominates the new one on all its
//! bytes, nothing is done. Nothing new can be missed: an access of another thread that came between
//! and conflicts was checked against that entry when it came, and cannot have been ordered after it,
//! since this thread has not released anything since.
//!
//! **Cost.** An entry per byte, thread and kind at most; in ordinary programs one to three per cell.

use crate::entry::{Entry, Kind};
use crate::shadow::{Cell, Shadow};

/// Whether a cell (without its overflow) holds an access that makes `now` redundant.
#[inline(always)]
pub(crate) fn is_known(cell: &[u64; 4], now: Entry) -> bool {
    let Some((filter, wanted)) = now.redundant_by() else {
        return false;
    };
    cell.iter().any(|word| word & filter == wanted)
}

/// Whether the cell at `place` with its overflow holds an access that makes `now` redundant once what
/// atomic writes published is ended.
///
/// Recognizing a repetition here too is not for speed: where an entry is, and whether it is stale,
/// depends on the order of independent accesses. Answers must not.
fn is_repeated(shadow: &Shadow, place: u32, now: Entry) -> bool {
    let Some((filter, wanted)) = now.redundant_by_stale() else {
        return false;
    };
    let mut place = place;
    loop {
        let four = shadow.four(place);
        if four.iter().any(|entry| entry.0 & filter == wanted) {
            return true;
        }
        let Some(chunk) = four[3].linked() else {
            return false;
        };
        place = Shadow::chunk_place(chunk);
    }
}

/// Whether `entry` happened before an access whose thread's clock is `clock`.
#[inline]
pub(crate) fn is_ordered(entry: Entry, clock: &[u32]) -> bool {
    entry.epoch().clock() <= clock[entry.epoch().slot() as usize]
}

/// Whether `entry` freed bytes that `now` accesses, and happens before it. A second free is left to the heap, which
/// knows it; where a frame of the same thread was, the thread may have another one.
#[inline]
pub(crate) fn is_use_of_freed(entry: Entry, now: Entry, clock: &[u32]) -> bool {
    let is_own_frame = entry.is_frame_end() && entry.epoch().slot() == now.epoch().slot();
    let is_over = !is_own_frame && !entry.is_frame_begin();
    entry.is_free() && !now.is_free() && is_over && is_ordered(entry, clock)
}

/// Whether the two conflict, if neither happens before the other.
#[inline]
fn conflict(entry: Entry, now: Entry) -> bool {
    now.kind().conflicts(entry.kind()) || entry.is_frame_begin()
}

/// The entry of the frame that ended, or began, in bytes of `mask` in the cell at `place`, if there is one.
pub(crate) fn frame_end(shadow: &Shadow, place: u32, mask: u8) -> Option<Entry> {
    let mut place = place;
    loop {
        let four = shadow.four(place);
        let is_end = |entry: &&Entry| entry.is_frame_end() && entry.mask() & mask != 0;
        if let Some(&end) = four.iter().find(is_end) {
            return Some(end);
        }
        place = Shadow::chunk_place(four[3].linked()?);
    }
}

/// Forgets an access that was just recorded in the cell at `place`.
pub(crate) fn forget_access(shadow: &mut Shadow, place: u32, access: Entry) {
    let is_it = |entry: Entry| entry.same_but_mask(access);
    forget_where(shadow, place, access.mask(), is_it);
}

/// Records `now` in the cell at `place`, and returns the earlier accesses that race with it, and those that
/// freed its bytes, each cut to the bytes of both.
///
/// `clock[s]`: the last epoch of slot s that happened before `now`.
pub(crate) fn access(shadow: &mut Shadow, place: u32, now: Entry, clock: &[u32]) -> Vec<Entry> {
    // The first access to these bytes, or the first since their block was allocated.
    if shadow.is_empty(place) {
        shadow.set(place, now);
        return Vec::new();
    }
    let is_plain = now.kind() != Kind::ATOMIC_WRITE;
    if is_plain
        && (record_in_cell(shadow, place, now, clock) || record_plainly(shadow, place, now, clock))
    {
        return Vec::new();
    }
    access_any(shadow, place, now, clock)
}

/// Records an access as [`record_plainly`] does, in a cell without overflow: false, and nothing is changed, if there is some.
///
/// The new words are worked out apart from the cell, and put there at once: a fifth fewer instructions for a first access in
/// an epoch (`examples/cost.rs`, `new-epoch`).
#[inline(always)]
fn record_in_cell(shadow: &mut Shadow, place: u32, now: Entry, clock: &[u32]) -> bool {
    const NONE: usize = 4;
    let old = *shadow.block(place);
    if Entry(old[3]).linked().is_some() {
        return false;
    }
    let mut new = old;
    let (mut home, mut same) = (NONE, NONE);
    for at in 0..NONE {
        let entry = Entry(old[at]);
        let both = entry.mask() & now.mask();
        if entry.same_but_mask(now) && entry.mask() != 0 {
            if both == now.mask() && !entry.is_free() {
                return true;
            }
            same = same.min(at);
            continue;
        }
        if both != 0 {
            if entry.is_free() {
                return false;
            }
            let is_own = entry.epoch() == now.epoch();
            let dominates = now.kind().dominates(entry.kind());
            if is_own {
                let repeats = both == now.mask() && entry.kind().dominates(now.kind());
                if repeats && !now.is_free() {
                    return true;
                }
            } else if !is_ordered(entry, clock) {
                if now.kind().conflicts(entry.kind()) {
                    return false;
                }
                continue;
            }
            if dominates {
                new[at] = entry.with_mask(entry.mask() & !both).0;
            }
        }
        if new[at] == 0 {
            home = home.min(at);
        }
    }
    if same != NONE {
        let entry = Entry(old[same]);
        new[same] = entry.with_mask(entry.mask() | now.mask()).0;
    } else if home != NONE {
        new[home] = now.0;
    } else {
        return false;
    }
    shadow.set_cell(place, new);
    true
}

/// Entries of a cell that are shortened without another look at it: what is left of an access of the same thread's earlier
/// epochs, or of one that happened before. Each byte has two at most, in ordinary programs few cells have more.
const SHORTENED_MAX: usize = 6;

/// Records an access that neither races nor makes writes stale, as [`access_any`] does; false, and nothing is changed, if it
/// is not such a one, or changes more entries than usual.
///
/// Most accesses that are not known are such ones: the first in an epoch to what the same thread accessed before.
#[inline(always)]
fn record_plainly(shadow: &mut Shadow, place: u32, now: Entry, clock: &[u32]) -> bool {
    let (mut home, mut same) = (None, None);
    let (mut shortened, mut count) = ([0; SHORTENED_MAX], 0);
    let mut cell = place;
    'chain: loop {
        for (at, &word) in (cell..).zip(shadow.block(cell)) {
            let entry = Entry(word);
            if entry.mask() == 0 {
                if let Some(chunk) = entry.linked() {
                    cell = Shadow::chunk_place(chunk);
                    continue 'chain;
                }
                home = home.or(Some(at));
                continue;
            }
            let is_own = entry.epoch() == now.epoch();
            let repeats = is_own && now.mask() & !entry.mask() == 0;
            if repeats && entry.kind().dominates(now.kind()) && !entry.is_free() && !now.is_free() {
                return true;
            }
            if entry.same_but_mask(now) {
                same = same.or(Some(at));
                continue;
            }
            if entry.mask() & now.mask() == 0 {
                continue;
            }
            if entry.is_free() {
                return false;
            }
            if !is_own && !is_ordered(entry, clock) {
                if now.kind().conflicts(entry.kind()) {
                    return false;
                }
            } else if now.kind().dominates(entry.kind()) {
                if count == SHORTENED_MAX {
                    return false;
                }
                shortened[count] = at;
                count += 1;
            }
        }
        break;
    }
    for &at in &shortened[..count] {
        let entry = shadow.entry(at);
        let left = entry.with_mask(entry.mask() & !now.mask());
        if left == Entry::EMPTY && home.is_none_or(|home| at < home) {
            home = Some(at);
        }
        shadow.set(at, left);
    }
    match (same, home) {
        (Some(at), _) => {
            let entry = shadow.entry(at);
            shadow.set(at, entry.with_mask(entry.mask() | now.mask()));
        }
        (None, Some(at)) => shadow.set(at, now),
        (None, None) => shadow.extend(cell, now),
    }
    true
}

/// [`access`], whatever is in the cell.
fn access_any(shadow: &mut Shadow, place: u32, now: Entry, clock: &[u32]) -> Vec<Entry> {
    if is_repeated(shadow, place, now) {
        return Vec::new();
    }
    let mut cell = place;
    // Where `now` can go: over an entry that it replaces, or to an empty word.
    let mut home = None;
    let mut same = None;
    let mut races = Vec::new();
    'chain: loop {
        for (offset, entry) in (0..).zip(shadow.four(cell)) {
            let at = cell + offset;
            if entry.mask() == 0 {
                if let Some(chunk) = entry.linked() {
                    cell = Shadow::chunk_place(chunk);
                    continue 'chain;
                }
                home.get_or_insert(at);
                continue;
            }
            if entry.same_but_mask(now) {
                same.get_or_insert((at, entry));
                continue;
            }
            let both = entry.mask() & now.mask();
            if both == 0 {
                continue;
            }
            let is_write = entry.kind() == Kind::WRITE && !entry.is_free();
            if now.kind() == Kind::ATOMIC_WRITE && is_write {
                shadow.set(at, entry.made_stale());
            }
            if is_ordered(entry, clock) {
                if entry.is_free() && !now.is_free() {
                    if is_use_of_freed(entry, now, clock) {
                        races.push(entry.with_mask(both));
                    }
                } else if now.kind().dominates(entry.kind()) {
                    shadow.set(at, entry.with_mask(entry.mask() & !both));
                    if entry.mask() == both {
                        home.get_or_insert(at);
                    }
                }
            } else if conflict(entry, now) {
                races.push(entry.with_mask(both));
            }
        }
        break;
    }
    match (same, home) {
        (Some((at, entry)), _) => shadow.set(at, entry.with_mask(entry.mask() | now.mask())),
        (None, Some(at)) => shadow.set(at, now),
        (None, None) => shadow.extend(cell, now),
    }
    races
}

/// Whether somebody who knows no more than `clock` does not know of a plain write to bytes of `mask` in a cell
/// (without its overflow).
#[inline]
pub(crate) fn hides_write(cell: &[u64; 4], mask: u8, clock: &[u32]) -> bool {
    let is_unknown = |&word: &u64| {
        let entry = Entry(word);
        let is_write = entry.mask() & mask != 0 && entry.kind() == Kind::WRITE;
        is_write && !entry.is_free() && !is_ordered(entry, clock)
    };
    cell.iter().any(is_unknown)
}

/// Whether a cell has no accesses but atomic reads, and no overflow.
#[inline]
pub(crate) fn are_atomic_reads(cell: &[u64; 4]) -> bool {
    let is_one = |&word: &u64| {
        let entry = Entry(word);
        entry == Entry::EMPTY || entry.mask() != 0 && entry.kind() == Kind::ATOMIC_READ
    };
    cell.iter().all(is_one)
}

/// The earlier accesses that [`access`] would return for `now`; nothing is recorded.
pub(crate) fn conflicts(shadow: &Shadow, place: u32, now: Entry, clock: &[u32]) -> Vec<Entry> {
    match is_repeated(shadow, place, now) {
        true => Vec::new(),
        false => all_conflicts(shadow, place, now, clock),
    }
}

/// The earlier accesses that race with `now`, also if the cell holds an access that makes `now` redundant.
pub(crate) fn all_conflicts(shadow: &Shadow, place: u32, now: Entry, clock: &[u32]) -> Vec<Entry> {
    let mut races = Vec::new();
    let mut place = place;
    loop {
        let four = shadow.four(place);
        for entry in four.into_iter().filter(|entry| entry.mask() != 0) {
            let both = entry.mask() & now.mask();
            let races_with = conflict(entry, now) && !is_ordered(entry, clock);
            if both != 0 && (races_with || is_use_of_freed(entry, now, clock)) {
                races.push(entry.with_mask(both));
            }
        }
        let Some(chunk) = four[3].linked() else {
            return races;
        };
        place = Shadow::chunk_place(chunk);
    }
}

/// Records an atomic read whose races are known. The usual case: the only entry of the cell is such a
/// one by whoever came before.
#[inline]
pub(crate) fn remember_use(shadow: &mut Shadow, cell: Cell, now: Entry, clock: &[u32]) {
    let place = cell.place();
    let [first, others @ ..] = *shadow.words(cell);
    let first = Entry(first);
    let is_only = others == [0; 3] && first.mask() == now.mask();
    if is_only && first.kind() == Kind::ATOMIC_READ && is_ordered(first, clock) {
        shadow.set(place, now);
        return;
    }
    access(shadow, place, now, clock);
}

/// Forgets all accesses to the bytes of `mask` in the cell at `place`.
pub(crate) fn forget(shadow: &mut Shadow, place: u32, mask: u8) {
    replace(shadow, place, mask, Entry::EMPTY);
}

/// Forgets all accesses to the bytes of `mask` in the cell at `place`, and puts an entry of those bytes in their place, or
/// none if `left` is empty.
#[inline]
pub(crate) fn replace(shadow: &mut Shadow, place: u32, mask: u8, left: Entry) {
    let words = *shadow.block(place);
    let only = [left.0, 0, 0, 0];
    let is_all = mask == 0xFF && Entry(words[3]).linked().is_none();
    if is_all || words == [0; 4] {
        if words != only {
            shadow.set_cell(place, only);
        }
        return;
    }
    forget_where(shadow, place, mask, |_| true);
    if left != Entry::EMPTY {
        shadow.add(place, left);
    }
}

/// Records that the bytes of `now` are freed, where that takes the place of accesses which all happened before and lie in
/// these bytes; false, and nothing is changed, if it is not so simple.
#[inline]
pub(crate) fn free_after(shadow: &mut Shadow, place: u32, now: Entry, clock: &[u32]) -> bool {
    let mut words = *shadow.block(place);
    let mut home = None;
    for (at, word) in words.iter_mut().enumerate() {
        let entry = Entry(*word);
        if entry.mask() & now.mask() != 0 {
            let is_over = entry.mask() & !now.mask() == 0 && is_ordered(entry, clock);
            if !is_over || entry.is_free() {
                return false;
            }
            *word = 0;
        } else if entry.linked().is_some() {
            return false;
        }
        if *word == 0 {
            home = home.or(Some(at));
        }
    }
    let Some(home) = home else { return false };
    words[home] = now.0;
    shadow.set_cell(place, words);
    true
}

#[inline]
fn forget_where(shadow: &mut Shadow, place: u32, mask: u8, is_it: impl Fn(Entry) -> bool) {
    if shadow.is_empty(place) {
        return;
    }
    let mut cell = place;
    'chain: loop {
        for (offset, entry) in (0..).zip(shadow.four(cell)) {
            if let Some(chunk) = entry.linked() {
                cell = Shadow::chunk_place(chunk);
                continue 'chain;
            }
            if entry.mask() & mask != 0 && is_it(entry) {
                shadow.set(cell + offset, entry.with_mask(entry.mask() & !mask));
            }
        }
        return;
    }
}
