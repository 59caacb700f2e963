//! The samples of a search that draws executions.

use crate::text::{counted, grouped};
use crate::{Report, States};
use serde::{Deserialize, Serialize};

/// Samples of a program's executions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// The way in which the samples were drawn, if the report's `search` does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Number of samples that were asked for.
    pub requested: u64,
    /// Number of samples that were run.
    pub run: u64,
    /// True if all samples were run to their ends, and none had a bug.
    pub finished: bool,
    /// The seed of the random numbers: the same seed gives the same samples.
    pub seed: u64,
    /// Depth of the bugs that `pct` looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pct_depth: Option<u32>,
    /// Different Mazurkiewicz traces among them.
    pub traces_distinct: u64,
    /// Traces that came exactly once.
    pub traces_once: u64,
    /// Estimated chance that the next sample is a trace that did not come yet (Good and Turing):
    /// `traces_once / run`.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub unseen_mass: f64,
}

impl Samples {
    /// `3,211 distinct traces, estimated unseen mass 12.3 %`.
    pub fn traces(&self) -> String {
        let traces = counted(self.traces_distinct, "distinct trace");
        let mass = 100.0 * self.unseen_mass;
        format!("{traces}, estimated unseen mass {mass:.1} %")
    }

    /// `17 of 10,000 samples (pct, depth 3, seed 0)`, by the name of the search.
    pub fn scope(&self, search: &str) -> String {
        let depth = self.pct_depth.map(|depth| format!(", depth {depth}"));
        let depth = depth.unwrap_or_default();
        let search = self.search.as_deref().unwrap_or(search);
        let how = format!("({search}{depth}, seed {})", self.seed);
        match self.run == self.requested {
            true => format!("{} {how}", counted(self.run, "sample")),
            false => {
                let (run, all) = (grouped(self.run), counted(self.requested, "sample"));
                format!("{run} of {all} {how}")
            }
        }
    }
}

/// What was drawn of executions, or sifted of states, and what that says: empty where neither was.
pub(crate) fn said(report: &Report) -> (String, String) {
    if let Some(said) = report.states.as_ref().and_then(States::sifted) {
        return said;
    }
    let samples = report.samples.as_ref();
    let said = samples.map(|samples| (samples.scope(&report.search), samples.traces()));
    said.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words() {
        let samples = Samples {
            search: None,
            requested: 10_000,
            run: 10_000,
            finished: true,
            seed: 7,
            pct_depth: Some(3),
            traces_distinct: 3_211,
            traces_once: 1_230,
            unseen_mass: 0.123,
        };
        assert_eq!(
            samples.traces(),
            "3,211 distinct traces, estimated unseen mass 12.3 %"
        );
        assert_eq!(
            samples.scope("pct"),
            "10,000 samples (pct, depth 3, seed 7)"
        );
        let few = Samples {
            run: 1,
            pct_depth: None,
            ..samples
        };
        assert_eq!(few.scope("pos"), "1 of 10,000 samples (pos, seed 7)");
    }
}
