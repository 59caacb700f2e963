//! Follows the schedule of another build of the program, as far as its steps match.
//!
//! Decisions alone mean nothing there: a build may have events more, or fewer. So the steps of the
//! recorded trace are held against what each thread stands before. A step is the same if its thread,
//! operation, file, line and function are; it has moved if only its line differs, and then the others of
//! the function are taken to have moved as far. The order of the steps is kept: the thread of the first one
//! that is left goes on.
//!
//! - If the thread stands before that step, it makes it.
//! - If it stands before a later step of its own, those between do not come any more.
//! - If it stands before none of them, that is a new event, and it goes on over it.
//! - If it cannot go on, the default scheduler decides until it can.

use crate::knowledge::guide::{Fate, Guide, Wanted};
use crate::sites::place;
use crate::steps::name;
use dpor_explorer::Trace;
use dpor_model::{Operation, ThreadId};
use dpor_report::text::counted;
use dpor_report::{Place, Step};
use std::collections::BTreeMap;

impl Guide {
    /// A guide by a recorded trace, with the alternative taken in each step of it that was a decision.
    pub fn new(trace: &[Step], alternatives: &[Option<u32>]) -> Guide {
        let decisions = trace.iter().zip(alternatives);
        let decisions = decisions.filter_map(|(step, alternative)| {
            Some(Wanted {
                step: step.clone(),
                alternative: (*alternative)?,
                fate: Fate::Left,
            })
        });
        Guide {
            wanted: decisions.collect(),
            first: 0,
            shifts: BTreeMap::new(),
            seen: 0,
            new: Vec::new(),
        }
    }

    /// The next step, after the events of `trace`; see `Program::guide`.
    pub fn next(
        &mut self,
        trace: &Trace,
        can: &dyn Fn(ThreadId, u32) -> bool,
    ) -> Option<(ThreadId, u32)> {
        self.look_at_new(trace);
        loop {
            let wanted = self.first_left()?.clone();
            let thread = ThreadId(wanted.step.thread as u16);
            let Some(pending) = trace.pending(thread) else {
                self.wanted[self.first].fate = Fate::Missing;
                continue;
            };
            let found = self.find(thread, pending);
            if found.is_some_and(|k| k != self.first) {
                self.wanted[self.first].fate = Fate::Missing;
                continue;
            }
            let alternatives = [found.map_or(0, |_| wanted.alternative), 0];
            let mut possible = alternatives.into_iter().filter(|&a| can(thread, a));
            return possible.next().map(|alternative| (thread, alternative));
        }
    }

    fn first_left(&mut self) -> Option<&Wanted> {
        while self.wanted.get(self.first)?.fate != Fate::Left {
            self.first += 1;
        }
        self.wanted.get(self.first)
    }

    /// The steps of a thread that are left.
    fn left_of(&self, thread: ThreadId) -> impl Iterator<Item = usize> + '_ {
        (self.first..self.wanted.len()).filter(move |&k| {
            let wanted = &self.wanted[k];
            wanted.fate == Fate::Left && wanted.step.thread == u32::from(thread.0)
        })
    }

    /// The step that an operation is: of those with its kind, file and function the one whose line has
    /// moved as the lines of the function did before, or else the first.
    fn find(&self, thread: ThreadId, operation: &Operation) -> Option<usize> {
        let at = place(operation.site);
        let alike = |&k: &usize| {
            let step = &self.wanted[k].step;
            let (file, function) = (&step.place.file, &step.place.function);
            step.operation == name(operation) && *file == at.file && *function == at.function
        };
        let shift = self.shifts.get(&(at.file.clone(), at.function.clone()));
        let as_before = |&k: &usize| {
            let line = i64::from(self.wanted[k].step.place.line);
            shift.is_some_and(|shift| line + shift == i64::from(at.line))
        };
        let mut all = self.left_of(thread).filter(alike);
        let first = all.next()?;
        let expected = std::iter::once(first).chain(all).find(as_before);
        expected.or(Some(first))
    }

    fn look_at_new(&mut self, trace: &Trace) {
        while self.seen < trace.len() {
            self.look(trace, self.seen);
            self.seen += 1;
        }
    }

    /// Finds the step that an event is.
    fn look(&mut self, trace: &Trace, position: usize) {
        let (thread, operation) = (trace.event(position).thread, trace.operation(position));
        let Some(found) = self.find(thread, operation) else {
            if self.first_left().is_some() {
                self.new.push(position);
            }
            return;
        };
        let before: Vec<usize> = { self.left_of(thread) }
            .take_while(|&k| k < found)
            .collect();
        for k in before {
            self.wanted[k].fate = Fate::Missing;
        }
        let at = place(operation.site);
        let line = self.wanted[found].step.place.line;
        self.wanted[found].fate = match line == at.line {
            true => Fate::Came,
            false => Fate::Moved(at.line),
        };
        let shift = i64::from(at.line) - i64::from(line);
        self.shifts.insert((at.file, at.function), shift);
    }

    /// Says in one sentence how the schedule fits.
    pub fn account(&self, trace: &Trace) -> String {
        let mut all = self.clone();
        all.look_at_new(trace);
        all.sentence(trace)
    }

    fn sentence(&self, trace: &Trace) -> String {
        let of = |is: &dyn Fn(&Fate) -> bool| -> Vec<&Wanted> {
            self.wanted
                .iter()
                .filter(|wanted| is(&wanted.fate))
                .collect()
        };
        let came = of(&|fate| *fate == Fate::Came).len() as u64;
        let moved = of(&|fate| matches!(fate, Fate::Moved(_)));
        let missing = of(&|fate| matches!(fate, Fate::Missing | Fate::Left));
        let all = counted(self.wanted.len() as u64, "event");
        let mut parts = vec![format!("of its {all} {came} came at the same line")];
        if let Some(first) = moved.first() {
            let Fate::Moved(line) = first.fate else {
                unreachable!("of those that moved")
            };
            let first = described(first.step.thread, &first.step.operation, &first.step.place);
            let count = moved.len();
            parts.push(format!(
                "{count} at another (first {first}, now line {line})"
            ));
        }
        if let Some(first) = missing.first() {
            let first = described(first.step.thread, &first.step.operation, &first.step.place);
            parts.push(format!("{} did not come (first {first})", missing.len()));
        }
        if let Some(&first) = self.new.first() {
            let (event, operation) = (trace.event(first), trace.operation(first));
            let at = place(operation.site);
            let first = described(u32::from(event.thread.0), name(operation), &at);
            parts.push(format!(
                "{} came that it does not have (first {first})",
                self.new.len()
            ));
        }
        format!("the schedule is of another build: {}", parts.join(", "))
    }
}

fn described(thread: u32, operation: &str, at: &Place) -> String {
    format!(
        "T{thread} {operation} at {}:{} in {}",
        at.file, at.line, at.function
    )
}
