//! Going back in time against starting again: after any sequence of calls, marks and rollbacks, each
//! answer is the one that the calls still in force give from scratch.

use crate::program::{apply, Generator, Op, Random, BASE, REGION};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Mark, Race, Races};

/// One answer, and what else can be asked.
#[derive(PartialEq, Debug, Clone)]
struct Answer {
    race: Option<Race>,
    times: Vec<u64>,
}

fn ask(races: &mut Races, op: Op) -> Answer {
    let race = apply(races, op);
    Answer {
        race,
        times: (0..6).map(|thread| races.time(ThreadId(thread))).collect(),
    }
}

/// All there is to see without a further call.
fn view(races: &Races) -> Vec<(bool, Option<dpor_races::Block>)> {
    let bytes = BASE..BASE + REGION;
    bytes
        .map(|byte| (races.cell_has_atomics(byte), races.block_of(byte)))
        .collect()
}

/// The calls in force, as a stack, with marks in it.
struct Walk {
    races: Races,
    generator: Generator,
    done: Vec<(Op, Answer)>,
    marks: Vec<(Mark, usize, Generator)>,
    rollbacks: usize,
}

impl Walk {
    /// The answers in force, and what can be seen, are those of a fresh start.
    fn is_as_from_scratch(&self) -> bool {
        let mut fresh = Races::new(Judgement::C11);
        let same = self
            .done
            .iter()
            .all(|(op, answer)| ask(&mut fresh, *op) == *answer);
        same && view(&fresh) == view(&self.races)
    }

    fn step(&mut self, random: &mut Random) -> bool {
        match random.below(20) {
            0 | 1 => {
                let mark = self.races.mark();
                self.marks
                    .push((mark, self.done.len(), self.generator.clone()));
            }
            2 | 3 if !self.marks.is_empty() => {
                if !self.is_as_from_scratch() {
                    return false;
                }
                let place = random.below(self.marks.len() as u64) as usize;
                let (mark, length, generator) = self.marks[place].clone();
                self.races.rollback(mark);
                self.marks.truncate(place + 1);
                self.done.truncate(length);
                self.generator = generator;
                self.rollbacks += 1;
            }
            4 if !self.marks.is_empty() => {
                let place = random.below(self.marks.len() as u64) as usize;
                self.races.release_mark(self.marks[place].0);
                self.marks.truncate(place);
            }
            _ => {
                let op = self.generator.next(random);
                let answer = ask(&mut self.races, op);
                self.done.push((op, answer));
            }
        }
        true
    }
}

/// Walks at random; whether all answers were right, and how many rollbacks there were.
fn walk(seed: u64, prepare: impl Fn(&mut Races)) -> (bool, usize) {
    let mut random = Random(seed);
    let generator = Generator::new(&mut random);
    let mut races = Races::new(Judgement::C11);
    prepare(&mut races);
    let mut walk = Walk {
        races,
        generator,
        done: Vec::new(),
        marks: Vec::new(),
        rollbacks: 0,
    };
    for _ in 0..250 {
        if !walk.step(&mut random) {
            return (false, walk.rollbacks);
        }
    }
    (walk.is_as_from_scratch(), walk.rollbacks)
}

#[test]
fn rolled_back_is_as_never_done() {
    let mut rollbacks = 0;
    for seed in 0..1_500 {
        let (right, count) = walk(seed, |_| {});
        assert!(right, "seed {seed}");
        rollbacks += count;
    }
    assert!(rollbacks > 10_000, "{rollbacks}");
}

/// The mutation: a checkpoint that does not bring the shadow back. The walk must notice, and often.
#[test]
fn a_shadow_that_is_cleared_instead_is_noticed() {
    let seeds = 0..200;
    let wrong = seeds
        .filter(|&seed| !walk(seed, Races::forget_shadow_on_rollback).0)
        .count();
    assert!(wrong > 100, "{wrong} of 200");
}

/// One execution after another from the root: memory does not grow, answers do not change.
#[test]
fn executions_from_the_root_are_all_the_same() {
    let mut races = Races::new(Judgement::C11);
    races.write(ThreadId::MAIN, 0x1000, 8, SiteId(1));
    let root = races.mark();
    let mut first = None;
    for _ in 0..1_000 {
        let mut random = Random(7);
        let mut generator = Generator::new(&mut random);
        let answers: Vec<_> = (0..60)
            .map(|_| apply(&mut races, generator.next(&mut random)))
            .collect();
        let first = first.get_or_insert_with(|| answers.clone());
        assert_eq!(*first, answers);
        races.rollback(root);
    }
    assert!(first.is_some_and(|answers| answers.iter().any(Option::is_some)));
}
