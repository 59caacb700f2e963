//! `dpor scenario`, and the verdicts of `dpor/scenario.h` on random objects against all interleavings.
//!
//! `DPOR_TEST_RANDOM=N` takes N objects instead of 150, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind scenarios` takes many.

mod brute;
mod command;
mod emitted;
mod frameworks;
mod interpreted;
mod object;
mod promised;
mod published;
mod states;
mod wait_free;

use brute::{Asked, Question};
pub use command::source;
use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use object::Object;
use std::path::{Path, PathBuf};

/// Objects in a normal run.
const OBJECTS: u64 = 150;
/// Objects of a batch, whose code is compiled at once.
const BATCH: u64 = 1000;
/// One of so many objects is compiled as straight-line code, which is what users have; the others are data of one program
/// (chosen: what is compiled takes a tenth of the time then. 2 and 3 do not divide it: all sizes, questions and numbers of
/// early time-outs are compiled).
const COMPILED: u64 = 11;
/// One of so many is searched with all reductions that are on by default. With `observers` an execution takes three times as
/// long (measured: 62 and 190 µs); a search of straight-line code gives that reduction up by itself.
const ALL_REDUCTIONS: u64 = 5;
const WITHOUT_OBSERVERS: &str = "--reductions=commute,counters,calls";
/// Options that change nothing but what is told of a finding: no shorter way to it, and no second run for the calls that led
/// there (it would find other files then).
const QUIETLY: [&str; 2] = ["--minimize-time=0", "--commit-files"];
/// Threads and calls of each, and steps of an operation at most: so that all interleavings can be run.
const SIZES: [(usize, usize, u64); 3] = [(2, 1, 3), (3, 1, 3), (2, 2, 2)];
const QUESTIONS: [(Question, &str); 3] = [
    (Question::Linearizable, "linearizable"),
    (Question::SequentiallyConsistent, "sequentially-consistent"),
    (Question::Quiescent, "quiescent"),
];
/// Which of the questions 16 objects of a size are asked one after the other. Moments in which no call goes on are orders of
/// their own: such a search takes ten times as long (measured: 2 × 2, 233 and 23 ms).
const ASKED: [usize; 16] = [0, 1, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 0, 0, 0];
/// One of so many objects is such that threads do different things, and of so many the first is taken
/// whose verdict is another one if each thread's calls alone stay in order. Without that not one of 1000 at 2 × 2 was such, and
/// broken orders of marks went unseen.
const APART: u64 = 2;
const DRAWN: usize = 8;
/// How many time-outs may come early. The last stands for all: no object makes so many.
const EARLY: [(u8, &str); 4] = [
    (1, "--timeouts=1"),
    (0, "--timeouts=none"),
    (2, "--timeouts=2"),
    (u8::MAX, "--timeouts=all"),
];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// An object, what is asked of it, and how.
struct Case {
    seed: u64,
    object: Object,
    asked: Asked,
    /// The question, and how many time-outs may come early, as options.
    question: &'static str,
    early: &'static str,
}

impl Case {
    fn new(seed: u64) -> Case {
        let (threads, calls, steps) = SIZES[(seed % 3) as usize];
        let (question, word) = QUESTIONS[ASKED[(seed / 3 % 16) as usize]];
        let (early, option) = EARLY[(seed / 48 % 4) as usize];
        let asked = Asked {
            threads,
            calls,
            question,
            early,
        };
        Case {
            seed,
            object: draw(
                &mut Random(seed),
                steps,
                &asked,
                (seed / 3).is_multiple_of(APART),
            ),
            asked,
            question: word,
            early: option,
        }
    }

    fn is_compiled(&self) -> bool {
        self.seed.is_multiple_of(COMPILED)
    }

    /// Checks the object, which the program makes of this argument.
    fn check(&self, tool: &Tool, binary: &Path, which: &str) -> Report {
        let Asked { threads, calls, .. } = self.asked;
        let arguments = [
            which.to_owned(),
            format!("--dpor-scenario={threads}x{calls}"),
            format!("--dpor-check={}", self.question),
        ];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut options = QUIETLY.to_vec();
        options.push(self.early);
        if !self.seed.is_multiple_of(ALL_REDUCTIONS) {
            options.push(WITHOUT_OBSERVERS);
        }
        tool.check(binary, &options, &arguments).report
    }
}

fn draw(random: &mut Random, steps: u64, asked: &Asked, is_apart: bool) -> Object {
    let mut object = object::object(random, steps, is_apart);
    let by_threads = Asked {
        question: Question::SequentiallyConsistent,
        ..*asked
    };
    let depends_on_time = |object: &Object| {
        !brute::is_explained(object, asked) && brute::is_explained(object, &by_threads)
    };
    if is_apart && asked.question == Question::Linearizable {
        for _ in 1..DRAWN {
            if depends_on_time(&object) {
                break;
            }
            object = object::object(random, steps, is_apart);
        }
    }
    object
}

/// Whether the report says that all is explained, and nothing else; and whether it says that something is not.
fn said(report: &Report) -> (bool, bool) {
    let mut findings = report.findings.iter();
    (
        report.verdict == Verdict::Verified && report.findings.is_empty(),
        report.verdict == Verdict::Bug
            && findings.all(|finding| finding.kind == FindingKind::NotLinearizable),
    )
}

#[test]
fn random_objects_have_the_verdicts_of_brute_force() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", OBJECTS);
    let (mut done, mut explained, mut executions, mut wrong) = (0, 0, 0, Vec::new());
    let (mut compiled, mut limited) = (0, 0);
    let tool = Tool::new("scenarios");
    // Without debug information, which nobody asks for here.
    let of_data = tool.compile("interpreted", &interpreted::text(), &["-g0"]);
    while done < count {
        let seeds = (0..BATCH.min(count - done)).map(|k| first + done + k);
        let cases: Vec<Case> = seeds.map(Case::new).collect();
        let as_code = cases.iter().filter(|case| case.is_compiled());
        let as_code: Vec<&Object> = as_code.map(|case| &case.object).collect();
        let code = match as_code.is_empty() {
            true => PathBuf::new(),
            false => {
                let text = object::text(as_code.iter().copied());
                tool.compile("scenarios", &text, &["-g0"])
            }
        };
        compiled += as_code.len();
        let mut numbers = 0..as_code.len();
        for case in &cases {
            let expected = brute::is_explained(&case.object, &case.asked);
            let report = match case.is_compiled() {
                true => {
                    let which = numbers.next().expect("it is compiled").to_string();
                    case.check(&tool, &code, &which)
                }
                false => case.check(&tool, &of_data, &interpreted::argument(&case.object)),
            };
            let (is_verified, is_found) = said(&report);
            if !(if expected { is_verified } else { is_found }) {
                let Case {
                    seed,
                    object,
                    asked,
                    ..
                } = case;
                let verdict = report.verdict;
                let what = format!(
                    "seed {seed}, {asked:?}: {verdict}, where all interleavings are explained: {expected}\n{object:?}"
                );
                println!("{what}");
                wrong.push(what);
            }
            explained += u64::from(expected);
            limited += u64::from(case.object.has_limits());
            executions += report.executions.total();
        }
        done += cases.len() as u64;
    }
    println!(
        "{done} programs, {explained} of them explained, {limited} with time limits, {compiled} compiled, {executions} executions"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(explained > done / 10 && explained < done * 9 / 10);
}
