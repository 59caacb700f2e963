//! What the check says of the program in one word, and why it says no more.

use crate::foreign::Assessment;
use crate::given::posix;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::stop::Stop;
use crate::{by_states, cut_executions, in_library, sampling, schedule, vacuous};
use dpor_abi::options::{Plain, Races as RacesOption};
use dpor_report::{Finding, FindingKind, Otherwise, Verdict};

/// The verdict, with its reason unless it is all that was asked for. `findings` are those of the report, `code` what is
/// said of the code that was not instrumented.
pub fn verdict(
    rt: &Runtime,
    search: &Searching,
    findings: &[Finding],
    code: &Assessment,
) -> (Verdict, Option<String>) {
    with(rt, search, findings, code, rt.findings.has_bug)
}

/// What the verdict would be if no finding were a bug, where one is and the search went on past it.
pub fn otherwise(
    rt: &Runtime,
    search: &Searching,
    findings: &[Finding],
    code: &Assessment,
) -> Option<Otherwise> {
    let is_asked = rt.findings.has_bug && rt.options.keep_going;
    is_asked.then(|| {
        let (verdict, reason) = with(rt, search, findings, code, false);
        Otherwise { verdict, reason }
    })
}

fn with(
    rt: &Runtime,
    search: &Searching,
    findings: &[Finding],
    code: &Assessment,
    has_bug: bool,
) -> (Verdict, Option<String>) {
    if !code.reasons.is_empty() && !has_bug {
        return (Verdict::Unsupported, Some(code.reason()));
    }
    if let Some(why) = schedule::divergence(rt, search) {
        return (Verdict::Unsupported, Some(schedule::not_as_recorded(&why)));
    }
    let cut: Vec<String> = left_out(rt).chain(one_order(rt, findings)).collect();
    let cut = (!cut.is_empty()).then(|| cut.join("; "));
    let all = |why: &String| {
        let all: Vec<&str> = cut.iter().chain([why]).map(String::as_str).collect();
        all.join("; ")
    };
    match &rt.stop {
        // All findings were wanted, and these may not be all.
        Some(Stop::Incomplete(why) | Stop::Unsupported(why))
            if has_bug && rt.options.keep_going =>
        {
            (Verdict::Bug, Some(all(why)))
        }
        _ if has_bug && rt.options.keep_going => (Verdict::Bug, cut),
        _ if has_bug => (Verdict::Bug, None),
        Some(Stop::Unsupported(why)) => (Verdict::Unsupported, Some(why.clone())),
        Some(Stop::Incomplete(why)) => (Verdict::Incomplete, Some(all(why))),
        _ if cut.is_some() => (Verdict::Incomplete, cut),
        _ if rt.expected.is_some() => (
            Verdict::Incomplete,
            Some("the schedule ran without its finding".to_owned()),
        ),
        _ if vacuous::is_vacuous(rt) => (
            Verdict::Incomplete,
            Some("no execution fulfils the assumptions".to_owned()),
        ),
        _ if by_states::are_bits_kept(rt) => {
            (Verdict::Incomplete, Some(by_states::BITS.to_owned()))
        }
        _ if rt.options.search.samples() => (Verdict::Incomplete, Some(sampling::reason(rt))),
        _ => (Verdict::Verified, None),
    }
}

/// What the search left out of the executions that it was to run, a reason each.
pub fn left_out(rt: &Runtime) -> impl Iterator<Item = String> {
    let all = [
        cut_executions::long(rt),
        cut_executions::looping(rt),
        cut_executions::cyclic(rt),
        posix().left_out(),
    ];
    all.into_iter().flatten()
}

/// Races were seen that are no bugs (`--races=warn`, or the library's), and plain accesses are no events: what the program does in
/// the other orders of those accesses is not known.
fn one_order(rt: &Runtime, findings: &[Finding]) -> Option<String> {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::OneOrder) {
        return None;
    }
    let is_warning = rt.options.races == RacesOption::Warn && rt.options.plain == Plain::Check;
    let raced = { findings.iter() }.any(|finding| finding.kind == FindingKind::DataRace);
    let unknown = findings.iter().any(in_library::leaves_orders_out);
    (is_warning && raced || unknown && rt.options.plain == Plain::Check)
        .then(|| "races, and plain accesses in one order only (--plain=explore)".to_owned())
}
