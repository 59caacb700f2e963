//! Options of a check, as both sides of the process boundary know them.
//!
//! Each option is defined once, in `table.rs`. The driver's command line, its help and manual page and docs/options.md
//! come from there, and so does the value of `DPOR_OPTIONS`, `key=value:key=value`, which the runtime reads and a report
//! has. Keys are the names of the long options (dashes as they are). A colon, a percent sign or a newline in a value is
//! written `%3A`, `%25`, `%0A`. Switches have the value `1` or `0`.

mod choices;
mod cluster;
mod definition;
mod exit_status;
mod reductions;
mod table;
mod value;

pub use choices::{
    Checkpoint, Fair, Guarantee, MainReturn, Output, Plain, Races, Search, States, Volatile,
};
pub use cluster::Cluster;
pub use definition::{Definition, Form};
pub use exit_status::ExitStatuses;
pub use reductions::Reductions;
pub use table::{definitions, Options};

use core::fmt;

/// Threads that a process has room for at first, the first one included.
pub const FEW_THREADS: usize = 64;

/// Real threads that are made at first, the engine's included, which take the place of as many threads, the first one
/// included (chosen: more than most programs have; each costs 70 µs of processor time).
pub const FIRST_THREADS: usize = 8;

/// Threads that it has room for with [`Options::many_threads`], the first one included.
pub const MANY_THREADS: usize = 1025;

/// In the reason of a report: there was no room for another thread ([`Options::many_threads`]).
pub const NO_ROOM_FOR_THREADS: &str = "more than 63 threads besides the first alive at once";

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

    /// Whether the search remembers states.
    #[inline]
    pub fn is_by_states(&self) -> bool {
        self.states != States::Off || self.asks_of_runs()
    }

    /// Whether something is asked of runs that go on for ever.
    #[inline]
    pub fn asks_of_runs(&self) -> bool {
        let asks = [!self.ltl.is_empty(), !self.automaton.is_empty()];
        let promised = self.guarantee != Guarantee::None;
        asks.contains(&true) || self.non_progress || self.no_starvation || promised
    }

    /// What cannot be asked for together with steps that are fused.
    ///
    /// # Errors
    /// One sentence that names the options.
    fn fit_fuse(&self) -> Result<(), String> {
        if !self.is_by_states() {
            return Err("--fuse is for a search over states: with --states".to_owned());
        }
        if self.asks_of_runs() {
            return Err(
                "--fuse keeps no states in between of which --ltl, --automaton, --non-progress or --no-starvation could be asked"
                    .to_owned(),
            );
        }
        let excluded = [
            (self.states == States::Bitstate, "--states=bitstate"),
            (self.bound.is_some(), "--bound"),
            (self.reductions.merge_nothing(), "--reductions=none"),
            (self.graph, "--graph"),
        ];
        match excluded.iter().find(|(is_given, _)| *is_given) {
            Some((_, what)) => Err(format!("--fuse and {what} exclude each other")),
            None => Ok(()),
        }
    }

    /// What cannot be asked for together with a search that remembers states.
    ///
    /// # Errors
    /// One sentence that names the options.
    fn fit_states(&self) -> Result<(), String> {
        if self.no_starvation && self.fair == Fair::None {
            return Err(
                "--no-starvation is for fair runs: who need not be scheduled starves without --fair=weak"
                    .to_owned(),
            );
        }
        if self.states == States::Bitstate && self.asks_of_runs() {
            return Err(
                "--states=bitstate keeps no graph of which --ltl, --non-progress or --no-starvation could be asked"
                    .to_owned(),
            );
        }
        if self.bound.is_some() && (self.states == States::Bitstate || self.asks_of_runs()) {
            return Err(
                "--bound is for --states=compact and --states=exact, without --ltl, --non-progress and --no-starvation"
                    .to_owned(),
            );
        }
        let excluded = [
            (self.search != Search::Optimal, "--search"),
            (self.iterative, "--iterative"),
            (self.loop_bound > 0, "--loop-bound"),
            (self.max_events > 0, "--max-events"),
            (self.max_executions > 0, "--max-executions"),
        ];
        if let Some((_, what)) = excluded.iter().find(|(is_given, _)| *is_given) {
            return Err(format!("--states and {what} exclude each other"));
        }
        if self.workers > 1 || self.cluster.is_some() {
            return Err("--states is for one process: without -j and --mpi".to_owned());
        }
        if self.is_kept() {
            return Err(
                "a search over states cannot be kept: without --save and --resume".to_owned(),
            );
        }
        if self.endings || self.first > 0 {
            return Err("--states visits states: it lists no executions".to_owned());
        }
        match self.checkpoint {
            Checkpoint::Snapshot | Checkpoint::Auto => Ok(()),
            other => Err(format!(
                "--states and --checkpoint={other} exclude each other"
            )),
        }
    }

    /// What cannot be asked for together with the comparison of what executions leave in memory.
    ///
    /// # Errors
    /// One sentence that names the options.
    fn fit_deterministic(&self) -> Result<(), String> {
        if self.workers > 1 || self.cluster.is_some() || self.is_kept() {
            return Err(
                "--deterministic is for one process: without -j, --mpi, --save and --resume"
                    .to_owned(),
            );
        }
        match self.checkpoint {
            Checkpoint::Snapshot | Checkpoint::Auto => Ok(()),
            other => Err(format!(
                "--deterministic and --checkpoint={other} exclude each other"
            )),
        }
    }

    /// What cannot be asked for at once.
    ///
    /// # Errors
    /// One sentence that names the options.
    pub fn fit_together(&self) -> Result<(), String> {
        if self.is_by_states() {
            self.fit_states()?;
        }
        if self.fuse > 1 {
            self.fit_fuse()?;
        }
        if self.deterministic {
            self.fit_deterministic()?;
        }
        let of_states = [
            (self.max_states > 0, "--max-states"),
            (self.max_depth > 0, "--max-depth"),
        ];
        if let Some((_, what)) = of_states.iter().find(|(is_given, _)| *is_given) {
            if !self.is_by_states() {
                return Err(format!("{what} is for a search over states: with --states"));
            }
        }
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
        let of_search = definitions().filter(|definition| definition.is_of_search);
        of_search
            .flat_map(|definition| self.pairs(definition))
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
        let Some(definition) = definitions().find(|definition| definition.is_called(key)) else {
            return Err("no such option".to_owned());
        };
        match definition.read {
            Some(read) => read(self, value),
            None => Err("for the command line only".to_owned()),
        }
    }

    /// `KEY=VALUE` of one option, as often as it was given.
    fn pairs(&self, definition: &'static Definition) -> impl Iterator<Item = String> {
        let values = (definition.write)(self).into_iter();
        values.map(|value| format!("{}={}", definition.name, escape(&value)))
    }
}

impl fmt::Display for Options {
    /// The text that [`Options::parse`] reads back to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = definitions().flat_map(|definition| self.pairs(definition));
        for (n, pair) in pairs.enumerate() {
            let colon = if n == 0 { "" } else { ":" };
            write!(f, "{colon}{pair}")?;
        }
        Ok(())
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
    use crate::timeouts::Timeouts;

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
                turns: false,
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
        let by_states = Options {
            automaton: vec!["a%.hoa\nHOA: v1\n".to_owned(), "b\n".to_owned()],
            graph: true,
            ..Options::default()
        };
        assert_eq!(Options::parse(&by_states.to_string()), Ok(by_states));
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
            "reductions: 'all' is not one of commute, observers, counters, calls, symmetry, every-turn, none",
        );
        check("off", "'off' is not of the form key=value");
        check(
            "time-limit=-1",
            "time-limit: '-1' is not a number of seconds",
        );
    }
}
