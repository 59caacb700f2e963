//! The graph of the states that were visited.

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
    /// The next edge of the state.
    next: u32,
}

/// What the steps of a run behind its first touch together, by its number; 0 if there are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// A state.
struct Node {
    fingerprint: u128,
    /// The propositions that hold, a bit each.
    valuation: u64,
    /// The first of its edges, or [`NONE`]; new ones come last.
    first_edge: u32,
    last_edge: u32,
    /// Where its threads' standings begin.
    standings: u32,
    /// The number of them.
    threads: u16,
    /// The thread whose step led here first.
    mover: ThreadId,
    /// The state from which it was met, by so many steps of `mover`, the last with this alternative.
    parent: u32,
    alternative: u32,
    steps: u16,
}

/// States and the steps between them.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// How the threads stand: numbers of standings, for one state after the other.
    standings: Vec<u32>,
    /// By what tells states apart: the fingerprint, or that and the thread that moved last.
    by_key: HashMap<u128, StateId>,
    /// By state: the number of steps on the way by which it was met.
    depths: Vec<u32>,
}

impl Graph {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the graph takes.
    pub fn bytes(&self) -> usize {
        let lists = self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + (self.standings.capacity() + self.depths.capacity()) * size_of::<u32>();
        // A byte of control for each place of the table.
        lists + self.by_key.capacity() * (size_of::<(u128, StateId)>() + 1)
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
        self.node(state).fingerprint
    }

    /// The propositions that hold at a state, a bit each.
    pub fn valuation(&self, state: StateId) -> u64 {
        self.node(state).valuation
    }

    /// The steps that were executed at a state, in that order.
    pub fn edges(&self, state: StateId) -> impl Iterator<Item = &Edge> + Clone {
        let first = self.edges.get(self.node(state).first_edge as usize);
        std::iter::successors(first, |edge| self.edges.get(edge.next as usize))
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
        self.depths[state.0 as usize]
    }

    /// A state was met again, on a way that is better. It has no steps, and so is on the way to no other.
    pub(super) fn move_to(&mut self, state: StateId, run: Run) {
        let node = &mut self.nodes[state.0 as usize];
        debug_assert_eq!(node.first_edge, NONE, "it was expanded");
        (node.parent, node.mover) = (run.from.0, run.thread);
        (node.alternative, node.steps) = (run.alternative, run.steps);
        self.depths[state.0 as usize] = self.depth_behind(&run);
    }

    /// The number of steps on the way that leads to the end of a run.
    pub(super) fn depth_behind(&self, run: &Run) -> u32 {
        self.depth(run.from) + u32::from(run.steps)
    }

    /// The state from which a state was met, and by which steps; `None` of the root.
    pub(super) fn parent(&self, state: StateId) -> Option<Run> {
        let node = self.node(state);
        (node.parent != NONE).then_some(Run {
            from: StateId(node.parent),
            thread: node.mover,
            alternative: node.alternative,
            steps: node.steps,
        })
    }

    /// The state with this key: its fingerprint, unless the number of preemptions is bounded.
    pub fn find(&self, key: u128) -> Option<StateId> {
        self.by_key.get(&key).copied()
    }

    /// Adds a state that is new, with its threads' standings. `run`: where it was met, and by which steps; `None` of the
    /// root.
    pub(super) fn add(
        &mut self,
        (key, fingerprint, valuation): (u128, u128, u64),
        run: Option<Run>,
        standings: impl Iterator<Item = u32>,
    ) -> StateId {
        let state = StateId(self.nodes.len() as u32);
        let first = self.standings.len();
        self.standings.extend(standings);
        let none = Run::step(StateId(NONE), ThreadId::MAIN, 0);
        let way = run.unwrap_or(none);
        self.nodes.push(Node {
            fingerprint,
            valuation,
            first_edge: NONE,
            last_edge: NONE,
            standings: first as u32,
            threads: (self.standings.len() - first) as u16,
            mover: way.thread,
            parent: way.from.0,
            alternative: way.alternative,
            steps: way.steps,
        });
        let depth = run.map_or(0, |run| self.depth_behind(&run));
        self.depths.push(depth);
        self.by_key.insert(key, state);
        state
    }

    /// Adds steps that were executed from a state on.
    pub(super) fn add_edge(
        &mut self,
        run: Run,
        target: StateId,
        (chosen, progress): (bool, bool),
        beyond: BeyondIndex,
    ) {
        let edge = self.edges.len() as u32;
        self.edges.push(Edge {
            target,
            thread: run.thread,
            chosen,
            progress,
            alternative: run.alternative,
            steps: run.steps,
            beyond,
            next: NONE,
        });
        let node = &mut self.nodes[run.from.0 as usize];
        let last = std::mem::replace(&mut node.last_edge, edge);
        match node.first_edge {
            NONE => node.first_edge = edge,
            _ => self.edges[last as usize].next = edge,
        }
    }

    /// Forgets the steps of a state, to expand it anew.
    pub(super) fn forget_edges(&mut self, state: StateId) {
        let node = &mut self.nodes[state.0 as usize];
        (node.first_edge, node.last_edge) = (NONE, NONE);
    }

    /// How the threads stand at a state: numbers of standings, by thread.
    pub(super) fn standings(&self, state: StateId) -> &[u32] {
        let node = self.node(state);
        let first = node.standings as usize;
        &self.standings[first..first + usize::from(node.threads)]
    }

    /// The thread whose turn it is at a state: the one after the one that led there first.
    pub(super) fn turn(&self, state: StateId) -> ThreadId {
        let node = self.node(state);
        match node.parent {
            NONE => ThreadId::MAIN,
            _ => ThreadId((node.mover.0 + 1) % node.threads.max(1)),
        }
    }

    #[inline]
    fn node(&self, state: StateId) -> &Node {
        &self.nodes[state.0 as usize]
    }
}
