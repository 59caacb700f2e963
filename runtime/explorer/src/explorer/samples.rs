//! What is known of samples, and how several processes share them.

use super::{Explorer, Phase};
use crate::end::Counters;
use crate::search::sample::{Sampler, Samples};

impl Explorer {
    fn sampler(&mut self) -> Option<&mut Sampler> {
        self.search.sampler_mut()
    }

    /// What the samples of [`crate::SearchKind::Sample`] were. `None`: another search.
    pub fn samples(&self) -> Option<Samples> {
        self.search.sampler().map(Sampler::seen)
    }

    /// The number, from 0, of the sample that [`Explorer::next`] runs next; 0 in another search.
    pub fn next_sample(&mut self) -> u64 {
        let has_begun = self.phase != Phase::New;
        let index = self.sampler().map_or(0, |sampler| sampler.index());
        index + u64::from(has_begun)
    }

    /// Whether the next sample depends on its number alone: the first ones tell what the others have to
    /// know of the program.
    pub fn is_profiled(&mut self) -> bool {
        let next = self.next_sample();
        self.phase != Phase::New && self.sampler().is_some_and(|sampler| !sampler.is_open(next))
    }

    /// [`Explorer::next`] is to run this sample. To be called only after the first sample.
    pub fn skip_to_sample(&mut self, sample: u64) {
        if let Some(sampler) = self.sampler() {
            sampler.skip_to(sample);
        }
    }

    /// The hash of the last sample: that of another is the same if and only if they are one trace.
    pub fn last_trace_hash(&mut self) -> Option<u64> {
        self.sampler().map(|sampler| sampler.hash())
    }

    /// Adds samples that another process ran: their hashes, and what it did.
    pub fn add_samples(&mut self, hashes: &[u64], counters: Counters) {
        if let Some(sampler) = self.sampler() {
            sampler.add(hashes);
            self.counters += counters;
        }
    }

    /// Forgets what the samples were, but not what they told of the program.
    pub fn forget_samples(&mut self) {
        if let Some(sampler) = self.sampler() {
            sampler.forget();
            self.counters = Counters::default();
        }
    }
}
