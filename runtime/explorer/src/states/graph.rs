//! The graph of the states that were visited.
//!
//! Of each state are kept its fingerprint, the state from which it was met, its first edge, and a number for the rest, which
//! many states have in common: how the threads stand, which propositions hold, by which step it was met. An edge is two
//! numbers: where it leads, and whose step it is, how.

use super::column::{mixed, ByWords, Column, Rows, Table};
use super::edges::{Edges, Kept};
use dpor_model::ThreadId;
use std::collections::HashMap;

/// A state, by the order in which it was met; 0 is where exploration begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

/// The state in which exploration begins.
pub(super) const ROOT: StateId = StateId(0);

/// No edge, or no state.
const NONE: u32 = u32::MAX;

/// A step that was executed, or several that were fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it led.
    pub target: StateId,
    /// Whose step it is.
    pub thread: ThreadId,
    /// The thread is in the set that was expanded at the state; otherwise it was expanded so that nobody is put off.
    pub chosen: bool,
    /// The thread marked that it gets on ([`super::Step::progress`]).
    pub progress: bool,
    /// Which of the alternatives of the thread's operation; of several steps, that of the last one. The others have the
    /// alternative 0 alone.
    pub alternative: u32,
    /// The number of the thread's steps, one after the other, that were fused to this one.
    pub steps: u16,
    /// What those of them touch that come behind the first.
    pub(super) beyond: BeyondIndex,
}

/// What the steps of a run behind its first touch together, by its number; 0 if there are none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct BeyondIndex(pub u32);

/// A way from one state to another: steps of one thread, all but the last with the alternative 0 alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub from: StateId,
    pub thread: ThreadId,
    /// Of the last step.
    pub alternative: u32,
    pub steps: u16,
}

impl Run {
    /// One step.
    pub fn step(from: StateId, thread: ThreadId, alternative: u32) -> Self {
        Run {
            from,
            thread,
            alternative,
            steps: 1,
        }
    }

    /// Its steps, from the first on: thread and alternative.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = (ThreadId, u32)> {
        let before = (1..self.steps).map(|_| 0);
        let alternatives = before.chain([self.alternative]);
        let thread = self.thread;
        alternatives.map(move |alternative| (thread, alternative))
    }
}

/// What an edge is, but for where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Label {
    thread: ThreadId,
    steps: u16,
    alternative: u32,
    beyond: BeyondIndex,
    chosen: bool,
    progress: bool,
}

/// Labels, each once.
#[derive(Default)]
struct Labels {
    all: Vec<Label>,
    numbers: HashMap<Label, u32, ByWords>,
    /// The one that was asked for last, with its number.
    last: Option<(Label, u32)>,
}

impl Labels {
    fn number(&mut self, label: Label) -> u32 {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == label) {
            return number;
        }
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(label).or_insert(next);
        if number == next {
            assert!(next < 1 << 31, "fewer than 2^31 kinds of steps");
            self.all.push(label);
        }
        self.last = Some((label, number));
        number
    }

    fn get(&self, number: u32) -> &Label {
        &self.all[number as usize]
    }
}

/// A state as it is kept, but for its fingerprint.
#[derive(Clone, Copy)]
struct Node {
    /// The state from which it was met, or [`NONE`].
    parent: u32,
    /// The first of its edges, or [`NONE`].
    first_edge: u32,
    /// Where its row of words begins.
    row: u32,
}

/// Words of a row before those of the threads' standings: their number, the label of the step by which the state was met,
/// and the propositions that hold.
const HEAD: usize = 4;

/// States and the steps between them.
#[derive(Default)]
pub struct Graph {
    fingerprints: Column<u128>,
    nodes: Column<Node>,
    edges: Edges,
    labels: Labels,
    rows: Rows,
    /// Where rows begin, by what they hold.
    by_row: Table,
    /// States by what tells them apart: the fingerprint, or that and the thread that moved last.
    by_key: Table,
    /// By state: what tells it apart, if that is not the fingerprint.
    keys: Option<Column<u128>>,
    /// By state: the number of steps on the way by which it was met, if they are asked for often.
    depths: Option<Column<u32>>,
    /// The row that is made.
    made: Vec<u32>,
}

impl Graph {
    /// A graph without states. `has_keys`: not their fingerprints alone tell states apart; `has_depths`: their depths are
    /// asked for often.
    pub(super) fn new(has_keys: bool, has_depths: bool) -> Self {
        Graph {
            keys: has_keys.then(Column::default),
            depths: has_depths.then(Column::default),
            ..Graph::default()
        }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the graph takes.
    pub fn bytes(&self) -> usize {
        let columns = self.fingerprints.bytes() + self.nodes.bytes() + self.edges.bytes();
        let keys = self.keys.as_ref().map_or(0, Column::bytes);
        let depths = self.depths.as_ref().map_or(0, Column::bytes);
        let tables = self.by_row.bytes() + self.by_key.bytes() + self.rows.bytes();
        // A byte of control for each place of the map.
        let of_label = 2 * size_of::<Label>() + size_of::<u32>() + 1;
        columns + keys + depths + tables + self.labels.all.capacity() * of_label
    }

    /// True if no run comes back to a state where it was.
    pub fn is_acyclic(&self) -> bool {
        let mut before = vec![0_u32; self.states()];
        for state in self.all() {
            for edge in self.edges(state) {
                before[edge.target.0 as usize] += 1;
            }
        }
        let first = self.all().filter(|state| before[state.0 as usize] == 0);
        let mut free: Vec<StateId> = first.collect();
        let mut left = self.states();
        while let Some(state) = free.pop() {
            left -= 1;
            for edge in self.edges(state) {
                let before = &mut before[edge.target.0 as usize];
                *before -= 1;
                if *before == 0 {
                    free.push(edge.target);
                }
            }
        }
        left == 0
    }

    /// The number of steps from some state; several that were fused are one.
    pub fn steps(&self) -> usize {
        self.all().map(|state| self.edges(state).count()).sum()
    }

    /// All states, in the order in which they were met.
    pub fn all(&self) -> impl Iterator<Item = StateId> + Clone {
        (0..self.nodes.len() as u32).map(StateId)
    }

    /// The fingerprint of a state.
    pub fn fingerprint(&self, state: StateId) -> u128 {
        self.fingerprints.get(state.0)
    }

    /// The propositions that hold at a state, a bit each.
    pub fn valuation(&self, state: StateId) -> u64 {
        let row = self.row(state);
        u64::from(row[2]) | u64::from(row[3]) << 32
    }

    /// The steps that were executed at a state, in that order.
    pub fn edges(&self, state: StateId) -> impl Iterator<Item = Edge> + Clone + '_ {
        let mut next = self.nodes.get(state.0).first_edge;
        std::iter::from_fn(move || {
            if next == NONE {
                return None;
            }
            let kept = self.edges.get(next);
            next = if kept.is_last { NONE } else { next + 1 };
            let label = self.labels.get(kept.label);
            Some(Edge {
                target: StateId(kept.target),
                thread: label.thread,
                chosen: label.chosen,
                progress: label.progress,
                alternative: label.alternative,
                steps: label.steps,
                beyond: label.beyond,
            })
        })
    }

    /// The way from the root by which a state was met: each step's thread and alternative.
    pub fn way(&self, state: StateId) -> Vec<(ThreadId, u32)> {
        let mut way = Vec::new();
        let mut at = state;
        while let Some(run) = self.parent(at) {
            way.extend(run.each().rev());
            at = run.from;
        }
        way.reverse();
        way
    }

    /// The number of steps on that way.
    pub fn depth(&self, state: StateId) -> u32 {
        match &self.depths {
            Some(depths) => depths.get(state.0),
            None => {
                let runs = std::iter::successors(self.parent(state), |run| self.parent(run.from));
                runs.map(|run| u32::from(run.steps)).sum()
            }
        }
    }

    /// A state was met again, on a way that is better. It has no steps, and so is on the way to no other.
    pub(super) fn move_to(&mut self, state: StateId, run: Run) {
        debug_assert_eq!(self.nodes.get(state.0).first_edge, NONE, "it was expanded");
        let depth = self.depth_behind(&run);
        if let Some(depths) = &mut self.depths {
            *depths.get_mut(state.0) = depth;
        }
        let standings = self.standings(state).to_vec();
        let row = self.number_row(self.valuation(state), Some(run), standings.into_iter());
        let node = self.nodes.get_mut(state.0);
        (node.parent, node.row) = (run.from.0, row);
    }

    /// The number of steps on the way that leads to the end of a run.
    pub(super) fn depth_behind(&self, run: &Run) -> u32 {
        self.depth(run.from) + u32::from(run.steps)
    }

    /// The state from which a state was met, and by which steps; `None` of the root.
    pub(super) fn parent(&self, state: StateId) -> Option<Run> {
        let node = self.nodes.get(state.0);
        (node.parent != NONE).then(|| {
            let label = self.labels.get(self.rows.from(node.row)[1]);
            Run {
                from: StateId(node.parent),
                thread: label.thread,
                alternative: label.alternative,
                steps: label.steps,
            }
        })
    }

    /// The state with this key: its fingerprint, unless the number of preemptions is bounded.
    pub fn find(&self, key: u128) -> Option<StateId> {
        let found = { &self.by_key }.find(mixed(key), |state| self.key(state) == key);
        found.map(StateId)
    }

    fn key(&self, state: u32) -> u128 {
        self.keys.as_ref().unwrap_or(&self.fingerprints).get(state)
    }

    /// Adds a state that is new, with its threads' standings. `run`: where it was met, and by which steps; `None` of the
    /// root.
    pub(super) fn add(
        &mut self,
        (key, fingerprint, valuation): (u128, u128, u64),
        run: Option<Run>,
        standings: impl Iterator<Item = u32>,
    ) -> StateId {
        let state = self.nodes.len() as u32;
        let depth = run.map_or(0, |run| match self.depths {
            Some(_) => self.depth_behind(&run),
            None => 0,
        });
        let row = self.number_row(valuation, run, standings);
        self.fingerprints.push(fingerprint);
        self.nodes.push(Node {
            parent: run.map_or(NONE, |run| run.from.0),
            first_edge: NONE,
            row,
        });
        if let Some(depths) = &mut self.depths {
            depths.push(depth);
        }
        if let Some(keys) = &mut self.keys {
            keys.push(key);
        }
        let keys = self.keys.as_ref().unwrap_or(&self.fingerprints);
        let hash_of = |state| mixed(keys.get(state));
        self.by_key.insert(mixed(key), state, hash_of);
        StateId(state)
    }

    /// Where the row of these words begins, which is kept if it is new.
    fn number_row(
        &mut self,
        valuation: u64,
        run: Option<Run>,
        standings: impl Iterator<Item = u32>,
    ) -> u32 {
        let met = run.unwrap_or(Run::step(ROOT, ThreadId::MAIN, 0));
        let label = self.labels.number(Label {
            thread: met.thread,
            steps: met.steps,
            alternative: met.alternative,
            beyond: BeyondIndex::default(),
            chosen: true,
            progress: false,
        });
        let made = &mut self.made;
        made.clear();
        made.extend([0, label, valuation as u32, (valuation >> 32) as u32]);
        made.extend(standings);
        made[0] = (made.len() - HEAD) as u32;
        let (rows, hash) = (&mut self.rows, hash_of_row(made));
        let found = { &self.by_row }.find(hash, |begin| rows.from(begin).starts_with(made));
        found.unwrap_or_else(|| {
            let begin = rows.add(made);
            let rows = &*rows;
            let hash_of = |begin| hash_of_row(whole_row(rows, begin));
            self.by_row.insert(hash, begin, hash_of);
            begin
        })
    }

    /// Adds steps that were executed from a state on.
    pub(super) fn add_edge(
        &mut self,
        run: Run,
        target: StateId,
        (chosen, progress): (bool, bool),
        beyond: BeyondIndex,
    ) {
        let label = self.labels.number(Label {
            thread: run.thread,
            steps: run.steps,
            alternative: run.alternative,
            beyond,
            chosen,
            progress,
        });
        let end = self.edges.len() as u32;
        let first = self.nodes.get(run.from.0).first_edge;
        match first {
            NONE => self.nodes.get_mut(run.from.0).first_edge = end,
            _ => self.make_room(run.from, first, end),
        }
        assert!(self.edges.len() < NONE as usize, "fewer than 2^32 steps");
        self.edges.push(Kept {
            target: target.0,
            label,
            is_last: true,
        });
    }

    /// A state that has edges from `first` on gets a further one behind them: if something follows them they are moved.
    fn make_room(&mut self, state: StateId, first: u32, end: u32) {
        let is_last = |&at: &u32| self.edges.get(at).is_last;
        let last = (first..end).find(is_last).expect("one is the last");
        self.edges.is_followed(last);
        if last + 1 < end {
            self.nodes.get_mut(state.0).first_edge = end;
            for at in first..=last {
                self.edges.push(self.edges.get(at));
            }
        }
    }

    /// Forgets the steps of a state, to expand it anew.
    pub(super) fn forget_edges(&mut self, state: StateId) {
        self.nodes.get_mut(state.0).first_edge = NONE;
    }

    /// How the threads stand at a state: numbers of standings, by thread.
    pub(super) fn standings(&self, state: StateId) -> &[u32] {
        &self.row(state)[HEAD..]
    }

    /// The words of a state's row.
    fn row(&self, state: StateId) -> &[u32] {
        whole_row(&self.rows, self.nodes.get(state.0).row)
    }

    /// The thread whose turn it is at a state: the one after the one that led there first.
    pub(super) fn turn(&self, state: StateId) -> ThreadId {
        let threads = self.standings(state).len() as u16;
        match self.parent(state) {
            None => ThreadId::MAIN,
            Some(run) => ThreadId((run.thread.0 + 1) % threads.max(1)),
        }
    }
}

/// The words of a row that begins there.
fn whole_row(rows: &Rows, begin: u32) -> &[u32] {
    let words = rows.from(begin);
    &words[..HEAD + words[0] as usize]
}

fn hash_of_row(row: &[u32]) -> u64 {
    let step = |hash, &word: &u32| mixed(u128::from(hash) << 32 | u128::from(word));
    row.iter().fold(0, step)
}
