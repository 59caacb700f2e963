//! Sampling: executions drawn at random, one independent of the other.
//!
//! A sample's random numbers are functions of the seed and the sample's number ([`draw`]), so that
//! it does not matter which process runs it, or what ran before it. What PCT and SURW have to know of
//! a program (how long an execution is, who does how much) comes from the first few samples, which are
//! run in order and with what is known so far, and never changes after them ([`profile`]).
//!
//! Every method says which of the threads that can go on goes on. What else is open (a choice of the
//! program's, which waiter wakes, who gives up waiting) is drawn with equal chances.
//!
//! **Sources**
//! - PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
//!   Guarantees of Finding Bugs, ASPLOS 2010.
//! - POS: Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018.
//! - SURW: Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025.
//! - What was never seen: Good: The Population Frequencies of Species and the Estimation of
//!   Population Parameters, Biometrika 1953.

mod candidate;
mod draw;
mod pct;
mod pos;
mod profile;
mod random;
mod sampling;
mod seen;
mod surw;
mod trace_hash;

use super::{Ended, Search};
use crate::config::{Config, Reductions, SearchKind};
use crate::enabled::enabled_steps;
use crate::end::Fault;
use crate::trace::Trace;
use crate::tree::Step;
use crate::Program;
use candidate::Candidate;
use dpor_model::ThreadId;
use draw::{Draw, Purpose};
use pct::Pct;
use pos::Pos;
use profile::Profile;
use seen::Seen;
use smallvec::SmallVec;
use surw::Surw;

pub use sampling::{Method, Sampling};
pub use seen::Samples;

/// What a method keeps of the running sample.
enum Scheduler {
    Random,
    Pct(Pct),
    Pos(Pos),
    Surw(Surw),
}

/// A sampling search.
pub(crate) struct Sampler {
    sampling: Sampling,
    /// The running sample.
    index: u64,
    draw: Draw,
    scheduler: Scheduler,
    profile: Profile,
    seen: Seen,
    /// The hash of the sample that ended last.
    hash: u64,
}

impl Sampler {
    fn of(sampling: Sampling) -> Self {
        let mut sampler = Sampler {
            sampling,
            index: 0,
            draw: Draw::new(sampling.seed, 0),
            scheduler: Scheduler::Random,
            profile: Profile::default(),
            seen: Seen::default(),
            hash: 0,
        };
        sampler.begin(0);
        sampler
    }

    /// Prepares sample `index`.
    fn begin(&mut self, index: u64) {
        self.index = index;
        self.draw = Draw::new(self.sampling.seed, index);
        let profile = &self.profile;
        self.scheduler = match self.sampling.method {
            Method::Random => Scheduler::Random,
            Method::Pct { depth } => Scheduler::Pct(Pct::new(depth, profile.length(), &self.draw)),
            Method::Pos => Scheduler::Pos(Pos::default()),
            // Until it is known who does how much.
            Method::Surw if profile.is_open(index) => Scheduler::Random,
            Method::Surw => Scheduler::Surw(Surw::new(profile, &self.draw)),
        };
    }

    /// Whether a sample tells the later ones what they have to know.
    pub fn is_open(&self, index: u64) -> bool {
        let learns = matches!(self.sampling.method, Method::Pct { .. } | Method::Surw);
        learns && self.profile.is_open(index)
    }

    /// The number of the running sample, or of the last.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The next one is to be this one, which is not the first.
    pub fn skip_to(&mut self, sample: u64) {
        self.index = sample - 1;
    }

    /// The hash of the sample that ended last.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Adds the hashes of samples that ran elsewhere.
    pub fn add(&mut self, hashes: &[u64]) {
        hashes.iter().for_each(|&hash| self.seen.note(hash));
    }

    /// Forgets what the samples were.
    pub fn forget(&mut self) {
        self.seen = Seen::default();
    }

    /// What was seen so far.
    pub fn seen(&self) -> Samples {
        self.seen.samples()
    }
}

impl Search for Sampler {
    fn new(config: &mut Config) -> Option<Self> {
        let SearchKind::Sample(sampling) = config.search else {
            return None;
        };
        config.reductions = Reductions::NONE;
        Some(Sampler::of(sampling))
    }

    /// Goes on to the next sample, if there is one: it begins at the root.
    fn advance(&mut self, _: &Trace) -> Option<usize> {
        self.has_more().then(|| {
            self.begin(self.index + 1);
            0
        })
    }

    fn has_more(&self) -> bool {
        self.index + 1 < self.sampling.samples
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        let steps = enabled_steps(trace).map(|(thread, alternatives)| Candidate {
            thread,
            alternatives,
        });
        let candidates: SmallVec<[Candidate; 8]> = steps.collect();
        let (draw, step) = (&self.draw, trace.len() as u64);
        let chosen = match &candidates[..] {
            [] => return Ok(None),
            [only] => *only,
            _ => match &mut self.scheduler {
                Scheduler::Random => random::choose(&candidates, step, draw),
                Scheduler::Pct(pct) => pct.choose(&candidates, step, draw),
                Scheduler::Pos(pos) => pos.choose(&candidates, trace, draw),
                Scheduler::Surw(surw) => surw.choose(&candidates, trace, draw),
            },
        };
        let count = chosen.alternatives.count();
        let which = match count {
            1 => 0,
            _ => draw.below(Purpose::Alternative, step, 0, u64::from(count)) as u32,
        };
        Ok(Some((chosen.thread, chosen.alternatives.nth(which))))
    }

    fn executed<P: Program>(&mut self, trace: &mut Trace, _: &mut P, _: Step) -> Result<(), Fault> {
        match &mut self.scheduler {
            Scheduler::Random => {}
            Scheduler::Pct(pct) => pct.executed(trace),
            Scheduler::Pos(pos) => pos.executed(trace),
            Scheduler::Surw(surw) => surw.executed(trace, &self.draw),
        }
        Ok(())
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, _: &mut P) -> bool {
        self.hash = trace_hash::of(execution.trace);
        self.seen.note(self.hash);
        if self.is_open(self.index) {
            self.profile.note(execution.trace);
        }
        false
    }
}
