//! Plain accesses that the running thread already made in this step: they tell nobody anything new.
//!
//! A program spends most of its accesses on what it accessed just before. Direct-mapped tables of keys, one for
//! each size, recognize those in a dozen instructions, without a look at the shadow memory, which is four times as
//! large as what the program touches (decisions 0058, 0059).
//!
//! ```text
//!  63                  13 + n           n + 1   n   0
//! ┌─────────────────────────┬───────────────┬───┬───┐
//! │         address         │ stamp ^ slot  │ r │   │   r: slot's lowest bit; other than it if only read
//! └─────────────────────────┴───────────────┴───┴───┘   n: the size is 2^n bytes
//! ```
//!
//! The bits of the address that choose the slot are the same in all keys of a slot, so the stamp needs no others.
//!
//! **Rule.** A key is in the table only if its access was told whole ([`remember`]) and nothing happened since that
//! could make it matter again. Whatever could calls [`forget_all`]: a step that begins (so all events, a switch, a
//! restore); the race detector being told of anything but plain accesses (blocks, atomics, locks); the words that
//! accesses leave behind being reset within a step; a range of accesses to be ignored that begins (in it none is
//! remembered).
//! Of what was told once in a step, telling it twice changes nothing: the detector finds it redundant
//! (`dpor_races`, `check.rs`), and the cells that the search is to be told of are a set. A read is also redundant
//! behind a write to the same bytes.

use dpor_machine::state::{PerStep, Plain};

/// Slots of a size (chosen: 64 KB; see decision 0058), and the bits of an address that choose one.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 13;
/// Sizes of accesses: 1 to 16 bytes.
const SIZES: usize = 5;
/// Bit of the slot number that tells, shifted by the size, keys of reads from those of writes.
const READ: u64 = 1;
/// Distance between two stamps: they count in the other bits of the slot number.
const STAMP: u64 = 2;

/// Tables of keys, by the logarithm of the size of the access.
static KEYS: PerStep<Plain<[[u64; SLOTS]; SIZES]>> = PerStep::new(Plain::new([[0; SLOTS]; SIZES]));

/// State of the tables: which keys count.
struct Valid {
    /// The stamp of the keys that count, where each size has it.
    stamps: Plain<[u64; SIZES]>,
    /// The last stamp of which an access was remembered, as the first size has it.
    used: Plain<u64>,
    /// Bit n: keys of size n may be old.
    written: Plain<u32>,
}

/// The first [`forget_all`] finds the stamps used up. Until then, only an access at the last address would be known.
static VALID: PerStep<Valid> = PerStep::new(Valid {
    stamps: Plain::new([u64::MAX; SIZES]),
    used: Plain::new(0),
    written: Plain::new((1 << SIZES) - 1),
});

/// Returns the slot of an access of `1 << size` bytes.
#[inline(always)]
fn slot(address: u64, size: u32) -> *mut u64 {
    let place = (address >> size) as usize % SLOTS;
    // SAFETY: within the table of the size.
    unsafe { (KEYS.get() as *mut u64).add(size as usize * SLOTS + place) }
}

/// Returns the stamp where keys of `1 << size` bytes have it.
#[inline(always)]
fn stamp(size: u32) -> u64 {
    // SAFETY: only this thread; sizes are below SIZES.
    unsafe { *(VALID.stamps.get() as *const u64).add(size as usize) }
}

/// Returns whether an access of `1 << size` bytes, `size` at most 4, is known.
#[inline(always)]
pub fn is_known(address: u64, size: u32, is_write: bool) -> bool {
    // SAFETY: only this thread; the slot is in the table.
    let difference = unsafe { *slot(address, size) } ^ stamp(size) ^ address;
    // What a read leaves is not enough for a write, but the other way round.
    let wrong = if is_write {
        difference
    } else {
        difference & !(READ << size)
    };
    wrong == 0
}

/// Remembers an access that was told, whole.
#[inline(always)]
pub fn remember(address: u64, size: u32, is_write: bool) {
    let read = if is_write { 0 } else { READ << size };
    // SAFETY: only the thread that runs the program's fibers touches the tables; these are plain
    // accesses.
    unsafe {
        *VALID.used.get() = stamp(0);
        *VALID.written.get() |= 1 << size;
        *slot(address, size) = address ^ stamp(size) ^ read;
    }
}

/// Returns whether any access was remembered since [`forget_all`].
#[inline(always)]
pub fn is_any_known() -> bool {
    // SAFETY: only the thread that runs the program's fibers touches the tables; this is a plain
    // read.
    unsafe { *VALID.used.get() == stamp(0) }
}

/// No access is known any more.
#[inline(always)]
pub fn forget_all() {
    let next = stamp(0).saturating_add(STAMP);
    match next >> SLOT_BITS {
        0 => set_stamp(next),
        _ => clear(),
    }
}

#[inline(always)]
fn set_stamp(stamp: u64) {
    // SAFETY: only the thread that runs the program's fibers touches the tables; this is a plain
    // write.
    unsafe { *VALID.stamps.get() = core::array::from_fn(|size| stamp << size) };
}

/// Clears the tables: the stamps are used up.
#[cold]
fn clear() {
    // SAFETY: only the thread that runs the program's fibers touches the tables, and nothing else
    // borrows them in this function.
    let (keys, written) = unsafe { (&mut *KEYS.get(), VALID.written.get().replace(0)) };
    for (size, keys) in keys.iter_mut().enumerate() {
        if written >> size & 1 == 1 {
            // A key with stamp 0, which no access has.
            for (slot, key) in keys.iter_mut().enumerate() {
                *key = (slot as u64) << size;
            }
        }
    }
    // SAFETY: only the thread that runs the program's fibers touches the tables; this is a plain
    // write.
    unsafe { *VALID.used.get() = 0 };
    set_stamp(STAMP);
}
