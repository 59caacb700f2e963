//! The runtime's share of the report.

use crate::foreign::{self, Assessment};
use crate::given::{several, system};
use crate::knowledge::sums;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::stop::Stop;
use crate::{
    auto_checkpoint, begun_anew, by_states, call_order, clock, driver_channel, estimating, forever,
    learned_events, loaded, orders, process, resources_used, rounds, sampling, search_config,
    sites, starts, taken_for_atomic, verdict, weaker,
};
use dpor_abi::options::Options;
use dpor_machine::sys;
use dpor_model::SiteId;
use dpor_report::{
    Alike, Checkpoints, Coverage, Estimate, Finding, FindingKind, LoadedObject, Loops, Message,
    Outcome, Report, Scope, Seconds, Severity, Timeouts, Verdict, Word,
};
use std::collections::BTreeSet;

/// Sends or prints the report; returns the exit code.
pub fn send(rt: &mut Runtime, search: &Searching) -> i32 {
    if let Some(Stop::Failure(why)) = &rt.stop {
        driver_channel::tell(rt.options.channel, &Message::Failure(why.clone()));
        if rt.options.channel < 0 {
            sys::write_all(2, format!("dpor: {why}\n").as_bytes());
        }
        return 2;
    }
    let loaded = loaded::objects();
    let mut report = report(rt, search, &loaded);
    report.put_errors_first();
    let code = match report.verdict {
        Verdict::Verified => 0,
        Verdict::Bug => 42,
        Verdict::Incomplete if report.is_as_asked() => 0,
        Verdict::Incomplete => 3,
        Verdict::Unsupported => 4,
    };
    if rt.options.channel >= 0 {
        driver_channel::tell(
            rt.options.channel,
            &Message::Report {
                report: Box::new(report),
                loaded,
            },
        );
    } else {
        for captured in &report.output {
            sys::write_all(1, captured.stdout.as_bytes());
            sys::write_all(2, captured.stderr.as_bytes());
        }
        sys::write_all(2, dpor_report::text::short(&report).as_bytes());
    }
    code
}

/// Why the reduction `observers` was given up, if a call did it.
fn disorder(rt: &Runtime) -> Option<String> {
    if rt.disordered_at == SiteId::UNKNOWN {
        return None;
    }
    let place = sites::place(rt.disordered_at);
    Some(format!(
        "writes that nobody reads were put into every order (no reduction `observers`): code without \
         instrumentation, called by {} at {}:{}, may read what other threads write meanwhile",
        place.function, place.file, place.line
    ))
}

fn report(rt: &mut Runtime, search: &Searching, loaded: &[LoadedObject]) -> Report {
    let mut findings = findings(rt);
    let entered = match &rt.workers {
        Some(sums) => sums.entered.clone(),
        None => foreign::entered(loaded),
    };
    let mut code = foreign::assess(&entered, loaded, &rt.options.trust);
    drop_unfounded(rt, &mut findings, &mut code);
    let (verdict, reason) = verdict::verdict(rt, search, &findings, &code);
    let otherwise = verdict::otherwise(rt, search, &findings, &code);
    let (within, leaves_some) = by_states::bound(rt);
    let of_bits = reason.as_deref() == Some(by_states::BITS);
    let estimate = estimate(rt, search);
    let sums = match rt.workers.take() {
        Some(sums) => *sums,
        None => sums_of_one(search, loaded),
    };
    let (counters, cpu) = (sums.counters, cpu_seconds(rt, &sums));
    let wall = (clock::monotonic_ns() - rt.started_ns) as f64 / 1e9;
    let mut executions = rt.findings.executions;
    executions.bound_exceeded += counters.beyond;
    let (program, args) = command_line(rt);
    Report {
        tool: "dpor".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program,
        args,
        model: "sc".to_owned(),
        search: search_name(rt),
        bound: search.bound().map(u64::from).or(within),
        beyond: search.leaves_some() || leaves_some,
        coverage: coverage(search),
        timeouts: learned_events::is_timed().then_some(timeouts(rt.options.timeouts)),
        checkpoint: auto_checkpoint::taken(rt).as_str().to_owned(),
        workers: several().all(rt),
        sharing: sums.sharing(executions.total()),
        verdict,
        reason,
        otherwise,
        suppressed: None,
        scenarios: None,
        alike: alike(search, verdict),
        stopped_at: rt.stopped_at,
        executions,
        estimate,
        gave_up: rt.gave_up && verdict != Verdict::Verified,
        loops: rt.options.deepen.then(|| loops(rt)),
        samples: sampling::samples(rt, search, verdict),
        states: by_states::of_report(rt, of_bits),
        cached: false,
        cached_seconds: None,
        clock_was_read: learned_events::is_clock_read(),
        resumed: sums.resumed,
        reductions: reductions(rt),
        scope: Scope {
            libraries: code.libraries,
            ..scope(loaded, &rt.options)
        },
        checkpoints: checkpoints(rt, &sums),
        opaque_calls: sums.opaque_calls,
        events: counters.events,
        events_replayed: counters.events_replayed,
        threads_max: counters.threads_max,
        seconds: Seconds { wall, cpu },
        executions_per_second: if wall > 0.0 {
            (executions.total() - sums.resumed) as f64 / wall
        } else {
            0.0
        },
        peak_rss_bytes: resources_used::peak_rss_bytes() + sums.peak_rss_bytes,
        outcomes: outcomes(rt),
        findings,
        notes: notes(rt, search, verdict, code.notes),
        options: options(rt),
        outputs_distinct: rt.output.distinct(),
        output: core::mem::take(&mut rt.output.kept),
    }
}

/// How executions, or states, were chosen.
fn search_name(rt: &Runtime) -> String {
    match rt.options.is_by_states() {
        true => "states".to_owned(),
        false => rt.options.search.as_str().to_owned(),
    }
}

/// The names of the reductions.
fn reductions(rt: &Runtime) -> Vec<String> {
    // That a search leaves no turn out is told where the user asked for it, not where it never does.
    let turns = rt.options.reductions.turns;
    let effective = search_config::reductions(&rt.options);
    let reductions = dpor_abi::options::Reductions {
        turns,
        calls: call_order::is_told(),
        ..effective
    };
    reductions.names().map(str::to_owned).collect()
}

/// Which threads have the same start function, where advice is to be given.
fn alike(search: &Searching, verdict: Verdict) -> Vec<Alike> {
    match verdict {
        Verdict::Incomplete => starts::alike(search.trace()),
        _ => Vec::new(),
    }
}

/// The program's path, and its arguments.
fn command_line(rt: &Runtime) -> (String, Vec<String>) {
    rt.program
        .split_first()
        .map_or((String::new(), Vec::new()), |(p, a)| {
            (p.clone(), a.to_vec())
        })
}

/// The loops that went round, where the search deepens the bound of their iterations.
fn loops(rt: &Runtime) -> Loops {
    Loops {
        endless: rounds::endless(rt),
        is_over: rt.stop.is_none(),
        whole: None,
    }
}

/// What was done to come back to earlier points of executions. `sums` are those of all workers.
fn checkpoints(rt: &Runtime, sums: &sums::Sums) -> Checkpoints {
    Checkpoints {
        taken: rt.taken + 1,
        restored: rt.restored,
        evicted: sums.counters.checkpoints_evicted,
        bytes_mean: rt.bytes_taken.checked_div(rt.taken).unwrap_or(0),
        forks: rt.forks,
        faults: crate::signals::faults() + sums.faults,
        restore_ns: sums.restore_ns.or(rt.restoring.ns()),
    }
}

/// What executions observed, and how many did.
fn outcomes(rt: &Runtime) -> Vec<Outcome> {
    let outcomes = rt.findings.outcomes.iter();
    outcomes
        .map(|(values, &executions)| Outcome {
            values: values.clone(),
            executions,
        })
        .collect()
}

/// What else is to be known of the check; `code` are the notes on the code that was not instrumented.
fn notes(rt: &Runtime, search: &Searching, verdict: Verdict, code: Vec<String>) -> Vec<String> {
    process::notes()
        .into_iter()
        .chain(disorder(rt))
        .chain(begun_anew::note(rt, verdict))
        .chain(code)
        .chain(weaker(rt, search, verdict))
        .chain(taken_for_atomic(rt, search, verdict))
        .chain(forever::notes(rt))
        .chain(by_states::notes(rt))
        .chain(process::without_assertions())
        .chain(process::by_other_compiler())
        .chain(rt.guide.as_ref().map(|guide| guide.account(search.trace())))
        .collect()
}

/// The options for a replay, which takes up nothing.
fn options(rt: &Runtime) -> String {
    Options {
        save: String::new(),
        resume: String::new(),
        driver: String::new(),
        ..rt.options.clone()
    }
    .to_string()
}

/// What a verdict on sequential consistency leaves open.
fn weaker(rt: &Runtime, search: &Searching, verdict: Verdict) -> Option<String> {
    let is_verified = verdict == Verdict::Verified;
    is_verified.then(|| weaker::note_of(&rt.weaker, search.trace()))?
}

/// Which accesses it takes for others than they are.
fn taken_for_atomic(rt: &Runtime, search: &Searching, verdict: Verdict) -> Option<String> {
    let is_verified = verdict == Verdict::Verified;
    is_verified.then(|| taken_for_atomic::note_of(&rt.volatiles, search.trace()))?
}

fn timeouts(option: dpor_abi::timeouts::Timeouts) -> Timeouts {
    match option {
        dpor_abi::timeouts::Timeouts::AtMost(most) => Timeouts::AtMost(most.into()),
        dpor_abi::timeouts::Timeouts::All => Timeouts::Any(Word::All),
    }
}

/// An estimate of all executions, if not all were explored.
fn estimate(rt: &Runtime, search: &Searching) -> Option<Estimate> {
    match &rt.workers {
        Some(sums) => sums.unexplored,
        None if search.has_more() => estimating::total(rt, search).estimate(),
        None => None,
    }
}

/// What was reached with how few preemptions, a row for each bound.
fn coverage(search: &Searching) -> Vec<Coverage> {
    let all = search.coverage().into_iter();
    let row = |row: dpor_explorer::Coverage| Coverage {
        bound: row.bound.into(),
        executions: row.executions,
        states: row.states,
    };
    all.map(row).collect()
}

/// The findings, and the lock orders that may deadlock, where nothing did.
fn findings(rt: &mut Runtime) -> Vec<Finding> {
    let mut findings = core::mem::take(&mut rt.findings.distinct);
    let deadlocks = |finding: &Finding| finding.kind == FindingKind::Deadlock;
    if !rt.is_replay() && !findings.iter().any(deadlocks) {
        let inversions = orders::inversions(rt);
        rt.findings.has_bug |= rt.options.warnings_as_errors && !inversions.is_empty();
        findings.extend(inversions);
    }
    findings
}

/// Leaves out findings that may be none where threads meet in code that was not seen: what it orders, and what
/// it waits for, is not known.
fn drop_unfounded(rt: &mut Runtime, findings: &mut Vec<Finding>, code: &mut Assessment) {
    let waits = |name: &String| {
        format!("{name} is not built with dpor-cc, and threads may wait for each other in it")
    };
    let is_cyclic = |finding: &Finding| finding.kind == FindingKind::Livelock;
    let is_endless = |finding: &&Finding| finding.kind == FindingKind::EndlessLoop;
    let places = findings
        .iter()
        .filter(is_endless)
        .flat_map(|finding| &finding.accesses);
    let places = places
        .map(|access| access.instruction)
        .chain([rt.stopped_at]);
    if code.reasons.is_empty() {
        let inside: BTreeSet<String> = places.filter_map(|at| code.entered_at(at)).collect();
        let entered = code.entered.iter().filter(|(_, may_wait)| *may_wait);
        code.reasons = match findings.iter().any(is_cyclic) {
            true => entered.map(|(name, _)| waits(name)).collect(),
            false => inside.iter().map(waits).collect(),
        };
    }
    if code.reasons.is_empty() {
        return;
    }
    findings.retain(|finding| finding.kind.is_seen_as_it_happens());
    rt.findings.has_bug = { findings.iter() }
        .any(|finding| rt.options.warnings_as_errors || finding.severity() == Severity::Error);
}

/// Which loaded objects were instrumented.
fn scope(loaded: &[LoadedObject], options: &Options) -> Scope {
    let left_out = options.not_looked_for().iter();
    let mut scope = Scope {
        not_looked_for: left_out.map(|&what| what.to_owned()).collect(),
        ..Scope::default()
    };
    for object in loaded {
        let name = object.path.rsplit('/').next().unwrap_or("").to_owned();
        let modules = process::modules();
        if name.starts_with("libdpor_rt") || name.is_empty() {
            continue;
        }
        let seen = modules
            .iter()
            .any(|&module| (object.start..object.end).contains(&(module as u64)));
        if seen {
            &mut scope.instrumented
        } else {
            &mut scope.uninstrumented
        }
        .push(name);
    }
    scope
}

/// Processor time of all processes of the check.
fn cpu_seconds(rt: &Runtime, sums: &sums::Sums) -> f64 {
    let here = resources_used::own_seconds() + resources_used::seconds_of_children();
    rt.forked.cpu_seconds + here + sums.far_seconds
}

/// The sums of a process that explored alone.
pub fn sums_of_one(search: &Searching, loaded: &[LoadedObject]) -> sums::Sums {
    sums::Sums {
        counters: search.counters(),
        opaque_calls: system().opaque_calls(),
        entered: foreign::entered(loaded),
        ..sums::Sums::default()
    }
}
