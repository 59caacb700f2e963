//! Where a report is read, and how.

use super::width;
use crate::flags::MessageFormat;
use dpor_report::{Finding, Report};
use std::path::{Path, PathBuf};

/// Where a report is read, and how.
#[derive(Clone, Debug)]
pub struct View {
    /// Form of the findings.
    pub format: MessageFormat,
    /// Where the program is: relative source paths are also looked up there.
    pub folder: PathBuf,
    /// The current folder, to which paths are shown relative.
    pub here: PathBuf,
    /// True if the text has colours.
    pub styled: bool,
    /// Columns that a line of text may have.
    pub width: usize,
    /// True if the text has all events of the traces.
    pub full: bool,
    /// The only finding that is shown, from 1.
    pub number: Option<usize>,
    /// The test that was checked, if it was one of several.
    pub test: Option<String>,
}

impl View {
    /// A view of a report in the current folder, without colours.
    pub fn new(report: &Report, format: MessageFormat) -> View {
        let folder = Path::new(&report.program).parent();
        View {
            format,
            folder: folder.unwrap_or(Path::new("")).to_owned(),
            here: std::env::current_dir().unwrap_or_default(),
            styled: false,
            width: width::width(None),
            full: report.has_option("full=1"),
            number: None,
            test: None,
        }
    }

    /// The findings that are shown.
    pub fn findings<'a>(&self, report: &'a Report) -> impl Iterator<Item = &'a Finding> + use<'a> {
        let all = (1..).zip(&report.findings);
        let number = self.number;
        let shown = all.filter(move |(at, _)| number.is_none_or(|number| number == *at));
        shown.map(|(_, finding)| finding)
    }
}
