//! `dpor check` as written and as meant.

use super::automata;
use super::effects::refuse_idle;
use super::forms::{MessageFormat, ProgressWhen};
use super::reports::Wanted;
use super::scope::Scope;
use super::settings::Settings;
use super::source_files::is_source;
use crate::cache::folder::Cache;
use crate::suppress::{self, Suppressions};
use crate::words;
use clap::Args;
use dpor_abi::options::{Checkpoint, Options, Output, Search};
use std::path::PathBuf;

/// `dpor check`.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "each option is explained by its help text")]
pub struct LowCheck {
    /// An instrumented program, or sources (C, C++, LLVM bitcode)
    #[arg(required = true, value_name = "PROGRAM|FILE")]
    pub files: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    /// Arguments for the compiler when sources are given [default: -O2 -g]
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,

    /// Check each test of a GoogleTest, Catch2, doctest or Boost.Test program that matches the framework's pattern, in a search of its own [default: none]
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub test_filter: Option<String>,

    /// Check again whenever a source, or a header beside it, is saved, or the program is built anew; Ctrl-C ends it [default: off]
    #[arg(long)]
    pub watch: bool,

    /// Keep complete verdicts without a finding in a folder, and take them over in later checks where nothing that they
    /// depend on has changed: the code and data that the program can reach, options, arguments, environment, files that it
    /// reads, this tool; without DIR, the user's folder for such things [default: DPOR_CACHE, or none]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub cache: Option<Option<PathBuf>>,
    /// Take over no verdict, and keep none, whatever DPOR_CACHE says [default: off]
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub reports: Wanted,
    /// Form of the findings: human; short: a line each, for editors [default: human]
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Executions so far, estimate and time left: a bar on a terminal, a line every ten seconds elsewhere; auto, always,
    /// never [default: auto]
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressWhen,
}

/// A check as meant.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is explored.
    pub target: Target,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// For the runtime; channel and replay are not set.
    pub options: Options,
    /// Whether this is one of several ranks.
    pub mpi: bool,
    /// Whether it is the program or tests of it.
    pub scope: Scope,
    /// Findings that are not to be counted.
    pub suppressions: Suppressions,
    /// Where verdicts are kept, if they are.
    pub cache: Option<Cache>,
    /// Where reports go.
    pub reports: Wanted,
    /// Form of the findings.
    pub message_format: MessageFormat,
    /// When the progress line is shown.
    pub progress: ProgressWhen,
}

/// What is explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An instrumented program.
    Program(PathBuf),
    /// To be compiled first.
    Sources {
        /// C, C++ or LLVM.
        files: Vec<PathBuf>,
        /// Compiler arguments.
        cflags: Vec<String>,
    },
}

impl LowCheck {
    /// What is meant.
    ///
    /// `environment` is the value of `DPOR_OPTIONS`, empty without.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn understand(self, environment: &str) -> Result<Check, String> {
        let mut options =
            Options::parse(environment).map_err(|why| format!("DPOR_OPTIONS: {why}"))?;
        // What a driver tells its processes is not taken over from another driver's.
        options = Options {
            off: false,
            save: String::new(),
            resume: String::new(),
            channel: -1,
            journal: -1,
            deaths: String::new(),
            replay: String::new(),
            seek: String::new(),
            cluster: None,
            progress: false,
            give_up: false,
            deepen: false,
            many_threads: false,
            endings: false,
            first: 0,
            workers_if_it_pays: 0,
            ..options
        };
        self.settings.apply(&mut options)?;
        refuse_idle(&self.settings, &options)?;
        let mpi = self.settings.has("mpi");
        let scope = Scope::of(self.test_filter.as_deref(), &self.settings)?;
        let target = target(self.files, self.cflags)?;
        if mpi {
            fit_for_ranks(&target, &options)?;
        }
        options.graph = self.reports.graph.is_some();
        if options.graph && !options.is_by_states() {
            return Err("--graph is for a search that remembers states: --states".to_owned());
        }
        options.fit_together()?;
        options.ltl.iter().try_for_each(|text| is_formula(text))?;
        automata::read(&mut options.automaton)?;
        let suppressions = suppress::read(&options.suppress)?;
        // Which finding is suppressed is known when it has a name.
        options.keep_going |= !suppressions.rules.is_empty();
        if mpi && options.is_bounded() {
            return Err(
                "a bound of preemptions is for one process: without -j and --mpi".to_owned(),
            );
        }
        let says_how_many = self.settings.has("j") || says_how_many(environment);
        if !mpi && !says_how_many && may_be_shared(&options) {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            options.workers_if_it_pays = u32::try_from(processors).map_or(64, |n| n.min(64));
        }
        Ok(Check {
            target,
            args: self.args,
            mpi,
            scope,
            cache: match (self.no_cache, self.cache) {
                (true, _) => None,
                (false, Some(Some(folder))) => Some(Cache { folder }),
                (false, Some(None)) => Some(Cache::of_user()?),
                (false, None) => Cache::of_environment(),
            },
            options,
            suppressions,
            reports: self.reports,
            message_format: self.message_format,
            progress: self.progress,
        })
    }
}

/// Whether `DPOR_OPTIONS` names a number of workers.
fn says_how_many(environment: &str) -> bool {
    environment.split(':').any(|pair| pair.starts_with("j="))
}

/// Whether a search may come to have workers without having been told so: it goes over everything, in whatever order, and
/// keeps nothing that one process has to see.
fn may_be_shared(options: &Options) -> bool {
    options.search == Search::Optimal
        && !options.is_bounded()
        && !options.is_by_states()
        && !options.deterministic
        && !options.is_kept()
        && !options.commit_files
        && options.output != Output::All
        && options.max_executions == 0
        && matches!(options.checkpoint, Checkpoint::Snapshot | Checkpoint::Auto)
}

/// Whether a text is a formula; of which propositions it may speak the program says.
///
/// # Errors
/// The text, the place in it, and what is wrong there.
fn is_formula(text: &str) -> Result<(), String> {
    let parsed = dpor_ltl::parse(text, &|_| Some(0));
    parsed.map(|_| ()).map_err(|why| {
        let before = text.get(..why.at).unwrap_or(text).chars().count();
        let mark = " ".repeat(before);
        format!("--ltl: {why}\n  {text}\n  {mark}^")
    })
}

/// What several ranks can do.
fn fit_for_ranks(target: &Target, options: &Options) -> Result<(), String> {
    if let Target::Sources { files, .. } = target {
        return Err(format!(
            "--mpi needs a program that lies at the same place for all ranks: compile {} with dpor-cc",
            files[0].display()
        ));
    }
    if options.search.samples() || options.search == Search::Auto {
        return Err("--mpi and a search that samples exclude each other".to_owned());
    }
    if options.commit_files {
        return Err("--mpi and --commit-files exclude each other".to_owned());
    }
    if options.workers > RANK_WORKERS_MAX {
        return Err(format!(
            "--mpi: -j from 1 to {RANK_WORKERS_MAX} for each rank"
        ));
    }
    Ok(())
}

/// Most workers of a rank: its coordinator is one more that writes messages.
const RANK_WORKERS_MAX: u32 = 63;

fn target(files: Vec<PathBuf>, cflags: Option<String>) -> Result<Target, String> {
    if let Some(odd) = files.iter().find(|file| !is_source(file)) {
        if files.len() > 1 {
            return Err(format!(
                "'{}' is no source file by its name, and only one program can be checked; \
                 arguments of the program go behind --",
                odd.display()
            ));
        }
        if cflags.is_some() {
            return Err(format!(
                "--cflags is for sources, and '{}' is no source file by its name",
                odd.display()
            ));
        }
        return Ok(Target::Program(odd.clone()));
    }
    let cflags = words::split(cflags.as_deref().unwrap_or("-O2 -g"));
    Ok(Target::Sources { files, cflags })
}

#[cfg(test)]
mod tests {
    use super::super::{joined, Low, LowCommand};
    use super::*;
    use clap::Parser;
    use dpor_abi::options::Races;

    fn check(line: &str) -> Result<Check, String> {
        let words = std::iter::once("dpor").chain(line.split_whitespace());
        let low = Low::try_parse_from(joined(words)).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::Check(check) => check.understand("keep-going=1:channel=9:off=1"),
            _ => Err("another command".to_owned()),
        }
    }

    type Values = &'static [&'static str];

    /// Each option with values that it takes, in the order of the help: values that work today, values that do
    /// not yet, and a value that never will. (`--pct-depth` beside those of other samples.)
    const PROMISED: &[(&str, Values, Values, Values)] = &[
        (
            "--search",
            &[
                "optimal", "classic", "dfs", "icb", "random", "pct", "pos", "surw", "auto",
            ],
            &[],
            &["best", "stateful"],
        ),
        ("--races", &["c11", "sc", "warn", "off"], &[], &["on"]),
        ("--model", &["sc"], &["tso", "pso", "ra", "rc11"], &["arm"]),
        ("--plain", &["check", "explore"], &[], &["1"]),
        ("--volatile", &["atomic", "plain"], &[], &["1"]),
        ("--bound", &["0", "2"], &[], &["-1", "few"]),
        ("--iterative", &[""], &[], &[]),
        (
            "--reductions",
            &[
                "commute,observers,counters,calls",
                "none",
                "symmetry",
                "commute,every-turn",
            ],
            &[],
            &["some"],
        ),
        (
            "--checkpoint",
            &["snapshot", "restart", "fork", "auto"],
            &[],
            &["disk"],
        ),
        ("-j", &["1", "2", "64"], &[], &["0", "65", "x"]),
        ("-k", &[""], &[], &[]),
        ("--keep-going", &[""], &[], &[]),
        ("--search pos --samples", &["5"], &[], &["0", "many"]),
        ("--search pos --seed", &["5"], &[], &["x"]),
        ("--search pct --pct-depth", &["1", "4"], &[], &["0", "x"]),
        ("--max-executions", &["10"], &[], &["-1", "many"]),
        ("--time-limit", &["1.5"], &[], &["soon"]),
        ("--max-events", &["10"], &[], &["x"]),
        ("--step-limit", &["20"], &[], &["x"]),
        ("--loop-bound", &["1", "3"], &[], &["x", "-1"]),
        ("--output", &["finding", "all", "none"], &[], &["some"]),
        ("--commit-files", &[""], &[], &[]),
        ("--strict", &[""], &[], &[]),
        ("--warnings-as-errors", &[""], &[], &[]),
        ("--mpi", &[""], &[], &[]),
        ("--checkpoint-memory", &["100"], &[], &["much"]),
        ("--full", &[""], &[], &[]),
        ("--message-format", &["short"], &[], &["long"]),
        ("--test-filter", &["Queue.*", "-Queue.*"], &[], &[]),
        (
            "--main-return",
            &["exit-handlers", "run", "exit"],
            &[],
            &["no"],
        ),
        (
            "--exit-status",
            &["3", "any", "1 --exit-status 2"],
            &[],
            &["256", "x"],
        ),
        ("--spurious", &["1"], &[], &["some"]),
        ("--timeouts", &["", "1", "3", "all", "none"], &[], &[]),
        ("--suppress", &["/dev/null"], &[], &["/no/such/file"]),
        ("--trust", &["libomp.so.5", "libabsl_*"], &[], &[]),
        ("--json", &["x.json", "-"], &[], &[]),
        ("--sarif", &["x.sarif", "-"], &[], &[]),
        ("--junit", &["x.xml", "-"], &[], &[]),
        ("--html", &["x.html", "-"], &[], &[]),
        ("--dot", &["x.dot", "-"], &[], &[]),
        ("--states --graph", &["x.dot", "-"], &[], &[]),
        ("--outcomes", &[""], &[], &[]),
        ("--progress", &["auto", "always", "never"], &[], &["maybe"]),
        ("--save", &["x"], &[], &[]),
        ("--resume", &["x"], &[], &[]),
    ];

    #[test]
    fn every_option_takes_its_values() {
        for (option, now, later, never) in PROMISED {
            for value in *now {
                let line = format!("check {option} {value} ./x");
                assert!(check(&line).is_ok(), "{line}: {:?}", check(&line));
            }
            for value in *later {
                let line = format!("check {option} {value} ./x");
                let message = check(&line).unwrap_err();
                assert!(message.ends_with("not yet"), "{line}: {message}");
                assert!(message.starts_with(option), "{line}: {message}");
            }
            for value in *never {
                let line = format!("check {option} {value} ./x");
                let message = check(&line).unwrap_err();
                assert!(!message.contains("not yet"), "{line}: {message}");
            }
        }
        assert!(check("check --depth 3 ./x").is_err());
    }

    #[test]
    fn options_arrive() {
        let check = check("check --search dfs --races=warn --max-executions 7 x -- -p 3").unwrap();
        assert_eq!(check.target, Target::Program("x".into()));
        assert_eq!(check.args, ["-p", "3"]);
        let expect = Options {
            search: Search::Dfs,
            races: Races::Warn,
            max_executions: 7,
            // From the environment, of which channel and off are not taken over.
            keep_going: true,
            ..Options::default()
        };
        assert_eq!(check.options, expect);
    }

    #[test]
    fn sources_are_told_from_programs_by_name() {
        let target = |line: &str| check(line).map(|check| check.target);
        let sources = |files: &[&str], cflags: &[&str]| Target::Sources {
            files: files.iter().map(PathBuf::from).collect(),
            cflags: cflags.iter().map(|flag| flag.to_string()).collect(),
        };
        assert_eq!(target("check a.c"), Ok(sources(&["a.c"], &["-O2", "-g"])));
        assert_eq!(
            target("check a.c b.cpp --cflags=-O1"),
            Ok(sources(&["a.c", "b.cpp"], &["-O1"]))
        );
        assert_eq!(
            target("check ./a.bc --cflags -g"),
            Ok(sources(&["./a.bc"], &["-g"]))
        );
        assert_eq!(target("check a.out"), Ok(Target::Program("a.out".into())));
        assert!(target("check a.out b.out")
            .unwrap_err()
            .contains("behind --"));
        assert!(target("check a.out --cflags -g")
            .unwrap_err()
            .contains("for sources"));
    }
}
