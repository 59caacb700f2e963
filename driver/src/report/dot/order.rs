//! Which events of a trace are ordered by synchronization, as far as the trace tells.
//!
//! A walk over the trace that keeps, for each object, who released it last (`locks.rs` for what is
//! held). An arrow is left out if those before it order the two events already (vector clocks),
//! unless it is a signal's.
//!
//! What the trace does not tell:
//! 1. Memory orders: an atomic load has an arrow from the write it reads, whether that synchronizes
//!    or not.
//! 2. Whether a call that may fail did: a `trylock` of what others hold did; `sem-trywait` has no
//!    arrow.
//! 3. How many threads a barrier is for: a round is who arrived before its first thread leaves.

pub use super::locks::Held;
use super::locks::{Locks, Object, Source};
use dpor_report::{MemoryOrder, Step};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An arrow between two events, by their places in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Place of the event that comes first.
    pub from: usize,
    /// Place of the event that comes after it.
    pub to: usize,
    /// `unlock`, `create`, `reads`, …
    pub why: &'static str,
}

/// For each thread, one past the last of its events that are known.
type Clock = HashMap<u32, usize>;

/// What a trace tells.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The arrows, in the order of their ends.
    pub edges: Vec<Edge>,
    /// For each event, the locks that each thread holds after it.
    pub held: Vec<Vec<Held>>,
}

/// The arrows, in the order of their ends.
pub fn edges(trace: &[Step]) -> Vec<Edge> {
    order(trace).edges
}

/// Arrows and locks.
pub fn order(trace: &[Step]) -> Order {
    let mut walk = Walk::default();
    let mut order = Order::default();
    for (number, step) in trace.iter().enumerate() {
        let sources = walk.sources(number, step);
        order.edges.extend(walk.join(trace, number, sources));
        order.held.push(walk.locks.held());
    }
    order
}

/// The last event that is ordered before both threads' accesses, each given by its thread and the index of the event
/// before which it came; `None`: there is none. An order that the trace does not tell for sure is none.
pub fn last_common(trace: &[Step], accesses: [(u32, usize); 2]) -> Option<usize> {
    let mut walk = Walk {
        is_strict: true,
        ..Walk::default()
    };
    for (number, step) in trace.iter().enumerate() {
        let sources = walk.sources(number, step);
        walk.join(trace, number, sources);
    }
    let known = accesses.map(|(thread, before)| {
        let mut own = trace[..before].iter();
        let last = own.rposition(|step| step.thread == thread);
        let own = last.map(|last| walk.clocks[last].clone());
        // It has done nothing yet but begin where it was created.
        own.or_else(|| {
            let create = walk.created.get(&format!("T{thread}"))?;
            Some(walk.clocks[*create].clone())
        })
    });
    let [Some(one), Some(other)] = known else {
        return None;
    };
    let both = one.iter().filter_map(|(thread, events)| {
        let events = other.get(thread)?.min(events);
        events.checked_sub(1)
    });
    both.max()
}

#[derive(Default)]
struct Walk {
    /// True if only what orders is a source: no atomic read of a value that it does not acquire, no signal.
    is_strict: bool,
    /// For each event, the events before it, itself included.
    clocks: Vec<Clock>,
    /// The last event of each thread.
    last: BTreeMap<u32, usize>,
    /// The event that created each thread, by the thread's name.
    created: HashMap<String, usize>,
    locks: Locks,
    /// The last post of each semaphore by each thread.
    posts: HashMap<Object, BTreeMap<u32, usize>>,
    barriers: Barriers,
    /// The last write to each place, and the value after it.
    written: HashMap<Object, (usize, Option<u64>)>,
    /// Writes that may order nothing.
    unreleased: HashSet<usize>,
    /// The event that woke waiters last, by futex.
    wakes: HashMap<Object, usize>,
}

impl Walk {
    /// What comes before the event in other threads. The latest of them may know the rest.
    fn sources(&mut self, number: usize, step: &Step) -> Vec<Source> {
        let object = (step.object.clone(), step.address);
        let mut sources = self.locks.sources(number, step, &object);
        if self.is_strict {
            sources.retain(|source| source.1 != "signal");
            if !step.order.is_some_and(MemoryOrder::releases) {
                self.unreleased.insert(number);
            }
        }
        if !self.last.contains_key(&step.thread) {
            let create = self.created.get(&format!("T{}", step.thread));
            sources.extend(create.map(|at| (*at, "create")));
        }
        match step.operation.as_str() {
            "thread-create" => drop(self.created.insert(step.object.clone(), number)),
            "thread-join" => {
                let thread = step.object.strip_prefix('T').and_then(|n| n.parse().ok());
                let end = thread.and_then(|thread: u32| self.last.get(&thread));
                sources.extend(end.map(|at| (*at, "end")));
            }
            "join-all" => sources.extend(self.last.values().map(|at| (*at, "end"))),
            "sem-post" => {
                let posts = self.posts.entry(object).or_default();
                posts.insert(step.thread, number);
            }
            "sem-wait" => {
                let posts = self.posts.get(&object).into_iter().flatten();
                sources.extend(posts.map(|(_, at)| (*at, "post")));
            }
            "barrier-wait" => self.barriers.arrive(number, step),
            "barrier-leave" => sources.extend(self.barriers.leave(step)),
            "atomic-load" | "futex-wait" => sources.extend(self.read(&object, step)),
            "atomic-store" => drop(self.written.insert(object, (number, step.value))),
            "atomic-rmw" => {
                sources.extend(self.read(&object, step));
                self.written.insert(object, (number, step.value));
            }
            "compare-exchange" => {
                sources.extend(self.read(&object, step));
                // One that fails leaves the value as it was.
                let before = self.written.get(&object).and_then(|(_, value)| *value);
                if before.is_none() || before != step.value {
                    self.written.insert(object, (number, step.value));
                }
            }
            "futex-wake" | "futex-requeue" | "futex-wake-op" => {
                self.wakes.insert(object, number);
            }
            "futex-woken" => {
                let wait = self.last.get(&step.thread);
                let wake = self.wakes.get(&object).filter(|wake| Some(*wake) > wait);
                sources.extend(wake.map(|at| (*at, "wake")));
            }
            _ => {}
        }
        sources
    }

    fn read(&self, object: &Object, step: &Step) -> Option<Source> {
        let (at, _) = self.written.get(object)?;
        let acquires = step.order.is_some_and(MemoryOrder::acquires);
        let is_order = acquires && !self.unreleased.contains(at);
        (is_order || !self.is_strict).then_some((*at, "reads"))
    }

    /// Adds the event; the arrows to it that say something new.
    fn join(&mut self, trace: &[Step], number: usize, mut sources: Vec<Source>) -> Vec<Edge> {
        let thread = trace[number].thread;
        let own = self.last.insert(thread, number);
        let mut clock = own.map_or_else(Clock::new, |own| self.clocks[own].clone());
        let mut edges = Vec::new();
        sources.sort_unstable_by_key(|source| std::cmp::Reverse(source.0));
        for (from, why) in sources {
            let known = clock.get(&trace[from].thread);
            let is_known = known.is_some_and(|events| *events > from);
            // Which signal it was is worth an arrow also where a mutex orders the two.
            if is_known && why != "signal" {
                continue;
            }
            for (&thread, &events) in &self.clocks[from] {
                let entry = clock.entry(thread).or_default();
                *entry = events.max(*entry);
            }
            let to = number;
            edges.push(Edge { from, to, why });
        }
        clock.insert(thread, number + 1);
        self.clocks.push(clock);
        edges
    }
}

/// Rounds of threads at barriers.
#[derive(Default)]
struct Barriers {
    /// Arrivals of the round that nobody has left, by barrier.
    open: HashMap<Object, Vec<(u32, usize)>>,
    /// The barrier that each thread arrived at.
    at: HashMap<u32, Object>,
    /// The round that each thread is to leave.
    rounds: HashMap<u32, Vec<Source>>,
}

impl Barriers {
    fn arrive(&mut self, number: usize, step: &Step) {
        let barrier = (step.object.clone(), step.address);
        self.at.insert(step.thread, barrier.clone());
        let open = self.open.entry(barrier).or_default();
        open.push((step.thread, number));
    }

    fn leave(&mut self, step: &Step) -> Vec<Source> {
        if let Some(round) = self.rounds.remove(&step.thread) {
            return round;
        }
        let barrier = self.at.get(&step.thread);
        let arrivals = barrier.and_then(|barrier| self.open.remove(barrier));
        let arrivals = arrivals.unwrap_or_default();
        let round: Vec<Source> = arrivals.iter().map(|(_, at)| (*at, "barrier")).collect();
        for (thread, _) in arrivals {
            self.rounds.insert(thread, round.clone());
        }
        self.rounds.remove(&step.thread);
        round
    }
}
