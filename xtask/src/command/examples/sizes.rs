//! How much of a kind of work can be checked in a second, and in a minute.

use crate::command::bench::measure::check;
use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};
use dpor_report::{text, Verdict};
use std::fmt::Write;
use std::process::Command;

/// What each thread does: in words, the class of `sizes.cc`, and how many threads do it.
const WORK: [(&str, &str, [u32; 3]); 4] = [
    ("sections of one mutex", "Locked", [2, 3, 4]),
    (
        "additions to one atomic, their results used",
        "Counted",
        [2, 3, 4],
    ),
    (
        "items for a queue of two places (condition variables), which main empties",
        "Queued",
        [1, 2, 3],
    ),
    (
        "pushes on a lock-free stack, each followed by a pop",
        "Stacked",
        [2, 3, 4],
    ),
];

/// CPU seconds of the columns.
const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

/// More than a minute of CPU time is enough for, whoever else uses the machine: seconds by the clock, and executions.
const LIMITS: [&str; 2] = ["--time-limit=300", "--max-executions=12000000"];

/// A check that was over in time.
#[derive(Clone, Copy)]
struct Size {
    operations: u32,
    executions: u64,
    /// CPU seconds of the whole command.
    cpu: f64,
}

/// What was measured of a kind of work and a number of threads: the most in a second, and in a minute.
struct Row {
    what: &'static str,
    threads: u32,
    sizes: [Option<Size>; 2],
}

/// The page with all that was measured.
pub const PAGE: &str = "docs/sizes.md";
/// The heading of the README's section about it.
pub const HEADING: &str = "## How large a test may be";

/// Measures; writes the page, and returns the README's section.
///
/// # Errors
/// If something else is found than that the program is right.
pub fn measure(today: &str) -> Outcome<String> {
    let mut rows = Vec::new();
    for (what, class, numbers) in WORK {
        for threads in numbers {
            let sizes = largest(class, threads)?;
            let row = Row {
                what,
                threads,
                sizes,
            };
            eprint!("{}", row.of_page());
            rows.push(row);
        }
    }
    let file = tree::root().join(PAGE);
    std::fs::write(&file, page(today, &rows)).while_doing(file.display())?;
    Ok(section(today, &rows))
}

impl Row {
    fn of_page(&self) -> String {
        let [second, minute] = self.sizes.map(|size| match size {
            Some(it) => format!(
                "{} | {} | {:.2}",
                it.operations,
                text::grouped(it.executions),
                it.cpu
            ),
            None => "none | | ".to_owned(),
        });
        format!(
            "| {} | {} | {second} | {minute} |\n",
            self.what, self.threads
        )
    }

    /// Threads × operations of each, in a second and in a minute.
    fn products(&self) -> [String; 2] {
        self.sizes.map(|size| match size {
            Some(size) => format!("{} × {}", self.threads, size.operations),
            None => "–".to_owned(),
        })
    }
}

fn page(today: &str, rows: &[Row]) -> String {
    let mut page = format!(
        "# How large a test may be\n\n\
         Written by `cargo xtask examples --sizes` on {today}: \
         the most operations of each thread of which all executions are explored within a second, and within a minute, of CPU time. \
         It is the CPU time of the whole command, start and report included, of one core: how busy the machine was does not count, but for its caches.\n\n\
         These threads meet in every operation; the executions grow with the number of orders in which they can. \
         What a thread does by itself costs next to nothing, and threads that seldom meet can do far more.\n\n\
         | each thread's operations | threads | in a second | executions | seconds | in a minute | executions | seconds |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    page.extend(rows.iter().map(Row::of_page));
    page += "\nThe program is `xtask/src/command/examples/sizes.cc`; each of its four classes is one kind of work, and asserts at its end that it is right.\n\
             What to do where a test is too large: [bounds](bounds.md), [samples](samples.md), [several cores](scaling.md).\n";
    page
}

/// A row for each kind, its numbers of threads side by side.
fn section(today: &str, rows: &[Row]) -> String {
    let mut section = format!(
        "{HEADING}\n\n\
         Threads × operations of each, all of which meet, of which every execution is explored in so much CPU time of one core; – is more ([all numbers](docs/sizes.md), by `cargo xtask examples --sizes` on {today}):\n\n\
         | | in a second | in a minute |\n|---|---|---|\n"
    );
    for of_kind in rows.chunk_by(|one, next| one.what == next.what) {
        let products: Vec<_> = of_kind.iter().map(Row::products).collect();
        let column = |at: usize| {
            let cells: Vec<&str> = products.iter().map(|both| both[at].as_str()).collect();
            cells.join(", ")
        };
        let _ = writeln!(
            section,
            "| {} | {} | {} |",
            of_kind[0].what,
            column(0),
            column(1)
        );
    }
    section
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
        let run = check(&program, &["--progress=never", LIMITS[0], LIMITS[1]])?;
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
                    cpu: run.cpu,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_are_side_by_side_in_the_readme() {
        let size = |operations| {
            Some(Size {
                operations,
                executions: 1680,
                cpu: 0.25,
            })
        };
        let row = |what, threads, sizes| Row {
            what,
            threads,
            sizes,
        };
        let rows = [
            row("a", 2, [size(5), size(9)]),
            row("a", 3, [None, size(1)]),
            row("b", 2, [size(1), size(2)]),
        ];
        let text = section("today", &rows);
        assert!(text.contains("\n| a | 2 × 5, – | 2 × 9, 3 × 1 |\n| b | 2 × 1 | 2 × 2 |\n"));
        let text = page("today", &rows);
        assert!(text.contains("\n| a | 2 | 5 | 1,680 | 0.25 | 9 | 1,680 | 0.25 |\n"));
    }
}
