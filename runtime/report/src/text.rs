//! A report as plain text, without source excerpts: what a program prints when it is run without
//! the driver, and the parts (verdict, trace, outcomes) that the driver's text shares with it.

use crate::cached;
use crate::outline::Outline;
use crate::severities::{self, warnings};
use crate::{
    minimal, phrases, samples, steps, tables, visible, Differing, Executions, Finding, Place,
    Report, Severity, States, Step, Timeouts, Verdict,
};

/// Steps of a trace that are shown without `--full`; the middle of a longer one is left out.
const STEPS_MAX: usize = 200;

/// A note on a part of the program: an `assert` in it holds whatever the program does.
pub const WITHOUT_ASSERTIONS: &str = "assertions are compiled out (-DNDEBUG)";

/// A note on a part of the program: what its compiler does not tell of.
pub const OF_OTHER_COMPILER: &str =
    "instrumented by gcc: uses of a function's variables after its end, and what virtual functions of C++'s library do, \
     are not seen (docs/gcc.md)";

/// The whole report in short: findings with their traces, outcomes, notes, verdict.
pub fn short(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text += &finding_line(finding, report.severity(finding));
        text.push('\n');
        for detail in &finding.details {
            text += &format!("  {detail}\n");
        }
        for access in &finding.accesses {
            let at = place(&access.place);
            let what = phrases::label(access) + &phrases::holder(access, finding, line);
            text += &format!("  T{} {what}{}", access.thread, prefixed("  ", &at));
            text += &prefixed("  holding ", &access.locks.join(", "));
            text.push('\n');
        }
        text += &trace(finding, report.has_option("full=1"));
    }
    if report.has_option("outcomes=1") {
        text += &tables::outcomes(report);
    }
    if report.has_option("verbose=1") {
        text += &tables::opaque_calls(report);
    }
    for note in &report.notes {
        text += &format!("note: {note}\n");
    }
    text = text + &samples_line(report) + &states_lines(report) + &verdict_line(report) + "\n";
    visible::lines(&text).into_owned()
}

/// `FILE:LINE:COLUMN: error[KIND]: MESSAGE`, without the place if there is none.
pub fn finding_line(finding: &Finding, severity: Severity) -> String {
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let first = finding.accesses.first().map(|access| &access.place);
    let last = || finding.trace.last().map(|step| &step.place);
    let mut text = String::new();
    if let Some(place) = first.or_else(last).filter(|place| !place.file.is_empty()) {
        text += &position(place);
        text += ": ";
    }
    text + &format!("{word}[{}]: {}", finding.kind, finding.message)
}

/// The last line: what is known about the program.
pub fn verdict_line(report: &Report) -> String {
    let line = verdict_alone(report) + &cached::said(report);
    match &report.suppressed {
        Some(suppressed) => format!("{line}; {}", suppressed.said()),
        None => line,
    }
}

/// The verdict, without what was suppressed.
fn verdict_alone(report: &Report) -> String {
    let reason = report.reason.as_deref().unwrap_or("no reason given");
    match report.verdict {
        Verdict::Verified => whole(report, "verified"),
        Verdict::Bug => {
            let explored = explored(report);
            let limit = match &report.reason {
                Some(reason) => format!("; incomplete: {reason}"),
                None => String::new(),
            };
            let (errors, warnings) = (severities::errors(report), warnings(report, ", "));
            let preemptions = preemptions(report);
            // Most often only the last of these executions shows what was found.
            format!("bug found: {errors}{preemptions}{warnings}, after {explored}{limit}")
        }
        Verdict::Incomplete if is_whole_but_for_suppressed(report) => whole(report, "no other bug"),
        Verdict::Incomplete if report.is_as_asked() => {
            let (scope, traces) = samples::said(report);
            let warnings = warnings(report, "; ");
            let (without, timeouts) = (without(report), timeouts(report));
            format!("no bug in {scope}{without}: {traces}{timeouts}{warnings}")
        }
        Verdict::Incomplete => {
            format!("incomplete: {reason} after {}", explored(report))
        }
        Verdict::Unsupported => format!("unsupported: {reason}"),
    }
}

/// The line where everything was explored, and how: `verified: all 12 executions`.
fn whole(report: &Report, word: &str) -> String {
    let executions = &report.executions;
    let reserve = report.states.as_ref().map(States::reserve);
    let reserve = reserve.unwrap_or_default();
    let warnings = warnings(report, ", ");
    let all = match &report.states {
        Some(states) => states.said(),
        None => counted(executions.complete, "execution") + &remaining(executions),
    };
    let earlier = match report.resumed {
        0 => String::new(),
        n => format!(", {} of them by an earlier check", grouped(n)),
    };
    let scope = match (report.bound, report.beyond) {
        (Some(bound), true) => format!(" with at most {}", counted(bound, "preemption")),
        _ => String::new(),
    };
    let (without, timeouts) = (without(report), timeouts(report));
    if let Some(scenarios) = &report.scenarios {
        let all = report.states.as_ref().map_or(all, States::counted);
        let said = scenarios.said(&all);
        return format!("{word}{reserve}{without}: {said}{timeouts}{warnings}");
    }
    format!("{word}{reserve}{without}{scope}: all {all}{earlier}{timeouts}{warnings}")
}

/// Whether everything was explored, and nothing found but what was suppressed.
fn is_whole_but_for_suppressed(report: &Report) -> bool {
    let bits = report
        .states
        .as_ref()
        .is_some_and(|states| states.bits.is_some());
    let suppressed = report.suppressed.as_ref();
    suppressed.is_some_and(|suppressed| suppressed.finished) && report.samples.is_none() && !bits
}

/// The executions that there were, or the states.
fn explored(report: &Report) -> String {
    match &report.states {
        Some(states) => states.so_far(),
        None => counted(report.executions.total(), "execution"),
    }
}

/// The kinds of findings that were not looked for: ` without looking for races and memory errors`; empty if nothing was
/// left out.
fn without(report: &Report) -> String {
    let what = report.scope.not_looked_for.join(" and ");
    prefixed(" without looking for ", &what)
}

/// Which early time-outs were explored, if calls with a time limit were made.
fn timeouts(report: &Report) -> String {
    report.timeouts.map_or(String::new(), Timeouts::said)
}

/// The line about samples that the verdict does not tell; empty if there is none.
pub fn samples_line(report: &Report) -> String {
    if report.samples.is_none() || report.is_as_asked() {
        return String::new();
    }
    let (scope, traces) = samples::said(report);
    format!("samples: {scope}, {traces}\n")
}

/// What is to be said of a search over states besides its verdict, a line each: what was asked of all runs and holds, and
/// what made states differ where the search did not end.
pub fn states_lines(report: &Report) -> String {
    let Some(states) = &report.states else {
        return String::new();
    };
    let mut lines: String = { states.holds.iter() }
        .map(|holds| format!("{holds}\n"))
        .collect();
    if !states.differing.is_empty() {
        let all: Vec<String> = states.differing.iter().map(Differing::said).collect();
        let advice = states.differing[0].advice();
        lines += &format!(
            "what made states differ lately: {}{}\n",
            all.join(", "),
            prefixed("; ", &advice)
        );
    }
    lines
}

/// Says with how few preemptions there is a bug, where that was asked for.
fn preemptions(report: &Report) -> String {
    let bugs = report.findings.iter();
    let bugs = bugs.filter(|finding| report.severity(finding) == Severity::Error);
    let least = bugs.map(|finding| finding.preemptions).min();
    match (report.bound, least) {
        (Some(_), Some(least)) => format!(" with {}", counted(least, "preemption")),
        _ => String::new(),
    }
}

/// The executions that are not complete, by name: `, 2 blocked`.
fn remaining(executions: &Executions) -> String {
    let counters = [
        (executions.blocked, "blocked"),
        (executions.redundant, "redundant"),
        (executions.bound_exceeded, "over the bound"),
        (executions.deadlocked, "deadlocked"),
        (executions.failed, "failed"),
    ];
    let named = counters.iter().filter(|(n, _)| *n > 0);
    named.fold(String::new(), |text, (n, name)| {
        text + &format!(", {} {name}", grouped(*n))
    })
}

/// The steps from the root to the finding, one line each: `T1  locks m  x.c:9  deposit`. Those that
/// matter, unless all are asked for.
pub fn trace(finding: &Finding, full: bool) -> String {
    if finding.trace.is_empty() {
        return String::new();
    }
    let shown = shown(finding, full);
    let steps = || finding.trace.iter().zip(&shown);
    let width = |column: &dyn Fn(&Step) -> String| {
        let shown = steps().filter(|(_, shown)| **shown);
        let lengths = shown.map(|(step, _)| column(step).chars().count());
        // One very long name must not push all places off the screen.
        lengths.filter(|length| *length <= 60).max().unwrap_or(0)
    };
    let thread = |step: &Step| format!("T{}", step.thread);
    let at = |step: &Step| line(&step.place);
    let (threads, whats, places) = (width(&thread), width(&operation), width(&at));
    let mut text = heading(finding, &shown) + &minimal::line(finding);
    let mut left_out = 0;
    for (step, shown) in steps() {
        left_out += step.left_out;
        if !shown {
            left_out += 1;
            continue;
        }
        text += &gap(left_out);
        left_out = 0;
        let row = format!(
            "  {:threads$}  {:whats$}  {:places$}  {}",
            thread(step),
            operation(step),
            at(step),
            step.place.function
        );
        text += row.trim_end();
        text.push('\n');
    }
    text + &gap(left_out)
}

/// For each step, whether it is shown.
pub fn shown(finding: &Finding, full: bool) -> Vec<bool> {
    shown_with(finding, full, &[])
}

/// For each step, whether it is shown, as [`shown`]; those that are `needed` matter, too.
///
/// Of the middle of a long trace those steps are shown in which another thread comes to run.
pub fn shown_with(finding: &Finding, full: bool, needed: &[bool]) -> Vec<bool> {
    match full {
        true => vec![true; finding.trace.len()],
        false => shown_of(finding, &Outline::of(&finding.trace), needed),
    }
}

/// For each of these steps, whether a finding that has them shows it, as [`shown_with`].
pub(crate) fn shown_of(finding: &Finding, steps: &Outline<'_>, needed: &[bool]) -> Vec<bool> {
    let mut shown = steps::mattering_of(finding, steps);
    for (shown, needed) in shown.iter_mut().zip(needed) {
        *shown |= needed;
    }
    let mattering: Vec<usize> = (0..shown.len()).filter(|number| shown[*number]).collect();
    let middle = STEPS_MAX / 2..mattering.len().saturating_sub(STEPS_MAX / 2);
    for &number in mattering.get(middle).unwrap_or_default() {
        let before = number
            .checked_sub(1)
            .map(|before| steps.step(before).thread);
        shown[number] = before != Some(steps.step(number).thread);
    }
    let critical = finding.critical_step.map(|critical| critical as usize);
    if let Some(critical) = critical.and_then(|critical| shown.get_mut(critical)) {
        *critical = true;
    }
    shown
}

/// The line above the steps of which these are shown.
pub fn heading(finding: &Finding, shown: &[bool]) -> String {
    let steps = finding.steps();
    let all = counted(steps, "event");
    let shown = shown.iter().filter(|shown| **shown).count() as u64;
    match steps - shown {
        0 => format!("trace ({all}):\n"),
        n => format!(
            "trace ({all}, {} left out; --full shows them):\n",
            grouped(n)
        ),
    }
}

/// The line where so many are left out; empty for none.
pub fn gap(left_out: u64) -> String {
    match left_out {
        0 => String::new(),
        n => format!("  … {}\n", counted(n, "event")),
    }
}

/// One step: `T1  locks m  x.c:9`.
pub fn step(step: &Step) -> String {
    format!("T{}  {}", step.thread, operation_at(step))
}

/// `locks m  x.c:9`.
pub fn operation_at(step: &Step) -> String {
    let at = prefixed("  ", &line(&step.place));
    operation(step) + &at
}

/// `locks m`, `writes x: 1`.
pub fn operation(step: &Step) -> String {
    phrases::step(step)
}

/// `FILE:LINE in FUNCTION`, as far as known.
pub fn place(place: &Place) -> String {
    match (line(place), place.function.as_str()) {
        (at, "") => at,
        (at, function) if at.is_empty() => format!("in {function}"),
        (at, function) => format!("{at} in {function}"),
    }
}

/// `FILE:LINE`, as far as known.
pub fn line(place: &Place) -> String {
    match (place.file.as_str(), place.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

/// `FILE:LINE:COLUMN`, as far as known.
pub fn position(place: &Place) -> String {
    match place.column {
        0 => line(place),
        column => format!("{}:{column}", line(place)),
    }
}

pub(crate) fn prefixed(prefix: &str, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{prefix}{text}"),
    }
}

/// `1 execution`, `1,680 executions`.
pub fn counted(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// A number with a comma between groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FindingKind;

    #[test]
    fn digits_are_grouped() {
        let check = |n: u64, expect: &str| assert_eq!(grouped(n), expect);
        check(0, "0");
        check(999, "999");
        check(1000, "1,000");
        check(369_600, "369,600");
        check(1_234_567, "1,234,567");
    }

    fn step(thread: u32, operation: &str, object: &str, line: u32) -> Step {
        Step {
            thread,
            operation: operation.to_owned(),
            object: object.to_owned(),
            value: None,
            value_text: String::new(),
            place: Place {
                file: "x.c".to_owned(),
                line,
                column: 3,
                function: "main".to_owned(),
                ..Place::default()
            },
            ..Step::default()
        }
    }

    fn finding(steps: usize) -> Finding {
        let mut trace = vec![step(0, "thread-create", "T1", 30), step(10, "lock", "m", 9)];
        trace.resize(steps, step(1, "lock", "m", 9));
        Finding {
            kind: FindingKind::Deadlock,
            message: "all threads wait".to_owned(),
            object: None,
            accesses: Vec::new(),
            trace,
            executions: 1,
            preemptions: 0,
            minimal: false,
            preemptions_at_least: None,
            critical_step: None,
            loop_begins: None,
            loop_decisions: None,
            mark: None,
            replay: String::new(),
            schedule: String::new(),
            details: Vec::new(),
            warning: false,
            threads: Vec::new(),
            preemptions_at: Vec::new(),
            scenario: None,
        }
    }

    #[test]
    fn a_trace_has_one_aligned_line_per_event() {
        let expect = "trace (2 events):\n  \
                      T0   starts T1  x.c:30  main\n  \
                      T10  locks m    x.c:9   main\n";
        assert_eq!(trace(&finding(2), false), expect);
        assert_eq!(trace(&finding(0), false), "");
    }

    #[test]
    fn the_middle_of_a_long_trace_is_left_out() {
        let text = trace(&finding(1000), false);
        // A headline, 200 events, and one line for the other 800.
        assert_eq!(text.lines().count(), 202);
        assert!(text.starts_with("trace (1,000 events, 800 left out; --full shows them):\n"));
        assert!(text.contains("\n  … 800 events\n"));
        assert_eq!(trace(&finding(200), false).lines().count(), 201);
        let full = trace(&finding(1000), true);
        assert!(full.starts_with("trace (1,000 events):\n"));
        assert_eq!(full.lines().count(), 1001);
    }

    #[test]
    fn what_does_not_matter_is_left_out() {
        let mut finding = finding(2);
        // T10 takes a mutex of its own 40 times, then T1 ends the execution.
        finding.trace.extend(vec![step(10, "lock", "own", 9); 40]);
        finding.trace.push(step(1, "exit", "", 7));
        let expect = "trace (43 events, 41 left out; --full shows them):\n  \
                      T0  starts T1         x.c:30  main\n  \
                      … 41 events\n  \
                      T1  ends the process  x.c:7   main\n";
        assert_eq!(trace(&finding, false), expect);
        assert_eq!(trace(&finding, true).lines().count(), 44);
    }

    #[test]
    fn a_finding_in_one_line() {
        let check = |steps: usize, severity: Severity, expect: &str| {
            assert_eq!(finding_line(&finding(steps), severity), expect);
        };
        check(
            1,
            Severity::Error,
            "x.c:30:3: error[deadlock]: all threads wait",
        );
        check(0, Severity::Error, "error[deadlock]: all threads wait");
        check(0, Severity::Warning, "warning[deadlock]: all threads wait");
    }
}
