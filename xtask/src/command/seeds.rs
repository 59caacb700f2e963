//! `cargo xtask seeds`: the tables of the papers that this checker grew from, beside today's.
//!
//! Writes docs/seeds.md. What the papers measured is here as they have it; today's numbers are
//! measured by the same programs, written anew in `testsuite/programs/`.

use super::bench::{self, measure};
use super::build::Build;
use crate::stop::{Context, Outcome};
use crate::tree;
use measure::{check, median};

/// Options of `seeds`.
#[derive(clap::Args, Debug)]
pub struct Seeds {
    /// Measure what was built before
    #[arg(long)]
    prebuilt: bool,
}

/// One row of a paper's table.
struct Then {
    program: &'static str,
    source: &'static str,
    threads: u32,
    runs: u64,
    /// Executed operations of all runs, where the paper has them.
    transitions: Option<u64>,
    seconds: f64,
}

const fn inspect(
    program: &'static str,
    threads: u32,
    runs: u64,
    transitions: u64,
    seconds: f64,
) -> Then {
    let source = match program.as_bytes()[0] {
        b'i' => "atomics/indexer.c",
        _ => "pthread/fsbench.c",
    };
    Then {
        program,
        source,
        threads,
        runs,
        transitions: Some(transitions),
        seconds,
    }
}

/// Table 1 of the Inspect paper; 1 to 11 and 1 to 13 threads are one run each there and here.
const INSPECT: [Then; 10] = [
    inspect("indexer", 13, 64, 6_033, 1.44),
    inspect("indexer", 14, 512, 42_635, 12.58),
    inspect("indexer", 15, 4_096, 351_520, 108.74),
    inspect("indexer", 16, 32_768, 2_925_657, 988.49),
    inspect("fsbench", 16, 8, 1_242, 0.14),
    inspect("fsbench", 18, 32, 4_893, 0.64),
    inspect("fsbench", 20, 128, 20_599, 2.76),
    inspect("fsbench", 22, 512, 84_829, 11.94),
    inspect("fsbench", 24, 2_048, 367_786, 54.82),
    inspect("fsbench", 26, 8_192, 1_579_803, 261.40),
];

/// Table 1 of the Distributed DPOR paper: its sequential checker.
const DISTRIBUTED: [Then; 3] = [
    Then {
        transitions: None,
        ..inspect("indexer", 16, 32_768, 0, 1_188.73)
    },
    Then {
        transitions: None,
        ..inspect("fsbench", 26, 8_192, 0, 291.32)
    },
    Then {
        program: "bounded buffer",
        source: "pthread/producers_consumers.c",
        threads: 8,
        runs: 1_938_816,
        transitions: None,
        seconds: 39_710.43,
    },
];

const RUNS: usize = 3;

const HEADING: &str = "# The seeds' tables, then and now\n\n\
Written by `cargo xtask seeds`.\n\
*Then* is what the papers report; *now* is measured with the same program, written anew in `testsuite/programs/`, one worker, race detection on, `--reductions=none`: CPU seconds of the whole command, median of three.\n\
Runs are executions; transitions are the operations of all runs, which *now* are the events executed for the first time plus those repeated to get back to a branch.\n\
`classic` is the papers' algorithm (`--search=classic`), with the executions that sleep sets cut in brackets.\n\n";

const COLUMNS: &str = "\
| program | threads | runs then | now | classic now | transitions then | now | s then | now | classic now | runs/s then | now | times faster |\n\
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

const INSPECT_TEXT: &str = "## Inspect\n\n\
Yang, Chen, Gopalakrishnan, Kirby: Inspect, a runtime model checker for multithreaded C programs, table 1; two Pentium processors of 3.0 GHz, 2 GB.\n\
The paper's indexer replaces the compare-and-swap by a function with a mutex; ours has the instruction, so that its transitions are fewer.\n\n";

const DISTRIBUTED_TEXT: &str = "\n## Distributed DPOR\n\n\
Yang, Chen, Gopalakrishnan, Kirby: Distributed dynamic partial order reduction based verification of threaded software, table 1, its sequential checker; Xeon processors of 2.4 GHz.\n\
With 65 nodes the paper needs about 40 s for indexer and for fsbench, and 11 minutes for the bounded buffer.\n\
It does not give the sizes of its bounded buffer; ours has 4 places, and 4 producers and 4 consumers of one item, 5,001,984 executions in all, of which a million are run here.\n\
Its fourth program, aget (113,400 runs, 5,662.96 s), is an application that loads from a server; [applications](applications.md) has one of its kind, with as many executions.\n\n";

const OTHERS: &str = "\n## The others\n\n\
- **The One Page Model Checker** (Holt) counts calls of its hook for two threads of n statements: exhaustively 30, 112, 420, 1,584, 6,006, 22,876 for n = 3 to 8, which up to 7 is 2·C(2n, n+1), and with its table of execution counters 18, 32, 50, 72, 98, 128, which is 2n². It forks at every step and reports over 7,000 forks per second. Two threads whose statements have nothing in common are one trace here, of 2n events, for every n (`atomics/load_store.c` has the other extreme, in which every pair conflicts).\n\
- **pancam** (Zaks, Joshi) shows states against context bounds in figures that the text does not contain; its Peterson programs and its two robots have no numbers to compare with.\n\
- **CHESS** (Musuvathi, Qadeer) reports sizes of its programs and bugs by the number of preemptions, no times. Its file-system model (4 threads, at most 20 steps, 8 of them blocking, 13 preemptions) needs 4 preemptions for all states; it is the program of `fsbench`, in sizes of its own; `fsbench` with 4 threads is a single trace here. Searches bounded by preemptions are not there yet.\n";

impl Seeds {
    /// Builds, measures, writes.
    ///
    /// # Errors
    /// If a program does not compile, or has other executions than it must.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            Build::default().run()?;
        }
        let mut text = HEADING.to_owned() + &format!("Measured on {}.\n\n", bench::today()?);
        for (about, rows) in [
            (INSPECT_TEXT, &INSPECT[..]),
            (DISTRIBUTED_TEXT, &DISTRIBUTED[..]),
        ] {
            text += about;
            text += COLUMNS;
            for then in rows {
                let line = row(then)?;
                eprintln!("{line}");
                text += &line;
                text.push('\n');
            }
        }
        text += OTHERS;
        let file = tree::root().join("docs/seeds.md");
        std::fs::write(&file, text).while_doing(file.display())
    }
}

fn row(then: &Then) -> Outcome<String> {
    let name = format!("seed_{}_{}", then.program.replace(' ', "_"), then.threads);
    let program = measure::compile_at(&name, then.source, &define(then))?;
    let limit = (then.runs > 1_000_000).then_some("--max-executions=1000000");
    let search = |search| -> Outcome<(measure::Run, f64)> {
        let mut options = vec!["--reductions=none", search];
        options.extend(limit);
        let mut seconds = Vec::new();
        let mut last = check(&program, &options)?;
        seconds.push(last.cpu);
        // The slow ones once.
        while seconds.len() < RUNS && last.cpu < 5.0 {
            last = check(&program, &options)?;
            seconds.push(last.cpu);
        }
        Ok((last, median(&mut seconds)))
    };
    let (run, seconds) = search("--search=optimal")?;
    let (classic, classic_seconds) = search("--search=classic")?;
    let runs = run.report.executions.total();
    if limit.is_none() {
        measure::expect(then.program, &run.report, then.runs)?;
        measure::expect(then.program, &classic.report, then.runs)?;
    }
    let per_second = runs as f64 / seconds;
    let then_per_second = then.runs as f64 / then.seconds;
    let cells = [
        then.program.to_owned(),
        then.threads.to_string(),
        then.runs.to_string(),
        runs.to_string(),
        format!(
            "{} ({})",
            classic.report.executions.total(),
            classic.report.executions.redundant
        ),
        then.transitions.map_or("-".to_owned(), |n| n.to_string()),
        (run.report.events + run.report.events_replayed).to_string(),
        format!("{:.2}", then.seconds),
        format!("{seconds:.3}"),
        format!("{classic_seconds:.3}"),
        format!("{then_per_second:.0}"),
        format!("{per_second:.0}"),
        format!("{:.0}", per_second / then_per_second),
    ];
    Ok(format!("| {} |", cells.join(" | ")))
}

/// The size, as the compiler takes it. The bounded buffer has half as many producers as threads.
fn define(then: &Then) -> String {
    match then.program {
        "bounded buffer" => format!("-DN={}", then.threads / 2),
        _ => format!("-DN={}", then.threads),
    }
}
