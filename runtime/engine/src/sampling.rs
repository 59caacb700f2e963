//! Searches that draw executions: what the options mean, and what is reported.

use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::vacuous;
use dpor_abi::options::{Options, Search};
use dpor_explorer::{Method, Sampling};
use dpor_report::{text, Samples, Verdict};

/// The samples that the options ask for. `None`: they ask for another search.
pub fn wanted(options: &Options) -> Option<Sampling> {
    let method = match options.search {
        Search::Optimal | Search::Classic | Search::Dfs | Search::Icb | Search::Auto => {
            return None
        }
        Search::Random => Method::Random,
        Search::Pct => Method::Pct {
            depth: options.pct_depth,
        },
        Search::Pos => Method::Pos,
        Search::Surw => Method::Surw,
    };
    Some(Sampling {
        method,
        samples: options.samples,
        seed: options.seed,
    })
}

/// Why a program without a finding is not verified.
pub fn reason(rt: &Runtime) -> String {
    let samples = text::counted(rt.options.samples, "sample");
    format!("samples: {samples} drawn, of more executions that there may be")
}

/// The samples that were drawn, for the report. `None` if the search draws none.
pub fn samples(rt: &Runtime, search: &Searching, verdict: Verdict) -> Option<Samples> {
    let options = &rt.options;
    let seen = search.samples()?;
    let cut = rt.findings.executions.bound_exceeded > 0;
    let finished = verdict == Verdict::Incomplete
        && seen.samples == options.samples
        && rt.stop.is_none()
        && !vacuous::is_vacuous(rt)
        && !cut;
    Some(Samples {
        search: None,
        requested: options.samples,
        run: seen.samples,
        finished,
        seed: options.seed,
        pct_depth: (options.search == Search::Pct).then_some(options.pct_depth),
        traces_distinct: seen.traces,
        traces_once: seen.once,
        unseen_mass: seen.unseen_mass(),
    })
}
