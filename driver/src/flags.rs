//! The command line as written ([`Low`] types, by clap) and as meant ([`Check`]).
//!
//! Options that the runtime knows go through [`Options::set`], the same function that reads
//! `DPOR_OPTIONS`, so that a value is accepted or refused in one place. `DPOR_OPTIONS` in the
//! driver's environment is where a check starts from; the command line overrides it.

mod diff;
mod list;
mod scope;
mod timeouts;

pub use diff::{is_level, Diff, Levelled, LowDiff};
pub use list::{Listing, LowList};
pub use scope::Scope;
pub use timeouts::joined;

use crate::report::files::Wanted;
use crate::words;
use clap::{Args, Parser, Subcommand, ValueEnum};
use dpor_abi::options::{Options, Search};
use std::path::{Path, PathBuf};

/// `dpor`.
#[derive(Parser, Debug)]
#[command(
    name = "dpor",
    version,
    about = "Explores every relevant interleaving of a program"
)]
pub struct Low {
    /// What to do.
    #[command(subcommand)]
    pub command: LowCommand,
}

/// One per subcommand.
#[derive(Subcommand, Debug)]
pub enum LowCommand {
    /// Explore a program that dpor-cc compiled, or compile sources and explore
    Check(Box<LowCheck>),
    /// Run the schedule of a finding once
    Replay(LowReplay),
    /// Compare a program at two optimization levels: what the optimizer introduces and what it hides
    Diff(Box<LowDiff>),
    /// Show a saved report again, or write it in other formats
    Show(LowShow),
    /// Look for what is missing, and say what to do
    Doctor,
    /// Write completions for shells and manual pages below a folder (share of an installation)
    #[command(hide = true)]
    Share(LowShare),
    /// Show how executions of a program go and end, also those that pass: one for each different ending
    ListExecutions(Box<LowList>),
}

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

    /// Check each test of a GoogleTest or Catch2 program that matches the framework's pattern, in a search of its own
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub test_filter: Option<String>,

    /// How executions are chosen: optimal, classic, dfs, icb; or drawn: random, pct, pos, surw; or auto: optimal, and samples where the limits are not enough for that
    #[arg(long)]
    pub search: Option<String>,
    /// Executions to draw, where they are drawn [default: 10,000]
    #[arg(long, value_name = "N")]
    pub samples: Option<String>,
    /// The same seed, the same samples [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    /// Depth of the bugs that pct looks for [default: 3]
    #[arg(long, value_name = "D")]
    pub pct_depth: Option<String>,
    /// Explore what needs at most so many preemptions
    #[arg(long, value_name = "N")]
    pub bound: Option<String>,
    /// Raise the bound of preemptions from 0, until all is explored or --bound is reached
    #[arg(long)]
    pub iterative: bool,
    /// How data races are judged: c11, sc, warn (by c11; no bugs by themselves), off (neither they nor, without
    /// --plain=explore, memory errors are looked for; the verdict says so)
    #[arg(long)]
    pub races: Option<String>,
    /// Memory model: sc
    #[arg(long)]
    pub model: Option<String>,
    /// Plain accesses: check, explore
    #[arg(long)]
    pub plain: Option<String>,
    /// Volatile accesses: atomic, plain
    #[arg(long)]
    pub volatile: Option<String>,
    /// What may merge executions: commute, observers, symmetry, none
    #[arg(long)]
    pub reductions: Option<String>,
    /// How states are taken back: snapshot, fork, restart, or auto: snapshots, and forks once they are measured to be cheaper [default: auto]
    #[arg(long)]
    pub checkpoint: Option<String>,
    /// Worker processes
    #[arg(short = 'j', value_name = "N")]
    pub j: Option<String>,
    /// Time that one process explores alone before there are others [default: 30]
    #[arg(long, value_name = "MILLISECONDS")]
    pub workers_after: Option<String>,
    /// Search with all processes that mpirun started; -j is for each of them. The program's standard
    /// input is empty
    #[arg(long)]
    pub mpi: bool,
    /// Report all distinct findings, not only the first
    #[arg(short, long)]
    pub keep_going: bool,
    /// Stop after so many executions
    #[arg(long, value_name = "N")]
    pub max_executions: Option<String>,
    /// Stop after so much wall time
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<String>,
    /// After the check, look so long for shorter ways to what it found; 0: not at all [default: 3]
    #[arg(long, value_name = "SECONDS")]
    pub minimize_time: Option<String>,
    /// Cut executions after so many events [default: 1,000,000]
    #[arg(long, value_name = "N")]
    pub max_events: Option<String>,
    /// Cut executions in which a loop goes round more often, each time it is entered [default: none; where the search
    /// would not end, 1, 2, 4, …]
    #[arg(long, value_name = "N")]
    pub loop_bound: Option<String>,
    /// Events repeated before a checkpoint saves them [default: 48]
    #[arg(long, value_name = "N")]
    pub checkpoint_after: Option<String>,
    /// Memory that checkpoints may take, besides the first [default: 1 GB]
    #[arg(long, value_name = "BYTES")]
    pub checkpoint_memory: Option<String>,
    /// Plans of the search kept in memory; more go to disk [default: 64 MB]
    #[arg(long, value_name = "BYTES")]
    pub tree_memory: Option<String>,
    /// CPU time between two visible operations [default: 2]
    #[arg(long, value_name = "SECONDS")]
    pub step_limit: Option<String>,
    /// Keep what is left of the search in a file, now and then and at a limit
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Go on with what is left of a search
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Whose output is shown: finding, all, none
    #[arg(long)]
    pub output: Option<String>,
    /// Write the files of the reported execution; otherwise the disk stays as it was
    #[arg(long)]
    pub commit_files: bool,
    /// When main returns or calls exit: exit-handlers (they run at once, while other threads run), run (main's
    /// return waits for all others first), exit (the end of the process is an event that races with the rest)
    #[arg(long)]
    pub main_return: Option<String>,
    /// How many calls with a time limit may reach it in one execution although others could go on: 1, N, all, none
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub timeouts: Option<String>,
    /// An exit status that is no finding, or any; may be given several times
    #[arg(long, value_name = "N|any")]
    pub exit_status: Vec<String>,
    /// Waits on condition variables that may end without a signal, in each thread
    #[arg(long, value_name = "N")]
    pub spurious: Option<String>,
    /// An object or library that is not instrumented and need not be; may be given several times, and may end in *
    #[arg(long, value_name = "FILE")]
    pub trust: Vec<String>,
    /// Zeros are no mutex: warn of each that is used and that nobody initialized
    #[arg(long)]
    pub strict: bool,
    /// A warning makes the verdict a bug
    #[arg(long)]
    pub warnings_as_errors: bool,
    /// List the distinct outcomes recorded with dpor_observe
    #[arg(long)]
    pub outcomes: bool,
    /// Name the system calls that are events because nothing else stands for them
    #[arg(short, long)]
    pub verbose: bool,
    /// Show all events of a trace, not only those that matter for the finding
    #[arg(long)]
    pub full: bool,

    #[command(flatten)]
    pub reports: Wanted,
    /// Form of the findings
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Executions so far, estimate and time left: a bar on a terminal, a line every ten seconds elsewhere
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressWhen,
}

/// `dpor replay`.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "each option is explained by its help text")]
pub struct LowReplay {
    /// A JSON report, and which finding of it (1 if not given); or a schedule that --save-schedule wrote
    #[arg(value_name = "REPORT[#N]|SCHEDULE")]
    pub report: String,
    /// Write the schedule as a text of its own, and run nothing; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gdb", "rr"])]
    pub save_schedule: Option<PathBuf>,
    /// Stop at the finding in gdb, with commands that step through the schedule (`help dpor` there)
    #[arg(long)]
    pub gdb: bool,
    /// Record the run with rr
    #[arg(long, conflicts_with = "gdb")]
    pub rr: bool,
    /// Further arguments of gdb
    #[arg(last = true, value_name = "GDB-ARGS", requires = "gdb")]
    pub gdb_args: Vec<String>,
    /// Form of the finding
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
}

/// `dpor show`.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "each option is explained by its help text")]
pub struct LowShow {
    /// A JSON report, and which finding of it (all if not given)
    #[arg(value_name = "REPORT[#N]")]
    pub report: String,
    #[command(flatten)]
    pub reports: Wanted,
    /// Form of the findings
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Show all events of a trace, not only those that matter for the finding
    #[arg(long)]
    pub full: bool,
}

/// `dpor share`.
#[derive(Args, Debug)]
pub struct LowShare {
    /// It gets man/, bash-completion/, zsh/ and fish/
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Form of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With source lines and trace.
    #[default]
    Human,
    /// FILE:LINE:COLUMN: error: …, as compilers write them, for editors.
    Short,
}

/// When the progress line is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// On a terminal.
    #[default]
    Auto,
    /// Also elsewhere.
    Always,
    /// Never.
    Never,
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

/// Extensions of files that are compiled first.
const C: &[&str] = &["c", "i", "bc", "ll"];
const CXX: &[&str] = &["cc", "cp", "cpp", "cxx", "c++", "C", "CC", "CPP", "ii"];

/// Whether `file` is a source by its name.
pub fn is_source(file: &Path) -> bool {
    extension(file).is_some_and(|e| C.contains(&e)) || is_cxx(file)
}

/// Whether `file` is C++ by its name.
pub fn is_cxx(file: &Path) -> bool {
    extension(file).is_some_and(|e| CXX.contains(&e))
}

fn extension(file: &Path) -> Option<&str> {
    file.extension().and_then(|e| e.to_str())
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
        for (name, value) in self.settings() {
            let shown = if name.len() == 1 { "-" } else { "--" };
            let set = options.set(name, &value);
            set.map_err(|why| format!("{shown}{name}: {why}"))?;
        }
        let scope = Scope::of(&self)?;
        let target = target(self.files, self.cflags)?;
        if self.mpi {
            fit_for_ranks(&target, &options)?;
        }
        let options = Options {
            off: false,
            save: absolute(self.save)?,
            resume: absolute(self.resume)?,
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
            ..options
        };
        options.fit_together()?;
        if self.mpi && options.is_bounded() {
            return Err(
                "a bound of preemptions is for one process: without -j and --mpi".to_owned(),
            );
        }
        Ok(Check {
            target,
            args: self.args,
            mpi: self.mpi,
            scope,
            options,
            reports: self.reports,
            message_format: self.message_format,
            progress: self.progress,
        })
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let valued = [
            ("search", &self.search),
            ("samples", &self.samples),
            ("seed", &self.seed),
            ("pct-depth", &self.pct_depth),
            ("bound", &self.bound),
            ("races", &self.races),
            ("model", &self.model),
            ("plain", &self.plain),
            ("volatile", &self.volatile),
            ("reductions", &self.reductions),
            ("checkpoint", &self.checkpoint),
            ("j", &self.j),
            ("workers-after", &self.workers_after),
            ("max-executions", &self.max_executions),
            ("time-limit", &self.time_limit),
            ("minimize-time", &self.minimize_time),
            ("max-events", &self.max_events),
            ("loop-bound", &self.loop_bound),
            ("checkpoint-after", &self.checkpoint_after),
            ("checkpoint-memory", &self.checkpoint_memory),
            ("tree-memory", &self.tree_memory),
            ("step-limit", &self.step_limit),
            ("output", &self.output),
            ("main-return", &self.main_return),
            ("spurious", &self.spurious),
            ("timeouts", &self.timeouts),
        ];
        let switches = [
            ("iterative", self.iterative),
            ("keep-going", self.keep_going),
            ("warnings-as-errors", self.warnings_as_errors),
            ("outcomes", self.outcomes),
            ("verbose", self.verbose),
            ("full", self.full),
            ("strict", self.strict),
            ("commit-files", self.commit_files),
        ];
        let valued = valued
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)));
        let switches = switches
            .into_iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| (name, "1".to_owned()));
        let statuses = self.exit_status.iter();
        let statuses = statuses.map(|status| ("exit-status", status.clone()));
        let trusted = self.trust.iter().map(|name| ("trust", name.clone()));
        let rest = statuses.chain(trusted);
        valued.chain(switches).chain(rest).collect()
    }
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

/// A file that the runtime opens, wherever the program goes.
fn absolute(file: Option<PathBuf>) -> Result<String, String> {
    let Some(file) = file else {
        return Ok(String::new());
    };
    let path = std::path::absolute(&file).map_err(|why| format!("{}: {why}", file.display()))?;
    let path = path.into_os_string().into_string();
    path.map_err(|_| format!("{}: a name that is no UTF-8", file.display()))
}

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
    use super::*;
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
            &["stateful"],
            &["best"],
        ),
        ("--races", &["c11", "sc", "warn", "off"], &[], &["on"]),
        ("--model", &["sc"], &["tso", "pso", "ra", "rc11"], &["arm"]),
        ("--plain", &["check", "explore"], &[], &["1"]),
        ("--volatile", &["atomic", "plain"], &[], &["1"]),
        ("--bound", &["0", "2"], &[], &["-1", "few"]),
        ("--iterative", &[""], &[], &[]),
        (
            "--reductions",
            &["commute,observers", "none", "symmetry"],
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
        ("--samples", &["5"], &[], &["0", "many"]),
        ("--seed", &["5"], &[], &["x"]),
        ("--pct-depth", &["1", "4"], &[], &["0", "x"]),
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
        ("--trust", &["libomp.so.5", "libabsl_*"], &[], &[]),
        ("--json", &["x.json", "-"], &[], &[]),
        ("--sarif", &["x.sarif", "-"], &[], &[]),
        ("--junit", &["x.xml", "-"], &[], &[]),
        ("--html", &["x.html", "-"], &[], &[]),
        ("--dot", &["x.dot", "-"], &[], &[]),
        ("--outcomes", &[""], &[], &[]),
        ("--progress", &["auto", "always", "never"], &[], &["maybe"]),
        ("--save", &["x"], &[], &[]),
        ("--resume", &["x"], &[], &[]),
    ];

    #[test]
    fn every_option_of_the_contract_is_known() {
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
