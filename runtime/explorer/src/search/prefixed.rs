//! The optimal search of what can come after a prefix ([`crate::prefix`]).

use super::optimal::Optimal;
use super::steps::{all_steps, can_execute, running, Choice};
use super::{Ended, Search};
use crate::config::{Config, SearchKind};
use crate::end::{Counters, Fault};
use crate::estimate::Estimate;
use crate::prefix::{Continuation, Prefix};
use crate::reversals::Reversals;
use crate::spill::Spill;
use crate::trace::Trace;
use crate::tree::Step;
use crate::Program;
use dpor_model::ThreadId;

/// The traces that have a prefix, each once; where the first event after it must not be a given thread's, one search
/// after the other for each that it can be.
pub(crate) struct Prefixed {
    optimal: Optimal,
    progress: Progress,
    /// True while a step of the prefix is being executed.
    is_given: bool,
}

/// How far a search of what comes after a prefix is.
struct Progress {
    /// The events that are given. The last one of [`Continuation::Without`] included, once it is known.
    decisions: Vec<Choice>,
    /// Whether the last decision is one of `others`.
    has_other: bool,
    /// The thread that may not come next.
    without: Option<ThreadId>,
    /// What else can come first, and was not searched yet.
    others: Vec<Choice>,
}

impl Progress {
    /// Before the first execution.
    fn new(prefix: &Prefix) -> Self {
        Progress {
            decisions: prefix.decisions.clone(),
            has_other: false,
            without: match prefix.continuation {
                Continuation::Any => None,
                Continuation::Without(thread) => Some(thread),
            },
            others: Vec::new(),
        }
    }

    /// The decision after `depth` events, if it is given.
    fn decision(&self, depth: usize) -> Option<Choice> {
        self.decisions.get(depth).copied()
    }

    /// The thread that may not come next, after the last of the decisions.
    fn unwanted(&self, depth: usize) -> Option<ThreadId> {
        let is_here = !self.has_other && depth == self.decisions.len();
        self.without.filter(|_| is_here)
    }

    /// True if the event after `depth` events is given.
    fn gives(&self, depth: usize) -> bool {
        self.decision(depth).is_some() || self.unwanted(depth).is_some()
    }

    /// What can come after the decisions, in order. Not empty.
    fn set_others(&mut self, mut others: Vec<Choice>) {
        others.reverse();
        self.others = others;
        self.decisions.extend(self.others.pop());
        self.has_other = true;
    }

    /// Goes over to what else can come first; false if all was searched.
    fn advance(&mut self) -> bool {
        let Some(other) = self.others.pop() else {
            return false;
        };
        self.decisions.pop();
        self.decisions.push(other);
        true
    }
}

/// What can come next instead of a step of `unwanted`.
fn others_than(trace: &Trace, unwanted: ThreadId) -> Vec<Choice> {
    let stays = running(trace);
    let is_allowed = |thread| match stays {
        Some(running) => thread == running && thread != unwanted,
        None => thread != unwanted,
    };
    all_steps(trace)
        .filter(|&(thread, _)| is_allowed(thread))
        .collect()
}

impl Search for Prefixed {
    fn new(config: &mut Config) -> Option<Self> {
        let prefix = config.prefix.as_ref()?;
        let fits = config.search == SearchKind::Optimal && !config.is_bounded();
        fits.then(|| Prefixed {
            optimal: Optimal::of(config.order, config.mutation),
            progress: Progress::new(prefix),
            is_given: false,
        })
    }

    fn advance(&mut self, trace: &Trace) -> Option<usize> {
        let next = self.optimal.advance(trace);
        next.or_else(|| {
            self.progress.advance().then(|| {
                self.optimal.forget();
                0
            })
        })
    }

    fn has_more(&self) -> bool {
        self.optimal.has_more() || !self.progress.others.is_empty()
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<Choice>, Fault> {
        let depth = trace.len();
        if !self.progress.gives(depth) {
            return self.optimal.next_step(trace, program);
        }
        if let Some(unwanted) = self.progress.unwanted(depth) {
            let others = others_than(trace, unwanted);
            if others.is_empty() {
                return Ok(None);
            }
            self.progress.set_others(others);
        }
        let given = self.progress.decision(depth);
        let step = given.filter(|&(thread, alternative)| can_execute(trace, thread, alternative));
        self.is_given = true;
        match step {
            Some(step) => Ok(Some(step)),
            None => Err(Fault::BadSchedule { step: depth }),
        }
    }

    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        if std::mem::take(&mut self.is_given) {
            self.optimal.fix(self.progress.decisions.len());
        }
        self.optimal.executed(trace, program, step)
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        self.optimal.ended(execution, program)
    }

    #[inline]
    fn reduces(&self) -> bool {
        true
    }

    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        self.optimal.reversals()
    }

    fn is_led(&self, trace: &Trace) -> bool {
        self.optimal.is_led(trace) || self.progress.gives(trace.len())
    }

    fn owes_read(&self) -> bool {
        self.optimal.owes_read()
    }

    fn check(&self) -> Result<(), Fault> {
        self.optimal.check()
    }

    fn begin_anew(&mut self, config: &Config) {
        self.optimal.forget();
        if let Some(prefix) = &config.prefix {
            self.progress = Progress::new(prefix);
        }
    }

    fn count(&self, counters: &mut Counters) {
        self.optimal.count(counters);
    }

    fn is_estimated(&self) -> bool {
        self.optimal.is_estimated()
    }

    fn estimate(&self, trace: &Trace) -> Option<Estimate> {
        self.optimal.estimate(trace)
    }

    fn takes_prefix(&self) -> bool {
        true
    }

    fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        self.optimal.spill_to(store, bytes);
    }
}
