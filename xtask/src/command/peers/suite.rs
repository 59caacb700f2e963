//! A suite of small programs: each built, checked, and held against what its authors expect.
//!
//! What they expect is read from their own files. Where `dpor` is to find something else, a note
//! says what and why; a difference without a note is wrong, and so is a note that is not met.

use super::Part;
use crate::checked::{check, is_error, said, words};
use crate::stop::{Outcome, Stop};
use crate::{process, tree};
use dpor_report::{Finding, FindingKind as Kind, Report, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The findings that `dpor` is to report.
#[derive(Clone, Copy)]
pub enum Expect {
    /// The findings that the program's authors expect.
    Same,
    /// Findings of these kinds and no other errors.
    Findings(&'static [Kind]),
    /// The verdict `unsupported`, its reason containing this.
    Unsupported(&'static str),
    /// A limit that ends the check, and before it no finding but warnings: the remark says why that is so.
    Limit,
    /// The test is not run, for the reason that the remark says.
    NotRun,
    /// An expectation for each level of the suite.
    Levels(&'static [Expect]),
    /// Any of these expectations: which one it is depends on the machine.
    Either(&'static [Expect]),
}

/// A note on a test: what is to be known of it beyond what its authors say.
pub struct Note {
    /// The test, as the suite names it.
    pub name: &'static str,
    /// The findings at every level.
    pub expect: Expect,
    /// Options for `dpor check`.
    pub options: &'static [&'static str],
    /// The reason why these differ from what the authors expect, or for the options.
    pub remark: &'static str,
}

/// A note without options.
pub const fn note(name: &'static str, expect: Expect, remark: &'static str) -> Note {
    Note {
        name,
        expect,
        options: &[],
        remark,
    }
}

/// A note with options.
pub const fn with(
    name: &'static str,
    expect: Expect,
    options: &'static [&'static str],
    remark: &'static str,
) -> Note {
    Note {
        name,
        expect,
        options,
        remark,
    }
}

/// What several suites have in common.
pub mod common {
    use super::Expect::{self, Findings, Unsupported};
    use dpor_report::FindingKind;

    pub const NOTHING: Expect = Findings(&[]);
    pub const RACE: Expect = Findings(&[FindingKind::DataRace]);
    pub const EXIT: Expect = Findings(&[FindingKind::NonzeroExit]);
    pub const ASSEMBLY: Expect = Unsupported("inline assembly");
    pub const FORK: Expect = Unsupported("fork");
    pub const MANY: Expect = Unsupported("more than 64 threads");

    pub const LARGE: &str = "more executions than the limit";
    pub const SPIN: &str = "a loop that waits for another thread has no end in some orders";
    pub const ONE_THREAD: &str = "one thread alone cannot deadlock by an order of locks";
}

/// A program with its arguments, as its authors run it.
pub struct Test {
    /// The test's name in the table.
    pub name: String,
    /// Path of the source.
    pub source: PathBuf,
    /// Arguments, options for the compiler beside the suite's.
    pub arguments: Vec<String>,
    pub flags: Vec<String>,
    /// The findings that the authors expect: our kinds where there is one, their words otherwise.
    pub theirs: BTreeSet<String>,
    /// The reason why the test is not run, if it is not.
    pub not_run: Option<&'static str>,
}

/// The tests and how to build them.
pub struct Suite {
    /// A heading of the page, and what is to be read below it.
    pub title: &'static str,
    pub text: String,
    pub tests: Vec<Test>,
    /// Levels of optimization, and what else the compiler gets.
    pub levels: &'static [&'static str],
    pub flags: Vec<String>,
    /// Options of `dpor check`, with [`LIMITS`].
    pub options: &'static [&'static str],
    pub notes: &'static [Note],
}

/// Options that limit each check, to so many executions and seconds.
pub const LIMITS: [&str; 3] = ["-k", "--max-executions=2000", "--time-limit=20"];

impl Suite {
    /// Builds and checks every test, or those that are named.
    ///
    /// # Errors
    /// If a note is about no test. A program that does not build or run is a row.
    pub fn run(&self, only: &[String]) -> Outcome<Part> {
        for note in self.notes {
            if !self.tests.iter().any(|test| test.name == note.name) {
                let what = format!("{}: no test is called {}", self.title, note.name);
                return Err(Stop::failed(what));
            }
        }
        let mut rows = String::new();
        let mut not_run: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut count = Count::default();
        let wanted = |test: &&Test| only.is_empty() || only.contains(&test.name);
        for test in self.tests.iter().filter(wanted) {
            let note = self.notes.iter().find(|note| note.name == test.name);
            let reason = match note {
                None => test.not_run,
                Some(note) => matches!(note.expect, Expect::NotRun).then_some(note.remark),
            };
            match reason {
                Some(reason) => not_run.entry(reason).or_default().push(&test.name),
                None => rows += &self.row(test, note, &mut count),
            }
        }
        Ok(Part {
            text: self.page(&rows, &not_run, &count),
            wrong: count.wrong,
        })
    }

    fn page(&self, rows: &str, not_run: &BTreeMap<&str, Vec<&str>>, count: &Count) -> String {
        let mut text = format!(
            "\n## {}\n\n{}\n\n\
             {} tests are run: {} with the result their authors expect, {} with another one, for the reason given.\n\n\
             | test | expected by its authors | {} | executions | remark |\n|---|---|{}---|---|\n{rows}",
            self.title,
            self.text,
            count.run,
            count.run - count.different - count.wrong,
            count.different,
            self.levels
                .iter()
                .map(|level| format!("found at {level}"))
                .collect::<Vec<_>>()
                .join(" | "),
            "---|".repeat(self.levels.len()),
        );
        if !not_run.is_empty() {
            text += "\n| not run, because | tests |\n|---|---|\n";
        }
        for (reason, names) in not_run {
            text += &format!("| {reason} | {} |\n", names.join(", "));
        }
        text
    }

    fn row(&self, test: &Test, note: Option<&Note>, count: &mut Count) -> String {
        let expect = note.map_or(Expect::Same, |note| note.expect);
        let mut cells = Vec::new();
        let mut executions = Vec::new();
        let mut right = true;
        for (k, level) in self.levels.iter().enumerate() {
            let expect = match expect {
                Expect::Levels(expects) => expects[k],
                same => same,
            };
            let (met, said, number) = match self.examine(test, note, level) {
                Ok(report) => (
                    is_met(expect, test, &report),
                    said(&report),
                    report.executions.total(),
                ),
                Err(stop) => (false, stop.to_string().replace('\n', " "), 0),
            };
            right &= met;
            cells.push(if met { said } else { format!("**{said}**") });
            executions.push(number.to_string());
        }
        executions.dedup();
        count.run += 1;
        count.wrong += usize::from(!right);
        count.different += usize::from(right && !matches!(expect, Expect::Same));
        let mut remark = note.map_or("", |note| note.remark).to_owned();
        if let Some(note) = note.filter(|note| !note.options.is_empty()) {
            remark = format!("`{}`: {remark}", note.options.join(" "));
        }
        format!(
            "| {} | {} | {} | {} | {remark} |\n",
            test.name,
            words(&test.theirs),
            cells.join(" | "),
            executions.join(", "),
        )
    }

    fn examine(&self, test: &Test, note: Option<&Note>, level: &str) -> Outcome<Report> {
        let file = format!("{}{level}", test.name.replace(['/', ' '], "_"));
        let program = tree::scratch("peers/programs").join(file);
        // Some tests load a second half of themselves, by their own name.
        if std::fs::read_to_string(&test.source).is_ok_and(|text| text.contains("BUILD_SO")) {
            let library = PathBuf::from(format!("{}-so.so", program.display()));
            let mut compile = self.compiler(test, level);
            compile.args(["-DBUILD_SO", "-fPIC", "-shared"]);
            process::run(compile.arg("-o").arg(&library))?;
        }
        process::run(self.compiler(test, level).arg("-o").arg(&program))?;
        let mut options = LIMITS.to_vec();
        options.push("--output=none");
        options.extend(self.options);
        options.extend(note.map_or(&[][..], |note| note.options));
        let arguments: Vec<&str> = test.arguments.iter().map(String::as_str).collect();
        check(&program, &options, &arguments)
    }

    fn compiler(&self, test: &Test, level: &str) -> Command {
        let is_c = test.source.extension().is_some_and(|end| end == "c");
        let mut compile = Command::new(tree::tool(if is_c { "dpor-cc" } else { "dpor-c++" }));
        compile.args([level, "-g", "-w"]).args(&self.flags);
        compile.args(&test.flags).arg(&test.source);
        compile
    }
}

/// Tests that were run, those with another result for a reason, and those without one.
#[derive(Default)]
struct Count {
    run: usize,
    different: usize,
    wrong: usize,
}

fn is_met(expect: Expect, test: &Test, report: &Report) -> bool {
    let reason = report.reason.as_deref().unwrap_or("");
    let clean = !report.findings.iter().any(is_error);
    let complete = match report.verdict {
        Verdict::Verified => clean,
        Verdict::Bug => !clean,
        _ => false,
    };
    match expect {
        Expect::Same => complete && kinds(report, &test.theirs) == test.theirs,
        Expect::Findings(wanted) => {
            let wanted: BTreeSet<String> = wanted.iter().map(Kind::to_string).collect();
            complete && kinds(report, &wanted) == wanted && wanted != test.theirs
        }
        Expect::Unsupported(what) => {
            clean && report.verdict == Verdict::Unsupported && reason.contains(what)
        }
        Expect::Limit => clean && report.verdict == Verdict::Incomplete,
        Expect::Either(all) => all.iter().any(|&one| is_met(one, test, report)),
        Expect::NotRun | Expect::Levels(_) => false,
    }
}

/// Kinds of the findings: of warnings only those that are asked for.
fn kinds(report: &Report, asked: &BTreeSet<String>) -> BTreeSet<String> {
    let counts =
        |finding: &&Finding| is_error(finding) || asked.contains(&finding.kind.to_string());
    let findings = report.findings.iter().filter(counts);
    findings.map(|finding| finding.kind.to_string()).collect()
}

/// Lines in which one of `marks` occurs, each by the word that goes with the mark.
pub fn marked(text: &str, marks: &[(&str, &str)]) -> BTreeSet<String> {
    let found = |line: &str| {
        let mark = marks.iter().find(|(mark, _)| line.contains(mark));
        mark.map(|(_, word)| (*word).to_owned())
    };
    text.lines().filter_map(found).collect()
}

/// The files of `folder` with one of these endings, by name.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let end = path.extension().and_then(|end| end.to_str());
            end.is_some_and(|end| endings.contains(&end))
        })
        .collect();
    files.sort();
    files
}
