//! Programs that clang's ThreadSanitizer was compiled into, run by themselves.

use crate::llvm::Llvm;
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process};
use std::path::Path;
use std::process::Command;

/// Seconds after which a run hangs; they are over in a tenth of one.
const LIMIT: &str = "10";

/// What became of the runs of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Runs in which ThreadSanitizer reported something.
    pub reported: u32,
    /// Runs that failed or hung without a report.
    pub failed: u32,
}

impl Runs {
    /// Whether a run showed that something is wrong.
    pub fn is_hit(self) -> bool {
        self.reported + self.failed > 0
    }

    /// How many showed it, and how many of these by their failure alone.
    pub fn shown(self) -> String {
        match (self.reported, self.failed) {
            (reported, 0) => reported.to_string(),
            (0, failed) => format!("{failed} (failed, no report)"),
            (reported, failed) => format!("{} ({failed} failed, no report)", reported + failed),
        }
    }
}

/// Sees to it that this clang has ThreadSanitizer's library.
///
/// # Errors
/// If it has to be installed and cannot.
pub fn provide(clang: &Llvm) -> Outcome {
    let mut ask = Command::new(clang.tool("clang"));
    let library = process::output_of(ask.arg("-print-file-name=libclang_rt.tsan-x86_64.a"))?;
    match Path::new(&library).is_file() {
        true => Ok(()),
        false => apt::install(&[&format!("libclang-rt-{}-dev", clang.major)]),
    }
}

/// Runs a program some times.
///
/// # Errors
/// If ThreadSanitizer cannot work here.
pub fn run(program: &Path, times: u32) -> Outcome<Runs> {
    let mut runs = Runs::default();
    for _ in 0..times {
        // It knows no layout of memory but the usual one.
        let mut command = Command::new("setarch");
        command.args(["-R", "timeout", LIMIT]).arg(program);
        let output = command.output().while_doing(process::shown(&command))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("FATAL: ThreadSanitizer") {
            return Err(Stop::cannot(format!("{}: {said}", program.display())));
        }
        if said.contains("WARNING: ThreadSanitizer") {
            runs.reported += 1;
        } else if !output.status.success() {
            runs.failed += 1;
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn runs_that_failed_alone_are_told_apart() {
        let shown = |reported, failed| Runs { reported, failed }.shown();
        assert_eq!(shown(0, 0), "0");
        assert_eq!(shown(8, 0), "8");
        assert_eq!(shown(0, 1), "1 (failed, no report)");
        assert_eq!(shown(2, 1), "3 (1 failed, no report)");
    }
}
