//! The schedule of a finding as a file of its own: small, to be read, and for any machine with the same
//! program.
//!
//! `text` writes and reads it, `cells` are its lines' parts, `decisions` tells which steps of a trace were
//! decided, `build` tells programs apart.

mod build;
mod cells;
mod decisions;
mod recorded;
mod text;

pub use build::build_of;
pub use decisions::alternatives;
pub use recorded::Schedule;

use crate::flags::Target;
use crate::report::json;
use dpor_report::{Finding, Saved};
use std::path::{Path, PathBuf};

impl Schedule {
    /// The schedule of a report's finding.
    pub fn of(saved: &Saved, finding: Finding) -> Schedule {
        Schedule {
            program: saved.report.program.clone(),
            args: saved.report.args.clone(),
            sources: saved.sources.clone(),
            cflags: saved.cflags.clone(),
            options: saved.report.options.clone(),
            build: saved.build.clone(),
            finding,
        }
    }

    /// Reads the schedule of `FILE`, if that is a schedule, or of `REPORT` or `REPORT#N`.
    ///
    /// # Errors
    /// One sentence.
    pub fn locate(argument: &str) -> Result<Schedule, String> {
        let path = Path::new(argument);
        let data = std::fs::read(path).unwrap_or_default();
        if data.starts_with(text::MAGIC.as_bytes()) {
            let text = String::from_utf8(data).map_err(|_| format!("{argument} is no text"))?;
            return text::read(&text).map_err(|why| format!("{argument}:{why}"));
        }
        let (saved, file, number) = json::locate(argument)?;
        let finding = json::finding(&saved, &file, number.unwrap_or(1))?.clone();
        Ok(Schedule::of(&saved, finding))
    }

    /// The text of its file.
    ///
    /// # Errors
    /// One sentence: the finding has no readable schedule.
    pub fn text(&self) -> Result<String, String> {
        text::write(self)
    }

    /// The program that is run, or the sources that are compiled.
    pub fn target(&self) -> Target {
        match self.sources.is_empty() {
            true => Target::Program(PathBuf::from(&self.program)),
            false => Target::Sources {
                files: self.sources.clone(),
                cflags: self.cflags.clone(),
            },
        }
    }
}
