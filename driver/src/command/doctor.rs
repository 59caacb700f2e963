//! `dpor doctor`: what this installation needs and whether it is there.
//!
//! What the runtime asks of the kernel (Syscall User Dispatch, FSGSBASE, addresses that are not
//! randomized) and of the machine is found out by using it: with each clang, a small program is
//! compiled and checked, and its race must be found. What the runtime says then is passed on.

use crate::exit::{self, Exit};
use crate::gcc;
use crate::install::{self, Installation, Language, RUNTIME};
use crate::report::json;
use crate::say;
use dpor_abi::llvm;
use dpor_abi::options::Options;
use dpor_report::{FindingKind, Report};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One race, in C and in C++.
const C: &str = "#include <pthread.h>
int shared;
static void *work(void *unused) { shared++; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    shared++;
    return pthread_join(thread, 0);
}
";
const CXX: &str = "#include <thread>
int shared;
int main() {
    std::thread thread([] { shared++; });
    shared++;
    thread.join();
}
";

/// A fact about something that was looked at.
enum Fact {
    /// The thing is as it should be, in these words.
    Good(String),
    /// Everything works without the thing, and this could be better.
    Advice(String),
    /// Nothing works without the thing, and this is to be done.
    Missing(String),
}

/// Looks and tells; 1 if something that is needed is missing.
///
/// # Errors
/// One sentence: this installation cannot be found.
pub fn run() -> Result<Exit, String> {
    let installation = Installation::of_this_command()?;
    let mut facts = vec![runtime(&installation)];
    facts.extend(compilers(&installation));
    facts.push(gcc(&installation));
    facts.push(memory());
    for fact in &facts {
        match fact {
            Fact::Good(text) => say::result(&format!("good     {text}")),
            Fact::Advice(text) => say::result(&format!("advice   {text}")),
            Fact::Missing(text) => say::result(&format!("missing  {text}")),
        }
    }
    let missing = facts.iter().any(|fact| matches!(fact, Fact::Missing(_)));
    Ok(match missing {
        true => exit::MISSING,
        false => exit::VERIFIED,
    })
}

fn runtime(installation: &Installation) -> Fact {
    let file = installation.lib().join(RUNTIME);
    match file.is_file() {
        true => Fact::Good(format!("runtime {}", file.display())),
        false => Fact::Missing(format!(
            "{}: build with `cargo xtask build`",
            file.display()
        )),
    }
}

/// Every clang with its pass, tried out; and whether one of them works.
fn compilers(installation: &Installation) -> Vec<Fact> {
    let mut facts = Vec::new();
    let asked = install::asked_for(Language::C);
    let mut tried: Vec<PathBuf> = Vec::new();
    for version in llvm::VERSIONS {
        let (pass, clang) = (
            installation.pass(version),
            install::clang(Language::C, version),
        );
        match (pass.is_file(), clang) {
            (true, Some(clang)) => tried.push(clang),
            (true, None) => facts.push(Fact::Advice(format!(
                "clang {version} is not installed, and there is a pass for it: `apt install clang-{version}`"
            ))),
            (false, Some(clang)) => facts.push(Fact::Advice(format!(
                "{} has no pass: `cargo xtask build` makes {}",
                clang.display(),
                pass.display()
            ))),
            (false, None) => {}
        }
    }
    if let Some(asked) = asked {
        tried.retain(|clang| *clang != asked);
        tried.insert(0, asked);
    }
    let outcomes: Vec<Result<Vec<Fact>, String>> = tried
        .iter()
        .map(|clang| try_out(installation, clang, Language::C))
        .collect();
    let works = outcomes.iter().any(Result::is_ok);
    for outcome in outcomes {
        match outcome {
            Ok(good) => facts.extend(good),
            Err(why) if works => facts.push(Fact::Advice(why)),
            Err(why) => facts.push(Fact::Missing(why)),
        }
    }
    if tried.is_empty() {
        facts.push(Fact::Missing(nothing(installation)));
    }
    if works {
        facts.extend(cxx(installation));
    }
    facts
}

/// Whether there is a gcc, which `dpor-gcc` calls.
fn gcc(installation: &Installation) -> Fact {
    let compiler = gcc::Language::C.compiler();
    let version = gcc::command::version(&compiler, gcc::Language::C);
    let tried = version.and_then(|_| {
        let race = Race {
            command: "dpor-gcc",
            variable: gcc::Language::C.variable(),
            source: "race.c",
            text: C,
        };
        try_race(installation, &compiler, &race)
    });
    let good = tried.map(|facts| facts.into_iter().find(|fact| matches!(fact, Fact::Good(_))));
    match good {
        Ok(fact) => fact.unwrap_or(Fact::Advice(format!(
            "{} finds nothing",
            compiler.display()
        ))),
        Err(why) => Fact::Advice(format!("dpor-gcc cannot be used: {why}")),
    }
}

fn nothing(installation: &Installation) -> String {
    match installation.toolchain(Language::C) {
        Err(why) => why,
        Ok(toolchain) => format!("{} cannot be used", toolchain.clang.display()),
    }
}

/// C++ with the compiler that dpor-c++ calls.
fn cxx(installation: &Installation) -> Vec<Fact> {
    let outcome = installation
        .toolchain(Language::Cxx)
        .and_then(|toolchain| try_out(installation, &toolchain.clang, Language::Cxx));
    outcome.unwrap_or_else(|why| {
        let what_to_do = "for C++ programs, install clang and the headers of libstdc++";
        vec![Fact::Advice(format!("{why}; {what_to_do}"))]
    })
}

/// A program with a race, and the command that compiles it.
struct Race {
    command: &'static str,
    /// The environment variable that names the compiler.
    variable: &'static str,
    source: &'static str,
    text: &'static str,
}

fn try_out(
    installation: &Installation,
    clang: &Path,
    language: Language,
) -> Result<Vec<Fact>, String> {
    let (command, variable, source, text) = match language {
        Language::C => ("dpor-cc", "DPOR_CLANG", "race.c", C),
        Language::Cxx => ("dpor-c++", "DPOR_CLANGXX", "race.cc", CXX),
    };
    let race = Race {
        command,
        variable,
        source,
        text,
    };
    try_race(installation, clang, &race)
}

/// Compiles and checks a program with a race.
fn try_race(installation: &Installation, clang: &Path, race: &Race) -> Result<Vec<Fact>, String> {
    let folder = tempfile::Builder::new().prefix("dpor-").tempdir();
    let folder = folder.map_err(|why| format!("no temporary folder: {why}"))?;
    let Race {
        command,
        variable,
        source,
        text,
    } = *race;
    let source = folder.path().join(source);
    std::fs::write(&source, text).map_err(|why| format!("{}: {why}", source.display()))?;
    let program = folder.path().join("race");
    let mut compiler = Command::new(installation.command(command));
    compiler.env(variable, clang);
    compiler.args(["-O2", "-g", "-pthread", "-o"]);
    let compiled = output(compiler.arg(&program).arg(&source))?;
    if !compiled.status.success() {
        let why = first_line(&compiled);
        return Err(format!("{} does not compile: {why}", clang.display()));
    }
    let report = folder.path().join("report.json");
    let mut check = Command::new(installation.command("dpor"));
    check.args(["check", "--progress=never", "--time-limit=60", "--json"]);
    check.arg(&report).arg(&program).env_remove("DPOR_OPTIONS");
    let checked = output(&mut check)?;
    let report = json::read(&report)
        .map_err(|_| first_line(&checked))?
        .report;
    judged(clang, &report)
}

/// What the check of the program with a race says about the machine.
fn judged(clang: &Path, report: &Report) -> Result<Vec<Fact>, String> {
    let is_race = |kind: FindingKind| kind == FindingKind::DataRace;
    if !report.findings.iter().any(|finding| is_race(finding.kind)) {
        return Err(format!(
            "a program with a race, compiled by {}, is called {}",
            clang.display(),
            dpor_report::text::verdict_line(report)
        ));
    }
    let works = format!("{} compiles, and races are found", clang.display());
    let notes = report.notes.iter().cloned().map(Fact::Advice);
    Ok(std::iter::once(Fact::Good(works)).chain(notes).collect())
}

fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().display().to_string();
    command
        .output()
        .map_err(|why| format!("{name} does not run: {why}"))
}

fn first_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("it does not say why").to_owned()
}

/// Whether checkpoints may get as big as they may by default.
fn memory() -> Fact {
    let defaults = Options::default();
    let wanted = defaults
        .checkpoint_memory
        .saturating_add(defaults.tree_memory);
    let megabytes = |bytes: u64| format!("{} MB", dpor_report::text::grouped(bytes / 1_000_000));
    match available(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default()) {
        None => Fact::Advice("/proc/meminfo does not say how much memory is free".to_owned()),
        Some(bytes) if bytes >= wanted => {
            Fact::Good(format!("{} of memory are free", megabytes(bytes)))
        }
        Some(bytes) => Fact::Advice(format!(
            "{} of memory are free, and checkpoints may take {}: give --checkpoint-memory",
            megabytes(bytes),
            megabytes(wanted)
        )),
    }
}

/// Bytes that `/proc/meminfo` says are available.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::available;

    #[test]
    fn meminfo() {
        let text = "MemTotal: 9 kB\nMemAvailable:    2048 kB\nBuffers: 1 kB\n";
        assert_eq!(available(text), Some(2_097_152));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
        assert_eq!(available("MemAvailable: many kB"), None);
    }
}
