//! Compiles the test programs with `dpor-gcc` and compares what comes out with what their headers expect, for
//! `cargo xtask gcc`: prints the page docs/gcc-differences.md.
//!
//! Arguments: texts of which the names of programs must contain one, then with all revisions; none: all programs, each with
//! its first revision.

use dpor_report::{Report, Verdict};
use dpor_testsuite::deal;
use dpor_testsuite::header::{self, Header, Mode};
use dpor_testsuite::trial::{programs, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Classes of what comes out, in the order of the page; each with what it means.
const CLASSES: [(&str, &str); 7] = [
    ("as with clang", "verdict, findings, places and all numbers are what the header expects."),
    ("other numbers", "verdict and kinds of findings are the same, executions or outcomes are counted otherwise: a wait is a look and another ([0035](decisions/0035-loops-that-wait.md)), additions do not commute, and gcc makes other events of a program than clang."),
    ("other words", "verdict and numbers are the same; a place, a message or a note differs."),
    ("no verdict", "a limit is reached, or something is `unsupported` that is not with clang."),
    ("other findings", "a finding is there that is not with clang, or the other way round."),
    ("not compiled", "the program asks for something that only clang has, or gcc warns of it."),
    ("not run", "no report came out in ten seconds, beside two others."),
];

/// Why programs of these names, or with these texts in what differs, are in a class that a reader would ask about.
const REASONS: [(&str, &str); 19] = [
    ("stack/", "the end of variables on the stack is not told of"),
    ("stack_task", "the end of variables on the stack is not told of"),
    ("loop_bound/", "turns are not counted: `--loop-bound` has no effect"),
    ("promises/", "clang's attributes, of which gcc knows nothing"),
    ("initializer", "the mark that a mutex was initialized is the pass's"),
    ("inline assembly", "memory operands of inline assembly are not told of"),
    ("__VERIFIER_nondet", "values are not put into classes by what they are compared with"),
    ("nondeterminism", "something changes memory that gcc does not tell of"),
    ("disable_sanitizer_instrumentation", "an attribute of clang's"),
    ("max-events", "a loop that comes back to its state is not recognised: something on its stack differs"),
    ("warning:", "gcc warns of what clang does not"),
    ("error:", "clang's extensions"),
    ("keeps state of its own", "a function without hooks, or of C++'s library, that the pass knows"),
    ("missing_return", "gcc has no trap where a function of C++ ends without a value"),
    ("lock_", "`std::lock` is not taken as one step"),
    ("commute", "additions whose results nobody uses do not commute"),
    ("await/plain", "with `--plain=explore`, loops that wait for plain variables are not found"),
    ("await/", "more executions: without optimization a look writes to the stack, so that more than one is in vain"),
    ("forever/served", "more executions, or a loop that never comes back to its state"),
];

/// What came out of one trial.
struct Outcome {
    class: &'static str,
    why: String,
}

fn class(header: &Header, report: &Report, differences: &[String]) -> &'static str {
    let is = |what: &str| differences.iter().any(|one| one.contains(what));
    let expected = header.expect.unwrap_or(report.verdict);
    let is_open = |verdict| matches!(verdict, Verdict::Incomplete | Verdict::Unsupported);
    if differences.is_empty() {
        "as with clang"
    } else if report.verdict != expected && is_open(report.verdict) {
        "no verdict"
    } else if report.verdict != expected || is("kinds") {
        "other findings"
    } else if is("Executions {") || is("outcomes") || is("preemptions") {
        "other numbers"
    } else {
        "other words"
    }
}

fn outcome(trial: &Trial) -> Outcome {
    match trial.differences() {
        Ok((report, differences)) => Outcome {
            class: class(&trial.header, &report, &differences),
            why: differences.join("; "),
        },
        Err(why) if why.starts_with("compiling") => Outcome {
            class: "not compiled",
            why,
        },
        Err(why) => Outcome {
            class: "not run",
            why,
        },
    }
}

/// The trials of a program with gcc, at its first level: its first revision, or `all`.
fn trials(file: &Path, headers: &[Header], all: bool) -> Vec<Trial> {
    let of = |header: &Header| Trial {
        file: file.to_owned(),
        header: header.clone(),
        level: header.levels.first().cloned().unwrap_or("O2".to_owned()),
        llvm: 0,
        gcc: true,
        ways: Vec::new(),
        each: false,
        bless: false,
        shared_all: false,
        apart: true,
        environment: Vec::new(),
    };
    let checked = headers.iter().filter(|header| header.mode == Mode::Check);
    let most = if all { usize::MAX } else { 1 };
    checked.take(most).map(of).collect()
}

fn reason(name: &str, why: &str) -> &'static str {
    let fits = |(text, _): &&(&str, &str)| name.contains(text) || why.contains(text);
    REASONS.iter().find(fits).map_or("", |(_, reason)| *reason)
}

/// The first characters of a text that may have several lines, for a cell of a table.
fn cell(text: &str) -> String {
    let root = format!("{}/", dpor_testsuite::trial::root().display());
    let line = text.replace(&root, "").replace(['\n', '|'], " ");
    let short: String = line.chars().take(160).collect();
    short.replace('<', "&lt;")
}

/// Programs that are compared at a time.
const AT_ONCE: usize = 3;

/// The trials of a program, each with what came out.
fn compare(file: &Path, all: bool) -> Vec<(String, Outcome)> {
    let name = file.strip_prefix(programs()).unwrap_or(file).display();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let headers = header::parse(&text).unwrap_or_default();
    let one = |mut trial: Trial| {
        // Those that take longer are in no doubt for their numbers.
        trial.header.seconds = trial.header.seconds.min(SECONDS_MAX);
        let revision = match trial.header.revision.as_str() {
            "" => String::new(),
            revision => format!("[{revision}]"),
        };
        let outcome = outcome(&trial);
        eprintln!("{name}{revision}: {}", outcome.class);
        (format!("{name}{revision}"), outcome)
    };
    trials(file, &headers, all).into_iter().map(one).collect()
}

/// Time for one check.
const SECONDS_MAX: u64 = 10;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |file: &&PathBuf| {
        let name = file.display().to_string();
        wanted.is_empty() || wanted.iter().any(|text| name.contains(text))
    };
    let all = deal::files();
    let files: Vec<&PathBuf> = all.iter().filter(is_wanted).collect();
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compared = compare(file, !wanted.is_empty());
                    let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                    outcomes.extend(compared);
                }
            });
        }
    });
    let mut outcomes = outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by(|a, b| a.0.cmp(&b.0));
    let total = outcomes.len();
    let mut classes: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for (name, Outcome { class, why }) in outcomes {
        classes.entry(class).or_default().push((name, why));
    }
    print(&classes, total);
}

fn print(classes: &BTreeMap<&str, Vec<(String, String)>>, total: usize) {
    println!("# How far gcc agrees\n");
    println!("Written by `cargo xtask gcc`: each test program in `testsuite/programs`, its first revision at the first level that its header names, compiled by `dpor-gcc` and checked once. Its header says what is expected with clang.\n");
    println!("| of {total} | trials | which means |\n|---|---|---|");
    for (class, meaning) in CLASSES {
        let count = classes.get(class).map_or(0, Vec::len);
        println!("| {class} | {count} | {meaning} |");
    }
    for class in ["no verdict", "other findings", "not compiled", "not run"] {
        let all = classes.get(class).map_or(&[][..], Vec::as_slice);
        if all.is_empty() {
            continue;
        }
        println!("\n## {class}\n\n| program | reason | what differs |\n|---|---|---|");
        for (name, why) in all {
            println!("| {name} | {} | {} |", reason(name, why), cell(why));
        }
    }
}
