//! Partial order sampling: the event with the highest priority comes next.
//!
//! Each event gets a priority when its thread stands before it. Whenever an event is executed, those
//! that conflict with it and still wait get new ones: how often a thread lost against others says
//! nothing about how often it will.
//!
//! *Deviation*: whether two events conflict is told from their objects and kinds. What an event will
//! turn out to be (a compare-exchange that fails only reads) is not asked.

use super::draw::{Draw, Purpose};
use super::Candidate;
use crate::conflict::{is_global, Access, Class};
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, THREADS_MAX};

/// How often the priority of what each thread stands before was drawn anew.
pub(super) struct Pos {
    redrawn: [u64; THREADS_MAX],
}

impl Default for Pos {
    fn default() -> Self {
        Pos {
            redrawn: [0; THREADS_MAX],
        }
    }
}

impl Pos {
    pub fn choose(&self, candidates: &[Candidate], trace: &Trace, draw: &Draw) -> Candidate {
        let priority = |candidate: &Candidate| {
            let thread = candidate.thread;
            let event = trace.events_of(thread).len() as u64;
            let redrawn = self.redrawn[usize::from(thread.0)];
            draw.of_thread(Purpose::Event, event << 24 | redrawn & 0xff_ffff, thread)
        };
        let highest = candidates.iter().copied().max_by_key(priority);
        highest.expect("asked only if there are some")
    }

    pub fn executed(&mut self, trace: &Trace) {
        let last = trace.len() - 1;
        let (thread, footprint) = (trace.event(last).thread, trace.footprint(last));
        self.redrawn[usize::from(thread.0)] = 0;
        for (other, operation) in trace.pending_threads() {
            if other != thread && may_conflict(trace.table.get(operation), footprint) {
                self.redrawn[usize::from(other.0)] += 1;
            }
        }
    }
}

/// True if what a thread stands before may conflict with an event of another thread.
fn may_conflict(pending: &Interned, executed: &[Access]) -> bool {
    let kind = pending.operation.kind;
    if is_global(executed) || matches!(kind, Kind::Opaque | Kind::Exit) {
        return true;
    }
    let only_reads = pending.facts.only_reads;
    executed.iter().any(|access| {
        let is_read = access.class == Class::READ;
        let mut objects = pending.objects.iter().chain(&pending.other);
        !(only_reads && is_read) && objects.any(|&object| object == access.object)
    })
}
