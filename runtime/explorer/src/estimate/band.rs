//! From the executions that the tree has at present to the number that it will have when it stops growing.

use super::history::History;
use super::Estimate;

impl Estimate {
    /// The share of the measured searches whose final number of executions was between `low` and `high`
    /// (docs/estimates.md; `tests/estimates.rs` holds it on random programs).
    pub const CONFIDENCE: f64 = 0.8;
}

/// Number of executions below which no estimate is given (chosen: ratios and growth are then of some dozens of
/// numbers; a search that is shorter is over before anybody asks).
const LEAST: u64 = 256;
/// Executions to come for each planned one, where the estimate does not grow: some plans are inserted later only.
/// This factor and the next two are measured: docs/decisions/0048.
const LATER: f64 = 1.2;
/// The factor for the lower bound, and for the upper one.
const LATER_LOW: f64 = 0.3;
const LATER_HIGH: f64 = 6.0;
/// Largest growth that the upper bound allows for: with growth 1 there would be no upper bound.
const GROWTH_MAX: f64 = 0.6;
/// Largest number of executions in an estimate: more than anybody can wait for; it keeps sums and times finite.
const MOST: f64 = 1e30;

/// The estimate for a search of which `known` executions are run or planned and `run` are run. `None`: fewer than
/// [`LEAST`] were run.
pub(super) fn around(known: f64, run: u64, history: &History) -> Option<Estimate> {
    if run < LEAST {
        return None;
    }
    let run = run as f64;
    let left = (known - run).max(0.0);
    let growth = history.growth().clamp(0.0, 1.0);
    // If the estimate goes on growing as it did, it meets the number of executions there: with
    // `known = c · run ^ growth` until `known = run`.
    let exponent = 1.0 / (1.0 - growth.min(GROWTH_MAX));
    let grown = run * (known / run).max(1.0).powf(exponent);
    let executions = run + (LATER + growth) * left;
    let high = f64::max(run + LATER_HIGH * left, grown);
    Some(Estimate {
        executions: executions.min(MOST),
        low: (run + LATER_LOW * left).min(MOST),
        high: high.min(MOST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(of: fn(f64) -> f64, executions: u64) -> History {
        let mut history = History::default();
        for k in 1..=executions {
            if k >= history.next() {
                history.note(k, of(k as f64));
            }
        }
        history
    }

    #[test]
    fn too_little_is_no_estimate() {
        let steady = history(|_| 1_000.0, 255);
        assert_eq!(around(1_000.0, 255, &steady), None);
        assert!(around(1_000.0, 256, &steady).is_some());
    }

    #[test]
    fn what_is_planned_counts_more_if_plans_grow() {
        // 1,000 of 5,000: 4,000 are planned.
        let steady = around(5_000.0, 1_000, &history(|_| 5_000.0, 1_000)).unwrap();
        assert_eq!(steady.executions, 1_000.0 + 1.2 * 4_000.0);
        assert_eq!((steady.low, steady.high), (2_200.0, 25_000.0));
        // Always five times what was run.
        let growing = around(5_000.0, 1_000, &history(|run| 5.0 * run, 1_000)).unwrap();
        assert!((growing.executions - 9_800.0).abs() < 1e-6);
        // 1,000 · 5 ^ 2.5 = 55,902.
        assert!((growing.high - 55_901.7).abs() < 0.1, "{}", growing.high);
    }

    #[test]
    fn nothing_planned_is_the_end() {
        let end = around(1_000.0, 1_000, &history(|_| 1_000.0, 1_000)).unwrap();
        assert_eq!([end.low, end.executions, end.high], [1_000.0; 3]);
    }

    #[test]
    fn numbers_stay_finite() {
        let vast = around(f64::INFINITY, 1_000, &history(|_| 1e300, 1_000)).unwrap();
        assert_eq!([vast.low, vast.executions, vast.high], [1e30; 3]);
    }
}
