//! What a worker did and found, for the report of the whole.

#[cfg(feature = "mutations")]
use super::super::findings::Findings;
use super::super::findings::Found;
use super::super::orders::Taken;
use super::super::runtime::{Runtime, Searching, Stop};
use super::learned_facts::Lessons;
use crate::engine::{learned_events, loaded, report, signals, taken_for_atomic, weaker};
use crate::foreign::{self, Entered};
use crate::libc::opaque;
use dpor_explorer::Counters;
use dpor_report::{Captured, OpaqueCall, Sharing};
use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Clone, Serialize, Deserialize)]
pub struct Account {
    /// What it learnt.
    pub lessons: Lessons,
    /// Why it cannot go on, if it is that.
    pub stop: Option<Stop>,
    stopped_at: u64,
    /// What was executed.
    pub counters: Counters,
    /// Of all workers; of the one that has the whole tree.
    pub total: Option<Counters>,
    found: Found,
    orders: Vec<Taken>,
    output: Vec<Captured>,
    outputs: Vec<[u64; 2]>,
    opaque_calls: Vec<OpaqueCall>,
    entered: Vec<Entered>,
    weaker: Vec<weaker::Access>,
    volatiles: Vec<taken_for_atomic::Access>,
    /// Calls with a time limit were made.
    timed: bool,
    taken: u64,
    restored: u64,
    forks: u64,
    bytes_taken: u64,
    faults: u64,
    restore_ns: Option<f64>,
    peak_rss_bytes: u64,
    /// Nanoseconds without work.
    pub idle_ns: u64,
    /// Items given to others.
    pub items: u64,
    /// Messages sent to others.
    pub messages: u64,
    /// Seconds of CPU time, of a worker of another rank.
    pub far_seconds: f64,
}

/// Sums over all workers, for the report.
#[derive(Clone, Default)]
pub struct Sums {
    /// Of the explorers.
    pub counters: Counters,
    /// See [`Account`].
    pub opaque_calls: Vec<OpaqueCall>,
    /// See [`Account`].
    pub entered: Vec<Entered>,
    /// See [`Account`].
    pub faults: u64,
    /// See [`Account`].
    pub restore_ns: Option<f64>,
    /// See [`Account`].
    pub peak_rss_bytes: u64,
    /// See [`Account`].
    pub idle_ns: u64,
    /// See [`Account`].
    pub items: u64,
    /// See [`Account`].
    pub messages: u64,
    /// See [`Account`].
    pub far_seconds: f64,
    /// Since the workers began, times their number.
    pub worker_ns: u64,
    /// How often they began.
    pub rounds: u64,
    /// Executions of an earlier check, which this one went on with.
    pub resumed: u64,
    /// How many there would have been in all, if that is not what was explored.
    pub unexplored: Option<dpor_report::Estimate>,
}

impl Sums {
    /// Of a process that explored alone.
    pub fn of_one(search: &Searching) -> Sums {
        Sums {
            counters: search.counters(),
            opaque_calls: opaque::report(),
            entered: foreign::entered(&loaded::objects()),
            ..Sums::default()
        }
    }

    /// How the work was shared, if it was.
    pub fn sharing(&self, executions: u64) -> Option<Sharing> {
        (self.rounds > 0).then(|| Sharing {
            idle_share: self.idle_ns as f64 / self.worker_ns as f64,
            items_moved: self.items,
            messages_per_1000: self.messages as f64 * 1000.0 / executions.max(1) as f64,
            rounds: self.rounds,
        })
    }
}

impl Account {
    /// Of this process so far. What it does not know is left out.
    pub fn of(rt: &mut Runtime, search: &Searching) -> Account {
        Account {
            lessons: Lessons::of(rt),
            stop: None,
            stopped_at: rt.stopped_at,
            counters: search.counters(),
            total: search.total(),
            found: rt.findings.give(),
            orders: rt.orders.give(&rt.races),
            output: rt.output.kept.clone(),
            outputs: rt.output.give(),
            opaque_calls: opaque::report(),
            entered: foreign::entered(&loaded::objects()),
            weaker: rt.weaker.give(),
            volatiles: rt.volatiles.give(),
            timed: learned_events::is_timed(),
            taken: rt.taken,
            restored: rt.restored,
            forks: rt.forks,
            bytes_taken: rt.bytes_taken,
            faults: signals::faults(),
            restore_ns: rt.restoring.ns(),
            peak_rss_bytes: report::peak_rss_bytes(),
            idle_ns: 0,
            items: 0,
            messages: 0,
            far_seconds: match rt.options.cluster {
                Some(cluster) if cluster.rank > 0 => report::own_seconds(),
                _ => 0.0,
            },
        }
    }

    /// Leaves out what was counted before it began.
    pub fn subtract_faults(&mut self, before: u64) {
        self.faults -= before;
    }

    /// Leaves out all that it found.
    #[cfg(feature = "mutations")]
    pub fn forget_found(&mut self) {
        self.found = Findings::default().give();
    }

    /// Leaves out its bugs: another's is reported.
    pub fn keep_warnings(&mut self) {
        self.found.keep_warnings();
    }

    /// Whether it found a bug.
    pub fn has_bug(&self) -> bool {
        self.found.has_bug
    }

    /// Adds it to what the coordinator reports. `shows`: its output is what is shown.
    pub fn add_to(self, rt: &mut Runtime, sums: &mut Sums, shows: bool) {
        rt.findings.take(self.found);
        rt.orders.take(self.orders);
        rt.output.take(self.outputs);
        rt.weaker.take(self.weaker);
        rt.volatiles.take(self.volatiles);
        if shows {
            rt.output.kept.extend(self.output);
        }
        if self.timed {
            learned_events::note_timed();
        }
        rt.taken += self.taken;
        rt.restored += self.restored;
        rt.forks += self.forks;
        rt.bytes_taken += self.bytes_taken;
        if rt.stopped_at == 0 {
            rt.stopped_at = self.stopped_at;
        }
        sums.counters += self.counters;
        for call in self.opaque_calls {
            if !sums.opaque_calls.contains(&call) {
                sums.opaque_calls.push(call);
            }
        }
        foreign::add(&mut sums.entered, self.entered);
        sums.faults += self.faults;
        sums.restore_ns = match (sums.restore_ns, self.restore_ns) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        sums.peak_rss_bytes += self.peak_rss_bytes;
        sums.idle_ns += self.idle_ns;
        sums.items += self.items;
        sums.messages += self.messages;
    }
}
