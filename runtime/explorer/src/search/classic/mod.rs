//! The classic search: backtrack sets filled while an execution runs, and sleep sets.
//!
//! Each state of the present execution keeps the threads that have to be tried there. After every
//! event, each thread's next operation looks for the latest event that it conflicts with, that does
//! not happen before it and that may be enabled together with it; in the state before that event a
//! thread is added that leads to the operation, or, if none of those is enabled there, every
//! enabled one. Sleep sets keep what a sibling explored from being explored again; an execution
//! in which everything that is enabled sleeps is cut, and counted as redundant.
//!
//! It explores each trace at least once, most of them more than once, and is here to be compared
//! with `crate::search::optimal`.
//!
//! **Source**: Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software,
//! POPL 2005, figures 3 and 4; locksets and sleep sets as in Inspect (Yang, Chen, Gopalakrishnan,
//! Kirby 2008), figures 2 and 8.
//!
//! **Deviations**
//! 1. The paper looks at every thread in every state. What a thread's operation conflicts with
//!    changes only by its own last step, by being woken, or by the last event itself, so that
//!    nothing else is compared again.
//! 2. Of the threads that lead to the operation (the paper: "add any"), one is taken whose next
//!    step needs no other of them: sleep sets cover exactly the traces that begin with such a step.
//! 3. The race with the latest event is not enough once sleep sets are there: threads
//!    `lock a; wait c, a`, `broadcast d; trylock a` and `broadcast c`, in this order, lose a trace.
//!    Therefore all races of the events are reversed too, when the execution is over, as in the
//!    search with source sets (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014).
//! 4. Conflicts are those of the outcome (a failed compare-exchange only reads), so that what
//!    leads to a reversed operation is asked of the outcome that it would have there.
//! 5. A thread that waits for a signal has no next operation until it is woken.
//! 6. A thread in a backtrack set is tried with all its alternatives. Where some of them sleep and one that does not
//!    is taken, nothing that comes later meets those that sleep: what races with them was found where they were
//!    explored, and has to come before them here. So every enabled thread is tried there. Threads `lock a; wait c, a`,
//!    whose wait may end by itself, and `lock a; unlock a; lock b; unlock b; broadcast c` lose the trace in which
//!    the broadcast is missed.

mod pending;

use super::{Ended, Search};
use crate::config::{Config, Order, SearchKind};
use crate::enabled::{enabled_steps, is_enabled};
use crate::end::{Counters, Fault};
use crate::mutation::{Mutation, Seeded};
use crate::object::Alternatives;
use crate::relation::sleeps_below;
use crate::threads::Standing;
use crate::trace::Trace;
use crate::tree::Step;
use crate::Program;
use dpor_model::{ThreadId, ThreadSet, TIMEOUT};
use pending::Pending;

/// The state of a classic search between and during executions.
pub(crate) struct Classic {
    /// `nodes[d]`: the state after `d` events.
    nodes: Vec<Node>,
    order: Order,
    mutation: Seeded,
    random: u64,
    /// Races of the events of the present execution, in order of their second events.
    races: Vec<Race>,
    /// Races reversed so far, those that added nothing included.
    reversals: u64,
}

/// Event `second` conflicts with `first`, and nothing else makes it come later.
struct Race {
    first: usize,
    second: usize,
}

/// A state of the present execution.
struct Node {
    /// What could be done, in the order of the default scheduler.
    enabled: Vec<(ThreadId, Alternatives)>,
    /// Threads to be tried here.
    backtrack: ThreadSet,
    /// Steps that were explored from a state before, and that nothing since conflicts with.
    asleep: Vec<Step>,
    /// Steps taken here, the present one last.
    done: Vec<Step>,
}

impl Node {
    fn sleeps(&self, thread: ThreadId, alternative: u32) -> bool {
        contains(&self.asleep, thread, alternative)
    }

    fn enabled_threads(&self) -> ThreadSet {
        self.enabled.iter().map(|(thread, _)| *thread).collect()
    }

    /// Steps of the threads for which `chosen` holds that neither sleep nor were taken.
    fn open<'a>(
        &'a self,
        chosen: impl Fn(ThreadId) -> bool + 'a,
    ) -> impl Iterator<Item = (ThreadId, u32)> + 'a {
        let chosen = { self.enabled.iter() }.filter(move |(thread, _)| chosen(*thread));
        let steps = chosen.flat_map(|&(thread, all)| all.iter().map(move |a| (thread, a)));
        steps.filter(|&(thread, a)| !self.sleeps(thread, a) && !contains(&self.done, thread, a))
    }

    fn is_exhausted(&self) -> bool {
        self.open(|thread| self.backtrack.contains(thread))
            .next()
            .is_none()
    }

    /// What sleeps after the present step.
    fn asleep_below(&self, mutation: Seeded) -> Vec<Step> {
        let Some(step) = self.done.last() else {
            return Vec::new();
        };
        let never_wakes = mutation.is(Mutation::NeverWakes);
        let sleeps = |s: &&Step| match never_wakes {
            true => s.thread != step.thread,
            false => sleeps_below(step, s),
        };
        self.asleep
            .iter()
            .chain(&self.done)
            .filter(sleeps)
            .cloned()
            .collect()
    }
}

impl Classic {
    fn of(order: Order, mutation: Seeded) -> Self {
        let random = match order {
            Order::Leftmost | Order::KeepAll => 0,
            Order::Random(seed) => seed,
        };
        Classic {
            nodes: Vec::new(),
            order,
            mutation,
            random,
            races: Vec::new(),
            reversals: 0,
        }
    }

    /// The first open step of the threads to be tried, if there are some, or else of all; in random order any.
    fn pick(&mut self, depth: usize) -> Option<(ThreadId, u32)> {
        let node = &self.nodes[depth];
        let free = node.backtrack.is_empty();
        let mut open = node.open(|thread| free || node.backtrack.contains(thread));
        if self.order == Order::Leftmost {
            return open.next();
        }
        let open: Vec<_> = open.collect();
        (!open.is_empty()).then(|| open[self.roll(open.len())])
    }

    /// Reverses the races between the events of `trace` and what its threads stand before, as far
    /// as they are new since the last event: of each operation that with the latest event.
    fn note_pending<P: Program>(&mut self, trace: &mut Trace, program: &mut P) {
        let last = trace.len() - 1;
        if self.mutation.is(Mutation::NoVirtualEvents) {
            return;
        }
        for thread in trace.threads.pending.clone().iter() {
            for pending in Pending::of(trace, program, thread) {
                let first = match pending.is_new(trace) {
                    true => pending.races(trace).into_iter().max(),
                    false => pending.races_with(trace, last).then_some(last),
                };
                if let Some(first) = first {
                    self.reverse(trace, first, thread, pending.base());
                }
            }
        }
    }

    /// Notes the races of what `thread` stands before and does now.
    fn note_taken<P: Program>(&mut self, trace: &mut Trace, program: &mut P, thread: ThreadId) {
        let second = trace.len();
        if self.mutation.is(Mutation::LatestOnly) {
            return;
        }
        for pending in Pending::of(trace, program, thread) {
            let races = pending.latest_races(trace).into_iter();
            self.races.extend(races.map(|first| Race { first, second }));
        }
    }

    /// No thread can go on, and one gives up waiting: as at the end of an execution, and each of the
    /// others that can has to give up first, too.
    fn note_quiet<P: Program>(&mut self, trace: &mut Trace, program: &mut P) {
        for thread in trace.threads.pending.clone().iter() {
            for pending in Pending::of(trace, program, thread) {
                for first in pending.latest_races(trace) {
                    self.reverse_as_moved(trace, program, first, &pending);
                }
            }
        }
        let here = self.nodes.last_mut().expect("a step was chosen here");
        here.backtrack = here.enabled_threads();
    }

    /// The execution is over: reverses the races of all events, and of what did not come.
    fn analyse<P: Program>(&mut self, trace: &mut Trace, program: &mut P) {
        let races = std::mem::take(&mut self.races);
        for race in &races {
            let second = Pending::at(trace, race.second);
            self.reverse_as_moved(trace, program, race.first, &second);
        }
        self.races = races;
        if self.mutation.is(Mutation::LatestOnly) || self.mutation.is(Mutation::NoVirtualEvents) {
            return;
        }
        let cut = self.nodes.len() > trace.len();
        for thread in trace.threads.pending.clone().iter() {
            let Standing::Before(operation) = trace.threads.get(thread) else {
                unreachable!("pending")
            };
            let asleep = cut && is_enabled(trace, thread, operation);
            if asleep {
                continue;
            }
            for pending in Pending::of(trace, program, thread) {
                for first in pending.latest_races(trace) {
                    self.reverse_as_moved(trace, program, first, &pending);
                }
            }
        }
    }

    /// Lets an operation be tried before event `first`, as it would come out there.
    fn reverse_as_moved<P: Program>(
        &mut self,
        trace: &Trace,
        program: &mut P,
        first: usize,
        second: &Pending,
    ) {
        let moved = match self.mutation.is(Mutation::StaleOutcome) {
            true => vec![second.footprint().into()],
            false => second.moved_before(trace, program, first),
        };
        for moved in moved {
            let clock = second.clock_when_moved(trace, first, &moved);
            self.reverse(trace, first, second.thread(), &clock);
        }
    }

    /// Lets an operation be tried before event `first`, with what `clock` says happens before it.
    fn reverse(&mut self, trace: &Trace, first: usize, thread: ThreadId, clock: &[u32]) {
        self.reversals += 1;
        let node = &self.nodes[first];
        let enabled = node.enabled_threads();
        let leading = leading(trace, first, thread, clock).and(&enabled);
        if leading.meets(&node.backtrack) {
            return;
        }
        let asleep: ThreadSet = node.asleep.iter().map(|s| s.thread).collect();
        let candidates = match &leading {
            leading if leading.is_empty() => enabled,
            // What a sleeping thread leads to is explored already.
            leading if leading.meets(&asleep) => self.one_of(&leading.and(&asleep)),
            leading if leading.contains(thread) => ThreadSet::of(thread),
            leading => self.one_of(leading),
        };
        self.nodes[first].backtrack.add(&candidates);
    }

    /// The lowest of some threads; in random order any.
    fn one_of(&mut self, threads: &ThreadSet) -> ThreadSet {
        let nth = match self.order {
            Order::Leftmost | Order::KeepAll => 0,
            Order::Random(_) => self.roll(threads.len() as usize),
        };
        threads.iter().nth(nth).into_iter().collect()
    }

    fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}

impl Search for Classic {
    fn new(config: &mut Config) -> Option<Self> {
        (config.search == SearchKind::Classic).then(|| Classic::of(config.order, config.mutation))
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        while self.nodes.last()?.is_exhausted() {
            self.nodes.pop();
        }
        let depth = self.nodes.len() - 1;
        let kept = self.races.partition_point(|race| race.second < depth);
        self.races.truncate(kept);
        Some(depth)
    }

    fn has_more(&self) -> bool {
        self.nodes.iter().any(|node| !node.is_exhausted())
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        let depth = trace.len();
        if depth == self.nodes.len() {
            let above = depth.checked_sub(1).map(|above| &self.nodes[above]);
            let asleep = above.map_or(Vec::new(), |node| node.asleep_below(self.mutation));
            self.nodes.push(Node {
                enabled: enabled_steps(trace).collect(),
                backtrack: ThreadSet::EMPTY,
                asleep,
                done: Vec::new(),
            });
        }
        let Some(step) = self.pick(depth) else {
            return Ok(None);
        };
        let hides = self.mutation.is(Mutation::SleepingHides);
        let node = &mut self.nodes[depth];
        node.backtrack.insert(step.0);
        if !hides && node.asleep.iter().any(|asleep| asleep.thread == step.0) {
            // Another alternative of it.
            node.backtrack.add(&node.enabled_threads());
        }
        match step.1 {
            TIMEOUT => self.note_quiet(trace, program),
            _ => self.note_taken(trace, program, step.0),
        }
        Ok(Some(step))
    }

    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        let node = self.nodes.last_mut().expect("a step was chosen here");
        node.done.push(step);
        trace.look_for_awaited(program);
        self.note_pending(trace, program);
        Ok(())
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        self.analyse(execution.trace, program);
        false
    }

    #[inline]
    fn reduces(&self) -> bool {
        true
    }

    fn count(&self, counters: &mut Counters) {
        counters.reversals = self.reversals;
    }
}

fn contains(steps: &[Step], thread: ThreadId, alternative: u32) -> bool {
    steps
        .iter()
        .any(|s| s.thread == thread && s.alternative == alternative)
}

/// Threads whose first event after `first`, and not because of it, is in `clock` and needs no other
/// such event; `thread` itself if there is none.
fn leading(trace: &Trace, first: usize, thread: ThreadId, clock: &[u32]) -> ThreadSet {
    let (mut seen, mut leading) = (ThreadSet::EMPTY, ThreadSet::EMPTY);
    for k in first + 1..trace.len() {
        let other = trace.event(k).thread;
        let leads = clock[usize::from(other.0)] as usize > k && !trace.happens_before(first, k);
        if !leads || seen.contains(other) {
            continue;
        }
        seen.insert(other);
        let mut needs = trace.clock(k).iter().enumerate();
        if needs.all(|(t, &end)| t == usize::from(other.0) || end as usize <= first) {
            leading.insert(other);
        }
    }
    if seen.is_empty() {
        ThreadSet::of(thread)
    } else {
        leading
    }
}
