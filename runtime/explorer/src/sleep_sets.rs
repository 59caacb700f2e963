//! What sleeps along the present path, and what is owed there.
//!
//! A step sleeps at a node if it comes from a branch to the left of the path and nothing on the way
//! conflicts with it. A store that sleeps when another store to its bytes is executed sleeps on
//! *unless it is read*; executed thus, it is *owed* a read (`crate::observers`).
//!
//! Source: sleep sets (Godefroid 1996). Deviation: the order of the tree decides who sleeps, see
//! `crate::tree`.

use crate::conflict::conflict;
use crate::mutation::{Mutation, Seeded};
use crate::plan::Plan;
use crate::quick_check::{QuickCheck, SimpleReversal};
use crate::relation::{below, relate, Below, Relation, Role};
use crate::reversals::Verdict;
use crate::trace::Trace;
use crate::tree::Step;
use dpor_model::ThreadId;
use std::ops::Range;

/// What sleeps at each node of a path: level 0 is the root.
pub(crate) struct SleepSets {
    levels: Vec<Level>,
    /// Steps that sleep somewhere on the path, where they came from.
    sleepers: Vec<Step>,
    /// The sleepers of each level (indices into `sleepers`), then what is to the left of
    /// the path's child. With [`UNLESS_READ`]: a store that sleeps unless it is read.
    asleep: Vec<u32>,
    /// The stores of each level that were executed while they slept unless read, and are not
    /// read yet.
    owed: Vec<u32>,
    mutation: Seeded,
}

#[derive(Clone, Copy)]
struct Level {
    /// The begin of the level's part of `asleep`.
    asleep: u32,
    /// The end of what the level inherited; the rest comes from its own children.
    inherited: u32,
    /// Length of `sleepers` without its own children.
    sleepers: u32,
    /// The level's part of `owed`: begin and end.
    owed: (u32, u32),
}

/// Marks a member of `asleep`.
const UNLESS_READ: u32 = 1 << 31;

impl SleepSets {
    /// A path that is nothing but the root.
    pub fn new(mutation: Seeded) -> Self {
        SleepSets {
            levels: vec![Level {
                asleep: 0,
                inherited: 0,
                sleepers: 0,
                owed: (0, 0),
            }],
            sleepers: Vec::new(),
            asleep: Vec::new(),
            owed: Vec::new(),
            mutation,
        }
    }

    #[inline]
    fn last(&self) -> Level {
        *self.levels.last().expect("the path has a root")
    }

    /// Makes level `depth` the last. What is to the left of its child stays.
    #[inline]
    pub fn truncate(&mut self, depth: usize) {
        if let Some(&below) = self.levels.get(depth + 1) {
            self.asleep.truncate(below.asleep as usize);
            self.sleepers.truncate(below.sleepers as usize);
        }
        self.levels.truncate(depth + 1);
        self.owed.truncate(self.last().owed.1 as usize);
    }

    /// Forgets the children of the last node but the first `n`.
    #[inline]
    pub fn keep_own(&mut self, n: usize) {
        let level = self.last();
        self.asleep.truncate(level.inherited as usize + n);
        self.sleepers.truncate(level.sleepers as usize + n);
    }

    /// A child of the last node is to the left of the path's.
    #[inline]
    pub fn push_own(&mut self, step: Step) {
        self.asleep.push(self.sleepers.len() as u32);
        self.sleepers.push(step);
    }

    /// The children of the node at `depth` that are to the left of the path's, as far as noted.
    pub fn own(&self, depth: usize) -> &[Step] {
        let end = match self.levels.get(depth + 1) {
            Some(below) => below.sleepers as usize,
            None => self.sleepers.len(),
        };
        &self.sleepers[self.levels[depth].sleepers as usize..end]
    }

    /// Number of steps that sleep anywhere.
    #[inline]
    pub fn len(&self) -> usize {
        self.sleepers.len()
    }

    /// What sleeps at the node at `depth`: numbers of steps ([`SleepSets::step`]).
    pub fn inherited(&self, depth: usize) -> impl Iterator<Item = usize> + '_ {
        let level = self.levels[depth];
        let all = &self.asleep[level.asleep as usize..level.inherited as usize];
        all.iter().map(|&s| (s & !UNLESS_READ) as usize)
    }

    /// What sleeps at the last node, and what is to the left of the path's child, by number.
    pub fn here(&self) -> impl Iterator<Item = usize> + '_ {
        let all = &self.asleep[self.last().asleep as usize..];
        all.iter().map(|&s| (s & !UNLESS_READ) as usize)
    }

    /// The depth of the last node.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// A step by its number.
    pub fn step(&self, number: usize) -> &Step {
        &self.sleepers[number]
    }

    /// True if nothing sleeps at the last node.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.last().asleep as usize == self.asleep.len()
    }

    /// True if this step sleeps at the last node.
    pub fn contains(&self, thread: ThreadId, alternative: u32) -> bool {
        self.asleep[self.last().asleep as usize..].iter().any(|&s| {
            let step = &self.sleepers[(s & !UNLESS_READ) as usize];
            step.thread == thread && step.alternative == alternative
        })
    }

    /// Adds a level: `step` was executed at the last node, as event `levels - 1` of the trace.
    #[inline]
    pub fn enter(&mut self, step: &Step, trace: &Trace) {
        let begin = self.last().asleep as usize;
        let end = self.asleep.len();
        for i in begin..end {
            let number = (self.asleep[i] & !UNLESS_READ) as usize;
            let sleeper = &self.sleepers[number];
            if trace.table.looks && self.turns_look(number, step, trace) {
                continue;
            }
            let mark = match below(step, sleeper) {
                Below::Awake
                    if self.mutation.is(Mutation::TurnedSleepOn)
                        && sleeper.thread != step.thread
                        && !conflict(&step.footprint, &sleeper.footprint) =>
                {
                    0
                }
                Below::Awake | Below::Executed => continue,
                Below::UnlessRead if !self.mutation.is(Mutation::ReadStoresSleep) => UNLESS_READ,
                Below::UnlessRead | Below::Asleep => 0,
            };
            self.asleep.push(self.asleep[i] | mark);
        }
        let owed = match trace.table.stores {
            true => self.find_owed(trace, begin..end, step.thread),
            false => (0, 0),
        };
        self.levels.push(Level {
            asleep: end as u32,
            inherited: self.asleep.len() as u32,
            sleepers: self.sleepers.len() as u32,
            owed,
        });
    }

    /// Whether the step, which was just executed, looks at a count that the sleeper drops, and would be told something else
    /// behind that where it sleeps since.
    #[cold]
    fn turns_look(&self, sleeper: usize, step: &Step, trace: &Trace) -> bool {
        if self.mutation.is(Mutation::DropsSleepOn) {
            return false;
        }
        let event = self.levels.len() - 1;
        let since = self
            .levels
            .partition_point(|level| level.sleepers as usize <= sleeper)
            - 1;
        let mut drops = self.sleepers[sleeper].footprint.iter();
        drops.any(|&drop| {
            drop.class.is_drop()
                && step.footprint.iter().any(|a| a.is_look_of(drop))
                && trace.turns_look(drop, event, |k| k < since, |_| true)
        })
    }

    /// What is owed a read after a step of `thread`, which was just executed while `asleep` slept.
    fn find_owed(&mut self, trace: &Trace, asleep: Range<usize>, thread: ThreadId) -> (u32, u32) {
        let begin = self.owed.len();
        let executed = self.levels.len() - 1;
        let level = self.last().owed;
        for i in level.0..level.1 {
            if !trace.is_observed(self.owed[i as usize] as usize, executed) {
                self.owed.push(self.owed[i as usize]);
            }
        }
        let slept = self.asleep[asleep].iter().any(|&s| {
            s & UNLESS_READ != 0 && self.sleepers[(s & !UNLESS_READ) as usize].thread == thread
        });
        if slept
            && !trace.is_observed(executed, executed)
            && !self.mutation.is(Mutation::NothingOwed)
        {
            self.owed.push(executed as u32);
        }
        (begin as u32, self.owed.len() as u32)
    }

    /// True if the execution contains a store that was to be read and was not.
    pub fn owes(&self) -> bool {
        let (begin, end) = self.last().owed;
        begin < end
    }

    /// What is known of a reversal because of what sleeps, and of the branches to the left (unless `own` is
    /// false): nothing that it is new with is [`Verdict::Open`] for.
    #[inline]
    pub fn quick_check(&self, reversal: &SimpleReversal<'_>, own: bool) -> QuickCheck<Verdict> {
        let mut known = QuickCheck::New(Verdict::Final);
        for &sleeper in &self.asleep[self.range(reversal.first, own)] {
            let step = &self.sleepers[(sleeper & !UNLESS_READ) as usize];
            match relate(step, reversal, Role::Sleeper) {
                Relation::Conflicts { .. } => {}
                Relation::Commutes => return QuickCheck::Covered(Verdict::Open),
                Relation::Begins { settled, .. } => {
                    return QuickCheck::Covered(Verdict::settled(settled));
                }
                Relation::Unknown => known = QuickCheck::Unknown,
            }
        }
        known
    }

    /// What sleeps at the node at `first`, and perhaps the branches to the left: in `asleep`.
    #[inline]
    fn range(&self, first: usize, own: bool) -> Range<usize> {
        let level = self.levels[first];
        let end = match own {
            true => self.levels[first + 1].asleep,
            false => level.inherited,
        };
        level.asleep as usize..end as usize
    }

    /// What covers a plan before event `first`, if something does: what sleeps there, the branches
    /// to the left (unless `own` is false), or that it leaves unread what is owed a read.
    #[inline]
    pub fn covers(&self, first: usize, plan: &Plan<'_>, own: bool) -> Option<Verdict> {
        let level = self.levels[first];
        let owed = &self.owed[level.owed.0 as usize..level.owed.1 as usize];
        if owed.iter().any(|&store| !plan.reads(store as usize)) {
            return Some(Verdict::Open);
        }
        for &sleeper in &self.asleep[self.range(first, own)] {
            let step = &self.sleepers[(sleeper & !UNLESS_READ) as usize];
            let role = match sleeper & UNLESS_READ {
                0 => Role::Sleeper,
                _ => Role::UnlessRead,
            };
            match relate(step, plan, role) {
                Relation::Conflicts { .. } => {}
                Relation::Begins { settled, .. } => return Some(Verdict::settled(settled)),
                Relation::Commutes => return Some(Verdict::Open),
                Relation::Unknown => unreachable!("the plan is made"),
            }
        }
        None
    }
}
