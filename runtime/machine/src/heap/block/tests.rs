//! Each test has a thread number, and so a region, of its own.

use super::*;

/// The start of a thread's region.
fn region_of(thread: usize) -> usize {
    region::map_once();
    region::header(thread).expect("memory") as usize
}

fn is_live(address: usize) -> bool {
    matches!(look_up(address), Known::Live(_))
}

#[test]
fn an_address_depends_on_the_history_of_its_thread_alone() {
    let (one, other) = (region_of(1), region_of(2));
    let history = |thread, start| {
        let sizes = [1, 24, 100, 5000, 24];
        sizes.map(|bytes| take(thread, bytes, 0).expect("memory").0 - start)
    };
    assert_eq!(history(1, one), history(2, other));
}

#[test]
fn a_freed_block_is_known_and_taken_again_by_whoever_frees_it() {
    region_of(3);
    region_of(4);
    let (block, is_zero) = take(3, 40, 0).expect("memory");
    assert!(is_zero && block % 16 == 0);
    assert!(matches!(look_up(block), Known::Live(40)));
    assert!(matches!(look_up(block + 8), Known::Unknown));
    // SAFETY: `take` gave the block, and nobody has given it back.
    unsafe { give_back(4, block, false) };
    assert!(matches!(look_up(block), Known::Freed(40)));
    assert_ne!(take(3, 40, 0).expect("memory").0, block);
    assert_eq!(take(4, 33, 0), Some((block, false)));
}

#[test]
fn blocks_that_are_kept_back_come_again_oldest_first_once_there_are_enough() {
    region_of(5);
    let blocks: Vec<usize> = (0..80)
        .map(|_| take(5, 1000, 0).expect("memory").0)
        .collect();
    for &block in &blocks {
        // SAFETY: `take` gave the block, and nobody has given it back.
        unsafe { give_back(5, block, true) };
    }
    let (again, _) = take(5, 1000, 0).expect("memory");
    let kept = KEPT_BYTES_MAX / bytes_of(class_of(1000).expect("a class"));
    assert_eq!(again, blocks[blocks.len() - kept - 1]);
}

#[test]
fn aligned_blocks_lie_where_they_should_and_are_given_back_whole() {
    let start = region_of(6);
    for alignment in [8, 64, 4096, 1 << 16] {
        let block = take_aligned(6, alignment, 100, 0).expect("memory");
        assert_eq!(block % alignment, 0);
        assert!(matches!(look_up(block), Known::Live(100)));
        assert_eq!(at(block + 99), Some((block, 100)));
        assert_eq!(at(block + 100), None);
        // SAFETY: `take_aligned` gave the block, and nobody has given it back.
        unsafe {
            assert!(front_of(block) < block && end_of(block) >= block + 100);
            give_back(6, block, false);
        }
        assert_eq!(at(block), None);
    }
    assert!(lived(6, 10)
        .iter()
        .all(|block| block.freed && block.from >= start));
}

#[test]
fn a_block_grows_within_its_class_and_shrinks_by_no_more_than_half() {
    region_of(7);
    let (block, _) = take(7, 1000, 0).expect("memory");
    // SAFETY: `take` gave the block, and nobody gives it back in this test.
    let resized = |bytes| unsafe { resize(block, bytes, 0) };
    assert!(resized(1001));
    assert!(!resized(100_000));
    assert!(!resized(10));
    assert!(is_live(block));
}

#[test]
fn all_blocks_of_a_region_are_listed_up_to_the_first_whose_header_is_broken() {
    region_of(8);
    let blocks = [8, 300, 9000].map(|bytes| take(8, bytes, 0).expect("memory").0);
    // SAFETY: `take` gave the block, and nobody has given it back.
    unsafe { give_back(8, blocks[1], false) };
    let listed = || {
        lived(8, 10)
            .iter()
            .map(|b| (b.start, b.bytes, b.freed))
            .collect::<Vec<_>>()
    };
    let all = [
        (blocks[0], 8, false),
        (blocks[1], 300, true),
        (blocks[2], 9000, false),
    ];
    assert_eq!(listed(), all);
    assert_eq!(lived(8, 2).len(), 2);
    // SAFETY: the header of the second block is the test's to break.
    unsafe { ((blocks[1] - HEADER_BYTES) as *mut u64).write(u64::MAX) };
    assert_eq!(listed(), all[..1]);
}
