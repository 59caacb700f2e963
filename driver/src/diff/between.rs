//! What the two sides of a comparison are: levels of one program, or versions of it.

use super::access::Change;
use super::matching::{match_findings, Matched};
use super::schedules::as_recorded;
use super::versions::matching::match_versions;
use super::versions::sources::{plain, Line, Sources};
use dpor_report::{Finding, Step};
use serde::{Serialize, Serializer};

/// What is compared.
#[derive(Debug)]
pub enum Between {
    /// One program at two optimization levels.
    Levels,
    /// Two versions of a program, with their sources.
    Versions(Sources),
}

impl Between {
    /// What it is called that only the first side has, or only the second.
    pub fn effects(&self) -> [&'static str; 2] {
        match self {
            Between::Levels => ["hidden", "introduced"],
            Between::Versions(_) => ["removed", "introduced"],
        }
    }

    /// `level` or `version`.
    pub fn noun(&self) -> &'static str {
        match self {
            Between::Levels => "level",
            Between::Versions(_) => "version",
        }
    }

    /// What stands before the name of a side.
    pub fn preposition(&self) -> &'static str {
        match self {
            Between::Levels => "at",
            Between::Versions(_) => "in",
        }
    }

    /// The findings of the sides, which of them are the same. `changes`: what became of accesses between levels;
    /// `folders` have sources of libraries.
    pub fn match_findings<'a>(
        &self,
        first: &'a [Finding],
        second: &'a [Finding],
        changes: &[Change],
        folders: &[String],
    ) -> Matched<'a> {
        match self {
            Between::Levels => match_findings(first, second, changes, folders),
            Between::Versions(sources) => match_versions(first, second, sources),
        }
    }

    /// The source line of a step of a side: where it is in the new version, if it is there.
    pub fn place(&self, side: usize, step: &Step) -> (String, u32) {
        let (file, line) = as_recorded(side, step);
        let Between::Versions(sources) = self else {
            return (file, line);
        };
        if side == 1 {
            return (plain(&file), line);
        }
        match sources.in_new(&file, line) {
            Some((file, Line::Is(line))) => (file, line),
            // No file has this name.
            Some((file, Line::Gone)) => (format!("{file}\0"), line),
            Some((file, Line::Unknown)) => (file, line),
            None => (file, line),
        }
    }
}

impl Serialize for Between {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}s", self.noun()))
    }
}
