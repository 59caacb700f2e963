//! How much of a kind of work can be checked in a second, and in a minute.

use crate::command::bench::measure::check;
use crate::stop::{Outcome, Stop};
use crate::{process, tree};
use dpor_report::{text, Verdict};
use std::process::Command;

/// What each thread does: in words, the class of `sizes.cc`, and how many threads do it.
const WORK: [(&str, &str, [u32; 3]); 3] = [
    ("sections of one mutex", "Locked", [2, 3, 4]),
    (
        "additions to one atomic, their results used",
        "Counted",
        [2, 3, 4],
    ),
    (
        "items for a queue that the main thread empties",
        "Queued",
        [1, 2, 3],
    ),
];

/// CPU seconds of the columns.
const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

/// A check that was over in time.
#[derive(Clone, Copy)]
struct Size {
    operations: u32,
    executions: u64,
}

/// The heading of the section about them.
pub const HEADING: &str = "## Sizes";

/// Measures, and writes the section.
///
/// # Errors
/// If something else is found than that the program is right.
pub fn section(today: &str) -> Outcome<String> {
    let mut rows = String::new();
    for (what, class, numbers) in WORK {
        for threads in numbers {
            let [second, minute] = largest(class, threads)?.map(shown);
            let row = format!("| {what} | {threads} | {second} | {minute} |\n");
            eprint!("{row}");
            rows += &row;
        }
    }
    Ok(format!(
        "{HEADING}\n\n\
         Written by `cargo xtask examples --sizes` on {today}: the most operations of each thread of which all executions are explored in a second, and in a minute, of one core. \
         These threads meet in every operation; threads that seldom meet can do far more.\n\n\
         | each thread's operations | threads | in a second | in a minute |\n|---|--:|--:|--:|\n{rows}"
    ))
}

fn shown(size: Option<Size>) -> String {
    match size {
        Some(size) => format!(
            "{} ({} executions)",
            size.operations,
            text::grouped(size.executions)
        ),
        None => "none".to_owned(),
    }
}

/// The most operations of each thread that a second and a minute are enough for. One operation more multiplies the
/// executions by more than the one before did, so that nothing is run that would take longer than a minute even by that
/// factor.
fn largest(class: &str, threads: u32) -> Outcome<[Option<Size>; 2]> {
    let (mut sizes, mut least, mut before) = ([None, None], 0.0, None);
    for operations in 1.. {
        if least > MINUTE {
            break;
        }
        let program = compile(class, threads, operations)?;
        // More than a minute of CPU time is enough for, whoever else uses the machine.
        let run = check(&program, &["--progress=never", "--max-executions=12000000"])?;
        let executions = run.report.executions.complete;
        match run.report.verdict {
            Verdict::Verified => (),
            Verdict::Incomplete => break,
            verdict => {
                let what = format!("{class}, {threads} × {operations}: {verdict}");
                return Err(Stop::failed(what));
            }
        }
        for (place, limit) in sizes.iter_mut().zip([SECOND, MINUTE]) {
            if run.cpu <= limit {
                *place = Some(Size {
                    operations,
                    executions,
                });
            }
        }
        let factor = before.map_or(1.0, |before| executions as f64 / before);
        least = run.cpu * factor;
        before = Some(executions as f64);
    }
    Ok(sizes)
}

fn compile(class: &str, threads: u32, operations: u32) -> Outcome<std::path::PathBuf> {
    let program = tree::scratch("examples").join(format!("{class}-{threads}-{operations}"));
    let mut compile = Command::new(tree::tool("dpor-c++"));
    compile.args(["-std=c++20", "-O2", "-g", "-pthread"]);
    compile.arg(format!("-DWORK={class}"));
    compile.arg(format!("-DTHREADS={threads}"));
    compile.arg(format!("-DOPERATIONS={operations}"));
    compile.arg(tree::root().join("xtask/src/command/examples/sizes.cc"));
    process::run(compile.arg("-o").arg(&program))?;
    Ok(program)
}
