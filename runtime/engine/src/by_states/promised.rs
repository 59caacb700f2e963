//! What is promised of calls that threads make at the same time (`dpor scenario --progress-guarantee`), asked of the whole
//! graph.
//!
//! Each of the threads 1, 2, …, `callers` makes so many calls and ends, so that a run without end is one in which from some
//! moment on no call ends. The others may stop at any moment: runs need not be fair. For *wait-free* they make their calls
//! again and again, and the steps are marked in which a call ends.
//!
//! - *obstruction-free*: a thread that runs alone from some moment on ends its call. It does not where it waits for others to
//!   move (for a lock, a signal, a place that is to change), and where it goes round by its own steps alone.
//! - *lock-free*: of the threads that run somebody ends a call. Nobody does where the only thread that runs waits for others,
//!   and where steps go round, whoever makes them.
//! - *wait-free*: a thread ends its call by a bounded number of its own steps. It does not where it waits for others, and
//!   where steps go round, its own among them, of which none ends a call of its. If there is neither in a finite graph of
//!   `n` states, a call takes at most `n` steps of its thread: of the states before `n + 1` of them two were one, and between
//!   these the steps would go round.
//!
//! Source: wait-freedom: Herlihy, TOPLAS 13(1), 1991; obstruction-freedom: Herlihy, Luchangco and Moir, ICDCS 2003;
//! lock-freedom: Herlihy and Shavit, OPODIS 2011.

use dpor_abi::options::Guarantee;
use dpor_explorer::states::{
    run_that_moves, run_that_repeats, Explored, Lasso, Move, StateId, Wait,
};
use dpor_ltl::{Automaton, Formula};
use dpor_model::ThreadId;
use std::collections::BTreeMap;

/// The promise that is asked for.
#[derive(Clone, Copy)]
pub(super) struct Promise {
    pub guarantee: Guarantee,
    pub callers: u32,
}

/// What is not as promised, and a run to it.
pub(super) type Broken = (String, Lasso);

impl Promise {
    /// Where it is broken, if it is.
    ///
    /// # Errors
    /// One sentence: nobody can tell.
    pub fn broken(self, explored: &Explored) -> Result<Option<Broken>, String> {
        let threads = explored.threads().iter().count() as u32;
        if threads > self.callers + 1 {
            return Err(format!(
                "--progress-guarantee: threads of the object's own ({} besides those that make calls), which may be what a call \
                 waits for by design",
                threads - self.callers - 1
            ));
        }
        if let Some(broken) = self.waiting(explored)? {
            return Ok(Some(broken));
        }
        if self.guarantee == Guarantee::WaitFree {
            let broken = self
                .threads()
                .find_map(|thread| never_ends(explored, thread));
            return match broken {
                None if explored.is_complete && !ends_any(explored) => Err(UNMARKED.to_owned()),
                broken => Ok(broken),
            };
        }
        let any = Automaton::of(&Formula::True).expect("one state");
        if self.guarantee == Guarantee::LockFree {
            let run = run_that_repeats(explored, &any, false, &|_, edge| edge.is_some());
            let what = || "not lock-free: calls go on for ever, and none of them ends".to_owned();
            return Ok(run.map(|run| (what(), run)));
        }
        let alone = |thread: ThreadId| {
            let run = run_that_repeats(explored, &any, false, &|_, edge| {
                edge.is_some_and(|edge| edge.thread == thread)
            })?;
            let what = format!(
                "not obstruction-free: T{} runs alone, and its call never ends",
                thread.0
            );
            Some((what, run))
        };
        let found = self.threads().find_map(alone);
        Ok(found)
    }

    fn threads(self) -> impl Iterator<Item = ThreadId> {
        (1..=self.callers as u16).map(ThreadId)
    }

    /// The nearest state at which one of them waits for others.
    fn waiting(self, explored: &Explored) -> Result<Option<Broken>, String> {
        let all = { explored.graph.all() }.flat_map(|state| {
            let waits = move |thread| Some((state, thread, explored.wait(state, thread)?));
            self.threads().filter_map(waits)
        });
        let waiting: Vec<(StateId, ThreadId, Wait)> = all
            .filter(|(_, _, wait)| !matches!(wait, Wait::Enabled | Wait::Ended))
            .collect();
        if let Some((_, thread, _)) = waiting.iter().find(|one| one.2 == Wait::Everybody) {
            return Err(format!(
                "--progress-guarantee: T{} waits with a time limit, or for what nobody is known to do: whether it goes on alone \
                 is not known",
                thread.0
            ));
        }
        let nearest = waiting.iter().min_by_key(|one| explored.graph.depth(one.0));
        Ok(nearest.map(|&(state, thread, wait)| {
            let whom = match wait {
                Wait::Thread(other) if other == thread => "what it holds itself".to_owned(),
                Wait::Thread(other) => format!("T{}", other.0),
                _ => "what another thread does".to_owned(),
            };
            let word = self.guarantee;
            let stem = { explored.graph.way(state).into_iter() }.map(|step| Move {
                state,
                step: Some(step),
            });
            let run = Lasso {
                stem: stem.collect(),
                around: Vec::new(),
            };
            (format!("not {word}: T{} waits for {whom}", thread.0), run)
        }))
    }
}

/// Why nothing is said of a graph in which no call ends and none goes on for ever.
const UNMARKED: &str = "--progress-guarantee=wait-free: the program does not tell when its calls end: it was built with headers \
                        of an earlier version, or has no calls";

/// Whether a call ends in some step.
fn ends_any(explored: &Explored) -> bool {
    let graph = &explored.graph;
    let mut all = graph.all();
    all.any(|state| graph.edges(state).any(|edge| edge.progress))
}

/// A run in which a thread moves again and again, and none of its calls ends.
fn never_ends(explored: &Explored, thread: ThreadId) -> Option<Broken> {
    let run = run_that_moves(explored, thread, &|_, edge| {
        edge.is_some_and(|edge| edge.thread != thread || !edge.progress)
    })?;
    // The others on the circle, and whether they end calls there.
    let mut others: BTreeMap<ThreadId, bool> = BTreeMap::new();
    for one in &run.around {
        let edges = explored.graph.edges(one.state);
        let mut edges = edges.filter(|edge| one.step == Some((edge.thread, edge.alternative)));
        if let Some(edge) = edges.next().filter(|edge| edge.thread != thread) {
            *others.entry(edge.thread).or_default() |= edge.progress;
        }
    }
    let named = |ends: bool| {
        let all = others.iter().filter(|(_, own)| **own == ends);
        let all: Vec<String> = all.map(|(other, _)| format!("T{}", other.0)).collect();
        all.join(" and ")
    };
    let own = thread.0;
    let what = match (others.is_empty(), named(true)) {
        (true, _) => format!("not wait-free: T{own} runs alone, and its call never ends"),
        (false, winners) if winners.is_empty() => {
            let losers = named(false);
            format!("not wait-free: the call of T{own} never ends, nor does that of {losers}")
        }
        (false, winners) => {
            format!("not wait-free: the call of T{own} never ends, while calls of {winners} end again and again")
        }
    };
    Some((what, run))
}
