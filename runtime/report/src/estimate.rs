//! Estimates of how many executions a search will have had when it is over.

use crate::text::grouped;
use serde::{Deserialize, Serialize};

/// An estimate of a search that is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Executions in all, those that were run and those that end blocked included: what the sum of `executions` will be;
    /// 10 to the power of 18 stands for that and more.
    pub executions: u64,
    /// Least number of executions in all, in the share `confidence` of the cases that were measured.
    pub low: u64,
    /// Largest number of executions in all, in the same share.
    pub high: u64,
    /// The share, from 0 to 1, of the measured cases in which the truth lay between `low` and `high` (docs/estimates.md).
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub confidence: f64,
    /// Seconds until the end, at the rate so far.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds_left: f64,
    /// Seconds until the end with `low` executions.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds_left_low: f64,
    /// Seconds until the end with `high` executions.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds_left_high: f64,
}

/// The number of executions in all, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Total {
    /// This search is not estimated.
    #[default]
    Unsaid,
    /// There is too little to estimate the number by.
    Unknown,
    /// The number is estimated.
    Estimated(Estimate),
    /// The number of samples was asked for.
    Asked(u64),
}

impl Total {
    /// The estimate, if there is one.
    pub fn estimate(&self) -> Option<Estimate> {
        match self {
            Total::Estimated(estimate) => Some(*estimate),
            Total::Unsaid | Total::Unknown | Total::Asked(_) => None,
        }
    }
}

impl Estimate {
    /// More executions than this are not told apart (chosen: a million seconds at a million per second are
    /// a millionth of it).
    pub const MOST: u64 = 1_000_000_000_000_000_000;

    /// An estimate of so many executions (estimate, low, high) of which `run` were run in `seconds`.
    pub fn new([executions, low, high]: [f64; 3], confidence: f64, run: u64, seconds: f64) -> Self {
        let count = |executions: f64| (executions.round() as u64).min(Self::MOST);
        let each = seconds / (run.max(1) as f64);
        let left = |executions: f64| (executions - run as f64).max(0.0) * each;
        Estimate {
            executions: count(executions),
            low: count(low),
            high: count(high),
            confidence,
            seconds_left: left(executions),
            seconds_left_low: left(low),
            seconds_left_high: left(high),
        }
    }

    /// Returns the estimate with the executions that an earlier check ran.
    pub fn after(self, earlier: u64) -> Estimate {
        let count = |executions: u64| (executions.saturating_add(earlier)).min(Self::MOST);
        Estimate {
            executions: count(self.executions),
            low: count(self.low),
            high: count(self.high),
            ..self
        }
    }

    /// `about 150,000 (80,000 to 400,000)`.
    pub fn total(&self) -> String {
        let [all, low, high] = [self.executions, self.low, self.high].map(about);
        format!("about {all} ({low} to {high})")
    }

    /// `about 11 min (6 min to 40 min)`.
    pub fn left(&self) -> String {
        let all = [
            self.seconds_left,
            self.seconds_left_low,
            self.seconds_left_high,
        ];
        let [left, low, high] = all.map(duration);
        format!("about {left} ({low} to {high})")
    }
}

/// Two digits of a number: `150,000`, `2.3e12`.
fn about(number: u64) -> String {
    if number >= Estimate::MOST {
        return format!("more than {:.0e}", Estimate::MOST as f64);
    }
    if number >= 1_000_000_000 {
        return format!("{:.1e}", number as f64);
    }
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    grouped((number + unit / 2) / unit * unit)
}

/// A time as people say it: `0 s`, `45 s`, `12 min`, `5 h`, `20 days`, `300 years`.
pub fn duration(seconds: f64) -> String {
    let units = [
        (31_557_600.0, "years"),
        (86_400.0, "days"),
        (3_600.0, "h"),
        (60.0, "min"),
    ];
    let unit = units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit);
    match unit {
        Some((unit, "years")) => format!("{} years", about((seconds / unit) as u64)),
        Some((unit, name)) => format!("{:.0} {name}", seconds / unit),
        None => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words() {
        // 1,000 executions in 2 s: 500 per second. 149,000 left are 298 s, 79,000 are 158 s, 399,000 are 798 s.
        let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 1_000, 2.0);
        assert_eq!(estimate.total(), "about 150,000 (80,000 to 400,000)");
        assert_eq!(estimate.left(), "about 5 min (3 min to 13 min)");
        assert_eq!(estimate.seconds_left, 298.0);
        // Fewer than were run: nothing is left, and not less.
        let over = Estimate::new([900.0, 500.0, 1_000.0], 0.8, 1_000, 2.0);
        assert_eq!(over.seconds_left_low, 0.0);
    }

    #[test]
    fn two_digits() {
        let check = |number: u64, expect: &str| assert_eq!(about(number), expect, "{number}");
        check(0, "0");
        check(99, "99");
        check(101, "100");
        check(1_049, "1,000");
        check(1_050, "1,100");
        check(999_999_999, "1,000,000,000");
        check(2_340_000_000_000, "2.3e12");
        check(u64::MAX, "more than 1e18");
        assert_eq!(
            Estimate::new([1e30, 1e3, f64::INFINITY], 0.8, 1, 1.0).executions,
            Estimate::MOST
        );
    }

    #[test]
    fn times() {
        let check = |seconds: f64, expect: &str| assert_eq!(duration(seconds), expect);
        check(0.2, "0 s");
        check(119.0, "119 s");
        check(120.0, "2 min");
        check(7_200.0, "2 h");
        check(2.0 * 86_400.0, "2 days");
        check(31_557_600.0 * 1234.0, "1,200 years");
        check(f64::INFINITY, "more than 1e18 years");
    }
}
