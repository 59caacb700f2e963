//! From the executions that the tree has at present to the number that it will have when it stops growing.

use super::Estimate;

impl Estimate {
    /// The share of the measured searches whose final number of executions was between `low` and `high`
    /// (docs/estimates.md; `tests/estimates.rs` holds it on random programs).
    pub const CONFIDENCE: f64 = 0.8;
}

/// Number of executions below which no estimate is given (chosen: ratios and growth are then of some dozens of
/// numbers; a search that is shorter is over before anybody asks).
const LEAST: u64 = 256;
/// Executions to come for each planned one, where no event is [unbranched](super::unbranched): some plans are inserted
/// later only. This factor and the next three are measured: docs/decisions/0048.
const LATER: f64 = 1.2;
/// The factor for the lower bound, and for the upper one.
const LATER_LOW: f64 = 0.35;
const LATER_HIGH: f64 = 7.5;
/// What each unbranched event multiplies the factors with, but that of the lower bound.
const UNBRANCHED: f64 = 1.6;
/// Largest number of executions in an estimate: more than anybody can wait for; it keeps sums and times finite.
const MOST: f64 = 1e30;

/// The estimate for a search of which `known` executions are run or planned and `run` are run, where `unbranched` events
/// of the path may still get a branch above all others. `None`: fewer than [`LEAST`] were run.
pub(super) fn around(known: f64, run: u64, unbranched: usize) -> Option<Estimate> {
    if run < LEAST {
        return None;
    }
    let run = run as f64;
    let left = (known - run).max(0.0);
    let more = UNBRANCHED.powi(unbranched as i32);
    Some(Estimate {
        executions: (run + LATER * more * left).min(MOST),
        low: (run + LATER_LOW * left).min(MOST),
        high: (run + LATER_HIGH * more * left).min(MOST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_is_no_estimate() {
        assert_eq!(around(1_000.0, 255, 0), None);
        assert!(around(1_000.0, 256, 0).is_some());
    }

    #[test]
    fn what_is_planned_counts_more_below_events_that_may_branch() {
        // 1,000 of 5,000: 4,000 are planned.
        let all = around(5_000.0, 1_000, 0).unwrap();
        assert_eq!(all.executions, 1_000.0 + 1.2 * 4_000.0);
        assert_eq!((all.low, all.high), (2_400.0, 31_000.0));
        let above = around(5_000.0, 1_000, 2).unwrap();
        assert!((above.executions - (1_000.0 + 1.2 * 2.56 * 4_000.0)).abs() < 1e-6);
        assert_eq!(above.low, all.low);
        assert!((above.high - 77_800.0).abs() < 1e-6, "{}", above.high);
    }

    #[test]
    fn nothing_planned_is_the_end() {
        let end = around(1_000.0, 1_000, 4).unwrap();
        assert_eq!([end.low, end.executions, end.high], [1_000.0; 3]);
    }

    #[test]
    fn numbers_stay_finite() {
        let vast = around(f64::INFINITY, 1_000, 0).unwrap();
        assert_eq!([vast.low, vast.executions, vast.high], [1e30; 3]);
    }
}
