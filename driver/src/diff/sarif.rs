//! What a comparison found to be new, as SARIF: `baselineState` is `new` for each result, the first side being the
//! baseline (SARIF 2.1.0, section 3.27.24). What both have, and what is gone, is left out.

use super::build::Built;
use super::difference::{Difference, INTRODUCED};
use super::judge::Comparison;
use super::text::outcome;
use crate::exit::{self, Exit};
use crate::flags::MessageFormat;
use crate::report::{sarif, View};
use dpor_report::{Finding, FindingKind, Report, Verdict};

/// The file's text. `report`: what the check of the second side said; `exit`: of the comparison.
///
/// # Errors
/// One sentence.
pub fn text(
    comparison: &Comparison,
    new: &Built,
    report: &Report,
    exit: Exit,
) -> Result<String, String> {
    let [old, _] = &comparison.levels;
    let is_new = |one: &&Difference| one.effect == INTRODUCED;
    let sure = comparison.differences.iter().filter(is_new);
    let sure = sure.filter_map(|one| finding(one, report, old, ""));
    let more = format!("{old} may have it, too: that is not known");
    let doubtful = comparison.doubtful.iter().filter(is_new);
    let doubtful = doubtful.filter_map(|one| finding(one, report, old, &more));
    let shown = Report {
        findings: sure.chain(doubtful).collect(),
        suppressed: None,
        verdict: match exit {
            exit::BUG => Verdict::Bug,
            exit::INCOMPLETE => Verdict::Incomplete,
            exit::UNSUPPORTED => Verdict::Unsupported,
            _ => Verdict::Verified,
        },
        reason: comparison.reason.clone(),
        ..comparison.checks[1].clone()
    };
    let mut view = View::new(&shown, MessageFormat::Human);
    if let Some(home) = &new.home {
        view.here.clone_from(home);
        view.folder.clone_from(home);
    }
    sarif::text_of_new(&shown, &view)
}

/// What is new as a finding with its trace. `more` is a further sentence.
fn finding(difference: &Difference, report: &Report, old: &str, more: &str) -> Option<Finding> {
    let told = match &difference.finding {
        Some(finding) => finding.clone(),
        None => {
            let is_it = |finding: &&Finding| {
                finding.kind == FindingKind::OutcomeDifference
                    && finding.schedule == difference.words[1]
            };
            let ending = difference.outcome.as_ref()?;
            let message = format!("an outcome that {old} does not have: {}", outcome(ending));
            let finding = report.findings.iter().find(is_it)?.clone();
            Finding {
                message,
                warning: false,
                ..finding
            }
        }
    };
    let mut details = told.details.clone();
    details.extend((!more.is_empty()).then(|| more.to_owned()));
    Some(Finding {
        trace: difference.schedules[1].clone(),
        threads: difference.threads[1].clone(),
        replay: difference.replays[1].clone(),
        details,
        ..told
    })
}
