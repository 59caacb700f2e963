//! Observed stores: which of them happen before which, known only once they are read.
//!
//! Two stores to the same bytes commute as long as nobody reads the one or the other before it is
//! overwritten. So an unread store has a class of its own ([`Class::store`]), which commutes with its
//! like. What touches the cell otherwise *observes* its last store: from then on that store
//! conflicts with all others, and the stores that went before it without being read happen before
//! it. Loads, read-modify-writes, compare-exchanges, stores to other bytes and calls that nobody
//! modelled observe; so do plain reads of the cell, which are no events. The end of the process does
//! not: nobody looks at memory any more.
//!
//! The edges that an observation adds lead to an event of the past, so the clocks of that event and
//! of everything after it grow; what they were is kept to take the observation back.
//!
//! Source: Aronis, Jonsson, Lång, Sagonas, "Optimal dynamic partial order reduction with observers"
//! (TACAS 2018): executions are equivalent if they have the same program order, the same reads-from,
//! and the same order of every two writes to a cell of which one is read.

use crate::conflict::{is_global, Access, Class, Object, GLOBAL};
use crate::mutation::Mutation;
use crate::trace::{join_rows, Entry, Observation, Reader, Row, Trace};
use dpor_model::{Kind, ObjectId, ThreadId};

impl Trace {
    /// True if the event is a store that commutes with its like unless it is read.
    #[inline]
    pub(crate) fn is_store(&self, position: usize) -> bool {
        let mut accesses = self.footprint(position).iter();
        accesses
            .next()
            .is_some_and(|access| access.class.is_store())
    }

    /// True if somebody read this store up to event `end`.
    pub(crate) fn is_observed(&self, store: usize, end: usize) -> bool {
        let mut all = self.observations.list.iter();
        all.any(|o| o.store as usize == store && o.at as usize <= end)
    }

    /// The next event, whose accesses these are, observes what they touch.
    pub(crate) fn observe(&mut self, kind: Kind, footprint: &[Access]) {
        if !self.table.stores {
            return;
        }
        let at = self.len() as u32;
        if is_global(footprint) {
            if kind != Kind::Opaque {
                return;
            }
            for cell in 0..self.logs.len() as u32 {
                self.observe_last(Object(cell), Class::WRITE, Reader::Event(at), at);
            }
            return;
        }
        let wrong = self.table.mutation.is(Mutation::LoadsObserveNothing);
        for access in footprint {
            if wrong && access.class == Class::READ {
                continue;
            }
            self.observe_last(access.object, access.class, Reader::Event(at), at);
        }
    }

    /// Notes that `thread` read a cell in its last step, without an event.
    pub(crate) fn note_plain_read(&mut self, thread: ThreadId, cell: ObjectId) {
        let wrong = self.table.mutation.is(Mutation::PlainReadsObserveNothing);
        let cell = self.table.find_object(cell);
        let Some(cell) = cell.filter(|_| self.table.observers && !wrong) else {
            return;
        };
        self.read_plainly(thread, cell);
    }

    /// The place in the log of the store that whoever accesses the cell now observes.
    fn last_store_index(&self, cell: Object, class: Class) -> Option<usize> {
        if cell == GLOBAL {
            return None;
        }
        let log = self.log(cell);
        // Those that read together with it see what the first of them saw.
        let end = match log.last() {
            Some(last) if last.class.commutes(class) => last.run as usize,
            _ => log.len(),
        };
        let index = end.checked_sub(1)?;
        let store = log[index].event as usize;
        let observes = self.is_store(store) && !self.footprint(store)[0].class.commutes(class);
        observes.then_some(index)
    }

    /// The store that whoever accesses the cell now observes, after those of its run that will have to
    /// happen before it for that.
    pub(crate) fn last_stores(&self, cell: Object, class: Class) -> &[Entry] {
        let Some(index) = self.last_store_index(cell, class) else {
            return &[];
        };
        let log = self.log(cell);
        match log[index].class.is_store() {
            true => &log[log[index].run as usize..=index],
            false => &log[index..=index],
        }
    }

    pub(crate) fn observe_last(&mut self, cell: Object, class: Class, reader: Reader, at: u32) {
        let Some(index) = self.last_store_index(cell, class) else {
            return;
        };
        let entry = &self.log(cell)[index];
        let index = index as u32;
        let (store, first) = (entry.event, entry.class.is_store());
        let run = first.then_some(entry.run);
        self.observations.list.push(Observation {
            store,
            cell,
            index,
            reader,
            at,
            run,
        });
        if let Some(run) = run {
            self.put_after_run(cell, index as usize, run as usize);
        }
    }

    /// A store that was in a run is observed: the others of the run happen before it.
    fn put_after_run(&mut self, cell: Object, index: usize, run: usize) {
        let entry = &mut self.logs[cell.0 as usize][index];
        entry.class = Class::WRITE;
        entry.observed = true;
        entry.run = index as u32;
        let store = entry.event;
        let mut clock = self.clock(store as usize).to_vec();
        for earlier in &self.logs[cell.0 as usize][run..index] {
            join_rows(&mut clock, self.clock(earlier.event as usize));
        }
        if clock == self.clock(store as usize) {
            return;
        }
        let thread = usize::from(self.event(store as usize).thread.0);
        let events = (store..self.len() as u32).map(Row::Event);
        let passive = self.passive.first_after(store as usize + 1)..self.passive.len();
        for row in events.chain(passive.map(|step| Row::Passive(step as u32))) {
            if self.row(row).is_some_and(|c| c[thread] > store) {
                self.join_row(row, &clock);
            }
        }
    }

    fn join_row(&mut self, row: Row, clock: &[u32]) {
        let by = self.observations.list.len() as u32 - 1;
        self.observations.changed.push((by, row));
        let old = self.row(row).expect("not the beginning").to_vec();
        self.observations.clocks.extend_from_slice(&old);
        join_rows(self.row_mut(row), clock);
    }

    fn row_mut(&mut self, row: Row) -> &mut [u32] {
        let stride = self.stride;
        match row {
            Row::Zero => &mut [],
            Row::Event(event) => &mut self.clocks[event as usize * stride..][..stride],
            Row::Passive(step) => self.passive.clock_mut(step, stride),
        }
    }

    /// Takes back the observations that events from position `length` on made. Before these events
    /// are taken back.
    pub(crate) fn take_back_observations(&mut self, length: usize) {
        let stride = self.stride;
        while let Some(gone) = self.observations.list.pop_if(|o| o.at as usize >= length) {
            let by = self.observations.list.len() as u32;
            while let Some((_, row)) = self.observations.changed.pop_if(|c| c.0 == by) {
                let kept = self.observations.clocks.len() - stride;
                let old = self.observations.clocks.split_off(kept);
                self.row_mut(row).copy_from_slice(&old);
            }
            if let Some(run) = gone.run {
                let stored = self.footprint(gone.store as usize)[0].class;
                let entry = &mut self.logs[gone.cell.0 as usize][gone.index as usize];
                entry.class = stored;
                entry.observed = false;
                entry.run = run;
            }
        }
    }

    /// True if event `first` happens before what `row` stands for, or is it.
    #[inline]
    pub(crate) fn happens_before_row(&self, first: usize, row: Row) -> bool {
        let thread = usize::from(self.event(first).thread.0);
        self.row(row)
            .is_some_and(|clock| clock[thread] as usize > first)
    }

    /// Program order and the edges of waking: true if event `first` is in the base of event
    /// `second`, by today's clocks.
    pub(crate) fn is_in_base(&self, first: usize, second: usize) -> bool {
        self.happens_before_row(first, self.row_before(second))
            || self
                .waker_of(second)
                .is_some_and(|waker| self.happens_before(first, waker))
    }
}
