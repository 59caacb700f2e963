//! Plain accesses that the running thread already made in this step: they tell nobody anything new.
//!
//! A program spends most of its accesses on what it accessed just before. A direct-mapped table of keys
//! recognizes those in some twenty instructions, without a look at the shadow memory, which is four times as large
//! as what the program touches (decision 0058).
//!
//! ```text
//!  63       51 50  48  47   46             0
//! ┌───────────┬──────┬─────┬────────────────┐
//! │   stamp   │ size │write│    address     │
//! └───────────┴──────┴─────┴────────────────┘
//! ```
//!
//! **Rule.** A key is in the table only if its access was told whole ([`remember`]) and nothing happened since that
//! could make it matter again. Whatever could calls [`forget_all`]: a step that begins (so all events, a switch, a
//! restore); the race detector being told of anything but plain accesses (blocks, atomics, locks); the words that
//! accesses leave behind being reset within a step; a range of accesses to be ignored that begins (in it none is
//! remembered).
//! Of what was told once in a step, telling it twice changes nothing: the detector finds it redundant
//! (`dpor_races`, `check.rs`), and the cells that the search is to be told of are a set. A read is also redundant
//! behind a write to the same bytes.

use core::cell::UnsafeCell;

/// Slots (chosen: 64 KB; see decision 0058).
const SLOTS: usize = 8192;
const ADDRESS_BITS: u32 = 47;
const WRITE: u64 = 1 << ADDRESS_BITS;
const SIZE_SHIFT: u32 = ADDRESS_BITS + 1;
/// The first stamp, and from one to the next: the bits above the size.
const STAMP: u64 = 1 << (SIZE_SHIFT + 3);

/// The table and the stamp of keys that count.
struct Known {
    stamp: UnsafeCell<u64>,
    /// The last stamp of which an access was remembered.
    used: UnsafeCell<u64>,
    keys: UnsafeCell<[u64; SLOTS]>,
}

// SAFETY: only the thread that runs the program's fibers touches it.
unsafe impl Sync for Known {}

/// The keys' stamps are 0, which is no stamp: nothing is known.
static KNOWN: Known = Known {
    stamp: UnsafeCell::new(STAMP),
    used: UnsafeCell::new(0),
    keys: UnsafeCell::new([0; SLOTS]),
};

/// The slot of an access of `1 << size` bytes.
#[inline(always)]
fn slot(address: u64, size: u32) -> *mut u64 {
    let place = (address >> size) as usize % SLOTS;
    // SAFETY: within the table.
    unsafe { (KNOWN.keys.get() as *mut u64).add(place) }
}

/// Whether an access of `1 << size` bytes, `size` at most 4, is known. Never, if the address is none of a program's.
#[inline(always)]
pub fn is_known(address: u64, size: u32, is_write: bool) -> bool {
    // SAFETY: only this thread; the slot is in the table.
    let (key, stamp) = unsafe { (*slot(address, size), *KNOWN.stamp.get()) };
    let difference = key ^ (stamp | u64::from(size) << SIZE_SHIFT) ^ address;
    // What a read leaves is not enough for a write, but the other way round.
    let wrong = if is_write {
        difference ^ WRITE
    } else {
        difference & !WRITE
    };
    wrong | address >> ADDRESS_BITS == 0
}

/// The access was told, whole.
#[inline(always)]
pub fn remember(address: u64, size: u32, is_write: bool) {
    if address >> ADDRESS_BITS != 0 {
        return;
    }
    let write = if is_write { WRITE } else { 0 };
    // SAFETY: as above.
    unsafe {
        let stamp = *KNOWN.stamp.get();
        *KNOWN.used.get() = stamp;
        *slot(address, size) = stamp | u64::from(size) << SIZE_SHIFT | write | address;
    }
}

/// Whether any access was remembered since [`forget_all`].
#[inline(always)]
pub fn is_any_known() -> bool {
    // SAFETY: as above.
    unsafe { *KNOWN.used.get() == *KNOWN.stamp.get() }
}

/// No access is known any more.
#[inline(always)]
pub fn forget_all() {
    // SAFETY: only this thread.
    unsafe {
        let stamp = KNOWN.stamp.get();
        *stamp = (*stamp).wrapping_add(STAMP);
        if *stamp == 0 {
            clear();
        }
    }
}

/// The stamps are used up.
#[cold]
fn clear() {
    // SAFETY: as above.
    unsafe {
        *KNOWN.stamp.get() = STAMP;
        *KNOWN.used.get() = 0;
        *KNOWN.keys.get() = [0; SLOTS];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// The table is one, and tests run in threads.
    static ONE: Mutex<()> = Mutex::new(());

    #[test]
    fn an_access_is_known_with_its_size_and_a_read_behind_a_write() {
        let _one = ONE.lock();
        forget_all();
        assert!(!is_known(0x1008, 3, false));
        remember(0x1008, 3, false);
        assert!(is_known(0x1008, 3, false));
        assert!(!is_known(0x1008, 3, true), "a read is no write");
        assert!(!is_known(0x1008, 2, false), "of another size");
        assert!(
            !is_known(0x1008 + 8 * SLOTS as u64, 3, false),
            "the same slot"
        );
        remember(0x1008, 3, true);
        assert!(is_known(0x1008, 3, false) && is_known(0x1008, 3, true));
        assert!(!is_known(0x1009, 3, false), "not aligned, same slot");
        forget_all();
        assert!(!is_known(0x1008, 3, false) && !is_known(0x1008, 3, true));
    }

    #[test]
    fn addresses_that_no_program_has_are_never_known() {
        let _one = ONE.lock();
        forget_all();
        let high = 0x10 | 1 << ADDRESS_BITS;
        remember(high, 0, false);
        assert!(!is_known(high, 0, false));
        assert!(!is_known(0x10, 0, false));
        remember(0x10, 0, false);
        for bit in ADDRESS_BITS..64 {
            assert!(!is_known(0x10 | 1 << bit, 0, true), "bit {bit}");
        }
        let all: Vec<u64> = (0..1 << 13)
            .map(|stamp| 0x10 | stamp << (SIZE_SHIFT + 3))
            .collect();
        forget_all();
        assert!(!all.iter().any(|&address| is_known(address, 0, false)));
    }

    #[test]
    fn used_up_stamps_begin_again_without_old_keys() {
        let _one = ONE.lock();
        for turn in 0..3 << (64 - SIZE_SHIFT - 3) {
            assert!(!is_known(0x2000, 0, false), "turn {turn}");
            if turn % 1000 == 0 {
                remember(0x2000, 0, false);
                assert!(is_known(0x2000, 0, false));
                assert!(!is_known(0, 0, false));
            }
            forget_all();
        }
    }
}
