//! The optimal search: one execution of each Mazurkiewicz trace.
//!
//! An execution follows the tree to a planned step, then its plan, then the default scheduler. At
//! its end every race is reversed: the events that do not depend on the removed ones, and then the
//! second event, become a plan before the first removed one, unless something that sleeps there or
//! an earlier branch already covers it. A choice (the number of a `Choose`, the waiter of a
//! signal) races with its own alternatives.
//!
//! All races of an execution are analysed, not only those with a new second event: plans contain
//! events *after* the race, so that the verdict "covered" can change with the end of the execution
//! alone. A verdict that cannot, because it was reached on events before the second one, is final
//! as long as these events stay, and the race is forgotten ([`Verdict::Final`]).
//!
//! Source: Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas; J. ACM 2017), sleep sets by Godefroid.
//! Deviations: see `crate::tree` and `crate::race`.

use crate::config::{Mutation, Order};
use crate::conflict::{conflict, Access};
use crate::object::{alternatives, effect, gate_object, Alternatives};
use crate::observer::{is_still_race, plain_reads, same_store, stales};
use crate::operation::OperationIndex;
use crate::plan::{Match, Plan, ReadStores};
use crate::positions::Positions;
use crate::program::{ThreadId, TIMEOUT};
use crate::race::{blocked_footprint, is_removed, Query, Removed};
use crate::spill::{Spill, Spilling};
use crate::state::After;
use crate::trace::Trace;
use crate::tree::{NodeId, Step, Tree};
use std::ops::Range;

/// The state of an optimal search between and during executions.
pub(crate) struct Optimal {
    tree: Tree,
    /// `path[d]`: the tree node after `d` events.
    path: Vec<NodeId>,
    levels: Vec<Level>,
    /// Depths at which the path's node has a sibling to the right.
    open: Positions,
    /// Steps that sleep somewhere on the path, where they came from.
    sleepers: Vec<Step>,
    /// For each level, what sleeps there (indices into `sleepers`), then what is to the left of
    /// the path's child. With [`UNLESS_READ`]: a store that sleeps unless it is read.
    asleep: Vec<u32>,
    /// For each level, the stores that were executed while they slept unless read, and are not
    /// read yet.
    owed: Vec<u32>,
    pub reversals: Reversals,
    /// Nodes still to be followed, the next one last.
    planned: Vec<NodeId>,
    order: Order,
    mutation: Mutation,
    random: u64,
    pub nodes_max: usize,
}

/// The races of the present execution, and how they become plans. What happens to a plan is the
/// tree's business ([`Insert`]).
#[derive(Default)]
pub(crate) struct Reversals {
    /// Races that are not settled, in order of their second events.
    races: Vec<Race>,
    pub mutation: Mutation,
    /// Scratch: the events of a plan, and those left of it.
    events: Positions,
    /// See `events`.
    rest: Positions,
    /// Races reversed so far.
    pub count: u64,
}

/// A tree of plans.
pub(crate) trait Insert {
    /// Inserts a plan before event `first` of the execution, unless it is covered.
    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict;
}

#[derive(Clone, Copy)]
struct Level {
    /// Begin of its part of `asleep`.
    asleep: u32,
    /// End of what it inherited; the rest comes from its own children.
    inherited: u32,
    /// Length of `sleepers` without its own children.
    sleepers: u32,
    /// Its part of `owed`.
    owed: (u32, u32),
}

/// Marks a member of `asleep`.
const UNLESS_READ: u32 = 1 << 31;

struct Race {
    second: u32,
    what: What,
}

enum What {
    /// The second event before the removed ones.
    Reverse(Removed),
    /// The same event with another alternative.
    Choose(u32),
    /// Instead of the second event, with which a thread gives up waiting, that of another thread.
    TimeOut(ThreadId, OperationIndex),
    /// An operation that was blocked when a thread gave up, the second event, before the removed
    /// ones.
    Blocked(ThreadId, OperationIndex, Removed),
}

/// What became of a reversal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Covered or planned, and will be as long as the events up to the second one stay.
    Final,
    /// Covered or planned in this execution.
    Open,
}

impl Optimal {
    pub fn new(order: Order, mutation: Mutation) -> Self {
        let random = match order {
            Order::Leftmost => 0,
            Order::Random(seed) => seed,
        };
        Optimal {
            tree: Tree::new(),
            path: vec![NodeId::ROOT],
            open: Positions::default(),
            levels: vec![Level {
                asleep: 0,
                inherited: 0,
                sleepers: 0,
                owed: (0, 0),
            }],
            sleepers: Vec::new(),
            asleep: Vec::new(),
            owed: Vec::new(),
            reversals: Reversals::new(mutation),
            planned: Vec::new(),
            order,
            mutation,
            random,
            nodes_max: 1,
        }
    }

    /// The depth from which the next execution is new, if there is one.
    pub fn advance(&mut self) -> Option<usize> {
        let depth = match self.order {
            Order::Leftmost => self.advance_leftmost()?,
            Order::Random(_) => self.advance_random()?,
        };
        self.path.truncate(depth + 1);
        self.levels.truncate(depth + 1);
        self.open.truncate(depth);
        self.owed.truncate(self.levels[depth].owed.1 as usize);
        self.reversals.truncate(depth);
        Some(depth)
    }

    /// True if [`Optimal::advance`] will find something.
    pub fn has_more(&self) -> bool {
        match self.order {
            Order::Leftmost => self.open.last().is_some(),
            Order::Random(_) => !self.tree.open().is_empty(),
        }
    }

    /// The deepest node of the path with a child to the right of the path's. All to the left is
    /// finished and can never be asked for anything but its steps, so it is freed.
    fn advance_leftmost(&mut self) -> Option<usize> {
        let depth = self.open.last()?;
        debug_assert_ne!(self.tree.next(self.path[depth + 1]), NodeId::NONE);
        self.tree.free_chain(&self.path[depth + 1..]);
        let end = self.levels[depth + 1];
        self.asleep.truncate(end.asleep as usize);
        self.truncate_sleepers(depth + 1);
        let finished = self.tree.remove_first(self.path[depth]);
        self.asleep.push(self.sleepers.len() as u32);
        self.sleepers.push(finished);
        let next = self.tree.first_child(self.path[depth]);
        self.planned.push(next);
        Some(depth)
    }

    /// Keeps the sleepers that come from levels above `depth`.
    fn truncate_sleepers(&mut self, depth: usize) {
        self.sleepers.truncate(self.levels[depth].sleepers as usize);
    }

    /// Any planned node whose parent was executed.
    fn advance_random(&mut self) -> Option<usize> {
        let open = self.tree.open();
        if open.is_empty() {
            return None;
        }
        let mut node = open[self.roll(open.len())];
        while !self.path.contains(&node) {
            self.planned.push(node);
            node = self.tree.get(node).parent;
        }
        let depth = self
            .path
            .iter()
            .position(|&n| n == node)
            .expect("the root is on the path");
        let level = self.levels[depth];
        self.asleep.truncate(level.inherited as usize);
        self.truncate_sleepers(depth);
        Some(depth)
    }

    fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    /// The planned child to go to next. `None`: nothing is planned here.
    pub fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let here = self.here();
        let first = self.tree.first_child(here).some()?;
        if self.order == Order::Leftmost {
            return Some(first);
        }
        let children: Vec<NodeId> = self.tree.children(here).collect();
        Some(children[self.roll(children.len())])
    }

    pub fn step(&self, node: NodeId) -> &Step {
        self.tree.step(node)
    }

    fn here(&self) -> NodeId {
        *self.path.last().expect("the path has a root")
    }

    fn asleep_here(&self) -> &[u32] {
        let level = self.levels.last().expect("the path has a root");
        &self.asleep[level.asleep as usize..]
    }

    fn sleeps(&self, thread: ThreadId, alternative: u32) -> bool {
        self.asleep_here().iter().any(|&s| {
            let step = &self.sleepers[(s & !UNLESS_READ) as usize];
            step.thread == thread && step.alternative == alternative
        })
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    pub fn choose(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        if self.order == Order::Leftmost && self.asleep_here().is_empty() {
            let (thread, alternatives) = { threads }.next()?;
            return Some((thread, alternatives.first()));
        }
        let mut awake = Vec::new();
        for (thread, alternatives) in threads {
            awake.extend(alternatives.iter().map(|a| (thread, a)));
        }
        awake.retain(|&(thread, a)| !self.sleeps(thread, a));
        match self.order {
            _ if awake.is_empty() => None,
            Order::Leftmost => Some(awake[0]),
            Order::Random(_) => Some(awake[self.roll(awake.len())]),
        }
    }

    /// Adds a child here that was not planned.
    pub fn add_free(&mut self, step: Step) -> NodeId {
        self.tree.append(self.here(), step)
    }

    /// Goes to child `node`, whose step was just executed with its predicted footprint.
    pub fn enter(&mut self, node: NodeId, trace: &Trace) {
        let here = self.here();
        let mut before = self.tree.first_child(here);
        while before != node {
            self.asleep.push(self.sleepers.len() as u32);
            self.sleepers.push(self.tree.step(before).clone());
            before = self.tree.next(before);
        }
        let begin = self.levels.last().expect("the path has a root").asleep as usize;
        let end = self.asleep.len();
        let step = self.tree.step(node);
        for i in begin..end {
            let sleeper = &self.sleepers[(self.asleep[i] & !UNLESS_READ) as usize];
            if sleeper.thread != step.thread && !conflict(&sleeper.footprint, &step.footprint) {
                let wrong = self.mutation == Mutation::ReadStoresSleep;
                let stores = !wrong && same_store(&sleeper.footprint, &step.footprint);
                let mark = if stores { UNLESS_READ } else { 0 };
                self.asleep.push(self.asleep[i] | mark);
            }
        }
        let owed = match trace.table.stores {
            true => self.find_owed(trace, begin..end, node),
            false => (0, 0),
        };
        self.levels.push(Level {
            asleep: end as u32,
            inherited: self.asleep.len() as u32,
            sleepers: self.sleepers.len() as u32,
            owed,
        });
        let depth = self.path.len() - 1;
        self.open.set(depth, self.tree.next(node) != NodeId::NONE);
        self.path.push(node);
        self.tree.start(node);
    }

    /// What is owed a read below `node`, which was just executed while `asleep` slept.
    fn find_owed(&mut self, trace: &Trace, asleep: Range<usize>, node: NodeId) -> (u32, u32) {
        let begin = self.owed.len();
        let executed = self.path.len() - 1;
        let level = self.levels.last().expect("the path has a root").owed;
        for i in level.0..level.1 {
            if !trace.is_observed(self.owed[i as usize] as usize) {
                self.owed.push(self.owed[i as usize]);
            }
        }
        let thread = self.tree.step(node).thread;
        let slept = self.asleep[asleep].iter().any(|&s| {
            s & UNLESS_READ != 0 && self.sleepers[(s & !UNLESS_READ) as usize].thread == thread
        });
        if slept && !trace.is_observed(executed) && self.mutation != Mutation::NothingOwed {
            self.owed.push(executed as u32);
        }
        (begin as u32, self.owed.len() as u32)
    }

    /// True if the execution contains a store that was to be read and was not.
    pub fn owes(&self) -> bool {
        let (begin, end) = self.levels.last().expect("the path has a root").owed;
        begin < end
    }

    /// Called when an execution was analysed.
    pub fn note_size(&mut self) {
        self.nodes_max = self.nodes_max.max(self.tree.len());
        self.tree.keep_within_limit();
    }

    /// Forgets everything but where to spill.
    pub fn begin_anew(&mut self) {
        let spilling = self.tree.clear_store();
        *self = Optimal::new(self.order, self.mutation);
        self.tree.spilling = spilling;
    }

    /// Keeps the tree within so many bytes.
    pub fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        self.tree.spilling = Some(Spilling::new(store, bytes));
    }

    /// Nodes written out so far.
    pub fn spilled(&self) -> u64 {
        self.tree.spilling.as_ref().map_or(0, |s| s.written)
    }
}

impl Reversals {
    pub fn new(mutation: Mutation) -> Self {
        Reversals {
            mutation,
            ..Reversals::default()
        }
    }

    /// Forgets the races of the events from `depth` on.
    pub fn truncate(&mut self, depth: usize) {
        let kept = self
            .races
            .partition_point(|race| (race.second as usize) < depth);
        self.races.truncate(kept);
    }

    /// Notes the races of the operation that is about to be appended to `trace`; its base is known.
    pub fn note_races(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        footprint: &[Access],
    ) {
        let query = Query {
            trace,
            base: trace.base(),
            end: trace.len(),
            thread,
            operation,
            footprint,
            mutation: self.mutation,
        };
        let second = trace.len() as u32;
        query.races(|removed| {
            self.races.push(Race {
                second,
                what: What::Reverse(removed),
            });
        });
    }

    /// Notes that the event about to be appended could have had other alternatives.
    pub fn note_choice(&mut self, trace: &Trace, alternatives: Alternatives, taken: u32) {
        if self.mutation == Mutation::AlternativesAtFreeNodes {
            return;
        }
        let second = trace.len() as u32;
        for other in alternatives.iter().filter(|&a| a != taken) {
            self.races.push(Race {
                second,
                what: What::Choose(other),
            });
        }
    }

    /// Notes that the event about to be appended, with which a thread gives up waiting, could be that
    /// of `thread`.
    pub fn note_other_timeout(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
    ) {
        self.races.push(Race {
            second: trace.len() as u32,
            what: What::TimeOut(thread, operation),
        });
    }

    /// Notes the races of an operation that is blocked while a thread gives up waiting. Its base has
    /// been computed.
    pub fn note_blocked(&mut self, trace: &Trace, thread: ThreadId, operation: OperationIndex) {
        let second = trace.len() as u32;
        let races = &mut self.races;
        if self.mutation == Mutation::BlockedForgotten {
            return;
        }
        with_blocked(trace, thread, operation, self.mutation, |query| {
            query.races(|removed| {
                races.push(Race {
                    second,
                    what: What::Blocked(thread, operation, removed),
                });
            });
        });
    }

    /// Reverses every race of the execution that just ended. `new_from`: its first new event.
    pub fn analyse(&mut self, trace: &Trace, new_from: usize, tree: &mut impl Insert) {
        let mut races = std::mem::take(&mut self.races);
        let stores = trace.table.stores;
        races.retain(|race| {
            let incremental = self.mutation == Mutation::IncrementalAnalysis;
            if incremental && (race.second as usize) < new_from {
                return true;
            }
            let j = race.second as usize;
            if let (true, What::Reverse(removed)) = (stores, &race.what) {
                if stales(trace, j) || !is_still_race(trace, removed, j) {
                    return true;
                }
            }
            self.count += 1;
            let verdict = match &race.what {
                What::Reverse(removed) => {
                    let thread = trace.event(j).thread;
                    let operation = trace.event(j).operation;
                    self.reverse(trace, removed, thread, operation, Some(j), tree)
                }
                What::Choose(alternative) => {
                    let event = trace.event(j);
                    let step = (event.thread, event.operation, *alternative);
                    self.choose_other(trace, j, step, tree)
                }
                What::TimeOut(thread, operation) => {
                    self.choose_other(trace, j, (*thread, *operation, TIMEOUT), tree)
                }
                What::Blocked(thread, operation, removed) => {
                    self.reverse(trace, removed, *thread, *operation, None, tree)
                }
            };
            // Observations by later events can change any verdict; before the first store was met
            // there was nothing to observe.
            stores || verdict == Verdict::Open
        });
        self.races = races;
        if stores {
            self.reverse_stale(trace, tree);
            self.reverse_observed(trace, tree);
        }
    }

    /// Reverses the races of an operation that never ran. Its base has been computed.
    pub fn analyse_blocked(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        tree: &mut impl Insert,
    ) {
        with_blocked(trace, thread, operation, self.mutation, |query| {
            self.reverse_all(query, None, tree);
        });
    }

    /// Reverses the races of an operation. `second`: where it was executed.
    pub(crate) fn reverse_all(
        &mut self,
        query: &Query<'_>,
        second: Option<usize>,
        tree: &mut impl Insert,
    ) {
        let mut found = Vec::new();
        query.races(|removed| found.push(removed));
        for removed in found {
            self.count += 1;
            let (thread, operation) = (query.thread, query.operation);
            self.reverse(query.trace, &removed, thread, operation, second, tree);
        }
    }

    /// Reverses the last event, which ended the process, with an operation that was enabled then.
    pub fn analyse_forestalled(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        succeeds: bool,
        tree: &mut impl Insert,
    ) {
        let last = trace.len() - 1;
        let interned = trace.table.get(operation);
        let view = After(trace, |k| k < last);
        self.count += 1;
        for alternative in alternatives(interned, thread, succeeds, &view).iter() {
            let footprint = effect(interned, thread, alternative, succeeds, &view).footprint;
            let step = Step {
                thread,
                alternative,
                footprint,
            };
            self.events.fill(0, 0, |_| false);
            let mut plan = Plan {
                trace,
                first: last,
                second: last,
                events: &mut self.events,
                moved: Some(&step),
                kind: Some(interned.operation.kind),
                original: &[],
                read: ReadStores::new(),
                unread: None,
            };
            tree.insert(last, &mut plan);
        }
    }

    /// Plans another step instead of event `j`: its other alternative, or that of another thread.
    fn choose_other(
        &mut self,
        trace: &Trace,
        j: usize,
        (thread, operation, alternative): (ThreadId, OperationIndex, u32),
        tree: &mut impl Insert,
    ) -> Verdict {
        let interned = trace.table.get(operation);
        let view = After(trace, |k| k < j);
        // What has a choice found what it expected.
        let footprint = effect(interned, thread, alternative, true, &view).footprint;
        let moved = Step {
            thread,
            alternative,
            footprint,
        };
        self.events
            .fill(j + 1, trace.len(), |k| !trace.happens_before(j, k));
        let mut plan = Plan {
            trace,
            first: j,
            second: j,
            events: &mut self.events,
            moved: Some(&moved),
            kind: Some(interned.operation.kind),
            original: trace.footprint(j),
            read: plain_reads(trace, |k| k < j || !trace.happens_before(j, k), |_| true),
            unread: None,
        };
        tree.insert(j, &mut plan)
    }

    /// Plans the operation of `thread` before the removed events. `second`: where it was executed.
    fn reverse(
        &mut self,
        trace: &Trace,
        removed: &Removed,
        thread: ThreadId,
        operation: OperationIndex,
        second: Option<usize>,
        tree: &mut impl Insert,
    ) -> Verdict {
        let first = removed[0] as usize;
        let second_or_end = second.unwrap_or(trace.len());
        match removed[..] {
            [_] => {
                self.events.fill_with(first + 1, trace.not_after(first));
                if second.is_some() {
                    self.events.leave_out(second_or_end);
                }
            }
            _ => {
                let stays = |k| k != second_or_end && !is_removed(trace, removed, k);
                self.events.fill(first + 1, trace.len(), stays);
            }
        }
        let events = std::mem::take(&mut self.events);
        let original = second.map_or(&[][..], |j| trace.footprint(j));

        let interned = trace.table.get(operation);
        let view = After(trace, |k| k < first || events.contains(k));
        let succeeds = match second {
            Some(j) if self.mutation == Mutation::WaitsFindTheSame => trace.footprint(j).len() > 1,
            _ => self.predict(trace, operation, &view.1),
        };
        let mut verdict = Verdict::Final;
        let choices = alternatives(interned, thread, succeeds, &view);
        for alternative in choices.iter() {
            let footprint = match second {
                Some(j) if self.mutation == Mutation::StaleOutcome => trace.footprint(j).into(),
                _ => effect(interned, thread, alternative, succeeds, &view).footprint,
            };
            // Alternatives may differ in their objects: one of them need not conflict.
            if !conflict(trace.footprint(first), &footprint) {
                continue;
            }
            let moved = Step {
                thread,
                alternative,
                footprint,
            };
            self.rest.copy_from(&events);
            let mut plan = Plan {
                trace,
                first,
                second: second_or_end,
                events: &mut self.rest,
                moved: Some(&moved),
                kind: Some(interned.operation.kind),
                original,
                read: plain_reads(trace, |k| k < first || events.contains(k), |_| true),
                unread: None,
            };
            if tree.insert(first, &mut plan) == Verdict::Open {
                verdict = Verdict::Open;
            }
        }
        self.events = events;
        verdict
    }

    /// Derives whether an operation that compares finds what it expects after the events for which `inside` holds.
    fn predict(
        &self,
        trace: &Trace,
        operation: OperationIndex,
        inside: &impl Fn(usize) -> bool,
    ) -> bool {
        let interned = trace.table.get(operation);
        if interned.compared().is_empty() {
            return false;
        }
        let mut cells = [0; crate::object::memory::CELLS_MAX];
        for (cell, &object) in cells.iter_mut().zip(interned.compared()) {
            *cell = trace.value_after(object, inside).unwrap_or(0);
        }
        crate::object::memory::succeeds(&interned.operation, cells)
    }
}

/// Asks something of the races of an operation that is blocked, whose base has been computed.
fn with_blocked(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
    mutation: Mutation,
    ask: impl FnOnce(&Query<'_>),
) {
    let interned = trace.table.get(operation);
    let Some(object) = gate_object(interned) else {
        return;
    };
    let footprint = blocked_footprint(interned, object);
    ask(&Query {
        trace,
        base: trace.base(),
        end: trace.len(),
        thread,
        operation,
        footprint: &footprint,
        mutation,
    });
}

impl Insert for Optimal {
    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        let mut settled = true;
        let (begin, end) = self.levels[first].owed;
        let owed = &self.owed[begin as usize..end as usize];
        if owed.iter().any(|&store| !plan.reads(store as usize)) {
            return Verdict::Open;
        }
        // What reverses the first event contains it if it is to be read.
        let deep = self.inserts_deeply() || plan.unread.is_some();
        // What sleeps before `first`, and the branches to the left of it.
        let begin = self.levels[first].asleep as usize;
        let end = self.levels[first + 1].asleep as usize;
        for &sleeper in &self.asleep[begin..end] {
            let step = &self.sleepers[(sleeper & !UNLESS_READ) as usize];
            match plan.relate(step, sleeper & UNLESS_READ != 0) {
                (Match::Conflicts, _) => {}
                (_, true) => return Verdict::Final,
                (_, false) => return Verdict::Open,
            }
        }
        let cur = self.path[first + 1];
        let (mut parent, mut child) = (self.path[first], self.tree.next(cur));
        while let Some(node) = child.some() {
            let (found, early) = plan.relate(self.tree.step(node), false);
            settled &= early;
            match found {
                Match::Conflicts => {
                    child = self.tree.next(node);
                    continue;
                }
                Match::Independent => return Verdict::Open,
                Match::Element(i) => {
                    if self.wakes(cur, node) && !deep {
                        return if settled {
                            Verdict::Final
                        } else {
                            Verdict::Open
                        };
                    }
                    if plan.is_single() {
                        return Verdict::Open;
                    }
                    let started = self.tree.get(node).started;
                    if started && self.mutation == Mutation::StartedIsCovered {
                        return Verdict::Open;
                    }
                    plan.remove(i);
                }
            }
            self.tree.get_mut(node).touched = true;
            parent = node;
            child = self.tree.bring_first_child(node);
            if child == NodeId::NONE {
                return if settled {
                    Verdict::Final
                } else {
                    Verdict::Open
                };
            }
        }
        let early = settled && plan.begins_early();
        let head = self.append_plan(parent, plan);
        if parent == self.path[first] {
            self.open.set(first, true);
        }
        if early && self.wakes(cur, head) && !deep {
            return Verdict::Final;
        }
        Verdict::Open
    }
}

impl Optimal {
    fn inserts_deeply(&self) -> bool {
        matches!(
            self.mutation,
            Mutation::DeepInsertion | Mutation::AlternativesAtFreeNodes
        )
    }

    /// True if the event of `cur`, asleep to the right of it, does not sleep below `node`.
    fn wakes(&self, cur: NodeId, node: NodeId) -> bool {
        let (cur, node) = (self.tree.step(cur), self.tree.step(node));
        cur.thread == node.thread || conflict(&cur.footprint, &node.footprint)
    }

    /// Appends the plan as a chain below `parent`; its first node.
    fn append_plan(&mut self, parent: NodeId, plan: &Plan<'_>) -> NodeId {
        let mut head = NodeId::NONE;
        let mut parent = parent;
        for step in plan.steps() {
            parent = self.tree.append(parent, step);
            head = head.some().unwrap_or(parent);
        }
        debug_assert_ne!(head, NodeId::NONE, "a plan is never empty");
        head
    }
}
