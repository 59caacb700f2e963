//! One program's numbers, and the table of all.

use super::cases::{Case, Goal};
use serde::Serialize;

/// The numbers that were measured of one program. `null` in JSON: there is no such number.
#[derive(Serialize)]
pub struct Row {
    pub program: &'static str,
    /// Executions of the optimal search without reductions, and of them the redundant ones.
    pub executions: u64,
    pub redundant: u64,
    /// Events executed for the first time, and again to reach a branch.
    pub events: u64,
    pub events_replayed: u64,
    /// CPU seconds of the whole command, median.
    pub seconds: f64,
    pub executions_per_second: f64,
    pub peak_rss_bytes: u64,
    pub ns_per_event: f64,
    pub restore_ns: Option<f64>,
    /// The classic search, if it ended in its time.
    pub classic: Option<Search>,
    /// The optimal search with the reductions that are on unless asked otherwise.
    pub default_reductions: Option<Search>,
    /// CPU time per execution, as a multiple of that of the uninstrumented program.
    pub of_native: Option<f64>,
    pub goal: String,
    pub goal_met: bool,
    /// CPU seconds of the better peer.
    pub peer_seconds: Option<f64>,
    /// The peer's CPU seconds divided by ours.
    pub times_peer: Option<f64>,
}

/// Another search of the same program.
#[derive(Serialize)]
pub struct Search {
    /// Number of executions, the redundant ones included.
    pub executions: u64,
    pub redundant: u64,
    pub seconds: f64,
}

/// Names of the table's columns.
pub const COLUMNS: &str = "\
| program | executions | redundant | events | replayed | CPU, s | executions/s | MB | ns/event | restore, ns | classic: executions | redundant | CPU, s | default reductions: executions | CPU, s | goal | met | peer, s | times faster |\n\
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|--:|--:|\n";

impl Row {
    /// One line of the table; `-` where there is no number.
    pub fn markdown(&self) -> String {
        let classic = self.classic.as_ref();
        let reduced = self.default_reductions.as_ref();
        let cells = [
            self.program.to_owned(),
            self.executions.to_string(),
            self.redundant.to_string(),
            self.events.to_string(),
            self.events_replayed.to_string(),
            format!("{:.3}", self.seconds),
            format!("{:.0}", self.executions_per_second),
            format!("{:.1}", self.peak_rss_bytes as f64 / 1e6),
            format!("{:.0}", self.ns_per_event),
            or_dash(self.restore_ns, 0),
            number(classic.map(|c| c.executions)),
            number(classic.map(|c| c.redundant)),
            or_dash(classic.map(|c| c.seconds), 3),
            number(reduced.map(|r| r.executions)),
            or_dash(reduced.map(|r| r.seconds), 3),
            self.goal.clone(),
            if self.goal_met { "yes" } else { "no" }.to_owned(),
            or_dash(self.peer_seconds, 2),
            or_dash(self.times_peer, 1),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

fn number(n: Option<u64>) -> String {
    n.map_or("-".to_owned(), |n| n.to_string())
}

fn or_dash(x: Option<f64>, decimals: usize) -> String {
    x.map_or("-".to_owned(), |x| format!("{x:.decimals$}"))
}

/// The goal in words, and whether it is met.
pub fn judge(case: &Case, seconds: f64, executions: u64, of_native: Option<f64>) -> (String, bool) {
    match case.goal {
        Goal::Seconds(most) => (format!("{most} s"), seconds < most),
        Goal::Times(least) => {
            let met = case.peer.is_some_and(|peer| peer / seconds >= least);
            (format!("{least} times"), met)
        }
        Goal::SecondsPerMillion(most) => {
            let met = seconds * 1e6 / (executions.max(1) as f64) < most;
            (format!("{most} s per million"), met)
        }
        Goal::OfNative(most) => {
            let found = of_native.map_or("-".to_owned(), |found| format!("{found:.2}"));
            let met = of_native.is_some_and(|found| found <= most);
            (format!("{most} of native: {found}"), met)
        }
    }
}

/// The geometric mean of some numbers.
pub fn geometric_mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for number in numbers {
        sum += number.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::bench::cases::CASES;

    #[test]
    fn mean_of_ratios() {
        let check = |numbers: &[f64], expect: f64| {
            let mean = geometric_mean(numbers.iter().copied()).expect("there are some");
            assert!((mean - expect).abs() < 1e-9, "{numbers:?}: {mean}");
        };
        check(&[2.0, 8.0], 4.0);
        check(&[0.5, 2.0, 1.0], 1.0);
        assert_eq!(geometric_mean([].into_iter()), None);
    }

    #[test]
    fn goals_are_judged() {
        let check = |name: &str, seconds, of_native, expect| {
            let case = CASES.iter().find(|case| case.name == name);
            let case = case.expect("in the table");
            let (_, met) = judge(case, seconds, 1_000_000, of_native);
            assert_eq!(met, expect, "{name} {seconds}");
        };
        check("lock 4x3", 1.19, None, true);
        check("lock 4x3", 1.2, None, false);
        check("readers 13", 0.06, None, true);
        check("readers 13", 0.061, None, false);
        check("bounded buffer 4+4", 9.9, None, true);
        check("bounded buffer 4+4", 10.1, None, false);
        check("long work", 0.1, Some(1.05), true);
        check("long work", 0.1, Some(1.11), false);
    }
}
