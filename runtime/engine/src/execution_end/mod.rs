//! What the end of an execution says: what was found, and whether it counts.

mod as_finding;
mod course;
mod held_at_end;
mod lost_wakeup;

use crate::by_states::clock;
use crate::given::{posix, system};
use crate::knowledge::findings::{key, Images, Pending};
use crate::knowledge::states::Counts;
use crate::runtime::Runtime;
use crate::schedule::{reordered, schedule};
use crate::searching::Searching;
use crate::sites::place;
use crate::steps::{add_values, steps};
use crate::stop::Stop;
use crate::stuck::{self, Said};
use crate::{
    call_order, cut_executions, deterministic, fault_words, forever, journal, left_threads, rounds,
};
use course::Latest;
use dpor_explorer::{End, Execution};
use dpor_report::{Ending, Finding, FindingKind, Mark, Scenario, Severity};

/// An execution ended: classifies it and keeps what it found.
pub fn execution_ended(rt: &mut Runtime, search: &Searching, execution: &Execution) {
    let end = &posix().with_waits(search, &execution.end);
    if execution.beyond && rt.options.iterative {
        return; // It is run again when its turn has come.
    }
    let stuck = posix().stuck(search, end);
    if let Some(what) = posix().undecided(rt, search, end, &stuck) {
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    let end = match stuck.is_empty() && !posix().is_timer_wasted(end) {
        true => end,
        false => &End::Blocked,
    };
    let depth = search.trace().len();
    let is_forever = forever::execution_ended(rt, search.trace(), end);
    let is_marked = call_order::note(search.trace());
    let said = match end {
        End::Deadlock(_) if !is_forever => stuck::judge(rt),
        _ => Said::Nothing,
    };
    if is_marked && call_order::is_doubtful(rt, end, matches!(said, Said::Wrong(_))) {
        return;
    }
    let may_wait = matches!(said, Said::Right);
    let finding = match is_forever || may_wait {
        true => None,
        false => as_finding::finding(rt, search, end, depth),
    };
    if let Some(mut pending) = finding {
        if let Said::Wrong(lines) = said {
            pending.details.extend(lines);
        }
        rt.findings.note(pending);
    }
    if !may_wait {
        for pending in lost_wakeup::all(rt, search, end, depth) {
            rt.findings.note(pending);
        }
    }
    held_at_end::note(rt, search, end, depth);
    left_threads::execution_ended(rt, search.trace(), end, depth);
    let end = if is_forever { &End::Complete } else { end };
    let ended_by_finding = matches!(end, End::Misuse(_)) || (*end == End::Exited && rt.failed);
    if !execution.beyond {
        count(rt, end);
        if *end == End::EventBound {
            rounds::too_long(rt, search.trace());
        }
    }
    let number = rt.findings.executions.total() + search.counters().beyond;
    if fault_words::is_whole(end) && !ended_by_finding && !execution.beyond {
        rt.findings.count_outcome();
        rt.output.count();
        deterministic::execution_ended(rt, search);
        if rt.options.endings || rt.options.first > 0 {
            let pending = ending(rt, depth, number);
            rt.findings.note(pending);
        }
    }
    journal::execution_ended(number);
    #[cfg(feature = "mutations")]
    crate::mutations::execution_ended();
    let bug = keep_findings(rt, search);
    if rt.options.commit_files && (number == 1 || bug) {
        system().keep_files();
    }
    rt.output.keep(rt.options.output, number, bug);
}

/// Number of different endings that get a trace each (chosen: a program that ends in more ways prints numbers that
/// nobody compares one by one).
const TRACES_MAX: usize = 1000;

/// What the execution observed and wrote, and its number where executions are told apart.
fn ending(rt: &Runtime, depth: usize, number: u64) -> Pending {
    let (stdout, stderr) = rt.output.bytes();
    let has_trace = rt.findings.distinct.len() < TRACES_MAX;
    let ending = Ending {
        execution: (rt.options.first > 0).then_some(number),
        ..Ending::new(rt.findings.values(), stdout, stderr)
    };
    Pending {
        kind: FindingKind::OutcomeDifference,
        severity: Severity::Warning,
        message: ending.to_message(),
        object: None,
        accesses: Vec::new(),
        details: Vec::new(),
        depth: if has_trace { depth } else { 0 },
    }
}

/// Counts an execution by its end.
fn count(rt: &mut Runtime, end: &End) {
    let is_good = match end {
        End::Complete | End::Blocked => true,
        End::Exited => !rt.failed,
        _ => false,
    };
    let mut cut = cut_executions::cut_loops().peekable();
    if is_good && cut.peek().is_some() {
        rt.findings.executions.bound_exceeded += 1;
        rt.findings.cut.count(cut.map(|site| {
            let place = place(site);
            format!("{}:{}", place.file, place.line)
        }));
        return;
    }
    rt.findings.cut.cycles += u64::from(matches!(end, End::Livelock(_)));
    let executions = &mut rt.findings.executions;
    *match end {
        End::Complete => &mut executions.complete,
        End::Exited if !rt.failed => &mut executions.complete,
        End::Exited | End::Misuse(_) => &mut executions.failed,
        End::Blocked => &mut executions.blocked,
        End::Redundant => &mut executions.redundant,
        End::Deadlock(_) | End::Livelock(_) => &mut executions.deadlocked,
        // Those beyond a bound of preemptions are counted by the search.
        End::EventBound | End::PreemptionBound => &mut executions.bound_exceeded,
    } += 1;
}

/// Moves what the running execution found to the distinct findings; true if it found a bug.
pub fn keep_findings(rt: &mut Runtime, search: &Searching) -> bool {
    let is_error = |pending: &Pending| pending.severity == Severity::Error;
    if rt.findings.running.iter().any(is_error) && clock::is_doubtful(rt) {
        rt.findings.running.clear();
        rt.findings.images.clear();
        return false;
    }
    let mut findings = core::mem::take(&mut rt.findings);
    let latest = Latest::default();
    let bug = findings.execution_ended(rt.options.keep_going, &|pending, images| {
        finish(rt, search, &latest, pending, images)
    });
    rt.findings = findings;
    bug
}

/// Further lines of a warning. Where clocks stand still, a program that looks at them may do what no machine lets it do.
fn details(rt: &Runtime, pending: &Pending) -> Vec<String> {
    let was_read = |states: &Counts| states.is_clock_read;
    let reads_clock = rt.states.as_deref().is_some_and(was_read) && clock::is_still();
    let clock = "the program looks at a clock, and clocks stand still with --states: if it matters here that time passes, this is no bug";
    let mut all = pending.details.clone();
    all.extend(reads_clock.then(|| clock.to_owned()));
    all
}

/// The scenario whose calls were made, if that is what is checked. Orders of them say what is wrong with their results.
fn scenario(kind: FindingKind) -> Option<Box<Scenario>> {
    let mut scenario = stuck::scenario_now()?;
    if !matches!(kind, FindingKind::NotLinearizable | FindingKind::Deadlock) {
        scenario.orders.clear();
    }
    Some(Box::new(scenario))
}

/// Events of an execution of which the fewest preemptions are found out for a warning (chosen: a millisecond).
const WARNED_MAX: usize = 1_000;

/// Completes a finding of the ended execution.
fn finish(
    rt: &Runtime,
    search: &Searching,
    latest: &Latest,
    pending: &Pending,
    images: Option<Images>,
) -> Finding {
    let (image, moments) = images.unzip();
    let trace = search.trace();
    // An execution that was stopped in the middle of a step lacks its last event.
    let depth = pending.depth.min(trace.len());
    let first = trace.events().iter().take(depth);
    let taken = first.filter(|event| event.preemptive).count() as u64;
    let is_warning = pending.severity == Severity::Warning;
    let preemptions = match taken {
        0 => 0,
        // The time that it takes grows with the square of the length, and nobody asks it of a warning.
        _ if is_warning && depth > WARNED_MAX => taken,
        _ => trace.preemptions_least(depth) as u64,
    };
    let course = latest.up_to(trace, depth);
    let order = (preemptions < taken)
        .then(|| trace.least_order(depth))
        .flatten();
    // The way to a warning is not made shorter, so that its steps are not needed for that.
    let is_shortened = is_warning && !rt.options.full;
    let mut finding = Finding {
        kind: pending.kind,
        message: pending.message.clone(),
        object: pending.object.clone(),
        accesses: pending.accesses.clone(),
        trace: match is_shortened {
            true => Vec::new(),
            false => steps(trace, depth),
        },
        executions: 1,
        preemptions,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        loop_begins: None,
        loop_decisions: None,
        mark: Some(Mark {
            key: key(pending),
            fewest: order.map_or(String::new(), |order| reordered(rt, search, &order)),
            decisions: course.decisions.clone(),
            image,
            moments: moments.unwrap_or_default(),
        }),
        replay: String::new(),
        schedule: match pending.kind {
            FindingKind::ProcessDeath => schedule(rt, search, pending, depth),
            _ => course.schedule(rt, search),
        },
        details: details(rt, pending),
        warning: pending.severity == Severity::Warning
            && pending.kind.severity() == Severity::Error,
        threads: course.threads.clone(),
        preemptions_at: course.preemptions_at.clone(),
        scenario: scenario(pending.kind),
    };
    if is_shortened {
        finding.take_shortened(course.outline(trace));
        add_values(trace, &course.decisions, &mut finding);
    }
    finding
}
