//! Iterative context bounding as published: every schedule, those with fewer preemptions first, without
//! partial-order reduction. For comparison.
//!
//! Threads switch at visible events: plain accesses are checked for races, and are none. A schedule goes on with
//! the running thread as long as it can; whoever else could go on there is a work item for the next bound. Where the
//! running thread cannot go on, all others are tried at once.
//!
//! Source: Musuvathi, Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded Programs, PLDI
//! 2007, algorithm 1.
//! **Deviations**
//! 1. An operation with alternatives is tried with each of them, within the bound.
//! 2. A work item is the schedule that leads to it, and not a state.
//! 3. A thread that stands before [`dpor_model::Kind::Pause`] asks to be left.

use super::steps::{all_steps, running, Choice};
use super::{Ended, Search};
use crate::bound::coverage::{Coverage, Reached};
use crate::config::{Config, Reductions, SearchKind};
use crate::end::Fault;
use crate::trace::Trace;
use crate::Program;
use dpor_model::ThreadId;
use std::collections::VecDeque;

/// A beginning of a schedule: its last step, after another beginning.
#[derive(Clone, Copy)]
struct PrefixNode {
    before: u32,
    step: Choice,
}

/// The beginning without any step.
const NOTHING: u32 = 0;

/// The state of the search between and during executions.
pub(crate) struct Icb {
    beginnings: Vec<PrefixNode>,
    /// The beginnings of the present execution, by their length in events.
    path: Vec<u32>,
    /// The other choices within the bound that are left at each step of the execution, the next one last.
    others: Vec<Vec<Choice>>,
    /// The steps of the present work item that are left, the next one last.
    forced: Vec<Choice>,
    /// Work items of the present bound.
    queue: VecDeque<u32>,
    /// The beginnings of executions with one preemption more.
    next: VecDeque<u32>,
    /// Preemptions of the present executions.
    bound: u32,
    /// The most preemptions that are allowed.
    most: u32,
    reached: Reached,
}

impl Icb {
    /// All schedules with at most `most` preemptions.
    fn within(most: u32) -> Self {
        let nothing = PrefixNode {
            before: NOTHING,
            step: (ThreadId(0), 0),
        };
        Icb {
            beginnings: vec![nothing],
            path: vec![NOTHING],
            others: Vec::new(),
            forced: Vec::new(),
            queue: VecDeque::new(),
            next: VecDeque::new(),
            bound: 0,
            most,
            reached: Reached::default(),
        }
    }

    /// The depth from which the next execution is new; `None`: none is left with this bound.
    fn advance_within(&mut self) -> Option<usize> {
        while let Some(others) = self.others.pop() {
            if !others.is_empty() {
                self.others.push(others);
                let depth = self.others.len() - 1;
                self.path.truncate(depth + 1);
                return Some(depth);
            }
        }
        let item = self.queue.pop_front()?;
        let mut to_item = Vec::new();
        let mut at = item;
        while at != NOTHING {
            to_item.push(at);
            at = self.beginnings[at as usize].before;
        }
        let path = self.path[1..].iter();
        let depth = path
            .zip(to_item.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        to_item.truncate(to_item.len() - depth);
        self.path.truncate(depth + 1);
        self.others = vec![Vec::new(); depth];
        let step = |&at: &u32| self.beginnings[at as usize].step;
        self.forced = to_item.iter().map(step).collect();
        // The beginnings of the item are known by their numbers, not only by their steps.
        self.path.extend(to_item.iter().rev());
        Some(depth)
    }

    /// True if there are executions with one more preemption, and they are wanted.
    fn has_another_bound(&self) -> bool {
        self.bound < self.most && !self.next.is_empty()
    }

    fn begin(&mut self, before: u32, step: Choice) -> u32 {
        self.beginnings.push(PrefixNode { before, step });
        self.beginnings.len() as u32 - 1
    }
}

impl Search for Icb {
    fn new(config: &mut Config) -> Option<Self> {
        if config.search != SearchKind::Icb {
            return None;
        }
        config.reductions = Reductions::NONE;
        Some(Icb::within(config.bound.unwrap_or(u32::MAX)))
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        loop {
            let depth = self.advance_within();
            if depth.is_some() || !self.has_another_bound() {
                return depth;
            }
            self.reached.raise(self.bound);
            self.bound += 1;
            self.queue = std::mem::take(&mut self.next);
        }
    }

    fn has_more(&self) -> bool {
        let left = self.others.iter().any(|others| !others.is_empty());
        left || !self.queue.is_empty() || self.has_another_bound()
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<Choice>, Fault> {
        let depth = trace.len();
        if let Some(step) = self.forced.pop() {
            self.others.push(Vec::new());
            return Ok(Some(step));
        }
        if depth == self.others.len() {
            let stays = running(trace);
            let is_free = |&(thread, _): &Choice| stays.is_none_or(|running| running == thread);
            let (mut free, preempting): (Vec<Choice>, Vec<Choice>) =
                all_steps(trace).partition(is_free);
            free.reverse();
            for step in preempting {
                let item = self.begin(self.path[depth], step);
                self.next.push_back(item);
            }
            self.others.push(free);
        }
        let Some(step) = self.others[depth].pop() else {
            self.others.truncate(depth);
            return Ok(None);
        };
        let longer = self.begin(self.path[depth], step);
        self.path.push(longer);
        Ok(Some(step))
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, _: &mut P) -> bool {
        self.reached
            .note(execution.trace, execution.new_from, execution.end, true);
        false
    }

    fn bound(&self) -> Option<u32> {
        Some(self.bound)
    }

    fn leaves_some(&self) -> bool {
        !self.next.is_empty()
    }

    fn coverage(&self) -> Vec<Coverage> {
        self.reached.all(self.bound)
    }
}
