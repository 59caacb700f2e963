//! Reads by code without instrumentation, whose cells are not known.
//!
//! A thread that runs such code may read every cell. If all stores before it happen before it, that
//! is the same as if it named all cells ([`crate::observers`]): it observes the last store to each.
//!
//! If a store and such a read are not ordered, what the read sees depends on the interleaving, and no
//! event stands for it. Without the reduction the search is as blind there, but it tries every order
//! of the stores; so that nothing is lost against that, the search is *disordered* from then on, and
//! whoever runs it begins again without the reduction ([`crate::Explorer::is_disordered`]). Whether two
//! of one execution are ordered follows from its happens-before alone, so that all equivalent
//! executions agree on it: a store may come after the read as well as before it.

use crate::conflict::{Access, Class, Object};
use crate::mutation::Mutation;
use crate::trace::{Mark, Reader, Trace};
use dpor_model::{ThreadId, ThreadSet};

impl Trace {
    /// Notes that `thread` may have read anything in its last step, without an event.
    pub(crate) fn note_unseen_read(&mut self, thread: ThreadId) {
        let wrong = self.table.mutation.is(Mutation::UnseenReadsObserveNothing);
        if !self.table.observers || wrong {
            return;
        }
        self.mark(thread, thread);
        // In an order on which all workers agree: later reads of a step depend on earlier ones.
        self.table.sort_objects();
        for at in 0..self.table.by_name().len() {
            let cell = self.table.by_name()[at];
            if (cell.0 as usize) < self.logs.len() && !self.is_read_by(cell, thread) {
                self.read_plainly(thread, cell);
            }
        }
    }

    /// Notes that what happens after the present position of thread `at` happens after a read of thread `by`.
    fn mark(&mut self, by: ThreadId, at: ThreadId) {
        let end = self.frontier().get(usize::from(at.0)).copied();
        self.unseen.marks.push(Mark {
            by,
            at,
            end: end.unwrap_or(0),
            after: self.len() as u32,
        });
    }

    /// True if `thread` has read the last store to `cell` before, in whichever step, so that a further read adds no
    /// observation.
    fn is_read_by(&self, cell: Object, thread: ThreadId) -> bool {
        let Some(entry) = self.log(cell).last().filter(|entry| entry.observed) else {
            return false;
        };
        let mut all = self.observations.list().iter().rev();
        all.any(|o| {
            o.store == entry.event
                && o.cell == cell
                && matches!(o.reader, Reader::Plain(t, _) if t == thread)
        })
    }

    /// Notes that `thread` has joined `joined`, so that its next events happen after the reads of `joined`.
    pub(crate) fn inherit_marks(&mut self, thread: ThreadId, joined: ThreadId) {
        let mut done = ThreadSet::EMPTY;
        for i in 0..self.unseen.marks.len() {
            let Mark { by, at, .. } = self.unseen.marks[i];
            if at == joined && !done.contains(by) {
                done.insert(by);
                self.mark(by, thread);
            }
        }
    }

    /// Marks the search disordered if the event about to be appended, of `thread`, is a store that some earlier read
    /// is not ordered with. The event's clock, [`Trace::base`], must be known.
    pub(crate) fn check_unseen_reads(&mut self, thread: ThreadId, footprint: &[Access]) {
        let is_store = matches!(footprint, [access] if access.class.is_store());
        if !is_store || self.unseen.marks.is_empty() || self.unseen.disordered {
            return;
        }
        let (marks, base) = (&self.unseen.marks, self.base());
        let is_after = |m: &Mark| m.at == thread || base[usize::from(m.at.0)] > m.end;
        // The last mark of a thread stands before those that others inherited of it. Whoever comes
        // after its last read comes after all of them.
        let mut done = ThreadSet::EMPTY;
        let mut marks = marks.iter().rev();
        self.unseen.disordered = marks.any(|m| {
            let settled = done.contains(m.by) || is_after(m);
            done.put(m.by, settled);
            !settled && m.by == m.at
        });
    }

    /// Notes a read of `cell` by `thread` without an event: an observation of the last store, or, if that is not
    /// ordered with the read, the search is disordered.
    pub(crate) fn read_plainly(&mut self, thread: ThreadId, cell: Object) {
        let Some(at) = self.len().checked_sub(1) else {
            return;
        };
        let row = self.rows[usize::from(thread.0)];
        let stores = self.last_stores(cell, Class::READ).iter();
        let mut unordered = stores.filter(|s| !self.happens_before_row(s.event as usize, row));
        if unordered.next().is_some() {
            self.unseen.disordered = true;
            return;
        }
        self.observe_last(cell, Class::READ, Reader::Plain(thread, row), at as u32);
    }
}
