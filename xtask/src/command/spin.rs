//! `cargo xtask spin`: SPIN beside `dpor check --states`.
//!
//! Each model of `testsuite/spin/` was written by hand after a program of `testsuite/programs/states/`, with the same
//! variants, right and wrong. Both are run one after the other, and must say the same.

use super::bench::measure::{self, compile_file};
use super::bench::today;
use super::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, checked, process, tree};
use dpor_report::{text, Report, Verdict};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Options of `spin`.
#[derive(clap::Args, Debug)]
pub struct Spin {
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    #[command(flatten)]
    build: Build,
}

/// What is asked of both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Assertions and deadlocks.
    Safety,
    /// The model's formula, under weak fairness.
    Fair,
    /// The model's formula on all runs.
    AllRuns,
}

impl Question {
    /// Options of `pan`, the verifier that SPIN writes. (A formula hides deadlocks, so that it is left out.)
    fn of_pan(self, has_formula: bool) -> &'static [&'static str] {
        match self {
            Question::Safety if has_formula => &["-noclaim"],
            Question::Safety => &[],
            Question::Fair => &["-a", "-f"],
            Question::AllRuns => &["-a"],
        }
    }

    /// How the verifier is compiled: for safety alone, and for fairness of up to six processes.
    fn of_compiler(self) -> &'static str {
        match self {
            Question::Safety => "-DSAFETY",
            Question::Fair | Question::AllRuns => "-DNFAIR=3",
        }
    }
}

/// A program and its model.
struct Case {
    /// Name of the model, and of the variant of both.
    model: &'static str,
    variant: &'static str,
    /// What the model defines for the variant, if anything, and the program.
    defines: [&'static str; 2],
    program: &'static str,
    question: Question,
    options: &'static [&'static str],
    /// Whether a violation must be found.
    is_wrong: bool,
}

const ANSWERED: &str = "--ltl=G(wants-><>inside)";

/// Rows in the order of the table: model, variant, what the model and the program define, program, what is asked of SPIN
/// and of dpor, and whether a violation must be found.
const CASES: [Case; 17] = {
    use Question::{AllRuns, Fair, Safety};
    const fn case(
        [model, variant, of_model, of_program, program]: [&'static str; 5],
        question: Question,
        options: &'static [&'static str],
        is_wrong: bool,
    ) -> Case {
        Case {
            model,
            variant,
            defines: [of_model, of_program],
            program,
            question,
            options,
            is_wrong,
        }
    }
    const STATES: &[&str] = &["--states"];
    const TURNS: &[&str] = &["--no-starvation"];
    const FORMULA: &[&str] = &[ANSWERED];
    const ALL: &[&str] = &[ANSWERED, "--fair=none"];
    [
        case(
            ["peterson", "right", "", "", "answered"],
            Safety,
            STATES,
            false,
        ),
        case(
            ["peterson", "right", "", "", "answered"],
            Fair,
            FORMULA,
            false,
        ),
        case(
            ["peterson", "right", "", "", "answered"],
            AllRuns,
            ALL,
            true,
        ),
        case(
            ["peterson", "tested and set", "TRY", "TRY", "answered"],
            Fair,
            FORMULA,
            true,
        ),
        case(["ticket", "right", "", "", "ticket"], Safety, STATES, false),
        case(
            ["ticket", "one ticket", "ONE", "MASK=0", "ticket"],
            Safety,
            STATES,
            true,
        ),
        case(["ipc", "right", "", "", "ipc"], Safety, STATES, false),
        case(
            ["ipc", "no free place", "FREE", "FREE", "ipc"],
            Safety,
            STATES,
            true,
        ),
        case(
            ["ipc", "mutex first", "ORDER", "ORDER", "ipc"],
            Safety,
            STATES,
            true,
        ),
        case(["ring", "right", "", "", "ring"], Safety, STATES, false),
        case(
            ["ring", "one more", "FULL", "FULL", "ring"],
            Safety,
            STATES,
            true,
        ),
        case(["rwlock", "right", "", "", "rwlock"], Safety, STATES, false),
        case(
            ["rwlock", "too early", "EARLY", "EARLY", "rwlock"],
            Safety,
            STATES,
            true,
        ),
        case(
            ["rwlock", "writers preferred", "", "", "rwlock"],
            Fair,
            TURNS,
            true,
        ),
        case(
            ["rwlock", "tickets", "FAIR", "FAIR", "rwlock"],
            Fair,
            TURNS,
            false,
        ),
        case(
            ["philosophers", "round", "", "", "philosophers"],
            Safety,
            STATES,
            true,
        ),
        case(
            [
                "philosophers",
                "ordered",
                "ORDERED",
                "ORDERED",
                "philosophers",
            ],
            Safety,
            STATES,
            false,
        ),
    ]
};

/// What SPIN found, and what that took.
struct Spun {
    errors: u64,
    /// The first error in its words.
    error: String,
    states: u64,
    steps: u64,
    /// Seconds of the verifier, and of writing and compiling it.
    seconds: f64,
    made_in: f64,
}

impl Spin {
    /// Runs both on all cases, and writes docs/spin.md.
    ///
    /// # Errors
    /// If something cannot be run, or one of them does not say what it must.
    pub fn run(&self) -> Outcome {
        if process::find("spin").is_none() || process::find("gcc").is_none() {
            apt::install(&["spin", "gcc", "libc6-dev"])?;
        }
        if !self.prebuilt {
            self.build.run()?;
        }
        let (mut rows, mut wrong) = (String::new(), 0);
        for case in &CASES {
            let spun = spin(case)?;
            let report = check(case)?;
            let is_right = (spun.errors > 0) == case.is_wrong && is_as_expected(case, &report);
            wrong += usize::from(!is_right);
            let row = row(case, &spun, &report, is_right);
            eprint!("{row}");
            rows += &row;
        }
        let version = process::output_of(Command::new("spin").arg("-V"))?;
        let file = tree::root().join("docs/spin.md");
        std::fs::write(&file, page(&version, &today()?, &rows)).while_doing(file.display())?;
        match wrong {
            0 => Ok(()),
            wrong => Err(Stop::failed(format!(
                "{wrong} verdicts are not as expected"
            ))),
        }
    }
}

fn spin(case: &Case) -> Outcome<Spun> {
    let folder = tree::scratch("spin");
    let model = tree::root().join(format!("testsuite/spin/{}.pml", case.model));
    let source = std::fs::read_to_string(&model).while_doing(model.display())?;
    let start = Instant::now();
    let mut write = Command::new("spin");
    write.arg("-a").current_dir(&folder);
    if !case.defines[0].is_empty() {
        write.arg(format!("-D{}", case.defines[0]));
    }
    process::output_of(write.arg(&model))?;
    let mut compile = Command::new("gcc");
    compile.args([
        "-O2",
        "-w",
        case.question.of_compiler(),
        "-o",
        "pan",
        "pan.c",
    ]);
    process::run(compile.current_dir(&folder))?;
    let made_in = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let options = case.question.of_pan(source.contains("\nltl "));
    let said = verifier(&folder, options)?;
    let seconds = start.elapsed().as_secs_f64();
    let number = |before: &str| number_before(&said, before);
    Ok(Spun {
        errors: number_behind(&said, "errors: ")?,
        error: said
            .lines()
            .find_map(|line| line.strip_prefix("pan:1: "))
            .map(|line| {
                line.split(['(', '!'])
                    .next()
                    .unwrap_or(line)
                    .trim()
                    .to_owned()
            })
            .unwrap_or_default(),
        states: number(" states, stored")?,
        steps: number(" transitions")?,
        seconds,
        made_in,
    })
}

/// What the verifier writes, with room for long ways.
fn verifier(folder: &Path, options: &[&str]) -> Outcome<String> {
    let mut pan = Command::new("./pan");
    pan.args(options).arg("-m1000000").current_dir(folder);
    process::output_of(&mut pan)
}

/// The number that stands before these words.
fn number_before(said: &str, words: &str) -> Outcome<u64> {
    let before = said
        .split(words)
        .next()
        .filter(|before| before.len() < said.len());
    let number = before.and_then(|before| before.rsplit([' ', '\n', '\t']).next());
    let number = number.and_then(|number| number.parse().ok());
    number.ok_or_else(|| Stop::failed(format!("pan does not say how many{words}: {said}")))
}

/// The number that stands behind these words.
fn number_behind(said: &str, words: &str) -> Outcome<u64> {
    let behind = said.split(words).nth(1);
    let number = behind.and_then(|behind| behind.split_whitespace().next());
    let number = number.and_then(|number| number.parse().ok());
    number.ok_or_else(|| Stop::failed(format!("pan does not say {words}: {said}")))
}

fn check(case: &Case) -> Outcome<Report> {
    let name = format!("spin {} {}", case.model, case.variant);
    let source = format!("testsuite/programs/states/{}.c", case.program);
    let define = format!("-D{}", case.defines[1]);
    let defines: &[&str] = match case.defines[1] {
        "" => &[],
        _ => &[&define],
    };
    let program = compile_file(&name, &source, defines)?;
    Ok(measure::check(&program, case.options)?.report)
}

fn is_as_expected(case: &Case, report: &Report) -> bool {
    match case.is_wrong {
        true => report.verdict == Verdict::Bug,
        false => report.verdict == Verdict::Verified,
    }
}

fn row(case: &Case, spun: &Spun, report: &Report, is_right: bool) -> String {
    let mark = if is_right { "" } else { "**" };
    let question = match case.question {
        Question::Safety => "safety",
        Question::Fair => "formula, `-f`",
        Question::AllRuns => "formula",
    };
    let error = match spun.errors {
        0 => "none",
        _ => &spun.error,
    };
    let states = report.states.clone().unwrap_or_default();
    let steps = states.steps.unwrap_or(states.steps_executed);
    let found = match report.verdict {
        Verdict::Verified => "none".to_owned(),
        _ => checked::said(report),
    };
    format!(
        "| {}: {} | {question} | {mark}{error}{mark} | {} | {} | {:.2} + {:.2} | `{}` | {mark}{found}{mark} | {} | {} | {:.2} |\n",
        case.model,
        case.variant,
        text::grouped(spun.states),
        text::grouped(spun.steps),
        spun.made_in,
        spun.seconds,
        case.options.join(" "),
        text::grouped(states.states),
        text::grouped(steps),
        report.seconds.wall,
    )
}

fn page(version: &str, today: &str, rows: &str) -> String {
    format!(
        "# SPIN beside it\n\n\
         Written by `cargo xtask spin` on {today}; {version}; dpor with `-O2`, two cores with other work.\n\n\
         Each model of `testsuite/spin/` was written by hand after a program of `testsuite/programs/states/`, with the same variants. What is wrong is wrong for both, or the command fails.\n\n\
         SPIN: states stored, transitions; seconds of `spin -a` and gcc, and of the verifier as a process. dpor: states, steps of all rounds, seconds of the check without compiling; where something was found, up to there.\n\
         Both reduce: SPIN by partial orders, dpor by persistent sets.\n\n\
         | model | asked of SPIN | SPIN found | states | steps | seconds | asked of dpor | dpor found | states | steps | seconds |\n\
         |---|---|---|--:|--:|--:|---|---|--:|--:|--:|\n{rows}\n\
         What tells the columns apart:\n\n\
         - A model has the steps that its author gave it; a program has those of its compiler. Local variables that matter no longer are zeros in a model if its author thought of it (`now = 0` in `ticket.pml`); in a program what a register or a stack still holds is part of a state: what `ipc` has more is of that kind.\n\
         - dpor counts who knows of which access, to find data races, of which a model has none: the ring's bug is a race there, and an assertion about a variable that was made for it here.\n\
         - dpor's states begin before there is a second thread: three philosophers come one after the other.\n\
         - With a formula SPIN counts pairs of states and of the automaton; dpor counts states.\n"
    )
}
