//! pigz, a parallel gzip: its output must not depend on the interleaving.

use super::Part;
use crate::checked::check;
use crate::llvm::{self, Llvm};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process, source, text, tree};
use dpor_report::Report;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each of these is explored at every level; the first is the one to watch.
const RUNS: [&[&str]; 4] = [
    &["-p", "3", "-b", "32", "-k", "-c", "input.txt"],
    &["-p", "2", "-b", "32", "-k", "-c", "one-block.txt"],
    &["-d", "-k", "-c", "one-block.gz"],
    &["-p", "4", "-b", "32", "-i", "-k", "-c", "input.txt"],
];

/// Bytes of the inputs: several blocks of 32 KiB, and less than one.
const INPUTS: [(&str, usize); 2] = [("input.txt", 100_000), ("one-block.txt", 20_000)];

/// The levels of optimization that are compared. `None`: what its Makefile asks for.
const LEVELS: [Option<&str>; 3] = [None, Some("-O0"), Some("-O2")];

const EXECUTIONS: &str = "2000";

/// Builds and checks pigz.
///
/// # Errors
/// If it cannot be fetched or built.
pub fn run(_: &[String]) -> Outcome<Part> {
    if !apt::has("zlib1g-dev") {
        apt::install(&["zlib1g-dev"])?;
    }
    let source = source::fetch("pigz")?;
    let version = source.file_name().unwrap_or_default().to_string_lossy();
    let sizes: Vec<String> = INPUTS
        .iter()
        .map(|(name, bytes)| format!("{name} has {bytes} bytes"))
        .collect();
    let mut part = Part {
        text: format!(
            "\n## {version}\n\n\
             Unmodified, `make CC=dpor-cc`, `dpor check -k --max-executions {EXECUTIONS} ./pigz -- ARGUMENTS`; {}.\n\
             Outputs are compared byte by byte. An access is private if the pass proved that no other thread can reach it. Most of the time of an execution is zlib's own; executions/s were measured on two cores that were not idle.\n\n\
             | LLVM, level | accesses seen | private | arguments | verdict | executions | distinct outputs | findings | events per execution | executions/s |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
            sizes.join(", ")
        ),
        wrong: 0,
    };
    for llvm in llvm::installed() {
        for level in LEVELS {
            let build = Build::make(&source, &llvm, level)?;
            for arguments in RUNS {
                build.explore(arguments, &mut part)?;
            }
        }
    }
    Ok(part)
}

/// A copy of the source, built.
struct Build {
    /// The folder that the program was built in, with the inputs.
    folder: PathBuf,
    /// The compiler and level that it was built with, for the table.
    name: String,
    /// Accesses seen and proved private, over all its files.
    seen: u64,
    private: u64,
}

impl Build {
    fn make(source: &Path, llvm: &Llvm, level: Option<&str>) -> Outcome<Build> {
        let name = format!("{} {}", llvm.major, level.unwrap_or("as it comes"));
        let folder = tree::scratch("peers/built").join(name.replace(' ', "-"));
        drop(std::fs::remove_dir_all(&folder));
        process::run(Command::new("cp").arg("-r").arg(source).arg(&folder))?;
        let mut make = Command::new("make");
        // All of it, should the source have been built where it was unpacked.
        make.arg("-B").arg("-C").arg(&folder).arg("pigz");
        make.arg(format!("CC={}", tree::tool("dpor-cc").display()));
        make.args(level.map(|level| format!("CFLAGS={level}")));
        make.env("DPOR_CLANG", llvm.tool("clang"));
        make.env("DPOR_PASS_VERBOSE", "1");
        let said = process::messages_of(&mut make)?;
        inputs(&folder)?;
        let sum = |what: &str| said.lines().filter_map(|line| count(line, what)).sum();
        if sum("accesses seen") == 0 {
            return Err(Stop::failed("the pass did not say what it saw"));
        }
        Ok(Build {
            folder,
            name,
            seen: sum("accesses seen"),
            private: sum("private"),
        })
    }

    fn explore(&self, arguments: &[&str], part: &mut Part) -> Outcome {
        let limit = format!("--max-executions={EXECUTIONS}");
        let report = check(
            &self.folder.join("pigz"),
            &["-k", &limit, "--output=none"],
            arguments,
        )?;
        part.wrong += usize::from(!is_good(&report));
        let executions = report.executions.total();
        part.text += &format!(
            "| {} | {} | {:.1} % | {} | {}{} | {executions} | {} | {} | {} | {:.0} |\n",
            self.name,
            self.seen,
            100.0 * self.private as f64 / self.seen.max(1) as f64,
            arguments.join(" "),
            report.verdict,
            report
                .reason
                .as_ref()
                .map_or(String::new(), |reason| format!(": {reason}")),
            report.outputs_distinct,
            report.findings.len(),
            (report.events + report.events_replayed) / executions.max(1),
            report.executions_per_second,
        );
        Ok(())
    }
}

/// Every execution ended, all with the same output, and either all were seen or the limit was met.
fn is_good(report: &Report) -> bool {
    let limited = { report.reason.as_deref() }.is_some_and(|why| why.starts_with("max-executions"));
    let executions = report.executions.total();
    report.outputs_distinct == 1
        && report.findings.is_empty()
        && executions > 1
        && report.executions.complete == executions
        && (limited || report.verdict == dpor_report::Verdict::Verified)
}

/// The number before `what` in a line of the pass.
fn count(line: &str, what: &str) -> Option<u64> {
    let counts = line.strip_prefix("dpor: ")?.rsplit_once(": ")?.1;
    let part = counts
        .split(", ")
        .find_map(|part| part.strip_suffix(what))?;
    part.trim().parse().ok()
}

fn inputs(folder: &Path) -> Outcome {
    for (name, bytes) in INPUTS {
        let path = folder.join(name);
        let text = text::lines(bytes);
        std::fs::write(&path, text).while_doing(path.display())?;
    }
    compress(&folder.join("one-block.txt"), &folder.join("one-block.gz"))
}

fn compress(from: &Path, to: &Path) -> Outcome {
    let open = std::fs::File::create(to).while_doing(to.display())?;
    let status = Command::new("gzip")
        .arg("-nc")
        .arg(from)
        .stdout(open)
        .status();
    match status.while_doing("gzip")?.success() {
        true => Ok(()),
        false => Err(Stop::failed("gzip failed")),
    }
}
