//! What is promised of calls that threads make at the same time (`dpor scenario --progress-guarantee`), asked of the whole
//! graph.
//!
//! Each of the threads 1, 2, …, `callers` makes so many calls and ends, so that a run without end is one in which from some
//! moment on no call ends. The others may stop at any moment: runs need not be fair.
//!
//! - *obstruction-free*: a thread that runs alone from some moment on ends its call. It does not where it waits for others to
//!   move (for a lock, a signal, a place that is to change), and where it goes round by its own steps alone.
//! - *lock-free*: of the threads that run somebody ends a call. Nobody does where the only thread that runs waits for others,
//!   and where steps go round, whoever makes them.
//!
//! Source: obstruction-freedom: Herlihy, Luchangco and Moir, ICDCS 2003; lock-freedom: Herlihy and Shavit, OPODIS 2011.

use dpor_abi::options::Guarantee;
use dpor_explorer::states::{run_that_repeats, Explored, Lasso, Move, StateId, Wait};
use dpor_ltl::{Automaton, Formula};
use dpor_model::ThreadId;

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
