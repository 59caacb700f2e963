//! The options that ask for reports beside the text.

use std::path::{Path, PathBuf};

/// The files asked for.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Wanted {
    /// Write the report as JSON; - is standard output [default: none]
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0, for code scanning and editors [default: none]
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the verdict as JUnit XML: one test case, or one for each test [default: none]
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page for browsers: findings with time lines and source [default: none]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the happens-before graph of the first finding for Graphviz [default: none]
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// With --states: write all states and steps for Graphviz, if they are at most 2,000 [default: none]
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
}

impl Wanted {
    /// The reports of one test of several, named after it; JUnit has all of them in one.
    ///
    /// # Errors
    /// One sentence: one of them is standard output.
    pub fn with_name(&self, name: &str) -> Result<Wanted, String> {
        let named = |file: &Option<PathBuf>| {
            let file = file.as_deref();
            file.map(|file| with_name(file, name)).transpose()
        };
        Ok(Wanted {
            json: named(&self.json)?,
            sarif: named(&self.sarif)?,
            junit: None,
            html: named(&self.html)?,
            dot: named(&self.dot)?,
            graph: named(&self.graph)?,
        })
    }
}

/// `DIR/out.json` for the test `Queue.Empty` is `DIR/out.Queue.Empty.json`.
///
/// # Errors
/// One sentence: it is standard output.
fn with_name(file: &Path, name: &str) -> Result<PathBuf, String> {
    if file == Path::new("-") {
        return Err(
            "with --test-filter, only --junit can go to standard output: the others are a report for each test"
                .to_owned(),
        );
    }
    let mut named = file.file_stem().unwrap_or_default().to_os_string();
    named.push(format!(".{name}"));
    if let Some(extension) = file.extension() {
        named.push(".");
        named.push(extension);
    }
    Ok(file.with_file_name(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_per_test() {
        let check = |file: &str, expect: &str| {
            let named = with_name(Path::new(file), "Q.E").expect("a name");
            assert_eq!(named, Path::new(expect));
        };
        check("out.json", "out.Q.E.json");
        check("d/out.tests.xml", "d/out.tests.Q.E.xml");
        check("/d/out", "/d/out.Q.E");
        assert!(with_name(Path::new("-"), "Q.E").is_err());
    }
}
