//! `cargo xtask openmp`: the programs of testsuite/openmp, at two and three threads and two levels of optimization.
//!
//! The first line of each program says what is right: `// expect: race` (or another kind of finding), `assert`, or
//! `none`. A program for which dpor says something else is a failure, but for those of [`MISSED`].

use super::bench::today;
use super::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::{checked, process, tree};
use dpor_report::{text, FindingKind, Report, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `openmp`.
#[derive(clap::Args, Debug)]
pub struct OpenMp {
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    #[command(flatten)]
    build: Build,
}

/// The ways in which each program is checked.
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const THREADS: [&str; 2] = ["2", "3"];

/// Races that are not found, and why.
const MISSED: [(&str, &str); 1] = [(
    "lastprivate-nowait",
    "clang puts a barrier behind a loop with `lastprivate`, whether there is `nowait` or not",
)];

/// What is right for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Finding(FindingKind),
    Nothing,
}

fn expected(source: &str) -> Option<Expected> {
    let word = source.lines().next()?.strip_prefix("// expect: ")?.trim();
    match word {
        "none" => Some(Expected::Nothing),
        "race" => Some(Expected::Finding(FindingKind::DataRace)),
        "assert" => Some(Expected::Finding(FindingKind::Abort)),
        other => {
            let kind = serde_json::from_value(other.into());
            kind.ok().map(Expected::Finding)
        }
    }
}

/// One check of one program.
struct Run {
    program: String,
    expected: Expected,
    level: &'static str,
    threads: &'static str,
    report: Report,
}

impl Run {
    /// Whether there is what was expected, and of races nothing else.
    fn is_right(&self) -> bool {
        let errors = || {
            self.report
                .findings
                .iter()
                .filter(|one| checked::is_error(one))
        };
        match self.expected {
            Expected::Nothing => self.report.verdict == Verdict::Verified && errors().count() == 0,
            Expected::Finding(kind) => {
                let is_it = |found: FindingKind| {
                    found == kind || (kind == FindingKind::Abort && found == FindingKind::Assertion)
                };
                errors().any(|one| is_it(one.kind)) && errors().all(|one| is_it(one.kind))
            }
        }
    }

    fn has_race(&self) -> bool {
        let kinds = self.report.findings.iter().map(|one| one.kind);
        kinds.into_iter().any(|kind| kind == FindingKind::DataRace)
    }

    fn is_racy(&self) -> bool {
        self.expected == Expected::Finding(FindingKind::DataRace)
    }

    fn why_missed(&self) -> Option<&'static str> {
        let known = MISSED.iter().find(|(name, _)| *name == self.program);
        known.map(|(_, why)| *why)
    }
}

impl OpenMp {
    /// Builds, checks all programs, and writes the page.
    ///
    /// # Errors
    /// If a program does not compile, or a check does not say what is right.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        let mut runs = Vec::new();
        for source in sources()? {
            for level in LEVELS {
                let program = compile(&source, level)?;
                for threads in THREADS {
                    runs.push(check(&source, &program, level, threads)?);
                }
            }
        }
        let file = tree::root().join("docs/openmp-results.md");
        std::fs::write(&file, page(&runs, &today()?)).while_doing(file.display())?;
        print!("{}", summary(&runs));
        let is_wrong = |run: &&Run| !run.is_right() && run.why_missed().is_none();
        let wrong: Vec<String> = runs.iter().filter(is_wrong).map(shown).collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(Stop::failed(format!(
                "not as expected: {}",
                wrong.join("; ")
            ))),
        }
    }
}

fn shown(run: &Run) -> String {
    let said = checked::said(&run.report);
    format!(
        "{} {} {} threads: {said}",
        run.program, run.level, run.threads
    )
}

fn sources() -> Outcome<Vec<PathBuf>> {
    let folder = tree::root().join("testsuite/openmp");
    let entries = std::fs::read_dir(&folder).while_doing(folder.display())?;
    let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "c"));
    sources.sort();
    Ok(sources)
}

fn stem(source: &Path) -> String {
    source
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn compile(source: &Path, level: &str) -> Outcome<PathBuf> {
    let program = tree::scratch("openmp-programs").join(format!("{}{level}", stem(source)));
    let mut compiler = Command::new(tree::tool("dpor-cc"));
    compiler.args(["-fopenmp", "-g", "-w", level]).arg(source);
    process::run(compiler.arg("-o").arg(&program))?;
    Ok(program)
}

fn check(
    source: &Path,
    program: &Path,
    level: &'static str,
    threads: &'static str,
) -> Outcome<Run> {
    let text = std::fs::read_to_string(source).while_doing(source.display())?;
    let expected = expected(&text)
        .ok_or_else(|| Stop::failed(format!("{}: no expectation", source.display())))?;
    let environment = [("OMP_NUM_THREADS", threads)];
    let options = ["-k", "--time-limit=60", "--output=none"];
    let report = checked::check_with(&environment, program, &options, &[])?;
    Ok(Run {
        program: stem(source),
        expected,
        level,
        threads,
        report,
    })
}

/// `3 of 4`, and in percent.
fn share(part: usize, all: usize) -> String {
    format!(
        "{part} of {all} ({:.1} %)",
        100.0 * part as f64 / all.max(1) as f64
    )
}

/// One row for each way of checking.
fn summary(runs: &[Run]) -> String {
    let mut rows = String::from(
        "| level | threads | precision: races that are ones | recall: racy programs found | others as expected | executions | seconds |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for level in LEVELS {
        for threads in THREADS {
            let is_of = |run: &&Run| run.level == level && run.threads == threads;
            let of: Vec<&Run> = runs.iter().filter(is_of).collect();
            let count = |is: &dyn Fn(&Run) -> bool| of.iter().filter(|run| is(run)).count();
            let found = count(&|run| run.is_racy() && run.has_race());
            let said = count(&Run::has_race);
            let executions: u64 = of.iter().map(|run| run.report.executions.total()).sum();
            let seconds: f64 = of.iter().map(|run| run.report.seconds.wall).sum();
            rows += &format!(
                "| {level} | {threads} | {} | {} | {} | {} | {seconds:.1} |\n",
                share(found, said),
                share(found, count(&Run::is_racy)),
                share(
                    count(&|run| !run.is_racy() && run.is_right()),
                    count(&|run| !run.is_racy())
                ),
                text::grouped(executions),
            );
        }
    }
    rows
}

/// A row for each program: what was said at `-O0` with two threads, and executions in all ways.
fn table(runs: &[Run]) -> String {
    let mut rows = String::from(
        "| program | expected | said | executions: -O0, 2 threads | 3 threads | -O2, 2 threads | 3 threads | seconds, all four |\n\
         |---|---|---|--:|--:|--:|--:|--:|\n",
    );
    for of in runs.chunk_by(|one, other| one.program == other.program) {
        let expected = match of[0].expected {
            Expected::Nothing => "nothing".to_owned(),
            Expected::Finding(FindingKind::Abort) => "assertion".to_owned(),
            Expected::Finding(kind) => kind.to_string(),
        };
        let seconds: f64 = of.iter().map(|run| run.report.seconds.wall).sum();
        rows += &format!(
            "| `{}` | {expected} | {}",
            of[0].program,
            checked::said(&of[0].report)
        );
        for run in of {
            rows += &format!(" | {}", text::grouped(run.report.executions.total()));
        }
        rows += &format!(" | {seconds:.2} |\n");
    }
    rows
}

fn page(runs: &[Run], day: &str) -> String {
    let missed: Vec<String> = MISSED
        .iter()
        .map(|(name, why)| format!("- `{name}`: {why}.\n"))
        .collect();
    format!(
        "# OpenMP: programs with and without races\n\n\
         Written by `cargo xtask openmp` on {day}, on two cores that were not idle.\n\n\
         The programs of `testsuite/openmp`, written for this: of the kinds that DataRaceBench has, and no copies of its. \
         Each is compiled by `dpor-cc -fopenmp` and checked with `-k`, with `OMP_NUM_THREADS` as the table says, at most \
         60 seconds. Precision: of the programs of which a data race is reported, those that have one. Recall: of those \
         that have one, those of which it is reported. The others have to be verified, or to have the finding that is \
         expected (an assertion that fails in some order) and no other.\n\n\
         {}\nNot found:\n\n{}\n## All programs\n\n{}",
        summary(runs),
        missed.concat(),
        table(runs)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_what_is_right() {
        let race = Some(Expected::Finding(FindingKind::DataRace));
        assert_eq!(expected("// expect: race\n// text"), race);
        assert_eq!(expected("// expect: none\n"), Some(Expected::Nothing));
        let kind = Some(Expected::Finding(FindingKind::UseAfterReturn));
        assert_eq!(expected("// expect: use-after-return\n"), kind);
        for odd in ["// expect: nothing\n", "int x;\n", ""] {
            assert_eq!(expected(odd), None, "{odd}");
        }
    }

    #[test]
    fn every_program_says_what_is_right() {
        let sources = sources().expect("the folder is there");
        assert!(sources.len() >= 100, "{}", sources.len());
        for source in sources {
            let text = std::fs::read_to_string(&source).expect("it can be read");
            assert!(expected(&text).is_some(), "{}", source.display());
        }
    }
}
