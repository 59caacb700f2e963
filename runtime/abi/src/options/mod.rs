//! Options of a check, as both sides of the process boundary know them.
//!
//! The driver's flags become the value of `DPOR_OPTIONS`, `key=value:key=value`, with the names of
//! the long options (dashes as they are). The runtime reads the same text. A colon, a percent sign or a
//! newline in a value is written `%3A`, `%25`, `%0A`. Switches have the value `1` or `0`.

mod choices;
mod cluster;
mod exit_status;
mod reductions;

pub use choices::{Checkpoint, MainReturn, Output, Plain, Races, Search, Volatile};
pub use cluster::Cluster;
pub use exit_status::ExitStatuses;
pub use reductions::Reductions;

use crate::timeouts::Timeouts;
use core::fmt;

/// Threads that a process has room for at first, the first one included (chosen: more than most programs have; they
/// cost 2 ms).
pub const FEW_THREADS: usize = 64;

/// Threads that it has room for with [`Options::many_threads`], the first one included.
pub const MANY_THREADS: usize = 1025;

/// In the reason of a report: there was no room for another thread ([`Options::many_threads`]).
pub const NO_ROOM_FOR_THREADS: &str = "more than 63 threads besides the first alive at once";

/// Keys whose every value means something that is not there yet.
pub const LATER: &[&str] = &["mpi"];

/// Everything the runtime can be told.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// `off`: run natively with real threads.
    pub off: bool,
    /// `search`.
    pub search: Search,
    /// `bound`: at most so many preemptions.
    pub bound: Option<u32>,
    /// `iterative`: first without preemptions, then with one, and so on.
    pub iterative: bool,
    /// `races`.
    pub races: Races,
    /// `plain`.
    pub plain: Plain,
    /// `volatile`.
    pub volatile: Volatile,
    /// `reductions`.
    pub reductions: Reductions,
    /// `checkpoint`.
    pub checkpoint: Checkpoint,
    /// `output`.
    pub output: Output,
    /// `main-return`.
    pub main_return: MainReturn,
    /// `keep-going`: report all distinct findings.
    pub keep_going: bool,
    /// `outcomes`: list distinct outcomes.
    pub outcomes: bool,
    /// `verbose`: name the system calls that conflict with everything.
    pub verbose: bool,
    /// `full`: show all events of a trace.
    pub full: bool,
    /// `commit-files`: write the files of the reported execution.
    pub commit_files: bool,
    /// `warnings-as-errors`.
    pub warnings_as_errors: bool,
    /// `strict`: zeros that nobody initialized are no mutex.
    pub strict: bool,
    /// `timeouts`: how many calls with a time limit may reach it in one execution although others could go on.
    pub timeouts: Timeouts,
    /// `exit-status`: exit statuses that are no finding. Given several times, all of them.
    pub exit_status: ExitStatuses,
    /// `trust`: objects and libraries that are not instrumented and need not be, by file name; a name that ends
    /// in `*` stands for all that begin so.
    pub trust: Vec<String>,
    /// `spurious`: waits on condition variables that may end without a signal, in each thread.
    pub spurious: u64,
    /// `j`: worker processes.
    pub workers: u32,
    /// `workers-after`: milliseconds that one process explores alone before there are others. Most
    /// searches are over by then.
    pub workers_after: u64,
    /// `samples`: how many executions a search draws that samples, at least 1.
    pub samples: u64,
    /// `seed`: the same seed, the same samples.
    pub seed: u64,
    /// `pct-depth`: of the bugs that `pct` looks for, at least 1.
    pub pct_depth: u32,
    /// `max-executions`; 0 is none.
    pub max_executions: u64,
    /// `max-events` per execution; 0 is none.
    pub max_events: u64,
    /// `loop-bound`: how often a loop goes round each time it is entered; 0 is without end.
    pub loop_bound: u64,
    /// `time-limit` in seconds of wall time; 0 is none.
    pub time_limit_seconds: f64,
    /// `minimize-time` in seconds of wall time, after the check found something: for shorter ways to it. The driver's.
    pub minimize_time_seconds: f64,
    /// `step-limit` in seconds of CPU time between two visible operations.
    pub step_limit_seconds: f64,
    /// `checkpoint-after`: events repeated before they are worth a checkpoint.
    pub checkpoint_after: u64,
    /// `checkpoint-memory`: bytes that checkpoints may take, besides the root's.
    pub checkpoint_memory: u64,
    /// `tree-memory`: bytes of plans that are kept in memory; what exceeds them goes to disk.
    pub tree_memory: u64,
    /// `channel`: descriptor on which the driver reads messages; −1 is none (no driver).
    pub channel: i32,
    /// `journal`: descriptor of the memory in which the runtime leaves word of how far it is
    /// ([`crate::journal`]); −1 is none (no driver).
    pub journal: i32,
    /// `driver`: the version of dpor at the other end of the channel ([`crate::version`]); empty is none.
    pub driver: String,
    /// `deaths`: file with the findings about steps that kill the process (JSON, a list), which are
    /// to be reported instead of made; empty is none.
    pub deaths: String,
    /// `replay`: file with the schedule to run once; empty is none.
    pub replay: String,
    /// `save`: file that holds what is left of the search, now and then and at a limit; empty is none.
    pub save: String,
    /// `resume`: file with what is left of a search, to go on with; empty is none.
    pub resume: String,
    /// `cluster`: this process is one of several that search together; empty is none.
    pub cluster: Option<Cluster>,
    /// `give-up`: end when the estimate says that the limits will not be enough. Asked for by the driver.
    pub give_up: bool,
    /// `deepen`: stop at a loop that has no end, for the driver to bound it. Asked for by the driver.
    pub deepen: bool,
    /// `many-threads`: there is room for 1,024 threads besides the first, not for 63. Asked for by the driver, once a
    /// program needed it.
    pub many_threads: bool,
    /// `endings`: report each different way in which executions end, with the trace of the first, as a
    /// warning of kind `outcome-difference` whose message is a `dpor_report::Ending`. Asked for by the
    /// driver.
    pub endings: bool,
    /// `first`: report each of the first complete executions as `endings` would, with its number, and end
    /// when there were so many; 0: report different endings. For one process. Asked for by the driver.
    pub first: u64,
    /// `seek`: file with a finding to look for, where the search ends (JSON of `dpor_report::Sought`); empty is
    /// none. Asked for by the driver.
    pub seek: String,
    /// `progress`: send progress messages.
    pub progress: bool,
    /// `clock`: what the clocks show at the root, in nanoseconds, separated by dots in the order of
    /// their numbers; empty: what the kernel's show. A replay gets what the run it repeats had.
    pub clock: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            off: false,
            search: Search::Optimal,
            bound: None,
            iterative: false,
            races: Races::C11,
            plain: Plain::Check,
            volatile: Volatile::Atomic,
            reductions: Reductions::default(),
            checkpoint: Checkpoint::Auto,
            output: Output::Finding,
            main_return: MainReturn::ExitHandlers,
            keep_going: false,
            outcomes: false,
            verbose: false,
            full: false,
            commit_files: false,
            warnings_as_errors: false,
            strict: false,
            timeouts: Timeouts::AtMost(1),
            exit_status: ExitStatuses::default(),
            trust: Vec::new(),
            spurious: 0,
            workers: 1,
            workers_after: 30,
            samples: 10_000,
            seed: 0,
            pct_depth: 3,
            max_executions: 0,
            max_events: 0,
            loop_bound: 0,
            time_limit_seconds: 0.0,
            minimize_time_seconds: 3.0,
            step_limit_seconds: 2.0,
            checkpoint_after: 48,
            checkpoint_memory: 1 << 30,
            tree_memory: 64 << 20,
            channel: -1,
            journal: -1,
            driver: String::new(),
            deaths: String::new(),
            replay: String::new(),
            save: String::new(),
            resume: String::new(),
            cluster: None,
            give_up: false,
            deepen: false,
            many_threads: false,
            endings: false,
            first: 0,
            seek: String::new(),
            progress: false,
            clock: String::new(),
        }
    }
}

impl Options {
    /// Whether the race detector is told of what the program does. Without looking for races it still finds
    /// uses of freed memory and their likes, where all orders of the accesses are explored.
    pub fn detects(&self) -> bool {
        self.races != Races::Off || self.plain == Plain::Explore
    }

    /// What is not looked for, as the verdict says it.
    pub fn not_looked_for(&self) -> &'static [&'static str] {
        match (self.races, self.plain) {
            (Races::Off, Plain::Check) => &["races", "memory errors"],
            (Races::Off, Plain::Explore) => &["races"],
            _ => &[],
        }
    }

    /// Reads `key=value:key=value`.
    ///
    /// # Errors
    /// One sentence that names the key.
    pub fn parse(text: &str) -> Result<Options, String> {
        let mut options = Options::default();
        for pair in text.split(':').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("'{pair}' is not of the form key=value"))?;
            options
                .set(key, &unescape(value))
                .map_err(|why| format!("{key}: {why}"))?;
        }
        options.fit_together()?;
        Ok(options)
    }

    /// Whether some of the state space may be left out because of a bound of preemptions.
    pub fn is_bounded(&self) -> bool {
        self.bound.is_some() || self.iterative || self.search == Search::Icb
    }

    /// What cannot be asked for at once.
    ///
    /// # Errors
    /// One sentence that names the options.
    pub fn fit_together(&self) -> Result<(), String> {
        if !self.is_bounded() {
            return Ok(());
        }
        let searches = [Search::Optimal, Search::Icb];
        if !searches.contains(&self.search) {
            return Err(
                "a bound of preemptions is for --search=optimal and --search=icb".to_owned(),
            );
        }
        if self.workers > 1 || self.cluster.is_some() {
            return Err(
                "a bound of preemptions is for one process: without -j and --mpi".to_owned(),
            );
        }
        if self.is_kept() {
            return Err(
                "a search with a bound of preemptions cannot be kept: without --save and --resume"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// The options that decide which executions there are, and what is a finding: a search that goes on
    /// has those that it began with. `KEY=VALUE` each.
    pub fn of_search(&self) -> Vec<String> {
        const NOT: [&str; 33] = [
            "off",
            "checkpoint",
            "output",
            "keep-going",
            "outcomes",
            "verbose",
            "full",
            "progress",
            "give-up",
            "deepen",
            "endings",
            "first",
            "j",
            "workers-after",
            "max-executions",
            "time-limit",
            "checkpoint-after",
            "checkpoint-memory",
            "tree-memory",
            "channel",
            "journal",
            "driver",
            "deaths",
            "seek",
            "minimize-time",
            "save",
            "resume",
            "cluster",
            "clock",
            "trust",
            // Searches that sample are not kept.
            "samples",
            "seed",
            "pct-depth",
        ];
        let all = self.to_string();
        let all = all.split(':').map(str::to_owned);
        all.filter(|pair| !NOT.contains(&pair.split('=').next().unwrap_or_default()))
            .collect()
    }

    /// The exhaustive part of a search that may go over to samples.
    pub fn exhaustive(&self) -> Options {
        Options {
            search: Search::Optimal,
            give_up: true,
            ..self.clone()
        }
    }

    /// Whether what is left of the search is kept, or taken up.
    pub fn is_kept(&self) -> bool {
        !self.save.is_empty() || !self.resume.is_empty()
    }

    /// Whether `checkpoint-after` was given: otherwise it is measured where that is possible.
    pub fn is_checkpoint_after_set(&self) -> bool {
        self.checkpoint_after != Options::default().checkpoint_after
    }

    /// Sets one option by its name.
    ///
    /// # Errors
    /// What is wrong with the name or the value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "off" => self.off = switch(value)?,
            "search" => self.search = value.parse()?,
            "bound" if value.is_empty() => self.bound = None,
            "bound" => self.bound = Some(preemptions(value)?),
            "iterative" => self.iterative = switch(value)?,
            "races" => self.races = value.parse()?,
            "plain" => self.plain = value.parse()?,
            "volatile" => self.volatile = value.parse()?,
            "checkpoint" => self.checkpoint = value.parse()?,
            "output" => self.output = value.parse()?,
            "main-return" => self.main_return = value.parse()?,
            "keep-going" | "k" => self.keep_going = switch(value)?,
            "outcomes" => self.outcomes = switch(value)?,
            "verbose" => self.verbose = switch(value)?,
            "full" => self.full = switch(value)?,
            "commit-files" => self.commit_files = switch(value)?,
            "warnings-as-errors" => self.warnings_as_errors = switch(value)?,
            "strict" => self.strict = switch(value)?,
            "timeouts" => self.timeouts = value.parse()?,
            "exit-status" => self.exit_status.add(value)?,
            "trust" if value.is_empty() => return Err("a file name is missing".to_owned()),
            "trust" => self.trust.push(value.to_owned()),
            "spurious" => self.spurious = number(value)?,
            "samples" => self.samples = at_least_one(value)?,
            "seed" => self.seed = number(value)?,
            "pct-depth" => self.pct_depth = depth(value)?,
            "max-executions" => self.max_executions = number(value)?,
            "max-events" => self.max_events = number(value)?,
            "loop-bound" => self.loop_bound = number(value)?,
            "time-limit" => self.time_limit_seconds = seconds(value)?,
            "minimize-time" => self.minimize_time_seconds = seconds(value)?,
            "step-limit" => self.step_limit_seconds = seconds(value)?,
            "checkpoint-after" => self.checkpoint_after = number(value)?,
            "checkpoint-memory" => self.checkpoint_memory = number(value)?,
            "tree-memory" => self.tree_memory = number(value)?,
            "channel" => self.channel = value.parse().map_err(|_| not("a descriptor", value))?,
            "journal" => self.journal = value.parse().map_err(|_| not("a descriptor", value))?,
            "driver" => self.driver = value.to_owned(),
            "deaths" => self.deaths = value.to_owned(),
            "seek" => self.seek = value.to_owned(),
            "replay" => self.replay = value.to_owned(),
            "save" => self.save = value.to_owned(),
            "resume" => self.resume = value.to_owned(),
            "cluster" if value.is_empty() => self.cluster = None,
            "cluster" => self.cluster = Some(value.parse()?),
            "progress" => self.progress = switch(value)?,
            "give-up" => self.give_up = switch(value)?,
            "deepen" => self.deepen = switch(value)?,
            "many-threads" => self.many_threads = switch(value)?,
            "endings" => self.endings = switch(value)?,
            "first" => self.first = number(value)?,
            "clock" => self.clock = value.to_owned(),
            "reductions" => self.reductions = value.parse()?,
            "model" => model(value)?,
            "j" => self.workers = workers(value)?,
            "workers-after" => self.workers_after = number(value)?,
            _ if LATER.contains(&key) => return Err("not yet".to_owned()),
            _ => return Err("no such option".to_owned()),
        }
        Ok(())
    }
}

impl fmt::Display for Options {
    /// The text that [`Options::parse`] reads back to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |on: bool| if on { "1" } else { "0" };
        write!(
            f,
            "off={}:search={}:bound={}:iterative={}:races={}:plain={}:volatile={}:reductions={}:checkpoint={}:output={}:main-return={}",
            flag(self.off),
            self.search.as_str(),
            self.bound.map_or(String::new(), |bound| bound.to_string()),
            flag(self.iterative),
            self.races.as_str(),
            self.plain.as_str(),
            self.volatile.as_str(),
            self.reductions,
            self.checkpoint.as_str(),
            self.output.as_str(),
            self.main_return.as_str(),
        )?;
        write!(
            f,
            ":keep-going={}:outcomes={}:verbose={}:full={}:commit-files={}:warnings-as-errors={}:progress={}:strict={}:timeouts={}:give-up={}:deepen={}:many-threads={}:endings={}:first={}",
            flag(self.keep_going),
            flag(self.outcomes),
            flag(self.verbose),
            flag(self.full),
            flag(self.commit_files),
            flag(self.warnings_as_errors),
            flag(self.progress),
            flag(self.strict),
            self.timeouts,
            flag(self.give_up),
            flag(self.deepen),
            flag(self.many_threads),
            flag(self.endings),
            self.first,
        )?;
        write!(
            f,
            ":j={}:workers-after={}:exit-status={}:spurious={}:samples={}:seed={}:pct-depth={}:max-executions={}:max-events={}:loop-bound={}:time-limit={}:minimize-time={}:step-limit={}:checkpoint-after={}:checkpoint-memory={}:tree-memory={}:channel={}:journal={}:driver={}:deaths={}:seek={}:replay={}:save={}:resume={}:cluster={}:clock={}",
            self.workers,
            self.workers_after,
            self.exit_status,
            self.spurious,
            self.samples,
            self.seed,
            self.pct_depth,
            self.max_executions,
            self.max_events,
            self.loop_bound,
            self.time_limit_seconds,
            self.minimize_time_seconds,
            self.step_limit_seconds,
            self.checkpoint_after,
            self.checkpoint_memory,
            self.tree_memory,
            self.channel,
            self.journal,
            escape(&self.driver),
            escape(&self.deaths),
            escape(&self.seek),
            escape(&self.replay),
            escape(&self.save),
            escape(&self.resume),
            self.cluster.map_or(String::new(), |cluster| cluster.to_string()),
            escape(&self.clock),
        )?;
        let mut trusted = self.trust.iter();
        trusted.try_for_each(|name| write!(f, ":trust={}", escape(name)))
    }
}

fn model(value: &str) -> Result<(), String> {
    match value {
        "sc" => Ok(()),
        "tso" | "pso" | "ra" | "rc11" => Err(format!("{value}: not yet")),
        _ => Err(not("one of sc, tso, pso, ra, rc11", value)),
    }
}

fn not(what: &str, value: &str) -> String {
    format!("'{value}' is not {what}")
}

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(not("0 or 1", value)),
    }
}

/// Most worker processes of one check.
const WORKERS_MAX: u64 = 64;

fn workers(value: &str) -> Result<u32, String> {
    match number(value)? {
        n @ 1..=WORKERS_MAX => Ok(n as u32),
        _ => Err(not("a number of workers from 1 to 64", value)),
    }
}

fn at_least_one(value: &str) -> Result<u64, String> {
    match number(value)? {
        0 => Err(not("a number from 1 on", value)),
        n => Ok(n),
    }
}

/// Deepest bugs that `pct` can be told to look for (chosen: with more changes it is a random walk).
const PCT_DEPTH_MAX: u64 = 100;

fn depth(value: &str) -> Result<u32, String> {
    match number(value)? {
        n @ 1..=PCT_DEPTH_MAX => Ok(n as u32),
        _ => Err(not("a depth from 1 to 100", value)),
    }
}

fn preemptions(value: &str) -> Result<u32, String> {
    let wrong = |_| not("a number of preemptions", value);
    value.parse().map_err(wrong)
}

fn number(value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| not("a number", value))
}

fn seconds(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(not("a number of seconds", value)),
    }
}

fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace(':', "%3A")
        .replace('\n', "%0A")
}

fn unescape(text: &str) -> String {
    // The percent sign last, or "%253A" (an escaped "%3A") would become a colon.
    text.replace("%3A", ":")
        .replace("%0A", "\n")
        .replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut statuses = ExitStatuses::default();
        statuses.add("3,7").unwrap();
        let options = Options {
            replay: "a:b%3A".to_owned(),
            deaths: "c:d".to_owned(),
            seek: "i:j".to_owned(),
            trust: vec!["libk.so:1".to_owned(), "l.o".to_owned()],
            save: "e:f".to_owned(),
            resume: "g%h".to_owned(),
            cluster: Some(Cluster {
                rank: 3,
                size: 8,
                link: 12,
                alarm: 13,
            }),
            journal: 7,
            driver: "1.2/3".to_owned(),
            strict: true,
            full: true,
            timeouts: Timeouts::All,
            endings: true,
            exit_status: statuses,
            first: 3,
            spurious: 2,
            workers: 3,
            workers_after: 0,
            search: Search::Pct,
            samples: 5,
            seed: u64::MAX,
            pct_depth: 4,
            step_limit_seconds: 0.25,
            minimize_time_seconds: 0.5,
            reductions: Reductions {
                symmetry: true,
                ..Reductions::NONE
            },
            ..Options::default()
        };
        assert_eq!(Options::parse(&options.to_string()), Ok(options));
        let bounded = Options {
            bound: Some(2),
            iterative: true,
            ..Options::default()
        };
        assert_eq!(Options::parse(&bounded.to_string()), Ok(bounded));
    }

    #[test]
    fn errors_name_the_key() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Options::parse(text).unwrap_err(), expect);
        };
        check(
            "search=best",
            "search: 'best' is not one of optimal, classic, dfs, icb, random, pct, pos, surw, auto",
        );
        check("samples=0", "samples: '0' is not a number from 1 on");
        check("seed=-1", "seed: '-1' is not a number");
        check("pct-depth=0", "pct-depth: '0' is not a depth from 1 to 100");
        check("depth=3", "depth: no such option");
        check("bound=-3", "bound: '-3' is not a number of preemptions");
        check(
            "search=dfs:bound=1",
            "a bound of preemptions is for --search=optimal and --search=icb",
        );
        check(
            "j=2:iterative=1",
            "a bound of preemptions is for one process: without -j and --mpi",
        );
        check(
            "search=icb:save=x",
            "a search with a bound of preemptions cannot be kept: without --save and --resume",
        );
        check("j=0", "j: '0' is not a number of workers from 1 to 64");
        check("j=65", "j: '65' is not a number of workers from 1 to 64");
        check("j=two", "j: 'two' is not a number");
        check("model=tso", "model: tso: not yet");
        check(
            "model=x86",
            "model: 'x86' is not one of sc, tso, pso, ra, rc11",
        );
        check(
            "reductions=commute,all",
            "reductions: 'all' is not one of commute, observers, symmetry, none",
        );
        check("off", "'off' is not of the form key=value");
        check(
            "time-limit=-1",
            "time-limit: '-1' is not a number of seconds",
        );
    }
}
