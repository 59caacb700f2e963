//! What the race detector says of an access, handed on to the engine.

use crate::engine;

/// Hands on a race of the running thread, if the detector found one.
#[inline]
pub(super) fn report(race: Option<dpor_races::Race>) {
    if let Some(race) = race {
        engine::race(race);
    }
}
