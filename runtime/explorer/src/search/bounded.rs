//! The optimal search within a bound of preemptions ([`crate::bound`]), which may rise.

use super::optimal::Optimal;
use super::{Ended, Search};
use crate::bound::coverage::{Coverage, Reached};
use crate::bound::Bound;
use crate::config::{Config, Order, SearchKind};
use crate::end::{Counters, End, Fault};
use crate::reversals::Reversals;
use crate::spill::Spill;
use crate::trace::Trace;
use crate::tree::Step;
use crate::Program;
use dpor_model::ThreadId;

/// The traces with at most so many preemptions, each once.
pub(crate) struct Bounded {
    optimal: Optimal,
    bound: Bound,
    reached: Reached,
    /// True if the bound rises to [`Bound::most`]: what is beyond it waits.
    is_iterative: bool,
    /// True if whatever comes next in the present execution is beyond the bound.
    is_cut: bool,
    /// Executions beyond the bound; in an iterative search those that wait.
    beyond: u64,
}

impl Bounded {
    /// Preemptions of the execution that ended so, in each of its linearizations, if those are more than the bound.
    fn beyond(&self, trace: &Trace, end: &End) -> Option<u32> {
        let limit = self.bound.limit;
        let needed = match end {
            // The last event exceeded what is tolerated, and that by one.
            End::PreemptionBound => limit.saturating_add(1),
            _ => trace.preemptions_least(trace.len()) as u32,
        };
        (needed > limit).then_some(needed)
    }

    fn has_another_bound(&self) -> bool {
        self.is_iterative && self.bound.limit < self.bound.most && self.optimal.waiting() > 0
    }

    /// The depth from which the first execution with another bound is new. `None`: there is none.
    #[cold]
    fn raise(&mut self, trace: &Trace) -> Option<usize> {
        while self.has_another_bound() {
            self.reached.raise(self.bound.limit);
            self.bound.limit += 1;
            self.optimal.wake(self.bound.limit);
            self.beyond = self.optimal.waiting() as u64;
            let depth = self.optimal.advance(trace);
            if depth.is_some() {
                return depth;
            }
        }
        None
    }
}

impl Search for Bounded {
    fn new(config: &mut Config) -> Option<Self> {
        if config.search != SearchKind::Optimal || !config.is_bounded() {
            return None;
        }
        let most = config.bound.unwrap_or(u32::MAX);
        let (first, order) = match config.iterative {
            true => (0, Order::KeepAll),
            false => (most, config.order),
        };
        Some(Bounded {
            optimal: Optimal::of(order, config.mutation),
            bound: Bound::new(first, most, config.slack),
            reached: Reached::default(),
            is_iterative: config.iterative,
            is_cut: false,
            beyond: 0,
        })
    }

    fn advance(&mut self, trace: &Trace) -> Option<usize> {
        self.is_cut = false;
        let next = self.optimal.advance(trace);
        let depth = next.or_else(|| self.raise(trace))?;
        self.bound.truncate(depth);
        Some(depth)
    }

    fn has_more(&self) -> bool {
        self.optimal.has_more() || self.has_another_bound()
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        if self.bound.is_exceeded(trace) {
            self.optimal.cut();
            self.is_cut = true;
            return Ok(None);
        }
        self.optimal.next_step(trace, program)
    }

    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        self.optimal.executed(trace, program, step)
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        let Ended {
            trace,
            end,
            new_from,
        } = execution;
        let execution = Ended {
            trace: &mut *trace,
            end,
            new_from,
        };
        self.optimal.ended(execution, program);
        let needed = self.beyond(trace, end);
        if let (Some(needed), true) = (needed, self.is_iterative) {
            self.optimal.wait_for(needed);
        }
        self.beyond += u64::from(needed.is_some());
        self.reached.note(trace, new_from, end, needed.is_none());
        needed.is_some()
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
        self.optimal.is_led(trace)
    }

    fn owes_read(&self) -> bool {
        self.optimal.owes_read()
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn check(&self) -> Result<(), Fault> {
        self.optimal.check()
    }

    fn begin_anew(&mut self, config: &Config) {
        self.optimal.forget();
        let first = if self.is_iterative {
            0
        } else {
            self.bound.most
        };
        self.bound = Bound::new(first, self.bound.most, config.slack);
        self.reached = Reached::default();
        self.is_cut = false;
        self.beyond = 0;
    }

    fn count(&self, counters: &mut Counters) {
        self.optimal.count(counters);
        counters.beyond = self.beyond;
    }

    /// Not if the bound rises: the whole tree stays in memory then.
    fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        if !self.is_iterative {
            self.optimal.spill_to(store, bytes);
        }
    }

    fn bound(&self) -> Option<u32> {
        Some(self.bound.limit)
    }

    fn leaves_some(&self) -> bool {
        self.beyond > 0
    }

    fn coverage(&self) -> Vec<Coverage> {
        self.reached.all(self.bound.limit)
    }
}
