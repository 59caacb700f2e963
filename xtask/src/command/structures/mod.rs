//! `cargo xtask structures`: data structures of others, by `dpor scenario`.
//!
//! Each is a header of a binary package of Debian's, which is downloaded and never committed; its test is a list of its
//! operations (`sources/`). It is checked as it is, then with a bug that is planted into a copy of the header.

mod cases;

use crate::command::bench::today;
use crate::command::build::Build;
use crate::command::real::seed;
use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};
use cases::{Case, ALL};
use dpor_report::{Report, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `structures`.
#[derive(clap::Args, Debug)]
pub struct Structures {
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
    /// Seconds for each check.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    time: u32,
}

/// The sizes that are wanted.
const SIZES: &str = "2x1,2x2,3x1";

impl Structures {
    /// Downloads, checks, and writes docs/structures.md.
    ///
    /// # Errors
    /// If a package cannot be had, a test does not compile, or a result is not the expected one.
    pub fn run(&self) -> Outcome {
        if !self.no_build {
            Build::default().run()?;
        }
        let (mut rows, mut bugs, mut wrong) = (String::new(), String::new(), 0);
        for case in &ALL {
            let (row, is_right) = self.as_it_is(case)?;
            eprint!("{row}");
            rows += &row;
            wrong += usize::from(!is_right);
            if case.found == "data-race" {
                // Its bug is looked for where races are not.
                continue;
            }
            let (row, is_right) = self.with_the_bug(case)?;
            eprint!("{row}");
            bugs += &row;
            wrong += usize::from(!is_right);
        }
        let file = tree::root().join("docs/structures.md");
        std::fs::write(&file, page(&rows, &bugs)).while_doing(file.display())?;
        match wrong {
            0 => Ok(()),
            wrong => Err(Stop::failed(format!("{wrong} results are not as expected"))),
        }
    }

    fn as_it_is(&self, case: &Case) -> Outcome<(String, bool)> {
        let headers = headers(case)?;
        let report = self.check(case, &[&headers], "plain")?;
        let is_right = match case.found {
            "" => report.verdict == Verdict::Verified,
            "incomplete" => report.verdict == Verdict::Incomplete,
            kind => found(&report) == Some(kind.to_owned()),
        };
        let scenarios = report.scenarios.as_ref();
        let count: u64 =
            scenarios.map_or(0, |all| all.sizes.iter().map(|size| size.scenarios).sum());
        let row = format!(
            "| {} | {} | {} | {} | {} | {} | {:.1} | {} | {} |\n",
            case.name,
            case.package,
            match case.options {
                [] => String::new(),
                options => format!("`{}`", options.join(" ")),
            },
            said(&report, is_right),
            count,
            report.executions.total(),
            report.seconds.wall,
            case.remark,
            today()?,
        );
        Ok((row, is_right))
    }

    fn with_the_bug(&self, case: &Case) -> Outcome<(String, bool)> {
        let headers = headers(case)?;
        let changed = tree::scratch("structures").join("changed");
        drop(std::fs::remove_dir_all(&changed));
        // Files that a header has beside itself are found beside its copy.
        let first = Path::new(case.bug.edits[0].file);
        let beside = first.parent().unwrap_or(Path::new(""));
        let to = changed.join(beside);
        std::fs::create_dir_all(&to).while_doing(to.display())?;
        process::run(
            Command::new("cp")
                .arg("-r")
                .arg(headers.join(beside).join("."))
                .arg(&to),
        )?;
        seed::plant(case.bug.edits, &changed)?;
        let report = self.check(case, &[&changed, &headers], "changed")?;
        let is_right = found(&report).as_deref() == Some(case.bug.found);
        let row = format!(
            "| {} | {} | {} | {} | {:.1} | {} |\n",
            case.name,
            case.bug.what,
            said(&report, is_right),
            report.executions.total(),
            report.seconds.wall,
            today()?,
        );
        Ok((row, is_right))
    }

    /// Compiles the test with these folders of headers, and checks it.
    fn check(&self, case: &Case, folders: &[&Path], name: &str) -> Outcome<Report> {
        let source = tree::root()
            .join("xtask/src/command/structures/sources")
            .join(case.source);
        let compiler = match case.source.ends_with(".c") {
            true => "dpor-cc",
            false => "dpor-c++",
        };
        let stem = Path::new(case.source).file_stem().unwrap_or_default();
        let program =
            tree::scratch("structures").join(format!("{}-{name}", stem.to_string_lossy()));
        let mut compile = Command::new(tree::tool(compiler));
        compile.args(["-O2", "-g", "-pthread"]);
        for folder in folders {
            // Not as a system's headers, which would be a library's.
            compile.arg("-I").arg(folder);
        }
        process::run(compile.arg(&source).arg("-o").arg(&program))?;
        let json = program.with_extension("json");
        drop(std::fs::remove_file(&json));
        let mut check = Command::new(tree::tool("dpor"));
        check.args(["scenario", "--progress=never", "--sizes", SIZES]);
        check.arg(format!("--time={}", self.time));
        check
            .arg("--json")
            .arg(&json)
            .args(case.options)
            .arg(&program);
        check.current_dir(tree::scratch("structures"));
        let code = process::exit_code(&mut check)?;
        let text = std::fs::read_to_string(&json)
            .map_err(|error| Stop::failed(format!("exit code {code} and no report: {error}")))?;
        serde_json::from_str(&text).while_doing(json.display())
    }
}

/// The folder with the headers of a package, downloaded if they are not there yet.
fn headers(case: &Case) -> Outcome<PathBuf> {
    let folder = tree::scratch("structures").join(case.package);
    let headers = folder.join("usr/include");
    if headers.is_dir() {
        return Ok(headers);
    }
    std::fs::create_dir_all(&folder).while_doing(folder.display())?;
    process::run(
        Command::new("apt-get")
            .args(["download", "-q", case.package])
            .current_dir(&folder),
    )?;
    for entry in std::fs::read_dir(&folder).while_doing(folder.display())? {
        let path = entry.while_doing(folder.display())?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            process::run(Command::new("dpkg").arg("-x").arg(&path).arg(&folder))?;
        }
    }
    match headers.is_dir() {
        true => Ok(headers),
        false => Err(Stop::cannot(format!("{} has no headers", case.package))),
    }
}

/// The kind of the first error, if there is one.
fn found(report: &Report) -> Option<String> {
    let is_it = report.verdict == Verdict::Bug;
    let first = report
        .findings
        .iter()
        .find(|finding| crate::checked::is_error(finding));
    first
        .filter(|_| is_it)
        .map(|finding| finding.kind.to_string())
}

/// The result for the table; in bold if it is not the expected one.
fn said(report: &Report, is_right: bool) -> String {
    let said = found(report).unwrap_or_else(|| match report.verdict {
        Verdict::Verified => "linearizable".to_owned(),
        _ => crate::checked::said(report),
    });
    match is_right {
        true => said,
        false => format!("**{said}**"),
    }
}

fn page(rows: &str, bugs: &str) -> String {
    format!(
        "# Data structures as they are\n\n\
         Written by `cargo xtask structures`; each row says of which day it is.\n\n\
         Headers of Debian's packages, by [`dpor scenario`](scenarios.md) `--sizes {SIZES}`: all scenarios of two threads with up to two calls each, and of three with a call each, of `push(1)`, `push(2)` and `pop` (or what they are called). The tests are `xtask/src/command/structures/sources/`.\n\n\
         | data structure | package | options | result | scenarios | executions | seconds | remark | day |\n\
         |---|---|---|---|--:|--:|--:|---|---|\n{rows}\n\
         ## With a bug that was planted\n\n\
         Up to the first finding.\n\n\
         | data structure | bug | found | executions | seconds | day |\n\
         |---|---|---|--:|--:|---|\n{bugs}"
    )
}
