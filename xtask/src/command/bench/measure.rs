//! Runs a program under the checker, or by itself, and says what it cost.

use super::cases::{Case, NATIVE_DEFINE};
use crate::llvm;
use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use dpor_report::{Report, Verdict};
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A check of a program, with its costs.
pub struct Run {
    /// CPU seconds of the whole command: driver and checked program.
    pub cpu: f64,
    /// The report of the check.
    pub report: Report,
}

/// CPU seconds of all ended children.
///
/// # Errors
/// If the system does not say.
pub fn cpu_of_children() -> Outcome<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(std::io::Error::from);
    let usage = usage.while_doing("getrusage")?;
    let both = usage.user_time() + usage.system_time();
    Ok(both.num_microseconds() as f64 / 1e6)
}

/// Runs a command to its end, which must be good; its CPU seconds.
///
/// # Errors
/// If it cannot be run, or exits with none of these codes.
pub fn cpu_of_good(command: &mut Command, codes: &[i32]) -> Outcome<f64> {
    let before = cpu_of_children()?;
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
    let code = process::exit_code(quiet.stderr(Stdio::null()))?;
    match codes.contains(&code) {
        true => Ok(cpu_of_children()? - before),
        false => Err(Stop::failed(format!(
            "{}: exit code {code}",
            process::shown(command)
        ))),
    }
}

/// Runs a command to its end, whatever it exits with; its CPU seconds.
fn cpu_of(command: &mut Command) -> Outcome<f64> {
    let before = cpu_of_children()?;
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
    quiet
        .stderr(Stdio::null())
        .status()
        .while_doing(process::shown(command))?;
    Ok(cpu_of_children()? - before)
}

fn compile(compiler: &Path, name: &str, source: &Path, defines: &[&str]) -> Outcome<PathBuf> {
    let program = tree::scratch("bench").join(name.replace([' ', ','], "_"));
    let mut compile = Command::new(compiler);
    compile.args(["-O2", "-g", "-pthread"]).args(defines);
    process::run(compile.arg(source).arg("-o").arg(&program))?;
    Ok(program)
}

/// A source of the test suite.
pub fn in_suite(source: &str) -> PathBuf {
    tree::root().join("testsuite/programs").join(source)
}

/// A file built for the checker, under a name of its own.
///
/// # Errors
/// If it does not compile.
pub fn compile_file(name: &str, source: &str, defines: &[&str]) -> Outcome<PathBuf> {
    let source = tree::root().join(source);
    compile(&tree::tool("dpor-cc"), name, &source, defines)
}

/// A program of the test suite built for the checker, under a name of its own.
///
/// # Errors
/// If it does not compile.
pub fn compile_at(name: &str, source: &str, define: &str) -> Outcome<PathBuf> {
    let compiler = match source.ends_with(".cc") {
        true => "dpor-c++",
        false => "dpor-cc",
    };
    let defines: Vec<&str> = define.split_whitespace().collect();
    compile(&tree::tool(compiler), name, &in_suite(source), &defines)
}

/// A program built for the checker.
///
/// # Errors
/// If it does not compile.
pub fn instrumented(case: &Case) -> Outcome<PathBuf> {
    compile_at(case.name, case.source, case.define)
}

/// Checks a program that was built.
///
/// # Errors
/// If there is no report.
pub fn check(program: &Path, options: &[&str]) -> Outcome<Run> {
    let json = program.with_extension("json");
    // An old report must not be taken for this one's.
    if json.exists() {
        std::fs::remove_file(&json).while_doing(json.display())?;
    }
    let mut check = Command::new(tree::tool("dpor"));
    check.arg("check").args(options).arg("--json").arg(&json);
    let cpu = cpu_of(check.arg(program))?;
    let text = std::fs::read_to_string(&json).while_doing(process::shown(&check))?;
    let report = serde_json::from_str(&text).while_doing(json.display())?;
    Ok(Run { cpu, report })
}

/// A check that is not what its program promises measures nothing.
///
/// # Errors
/// If something was found, or there were other than the expected executions.
pub fn expect(program: &str, report: &Report, expected: u64) -> Outcome {
    let found = report.executions;
    let whole = matches!(report.verdict, Verdict::Verified | Verdict::Incomplete);
    if whole && found.complete == expected {
        return Ok(());
    }
    Err(Stop::failed(format!(
        "{program}: {} executions, expected {expected}; verdict {:?} {}",
        found.total(),
        report.verdict,
        report.reason.as_deref().unwrap_or_default()
    )))
}

/// CPU time of an execution under the checker, as a multiple of that of the same program compiled
/// by clang alone. Both are long, so that neither's start counts.
///
/// # Errors
/// If something does not compile or run.
pub fn of_native(case: &Case, runs: usize) -> Outcome<f64> {
    let llvm = llvm::installed().into_iter().next();
    let clang = llvm.ok_or_else(|| Stop::cannot("no LLVM is installed"))?;
    let native = compile(
        &clang.tool("clang"),
        &format!("{} native", case.name),
        &in_suite(case.source),
        &[NATIVE_DEFINE],
    )?;
    let checked = compile_at(&format!("{} long", case.name), case.source, NATIVE_DEFINE)?;
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let alone = cpu_of(&mut Command::new(&native))?;
        let run = check(&checked, &["--reductions=none"])?;
        expect(case.name, &run.report, case.executions)?;
        ratios.push(run.cpu / case.executions as f64 / alone);
    }
    Ok(median(&mut ratios))
}

/// The middle one of some numbers.
///
/// # Panics
/// If there are none.
pub fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_middle_one() {
        assert_eq!(super::median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(super::median(&mut [7.0]), 7.0);
    }
}
