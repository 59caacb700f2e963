//! Executions with a given beginning: [`crate::prefix`].

use super::{Explorer, State};
use crate::config::{Config, SearchKind};
use crate::enabled::{could_go_on, enabled_steps};
use crate::end::Fault;
use crate::prefix::PrefixProgress;
use crate::program::{Program, ThreadId};
use crate::tree::Step;

impl Config {
    /// The same without the reductions that a beginning does not go with.
    pub(super) fn into_begun(mut self) -> Config {
        if self.prefix.is_some() {
            self.reductions.observers = false;
            self.reductions.symmetry = false;
        }
        self
    }

    pub(super) fn new_begun(&self) -> Option<Box<PrefixProgress>> {
        let beginning = self.prefix.as_ref()?;
        Some(Box::new(PrefixProgress::new(beginning)))
    }

    /// # Errors
    /// [`Fault::PrefixUnsupported`].
    pub(super) fn check_beginning(&self) -> Result<(), Fault> {
        let fits = self.search == SearchKind::Optimal && self.bound.is_none() && !self.iterative;
        match self.prefix.is_none() || fits {
            true => Ok(()),
            false => Err(Fault::PrefixUnsupported),
        }
    }
}

impl Explorer {
    /// True if the next event is given.
    pub(super) fn is_beginning(&self) -> bool {
        let depth = self.trace.len();
        let begun = self.begun.as_ref();
        begun
            .is_some_and(|begun| begun.decision(depth).is_some() || begun.unwanted(depth).is_some())
    }

    /// One step of the beginning; false if there is none.
    #[cold]
    pub(super) fn step_of_beginning<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let depth = self.trace.len();
        if let Some(unwanted) = self.begun.as_ref().and_then(|begun| begun.unwanted(depth)) {
            let others = self.others_than(unwanted);
            if others.is_empty() {
                return Ok(false);
            }
            if let Some(begun) = &mut self.begun {
                begun.set_others(others);
            }
        }
        let given = self.begun.as_ref().and_then(|begun| begun.decision(depth));
        let possible = given.filter(|&(thread, alternative)| self.can_execute(thread, alternative));
        let Some((thread, alternative)) = possible else {
            return Err(Fault::BadSchedule { step: depth });
        };
        let footprint = self.execute(program, thread, alternative)?.footprint;
        let fixed = self.begun.as_ref().map_or(0, |begun| begun.len());
        let State::Optimal(optimal) = &mut self.state else {
            unreachable!("checked when the search began")
        };
        optimal.fix(fixed);
        let node = optimal.add_free(Step {
            thread,
            alternative,
            footprint,
        });
        optimal.enter(node, &self.trace);
        Ok(true)
    }

    /// What can come next instead of a step of `unwanted`.
    fn others_than(&self, unwanted: ThreadId) -> Vec<(ThreadId, u32)> {
        let trace = &self.trace;
        let running = trace.events().last().map(|event| event.thread);
        let stays = running.filter(|&running| could_go_on(trace, running));
        let all = enabled_steps(trace).filter(|&(thread, _)| match stays {
            Some(running) => thread == running && thread != unwanted,
            None => thread != unwanted,
        });
        let each = all.flat_map(|(thread, all)| all.iter().map(move |a| (thread, a)));
        each.collect()
    }

    /// The depth from which the first execution that begins otherwise is new.
    #[cold]
    pub(super) fn begin_otherwise(&mut self) -> Option<usize> {
        let has_another = self.begun.as_mut()?.advance();
        let State::Optimal(optimal) = &mut self.state else {
            return None;
        };
        has_another.then(|| {
            optimal.begin_anew();
            0
        })
    }
}
