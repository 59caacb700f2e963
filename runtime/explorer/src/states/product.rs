//! Runs of the program that an automaton accepts: the product of the graph with the automaton.
//!
//! A run that ends goes on by standing still. A run is weakly fair if no thread is enabled from some moment on for ever
//! without moving. Each thread is a mark of the edges that it executes, and of those before which it is not enabled; so
//! fairness and the automaton's own marks are asked of a component together, without a copy of the product for each.
//!
//! Source: emptiness of generalized Büchi automata by components (Couvreur, FM 1999); one mark for each thread is our own.

use super::components::{components, Arrows, Components};
use super::explored::Explored;
use super::graph::{self, StateId, ROOT};
use dpor_ltl::{Automaton, Formula};
use dpor_model::{ThreadId, ThreadSet};
use std::collections::{HashMap, HashSet, VecDeque};

/// A step of a run: the state before it, and whose step it is with which alternative; `None` where nobody can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The state.
    pub state: StateId,
    /// The step.
    pub step: Option<(ThreadId, u32)>,
}

/// A run that goes round for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From the root to where it begins to go round.
    pub stem: Vec<Move>,
    /// Once round.
    pub around: Vec<Move>,
}

/// An edge of the product.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    step: Option<(ThreadId, u32)>,
    /// A run may have it again and again.
    goes_round: bool,
}

/// The part of the product that can be reached.
struct Product<'a> {
    explored: &'a Explored,
    automaton: &'a Automaton,
    /// State of the program, state of the automaton, which has read it.
    nodes: Vec<(StateId, u32)>,
    roots: u32,
    /// By the node where they begin, in the order of the nodes.
    edges: Vec<Edge>,
    /// All threads of the program.
    threads: ThreadSet,
    is_fair: bool,
    /// The thread that moves again and again, if it is asked for.
    mover: Option<ThreadId>,
}

/// A run of the program that the automaton accepts, weakly fair if that is asked for.
///
/// The graph has to be one of [`super::Keeps::Runs`], or the whole one. If it is not complete, a run that is found is a
/// run, and none need not mean that there is none.
pub fn accepted_run(explored: &Explored, automaton: &Automaton, is_fair: bool) -> Option<Lasso> {
    run_that_repeats(explored, automaton, is_fair, &|_, _| true)
}

/// The same, of the runs that have again and again only what `goes_round` allows: a step at a state, or standing still
/// there.
pub fn run_that_repeats(
    explored: &Explored,
    automaton: &Automaton,
    is_fair: bool,
    goes_round: &dyn Fn(StateId, Option<&graph::Edge>) -> bool,
) -> Option<Lasso> {
    Product::of(explored, automaton, is_fair, goes_round).found()
}

/// A run of the program in which this thread moves again and again, and of which only what `goes_round` allows is there again
/// and again, as in [`run_that_repeats`]; it need not be fair.
pub fn run_that_moves(
    explored: &Explored,
    mover: ThreadId,
    goes_round: &dyn Fn(StateId, Option<&graph::Edge>) -> bool,
) -> Option<Lasso> {
    let any = Automaton::of(&Formula::True).expect("one state");
    let product = Product::of(explored, &any, false, goes_round);
    let product = Product {
        mover: Some(mover),
        ..product
    };
    product.found()
}

impl<'a> Product<'a> {
    fn of(
        explored: &'a Explored,
        automaton: &'a Automaton,
        is_fair: bool,
        goes_round: &dyn Fn(StateId, Option<&graph::Edge>) -> bool,
    ) -> Self {
        let mut product = Product {
            explored,
            automaton,
            nodes: Vec::new(),
            roots: 0,
            edges: Vec::new(),
            threads: explored.threads(),
            is_fair,
            mover: None,
        };
        let mut numbers = HashMap::new();
        product.meet_all(ROOT, &automaton.first, &mut numbers, |_| ());
        product.roots = product.nodes.len() as u32;
        let mut at = 0;
        while let Some(&(state, of_automaton)) = product.nodes.get(at) {
            let next = &automaton.states[of_automaton as usize].next;
            let graph = &explored.graph;
            let mut steps: Vec<_> = { graph.edges(state) }
                .map(|edge| (Some(edge), edge.target))
                .collect();
            // Of a state that was not expanded nobody knows how it goes on.
            if steps.is_empty() && explored.enabled(state).is_empty() {
                steps.push((None, state));
            }
            for (step, target) in steps {
                let mut found = Vec::new();
                product.meet_all(target, next, &mut numbers, |to| found.push(to));
                let from = at as u32;
                let goes_round = goes_round(state, step.as_ref());
                let step = step.map(|edge| (edge.thread, edge.alternative));
                let edges = found.into_iter().map(|to| Edge {
                    from,
                    to,
                    step,
                    goes_round,
                });
                product.edges.extend(edges);
            }
            at += 1;
        }
        product
    }

    /// Meets the nodes of a state with those of these automaton states that read it.
    fn meet_all(
        &mut self,
        state: StateId,
        of_automaton: &[u32],
        numbers: &mut HashMap<(StateId, u32), u32>,
        mut met: impl FnMut(u32),
    ) {
        let valuation = self.explored.graph.valuation(state);
        for &q in of_automaton {
            if self.automaton.states[q as usize].reads(valuation) {
                let next = self.nodes.len() as u32;
                let number = *numbers.entry((state, q)).or_insert(next);
                if number == next {
                    self.nodes.push((state, q));
                }
                met(number);
            }
        }
    }

    /// A run that is asked for, if there is one.
    fn found(&self) -> Option<Lasso> {
        let repeated = self.edges.iter().filter(|edge| edge.goes_round);
        let arrows = repeated.map(|edge| (edge.from, edge.to));
        let components = components(&Arrows::new(self.nodes.len(), arrows));
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); components.iter().count()];
        for (number, edge) in self.edges.iter().enumerate() {
            let component = components.of[edge.from as usize];
            if edge.goes_round && component == components.of[edge.to as usize] {
                inside[component as usize].push(number as u32);
            }
        }
        let all = inside.iter().enumerate();
        let mut accepting = all.filter(|(_, edges)| !edges.is_empty() && self.accepts(edges));
        let (component, edges) = accepting.next()?;
        Some(self.lasso(&components, component as u32, edges))
    }

    /// The untils that are owed at a node.
    fn owes(&self, node: u32) -> u64 {
        self.automaton.states[self.nodes[node as usize].1 as usize].owes
    }

    /// The threads whose mark an edge has.
    fn marks(&self, edge: &Edge) -> ThreadSet {
        let (state, _) = self.nodes[edge.from as usize];
        let enabled = self.explored.enabled(state);
        let mut marks = self.threads.minus(&enabled);
        if let Some((thread, _)) = edge.step {
            marks.insert(thread);
        }
        marks
    }

    /// The threads whose marks a run has to have again and again.
    fn wanted(&self) -> ThreadSet {
        match self.is_fair {
            true => self.threads.clone(),
            false => ThreadSet::default(),
        }
    }

    /// True if an edge is a step of the thread that moves again and again.
    fn is_movers(&self, edge: &Edge) -> bool {
        let mover = edge.step.map(|(thread, _)| thread);
        mover.is_some() && mover == self.mover
    }

    /// True if the edges of a component have all marks together.
    fn accepts(&self, edges: &[u32]) -> bool {
        let mut owed = u64::MAX;
        let mut missing = self.wanted();
        let mut moves = self.mover.is_none();
        for edge in edges.iter().map(|&edge| &self.edges[edge as usize]) {
            owed &= self.owes(edge.from);
            moves |= self.is_movers(edge);
            if !missing.is_empty() {
                missing = missing.minus(&self.marks(edge));
            }
        }
        owed == 0 && missing.is_empty() && moves
    }

    /// The shortest way to a component, and one round in it that has all marks.
    fn lasso(&self, components: &Components, component: u32, edges: &[u32]) -> Lasso {
        let is_inside = |node: u32| components.of[node as usize] == component;
        let mut by_node: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            by_node[edge.from as usize].push(number as u32);
        }
        let roots: Vec<u32> = (0..self.roots).collect();
        let begin = roots.iter().copied().find(|&root| is_inside(root));
        let stem = match begin {
            Some(_) => Vec::new(),
            None => self.shortest(&roots, &by_node, |edge| is_inside(edge.to)),
        };
        let begin =
            begin.unwrap_or_else(|| self.edges[*stem.last().expect("it is reached") as usize].to);
        let members: HashSet<u32> = edges.iter().copied().collect();
        let own: Vec<Vec<u32>> = by_node
            .into_iter()
            .map(|mut edges| {
                edges.retain(|edge| members.contains(edge));
                edges
            })
            .collect();
        let (mut at, mut around) = (begin, Vec::new());
        let (mut owed, mut missing) = (
            u64::MAX >> (64 - self.automaton.untils.max(1)),
            self.wanted(),
        );
        if self.automaton.untils == 0 {
            owed = 0;
        }
        let mut moves = self.mover.is_none();
        while owed != 0 || !missing.is_empty() || !moves {
            let helps = |edge: &Edge| {
                let owes_less = !self.owes(edge.from) & owed != 0;
                owes_less || self.marks(edge).meets(&missing) || !moves && self.is_movers(edge)
            };
            let way = self.shortest(&[at], &own, helps);
            for &number in &way {
                let edge = &self.edges[number as usize];
                owed &= self.owes(edge.from);
                missing = missing.minus(&self.marks(edge));
                moves |= self.is_movers(edge);
                at = edge.to;
            }
            around.extend(way);
        }
        if at != begin || around.is_empty() {
            around.extend(self.shortest(&[at], &own, |edge| edge.to == begin));
        }
        let moves = |way: Vec<u32>| {
            let edges = way.into_iter().map(|number| &self.edges[number as usize]);
            edges
                .map(|edge| Move {
                    state: self.nodes[edge.from as usize].0,
                    step: edge.step,
                })
                .collect()
        };
        Lasso {
            stem: moves(stem),
            around: moves(around),
        }
    }

    /// The shortest way from one of these nodes along the edges of `by_node` with a last one that is wanted. There is one.
    fn shortest(
        &self,
        from: &[u32],
        by_node: &[Vec<u32>],
        wanted: impl Fn(&Edge) -> bool,
    ) -> Vec<u32> {
        // The edge by which each node was reached first.
        let mut came: HashMap<u32, Option<u32>> = from.iter().map(|&node| (node, None)).collect();
        let mut todo: VecDeque<u32> = from.iter().copied().collect();
        while let Some(node) = todo.pop_front() {
            for &number in &by_node[node as usize] {
                let edge = &self.edges[number as usize];
                if wanted(edge) {
                    let mut way = vec![number];
                    let mut at = node;
                    while let Some(Some(before)) = came.get(&at) {
                        way.push(*before);
                        at = self.edges[*before as usize].from;
                    }
                    way.reverse();
                    return way;
                }
                came.entry(edge.to).or_insert_with(|| {
                    todo.push_back(edge.to);
                    Some(number)
                });
            }
        }
        unreachable!("a component's nodes lead to each other")
    }
}
