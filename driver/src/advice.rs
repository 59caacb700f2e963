//! Advice for a search that will not be over in the time it has.

use crate::flags::{Check, Scope, Target};
use crate::names::demangle_bare;
use crate::words::quoted;
use dpor_abi::options::{Options, Search, States};
use dpor_report::text::counted;
use dpor_report::{duration, Estimate, Report, Verdict};

/// The advice, given once, on standard error, as soon as even the least of the estimate is too much.
#[derive(Debug, Default)]
pub struct Advice {
    said: bool,
}

impl Advice {
    /// The sentence, if it is due now. `seconds`: how long the search took so far.
    pub fn of(&mut self, check: &Check, estimate: Estimate, seconds: f64) -> Option<String> {
        let limit = check.options.time_limit_seconds;
        let is_too_much = limit > 0.0 && seconds + estimate.seconds_left_low > limit;
        let is_one_of_several = matches!(check.scope, Scope::Scenarios);
        if self.said || is_one_of_several || check.options.search != Search::Optimal || !is_too_much
        {
            return None;
        }
        self.said = true;
        Some(format!(
            "note: the search has {} executions, {} more, and --time-limit allows {}; to draw some of them: {}",
            estimate.total(),
            estimate.left(),
            duration(limit),
            command(check)
        ))
    }
}

/// Words of reasons of a limit that the user set, or of Ctrl-C.
const LIMITS: [&str; 5] = [
    "max-executions: ",
    "time-limit: ",
    "max-states: ",
    "states-memory: ",
    "interrupted",
];

/// Sentences for a check that a limit ended: what was covered, how long the whole would take, and what would come to an
/// end. `cores`: those of this machine.
pub fn at_end(report: &Report, check: &Check, cores: impl Fn() -> usize) -> Vec<String> {
    let reason = report.reason.as_deref().unwrap_or_default();
    let is_limit = LIMITS.iter().any(|limit| reason.starts_with(limit));
    let is_unfinished = report.verdict == Verdict::Incomplete && !report.is_as_asked();
    let is_size = matches!(check.scope, Scope::Scenarios);
    if !is_limit || !is_unfinished || is_size || check.mpi || check.options.search.samples() {
        return Vec::new();
    }
    // Whoever stops a search that is not estimated yet has seen how far it was, and of nothing there is nothing to say.
    let is_known = report.estimate.is_some() || reason != "interrupted";
    if !is_known || report.executions.total() == 0 && report.states.is_none() {
        return Vec::new();
    }
    let ways = match check.options.is_by_states() {
        true => ways_of_states(report, &check.options),
        false => ways(report, check, cores()),
    };
    let mut sentences: Vec<String> = covered(report, check).into_iter().collect();
    if !ways.is_empty() {
        sentences.push(format!("what would come to an end: {}", ways.join("; ")));
    }
    sentences.extend(less_work(report, check));
    sentences
}

/// What was covered of how much, and how long the rest would take.
fn covered(report: &Report, check: &Check) -> Option<String> {
    let run = counted(report.executions.total(), "execution");
    match report.estimate {
        Some(estimate) => Some(format!(
            "{run} of {} were explored; the rest would take {} more",
            estimate.total(),
            estimate.left()
        )),
        None if check.options.is_by_states() => None,
        None => Some(format!("{run} explored: how many there are is not known")),
    }
}

/// More of the same search takes at most so long to be advised, in seconds (chosen: a night).
const WORTH_WAITING: f64 = 12.0 * 3600.0;

/// What comes to an end, instead of a search by executions that does not.
fn ways(report: &Report, check: &Check, cores: usize) -> Vec<String> {
    let options = &check.options;
    let mut ways = Vec::new();
    let left = report.estimate.map(|estimate| estimate.seconds_left);
    let is_alone = options.workers == 1 && !options.is_bounded();
    if let Some(left) = left.filter(|left| *left < WORTH_WAITING) {
        let whole = (left + report.seconds.wall).ceil();
        ways.push(match options.max_executions > 0 {
            true => "the same without --max-executions".to_owned(),
            false => format!("--time-limit={}", 2.0 * whole),
        });
        if is_alone && report.workers == 1 && cores > 1 && !options.deterministic {
            let shared = duration(left / cores as f64);
            ways.push(format!("-j {cores}, at best in {shared}"));
        }
    }
    let is_default = is_alone && options.search == Search::Optimal;
    if is_default && !options.is_kept() {
        ways.push("--bound=2, which covers what needs at most 2 preemptions".to_owned());
    }
    if is_default && !options.is_kept() && options.max_executions == 0 {
        ways.push("--states, if its states are few".to_owned());
    }
    let (samples, seed) = (options.samples, options.seed);
    ways.push(format!(
        "--search=surw --samples={samples} --seed={seed}, which proves nothing"
    ));
    ways
}

/// Where it is known what made states differ, that is what is to be looked at.
fn ways_of_states(report: &Report, options: &Options) -> Vec<String> {
    let mut ways = Vec::new();
    let is_named = |states: &dpor_report::States| !states.differing.is_empty();
    if report.states.as_ref().is_some_and(is_named) {
        return ways;
    }
    if options.max_states > 0 {
        ways.push("the same without --max-states, if they come to an end".to_owned());
    }
    if options.states != States::Bitstate && !options.asks_of_runs() && options.bound.is_none() {
        ways.push(
            "--states=bitstate, which keeps more of them in less memory, and proves nothing"
                .to_owned(),
        );
    }
    ways
}

/// Who does the same, so that less of it finds as much.
fn less_work(report: &Report, check: &Check) -> Option<String> {
    let most = report.alike.iter().max_by_key(|one| one.threads);
    let most = most.filter(|_| !check.options.is_by_states())?;
    let name = demangle_bare(&most.function);
    let symmetry = match check.options.reductions.symmetry {
        true => "",
        false => ", or --reductions=commute,observers,symmetry, which explores them in one order where nothing tells them apart",
    };
    let fewer = match most.threads {
        2 => "fewer turns of each",
        _ => "two of them, or fewer turns of each,",
    };
    Some(format!(
        "{} run the same function, {name}: {fewer} find most bugs in far fewer executions{symmetry}",
        counted(most.threads, "thread")
    ))
}

/// The command that draws samples of the same program.
fn command(check: &Check) -> String {
    let words = vec![
        "dpor check --search=surw".to_owned(),
        format!("--samples={}", check.options.samples),
        format!("--time-limit={}", check.options.time_limit_seconds),
    ];
    of_program(words, check)
}

/// The command that visits the states of the same program.
pub fn by_states(check: &Check) -> String {
    of_program(vec!["dpor check --states".to_owned()], check)
}

fn of_program(mut words: Vec<String>, check: &Check) -> String {
    match &check.target {
        Target::Program(path) => words.push(quoted(&path.display().to_string())),
        Target::Sources { files, cflags } => {
            if cflags.join(" ") != "-O2 -g" {
                words.push(format!("--cflags={}", quoted(&cflags.join(" "))));
            }
            words.extend(files.iter().map(|file| quoted(&file.display().to_string())));
        }
    }
    if !check.args.is_empty() {
        words.push("--".to_owned());
        words.extend(check.args.iter().map(|arg| quoted(arg)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::{MessageFormat, ProgressWhen};
    use dpor_report::Alike;

    fn check(search: Search, seconds: f64, target: Target) -> Check {
        Check {
            target,
            args: vec!["a b".to_owned()],
            options: Options {
                search,
                time_limit_seconds: seconds,
                ..Options::default()
            },
            mpi: false,
            scope: Scope::Program,
            suppressions: crate::suppress::Suppressions::default(),
            cache: None,
            reports: crate::flags::Wanted::default(),
            message_format: MessageFormat::default(),
            progress: ProgressWhen::default(),
        }
    }

    #[test]
    fn once_and_only_where_the_least_is_too_much() {
        // 1,000 in 2 s; the least that is left are 79,000, 158 s.
        let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 1_000, 2.0);
        let program = || Target::Program("./x".into());
        let said =
            |search, limit| Advice::default().of(&check(search, limit, program()), estimate, 2.0);
        assert_eq!(said(Search::Optimal, 161.0), None);
        assert_eq!(said(Search::Optimal, 0.0), None);
        assert_eq!(said(Search::Auto, 60.0), None);
        let expect = "note: the search has about 150,000 (80,000 to 400,000) executions, \
            about 5 min (3 min to 13 min) more, and --time-limit allows 60 s; to draw some of them: \
            dpor check --search=surw --samples=10000 --time-limit=60 ./x -- 'a b'";
        let mut advice = Advice::default();
        let check = check(Search::Optimal, 60.0, program());
        assert_eq!(advice.of(&check, estimate, 2.0).as_deref(), Some(expect));
        assert_eq!(advice.of(&check, estimate, 2.0), None);
    }

    fn cut(reason: &str, estimate: Option<Estimate>) -> Report {
        Report {
            reason: Some(reason.to_owned()),
            executions: dpor_report::Executions {
                complete: 1_000,
                ..Default::default()
            },
            estimate,
            ..crate::report::plain::empty(&Options::default(), std::time::Duration::from_secs(2))
        }
    }

    #[test]
    fn the_end_names_what_was_covered_and_what_would_finish() {
        // 1,000 in 2 s; 149,000 more at 2 ms are 298 s, 149 s each for two.
        let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 1_000, 2.0);
        let mut report = cut("time-limit: 2 s", Some(estimate));
        report.alike = vec![Alike {
            function: "_Z4workPv".to_owned(),
            start: 1,
            threads: 3,
        }];
        let check = |search| check(search, 2.0, Target::Program("./x".into()));
        let said = at_end(&report, &check(Search::Optimal), || 2);
        assert_eq!(
            said,
            [
                "1,000 executions of about 150,000 (80,000 to 400,000) were explored; the rest would take \
                 about 5 min (3 min to 13 min) more",
                "what would come to an end: --time-limit=600; -j 2, at best in 2 min; --bound=2, which covers what \
                 needs at most 2 preemptions; --states, if its states are few; --search=surw --samples=10000 --seed=0, \
                 which proves nothing",
                "3 threads run the same function, work: two of them, or fewer turns of each, find most bugs in far \
                 fewer executions, or --reductions=commute,observers,symmetry, which explores them in one order where \
                 nothing tells them apart",
            ]
        );
        let alone = at_end(&report, &check(Search::Dfs), || 1);
        assert!(alone[1].starts_with("what would come to an end: --time-limit=600; --search=surw"));
        // Nobody waits for a million years, and samples were as asked.
        let ages = Estimate::new([1e18, 1e17, 1e18], 0.8, 1_000, 2.0);
        let said = at_end(
            &cut("max-executions: 9 explored", Some(ages)),
            &check(Search::Optimal),
            || 2,
        );
        assert!(
            said[1].starts_with("what would come to an end: --bound=2"),
            "{said:?}"
        );
        let said = at_end(
            &cut("max-executions: 9 explored", None),
            &check(Search::Optimal),
            || 2,
        );
        assert_eq!(
            said[0],
            "1,000 executions explored: how many there are is not known"
        );
        for (why, search) in [
            ("interrupted", Search::Optimal),
            ("the schedule ran without its finding", Search::Optimal),
            ("time-limit: 2 s", Search::Pos),
        ] {
            let said = at_end(&cut(why, None), &check(search), || 2);
            assert!(said.is_empty(), "{said:?}");
        }
    }

    #[test]
    fn sources_are_named_with_their_flags() {
        let target = Target::Sources {
            files: vec!["x.c".into(), "y z.c".into()],
            cflags: vec!["-O0".to_owned()],
        };
        assert_eq!(
            command(&check(Search::Optimal, 1.5, target)),
            "dpor check --search=surw --samples=10000 --time-limit=1.5 --cflags=-O0 x.c 'y z.c' -- 'a b'"
        );
    }
}
