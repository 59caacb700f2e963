//! How the ended execution went up to where something was found: the same for all that was found there.

use crate::runtime::Runtime;
use crate::schedule::text;
use crate::searching::Searching;
use crate::starts::threads;
use crate::steps::{decisions, outline, preemptions_at};
use core::cell::{OnceCell, RefCell};
use dpor_explorer::Trace;
use dpor_report::outline::Outline;
use dpor_report::Thread;
use std::rc::Rc;

/// The first events of an execution.
pub(super) struct Course {
    /// The number of events.
    pub(super) depth: usize,
    /// The numbers of the events among the steps.
    pub(super) decisions: Vec<u64>,
    /// The numbers of the steps that are preemptions.
    pub(super) preemptions_at: Vec<u64>,
    pub(super) threads: Vec<Thread>,
    outline: OnceCell<Outline<'static>>,
    schedule: OnceCell<String>,
}

impl Course {
    fn of(trace: &Trace, depth: usize) -> Course {
        let decisions = decisions(trace, depth);
        Course {
            depth,
            preemptions_at: preemptions_at(trace, &decisions),
            threads: threads(trace, depth),
            decisions,
            outline: OnceCell::new(),
            schedule: OnceCell::new(),
        }
    }

    /// The steps without values.
    pub(super) fn outline(&self, trace: &Trace) -> &Outline<'static> {
        self.outline.get_or_init(|| outline(trace, self.depth))
    }

    /// The decisions as text, of what is no death of the process.
    pub(super) fn schedule(&self, rt: &Runtime, search: &Searching) -> String {
        let written = || {
            let decisions = search.schedule();
            let decisions = decisions[..self.depth].iter();
            text(rt, decisions.map(|&(thread, a)| (thread.0, a)))
        };
        self.schedule.get_or_init(written).clone()
    }
}

/// The course up to where something was found last, while findings of one execution are completed.
#[derive(Default)]
pub(super) struct Latest(RefCell<Option<Rc<Course>>>);

impl Latest {
    /// The course of the first `depth` events.
    pub(super) fn up_to(&self, trace: &Trace, depth: usize) -> Rc<Course> {
        let mut latest = self.0.borrow_mut();
        match &*latest {
            Some(course) if course.depth == depth => course.clone(),
            _ => latest.insert(Rc::new(Course::of(trace, depth))).clone(),
        }
    }
}
