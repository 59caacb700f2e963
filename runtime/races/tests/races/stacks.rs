//! Frames that end on stacks, by hand. Thread 0 has 0x10000 to 0x20000.

use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Race, Races};

const LOW: u64 = 0x10000;
const HIGH: u64 = 0x20000;

/// A detector of thread 0, which created threads 1 and 2, and knows granules at 0x18000 as reached by others.
fn races() -> Races {
    let mut races = Races::new(Judgement::C11);
    races.stand_on(ThreadId::MAIN, LOW, HIGH);
    races.add_reached(&[(0x18000, 0x18010)]);
    races.create(ThreadId::MAIN, ThreadId(1));
    races.create(ThreadId::MAIN, ThreadId(2));
    races
}

fn returned(race: Option<Race>) -> (bool, bool, u64) {
    let race = race.expect("a use of what has ended");
    assert!(race.returned != race.returns, "{race:?}");
    let end = if race.returns {
        &race.later
    } else {
        &race.earlier
    };
    (race.returns, race.after_free, end.site.0)
}

#[test]
fn nothing_orders_use_and_end_in_both_orders() {
    let mut races = races();
    let mark = races.mark();
    assert!(races.read(ThreadId(1), 0x18000, 4, SiteId(10)).is_none());
    assert!(races.needs_end(ThreadId::MAIN, 0x17f00, 0x18100));
    assert_eq!(
        returned(races.end_frame(ThreadId::MAIN, 0x17f00, 0x18100, SiteId(20))),
        (true, false, 20)
    );
    races.rollback(mark);
    assert!(races
        .end_frame(ThreadId::MAIN, 0x17f00, 0x18100, SiteId(20))
        .is_none());
    assert_eq!(
        returned(races.read(ThreadId(1), 0x18000, 4, SiteId(10))),
        (false, false, 20)
    );
}

#[test]
fn ordered_behind_the_end_or_before_it() {
    let mut races = races();
    races.lock(ThreadId(1), 7);
    assert!(races.read(ThreadId(1), 0x18000, 4, SiteId(10)).is_none());
    races.unlock(ThreadId(1), 7);
    races.lock(ThreadId::MAIN, 7);
    assert!(races
        .end_frame(ThreadId::MAIN, 0x17f00, 0x18100, SiteId(20))
        .is_none());
    races.unlock(ThreadId::MAIN, 7);
    races.lock(ThreadId(2), 7);
    assert_eq!(
        returned(races.write(ThreadId(2), 0x18008, 8, SiteId(30))),
        (false, true, 20)
    );
}

#[test]
fn the_thread_itself_may_use_the_place_without_telling_what_begins() {
    let mut races = races();
    assert!(races
        .end_frame(ThreadId::MAIN, 0x17f00, 0x18100, SiteId(20))
        .is_none());
    assert!(races
        .write(ThreadId::MAIN, 0x18000, 8, SiteId(21))
        .is_none());
    assert!(races
        .atomic_store(ThreadId::MAIN, 0x18008, 4, 5, SiteId(22))
        .is_none());
    // Others still find the end.
    assert_eq!(
        returned(races.read(ThreadId(1), 0x18000, 1, SiteId(10))),
        (false, false, 20)
    );
}

#[test]
fn what_begins_is_for_those_who_know_of_it() {
    let mut races = races();
    assert!(races
        .end_frame(ThreadId::MAIN, 0x17f00, 0x18100, SiteId(20))
        .is_none());
    assert!(races
        .begin_frame(ThreadId::MAIN, 0x18000, 0x18004)
        .is_none());
    assert!(races
        .write(ThreadId::MAIN, 0x18000, 4, SiteId(21))
        .is_none());
    let mark = races.mark();
    // Thread 1 has been told nothing since: it uses what ended.
    assert_eq!(
        returned(races.read(ThreadId(1), 0x18000, 4, SiteId(10))),
        (false, false, 20)
    );
    races.rollback(mark);
    races.lock(ThreadId::MAIN, 7);
    races.unlock(ThreadId::MAIN, 7);
    races.lock(ThreadId(1), 7);
    assert!(races.read(ThreadId(1), 0x18000, 4, SiteId(10)).is_none());
    // Behind the four bytes nothing began.
    assert_eq!(
        returned(races.read(ThreadId(1), 0x18004, 4, SiteId(11))),
        (false, true, 20)
    );
}

#[test]
fn what_was_left_without_an_end_is_told_of_where_something_begins() {
    let mut races = races();
    assert!(races.write(ThreadId(1), 0x18000, 4, SiteId(10)).is_none());
    assert_eq!(
        returned(races.begin_frame(ThreadId::MAIN, 0x18000, 0x18010)),
        (true, false, 0)
    );
    assert!(races
        .begin_frame(ThreadId::MAIN, 0x18000, 0x18010)
        .is_none());
}

#[test]
fn what_is_reached_late_has_to_be_known_from_the_beginning() {
    let mut races = races();
    // Above all that ended: nothing is lost.
    assert!(!races.needs_end(ThreadId::MAIN, 0x11000, 0x11100));
    assert!(races.read(ThreadId(1), 0x11100, 4, SiteId(10)).is_none());
    assert!(!races.take_learnt());
    assert!(races.needs_end(ThreadId::MAIN, 0x11100, 0x11200));
    // Below. Something was learnt before: 16 bytes now.
    assert!(races.read(ThreadId(1), 0x11080, 4, SiteId(10)).is_none());
    assert!(races.take_learnt() && !races.take_learnt());
    assert_eq!(races.reached(), [(0x11080, 0x11090), (0x18000, 0x18010)]);
    // Then more of the neighbourhood.
    assert!(races.read(ThreadId(1), 0x11048, 4, SiteId(10)).is_none());
    assert!(races.take_learnt());
    assert_eq!(races.reached()[0], (0x11040, 0x11060));
    // What another process learnt is known, and is told of once.
    assert!(races.add_reached(&[(0x12000, 0x12008)]));
    assert!(!races.add_reached(&[(0x12000, 0x12008)]));
}

#[test]
fn below_the_stack_pointer_all_is_dead() {
    let mut races = races();
    races.ask_positions(|thread| (thread == ThreadId::MAIN).then_some(0x14000));
    assert!(races
        .read(ThreadId(1), 0x14000 - 128, 8, SiteId(10))
        .is_none());
    let race = races
        .read(ThreadId(1), 0x14000 - 136, 8, SiteId(10))
        .expect("below the red zone");
    assert!(
        race.returned
            && race.earlier.thread == ThreadId::MAIN
            && race.earlier.site == SiteId::UNKNOWN
    );
    // The owner itself, and another thread's stack.
    assert!(races.read(ThreadId::MAIN, 0x13000, 8, SiteId(10)).is_none());
    races.stand_on(ThreadId(2), 0x30000, 0x40000);
    assert!(races.read(ThreadId(1), 0x31000, 8, SiteId(10)).is_none());
}
