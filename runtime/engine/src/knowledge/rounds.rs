//! The loops that went round last.

use crate::sites;
use dpor_model::SiteId;

/// Number of the last events that say where an execution was that is cut.
pub const EVENTS_LOOKED_AT: usize = 1000;

/// Number of loops that are remembered.
pub const LOOPS: usize = 4;

/// A loop that went round [`ASIDE_AFTER`](crate::rounds::ASIDE_AFTER) times or more.
#[derive(Clone, Copy, Default)]
pub struct Round {
    /// Site of the loop's head; 0 if the entry is empty.
    pub site: SiteId,
    /// Events of the execution when a thread was there last.
    pub depth: usize,
}

/// The loops that went round last.
#[derive(Clone, Copy, Default)]
pub struct Rounds {
    /// The loops, the latest first.
    pub last: [Round; LOOPS],
    /// Most turns of one loop in the first execution.
    pub most: u64,
}

impl Rounds {
    /// A thread is at the head of a loop.
    pub fn note(&mut self, site: SiteId, depth: usize) {
        if self.last[0].site != site {
            let known = self.last.iter().position(|round| round.site == site);
            self.last[..=known.unwrap_or(LOOPS - 1)].rotate_right(1);
        }
        self.last[0] = Round { site, depth };
    }

    /// The loop that an execution of so many events was in, in the user's code if there is such a one.
    pub fn at(&self, depth: usize) -> Option<String> {
        let recent = |round: &&Round| {
            round.site != SiteId::UNKNOWN && round.depth + EVENTS_LOOKED_AT > depth
        };
        let all = self.last.iter().filter(recent);
        let all = all.map(|round| sites::outside_of_system(round.site));
        all.min_by_key(|place| sites::is_of_library(&place.file))
            .map(|place| format!("{}:{}", place.file, place.line))
    }
}
