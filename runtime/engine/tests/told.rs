//! What the words of repeated accesses keep from the race detector, against a detector that is told of everything:
//! random programs with steps of several threads, atomics, locks, blocks that come and go, and rollbacks.

#[path = "../../races/tests/races/program/mod.rs"]
mod program;

use dpor_engine::accesses::repeated::{
    begin, begin_small, forget_range, forget_told, is_known, is_range_known, nothing_is_noted,
    orders_change, remember, remember_page, remember_range, settle, step_begins, was_page_told,
    was_told,
};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Mark, Race, Races};
use program::{apply, spread, Generator, Op, Random, BASE, REGION};
use std::collections::BTreeSet;

/// A detector that is told of everything, and one that is told of what the words let through.
struct Both {
    all: Races,
    some: Races,
    running: ThreadId,
    /// Bytes near which something raced in this execution.
    answered: BTreeSet<u64>,
    kept_back: usize,
    /// Those of them that were known by their page.
    by_page: usize,
    raced: usize,
}

/// The words that there are, and how large the memory is that plain accesses are made to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    Limited,
    /// All of them, for a block of which pages are judged as one.
    Pages,
}

/// That block.
const WIDE: u64 = 0x10_0000;
/// Bytes of it for each byte of the region.
const SPREAD: u64 = 64;

impl Both {
    fn new(words: Words) -> Self {
        match words {
            Words::Limited => begin_small(),
            _ => assert!(begin(), "there is no memory"),
        }
        let (mut all, mut some) = (Races::new(Judgement::C11), Races::new(Judgement::C11));
        if words == Words::Pages {
            some.judge_whole_pages_after(0);
            for races in [&mut all, &mut some] {
                races.allocate(ThreadId::MAIN, WIDE, REGION * SPREAD, SiteId(1));
            }
        }
        step_begins(ThreadId::MAIN, Some(some.epoch(ThreadId::MAIN)));
        Both {
            all,
            some,
            running: ThreadId::MAIN,
            answered: BTreeSet::new(),
            kept_back: 0,
            by_page: 0,
            raced: 0,
        }
    }

    fn step_of(&mut self, random: &mut Random, thread: ThreadId) {
        if thread != self.running || random.one_in(8) {
            step_begins(thread, Some(self.some.epoch(thread)));
            self.running = thread;
        }
    }

    /// A step of which nobody is told, as those that are repeated after a rollback.
    fn unjudged(&mut self, random: &mut Random) {
        step_begins(self.running, None);
        let address = BASE + random.below(REGION - 8);
        let write = random.one_in(2);
        remember(address & !7, 3, write, random.one_in(2));
        nothing_is_noted(true);
        step_begins(self.running, Some(self.some.epoch(self.running)));
    }

    /// Does what a hook does; whether both answer the same.
    fn plain(
        &mut self,
        random: &mut Random,
        op: Op,
        (address, bytes, write): (u64, u64, bool),
    ) -> bool {
        let size = bytes.trailing_zeros();
        let is_hook = bytes.is_power_of_two() && size <= 3 && random.one_in(2);
        let is_repeated = match is_hook {
            _ if bytes == 0 => false,
            true => is_known(address, size, write),
            false => is_range_known(address, bytes, write),
        };
        let is_in_page = is_hook && address & (bytes - 1) == 0;
        let is_by_page = is_in_page && was_page_told(address, write);
        self.by_page += usize::from(is_by_page);
        let is_known = is_repeated || is_by_page || bytes != 0 && was_told(address, bytes, write);
        let expected = apply(&mut self.all, op);
        self.raced += usize::from(expected.is_some());
        self.kept_back += usize::from(is_known);
        let answer = match is_known {
            true => None,
            false => apply(&mut self.some, op),
        };
        if bytes != 0 && !is_repeated {
            match is_hook {
                true if is_in_page && self.some.is_page_whole(address) && random.one_in(2) => {
                    remember_page(address, write);
                }
                true => remember(address, size, write, random.one_in(2)),
                false => remember_range(address, bytes, write),
            }
            if random.one_in(2) {
                nothing_is_noted(random.one_in(2));
            }
        }
        let is_any = expected.is_some() || answer.is_some();
        let is_right = self.is_right(expected, answer);
        if is_any {
            // Of an access that uses freed memory in several places one is said; it is remembered as a whole.
            self.answered
                .extend(address & !7..(address + bytes).next_multiple_of(8));
        }
        is_right
    }

    /// Whether the answers to one call are the same. Where accesses of one step cover each other in part, a race may be
    /// told of again that was told of before, by one detector and not by the other.
    fn is_right(&mut self, expected: Option<Race>, answer: Option<Race>) -> bool {
        if self.some.is_torn() {
            return true;
        }
        let is_new = |race: &&Race| !self.answered.contains(&race.address);
        let is_right = match (&expected, &answer) {
            (Some(race), _) if is_new(&race) => same(&expected, &answer),
            (_, Some(race)) if is_new(&race) => false,
            _ => true,
        };
        // What one detector says of one of these eight bytes may hide another one.
        for race in expected.iter().chain(&answer) {
            let granule = race.address & !7;
            self.answered.extend(granule..granule + 8);
        }
        is_right
    }

    fn op(&mut self, random: &mut Random, op: Op) -> bool {
        self.step_of(random, thread_of(op));
        match op {
            Op::Read { address, bytes, .. } => {
                return self.plain(random, op, (address, bytes, false))
            }
            Op::Write { address, bytes, .. } => {
                return self.plain(random, op, (address, bytes, true))
            }
            _ => {}
        }
        // What the runtime does around what is no plain access.
        let is_of_memory = matches!(op, Op::Allocate { .. } | Op::Free { .. });
        if !is_of_memory {
            orders_change();
        }
        let expected = apply(&mut self.all, op);
        let answer = apply(&mut self.some, op);
        let (from, end) = self.some.take_disturbed();
        forget_range(from, end);
        if !is_of_memory {
            settle(self.some.epoch(self.running));
        }
        self.is_right(expected, answer)
    }
}

/// Whether two answers are the same, up to which of several accesses of one epoch to the same bytes is shown, from where and
/// with which locks it was made.
fn same(one: &Option<Race>, other: &Option<Race>) -> bool {
    let shown = |race: &Option<Race>| {
        race.clone().map(|mut race| {
            race.earlier.site = SiteId::UNKNOWN;
            race.earlier.locks.clear();
            race.bytes = 0;
            race
        })
    };
    shown(one) == shown(other)
}

#[rustfmt::skip]
fn thread_of(op: Op) -> ThreadId {
    match op {
        Op::Read { thread, .. } | Op::Write { thread, .. } | Op::Free { thread, .. }
        | Op::Allocate { thread, .. } | Op::Load { thread, .. } | Op::Store { thread, .. }
        | Op::Rmw { thread, .. } | Op::Use { thread, .. } | Op::LockObject { thread, .. }
        | Op::Fence { thread, .. } | Op::Acquire { thread, .. } | Op::Release { thread, .. }
        | Op::ReleaseStore { thread, .. } | Op::Lock { thread, .. } | Op::Unlock { thread, .. }
        | Op::Edge { thread, .. } | Op::Create { thread, .. } | Op::Finish { thread }
        | Op::Join { thread, .. } | Op::Sleep { thread, .. } => thread,
    }
}

/// Walks at random, up to where a page is torn; how many accesses were kept back, how many by their page, and how many raced.
/// `None`: an answer was wrong.
fn walk(seed: u64, words: Words) -> Option<[usize; 3]> {
    let mut random = Random(seed);
    let mut generator = Generator::new(&mut random);
    let mut both = Both::new(words);
    let mut marks: Vec<(Mark, Mark, Generator, BTreeSet<u64>)> = Vec::new();
    let rounds = 1 + random.below(3);
    for _ in 0..300 {
        match random.below(40) {
            0 => {
                let (all, some) = (both.all.mark(), both.some.mark());
                marks.push((all, some, generator.clone(), both.answered.clone()));
            }
            1 if !marks.is_empty() => {
                let place = random.below(marks.len() as u64) as usize;
                let (all, some, then, answered) = marks[place].clone();
                both.all.rollback(all);
                both.some.rollback(some);
                forget_told();
                both.answered = answered;
                marks.truncate(place + 1);
                generator = then;
            }
            2 => both.unjudged(&mut random),
            3 if words == Words::Pages && random.one_in(3) => {
                let (thread, address, bytes) = (both.running, WIDE, REGION * SPREAD);
                let site = SiteId(2);
                let free = Op::Free {
                    thread,
                    address,
                    bytes,
                    site,
                };
                let allocate = Op::Allocate {
                    thread,
                    address,
                    bytes,
                    site,
                };
                for op in [free, allocate] {
                    if !both.op(&mut random, op) {
                        return None;
                    }
                    if both.some.is_torn() {
                        return Some([both.kept_back, both.by_page, both.raced]);
                    }
                }
                // What raced there was in another block.
                both.answered.retain(|&byte| byte < WIDE);
            }
            _ => {
                let op = match generator.next(&mut random) {
                    op if words == Words::Pages => spread(&mut random, WIDE, SPREAD, op),
                    op => op,
                };
                // Loops access the same again.
                for _ in 0..rounds {
                    let is_plain = matches!(op, Op::Read { .. } | Op::Write { .. });
                    if !both.op(&mut random, op) {
                        return None;
                    }
                    if both.some.is_torn() {
                        return Some([both.kept_back, both.by_page, both.raced]);
                    }
                    if !is_plain {
                        break;
                    }
                }
            }
        }
    }
    Some([both.kept_back, both.by_page, both.raced])
}

#[test]
fn what_is_kept_from_the_detector_changes_no_answer() {
    // By the words: all, limited, for pages.
    let mut sums = [[0; 3]; 3];
    for seed in 0..16_000 {
        let kind = [0, 1, 2, 2, 2, 2][(seed % 6) as usize];
        let words = [Words::All, Words::Limited, Words::Pages][kind];
        let counts = walk(seed, words).unwrap_or_else(|| panic!("seed {seed}"));
        for (sum, count) in sums[kind].iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let many = [[50_000, 0, 5_000], [50_000, 0, 5_000], [10_000, 1_000, 500]];
    let is_many =
        |(sum, many): (&[usize; 3], &[usize; 3])| sum.iter().zip(many).all(|(a, b)| a >= b);
    assert!(sums.iter().zip(&many).all(is_many), "{sums:?}");
}
