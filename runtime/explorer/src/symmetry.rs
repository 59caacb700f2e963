//! The reduction `symmetry`: of executions that differ only in which of several threads that are alike is which, at
//! least one is explored.
//!
//! A thread's *elder* is the one that its creator created just before it, to do the same. As long as
//! nothing tells the two apart, an execution with their names exchanged is an execution too, and one
//! of the two is enough. So the thread waits with its n-th event until its elder has made its n-th: an
//! edge of happens-before like that of creation, which no reversal turns round, and which leaves of
//! each class of executions that differ in names at least one.
//!
//! *Nothing tells them apart* as long as the events of the two are pairwise *twins*: the same
//! operation with the same decision, which changes nothing or commutes with its like, and no event
//! that conflicts with them lies between. Then the events so far are the same trace with the names
//! exchanged. The first pair that are no twins makes the difference; from then on the thread is free.
//!
//! For example, two threads that take a ticket each with an exchange: the first events conflict, the
//! elder's comes first, and that is all. Two that look at a flag first: both look (twins if the flag did
//! not change between), then the elder goes first.
//!
//! Not every program may be told so ([`Trace::is_unlike`]): threads that turn out to do different
//! things although nothing told them apart, and creators that do something between the joins of
//! threads that are alike, so that these have different ends, or look at what they return.
//!
//! Source: the aim is that of Spore (Kokologiannakis, Marmanis, Vafeiadis: Spore: Combining Symmetry
//! and Partial Order Reduction, PLDI 2024), which works on execution graphs. The restriction by
//! edges, and the argument in decision 0011, are ours and were tested against brute force.

use crate::conflict::{Class, GLOBAL};
use crate::threads::Standing;
use crate::trace::{Own, Row, Trace};
use dpor_model::{Detail, Kind, Operation, ThreadId};

impl Trace {
    /// The elder of a thread: the one that its creator created just before it to do the same; `None` if there is none.
    fn elder(&self, thread: ThreadId) -> Option<ThreadId> {
        if !self.symmetry.on {
            return None;
        }
        let creation = self.creation(thread)?;
        let Detail::Elder(elder) = self.operation(creation).detail else {
            return None;
        };
        // Its number may belong to a younger thread by now.
        (self.creation(elder)? < creation).then_some(elder)
    }

    /// Position of the event that created a thread; `None` for the first thread.
    fn creation(&self, thread: ThreadId) -> Option<usize> {
        (self.creator[usize::from(thread.0)] as usize).checked_sub(1)
    }

    /// The events of a thread, in order.
    fn own_events(&self, thread: ThreadId) -> &[Own] {
        let all = &self.symmetry.own[usize::from(thread.0)];
        let first = all.partition_point(|own| self.creation(thread) > Some(own.position as usize));
        &all[first..]
    }

    /// The elder of `thread`, and the number of events of `thread`, if nothing tells the two apart so far.
    fn twin(&self, thread: ThreadId) -> Option<(ThreadId, usize)> {
        let elder = self.elder(thread)?;
        let own = self.own_events(thread);
        let alike = own.last().is_none_or(|own| own.alike);
        alike.then_some((elder, own.len()))
    }

    /// True if `thread` may not go on before its elder has made the next event.
    #[inline]
    pub(crate) fn is_held_back(&self, thread: ThreadId) -> bool {
        self.symmetry.on
            && self
                .twin(thread)
                .is_some_and(|(elder, count)| self.own_events(elder).len() <= count)
    }

    /// 1 + position of the elder's event that happens before the next event of `thread`; 0 if something tells the two
    /// apart, or there is no elder.
    #[inline]
    pub(crate) fn elders_event(&self, thread: ThreadId) -> u32 {
        if !self.symmetry.on {
            return 0;
        }
        let twin = self.twin(thread);
        let event = twin.and_then(|(elder, count)| self.own_events(elder).get(count));
        event.map_or(0, |own| own.position + 1)
    }

    /// Notes the last event of the trace, which was just appended.
    #[inline]
    pub(crate) fn note_own(&mut self) {
        if !self.symmetry.on {
            return;
        }
        let position = self.len() - 1;
        let thread = self.event(position).thread;
        let alike = self.twin(thread).is_some_and(|(elder, count)| {
            let others = self.own_events(elder).get(count);
            others.is_some_and(|own| self.are_twins(own.position as usize, position))
        });
        self.symmetry.own[usize::from(thread.0)].push(Own {
            position: position as u32,
            alike,
        });
    }

    /// Forgets the last event of `thread`, which is being removed.
    #[inline]
    pub(crate) fn take_back_own(&mut self, thread: ThreadId) {
        if self.symmetry.on {
            self.symmetry.own[usize::from(thread.0)].pop();
        }
    }

    /// True if event `first` and the last event, `second`, are twins: exchanging them leaves the trace the same. They
    /// are of two threads that nothing told apart before.
    fn are_twins(&self, first: usize, second: usize) -> bool {
        let (a, b) = (self.event(first), self.event(second));
        if a.operation != b.operation || a.decision != b.decision {
            return false;
        }
        if self.symmetry.any_event {
            return true;
        }
        let undisturbed = self
            .log(GLOBAL)
            .last()
            .is_none_or(|global| (global.event as usize) < first);
        undisturbed
            && self.footprint(first) == self.footprint(second)
            && self.footprint(second).iter().all(|access| {
                let log = self.log(access.object);
                let last = log.last().expect("it was just touched");
                access.class != Class::WRITE && log[last.run as usize].event as usize <= first
            })
    }

    /// True if `thread` does something that its elder, from which nothing tells it, does not do; or if
    /// it joined some of several threads that are alike, and looks at a result, or does something before
    /// it joins the rest.
    #[inline]
    pub(crate) fn is_unlike(&self, thread: ThreadId) -> bool {
        self.symmetry.on && (self.differs_from_elder(thread) || self.interrupts_joins(thread))
    }

    fn differs_from_elder(&self, thread: ThreadId) -> bool {
        let Some((elder, count)) = self.twin(thread) else {
            return false;
        };
        let elders = match self.own_events(elder).get(count) {
            Some(own) => Standing::Before(self.event(own.position as usize).operation),
            None => self.threads.get(elder),
        };
        let operation = |standing| match standing {
            Standing::Before(operation) => Some(self.table.get(operation).operation),
            _ => None,
        };
        let own = self.threads.get(thread);
        let passive = |o: Operation| o.is_passive();
        match (operation(elders), operation(own)) {
            // What they create has names of its own.
            (Some(a), Some(b)) if a.kind == Kind::Create && b.kind == Kind::Create => false,
            (Some(o), _) | (_, Some(o)) if passive(o) => false,
            _ => elders != own,
        }
    }

    fn interrupts_joins(&self, thread: ThreadId) -> bool {
        let Row::Passive(_) = self.rows[usize::from(thread.0)] else {
            return false;
        };
        let Some(joined) = self.joined_last(thread) else {
            return false;
        };
        let looks = |one: ThreadId| self.alike_with(one).count() > 1;
        if joined.iter().any(|join| join.1 && looks(join.0)) {
            return true;
        }
        let joined: Vec<ThreadId> = joined.into_iter().map(|join| join.0).collect();
        let Some(left) = joined
            .iter()
            .find_map(|&one| self.alike_with(one).find(|other| !joined.contains(other)))
        else {
            return false;
        };
        match self.threads.get(thread) {
            Standing::Before(operation) => {
                let operation = &self.table.get(operation).operation;
                let goes_on = operation.kind == Kind::Join
                    && self.alike_with(left).any(|t| t == operation.thread());
                let undisturbed = !matches!(operation.detail, Detail::Joining { wrote: true, .. });
                !(undisturbed && (goes_on || operation.kind == Kind::JoinAll))
            }
            _ => true,
        }
    }

    /// The threads that `thread` joined since its last event, each with whether it looks at the result; `None` if it
    /// joined all threads at once.
    fn joined_last(&self, thread: ThreadId) -> Option<Vec<(ThreadId, bool)>> {
        let mut row = self.rows[usize::from(thread.0)];
        let mut joined = Vec::new();
        while let Some((operation, before)) = self.passive_of(row) {
            let operation = &self.table.get(operation).operation;
            match operation.kind {
                Kind::JoinAll => return None,
                Kind::Join => joined.push((
                    operation.thread(),
                    matches!(operation.detail, Detail::Joining { looks: true, .. }),
                )),
                _ => {}
            }
            row = before;
        }
        Some(joined)
    }

    /// The threads that are alike with `thread`, itself among them.
    fn alike_with(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        let eldest = |mut thread| {
            while let Some(elder) = self.elder(thread) {
                thread = elder;
            }
            thread
        };
        let family = eldest(thread);
        (0..self.stride as u16)
            .map(ThreadId)
            .filter(move |&other| eldest(other) == family)
    }
}
