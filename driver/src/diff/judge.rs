//! The comparison of two levels or versions, as one value: text and JSON are made from it.

use super::access::changes;
use super::between::Between;
use super::difference::{Difference, Sides, ERROR, INTRODUCED};
use super::side::Side;
use crate::exit::{self, Exit};
use crate::flags::FailOn;
use dpor_abi::options::Options;
use dpor_report::text::counted;
use dpor_report::{Finding, Report, Verdict};
use serde::Serialize;

/// The last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// Both levels have the same findings and end in the same ways.
    Same,
    /// The levels differ.
    Different,
    /// Nothing differs as far as that is known, and not all is known.
    Incomplete,
    /// A level does something that cannot be controlled.
    Unsupported,
}

/// The comparison (`--json`).
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the published JSON")]
pub struct Comparison {
    pub tool: &'static str,
    pub version: &'static str,
    pub program: String,
    pub args: Vec<String>,
    pub between: Between,
    /// The names of the sides: levels, or versions, of which the first is the older one.
    pub levels: [String; 2],
    pub verdict: Compared,
    /// The reason for the verdicts `incomplete` and `unsupported`.
    pub reason: Option<String>,
    pub differences: Vec<Difference>,
    /// Differences of which one level was not explored completely: what the other has may be there, too. And findings of
    /// which nobody knows whether they are one that the other has.
    pub doubtful: Vec<Difference>,
    /// Findings of both levels, as the second has them.
    pub both: Vec<Finding>,
    /// The reports of the two checks.
    pub checks: [Report; 2],
    /// Whether the second may have more than the first beyond what is told as introduced.
    #[serde(skip)]
    pub may_introduce: bool,
}

impl Comparison {
    /// The exit code.
    pub fn exit(&self, fail_on: FailOn) -> Exit {
        match (self.verdict, fail_on) {
            (Compared::Unsupported, _) | (_, FailOn::Difference) => self.of_differences(),
            (_, FailOn::Introduced) if self.introduces() => exit::BUG,
            (_, FailOn::Introduced) if self.may_introduce => exit::INCOMPLETE,
            (_, FailOn::Introduced) => exit::VERIFIED,
        }
    }

    /// Whether the second side has an error that the first has not.
    fn introduces(&self) -> bool {
        let is_it = |one: &Difference| one.effect == INTRODUCED && one.severity == ERROR;
        self.differences.iter().any(is_it)
    }

    fn of_differences(&self) -> Exit {
        match self.verdict {
            Compared::Same => exit::VERIFIED,
            Compared::Different => exit::BUG,
            Compared::Incomplete => exit::INCOMPLETE,
            Compared::Unsupported => exit::UNSUPPORTED,
        }
    }
}

/// Compares the two sides.
pub fn judge(sides: [Side; 2], between: Between) -> Comparison {
    let changes = changes(&sides[0].accesses, &sides[1].accesses);
    let matched = between.match_findings(
        &sides[0].report.findings,
        &sides[1].report.findings,
        &changes,
        &folders(&sides[0].report),
    );
    let both_sides = Sides {
        sides: &sides,
        between: &between,
        changes: &changes,
    };
    let mut all = Vec::new();
    for (own, findings) in [(0, &matched.first), (1, &matched.second)] {
        let findings = findings.iter();
        all.extend(findings.map(|finding| (own, both_sides.of_finding(own, finding))));
    }
    let both = matched.both.into_iter().cloned().collect();
    all.extend(both_sides.outcomes());
    let is_known = [0, 1].map(|side| sides[side].unknown().is_none());
    let (differences, doubtful): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(own, _)| is_known[1 - own]);
    let bare = |all: Vec<(usize, Difference)>| all.into_iter().map(|(_, d)| d).collect();
    let (differences, mut doubtful): (Vec<Difference>, Vec<Difference>) =
        (bare(differences), bare(doubtful));
    // The newer one stands for both.
    let unsure = matched.unsure.iter();
    doubtful.extend(unsure.map(|(old, new)| Difference {
        may_be: Some((*old).clone()),
        ..both_sides.of_finding(1, new)
    }));
    let (verdict, reason) = verdict(&sides, &differences, &doubtful);
    let is_introduced = |one: &Difference| one.effect == INTRODUCED && one.severity == ERROR;
    // What only the first is not known to lack does not matter.
    let may_introduce = !is_known[1]
        || sides.iter().any(|side| side.endings.is_none())
        || doubtful.iter().any(is_introduced);
    let [first, second] = sides;
    Comparison {
        between,
        tool: "dpor",
        version: env!("CARGO_PKG_VERSION"),
        program: String::new(),
        args: Vec::new(),
        levels: [first.level, second.level],
        verdict,
        reason,
        differences,
        doubtful,
        both,
        checks: [first.report, second.report],
        may_introduce,
    }
}

/// The folders that the check was told to have sources of libraries.
pub fn folders(report: &Report) -> Vec<String> {
    Options::parse(&report.options).map_or(Vec::new(), |options| options.library)
}

fn verdict(
    sides: &[Side; 2],
    differences: &[Difference],
    doubtful: &[Difference],
) -> (Compared, Option<String>) {
    let is_unsupported = |side: &&Side| side.report.verdict == Verdict::Unsupported;
    let unsupported = sides.iter().filter(is_unsupported);
    let unsupported: Vec<String> = unsupported.filter_map(Side::unknown).collect();
    if !unsupported.is_empty() {
        return (Compared::Unsupported, Some(unsupported.join("; ")));
    }
    let mut unknown: Vec<String> = sides.iter().filter_map(Side::unknown).collect();
    unknown.extend(sides.iter().filter(|s| s.endings.is_none()).map(|side| {
        let why = "the program has one thread and is not explored: its output is not compared";
        format!("{}: {why}", side.level)
    }));
    let is_unsure = |one: &&Difference| one.may_be.is_some() && one.severity == ERROR;
    let unsure = doubtful.iter().filter(is_unsure).count();
    if unsure > 0 {
        let count = counted(unsure as u64, "finding");
        let have = if unsure == 1 { "has" } else { "have" };
        unknown.push(format!(
            "{count} of {} may be what {} {have} there, too: its line or its calls differ, and not all of them are known",
            sides[1].level, sides[0].level
        ));
    }
    let reason = (!unknown.is_empty()).then(|| unknown.join("; "));
    let verdict = match (differences.iter().any(|d| d.severity == ERROR), &reason) {
        (true, _) => Compared::Different,
        (false, Some(_)) => Compared::Incomplete,
        (false, None) => Compared::Same,
    };
    (verdict, reason)
}

#[cfg(test)]
mod tests {
    use super::super::versions::sources::Sources;
    use super::*;
    use dpor_abi::access_list::AccessList;
    use dpor_report::{Ending, FindingKind};
    use std::path::Path;
    use std::time::Duration;

    /// A level where executions print these texts, `races` on x, and the check ended with `verdict`.
    fn side(level: &str, printed: &[&str], races: bool, verdict: Verdict) -> Side {
        let options = Options {
            endings: true,
            ..Options::default()
        };
        let mut report = crate::report::plain::empty(&options, Duration::ZERO);
        report.options = options.to_string();
        report.threads_max = 2;
        report.verdict = verdict;
        let incomplete = [Verdict::Incomplete, Verdict::Unsupported].contains(&verdict);
        report.reason = incomplete.then(|| "why".to_owned());
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        let finding = |kind, message: String| Finding {
            kind,
            message,
            ..crate::report::plain::finding(status).unwrap()
        };
        report.findings.extend(printed.iter().map(|text| {
            let ending = Ending::new(Default::default(), text.as_bytes(), b"");
            finding(FindingKind::OutcomeDifference, ending.to_message())
        }));
        if races {
            let race = finding(FindingKind::DataRace, "data race on x".to_owned());
            report.findings.push(race);
        }
        Side::new(level, report, AccessList::default(), Path::new("/"))
    }

    /// Verdict, differences, doubtful ones, findings at both.
    fn check(first: Side, second: Side, expect: (Compared, usize, usize, usize)) {
        let judged = judge([first, second], Between::Levels);
        let counts = (
            judged.differences.len(),
            judged.doubtful.len(),
            judged.both.len(),
        );
        let (verdict, differences, doubtful, both) = expect;
        assert_eq!(judged.verdict, verdict, "{:?}", judged.reason);
        assert_eq!(counts, (differences, doubtful, both), "{:?}", judged.reason);
    }

    #[test]
    fn verdicts() {
        use Compared::{Different, Incomplete, Same, Unsupported};
        let done = |level, printed: &[&str]| side(level, printed, false, Verdict::Verified);
        let cut = |level, printed: &[&str]| side(level, printed, false, Verdict::Incomplete);
        let racy = |level, printed: &[&str]| side(level, printed, true, Verdict::Bug);
        let odd = |level| side(level, &[], false, Verdict::Unsupported);
        check(
            done("-O0", &["a", "b"]),
            done("-O2", &["b", "a"]),
            (Same, 0, 0, 0),
        );
        check(
            done("-O0", &["a"]),
            done("-O2", &["a", "b"]),
            (Different, 1, 0, 0),
        );
        check(
            done("-O0", &["a"]),
            done("-O2", &["b"]),
            (Different, 2, 0, 0),
        );
        // What is printed where the other level is not over it may still print.
        check(
            cut("-O0", &["a"]),
            done("-O2", &["a", "b"]),
            (Incomplete, 0, 1, 0),
        );
        check(
            done("-O0", &["a", "b"]),
            cut("-O2", &["a"]),
            (Incomplete, 0, 1, 0),
        );
        // What a level that is over does not print it never prints.
        check(
            done("-O0", &["a"]),
            cut("-O2", &["b"]),
            (Different, 1, 1, 0),
        );
        check(
            cut("-O0", &["a"]),
            cut("-O2", &["a"]),
            (Incomplete, 0, 0, 0),
        );
        // A race at both: orders of plain accesses that no level has seen may print more.
        check(
            racy("-O0", &["a"]),
            racy("-O2", &["a"]),
            (Incomplete, 0, 0, 1),
        );
        check(
            racy("-O0", &["a"]),
            racy("-O2", &["b"]),
            (Incomplete, 0, 2, 1),
        );
        check(
            racy("-O0", &["a"]),
            done("-O2", &["a"]),
            (Different, 1, 0, 0),
        );
        check(
            done("-O0", &["a"]),
            racy("-O2", &["a"]),
            (Different, 1, 0, 0),
        );
        check(odd("-O0"), done("-O2", &["a"]), (Unsupported, 0, 1, 0));
    }

    #[test]
    fn failures() {
        let done = |printed: &[&str]| side("old", printed, false, Verdict::Verified);
        let cut = |printed: &[&str]| side("new", printed, false, Verdict::Incomplete);
        let check = |first: Side, second: Side, expect: [Exit; 2]| {
            let judged = judge([first, second], Between::Versions(Sources::default()));
            let exits = [FailOn::Difference, FailOn::Introduced].map(|fail| judged.exit(fail));
            assert_eq!(exits, expect, "{:?}", judged.reason);
        };
        let (ok, bug, open) = (exit::VERIFIED, exit::BUG, exit::INCOMPLETE);
        check(done(&["a"]), done(&["a"]), [ok, ok]);
        check(done(&["a"]), done(&["a", "b"]), [bug, bug]);
        check(done(&["a", "b"]), done(&["a"]), [bug, ok]);
        // All that the new one has is known, and the old one has it.
        check(cut(&["a"]), done(&["a"]), [open, ok]);
        check(cut(&["a", "b"]), done(&["a"]), [bug, ok]);
        check(cut(&["a"]), done(&["a", "b"]), [open, open]);
        // What else the new one has is not known.
        check(done(&["a"]), cut(&["a"]), [open, open]);
        check(done(&["a"]), cut(&["b"]), [bug, bug]);
        check(done(&["a", "b"]), cut(&["a"]), [open, open]);
        let odd = side("new", &[], false, Verdict::Unsupported);
        check(done(&[]), odd, [exit::UNSUPPORTED; 2]);
        let mut alone = done(&[]);
        alone.endings = None;
        check(alone.clone(), alone, [open, open]);
    }

    #[test]
    fn a_program_that_is_not_explored() {
        let alone = |level| {
            let mut side = side(level, &[], false, Verdict::Verified);
            side.endings = None;
            side
        };
        check(alone("-O0"), alone("-O2"), (Compared::Incomplete, 0, 0, 0));
        let done = side("-O2", &["a"], false, Verdict::Verified);
        check(alone("-O0"), done, (Compared::Incomplete, 0, 0, 0));
    }

    #[test]
    fn what_was_left_out_on_request_is_not_known() {
        let done = || side("-O0", &["a", "b"], false, Verdict::Verified);
        let one = |verdict| side("-O2", &["a"], false, verdict);
        let mut bounded = one(Verdict::Verified);
        bounded.report.executions.bound_exceeded = 1;
        check(done(), bounded, (Compared::Incomplete, 0, 1, 0));
        let mut beyond = one(Verdict::Verified);
        beyond.report.beyond = true;
        check(done(), beyond, (Compared::Incomplete, 0, 1, 0));
        // Samples with a bug have no other reason to be incomplete.
        let mut drawn = one(Verdict::Bug);
        drawn.report.samples = Some(Default::default());
        check(done(), drawn, (Compared::Incomplete, 0, 1, 0));
        let mut visited = one(Verdict::Verified);
        visited.report.states = Some(Default::default());
        check(done(), visited, (Compared::Incomplete, 0, 1, 0));
    }

    #[test]
    fn what_may_be_the_same_is_not_known_unless_it_is_a_warning() {
        let with = |level: &str, kind: FindingKind| {
            let mut side = side(level, &["a"], true, Verdict::Verified);
            let finding = &mut side.report.findings[0];
            finding.kind = kind;
            finding.accesses = vec![Default::default()];
            finding.accesses[0].place.file = "x.c".to_owned();
            side
        };
        // Without sources nobody knows which line is which.
        let check = |kind: FindingKind, expect: Compared| {
            let sides = [with("old", kind), with("new", kind)];
            let judged = judge(sides, Between::Versions(Sources::default()));
            assert_eq!((judged.verdict, judged.doubtful.len()), (expect, 1));
        };
        check(FindingKind::Deadlock, Compared::Incomplete);
        check(FindingKind::Leak, Compared::Same);
    }

    #[test]
    fn warnings_are_told_and_are_no_difference() {
        let mut second = side("-O2", &["a"], true, Verdict::Verified);
        second.report.findings[0].kind = FindingKind::Leak;
        let first = side("-O0", &["a"], false, Verdict::Verified);
        check(first, second, (Compared::Same, 1, 0, 0));
    }
}
