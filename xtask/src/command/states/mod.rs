//! `cargo xtask states`: what checks that remember states cost, on programs that go on for ever.

mod real;

use crate::command::bench::measure::{check, compile_file};
use crate::command::bench::today;
use crate::command::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use dpor_report::{text, States, Verdict};

/// Options of `states`.
#[derive(clap::Args, Debug)]
pub struct Measured {
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    /// Libraries of Debian's instead, fetched as sources
    #[arg(long)]
    real: bool,
    #[command(flatten)]
    build: Build,
}

/// Programs of `testsuite/programs/states/`: what they are, their names, and what they define.
const PROGRAMS: [[&str; 3]; 11] = [
    [
        "event loop, worker, one client with requests in two pieces",
        "server",
        "",
    ],
    ["pool of two workers, queue of two places", "pool", ""],
    ["Vyukov's queue, two producers", "mpsc", ""],
    ["lock that prefers writers: two, and a reader", "rwlock", ""],
    ["lock with tickets, the same", "rwlock", "FAIR"],
    ["read-copy-update, blocks freed", "rcu", ""],
    ["ring, positions masked", "positions", "KEPT=MASK"],
    [
        "ring, positions of eight bits",
        "positions",
        "POSITION=char",
    ],
    ["two senders, 4 places", "ipc", ""],
    ["robots on 8 × 8", "robots", "SIDE=8"],
    ["robots on 16 × 16", "robots", "SIDE=16"],
];

/// Programs that the prototype of the search has a model of: name in the table, program, what it defines, and states and
/// steps of the prototype, of the full graph and of the reduced one (last round).
type Model = ([&'static str; 4], [u64; 4]);
const MODELS: [Model; 7] = [
    (
        ["robots 4", "robots", "SIDE=4", ""],
        [1426, 2760, 792, 1123],
    ),
    (
        ["robots 5", "robots", "SIDE=5", ""],
        [3577, 7008, 1844, 2591],
    ),
    (
        ["robots 6", "robots", "SIDE=6", ""],
        [7526, 14840, 3748, 5223],
    ),
    (
        ["robots 8", "robots", "SIDE=8", ""],
        [24130, 47880, 11720, 16139],
    ),
    (
        ["ipc 1+1, 2 places", "ipc", "SENDERS=1", "PLACES=2"],
        [31, 48, 31, 48],
    ),
    (
        ["ipc 1+1, 4 places", "ipc", "SENDERS=1", "PLACES=4"],
        [73, 124, 73, 124],
    ),
    (
        ["ipc 2+1, 4 places", "ipc", "SENDERS=2", "PLACES=4"],
        [225, 528, 225, 528],
    ),
];

const HEADING: &str = "## Programs, measured";

impl Measured {
    /// Checks all programs, and writes their section of docs/states.md.
    ///
    /// # Errors
    /// If a check does not say what it must.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        match self.real {
            true => write(real::HEADING, &real::section()?),
            false => write(HEADING, &measured()?),
        }
    }
}

/// Writes a section of docs/states.md in the place of the one that begins with the same heading, or at the end.
fn write(heading: &str, section: &str) -> Outcome {
    let file = tree::root().join("docs/states.md");
    let page = std::fs::read_to_string(&file).while_doing(file.display())?;
    let (before, old) = page.split_once(heading).unwrap_or((&page, ""));
    let after = old.find("\n## ").map_or("", |at| &old[at..]);
    let page = format!("{}\n\n{section}{after}", before.trim_end());
    std::fs::write(&file, page).while_doing(file.display())
}

/// The section about programs of ours.
fn measured() -> Outcome<String> {
    let mut programs = String::new();
    for [what, program, define] in PROGRAMS {
        let (states, seconds) = visited(program, &[define], &[])?;
        let row = format!(
            "| {what} (`{program}`) | {} | {} | {} | {} | {seconds:.2} | {} |\n",
            text::grouped(states.states),
            text::grouped(states.steps.unwrap_or_default()),
            states.rounds,
            states.bytes / states.states.max(1),
            text::grouped((states.states as f64 / seconds) as u64),
        );
        eprint!("{row}");
        programs += &row;
    }
    let mut models = String::new();
    for ([name, program, first, second], prototype) in MODELS {
        let full = visited(program, &[first, second], &["--reductions=none"])?.0;
        let reduced = visited(program, &[first, second], &[])?.0;
        let [full_states, full_steps, states, steps] = prototype.map(text::grouped);
        let row = format!(
            "| {name} | {full_states}, {full_steps} | {states}, {steps} | {}, {} | {}, {} |\n",
            text::grouped(full.states),
            text::grouped(full.steps.unwrap_or_default()),
            text::grouped(reduced.states),
            text::grouped(reduced.steps.unwrap_or_default()),
        );
        eprint!("{row}");
        models += &row;
    }
    Ok(section(&today()?, &programs, &models))
}

/// Compiles a program with what it defines, and checks it; states, and seconds.
fn visited(program: &str, defines: &[&str], options: &[&str]) -> Outcome<(States, f64)> {
    let defines: Vec<String> = { defines.iter() }
        .filter(|define| !define.is_empty())
        .map(|define| format!("-D{define}"))
        .collect();
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let source = format!("testsuite/programs/states/{program}.c");
    let binary = compile_file(&format!("states {program}"), &source, &defines)?;
    let report = check(&binary, &[&["--states"], options].concat())?.report;
    match (report.verdict, report.states) {
        (Verdict::Verified, Some(states)) => Ok((states, report.seconds.wall)),
        (verdict, _) => Err(Stop::failed(format!(
            "{program} {defines:?}: {verdict}: {}",
            report.reason.unwrap_or_default()
        ))),
    }
}

fn section(today: &str, programs: &str, models: &str) -> String {
    format!(
        "{HEADING}\n\n\
         Written by `cargo xtask states` on {today}; `-O2`, two cores with other work. Steps are those of all rounds; seconds those of the check.\n\n\
         | program | states | steps | rounds | bytes a state | seconds | states a second |\n\
         |---|--:|--:|--:|--:|--:|--:|\n{programs}\n\
         Beside the prototype's models of the same programs (states, steps; full is `--reductions=none`):\n\n\
         | program | model, full | model, reduced | full | reduced, all rounds |\n\
         |---|--:|--:|--:|--:|\n{models}\n\
         A robot's model keeps what its last operation returned, which compiled code forgets; so that it has more states. \
         In `ipc` it is the other way round: what earlier calls left in dead parts of a thread's frames tells states apart that are one in the model ([registers that are dead](decisions/0086-dead-registers-are-zeros.md) do not).\n\n\
         The One Page Model Checker's table (calls of `hook` in two threads of 3 to 8 statements: 30, 112, 420, 1584, 6006, 22880 without its table of counters; 18, 32, 50, 72, 98, 128 with it) comes out of `testsuite/programs/states/onepage.c`: a test derives calls from steps.\n"
    )
}
