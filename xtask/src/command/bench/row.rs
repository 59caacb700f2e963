//! One program's numbers, and the table of all.

use super::cases::{Case, Goal};
use super::peers::{self, Ran};
use serde::Serialize;

/// The numbers that were measured of one program. `null` in JSON: there is no such number.
#[derive(Serialize)]
pub struct Row {
    pub program: &'static str,
    /// Executions of the optimal search without reductions, and of them the redundant ones.
    pub executions: u64,
    pub redundant: u64,
    /// Of `executions` those that ended with a thread that waits.
    pub blocked: u64,
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
    /// The search that leaves no turn out, where the program has some in vain.
    pub every_turn: Option<Search>,
    pub goal: String,
    /// `None`: no peer was there to be compared with.
    pub goal_met: Option<bool>,
    /// What peers made of it, in this run.
    pub peers: Vec<Ran>,
    /// The better peer's CPU seconds divided by ours.
    pub times_peer: Option<f64>,
}

/// Another search of the same program.
#[derive(Serialize)]
pub struct Search {
    /// Number of executions, the redundant ones included.
    pub executions: u64,
    pub redundant: u64,
    /// Of `executions` those that ended with a thread that waits.
    pub blocked: u64,
    pub seconds: f64,
}

/// Names of the table's columns.
pub fn columns() -> String {
    const OURS: &str = "| program | executions | redundant | events | replayed | CPU, s | executions/s | MB | ns/event | restore, ns | classic: executions | redundant | CPU, s | default reductions: executions | CPU, s | every turn: executions | CPU, s | goal | met |";
    let mut names = OURS.to_owned();
    let mut lines =
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|".to_owned();
    for name in peers::names() {
        names += &format!(" {name}: executions | CPU, s |");
        lines += "--:|--:|";
    }
    format!("{names} times faster |\n{lines}--:|\n")
}

impl Row {
    /// One line of the table; `-` where there is no number.
    pub fn markdown(&self) -> String {
        let classic = self.classic.as_ref();
        let reduced = self.default_reductions.as_ref();
        let every_turn = self.every_turn.as_ref();
        let mut cells = vec![
            self.program.to_owned(),
            with_blocked(self.executions - self.blocked, self.blocked),
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
            reduced.map_or("-".to_owned(), |reduced| {
                with_blocked(reduced.executions - reduced.blocked, reduced.blocked)
            }),
            or_dash(reduced.map(|r| r.seconds), 3),
            number(every_turn.map(|every| every.executions)),
            or_dash(every_turn.map(|every| every.seconds), 3),
            self.goal.clone(),
            match self.goal_met {
                Some(true) => "yes",
                Some(false) => "no",
                None => "-",
            }
            .to_owned(),
        ];
        for name in peers::names() {
            let ran = self.peers.iter().find(|ran| ran.peer == name);
            let executions = ran.and_then(|ran| ran.executions);
            cells.push(match ran.map(|ran| &ran.failure) {
                Some(Some(_)) => "failed".to_owned(),
                _ => executions.map_or("-".to_owned(), |executions| {
                    with_blocked(executions, ran.and_then(|ran| ran.blocked).unwrap_or(0))
                }),
            });
            cells.push(or_dash(ran.and_then(|ran| ran.seconds), 3));
        }
        cells.push(or_dash(self.times_peer, 1));
        format!("| {} |", cells.join(" | "))
    }
}

/// Complete and blocked executions.
fn with_blocked(complete: u64, blocked: u64) -> String {
    match blocked {
        0 => complete.to_string(),
        blocked => format!("{complete} + {blocked}"),
    }
}

fn number(n: Option<u64>) -> String {
    n.map_or("-".to_owned(), |n| n.to_string())
}

fn or_dash(x: Option<f64>, decimals: usize) -> String {
    x.map_or("-".to_owned(), |x| format!("{x:.decimals$}"))
}

/// The goal in words, and whether it is met; `None` where there was no peer to be compared with.
pub fn judge(
    case: &Case,
    seconds: f64,
    executions: u64,
    of_native: Option<f64>,
    times_peer: Option<f64>,
) -> (String, Option<bool>) {
    match case.goal {
        Goal::Seconds(most) => (format!("{most} s"), Some(seconds < most)),
        Goal::Times(least) => {
            let met = times_peer.map(|times| times >= least);
            (format!("{least} times"), met)
        }
        Goal::SecondsPerMillion(most) => {
            let met = seconds * 1e6 / (executions.max(1) as f64) < most;
            (format!("{most} s per million"), Some(met))
        }
        Goal::OfNative(most) => {
            let found = of_native.map_or("-".to_owned(), |found| format!("{found:.2}"));
            let met = of_native.is_some_and(|found| found <= most);
            (format!("{most} of native: {found}"), Some(met))
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
        let check = |name: &str, seconds, of_native, times, expect| {
            let case = CASES.iter().find(|case| case.name == name);
            let case = case.expect("in the table");
            let (_, met) = judge(case, seconds, 1_000_000, of_native, times);
            assert_eq!(met, expect, "{name} {seconds}");
        };
        check("lock 4x3", 1.19, None, None, Some(true));
        check("lock 4x3", 1.2, None, None, Some(false));
        check("readers 13", 0.06, None, Some(5.0), Some(true));
        check("readers 13", 0.06, None, Some(4.9), Some(false));
        check("readers 13", 0.06, None, None, None);
        check("bounded buffer 4+4", 9.9, None, None, Some(true));
        check("bounded buffer 4+4", 10.1, None, None, Some(false));
        check("long work", 0.1, Some(1.05), None, Some(true));
        check("long work", 0.1, Some(1.11), None, Some(false));
    }
}
