//! The words of accesses that a thread repeats within a step, by themselves.

use dpor_engine::accesses::repeated::{
    begin, begin_small, forget_all, forget_range, forget_told, is_any_known, is_known,
    is_range_known, nothing_is_noted, orders_change, remember, remember_page, remember_range,
    settle, step_begins, was_page_told, was_told,
};
use dpor_model::ThreadId;
use dpor_races::PAGE_BYTES;
use std::sync::{Mutex, MutexGuard};

/// 1 to 16 bytes.
const SIZES: u32 = 5;
/// Bytes behind which the small words of these tests repeat.
const WINDOW: u64 = 1 << 18;

/// The words are one, and tests run in threads.
fn empty() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    begin_small();
    one
}

#[test]
fn an_access_is_known_with_its_size_and_a_read_behind_a_write() {
    let _one = empty();
    assert!(!is_known(0x1008, 3, false) && !is_any_known());
    remember(0x1008, 3, false, false);
    assert!(is_any_known());
    assert!(is_known(0x1008, 3, false));
    assert!(!is_known(0x1008, 3, true), "a read is no write");
    assert!(!is_known(0x1008 + WINDOW, 3, false), "the same words");
    remember(0x1008, 3, true, false);
    assert!(is_known(0x1008, 3, false) && is_known(0x1008, 3, true));
    assert!(!is_known(0x1009, 3, false), "not aligned, same words");
    forget_all();
    assert!(!is_known(0x1008, 3, false) && !is_known(0x1008, 3, true));
}

#[test]
fn of_addresses_that_differ_in_any_bit_one_is_known() {
    let _one = empty();
    for size in 0..SIZES {
        // User space has 47 bits.
        for address in [0, 0x7fff_1234_5670, (1 << 47) - 16] {
            forget_all();
            assert!(!is_known(address, size, false), "{address:#x}");
            remember(address, size, true, false);
            assert!(is_known(address, size, true), "{address:#x}");
            for bit in 0..47 {
                let other = address ^ 1 << bit;
                assert!(!is_known(other, size, false), "{address:#x}, {bit}");
            }
        }
    }
}

/// The words of pages are there, and the first thread is in an epoch of its own.
fn with_pages() -> MutexGuard<'static, ()> {
    let one = empty();
    assert!(begin(), "there is no memory");
    step_begins(ThreadId::MAIN, Some(1));
    one
}

#[test]
fn a_page_is_known_while_nothing_is_noted_and_told_up_to_the_end_of_the_epoch() {
    let _one = with_pages();
    let page = 0x7fff_1234_5600;
    let last = page + PAGE_BYTES - 1;
    assert!(!was_page_told(page, false));
    assert!(remember_page(page + 3, false));
    assert!(was_page_told(last, false) && !was_page_told(last, true));
    assert!(!is_known(last, 0, false), "it may have to be noted");
    nothing_is_noted(true);
    assert!(is_known(page, 4, false) && is_known(last, 0, false));
    assert!(!is_known(last, 0, true), "a read is no write");
    assert!(!is_known(last, 1, false), "not aligned, the next page too");
    assert!(!is_known(last + 1, 0, false) && !is_known(page - 1, 0, false));
    remember_page(page, true);
    assert!(is_known(last, 0, true) && is_range_known(page, PAGE_BYTES, true));
    assert!(!is_range_known(page, PAGE_BYTES + 1, true));
    // Another step of the epoch, and of the thread after one of another thread.
    step_begins(ThreadId(1), Some(2));
    assert!(!was_page_told(page, false));
    step_begins(ThreadId::MAIN, Some(1));
    assert!(was_page_told(page, true) && !is_known(page, 0, true));
    nothing_is_noted(false);
    assert!(is_known(page, 0, false) && !is_known(page, 0, true));
    step_begins(ThreadId::MAIN, Some(3));
    assert!(!was_page_told(page, false), "another epoch");
    remember_page(page, true);
    forget_told();
    settle(3);
    assert!(!was_page_told(page, false), "it went back in time");
}

#[test]
fn pages_are_forgotten_as_far_as_a_range_reaches() {
    let _one = with_pages();
    let mut numbers = Numbers(5);
    let (mut kept, mut gone) = (0, 0);
    for round in 0..300u64 {
        forget_told();
        settle(1);
        let base = (round % 3) << 45 | 0x5555_0000_0000;
        let room = 1 << 20;
        let told: Vec<u64> = (0..60).map(|_| base + numbers.below(room)).collect();
        for &address in &told {
            remember_page(address, numbers.below(2) == 0);
        }
        let most = [40, 3_000, 100_000, room];
        let ranges: Vec<(u64, u64)> = (0..3)
            .map(|_| {
                let from = base + numbers.below(room);
                let most = most[numbers.below(4) as usize];
                let bytes = 1 + numbers.below(most);
                (from, from + bytes)
            })
            .collect();
        ranges
            .iter()
            .for_each(|&(from, end)| forget_range(from, end));
        for &address in &told {
            let page = address & !(PAGE_BYTES - 1);
            let is_met =
                { ranges.iter() }.any(|&(from, end)| page < end && from < page + PAGE_BYTES);
            assert_eq!(was_page_told(address, false), !is_met, "{address:#x}");
            kept += usize::from(!is_met);
            gone += usize::from(is_met);
        }
    }
    assert!(kept > 2_000 && gone > 2_000, "{kept} {gone}");
}

#[test]
fn used_up_stamps_begin_again_without_old_words() {
    let _one = empty();
    for turn in 0..3 << 15 {
        // Small addresses: among them those whose bits are a stamp's.
        let known = |address| (0..SIZES).any(|size| is_known(address, size, false));
        assert!(!known(0x2000) && !known(8 * turn), "turn {turn}");
        if turn % 1000 == 0 {
            for size in 0..SIZES {
                remember(0x2000, size, false, false);
                assert!(is_known(0x2000, size, false));
                assert!(!is_known(0, size, false));
            }
        }
        forget_all();
    }
}

/// A generator of small numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// An access: address, bytes, whether it writes.
type Access = (u64, u64, bool);

/// Whether one of the accesses makes an aligned one redundant.
fn is_covered(told: &[Access], (address, bytes, is_write): Access) -> bool {
    told.iter().any(|&(from, count, writes)| {
        from <= address && address + bytes <= from + count && (writes || !is_write)
    })
}

#[test]
fn known_is_what_one_access_of_the_step_covers() {
    let _one = empty();
    let mut numbers = Numbers(1);
    let (mut known, mut unknown) = (0, 0);
    for _ in 0..300 {
        forget_all();
        let mut told: Vec<Access> = Vec::new();
        for _ in 0..40 {
            // Three granules, and sometimes one that has the words of the first.
            let base = 0x5000 + WINDOW * u64::from(numbers.below(20) == 0);
            let address = base + numbers.below(24);
            let is_write = numbers.below(3) == 0;
            match numbers.below(8) {
                0 => {
                    let bytes = 1 + numbers.below(20);
                    let is_known = is_range_known(address, bytes, is_write);
                    // Each byte was accessed, if not all by one access.
                    for byte in address..address + bytes {
                        assert!(!is_known || is_covered(&told, (byte, 1, is_write)));
                    }
                    remember_range(address, bytes, is_write);
                    told.push((address, bytes, is_write));
                    assert!(is_range_known(address, bytes, is_write));
                }
                kind => {
                    let size = (kind % 5) as u32;
                    let bytes = 1 << size;
                    let is_aligned = address.is_multiple_of(bytes.min(8));
                    let is_known = is_known(address, size, is_write);
                    let halves = [(address, 8, is_write), (address + 8, 8, is_write)];
                    let is_covered = match size {
                        4 => halves.iter().all(|&half| is_covered(&told, half)),
                        _ => is_covered(&told, (address, bytes, is_write)),
                    };
                    assert!(!is_known || is_covered && is_aligned);
                    // Words are lost only where another granule has them.
                    let others = |from: &Access| (from.0 >= WINDOW) != (base >= WINDOW);
                    if is_aligned && is_covered && !told.iter().any(others) {
                        assert!(is_known, "{address:#x}, {bytes}, {told:x?}");
                    }
                    match is_known {
                        true => known += 1,
                        false => unknown += 1,
                    }
                    remember(address, size, is_write, false);
                    told.push((address, bytes, is_write));
                }
            }
        }
    }
    assert!(known > 1000 && unknown > 1000, "{known}, {unknown}");
}

#[test]
fn a_range_is_forgotten_as_far_as_it_reaches() {
    let _one = empty();
    let mut numbers = Numbers(3);
    let (mut kept, mut gone) = (0, 0);
    for round in 0..400u64 {
        forget_all();
        // Near the end of the words, where they begin again, too.
        let base = (round % 4 * (WINDOW / 3)) & !7;
        let room = 120_000;
        let told: Vec<u64> = (0..60)
            .map(|_| base + numbers.below(room / 8) * 8)
            .collect();
        for &address in &told {
            remember(address, 3, numbers.below(2) == 0, false);
        }
        let from = base + numbers.below(room);
        let most = [40, 3_000, 10_000, room][numbers.below(4) as usize];
        let end = from + numbers.below(most);
        forget_range(from, end);
        for &address in &told {
            let is_met = from < end && address < end && address + 8 > from;
            assert_eq!(is_known(address, 3, false), !is_met, "{address:#x}");
            kept += usize::from(!is_met);
            gone += usize::from(is_met);
        }
    }
    assert!(kept > 5_000 && gone > 2_000, "{kept}, {gone}");
}

#[test]
fn what_was_told_counts_in_its_epoch_only() {
    let _one = empty();
    let settle_anew = |epoch| {
        orders_change();
        settle(epoch);
    };
    settle_anew(1);
    remember(0x1000, 3, true, false);
    assert!(was_told(0x1000, 8, true));
    settle_anew(2);
    assert!(!was_told(0x1000, 8, false));
    // Steps of the same epoch.
    settle_anew(3);
    remember(0x1000, 3, false, false);
    settle_anew(3);
    assert!(was_told(0x1000, 8, false) && !was_told(0x1000, 8, true));
    assert!(!is_known(0x1000, 3, false));
    settle_anew(4);
    for stamps in 0..10_000 {
        assert!(!was_told(0x1000, 8, false), "{stamps}");
        forget_all();
    }
    // The same number again, behind a return to the past.
    remember(0x1000, 3, false, false);
    forget_told();
    settle(4);
    assert!(!was_told(0x1000, 8, false));
}

#[test]
fn what_was_told_counts_after_any_number_of_steps_whoever_ran_meanwhile() {
    let _one = empty();
    let (one, other) = (ThreadId(1), ThreadId(2));
    for is_limited in [false, true] {
        match is_limited {
            true => begin_small(),
            false => assert!(begin(), "there is no memory"),
        }
        step_begins(one, Some(7));
        remember(0x1000, 3, true, false);
        for _ in 0..10_000 {
            forget_all();
        }
        assert!(was_told(0x1000, 8, true) && !is_known(0x1000, 3, true));
        // An epoch of another thread.
        step_begins(other, Some(8));
        assert!(!was_told(0x1000, 8, false));
        remember(0x2000, 3, true, false);
        step_begins(one, Some(7));
        assert!(!was_told(0x2000, 8, false));
        assert_eq!(was_told(0x1000, 8, true), !is_limited);
        // The other one again, in a new epoch and in the one before.
        step_begins(other, Some(9));
        assert!(!was_told(0x2000, 8, false));
    }
}

#[test]
fn stamps_begin_anew_when_they_are_used_up() {
    let _one = empty();
    assert!(begin(), "there is no memory");
    step_begins(ThreadId(3), Some(1));
    remember(0x1000, 3, true, false);
    let mut steps = 0_u64;
    while was_told(0x1000, 8, true) {
        forget_all();
        steps += 1;
        assert!(!is_known(0x1000, 3, true), "{steps}");
    }
    // Up to 26 bits.
    assert_eq!(steps, (1 << 26) - 2);
    settle(1);
    remember(0x1000, 3, true, false);
    assert!(was_told(0x1000, 8, true) && is_known(0x1000, 3, true));
}
