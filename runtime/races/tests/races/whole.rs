//! Pages that are judged as one: what is not torn gets the answers of a detector that judges all by the granule, and what is
//! torn is so because two accesses to one page would race if they were to all of it.

use crate::program::{apply, spread, Generator, Op, Random, BASE, REGION};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Mark, Race, Races, PAGE_BYTES};

/// Two blocks, side by side, in which plain accesses of the programs are; the others are where the generator has them.
const WIDE: u64 = 0x10_0000;
const BLOCK: u64 = REGION * PAGE_BYTES / 2;

/// How a page may be torn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cause {
    /// Two accesses race as accesses to the whole page.
    Pages,
    /// A part of it was freed, or it was accessed atomically.
    Other,
}

struct Walk {
    /// Judges all by the granule.
    granules: Races,
    /// Judges pages as one.
    pages: Races,
    /// Is told of accesses to all of the pages that are accessed.
    wide: Races,
    cause: Option<Cause>,
    /// Bytes for each byte of the generator's region: a page, or less, so that threads that keep to bytes of their own meet
    /// in pages.
    spread: u64,
    /// Accesses to pages that were whole.
    of_whole: usize,
    raced: usize,
}

impl Walk {
    fn new(spread: u64, prepare: impl Fn(&mut Races)) -> Self {
        let mut walk = Walk {
            granules: Races::new(Judgement::C11),
            pages: Races::new(Judgement::C11),
            wide: Races::new(Judgement::C11),
            cause: None,
            spread,
            of_whole: 0,
            raced: 0,
        };
        walk.pages.judge_whole_pages_after(0);
        prepare(&mut walk.pages);
        for block in 0..2 {
            walk.allocate(ThreadId::MAIN, block);
        }
        walk
    }

    fn each(&mut self, mut told: impl FnMut(&mut Races)) {
        for races in [&mut self.granules, &mut self.pages, &mut self.wide] {
            told(races);
        }
    }

    fn allocate(&mut self, thread: ThreadId, block: u64) {
        self.each(|races| races.allocate(thread, WIDE + block * BLOCK, BLOCK, SiteId(7)));
    }

    /// Gives a part of the blocks a new owner, as what replaces a stack or a mapping does.
    fn give_away(&mut self, thread: ThreadId, from: u64, bytes: u64) -> bool {
        self.each(|races| races.allocate(thread, from, bytes, SiteId(9)));
        let (low, high) = pages_of(from, bytes);
        if (from, bytes) != (low, high - low) {
            self.cause = Some(Cause::Other);
        }
        self.agree(None, None)
    }

    /// Frees a part of the blocks. Whether the answers agree.
    fn free(&mut self, thread: ThreadId, from: u64, bytes: u64) -> bool {
        let answer = self.granules.free(thread, from, bytes, SiteId(8));
        let judged = self.pages.free(thread, from, bytes, SiteId(8));
        let (low, high) = pages_of(from, bytes);
        let wide = self.wide.free(thread, low, high - low, SiteId(8));
        if wide.is_some() {
            self.cause = self.cause.or(Some(Cause::Pages));
        }
        if (from, bytes) != (low, high - low) {
            self.cause = Some(Cause::Other);
        }
        self.agree(answer, judged)
    }

    /// Whether the two answers are the same, if the second one counts.
    fn agree(&mut self, answer: Option<Race>, judged: Option<Race>) -> bool {
        self.raced += usize::from(answer.is_some());
        match self.pages.is_torn() {
            true => self.cause.is_some(),
            false => answer == judged,
        }
    }

    /// Makes a call of the generator's. Whether the answers agree.
    fn call(&mut self, random: &mut Random, op: Op) -> bool {
        let (wide, whole) = match op {
            Op::Read { .. } | Op::Write { .. } => {
                let narrow = spread(random, WIDE, self.spread, op);
                (narrow, widened(narrow))
            }
            // A lock in a page of a block, or an atomic: nothing but granules knows about these.
            Op::Load { .. } | Op::Use { .. } | Op::LockObject { .. } if random.one_in(60) => {
                self.cause = Some(Cause::Other);
                (moved(op, self.spread), moved(op, self.spread))
            }
            _ => (op, op),
        };
        if let Op::Read { address, .. } | Op::Write { address, .. } = wide {
            self.of_whole += usize::from(self.pages.is_page_whole(address));
        }
        if apply(&mut self.wide, whole).is_some() && wide != op {
            self.cause = self.cause.or(Some(Cause::Pages));
        }
        let answer = apply(&mut self.granules, wide);
        let judged = apply(&mut self.pages, wide);
        self.agree(answer, judged)
    }
}

/// The bounds of the pages that a range meets.
fn pages_of(from: u64, bytes: u64) -> (u64, u64) {
    let low = from / PAGE_BYTES * PAGE_BYTES;
    (low, (from + bytes).next_multiple_of(PAGE_BYTES).max(low))
}

/// The plain access, to all of the pages that it meets.
fn widened(op: Op) -> Op {
    let mut op = op;
    if let Op::Read { address, bytes, .. } | Op::Write { address, bytes, .. } = &mut op {
        let (low, high) = pages_of(*address, *bytes);
        (*address, *bytes) = (low, high - low);
    }
    op
}

/// The load, use or lock, moved into a block.
fn moved(op: Op, spread: u64) -> Op {
    let mut op = op;
    if let Op::Load { address, .. } | Op::Use { address, .. } | Op::LockObject { address, .. } =
        &mut op
    {
        *address = WIDE + (*address - BASE) * spread / 8 * 8;
    }
    op
}

/// What came of a walk.
#[derive(Default, Debug)]
struct Outcome {
    is_wrong: bool,
    of_whole: usize,
    torn: usize,
    raced: usize,
    rollbacks: usize,
}

/// One program at random, up to where a page is torn.
fn walk(seed: u64, prepare: impl Fn(&mut Races)) -> Outcome {
    let mut random = Random(seed);
    let mut generator = Generator::new(&mut random);
    let spread = random.pick(&[PAGE_BYTES, PAGE_BYTES / 2, PAGE_BYTES / 8]);
    let mut walk = Walk::new(spread, prepare);
    let mut marks: Vec<([Mark; 3], Generator, Option<Cause>)> = Vec::new();
    let mut outcome = Outcome::default();
    for _ in 0..400 {
        let is_right = match random.below(60) {
            0 => {
                let mark = [walk.granules.mark(), walk.pages.mark(), walk.wide.mark()];
                marks.push((mark, generator.clone(), walk.cause));
                true
            }
            1 if !marks.is_empty() => {
                let place = random.below(marks.len() as u64) as usize;
                let ([granules, pages, wide], then, cause) = marks[place].clone();
                walk.granules.rollback(granules);
                walk.pages.rollback(pages);
                walk.wide.rollback(wide);
                marks.truncate(place + 1);
                (generator, walk.cause) = (then, cause);
                outcome.rollbacks += 1;
                true
            }
            2 => {
                let (thread, block) = (generator.any_alive(&mut random), random.below(2));
                let whole = (WIDE + block * BLOCK, BLOCK);
                let part = (
                    whole.0 + random.below(BLOCK / 2),
                    1 + random.below(BLOCK / 2),
                );
                let is_unfreed = random.one_in(4);
                let (from, bytes) = match random.one_in(if is_unfreed { 2 } else { 8 }) {
                    true => part,
                    false => whole,
                };
                let is_right = match is_unfreed {
                    true => walk.give_away(thread, from, bytes),
                    false => walk.free(thread, from, bytes),
                };
                if !is_unfreed
                    && !walk.pages.is_torn()
                    && (from, bytes) == whole
                    && !random.one_in(4)
                {
                    walk.allocate(thread, block);
                }
                is_right
            }
            _ => {
                let op = generator.next(&mut random);
                walk.call(&mut random, op)
            }
        };
        outcome.is_wrong |= !is_right;
        if !is_right || walk.pages.is_torn() {
            outcome.torn = usize::from(walk.pages.is_torn());
            break;
        }
    }
    (outcome.of_whole, outcome.raced) = (walk.of_whole, walk.raced);
    outcome
}

#[test]
fn what_is_judged_by_pages_is_what_granules_say() {
    let programs = std::env::var("DPOR_ORACLE_PROGRAMS").ok();
    let programs: Option<u64> = programs.and_then(|programs| programs.parse().ok());
    let programs = programs.unwrap_or(60_000);
    let mut all = Outcome::default();
    for seed in 0..programs {
        let one = walk(seed, |_| {});
        assert!(!one.is_wrong, "seed {seed}");
        all.of_whole += one.of_whole;
        all.torn += one.torn;
        all.raced += one.raced;
        all.rollbacks += one.rollbacks;
    }
    assert!(
        all.of_whole > 40_000 && all.torn > 10_000 && (all.torn as u64) < programs / 30 * 29,
        "{all:?}"
    );
    assert!(all.raced > 1_000 && all.rollbacks > 1_000, "{all:?}");
}
