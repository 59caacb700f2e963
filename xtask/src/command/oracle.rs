//! `cargo xtask oracle`: the search against brute force, on many more programs than `test` takes.

use super::bench::append_row;
use super::build::Build;
use super::test::binaries;
use crate::process;
use crate::stop::{Outcome, Stop};
use crate::tree;
use std::time::Instant;

const HEADING: &str = "# Search against brute force\n\n\
One row per run of `cargo xtask oracle --kind KIND`, on random programs from the given seed on.\n\
A row is written only if nothing differs.\n\n\
| date | kind | programs | first seed | compared | differences | seconds |\n\
|---|---|---|---|---|---|---|\n";

/// What programs are about, and what they are compared with.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// All kinds of objects; in three orders, with the traces of an enumerator
    Traces,
    /// Calls with a time limit, of which 0, 1, 2 or all may give up early; with what that means
    Early,
    /// Plain and atomic accesses to what loops, locks and futexes wait for; with looks that are events
    Polled,
    /// Accesses of 1, 2, 4 and 8 bytes that overlap; with races and ends of all interleavings
    Sizes,
    /// Handlers of `exit` while threads run; with the traces of an enumerator
    Exit,
    /// Threads that go round for ever; with the graph of all states
    States,
    /// Data structures and their calls; with the verdicts of all interleavings and all orders
    Scenarios,
}

const KINDS: [Kind; 7] = [
    Kind::Traces,
    Kind::Early,
    Kind::Polled,
    Kind::Sizes,
    Kind::Exit,
    Kind::States,
    Kind::Scenarios,
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Traces => "traces",
            Kind::Early => "early",
            Kind::Polled => "polled",
            Kind::Sizes => "sizes",
            Kind::Exit => "exit",
            Kind::States => "states",
            Kind::Scenarios => "scenarios",
        }
    }

    /// The crate of the test, its binary, and its name there.
    fn test(self) -> [&'static str; 3] {
        let [package, binary] = match self {
            Kind::States => ["dpor-explorer", "states"],
            _ if self.is_native() => ["dpor-testsuite", "suite"],
            _ => ["dpor-explorer", "explorer"],
        };
        let test = match self {
            Kind::Traces => "oracle::explores_each_trace_once",
            Kind::Early => "early::ends_in_the_same_states_as_what_it_means",
            Kind::Polled => "looks::looks_in_vain_race_as_those_that_are_made",
            Kind::Sizes => "sizes::accesses_of_all_sizes_race_and_conflict_by_their_bytes",
            Kind::Exit => "exits::processes_end_while_threads_run_as_they_may",
            Kind::States => "oracle::nothing_is_missed",
            Kind::Scenarios => "scenarios::random_objects_have_the_verdicts_of_brute_force",
        };
        [package, binary, test]
    }

    /// Whether the programs are C programs, checked by what is built.
    fn is_native(self) -> bool {
        matches!(
            self,
            Kind::Polled | Kind::Sizes | Kind::Exit | Kind::Scenarios
        )
    }

    fn programs(self) -> u64 {
        match self {
            Kind::Traces | Kind::States | Kind::Scenarios => 100_000,
            _ => 20_000,
        }
    }
}

/// Options of `oracle`.
#[derive(clap::Args, Debug)]
pub struct Oracle {
    /// What the programs are about; may be given several times. All if not given
    #[arg(long, value_enum)]
    kind: Vec<Kind>,
    /// Random programs of each kind: 100,000 of `traces`, `states` and `scenarios`, 20,000 of each other, if not given
    #[arg(long)]
    programs: Option<u64>,
    /// Seed of the first; each program has its own, counting up.
    #[arg(long, default_value_t = 1_000_000_000)]
    seed: u64,
}

impl Oracle {
    /// Runs the tests; a dated row in docs/oracle.md for each kind if all is well.
    ///
    /// # Errors
    /// If one fails.
    pub fn run(&self) -> Outcome {
        let kinds: &[Kind] = match self.kind.is_empty() {
            true => &KINDS,
            false => &self.kind,
        };
        if kinds.iter().any(|kind| kind.is_native()) {
            Build::default().run()?;
        }
        for &kind in kinds {
            let programs = self.programs.unwrap_or_else(|| kind.programs());
            let start = Instant::now();
            let compared = search(kind, programs, self.seed)?;
            let (name, seed, seconds) = (kind.name(), self.seed, start.elapsed().as_secs());
            let row =
                format!("| {{date}} | {name} | {programs} | {seed} | {compared} | 0 | {seconds} |");
            append_row("docs/oracle.md", HEADING, &row)?;
        }
        Ok(())
    }
}

/// Runs the test of this kind on so many programs; what it compared, in its words. With debug assertions, so that
/// what counts as a long log is short and short programs take both ways through it.
///
/// # Errors
/// If it fails, or does not say what it compared.
pub fn search(kind: Kind, programs: u64, seed: u64) -> Outcome<String> {
    let [package, binary, test] = kind.test();
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["test", "-p", package, "--test", binary, "--no-run"]);
    let found = binaries::build(&mut cargo)?;
    let found = found.first();
    let found = found.ok_or_else(|| Stop::failed(format!("there is no test {binary}")))?;
    let mut command = found.command();
    command.args(["--nocapture", "--exact", test]);
    let (count, first) = match kind.is_native() {
        true => ("DPOR_TEST_RANDOM", "DPOR_TEST_SEED"),
        false => ("DPOR_ORACLE_PROGRAMS", "DPOR_ORACLE_SEED"),
    };
    command.env(count, programs.to_string());
    command.env(first, seed.to_string());
    command.env_remove("DPOR_ORACLE_FLAVOUR");
    let text = process::output_of(&mut command)?;
    println!("{text}");
    said(&text, programs).ok_or_else(|| Stop::failed("the test did not say what it compared"))
}

/// What comes after the number of programs.
fn said(text: &str, programs: u64) -> Option<String> {
    let done = format!("{programs} programs, ");
    // The harness prints `test NAME ... ` before what a test prints.
    let mut lines = text.lines();
    lines.find_map(|line| line.split_once(&*done).map(|(_, rest)| rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared_is_what_the_test_says() {
        let text =
            "running 1 test\ntest a::b ... 20 programs, 3 traces, 1 skipped as too big\nok\n";
        let said = |programs| said(text, programs);
        assert_eq!(said(20).as_deref(), Some("3 traces, 1 skipped as too big"));
        assert_eq!(said(21), None);
    }
}
