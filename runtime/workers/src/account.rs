//! The account of what a worker did and found, for the report of the whole.

use crate::learned_facts::LearnedFacts;
use dpor_engine::foreign::entered::Entered;
use dpor_engine::given::system;
#[cfg(feature = "mutations")]
use dpor_engine::knowledge::findings::Findings;
use dpor_engine::knowledge::findings::WorkerFindings;
use dpor_engine::knowledge::orders::Taken;
use dpor_engine::knowledge::sums::Sums;
use dpor_engine::knowledge::volatiles;
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::Searching;
use dpor_engine::stop::Stop;
use dpor_engine::{foreign, learned_events, loaded, resources_used, signals};
use dpor_explorer::Counters;
use dpor_report::{Captured, OpaqueCall};
use serde::{Deserialize, Serialize};

/// What a worker did, found and learnt.
#[derive(Clone, Serialize, Deserialize)]
pub struct Account {
    /// The facts that the worker learnt of the program.
    pub facts: LearnedFacts,
    /// The reason why the check cannot go on, if this worker met one.
    pub stop: Option<Stop>,
    stopped_at: u64,
    /// Numbers of what this worker's explorer executed.
    pub counters: Counters,
    /// Numbers of what all explorers executed, in the worker that has the whole tree.
    pub total: Option<Counters>,
    found: WorkerFindings,
    orders: Vec<Taken>,
    output: Vec<Captured>,
    outputs: Vec<[u64; 2]>,
    opaque_calls: Vec<OpaqueCall>,
    entered: Vec<Entered>,
    weaker: Vec<dpor_engine::knowledge::weaker::Access>,
    volatiles: Vec<volatiles::Access>,
    /// True if calls with a time limit were made.
    timed: bool,
    /// True if a clock was looked at.
    clock_read: bool,
    taken: u64,
    restored: u64,
    forks: u64,
    bytes_taken: u64,
    faults: u64,
    restore_ns: Option<f64>,
    peak_rss_bytes: u64,
    /// Nanoseconds that the worker had nothing to do.
    pub idle_ns: u64,
    /// Number of items given to other workers.
    pub items: u64,
    /// Number of messages sent to other workers.
    pub messages: u64,
    /// Seconds of processor time, for a worker of another rank.
    pub far_seconds: f64,
}

impl Account {
    /// The account of this process so far, without what it does not know.
    pub fn of(rt: &mut Runtime, search: &Searching) -> Account {
        Account {
            facts: LearnedFacts::of(rt),
            stop: None,
            stopped_at: rt.stopped_at,
            counters: search.counters(),
            total: search.total(),
            found: rt.findings.give(),
            orders: rt.orders.give(&rt.races),
            output: rt.output.kept.clone(),
            outputs: rt.output.give(),
            opaque_calls: system().opaque_calls(),
            entered: foreign::entered(&loaded::objects()),
            weaker: rt.weaker.give(),
            volatiles: rt.volatiles.give(),
            timed: learned_events::is_timed(),
            clock_read: learned_events::is_clock_read(),
            taken: rt.taken,
            restored: rt.restored,
            forks: rt.forks,
            bytes_taken: rt.bytes_taken,
            faults: signals::faults(),
            restore_ns: rt.restoring.ns(),
            peak_rss_bytes: resources_used::peak_rss_bytes(),
            idle_ns: 0,
            items: 0,
            messages: 0,
            far_seconds: match rt.options.cluster {
                Some(cluster) if cluster.rank > 0 => resources_used::own_seconds(),
                _ => 0.0,
            },
        }
    }

    /// Leaves out the page faults that were counted before the worker began.
    pub fn subtract_faults(&mut self, before: u64) {
        self.faults -= before;
    }

    /// Leaves out the findings.
    #[cfg(feature = "mutations")]
    pub fn forget_found(&mut self) {
        self.found = Findings::default().give();
    }

    /// Leaves out the findings that are bugs: another worker's is reported.
    pub fn keep_warnings(&mut self) {
        self.found.keep_warnings();
    }

    /// Whether the worker found a bug.
    pub fn has_bug(&self) -> bool {
        self.found.has_bug
    }

    /// Adds the account to what the coordinator reports. `shows`: this worker's output is what is shown.
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
        if self.clock_read {
            learned_events::note_clock_read();
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
