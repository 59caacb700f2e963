//! The runtime's share of the report, and the channel to the driver.

#[cfg(feature = "mutations")]
use super::mutations::{self, Mutation};
use super::root::events_max;
use super::runtime::{Runtime, Searching, Stop};
use super::{
    auto_checkpoint, estimating, forever, in_library, learned_events, loaded, orders, rounds, run,
    sampling, schedule, sites, taken_for_atomic, weaker, workers,
};
use crate::cxx::lock_all;
use crate::foreign::{self, Assessment};
use crate::start;
use dpor_abi::options::{Options, Plain, Races as RacesOption};
use dpor_machine::sys;
use dpor_report::text::counted;
use dpor_report::{
    Checkpoints, Coverage, Estimate, Executions, Finding, FindingKind, LoadedObject, Loops,
    Message, Outcome, Progress, Report, Scope, Seconds, Severity, Timeouts, Total, Verdict, Word,
};
use std::collections::BTreeSet;

/// Nanoseconds between two progress messages.
const PROGRESS_NS: u64 = 200_000_000;

/// Sends a message to the driver, if there is one.
pub fn tell(channel: i32, message: &Message) {
    if channel < 0 {
        return;
    }
    if let Ok(mut line) = serde_json::to_vec(message) {
        line.push(b'\n');
        sys::write_all(channel, &line);
    }
}

/// Tells how far the check is, if that is due, and ends it if the estimate says that its limits will not be enough.
pub fn progress(rt: &mut Runtime, search: &Searching) {
    let run = rt.findings.executions.total();
    // The limit may be reached before anything else is due.
    let is_half = rt.options.give_up && run > 0 && 2 * run == rt.options.max_executions & !1;
    if !is_half && (!rt.pace.is_due(run, run::monotonic_ns) || !is_progress_due(rt)) {
        return;
    }
    let total = estimating::total(rt, search);
    if rt.options.progress {
        tell_progress(rt, rt.findings.executions, total);
    }
    if rt.stop.is_none() && search.has_more() {
        rt.stop = estimating::hopeless(rt, &total, run);
    }
}

/// Whether it is time to tell how far the check is.
pub fn is_progress_due(rt: &mut Runtime) -> bool {
    let now = run::monotonic_ns();
    let is_due = now - rt.progress_ns >= PROGRESS_NS;
    if is_due {
        rt.progress_ns = now;
    }
    is_due
}

/// Tells how far it is.
pub fn tell_progress(rt: &Runtime, executions: Executions, total: Total) {
    let progress = Progress {
        executions,
        findings: rt.findings.distinct.len() as u64,
        seconds: (run::monotonic_ns() - rt.started_ns) as f64 / 1e9,
        total,
    };
    tell(rt.options.channel, &Message::Progress(progress));
}

/// Sends or prints the report; returns the exit code.
pub fn send(rt: &mut Runtime, search: &Searching) -> i32 {
    if let Some(Stop::Failure(why)) = &rt.stop {
        tell(rt.options.channel, &Message::Failure(why.clone()));
        if rt.options.channel < 0 {
            sys::write_all(2, format!("dpor: {why}\n").as_bytes());
        }
        return 2;
    }
    let loaded = loaded::objects();
    let report = report(rt, search, &loaded);
    let code = match report.verdict {
        Verdict::Verified => 0,
        Verdict::Bug => 42,
        Verdict::Incomplete if report.is_as_asked() => 0,
        Verdict::Incomplete => 3,
        Verdict::Unsupported => 4,
    };
    if rt.options.channel >= 0 {
        tell(
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

fn verdict(
    rt: &Runtime,
    search: &Searching,
    findings: &[Finding],
    code: &Assessment,
) -> (Verdict, Option<String>) {
    if !code.reasons.is_empty() && !rt.findings.has_bug {
        return (Verdict::Unsupported, Some(code.reason()));
    }
    if let Some(why) = schedule::divergence(rt, search) {
        return (Verdict::Unsupported, Some(schedule::not_as_recorded(&why)));
    }
    let cut = [long(rt), looping(rt), cyclic(rt)].into_iter();
    let cut: Vec<String> = cut
        .chain([lock_all::left_out(), one_order(rt, findings)])
        .flatten()
        .collect();
    let cut = (!cut.is_empty()).then(|| cut.join("; "));
    let all = |why: &String| {
        let all: Vec<&str> = cut.iter().chain([why]).map(String::as_str).collect();
        all.join("; ")
    };
    match &rt.stop {
        // All findings were wanted, and these may not be all.
        Some(Stop::Incomplete(why) | Stop::Unsupported(why))
            if rt.findings.has_bug && rt.options.keep_going =>
        {
            (Verdict::Bug, Some(all(why)))
        }
        _ if rt.findings.has_bug && rt.options.keep_going => (Verdict::Bug, cut),
        _ if rt.findings.has_bug => (Verdict::Bug, None),
        Some(Stop::Unsupported(why)) => (Verdict::Unsupported, Some(why.clone())),
        Some(Stop::Incomplete(why)) => (Verdict::Incomplete, Some(all(why))),
        _ if cut.is_some() => (Verdict::Incomplete, cut),
        _ if rt.expected.is_some() => (
            Verdict::Incomplete,
            Some("the schedule ran without its finding".to_owned()),
        ),
        _ if is_vacuous(rt) => (
            Verdict::Incomplete,
            Some("no execution fulfils the assumptions".to_owned()),
        ),
        _ if rt.options.search.samples() => (Verdict::Incomplete, Some(sampling::reason(rt))),
        _ => (Verdict::Verified, None),
    }
}

/// Whether every execution was left by an assumption: what the program does behind them was not seen, and a wrong
/// assumption makes every test pass.
pub fn is_vacuous(rt: &Runtime) -> bool {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::VacuousVerified) {
        return false;
    }
    let executions = &rt.findings.executions;
    executions.blocked > 0 && executions.blocked + executions.redundant == executions.total()
}

/// Executions that were cut because they are long.
fn long(rt: &Runtime) -> Option<String> {
    let cut = rt.findings.executions.bound_exceeded - rt.findings.cut.executions;
    let events = events_max(&rt.options);
    let places = rt
        .findings
        .cut
        .long
        .keys()
        .filter(|place| !place.is_empty());
    let places: Vec<&str> = places.take(LOOPS_NAMED).map(String::as_str).collect();
    let at = match places.is_empty() {
        true => String::new(),
        false => format!(", at {}", places.join(", ")),
    };
    (cut > 0).then(|| format!("max-events: {cut} executions cut after {events} events{at}"))
}

/// Executions that ended with a cycle.
fn cyclic(rt: &Runtime) -> Option<String> {
    let cycles = rt.findings.cut.cycles;
    let executions = counted(cycles, "execution");
    (cycles > 0).then(|| format!("livelock: {executions} cut where threads go round for ever"))
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

/// Number of loops that a reason names.
const LOOPS_NAMED: usize = 4;

/// Executions in which loops went round too often.
fn looping(rt: &Runtime) -> Option<String> {
    let loops = &rt.findings.cut.loops;
    let bound = counted(rt.options.loop_bound, "iteration");
    let named = loops.iter().take(LOOPS_NAMED);
    let mut all: Vec<String> = named
        .map(|(place, &cut)| {
            format!(
                "loop at {place} cut at {bound}, in {}",
                counted(cut, "execution")
            )
        })
        .collect();
    if loops.len() > LOOPS_NAMED {
        let more = (loops.len() - LOOPS_NAMED) as u64;
        all.push(format!("{} cut", counted(more, "more loop")));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

/// Why the reduction `observers` was given up, if a call did it.
fn disorder(rt: &Runtime) -> Option<String> {
    if rt.disordered_at == 0 {
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
    let (verdict, reason) = verdict(rt, search, &findings, &code);
    let estimate = estimate(rt, search);
    let sums = match rt.workers.take() {
        Some(sums) => *sums,
        None => workers::Sums::of_one(search),
    };
    let counters = sums.counters;
    let wall = (run::monotonic_ns() - rt.started_ns) as f64 / 1e9;
    let mut executions = rt.findings.executions;
    executions.bound_exceeded += counters.beyond;
    let (program, args) = rt
        .program
        .split_first()
        .map_or((String::new(), Vec::new()), |(p, a)| {
            (p.clone(), a.to_vec())
        });
    let outcomes = rt.findings.outcomes.iter();
    Report {
        tool: "dpor".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program,
        args,
        model: "sc".to_owned(),
        search: rt.options.search.as_str().to_owned(),
        bound: search.bound().map(u64::from),
        beyond: search.leaves_some(),
        coverage: coverage(search),
        timeouts: learned_events::is_timed().then_some(timeouts(rt.options.timeouts)),
        checkpoint: auto_checkpoint::taken(rt).as_str().to_owned(),
        workers: workers::all(rt),
        sharing: sums.sharing(executions.total()),
        verdict,
        reason,
        stopped_at: rt.stopped_at,
        executions,
        estimate,
        gave_up: rt.gave_up && verdict != Verdict::Verified,
        loops: rt.options.deepen.then(|| Loops {
            endless: rounds::endless(rt),
            is_over: rt.stop.is_none(),
            whole: None,
        }),
        samples: sampling::samples(rt, search, verdict),
        resumed: sums.resumed,
        reductions: super::root::reductions(&rt.options)
            .names()
            .map(str::to_owned)
            .collect(),
        scope: Scope {
            libraries: code.libraries,
            ..scope(loaded, &rt.options)
        },
        opaque_calls: sums.opaque_calls,
        events: counters.events,
        events_replayed: counters.events_replayed,
        threads_max: counters.threads_max,
        seconds: Seconds {
            wall,
            cpu: rt.forked.cpu_seconds + own_seconds() + seconds_of_children() + sums.far_seconds,
        },
        executions_per_second: if wall > 0.0 {
            (executions.total() - sums.resumed) as f64 / wall
        } else {
            0.0
        },
        peak_rss_bytes: peak_rss_bytes() + sums.peak_rss_bytes,
        checkpoints: Checkpoints {
            taken: rt.taken + 1,
            restored: rt.restored,
            evicted: counters.checkpoints_evicted,
            bytes_mean: rt.bytes_taken.checked_div(rt.taken).unwrap_or(0),
            forks: rt.forks,
            faults: super::signals::faults() + sums.faults,
            restore_ns: sums.restore_ns.or(rt.restoring.ns()),
        },
        outcomes: outcomes
            .map(|(values, &executions)| Outcome {
                values: values.clone(),
                executions,
            })
            .collect(),
        findings,
        notes: start::notes()
            .into_iter()
            .chain(disorder(rt))
            .chain(code.notes)
            .chain(weaker(rt, search, verdict))
            .chain(taken_for_atomic(rt, search, verdict))
            .chain(forever::notes(rt))
            .chain(start::without_assertions())
            .chain(rt.guide.as_ref().map(|guide| guide.account(search.trace())))
            .collect(),
        // A replay takes up nothing.
        options: Options {
            save: String::new(),
            resume: String::new(),
            driver: String::new(),
            ..rt.options.clone()
        }
        .to_string(),
        outputs_distinct: rt.output.distinct(),
        output: core::mem::take(&mut rt.output.kept),
    }
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
        let modules = start::modules();
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

/// Processor time of this process.
pub fn own_seconds() -> f64 {
    seconds(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Seconds of processor time of the thread that runs. The kernel knows them to the nanosecond; those of the process it
/// may only know to the last tick.
pub fn thread_seconds() -> f64 {
    seconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn seconds(clock: libc::clockid_t) -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a local variable that the kernel writes, and nobody else knows.
    unsafe {
        sys::call3(
            libc::SYS_clock_gettime,
            clock as usize,
            &raw mut now as usize,
            0,
        );
    }
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Processor time of the processes that ended and were waited for.
pub fn seconds_of_children() -> f64 {
    let mut used = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    let who = libc::RUSAGE_CHILDREN as usize;
    // SAFETY: `used` is a local variable that the kernel writes, and zeros are valid for it.
    let used = unsafe {
        sys::call3(libc::SYS_getrusage, who, used.as_mut_ptr() as usize, 0);
        used.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(used.ru_utime) + seconds(used.ru_stime)
}

/// The most memory that this process ever had.
pub fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("");
    line.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<u64>()
        .unwrap_or(0)
        * 1024
}
