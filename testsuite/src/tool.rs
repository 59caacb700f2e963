//! The built commands, for tests that are not one program with a header.

use crate::limited::{self, Ran};
use crate::trial;
use dpor_report::Report;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Folders of the tests that run.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Time limit of one command.
const LIMIT: Duration = Duration::from_secs(120);

/// The commands with one clang, and a folder for what one test builds: its own, while it is there.
pub struct Tool {
    llvm: u32,
    folder: PathBuf,
    commands: AtomicU32,
}

/// A check: what the command did and what it reported.
#[derive(Debug)]
pub struct Checked {
    /// The command.
    pub ran: Ran,
    /// The JSON report.
    pub report: Report,
    /// The file of that report.
    pub json: PathBuf,
}

impl Tool {
    /// A tool with the first version that `DPOR_TEST_LLVM` names, else the newest that was built.
    ///
    /// # Panics
    /// If nothing was built.
    pub fn new(test: &str) -> Tool {
        let asked = asked().into_iter().next();
        let llvm = asked
            .or_else(|| built().into_iter().max())
            .expect("nothing in target/dpor; run `cargo xtask build` first");
        Tool::with(test, llvm)
    }

    /// A tool with this version of LLVM.
    ///
    /// # Panics
    /// If there can be no folder for the test, or another that runs has it.
    pub fn with(test: &str, llvm: u32) -> Tool {
        let folder = trial::product()
            .with_file_name("testsuite")
            .join(format!("{test}-{llvm}"));
        let is_first = folders().insert(folder.clone());
        assert!(is_first, "two tests use {}", folder.display());
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        Tool {
            llvm,
            folder,
            commands: AtomicU32::new(0),
        }
    }

    /// The versions that `DPOR_TEST_LLVM` names, else those that were built, from 19 on.
    pub fn versions() -> Vec<u32> {
        let asked = asked();
        match asked.is_empty() {
            true => built().into_iter().filter(|&llvm| llvm >= 19).collect(),
            false => asked,
        }
    }

    /// Major version of the clang.
    pub fn llvm(&self) -> u32 {
        self.llvm
    }

    /// A path in the test's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs a command without the caller's options; `stdin` is its input.
    ///
    /// # Panics
    /// If it cannot be run or takes too long.
    pub fn run(&self, command: &mut Command, stdin: &str) -> Ran {
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        let stem = self.path(&format!("command_{number}"));
        limited::run(command, &stem, stdin, LIMIT)
            .unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// `dpor-cc` or `dpor-c++` with this tool's clang.
    pub fn compiler(&self, name: &str) -> Command {
        let mut command = Command::new(trial::product().join("bin").join(name));
        command
            .envs(self.clangs())
            .env_remove("DPOR_OPTIONS")
            .env_remove("COLUMNS");
        command
    }

    /// The environment that names this tool's clang.
    pub fn clangs(&self) -> [(&'static str, String); 2] {
        let bin = format!("/usr/lib/llvm-{}/bin", self.llvm);
        [
            ("DPOR_CLANG", format!("{bin}/clang")),
            ("DPOR_CLANGXX", format!("{bin}/clang++")),
        ]
    }

    /// The clang of this tool, without the wrapper.
    pub fn clang(&self) -> Command {
        Command::new(format!("/usr/lib/llvm-{}/bin/clang", self.llvm))
    }

    /// Compiles C text to the program `name`.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn compile(&self, name: &str, text: &str, flags: &[&str]) -> PathBuf {
        self.compile_with(name, text, flags, &[])
    }

    /// Compiles C text to the program `name`, with variables in the environment.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn compile_with(
        &self,
        name: &str,
        text: &str,
        flags: &[&str],
        environment: &[(&str, &str)],
    ) -> PathBuf {
        let source = self.path(&format!("{name}.c"));
        std::fs::write(&source, text).expect("the source can be written");
        let binary = self.path(name);
        let mut command = self.compiler("dpor-cc");
        command
            .args(["-O2", "-g"])
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&binary)
            .envs(environment.iter().copied());
        let ran = self.run(&mut command, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        binary
    }

    /// `dpor check OPTIONS BINARY -- ARGS`.
    ///
    /// # Panics
    /// If there is no readable report.
    pub fn check(&self, binary: &Path, options: &[&str], args: &[&str]) -> Checked {
        let number = self.commands.load(Ordering::Relaxed);
        let json = self.path(&format!("report_{number}.json"));
        drop(std::fs::remove_file(&json));
        let mut command = self.dpor("check");
        command.arg("--json").arg(&json).args(options).arg(binary);
        if !args.is_empty() {
            command.arg("--").args(args);
        }
        let ran = self.run(&mut command, "");
        let report = read(&json).unwrap_or_else(|error| panic!("{error}: {}", ran.shown()));
        Checked { ran, report, json }
    }

    /// `dpor COMMAND`.
    pub fn dpor(&self, command: &str) -> Command {
        let mut dpor = Command::new(trial::product().join("bin/dpor"));
        dpor.arg(command)
            .env_remove("DPOR_OPTIONS")
            .env_remove("COLUMNS");
        dpor
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        folders().remove(&self.folder);
    }
}

fn folders() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Versions of LLVM that `DPOR_TEST_LLVM` names.
fn asked() -> Vec<u32> {
    let asked = std::env::var("DPOR_TEST_LLVM").unwrap_or_default();
    let words = asked.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Versions of LLVM that there is a pass for.
fn built() -> Vec<u32> {
    let folder = trial::product().join("lib/dpor");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let version = |name: std::ffi::OsString| name.to_str()?.strip_prefix("llvm-")?.parse().ok();
    entries
        .filter_map(|entry| version(entry.file_name()))
        .collect()
}

/// Reads a JSON report.
///
/// # Errors
/// If there is none, or it is no report.
pub fn read(json: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(json).map_err(|e| format!("{}: {e}", json.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", json.display()))
}
