//! `dpor scenario` as written and as meant.

use super::{is_source, Check, LowCheck};
use clap::{Args, ValueEnum};
use dpor_abi::options::{Guarantee, Reductions, Search, States};
use std::path::PathBuf;

/// `dpor scenario`.
#[derive(Args, Debug)]
// Changed arguments go to the end: the program's arguments must stay the last.
#[command(mut_arg("args", |args| args))]
pub struct LowScenario {
    /// What the results of calls must be explained by: linearizable: an order of the calls, one after the other, in which a
    /// call that returned before another began comes before it; sequentially-consistent: one that keeps each thread's order;
    /// quiescent: one that keeps calls in order between which nothing was going on [default: linearizable]
    #[arg(long = "check", value_name = "WHAT", value_enum)]
    pub question: Option<Question>,
    /// Instead of what calls return: whether they end, in every state of every scenario, whoever stops. obstruction-free: a
    /// thread that runs alone from then on ends its call; lock-free: of the threads that run somebody ends a call;
    /// wait-free: whoever runs ends its call in a bounded number of its own steps, although the others make their calls again
    /// and again [default: not asked]
    #[arg(long, value_name = "PROMISE", value_enum)]
    pub progress_guarantee: Option<Promise>,
    /// Seconds for all sizes together [default: 60]
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub time: f64,
    /// Sizes (threads x calls of each), in this order, and no others [default: 2x1,3x1,2x2,2x3,3x2,4x1, as far as the time
    /// allows]
    #[arg(long, value_name = "SIZES")]
    pub sizes: Option<String>,
    /// If something is found: writes the scenario in which it is as a program of its own, C or C++ as the source of the test,
    /// and FILE.schedule, whose schedule shows it [default: no file]
    #[arg(long, value_name = "FILE")]
    pub emit: Option<PathBuf>,
    /// As for `dpor check`, whose options these are.
    #[command(flatten)]
    pub check: LowCheck,
}

/// What is asked of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// An order of the calls that keeps the order in time.
    Linearizable,
    /// An order that keeps that of each thread.
    SequentiallyConsistent,
    /// An order that keeps that of calls with a quiet moment in between.
    Quiescent,
}

impl Question {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Question::Linearizable => "linearizable",
            Question::SequentiallyConsistent => "sequentially-consistent",
            Question::Quiescent => "quiescent",
        }
    }
}

/// What is promised of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Promise {
    /// Who runs alone ends its call.
    ObstructionFree,
    /// Somebody ends a call.
    LockFree,
    /// Everybody who runs ends its call.
    WaitFree,
}

/// What is asked of the scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Of what calls return.
    Results(Question),
    /// Of whether they end.
    Progress(Guarantee),
}

impl Asked {
    /// What the test is told to ask of results.
    pub fn of_results(self) -> &'static str {
        match self {
            Asked::Results(question) => question.word(),
            Asked::Progress(_) => "progress",
        }
    }

    /// Whether threads make their calls again and again.
    pub fn is_endless(self) -> bool {
        self == Asked::Progress(Guarantee::WaitFree)
    }

    /// The word that says what is proved.
    pub fn word(self) -> &'static str {
        match self {
            Asked::Results(question) => question.word(),
            Asked::Progress(guarantee) => guarantee.as_str(),
        }
    }
}

/// The sizes in their order, where none are given.
const SIZES: &str = "2x1,3x1,2x2,2x3,3x2,4x1";

/// Threads, calls of one, and calls of all of them, at most: those of dpor/scenario_core.h.
const THREADS_MAX: u32 = 6;
const LENGTH_MAX: u32 = 6;
const CALLS_MAX: u32 = 8;

/// A test of a data structure as meant.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The program, and how it is explored.
    pub check: Check,
    /// What is asked.
    pub asked: Asked,
    /// For all sizes together.
    pub time_seconds: f64,
    /// Threads and calls of each.
    pub sizes: Vec<(u32, u32)>,
    /// Where the scenario of a finding is written.
    pub emit: Option<PathBuf>,
    /// All of these sizes are wanted, and not as many as the time allows.
    pub wants_all: bool,
}

impl LowScenario {
    /// What is meant.
    ///
    /// `environment` is the value of `DPOR_OPTIONS`, empty without.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn understand(self, environment: &str) -> Result<Scenario, String> {
        self.refuse()?;
        if !(self.time > 0.0 && self.time.is_finite()) {
            return Err(format!("--time: {} is no number of seconds", self.time));
        }
        if let Some(file) = self.emit.as_deref().filter(|file| !is_source(file)) {
            return Err(format!(
                "--emit: {} is no C or C++ source by its name",
                file.display()
            ));
        }
        let wants_all = self.sizes.is_some();
        let sizes = sizes(self.sizes.as_deref().unwrap_or(SIZES))?;
        let guarantee = self.guarantee()?;
        let mut check = self.check.understand(environment)?;
        let options = &check.options;
        let is_whole = matches!(
            options.search,
            Search::Optimal | Search::Classic | Search::Dfs
        );
        if !is_whole || options.is_bounded() || options.is_by_states() || options.loop_bound > 0 {
            return Err(
                "dpor scenario goes over all executions: not with samples, bounds or --states"
                    .to_owned(),
            );
        }
        let asked = match guarantee {
            Some(guarantee) => Asked::Progress(guarantee),
            None => Asked::Results(self.question.unwrap_or(Question::Linearizable)),
        };
        if let Asked::Progress(guarantee) = asked {
            let options = &mut check.options;
            options.guarantee = guarantee;
            // So that what is said of all states is said without a chance that two were taken for one.
            options.states = States::Exact;
            options.reductions = Reductions::NONE;
            options.fit_together()?;
        }
        Ok(Scenario {
            check,
            asked,
            time_seconds: self.time,
            sizes,
            emit: self.emit,
            wants_all,
        })
    }

    /// What is promised of calls, if that is asked.
    fn guarantee(&self) -> Result<Option<Guarantee>, String> {
        let given = match self.progress_guarantee {
            None => return Ok(None),
            Some(Promise::ObstructionFree) => Guarantee::ObstructionFree,
            Some(Promise::LockFree) => Guarantee::LockFree,
            Some(Promise::WaitFree) => Guarantee::WaitFree,
        };
        let excluded = [
            (self.question.is_some(), "--check"),
            (self.emit.is_some(), "--emit"),
            (self.check.settings.has("reductions"), "--reductions"),
        ];
        match excluded.iter().find(|(is_given, _)| *is_given) {
            Some((_, what)) => Err(format!(
                "--progress-guarantee and {what} exclude each other"
            )),
            None => Ok(Some(given)),
        }
    }

    /// Options of a check that mean nothing for several searches, or less than all executions.
    fn refuse(&self) -> Result<(), String> {
        let check = &self.check;
        let given = [
            ("test-filter", check.test_filter.is_some()),
            ("watch", check.watch),
            ("graph", check.reports.graph.is_some()),
        ];
        let given = given
            .iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| *name);
        let refused = check.settings.first_of(&[
            "samples",
            "seed",
            "pct-depth",
            "bound",
            "iterative",
            "states",
            "ltl",
            "automaton",
            "deterministic",
            "non-progress",
            "no-starvation",
            "loop-bound",
            "outcomes",
            "save",
            "resume",
            "mpi",
            "commit-files",
        ]);
        match refused.or(given) {
            Some(name) => Err(format!("--{name}: not with dpor scenario")),
            None if check.settings.has("time-limit") => {
                Err("--time-limit: dpor scenario has --time, for all sizes together".to_owned())
            }
            None => Ok(()),
        }
    }
}

/// `2x1,3x1`.
fn sizes(text: &str) -> Result<Vec<(u32, u32)>, String> {
    let size = |word: &str| {
        let (threads, calls) = word.trim().split_once('x')?;
        let size: (u32, u32) = (threads.parse().ok()?, calls.parse().ok()?);
        let (threads, calls) = size;
        let is_one = (2..=THREADS_MAX).contains(&threads) && (1..=LENGTH_MAX).contains(&calls);
        (is_one && threads * calls <= CALLS_MAX).then_some(size)
    };
    let all = text.split(',').map(|word| {
        size(word).ok_or_else(|| {
            format!(
                "--sizes: '{word}' is no size, as in 2x3: from 2 to {THREADS_MAX} threads, and at most \
                 {CALLS_MAX} calls in all"
            )
        })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{joined, Low, LowCommand};
    use super::*;
    use clap::Parser;

    fn scenario(line: &str) -> Result<Scenario, String> {
        let words = std::iter::once("dpor").chain(line.split_whitespace());
        let low = Low::try_parse_from(joined(words)).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::Scenario(scenario) => scenario.understand(""),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn what_is_tested() {
        let plain = scenario("scenario x.cc").unwrap();
        assert_eq!(plain.asked, Asked::Results(Question::Linearizable));
        assert_eq!(plain.sizes[..3], [(2, 1), (3, 1), (2, 2)]);
        assert!(!plain.wants_all);
        let more =
            scenario("scenario ./x --check quiescent --sizes 2x4,3x1 --time 5 -- -v").unwrap();
        assert_eq!(more.asked, Asked::Results(Question::Quiescent));
        assert_eq!(more.sizes, [(2, 4), (3, 1)]);
        assert!(more.wants_all);
        assert_eq!(more.check.args, ["-v"]);
    }

    #[test]
    fn what_is_promised() {
        let promised = scenario("scenario x.cc --progress-guarantee lock-free").unwrap();
        assert_eq!(promised.asked.word(), "lock-free");
        assert_eq!(promised.asked.of_results(), "progress");
        let options = &promised.check.options;
        assert_eq!(options.guarantee, Guarantee::LockFree);
        assert!(options.is_by_states() && options.reductions.merge_nothing());
        assert!(!promised.asked.is_endless());
        let promised = scenario("scenario x.cc --progress-guarantee wait-free").unwrap();
        assert_eq!(promised.asked.word(), "wait-free");
        assert!(promised.asked.is_endless());
    }

    #[test]
    fn what_is_refused() {
        for (line, expect) in [
            ("scenario", "required"),
            ("scenario x.cc --check fast", "invalid value"),
            ("scenario x.cc --sizes 2", "no size"),
            ("scenario x.cc --sizes 1x2", "no size"),
            ("scenario x.cc --sizes 3x3", "no size"),
            ("scenario x.cc --time 0", "--time"),
            ("scenario x.cc --time-limit 5", "--time"),
            ("scenario x.cc --bound 2", "--bound"),
            ("scenario x.cc --states", "--states"),
            ("scenario x.cc --search random", "goes over all"),
            ("scenario x.cc --test-filter x", "--test-filter"),
            (
                "scenario x.cc --progress-guarantee lock-free --check quiescent",
                "exclude each other",
            ),
            (
                "scenario x.cc --progress-guarantee lock-free --emit x.c",
                "exclude each other",
            ),
            (
                "scenario x.cc --progress-guarantee lock-free -j 2",
                "one process",
            ),
            ("scenario x.cc --emit x", "--emit: x is no"),
            ("scenario x.cc --emits x", "unexpected argument"),
        ] {
            let message = scenario(line).unwrap_err();
            assert!(message.contains(expect), "{line}: {message}");
        }
    }
}
