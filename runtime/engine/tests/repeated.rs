//! The tables of accesses that a thread repeats within a step, by themselves.

use dpor_engine::accesses::repeated::{forget_all, is_any_known, is_known, remember};
use std::sync::Mutex;

/// 1 to 16 bytes.
const SIZES: u32 = 5;

/// The table is one, and tests run in threads.
static ONE: Mutex<()> = Mutex::new(());

#[test]
fn an_access_is_known_with_its_size_and_a_read_behind_a_write() {
    let _one = ONE.lock();
    forget_all();
    assert!(!is_known(0x1008, 3, false) && !is_any_known());
    remember(0x1008, 3, false);
    assert!(is_any_known());
    assert!(is_known(0x1008, 3, false));
    assert!(!is_known(0x1008, 3, true), "a read is no write");
    assert!(!is_known(0x1008, 2, false), "of another size");
    assert!(!is_known(0x1008 + 8 * 8192, 3, false), "the same slot");
    remember(0x1008, 3, true);
    assert!(is_known(0x1008, 3, false) && is_known(0x1008, 3, true));
    assert!(!is_known(0x1009, 3, false), "not aligned, same slot");
    forget_all();
    assert!(!is_known(0x1008, 3, false) && !is_known(0x1008, 3, true));
}

#[test]
fn of_addresses_that_differ_in_any_bit_one_is_known() {
    let _one = ONE.lock();
    for size in 0..SIZES {
        for address in [0, 0x7fff_1234_5678, !0] {
            forget_all();
            assert!(!is_known(address, size, false), "{address:#x}");
            remember(address, size, true);
            for bit in 0..64 {
                let other = address ^ 1 << bit;
                assert!(!is_known(other, size, false), "{address:#x}, {bit}");
            }
        }
    }
}

#[test]
fn used_up_stamps_begin_again_without_old_keys() {
    let _one = ONE.lock();
    for turn in 0..3 << 13 {
        // Small addresses: among them those whose bits are a stamp's.
        let known = |address| (0..SIZES).any(|size| is_known(address, size, false));
        assert!(!known(0x2000) && !known(2 * turn), "turn {turn}");
        if turn % 1000 == 0 {
            for size in 0..SIZES {
                remember(0x2000, size, false);
                assert!(is_known(0x2000, size, false));
                assert!(!is_known(0, size, false));
            }
        }
        forget_all();
    }
}
