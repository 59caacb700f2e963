//! Executions of a bounded search: cut where they leave the bound, told apart from those within it, and counted by
//! bound.

use super::{Explorer, State};
use crate::bound::coverage::{Coverage, States};
use crate::bound::Bound;
use crate::config::{Config, SearchKind};
use crate::enabled::{could_go_on, enabled_steps};
use crate::end::{End, Fault};
use crate::program::Program;
use crate::search::icb::Step;

impl Config {
    /// The same without the reductions that a bound does not go with (`crate::bound`).
    pub(super) fn into_bounded(mut self) -> Config {
        if self.is_bounded() {
            self.reductions.observers = false;
            self.reductions.symmetry = false;
        }
        if self.search == SearchKind::Icb {
            self.reductions.commute = false;
        }
        self
    }

    fn is_bounded(&self) -> bool {
        self.bound.is_some() || self.is_iterative() || self.search == SearchKind::Icb
    }

    pub(super) fn is_iterative(&self) -> bool {
        self.iterative && self.search == SearchKind::Optimal
    }

    pub(super) fn new_bound(&self) -> Option<Box<Bound>> {
        let most = match self.is_iterative() {
            true => self.bound.unwrap_or(u32::MAX),
            false => self.bound?,
        };
        let first = if self.iterative { 0 } else { most };
        let bound = Bound::new(first, most, self.slack);
        (self.search == SearchKind::Optimal).then(|| Box::new(bound))
    }

    pub(super) fn new_states(&self) -> Option<Box<States>> {
        self.is_bounded().then(Box::default)
    }
}

impl Explorer {
    /// True if whatever comes next has too many preemptions.
    #[cold]
    pub(super) fn leaves_bound(&mut self) -> bool {
        let bound = self.bound.as_mut();
        bound.is_some_and(|bound| bound.is_exceeded(&self.trace))
    }

    /// Gives up what is planned from here on, for now.
    #[cold]
    pub(super) fn cut(&mut self) -> End {
        if let State::Optimal(optimal) = &mut self.state {
            optimal.cut();
        }
        End::PreemptionBound
    }

    /// True if the execution that ended so has more preemptions than the bound, in each of its linearizations. In an
    /// iterative search it waits for the bound that it needs.
    fn is_beyond(&mut self, end: &End) -> bool {
        let Some(bound) = &self.bound else {
            return false;
        };
        let limit = bound.limit;
        let needed = match end {
            // The last event exceeded what is tolerated, and that by one.
            End::PreemptionBound => limit.saturating_add(1),
            _ => self.trace.preemptions_least(self.trace.len()) as u32,
        };
        if needed <= limit {
            return false;
        }
        if let (State::Optimal(optimal), true) = (&mut self.state, self.config.iterative) {
            optimal.wait_for(needed);
        }
        true
    }

    /// The depth from which the first execution with another bound is new. `None`: there is none.
    #[cold]
    pub(super) fn raise_bound(&mut self) -> Option<usize> {
        while self.has_another_bound() {
            self.coverage.extend(self.present_coverage());
            let depth = match (&mut self.state, &mut self.bound) {
                (State::Optimal(optimal), Some(bound)) => {
                    bound.limit += 1;
                    optimal.wake(bound.limit);
                    self.counters.beyond = optimal.waiting() as u64;
                    optimal.advance()
                }
                (State::Icb(icb), _) => {
                    icb.raise();
                    icb.advance()
                }
                _ => None,
            };
            if depth.is_some() {
                return depth;
            }
        }
        None
    }

    pub(super) fn has_another_bound(&self) -> bool {
        match (&self.state, &self.bound) {
            (State::Optimal(optimal), Some(bound)) => {
                self.config.iterative && bound.limit < bound.most && optimal.waiting() > 0
            }
            (State::Icb(icb), _) => icb.has_another_bound(),
            _ => false,
        }
    }

    pub(super) fn forget_bound(&mut self) {
        self.bound = self.config.new_bound();
        self.states = self.config.new_states();
        self.coverage.clear();
    }

    /// Counts the execution that ended, and its states; it is new from event `depth` on. True if it is beyond the bound.
    #[cold]
    pub(super) fn count_bounded(&mut self, end: &End, depth: usize) -> bool {
        let beyond = self.is_beyond(end);
        match beyond {
            false => self.counters.count(end),
            true => self.counters.beyond += 1,
        }
        if let Some(states) = &mut self.states {
            states.truncate(depth);
            if !beyond {
                states.note(&self.trace);
            }
        }
        beyond
    }

    /// The present bound of preemptions, if there is one.
    pub fn bound(&self) -> Option<u32> {
        match (&self.state, &self.bound) {
            (State::Icb(icb), _) => Some(icb.bound),
            (_, bound) => bound.as_ref().map(|bound| bound.limit),
        }
    }

    /// True if there is something with more preemptions than the bound.
    pub fn leaves_some(&self) -> bool {
        match &self.state {
            State::Icb(icb) => icb.leaves_some(),
            _ => self.counters.beyond > 0,
        }
    }

    fn present_coverage(&self) -> Option<Coverage> {
        let counters = &self.counters;
        Some(Coverage {
            bound: self.bound()?,
            executions: counters.executions() - counters.beyond - counters.redundant,
            states: self.states.as_ref()?.count(),
        })
    }

    /// What was reached with each bound so far, the present one last.
    pub fn coverage(&self) -> Vec<Coverage> {
        let all = self.coverage.iter().copied();
        all.chain(self.present_coverage()).collect()
    }

    /// One step of the search by rising bounds without reduction; false if there is none.
    #[cold]
    #[inline(never)]
    pub(super) fn step_icb<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Icb(icb) = &mut self.state else {
            unreachable!("asked before")
        };
        let trace = &self.trace;
        let moves = || {
            let all = enabled_steps(trace);
            let all = all.flat_map(|(thread, alternatives)| {
                alternatives.iter().map(move |a| -> Step { (thread, a) })
            });
            let running = trace.events().last().map(|event| event.thread);
            let stays = running.filter(|&running| could_go_on(trace, running));
            all.partition(|&(thread, _)| stays.is_none_or(|running| running == thread))
        };
        let Some((thread, alternative)) = icb.choose(trace.len(), moves) else {
            return Ok(false);
        };
        self.execute(program, thread, alternative)?;
        Ok(true)
    }
}
