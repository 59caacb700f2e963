//! What a step teaches of what threads may do later.

use super::futures::Futures;
use super::standing::{Standings, Wait};
use crate::conflict::Footprint;
use crate::mutation::{Mutation, Seeded};
use dpor_model::ThreadId;

/// Takes note of a step of `thread` with this footprint. `before`, `after`: how the threads stood, as numbers.
pub(super) fn learn(
    futures: &mut Futures,
    standings: &Standings,
    (thread, footprint): (ThreadId, &Footprint),
    (before, after): (&[u32], &[u32]),
    mutation: Seeded,
) {
    let place = standings.get(before[thread.index()]).place;
    let unseen = mutation.is(Mutation::WayOnUnseen);
    for (n, &number) in after.iter().enumerate() {
        let now = standings.get(number);
        let was = before.get(n).map(|&number| standings.get(number));
        let had_begun = was.filter(|was| was.standing.wait != Wait::Ended);
        match had_begun {
            _ if n == thread.index() => futures.see(place, footprint, now.place),
            // What follows of its own accord touches nothing: the way on behind a join, for example.
            Some(was) if was.place != now.place && !unseen => {
                futures.see(was.place, &Footprint::new(), now.place);
            }
            None if now.standing.wait != Wait::Ended => {
                futures.see(place, footprint, now.place);
            }
            _ => {}
        }
    }
}

/// Draws numbers for random walks.
pub struct Draws(pub u64);

impl Draws {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        // Numerical Recipes' generator of 64 bits; the low ones are poor.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}
