//! What `dpor scenario` asked of a data structure, and of which scenarios it is proved.

use crate::text::{counted, grouped};
use crate::{Executions, Verdict};
use serde::{Deserialize, Serialize};

/// The scenarios of a check, by size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scenarios {
    /// The name of the data structure.
    pub object: String,
    /// What was asked: `linearizable`, `sequentially-consistent`, `quiescent`, `obstruction-free`, `lock-free`,
    /// `wait-free`.
    pub check: String,
    /// The calls that threads make: each operation with each combination of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The sizes that were searched, in this order; the last may not be whole.
    pub sizes: Vec<Size>,
    /// Sizes that were asked for and are not whole, as `2x3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_finished: Vec<String>,
}

/// The scenarios of one size that no size before has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Size {
    /// Number of threads.
    pub threads: u32,
    /// Number of calls that each of them makes at most.
    pub calls: u32,
    /// Number of scenarios.
    pub scenarios: u64,
    /// The verdict on them.
    pub verdict: Verdict,
    /// Their executions.
    pub executions: Executions,
    /// Their states, if they were searched by states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Wall time, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds: f64,
}

impl Size {
    /// The size, as the command line has it: `2x3`.
    pub fn word(&self) -> String {
        format!("{}x{}", self.threads, self.calls)
    }
}

impl Scenarios {
    /// What is proved: `linearizable in all 126 scenarios of up to 2 threads × 2 calls and 3 × 1 (9,214 executions)`, with
    /// these executions, and which sizes are not.
    pub(crate) fn said(&self, executions: &str) -> String {
        let whole = || {
            self.sizes
                .iter()
                .filter(|size| size.verdict == Verdict::Verified)
        };
        // Who makes up to three calls makes up to two.
        let largest = whole().filter(|size| {
            !whole().any(|other| other.threads == size.threads && other.calls > size.calls)
        });
        let mut largest: Vec<&Size> = largest.collect();
        largest.sort_by_key(|size| (size.threads, size.calls));
        let sizes = largest
            .iter()
            .enumerate()
            .map(|(number, size)| match number {
                0 => format!(
                    "{} × {}",
                    counted(size.threads.into(), "thread"),
                    counted(size.calls.into(), "call")
                ),
                _ => format!("{} × {}", size.threads, size.calls),
            });
        let sizes: Vec<String> = sizes.collect();
        let count = counted(whole().map(|size| size.scenarios).sum(), "scenario");
        let rest = match self.not_finished.as_slice() {
            [] => String::new(),
            rest => format!(
                "; nothing is proved of {}",
                enumerated(
                    &rest
                        .iter()
                        .map(|word| word.replace('x', " × "))
                        .collect::<Vec<_>>()
                )
            ),
        };
        format!(
            "{} in all {count} of up to {}{} ({executions}){rest}",
            self.word(),
            enumerated(&sizes),
            self.made()
        )
    }

    /// How often threads make their calls, where that is not once.
    fn made(&self) -> &'static str {
        match self.check.as_str() {
            "wait-free" => ", made again and again",
            _ => "",
        }
    }

    /// What is asked for, in words.
    pub fn word(&self) -> &str {
        match self.check.as_str() {
            "sequentially-consistent" => "sequentially consistent",
            word => word,
        }
    }

    /// The number of executions of one size, or of states, in words.
    pub fn size_said(size: &Size) -> String {
        let searched = match size.states {
            Some(states) => counted(states, "state"),
            None => counted(size.executions.total(), "execution"),
        };
        format!(
            "{} × {}: {}, {searched}",
            grouped(size.threads.into()),
            size.calls,
            counted(size.scenarios, "scenario")
        )
    }
}

/// `a`, `a and b`, `a, b and c`.
fn enumerated(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(threads: u32, calls: u32, scenarios: u64, verdict: Verdict) -> Size {
        Size {
            threads,
            calls,
            scenarios,
            verdict,
            executions: Executions::default(),
            states: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn only_whole_sizes_are_proved() {
        let scenarios = |sizes: &[Size], rest: &[&str]| Scenarios {
            object: "Stack".to_owned(),
            check: "linearizable".to_owned(),
            calls: Vec::new(),
            sizes: sizes.to_vec(),
            not_finished: rest.iter().map(ToString::to_string).collect(),
        };
        let (first, second) = (
            size(2, 1, 6, Verdict::Verified),
            size(3, 1, 10, Verdict::Verified),
        );
        let third = size(2, 2, 72, Verdict::Verified);
        let cut = size(2, 3, 1000, Verdict::Incomplete);
        let all = [first, second, third, cut];
        assert_eq!(
            scenarios(&all[..1], &[]).said("29 executions"),
            "linearizable in all 6 scenarios of up to 2 threads × 1 call (29 executions)"
        );
        let again = Scenarios {
            check: "wait-free".to_owned(),
            ..scenarios(&all[..1], &[])
        };
        assert_eq!(
            again.said("78 states"),
            "wait-free in all 6 scenarios of up to 2 threads × 1 call, made again and again (78 states)"
        );
        assert_eq!(
            scenarios(&all, &["2x3", "3x2"]).said("9,214 executions"),
            "linearizable in all 88 scenarios of up to 2 threads × 2 calls and 3 × 1 (9,214 executions); \
             nothing is proved of 2 × 3 and 3 × 2"
        );
    }
}
