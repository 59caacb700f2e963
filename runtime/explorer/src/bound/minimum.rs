//! The smallest number of preemptions with which the events of a trace can be put into an order that
//! respects what happens before what.
//!
//! An order is built event by event. What matters of a beginning is which events it has (for each thread how
//! many) and which thread was last; beginnings with fewer preemptions are looked at first, so that each
//! is looked at once. The number of beginnings with few preemptions is polynomial in the length of the
//! trace (Musuvathi, Qadeer 2007, theorem 1).

use crate::enabled::is_enabled;
use crate::object::{gate_objects, passes, View};
use crate::operation::OperationIndex;
use crate::state::After;
use crate::threads::Standing;
use crate::trace::{Row, Trace, Way};
use dpor_model::{Kind, ThreadId, TIMEOUT};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Which switches away from a thread that could go on count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// Switches count after which the thread has another event.
    Resumed,
    /// All.
    All,
}

/// What is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The smallest number, and the last thread of an order that has it.
    Least(u32, Option<ThreadId>),
    /// More than asked for.
    Above,
    /// The minimum is not known: there are too many beginnings to be looked at.
    TooMany,
}

/// Beginnings that are looked at. (Chosen: some hundredths of a second.)
const BEGINNINGS_MAX: usize = 1 << 17;

/// A beginning of an execution, as its last events: for each thread 1 + the position of the last one, or 0.
type Frontier = SmallVec<[u32; 8]>;

/// The smallest number of preemptions of the first `end` events, if it is at most `most`.
pub(crate) fn minimum(trace: &Trace, end: usize, counted: Counted, most: u32) -> Found {
    let orders = Orders {
        trace,
        end,
        counted,
    };
    orders.minimum(most, &mut Links::default())
}

/// An order of the first `end` events with the smallest number of preemptions, as their positions, if that is at most
/// `most` and known.
pub(crate) fn least_order(trace: &Trace, end: usize, most: u32) -> Option<Vec<usize>> {
    let orders = Orders {
        trace,
        end,
        counted: Counted::All,
    };
    let mut links = Links {
        wanted: true,
        ..Links::default()
    };
    let found = orders.minimum(most, &mut links);
    matches!(found, Found::Least(..)).then(|| links.order())
}

/// How the beginnings came about, if that is wanted.
#[derive(Default)]
struct Links {
    wanted: bool,
    /// The last event of a beginning, and the link of the beginning before it.
    all: Vec<(usize, u32)>,
    /// The link of the beginning that all events are.
    last: u32,
}

/// The link of the beginning without events.
const NO_LINK: u32 = u32::MAX;

impl Links {
    fn add(&mut self, event: usize, before: u32) -> u32 {
        if !self.wanted {
            return NO_LINK;
        }
        self.all.push((event, before));
        self.all.len() as u32 - 1
    }

    fn order(&self) -> Vec<usize> {
        let at = |link: u32| self.all.get(link as usize);
        let all = std::iter::successors(at(self.last), |&&(_, before)| at(before));
        let mut order: Vec<usize> = all.map(|&(event, _)| event).collect();
        order.reverse();
        order
    }
}

struct Orders<'a> {
    trace: &'a Trace,
    end: usize,
    counted: Counted,
}

impl Orders<'_> {
    fn minimum(&self, most: u32, links: &mut Links) -> Found {
        let all = self.everything();
        let threads: Vec<ThreadId> = (0..all.len())
            .filter(|&t| all[t] > 0)
            .map(|t| ThreadId(t as u16))
            .collect();
        let nothing: Frontier = all.iter().map(|_| 0).collect();
        // The usual random state would need thread-local storage.
        let mut seen: HashSet<_, BuildHasherDefault<DefaultHasher>> = HashSet::default();
        let mut level = vec![(nothing, None, NO_LINK)];
        for preemptions in 0..=most {
            let mut next = Vec::new();
            while let Some((begin, last, link)) = level.pop() {
                if begin == all {
                    links.last = link;
                    return Found::Least(preemptions, last);
                }
                if !seen.insert((begin.clone(), last)) {
                    continue;
                }
                if seen.len() > BEGINNINGS_MAX {
                    return Found::TooMany;
                }
                let preempts = last.is_some_and(|last| self.could_go_on(&begin, last));
                let mut stays = None;
                for &thread in &threads {
                    let Some(longer) = self.with_event_of(&begin, thread) else {
                        continue;
                    };
                    let event = longer[usize::from(thread.0)] as usize - 1;
                    let longer = (longer, Some(thread), links.add(event, link));
                    match last == Some(thread) {
                        true => stays = Some(longer),
                        false if preempts => next.push(longer),
                        false => level.push(longer),
                    }
                }
                level.extend(stays);
            }
            level = next;
        }
        Found::Above
    }

    /// All events.
    fn everything(&self) -> Frontier {
        let last = |t: usize| {
            let all = self.trace.events_of(ThreadId(t as u16));
            let inside = all.partition_point(|&k| (k as usize) < self.end);
            inside.checked_sub(1).map_or(0, |last| all[last] + 1)
        };
        (0..self.trace.stride).map(last).collect()
    }

    /// The next event of a thread, perhaps after the end: that is what it stands before then.
    fn next_event(&self, begin: &[u32], thread: ThreadId) -> Option<usize> {
        let all = self.trace.events_of(thread);
        let done = begin[usize::from(thread.0)];
        let next = all.partition_point(|&k| k < done);
        all.get(next).map(|&k| k as usize)
    }

    /// The beginning and the next event of a thread, if nothing is missing that happens before it.
    fn with_event_of(&self, begin: &Frontier, thread: ThreadId) -> Option<Frontier> {
        let event = self.next_event(begin, thread)?;
        if event >= self.end || !self.has_all_before(begin, event) {
            return None;
        }
        let mut longer = begin.clone();
        longer[usize::from(thread.0)] = event as u32 + 1;
        Some(longer)
    }

    fn has_all_before(&self, begin: &[u32], event: usize) -> bool {
        let own = usize::from(self.trace.event(event).thread.0);
        let clock = self.trace.clock(event).iter().zip(begin).enumerate();
        clock
            .into_iter()
            .all(|(t, (needed, has))| t == own || needed <= has)
    }

    /// True if `thread` stands before an operation after this beginning that could be executed now, and
    /// the switch away from it counts.
    fn could_go_on(&self, begin: &[u32], thread: ThreadId) -> bool {
        let trace = self.trace;
        let event = self.next_event(begin, thread);
        if self.counted == Counted::Resumed && event.is_none_or(|event| event >= self.end) {
            return false;
        }
        let (operation, row) = match event {
            Some(event) => (trace.event(event).operation, trace.row_before(event)),
            None => match trace.threads.get(thread) {
                Standing::Before(operation) => (operation, trace.rows[usize::from(thread.0)]),
                _ => return false,
            },
        };
        if self.has_row(begin, row) {
            return self.is_enabled(begin, thread, operation, event);
        }
        self.could_end_its_wait(begin, thread, row)
    }

    /// True if `thread`, which in the trace decides again whether it gives up early ([`Way::Again`]; `row` stands for
    /// that), can end the wait it stands before in this beginning, in which it has no reason to decide again.
    fn could_end_its_wait(&self, begin: &[u32], thread: ThreadId, row: Row) -> bool {
        let trace = self.trace;
        let Row::Passive(step) = row else {
            return false;
        };
        let step = trace.passive.get(step);
        if step.way != Way::Again || !self.has_row(begin, step.row) {
            return false;
        }
        match trace.table.get(step.operation).operation.kind {
            // What wakes it is ordered with its arrival, and came to nobody who decides again.
            Kind::FutexWoken => false,
            _ => self.is_enabled(begin, thread, step.operation, None),
        }
    }

    /// True if nothing is missing that happens before what `row` stands for.
    fn has_row(&self, begin: &[u32], row: Row) -> bool {
        let clock = self.trace.row(row).unwrap_or_default();
        covers(begin, clock)
    }

    /// 1 + positions of the events that let a thread go on that stands before the second half of a wait at
    /// the end of the trace.
    fn ends_before(&self, thread: ThreadId, operation: OperationIndex) -> SmallVec<[u32; 8]> {
        let trace = self.trace;
        let interned = trace.table.get(operation);
        match interned.operation.kind {
            Kind::BarrierLeave => trace.leaves_after(interned, thread),
            _ => {
                let waker = trace.futex_waker(interned.object(), thread);
                waker.iter().map(|&waker| waker as u32 + 1).collect()
            }
        }
    }

    /// The thread stands before `operation`; `event`: where it was executed.
    fn is_enabled(
        &self,
        begin: &[u32],
        thread: ThreadId,
        operation: OperationIndex,
        event: Option<usize>,
    ) -> bool {
        let trace = self.trace;
        let interned = trace.table.get(operation);
        let view = After(trace, |k| {
            (k as u32) < begin[usize::from(trace.event(k).thread.0)]
        });
        match interned.operation.kind {
            Kind::Pause => false,
            Kind::Start | Kind::Join | Kind::JoinAll | Kind::MainReturn | Kind::ProcessEnd => false,
            Kind::Mark => false,
            Kind::BarrierLeave | Kind::FutexWoken => match event {
                Some(event) if trace.event(event).decision.alternative == TIMEOUT => false,
                Some(event) => self.has_all_before(begin, event),
                None => {
                    is_enabled(trace, thread, operation)
                        && self
                            .ends_before(thread, operation)
                            .iter()
                            .all(|&end| has(begin, trace, end))
                }
            },
            Kind::CondReacquire
                if trace
                    .waiters
                    .contains(view.value(interned.object()), thread) =>
            {
                false
            }
            _ if gate_objects(interned).is_empty() => true,
            _ => passes(interned, thread, |object| view.value(object)),
        }
    }
}

/// True if the beginning has the event before `end`.
fn has(begin: &[u32], trace: &Trace, end: u32) -> bool {
    end <= begin[usize::from(trace.event(end as usize - 1).thread.0)]
}

/// True if the beginning has all events of a clock.
fn covers(begin: &[u32], clock: &[u32]) -> bool {
    clock.iter().zip(begin).all(|(needed, has)| needed <= has)
}
