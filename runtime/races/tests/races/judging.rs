//! Executions that share their beginnings, repeated from checkpoints as a search does, against each
//! execution judged from scratch: what is new in an execution gets the same answers, although the detector
//! is told of little of what is repeated.
//!
//! An event is one call and up to two more behind it, the passive steps. Those before the first event are
//! repeated with a restore of the root only.

use crate::program::{apply, Generator, Op, Random};
use dpor_races::{Judgement, Judging, Race, Races};
use std::panic::catch_unwind;

/// The calls of one event, with the answers that each got when it was new.
type Event = Vec<(Op, Option<Race>)>;

struct Search {
    races: Races,
    judging: Judging,
    random: Random,
    /// What comes before the first event.
    start: Event,
    path: Vec<(Event, Generator)>,
    begin: Generator,
    generator: Generator,
    /// Events after which there is a checkpoint.
    checkpoints: Vec<usize>,
    /// Repeated events that were not judged.
    spared: usize,
    /// Repeated events that were, on the way from a mark to the branch.
    rejudged: usize,
    /// Checkpoints that could not be.
    refused: usize,
}

impl Search {
    fn new(seed: u64) -> Search {
        let mut random = Random(seed);
        let generator = Generator::new(&mut random);
        let mut races = Races::new(Judgement::C11);
        let mut judging = Judging::new(true);
        judging.root_is_here(&mut races);
        let mut search = Search {
            races,
            judging,
            random,
            start: Event::new(),
            path: Vec::new(),
            begin: generator.clone(),
            generator,
            checkpoints: Vec::new(),
            spared: 0,
            rejudged: 0,
            refused: 0,
        };
        search.start = search.calls();
        search.begin = search.generator.clone();
        search
    }

    /// Makes one to three new calls.
    fn calls(&mut self) -> Event {
        let count = 1 + self.random.below(3);
        let call = |_| {
            let op = self.generator.next(&mut self.random);
            assert!(self.judging.is_on(), "what is new is judged");
            (op, apply(&mut self.races, op))
        };
        (0..count).map(call).collect()
    }

    fn repeat(&mut self, event: usize) {
        self.judging.stand(&mut self.races, event);
        let (calls, _) = &self.path[event];
        tell(&mut self.races, &self.judging, calls);
        self.spared += usize::from(!self.judging.is_on());
        self.rejudged += usize::from(self.judging.is_on());
    }

    /// One execution: back to a branch by way of a checkpoint, and on.
    fn execution(&mut self) {
        let branch = self.random.below(self.path.len() as u64 + 1) as usize;
        self.checkpoints.retain(|&depth| depth <= branch);
        let from = self.checkpoints.iter().max().copied().unwrap_or(0);
        self.judging.will_repeat(branch - from);
        self.judging.restore(&mut self.races, from, from == 0);
        if from == 0 {
            tell(&mut self.races, &self.judging, &self.start);
        }
        for event in from..branch {
            self.repeat(event);
            if self.random.below(6) == 0 {
                self.judging.stand(&mut self.races, event + 1);
                if self.judging.pin(event + 1) {
                    self.checkpoints.push(event + 1);
                } else {
                    self.refused += 1;
                }
            }
        }
        self.judging.repeated();
        self.path.truncate(branch);
        self.generator = match self.path.last() {
            Some((_, generator)) => generator.clone(),
            None => self.begin.clone(),
        };
        for _ in 0..self.random.below(8) {
            self.judging.stand(&mut self.races, self.path.len());
            let calls = self.calls();
            self.path.push((calls, self.generator.clone()));
        }
    }

    /// Every answer is the one that the execution gets from scratch.
    fn is_right(&self) -> bool {
        let mut fresh = Races::new(Judgement::C11);
        let events = self.path.iter().map(|(event, _)| event);
        let mut calls = std::iter::once(&self.start).chain(events).flatten();
        calls.all(|(op, answer)| apply(&mut fresh, *op) == *answer)
    }
}

fn tell(races: &mut Races, judging: &Judging, calls: &Event) {
    if judging.is_on() {
        for (op, _) in calls {
            apply(races, *op);
        }
    }
}

/// So many executions; the search, if all were right.
fn run(seed: u64, asks: bool, between: impl FnMut(&mut Search)) -> Option<Search> {
    run_within(seed, asks, usize::MAX, between)
}

/// Runs the search of [`run`] with room for so many changes of shadow memory.
fn run_within(
    seed: u64,
    asks: bool,
    changes: usize,
    mut between: impl FnMut(&mut Search),
) -> Option<Search> {
    let mut search = Search::new(seed);
    search.judging.set_logged_max(changes);
    for n in 0..40 {
        if asks && n == 20 {
            search.judging.ask();
        }
        search.execution();
        if !search.is_right() {
            return None;
        }
        between(&mut search);
    }
    Some(search)
}

#[test]
fn what_is_new_is_judged_as_from_scratch() {
    let (mut spared, mut races) = (0, 0);
    for seed in 0..600 {
        let search = run(seed, seed % 3 == 0, |_| {});
        let search = search.unwrap_or_else(|| panic!("seed {seed}"));
        spared += search.spared;
        let answers = search.path.iter().flat_map(|(event, _)| event);
        races += answers.filter(|(_, race)| race.is_some()).count();
    }
    assert!(spared > 10_000 && races > 500, "{spared} {races}");
}

/// Judges the same searches with so little room that marks are given up all the time, some of those under checkpoints
/// among their neighbours.
#[test]
fn and_so_it_is_where_marks_are_given_up() {
    let (mut spared, mut rejudged, mut refused) = (0, 0, 0);
    for seed in 0..1_500 {
        let changes = [0, 5, 20, 60][seed as usize % 4];
        let asks = seed % 3 == 0;
        let search = run_within(seed, asks, changes, |_| {});
        let search = search.unwrap_or_else(|| panic!("seed {seed}"));
        if !asks {
            spared += search.spared;
            rejudged += search.rejudged;
            refused += search.refused;
        }
    }
    let counts = format!("{spared} {rejudged} {refused}");
    assert!(
        spared > 10_000 && rejudged > 1_000 && refused > 1_000,
        "{counts}"
    );
}

#[test]
fn who_asked_has_everything_judged() {
    let mut search = run(1, true, |_| {}).expect("right");
    let spared = search.spared;
    for _ in 0..20 {
        search.execution();
    }
    assert!(search.is_right());
    assert_eq!(search.spared, spared);
}

/// Without a detector nothing is told and nothing marked.
#[test]
fn nothing_is_judged_if_nobody_wants_it() {
    let mut races = Races::new(Judgement::C11);
    let mut judging = Judging::new(false);
    judging.root_is_here(&mut races);
    judging.stand(&mut races, 0);
    judging.will_repeat(3);
    judging.restore(&mut races, 0, true);
    judging.repeated();
    assert!(!judging.is_on());
}

/// The mutation: the repetition ends one event later than was said. The test must notice, and often.
#[test]
fn a_wrong_number_of_events_is_noticed() {
    let wrong = (0..100).filter(|&seed| {
        let skip_one = |search: &mut Search| {
            // The detector goes back one event too far.
            if let Some(last) = search.path.len().checked_sub(2) {
                search.judging.will_repeat(last);
                search.judging.restore(&mut search.races, 0, true);
                search.judging.repeated();
                search.path.truncate(last + 1);
                search.generator = search.path[last].1.clone();
                search.judging.stand(&mut search.races, last);
                let calls = search.calls();
                search.path.push((calls, search.generator.clone()));
            }
        };
        // Or the detector itself finds that it is told what cannot be.
        catch_unwind(|| run(seed, false, skip_one).is_none()).unwrap_or(true)
    });
    let wrong = wrong.count();
    assert!(wrong > 50, "{wrong} of 100");
}
