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

/// A step that was executed.
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
    /// Which of the alternatives of the thread's operation.
    pub alternative: u32,
    /// The next edge of the state.
    next: u32,
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
    /// The state from which it was met, by a step of `mover` with this alternative.
    parent: u32,
    alternative: u32,
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

    /// The number of steps from some state.
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
        while let Some((before, thread, alternative)) = self.parent(at) {
            way.push((thread, alternative));
            at = before;
        }
        way.reverse();
        way
    }

    /// The number of steps on that way.
    pub fn depth(&self, state: StateId) -> u32 {
        self.depths[state.0 as usize]
    }

    /// A state was met again, on a way that is better. It has no steps, and so is on the way to no other.
    pub(super) fn move_to(&mut self, state: StateId, from: (StateId, ThreadId, u32)) {
        let (before, mover, alternative) = from;
        let node = &mut self.nodes[state.0 as usize];
        debug_assert_eq!(node.first_edge, NONE, "it was expanded");
        (node.parent, node.mover, node.alternative) = (before.0, mover, alternative);
        self.depths[state.0 as usize] = self.depth(before) + 1;
    }

    /// The state from which a state was met, and by which step; `None` of the root.
    pub(super) fn parent(&self, state: StateId) -> Option<(StateId, ThreadId, u32)> {
        let node = self.node(state);
        (node.parent != NONE).then_some((StateId(node.parent), node.mover, node.alternative))
    }

    /// The state with this key: its fingerprint, unless the number of preemptions is bounded.
    pub fn find(&self, key: u128) -> Option<StateId> {
        self.by_key.get(&key).copied()
    }

    /// Adds a state that is new, with its threads' standings. `from`: where it was met, and by which step; `None` of the
    /// root.
    pub(super) fn add(
        &mut self,
        (key, fingerprint, valuation): (u128, u128, u64),
        from: Option<(StateId, ThreadId, u32)>,
        standings: impl Iterator<Item = u32>,
    ) -> StateId {
        let state = StateId(self.nodes.len() as u32);
        let first = self.standings.len();
        self.standings.extend(standings);
        let (parent, mover, alternative) = from
            .map_or((NONE, ThreadId::MAIN, 0), |(state, thread, n)| {
                (state.0, thread, n)
            });
        self.nodes.push(Node {
            fingerprint,
            valuation,
            first_edge: NONE,
            last_edge: NONE,
            standings: first as u32,
            threads: (self.standings.len() - first) as u16,
            mover,
            parent,
            alternative,
        });
        let depth = from.map_or(0, |(before, ..)| self.depth(before) + 1);
        self.depths.push(depth);
        self.by_key.insert(key, state);
        state
    }

    /// Adds a step that was executed at `state`.
    pub(super) fn add_edge(
        &mut self,
        state: StateId,
        (thread, alternative): (ThreadId, u32),
        target: StateId,
        (chosen, progress): (bool, bool),
    ) {
        let edge = self.edges.len() as u32;
        self.edges.push(Edge {
            target,
            thread,
            chosen,
            progress,
            alternative,
            next: NONE,
        });
        let node = &mut self.nodes[state.0 as usize];
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
