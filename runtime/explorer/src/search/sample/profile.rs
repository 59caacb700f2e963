//! What the first samples tell of a program.

use crate::conflict::{Class, Object, GLOBAL};
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId, THREADS_MAX};
use std::collections::BTreeMap;

/// Samples that tell it (chosen: one may be an odd one; more delay what is known).
const FIRST: u64 = 4;

/// Events by thread.
pub(super) type Counts = [u32; THREADS_MAX];

/// How long samples are, and where their events lie, as far as was seen.
#[derive(Default)]
pub(super) struct Profile {
    samples: u32,
    /// The length of the longest sample, in events.
    length: u64,
    /// All events; sums over the samples.
    all: Vec<u32>,
    /// The numbers of events on each object, by thread, and whether any changed it.
    objects: BTreeMap<Object, (Vec<u32>, bool)>,
    /// Objects in the order in which they came.
    order: Vec<Object>,
    /// By thread: who created it, and how often in one execution at most.
    creators: BTreeMap<ThreadId, (ThreadId, u32)>,
}

impl Profile {
    /// Whether sample `index` is one of those that tell it.
    pub fn is_open(&self, index: u64) -> bool {
        index < FIRST
    }

    /// Events of the longest execution; 0 if there was none.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds an execution that ended.
    pub fn note(&mut self, trace: &Trace) {
        self.samples += 1;
        self.length = self.length.max(trace.len() as u64);
        self.all.resize(THREADS_MAX, 0);
        let mut created: Counts = [0; THREADS_MAX];
        for position in 0..trace.len() {
            let thread = trace.event(position).thread;
            let number = usize::from(thread.0);
            self.all[number] += 1;
            for access in trace.footprint(position) {
                if access.object == GLOBAL {
                    continue;
                }
                let entry = self.objects.entry(access.object).or_insert_with(|| {
                    self.order.push(access.object);
                    (vec![0; THREADS_MAX], false)
                });
                entry.0[number] += 1;
                entry.1 |= access.class != Class::READ;
            }
            let operation = trace.operation(position);
            if operation.kind == Kind::Create && trace.event(position).misuse.is_none() {
                let child = operation.thread();
                let times = &mut created[child.index()];
                *times += 1;
                let known = self.creators.entry(child).or_insert((thread, 0));
                known.1 = known.1.max(*times);
            }
        }
    }

    /// Objects that several threads used and some changed, in the order in which they came.
    pub fn shared(&self) -> impl Iterator<Item = Object> + '_ {
        let is_shared = |object: &Object| {
            let (counts, changed) = &self.objects[object];
            *changed && counts.iter().filter(|&&n| n > 0).count() > 1
        };
        self.order.iter().copied().filter(is_shared)
    }

    /// Events per execution on an object, or all, by thread: the mean, rounded up.
    pub fn counts(&self, of: Option<Object>) -> Counts {
        let sums = match of {
            None => &self.all,
            Some(object) => &self.objects[&object].0,
        };
        let mut counts = [0; THREADS_MAX];
        for (count, sum) in counts.iter_mut().zip(sums) {
            *count = sum.div_ceil(self.samples.max(1));
        }
        counts
    }

    /// Who created a thread, and how many of its number there may be in one execution.
    pub fn creator(&self, thread: ThreadId) -> Option<(ThreadId, u32)> {
        self.creators.get(&thread).copied()
    }
}
