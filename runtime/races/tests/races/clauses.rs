//! One small execution per clause of happens-before, each with a twin that has a race.
//!
//! Every expectation is read off C11 5.1.2.4 and 7.17 (release sequences: C++20 [intro.races]); the
//! clause is named above each test.

use dpor_abi::order::{ACQUIRE, ACQ_REL, RELAXED, RELEASE, SEQ_CST};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{InitialBlock, Judgement, Race, Races};

const DATA: u64 = 0x1000;
const FLAG: u64 = 0x2000;

/// A detector with threads 0 to 3.
fn four_threads(judgement: Judgement) -> Races {
    let mut races = Races::new(judgement);
    for child in 1..4 {
        races.create(ThreadId::MAIN, ThreadId(child));
    }
    races
}

fn c11() -> Races {
    four_threads(Judgement::C11)
}

fn summary(race: &Race) -> (u16, u64, u16, u64) {
    (
        race.earlier.thread.0,
        race.earlier.site.0,
        race.later.thread.0,
        race.later.site.0,
    )
}

/// Thread 1 writes DATA, then stores FLAG; thread 2 loads FLAG, then reads DATA.
fn message(mut races: Races, store: u32, load: u32) -> Option<Race> {
    assert_eq!(races.write(ThreadId(1), DATA, 4, SiteId(1)), None);
    assert_eq!(
        races.atomic_store(ThreadId(1), FLAG, 4, store, SiteId(2)),
        None
    );
    assert_eq!(
        races.atomic_load(ThreadId(2), FLAG, 4, load, SiteId(3)),
        None
    );
    races.read(ThreadId(2), DATA, 4, SiteId(4))
}

// 7.17.3p3, p4: a release store synchronizes with an acquire load that reads from it.
#[test]
fn message_passing_needs_release_and_acquire() {
    for store in [RELEASE, ACQ_REL, SEQ_CST] {
        for load in [ACQUIRE, ACQ_REL, SEQ_CST] {
            assert_eq!(message(c11(), store, load), None, "{store} {load}");
        }
        assert!(message(c11(), store, RELAXED).is_some());
    }
    assert!(message(c11(), RELAXED, ACQUIRE).is_some());
    let race = message(c11(), RELAXED, RELAXED).expect("relaxed accesses do not synchronize");
    assert_eq!(summary(&race), (1, 1, 2, 4));
    assert_eq!((race.address, race.bytes), (DATA, 4));
    assert!(race.earlier.write && !race.earlier.atomic && !race.later.write);
}

// `--races=sc`: every atomic synchronizes.
#[test]
fn under_sc_relaxed_synchronizes() {
    assert_eq!(message(four_threads(Judgement::Sc), RELAXED, RELAXED), None);
    let mut races = four_threads(Judgement::Sc);
    assert_eq!(races.write(ThreadId(1), DATA, 4, SiteId(1)), None);
    assert!(
        races.read(ThreadId(2), DATA, 4, SiteId(2)).is_some(),
        "no atomic, no order"
    );
}

// What comes after a release is not published by it.
#[test]
fn a_write_after_the_release_races() {
    let mut races = c11();
    races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(1));
    races.write(ThreadId(1), DATA, 4, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(4)).is_some());
}

/// Like [`message`], relaxed, with optional fences around.
fn fences(before_store: Option<u32>, after_load: Option<u32>) -> Option<Race> {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    if let Some(order) = before_store {
        races.fence(ThreadId(1), order);
    }
    races.atomic_store(ThreadId(1), FLAG, 4, RELAXED, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, RELAXED, SiteId(3));
    if let Some(order) = after_load {
        races.fence(ThreadId(2), order);
    }
    races.read(ThreadId(2), DATA, 4, SiteId(4))
}

// 7.17.4: a release fence before, an acquire fence behind; seq_cst is both.
#[test]
fn fences_synchronize_in_pairs() {
    for before in [RELEASE, ACQ_REL, SEQ_CST] {
        for after in [ACQUIRE, ACQ_REL, SEQ_CST] {
            assert_eq!(fences(Some(before), Some(after)), None, "{before} {after}");
        }
        assert!(fences(Some(before), None).is_some());
    }
    assert!(fences(None, Some(SEQ_CST)).is_some());
    assert!(fences(Some(ACQUIRE), Some(ACQUIRE)).is_some());
    assert!(fences(Some(RELEASE), Some(RELEASE)).is_some());
}

// 7.17.4p3, p4: a fence with an operation of the other side.
#[test]
fn a_fence_and_an_access_synchronize() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.fence(ThreadId(1), RELEASE);
    races.atomic_store(ThreadId(1), FLAG, 4, RELAXED, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3));
    assert_eq!(races.read(ThreadId(2), DATA, 4, SiteId(4)), None);
    races.atomic_load(ThreadId(3), FLAG, 4, RELAXED, SiteId(5));
    races.fence(ThreadId(3), ACQUIRE);
    assert_eq!(races.read(ThreadId(3), DATA, 4, SiteId(6)), None);
}

// A write between the release fence and the relaxed store is not published.
#[test]
fn a_write_behind_the_fence_races() {
    let mut races = c11();
    races.fence(ThreadId(1), RELEASE);
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_store(ThreadId(1), FLAG, 4, RELAXED, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(4)).is_some());
}

// 5.1.2.4p10: a read-modify-write of another thread continues the release sequence.
#[test]
fn a_release_sequence_goes_through_rmws() {
    for order in [RELAXED, ACQUIRE] {
        let mut races = c11();
        races.write(ThreadId(1), DATA, 4, SiteId(1));
        races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(2));
        races.atomic_rmw(ThreadId(3), FLAG, 4, order, SiteId(3));
        races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
        assert_eq!(races.read(ThreadId(2), DATA, 4, SiteId(5)), None);
    }
}

// … but a relaxed one does not itself publish.
#[test]
fn a_relaxed_rmw_publishes_nothing_of_its_own() {
    let mut races = c11();
    races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(2));
    races.write(ThreadId(3), DATA, 4, SiteId(1));
    races.atomic_rmw(ThreadId(3), FLAG, 4, RELAXED, SiteId(3));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some());
}

// C++20: a relaxed store ends the sequence, of whichever thread; C11 would let thread 1's go on.
#[test]
fn a_relaxed_store_ends_a_release_sequence() {
    for thread in [1, 3] {
        let mut races = c11();
        races.write(ThreadId(1), DATA, 4, SiteId(1));
        races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(2));
        races.atomic_store(ThreadId(thread), FLAG, 4, RELAXED, SiteId(3));
        races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
        assert!(
            races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some(),
            "thread {thread}"
        );
    }
}

// A plain write is what the load reads, so the load learns nothing; it also races with the load.
#[test]
fn a_plain_write_ends_a_release_sequence() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(2));
    races.write(ThreadId(1), FLAG, 4, SiteId(3));
    assert!(races
        .atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4))
        .is_some());
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some());
}

// The same, where the plain write repeats one of the same epoch.
#[test]
fn a_repeated_plain_write_ends_what_a_relaxed_store_published() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.fence(ThreadId(1), RELEASE);
    races.write(ThreadId(1), FLAG, 4, SiteId(2));
    races.atomic_store(ThreadId(1), FLAG, 4, RELAXED, SiteId(3));
    races.write(ThreadId(1), FLAG, 4, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some());
}

// The failure order of a compare-exchange is a load's.
#[test]
fn a_failed_compare_exchange_is_a_load() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_load(ThreadId(1), FLAG, 4, ACQUIRE, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(4)).is_some());
}

// 5.1.2.4p25: one atomic and one plain access conflict too; two atomic ones do not race.
#[test]
fn atomic_and_plain_accesses_race() {
    let mut races = c11();
    assert_eq!(
        races.atomic_store(ThreadId(1), DATA, 4, RELAXED, SiteId(1)),
        None
    );
    assert_eq!(
        races.atomic_store(ThreadId(2), DATA, 4, RELAXED, SiteId(2)),
        None
    );
    assert_eq!(
        races.atomic_rmw(ThreadId(3), DATA, 4, RELAXED, SiteId(3)),
        None
    );
    let race = races
        .read(ThreadId::MAIN, DATA, 4, SiteId(4))
        .expect("atomic write, plain read");
    assert!(race.earlier.atomic && race.earlier.write && !race.later.atomic);

    let mut races = c11();
    assert_eq!(races.read(ThreadId(1), DATA, 4, SiteId(1)), None);
    assert_eq!(
        races.atomic_load(ThreadId(2), DATA, 4, SEQ_CST, SiteId(2)),
        None,
        "two reads"
    );
    assert!(races
        .atomic_store(ThreadId(2), DATA, 4, SEQ_CST, SiteId(3))
        .is_some());

    let mut races = c11();
    assert_eq!(
        races.atomic_load(ThreadId(1), DATA, 4, SEQ_CST, SiteId(1)),
        None
    );
    assert_eq!(races.read(ThreadId(2), DATA, 4, SiteId(2)), None);
    assert!(races.write(ThreadId(3), DATA, 4, SiteId(3)).is_some());
}

// A plain initialization published with the object itself: the acquire load is ordered behind it, a
// relaxed one is not.
#[test]
fn initialization_is_ordered_by_the_load_itself() {
    let mut races = c11();
    races.write(ThreadId(1), FLAG, 4, SiteId(1));
    races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(2));
    assert_eq!(
        races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3)),
        None
    );
    assert!(races
        .atomic_load(ThreadId(3), FLAG, 4, RELAXED, SiteId(4))
        .is_some());
}

#[test]
fn a_mutex_orders_its_critical_sections() {
    let mut races = c11();
    for thread in [1, 2, 3] {
        races.lock(ThreadId(thread), 77);
        assert_eq!(races.read(ThreadId(thread), DATA, 8, SiteId(1)), None);
        assert_eq!(races.write(ThreadId(thread), DATA, 8, SiteId(2)), None);
        races.unlock(ThreadId(thread), 77);
    }
    races.lock(ThreadId::MAIN, 78);
    let race = races
        .write(ThreadId::MAIN, DATA, 8, SiteId(3))
        .expect("another mutex orders nothing");
    assert_eq!(
        (race.earlier.thread, &race.earlier.locks[..]),
        (ThreadId(3), &[77][..])
    );
    assert_eq!(race.later.locks, [78]);
}

#[test]
fn an_object_keeps_what_was_released_until_it_is_overwritten() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 1, SiteId(1));
    races.release(ThreadId(1), 9);
    races.write(ThreadId(2), DATA + 1, 1, SiteId(2));
    races.release(ThreadId(2), 9);
    races.acquire(ThreadId(3), 9);
    assert_eq!(races.read(ThreadId(3), DATA, 2, SiteId(3)), None);
    races.release_store(ThreadId(2), 9);
    races.acquire(ThreadId::MAIN, 9);
    assert_eq!(races.read(ThreadId::MAIN, DATA + 1, 1, SiteId(4)), None);
    assert!(races.read(ThreadId::MAIN, DATA, 1, SiteId(5)).is_some());
}

#[test]
fn an_object_that_is_initialized_again_orders_nothing_old() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 1, SiteId(1));
    races.unlock(ThreadId(1), 9);
    races.reset(9);
    races.lock(ThreadId(2), 9);
    assert!(races.read(ThreadId(2), DATA, 1, SiteId(2)).is_some());
}

#[test]
fn creation_and_join_order() {
    let mut races = Races::new(Judgement::C11);
    races.write(ThreadId::MAIN, DATA, 4, SiteId(1));
    races.create(ThreadId::MAIN, ThreadId(1));
    assert_eq!(races.write(ThreadId(1), DATA, 4, SiteId(2)), None);
    races.finish(ThreadId(1));
    races.join(ThreadId::MAIN, ThreadId(1));
    assert_eq!(races.write(ThreadId::MAIN, DATA, 4, SiteId(3)), None);

    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId::MAIN, ThreadId(1));
    races.write(ThreadId::MAIN, DATA, 4, SiteId(1));
    assert!(
        races.write(ThreadId(1), DATA, 4, SiteId(2)).is_some(),
        "written after the creation"
    );

    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId::MAIN, ThreadId(1));
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.finish(ThreadId(1));
    assert!(
        races.write(ThreadId::MAIN, DATA, 4, SiteId(2)).is_some(),
        "ended, but not joined"
    );
}

#[test]
fn a_thread_number_used_again_without_order_is_another_thread() {
    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId::MAIN, ThreadId(1));
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.finish(ThreadId(1));
    assert!(races.can_create(ThreadId::MAIN, ThreadId(1)));
    races.create(ThreadId::MAIN, ThreadId(1));
    let race = races
        .write(ThreadId(1), DATA, 4, SiteId(2))
        .expect("nothing orders the two owners of number 1");
    assert_eq!(summary(&race), (1, 1, 1, 2));

    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId::MAIN, ThreadId(1));
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.finish(ThreadId(1));
    races.join(ThreadId::MAIN, ThreadId(1));
    let before = races.time(ThreadId::MAIN);
    races.create(ThreadId::MAIN, ThreadId(1));
    assert_eq!(races.write(ThreadId(1), DATA, 4, SiteId(2)), None);
    assert!(races.time(ThreadId(1)) > before);
}

// 7.17.4: a fence is that of its thread; the next owner of the number did not execute it.
#[test]
fn a_thread_number_used_again_has_no_fences_yet() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.fence(ThreadId(1), RELEASE);
    races.finish(ThreadId(1));
    races.join(ThreadId::MAIN, ThreadId(1));
    races.create(ThreadId::MAIN, ThreadId(1));
    races.atomic_store(ThreadId(1), FLAG, 4, RELAXED, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(3));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(4)).is_some());

    let mut races = c11();
    races.write(ThreadId(2), DATA, 4, SiteId(1));
    races.atomic_store(ThreadId(2), FLAG, 4, RELEASE, SiteId(2));
    races.atomic_load(ThreadId(1), FLAG, 4, RELAXED, SiteId(3));
    races.finish(ThreadId(1));
    races.join(ThreadId::MAIN, ThreadId(1));
    races.create(ThreadId::MAIN, ThreadId(1));
    races.fence(ThreadId(1), ACQUIRE);
    assert!(races.read(ThreadId(1), DATA, 4, SiteId(4)).is_some());
}

#[test]
fn spare_clock_slots_run_out_and_say_so() {
    let mut races = Races::new(Judgement::C11);
    // Slot 0 is thread 0's, so 127 threads without order can use number 1.
    for _ in 0..127 {
        assert!(races.can_create(ThreadId::MAIN, ThreadId(1)));
        races.create(ThreadId::MAIN, ThreadId(1));
        races.write(ThreadId(1), DATA, 4, SiteId(1));
        races.finish(ThreadId(1));
    }
    assert!(!races.can_create(ThreadId::MAIN, ThreadId(1)));
    races.join(ThreadId::MAIN, ThreadId(1));
    assert!(races.can_create(ThreadId::MAIN, ThreadId(1)));
}

#[test]
fn an_edge_to_a_woken_thread_orders() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.fork_edge(ThreadId(1), ThreadId(2));
    assert_eq!(races.write(ThreadId(2), DATA, 4, SiteId(2)), None);
    assert!(races.write(ThreadId(1), DATA, 4, SiteId(3)).is_some());
}

#[test]
fn freeing_writes_and_allocating_makes_new() {
    let mut races = c11();
    races.allocate(ThreadId(1), DATA, 100, SiteId(1));
    races.read(ThreadId(1), DATA + 99, 1, SiteId(2));
    let race = races
        .free(ThreadId(2), DATA, 100, SiteId(3))
        .expect("read by 1, freed by 2");
    assert_eq!(
        (race.address, race.bytes, race.later.site),
        (DATA + 99, 1, SiteId(3))
    );
    let block = races
        .block_of(DATA + 50)
        .expect("freed blocks keep their name");
    assert_eq!(
        (block.start, block.bytes, block.site, block.thread),
        (DATA, 100, SiteId(1), ThreadId(1))
    );
    assert_eq!(races.block_of(DATA + 100), None);
    races.allocate(ThreadId(3), DATA, 50, SiteId(4));
    assert_eq!(races.write(ThreadId(3), DATA, 50, SiteId(5)), None);
    assert!(
        races.write(ThreadId(3), DATA + 50, 1, SiteId(6)).is_some(),
        "freed by 2, not part of the new block"
    );
}

// The free of a block that no one has touched is remembered, though it makes no shadow memory.
#[test]
fn an_access_after_the_free_of_an_untouched_block_races() {
    let mut races = c11();
    races.allocate(ThreadId(1), 1 << 32, 1 << 30, SiteId(1));
    assert_eq!(races.free(ThreadId(1), 1 << 32, 1 << 30, SiteId(2)), None);
    let ordered = races.read(ThreadId(1), (1 << 32) + 12345, 4, SiteId(3));
    let ordered = ordered.expect("freed before");
    assert_eq!(summary(&ordered), (1, 2, 1, 3));
    assert!(ordered.after_free, "ordered, so not a race");
    let race = races
        .read(ThreadId(2), (1 << 32) + 123_456, 4, SiteId(4))
        .expect("freed by 1");
    assert_eq!(summary(&race), (1, 2, 2, 4));
    assert!(!race.after_free);
}

/// Whoever comes behind a free uses freed memory, also right behind it, and the second time by another.
/// A new block ends that, where it is, and a mapping that is replaced was never freed.
#[test]
fn a_use_of_freed_memory_is_told_until_it_is_allocated_again() {
    let mut races = c11();
    races.allocate(ThreadId(1), DATA, 64, SiteId(1));
    races.write(ThreadId(1), DATA, 64, SiteId(2));
    assert_eq!(races.free(ThreadId(1), DATA, 64, SiteId(3)), None);
    let site_of_free =
        |race: Option<Race>| race.filter(|race| race.after_free).map(|r| r.earlier.site);
    assert_eq!(
        site_of_free(races.write(ThreadId(1), DATA, 8, SiteId(4))),
        Some(SiteId(3))
    );
    assert_eq!(
        site_of_free(races.atomic_load(ThreadId(1), DATA + 8, 4, RELAXED, SiteId(5))),
        Some(SiteId(3))
    );
    assert_eq!(
        site_of_free(races.use_object(ThreadId(1), DATA + 16, 8, SiteId(6))),
        Some(SiteId(3))
    );
    assert_eq!(
        site_of_free(races.lock_object(ThreadId(1), 7, (DATA + 24, 8), SiteId(7))),
        Some(SiteId(3))
    );
    assert_eq!(races.free_of(DATA + 63), Some((ThreadId(1), SiteId(3))));
    assert_eq!(races.free_of(DATA + 64), None);
    races.unlock(ThreadId(1), 7);
    races.lock(ThreadId(2), 7);
    assert_eq!(
        site_of_free(races.read(ThreadId(2), DATA, 8, SiteId(8))),
        Some(SiteId(3))
    );
    let race = races
        .read(ThreadId(3), DATA, 1, SiteId(9))
        .expect("not ordered with thread 1");
    assert!(!race.after_free);
    races.allocate(ThreadId(2), DATA, 32, SiteId(10));
    assert_eq!(races.write(ThreadId(2), DATA, 32, SiteId(11)), None);
    assert_eq!(
        site_of_free(races.read(ThreadId(2), DATA + 32, 1, SiteId(12))),
        Some(SiteId(3))
    );
    races.replace(ThreadId(2), DATA, 32, SiteId(13));
    assert_eq!(races.read(ThreadId(2), DATA, 32, SiteId(14)), None);
}

/// Bytes next to a block are no one's, whether their shadow was there before or comes later, whoever accesses
/// them and however often; until another block has them. Going back takes that back.
#[test]
fn bytes_next_to_a_block_are_guarded() {
    let block = |races: &mut Races, start, bytes| {
        let block = dpor_races::Block {
            start,
            bytes,
            site: SiteId(1),
            thread: ThreadId(1),
        };
        races.allocate(ThreadId(1), start, bytes, SiteId(1));
        races.guard(block, start + bytes, 16);
        races.guard(block, start - 16, 16);
    };
    for touched in [false, true] {
        let mut races = c11();
        if touched {
            races.write(ThreadId(1), DATA - 32, 128, SiteId(1));
        }
        let mark = races.mark();
        block(&mut races, DATA, 13);
        assert_eq!(races.write(ThreadId(1), DATA, 13, SiteId(2)), None);
        assert_eq!(
            races.write(ThreadId(1), DATA + 29, 3, SiteId(3)),
            None,
            "behind the guard"
        );
        let outside = |race: Option<Race>| {
            race.filter(|race| race.outside)
                .map(|r| (r.address, r.bytes))
        };
        assert_eq!(
            outside(races.read(ThreadId(1), DATA + 13, 1, SiteId(4))),
            Some((DATA + 13, 1))
        );
        assert_eq!(
            outside(races.write(ThreadId(1), DATA + 12, 2, SiteId(5))),
            Some((DATA + 13, 1))
        );
        assert_eq!(
            outside(races.atomic_rmw(ThreadId(2), DATA + 24, 4, ACQ_REL, SiteId(6))),
            Some((DATA + 24, 4))
        );
        assert_eq!(
            outside(races.read(ThreadId(2), DATA - 1, 1, SiteId(7))),
            Some((DATA - 1, 1))
        );
        assert_eq!(
            outside(races.write(ThreadId(1), DATA - 16, 1, SiteId(8))),
            Some((DATA - 16, 1))
        );
        let name = races.block_of(DATA + 28).expect("next to a block");
        assert_eq!((name.start, name.bytes), (DATA, 13));
        races.free(ThreadId(1), DATA, 13, SiteId(9));
        assert_eq!(
            outside(races.read(ThreadId(3), DATA + 13, 1, SiteId(10))),
            Some((DATA + 13, 1))
        );
        block(&mut races, DATA, 20);
        assert_eq!(races.write(ThreadId(1), DATA, 20, SiteId(11)), None);
        races.rollback(mark);
        assert_eq!(
            outside(races.read(ThreadId(1), DATA + 13, 1, SiteId(12))),
            None
        );
    }
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let mut races = c11();
    for thread in (0..4).map(ThreadId) {
        let address = DATA + 2 * u64::from(thread.0);
        assert_eq!(races.write(thread, address, 1, SiteId(1)), None);
        assert_eq!(races.read(thread, address + 1, 1, SiteId(2)), None);
        assert_eq!(races.write(thread, address, 2, SiteId(3)), None);
    }
    for thread in (0..4).map(ThreadId) {
        let mine = DATA + 2 * u64::from(thread.0);
        assert_eq!(races.write(thread, mine, 2, SiteId(4)), None);
    }
    let race = races
        .read(ThreadId::MAIN, DATA + 1, 2, SiteId(5))
        .expect("byte 2 is thread 1's");
    assert_eq!(
        (race.address, race.bytes, race.earlier.thread),
        (DATA + 2, 1, ThreadId(1))
    );
}

#[test]
fn overlaps_of_different_widths_race() {
    for (first, first_bytes, second, second_bytes, shared, shared_bytes) in [
        (0, 8, 3, 1, 3, 1),
        (3, 1, 0, 8, 3, 1),
        (0, 4, 2, 4, 2, 2),
        (6, 4, 8, 8, 8, 2),
        (0, 64, 33, 2, 33, 2),
        (33, 2, 0, 64, 33, 2),
        (7, 1, 0, 16, 7, 1),
    ] {
        let mut races = c11();
        assert_eq!(
            races.write(ThreadId(1), DATA + first, first_bytes, SiteId(1)),
            None
        );
        let race = races
            .write(ThreadId(2), DATA + second, second_bytes, SiteId(2))
            .expect("overlap");
        assert_eq!((race.address - DATA, race.bytes), (shared, shared_bytes));
    }
}

#[test]
fn messages_are_per_byte_when_widths_mix() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_store(ThreadId(1), FLAG, 8, RELEASE, SiteId(2));
    races.atomic_store(ThreadId(3), FLAG, 4, RELAXED, SiteId(3));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
    assert!(
        races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some(),
        "the low half is thread 3's"
    );
    races.atomic_load(ThreadId::MAIN, FLAG + 4, 2, ACQUIRE, SiteId(6));
    assert_eq!(
        races.read(ThreadId::MAIN, DATA, 4, SiteId(7)),
        None,
        "the high half is thread 1's"
    );
}

#[test]
fn a_sixteen_byte_atomic_is_one_object() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_rmw(ThreadId(1), FLAG, 16, ACQ_REL, SiteId(2));
    races.atomic_load(ThreadId(2), FLAG + 8, 8, ACQUIRE, SiteId(3));
    assert_eq!(races.read(ThreadId(2), DATA, 4, SiteId(4)), None);
    assert!(races.has_atomics(FLAG + 15, 1) && !races.cell_has_atomics(FLAG + 16));
}

#[test]
fn freed_atomics_are_forgotten_with_their_messages() {
    let mut races = c11();
    races.write(ThreadId(1), DATA, 4, SiteId(1));
    races.atomic_store(ThreadId(1), FLAG, 8, RELEASE, SiteId(2));
    races.allocate(ThreadId(2), FLAG, 4, SiteId(3));
    assert!(!races.cell_has_atomics(FLAG + 3) && races.cell_has_atomics(FLAG + 4));
    races.atomic_load(ThreadId(2), FLAG, 4, ACQUIRE, SiteId(4));
    assert!(races.read(ThreadId(2), DATA, 4, SiteId(5)).is_some());
    races.atomic_load(ThreadId(3), FLAG + 4, 4, ACQUIRE, SiteId(6));
    assert_eq!(races.read(ThreadId(3), DATA, 4, SiteId(7)), None);
}

#[test]
fn time_depends_on_the_past_only() {
    let mut one = c11();
    let mut other = c11();
    // Two independent operations in both orders.
    one.unlock(ThreadId(1), 5);
    one.unlock(ThreadId(2), 6);
    other.unlock(ThreadId(2), 6);
    other.unlock(ThreadId(1), 5);
    for races in [&mut one, &mut other] {
        let before = races.time(ThreadId(3));
        races.lock(ThreadId(3), 5);
        assert!(races.time(ThreadId(3)) > before);
    }
    for thread in 0..4 {
        assert_eq!(one.time(ThreadId(thread)), other.time(ThreadId(thread)));
    }
}

#[test]
#[should_panic(expected = "mark that is gone")]
fn a_mark_is_gone_with_an_older_one() {
    let mut races = c11();
    let outer = races.mark();
    let inner = races.mark();
    races.rollback(outer);
    races.rollback(inner);
}

/// A lock in a block that is freed and allocated again is another lock: what was released to the
/// first one orders nothing for those who take the second.
#[test]
fn a_lock_in_recycled_memory_has_no_past() {
    let first_life = |races: &mut Races| {
        races.create(ThreadId::MAIN, ThreadId(1));
        races.allocate(ThreadId::MAIN, 0x1000, 64, SiteId::UNKNOWN);
        races.write(ThreadId::MAIN, 0x8000, 4, SiteId(1));
        races.lock(ThreadId::MAIN, LOCK_IN_BLOCK);
        races.unlock(ThreadId::MAIN, LOCK_IN_BLOCK);
    };
    // The same lock orders the write before the read.
    let mut same = Races::new(Judgement::C11);
    first_life(&mut same);
    same.lock(ThreadId(1), LOCK_IN_BLOCK);
    assert_eq!(same.read(ThreadId(1), 0x8000, 4, SiteId(2)), None);
    // The new one does not.
    let mut recycled = Races::new(Judgement::C11);
    first_life(&mut recycled);
    recycled.allocate(ThreadId(1), 0x1000, 64, SiteId::UNKNOWN);
    recycled.lock(ThreadId(1), LOCK_IN_BLOCK);
    assert!(recycled.read(ThreadId(1), 0x8000, 4, SiteId(2)).is_some());
}

/// Named as the runtime names objects: a tag above the address, which lies in the block.
const LOCK_IN_BLOCK: u64 = 1 << 56 | 0x1010;

// POSIX XBD 4.12: calls on one object may be made at the same time; writing the object's memory, or
// freeing it, must not be.
#[test]
fn calls_on_objects_race_with_writes_alone() {
    const MUTEX: u64 = 7;
    let mut races = c11();
    assert_eq!(races.use_object(ThreadId(1), DATA, 8, SiteId(1)), None);
    assert_eq!(races.use_object(ThreadId(2), DATA, 8, SiteId(2)), None);
    assert_eq!(races.use_object(ThreadId(3), DATA, 8, SiteId(3)), None);
    // They order nothing, so all race; the lowest number is told.
    let race = races
        .free(ThreadId(2), DATA, 40, SiteId(4))
        .expect("thread 1 may still call");
    assert_eq!(summary(&race), (1, 1, 2, 4));
    assert!(race.earlier.atomic && !race.earlier.write && race.later.write);

    let mut races = c11();
    races.lock(ThreadId(1), MUTEX);
    assert_eq!(races.write(ThreadId(1), DATA, 40, SiteId(1)), None);
    assert_eq!(
        races.use_object(ThreadId(2), DATA, 0, SiteId(2)),
        None,
        "no bytes"
    );
    let race = races
        .use_object(ThreadId(2), DATA, 8, SiteId(2))
        .expect("in the other order");
    assert_eq!(summary(&race), (1, 1, 2, 2));

    // The unlock of the lock itself is ordered before who locks next.
    let mut races = c11();
    races.lock(ThreadId(1), MUTEX);
    assert_eq!(races.use_object(ThreadId(1), DATA, 8, SiteId(1)), None);
    races.unlock(ThreadId(1), MUTEX);
    races.lock(ThreadId(2), MUTEX);
    assert_eq!(races.write(ThreadId(2), DATA, 40, SiteId(2)), None);
}

// A lock has no part in ordering its own call after what it finds, and takes the place of the uses that it
// is ordered after.
#[test]
fn a_lock_uses_its_memory_before_it_orders() {
    const MUTEX: u64 = 7;
    let place = (DATA, 8);
    let mut races = c11();
    races.lock(ThreadId(1), MUTEX);
    assert_eq!(races.write(ThreadId(1), DATA, 40, SiteId(1)), None);
    races.unlock(ThreadId(1), MUTEX);
    let race = races.lock_object(ThreadId(2), MUTEX, place, SiteId(2));
    let race = race.expect("only the lock itself comes between");
    assert_eq!(summary(&race), (1, 1, 2, 2));
    assert_eq!(race.later.locks, []);

    let handed_on = || {
        let mut races = c11();
        assert_eq!(
            races.lock_object(ThreadId(1), MUTEX, place, SiteId(1)),
            None
        );
        races.unlock(ThreadId(1), MUTEX);
        assert_eq!(
            races.lock_object(ThreadId(2), MUTEX, place, SiteId(2)),
            None
        );
        races
    };
    assert_eq!(
        handed_on().free(ThreadId(2), DATA, 40, SiteId(3)),
        None,
        "ordered by the lock"
    );
    let race = handed_on()
        .free(ThreadId(3), DATA, 40, SiteId(3))
        .expect("ordered by nothing");
    assert_eq!(summary(&race), (2, 2, 3, 3));
    assert_eq!(race.earlier.locks, [MUTEX]);
    // By who had it before: his own use is in order, the other's is not.
    let race = handed_on()
        .free(ThreadId(1), DATA, 40, SiteId(3))
        .expect("thread 2 has it");
    assert_eq!(summary(&race), (2, 2, 1, 3));
}

// 6.2.4p2: the life of a variable with automatic or thread storage duration ends with its thread at the latest.
#[test]
fn what_a_thread_has_on_its_stack_ends_with_it() {
    const STACK: u64 = 0x10_0000;
    const BYTES: u64 = 0x2000;
    let mut races = c11();
    let root = races.mark();
    let kinds = |race: Option<Race>| race.map(|race| (race.freed, race.after_free, race.ends));
    for _ in 0..2 {
        assert_eq!(races.write(ThreadId(1), STACK + 8, 4, SiteId(1)), None);
        let ended = races.mark();
        assert_eq!(
            races.end_stack(ThreadId(1), STACK, BYTES, SiteId::UNKNOWN),
            None
        );
        races.finish(ThreadId(1));
        // Nothing orders thread 2 behind it.
        assert_eq!(
            kinds(races.read(ThreadId(2), STACK + 8, 4, SiteId(2))),
            Some((true, false, false))
        );
        races.join(ThreadId::MAIN, ThreadId(1));
        assert_eq!(
            kinds(races.read(ThreadId::MAIN, STACK + 8, 4, SiteId(3))),
            Some((true, true, false))
        );
        // A page that nobody had touched; and behind the stack.
        assert_eq!(
            kinds(races.write(ThreadId::MAIN, STACK + 0x1000, 8, SiteId(4))),
            Some((true, true, false))
        );
        assert_eq!(
            races.write(ThreadId::MAIN, STACK + BYTES, 8, SiteId(5)),
            None
        );
        // The next one there.
        races.create(ThreadId::MAIN, ThreadId(1));
        races.begin_stack(STACK, BYTES);
        assert_eq!(races.write(ThreadId(1), STACK + 8, 4, SiteId(6)), None);
        assert_eq!(races.write(ThreadId(1), STACK + 0x1000, 8, SiteId(7)), None);
        assert_eq!(races.write(ThreadId(1), STACK + 0x1400, 8, SiteId(8)), None);
        // Before the end, and not ordered with it.
        races.rollback(ended);
        assert!(races
            .read(ThreadId(2), STACK + 8, 2, SiteId(9))
            .is_some_and(|race| !race.freed));
        let race = races
            .end_stack(ThreadId(1), STACK, BYTES, SiteId::UNKNOWN)
            .expect("thread 2 may still use it");
        assert_eq!(
            (race.ends, race.earlier.thread, race.earlier.site),
            (true, ThreadId(2), SiteId(9))
        );
        races.rollback(root);
    }
}

#[test]
fn blocks_of_before_are_guarded() {
    let lived = |from: u64, bytes: u64, freed: bool| InitialBlock {
        from: DATA + from,
        start: DATA + from + 16,
        bytes,
        end: DATA + from + 96,
        freed,
    };
    let mut races = c11();
    races.begin_with(vec![lived(0, 20, false), lived(96, 20, true)]);
    let root = races.mark();
    for _ in 0..2 {
        let kinds = |race: Option<Race>| {
            race.map(|race| (race.outside, race.after_free && race.freed_before))
        };
        assert_eq!(races.write(ThreadId(1), DATA + 16, 20, SiteId(1)), None);
        assert_eq!(
            kinds(races.read(ThreadId(2), DATA + 36, 4, SiteId(2))),
            Some((true, false))
        );
        assert_eq!(
            kinds(races.read(ThreadId(1), DATA + 15, 1, SiteId(3))),
            Some((true, false))
        );
        assert_eq!(
            kinds(races.write(ThreadId(3), DATA + 112, 4, SiteId(4))),
            Some((false, true))
        );
        assert_eq!(
            kinds(races.write(ThreadId(3), DATA + 132, 4, SiteId(5))),
            Some((true, false))
        );
        let name = races
            .block_of(DATA + 100)
            .map(|block| (block.start, block.bytes));
        assert_eq!(name, Some((DATA + 112, 20)));
        assert_eq!(races.judged_block_of(DATA + 100), None);
        // Given out again, in a page that is there and in one that is not.
        races.allocate(ThreadId(1), DATA + 112, 30, SiteId(6));
        assert_eq!(races.write(ThreadId(1), DATA + 112, 30, SiteId(7)), None);
        assert_eq!(
            kinds(races.read(ThreadId(1), DATA + 142, 1, SiteId(8))),
            Some((true, false))
        );
        races.rollback(root);
        races.allocate(ThreadId(1), DATA + 112, 30, SiteId(9));
        assert_eq!(races.write(ThreadId(1), DATA + 112, 30, SiteId(10)), None);
        races.rollback(root);
    }
}
