//! `cargo xtask peers`: programs that were not written for us, from Debian's source packages.
//!
//! pigz, unmodified and built with `make CC=dpor-cc`, and the suites that other checkers are tested
//! with: valgrind's helgrind and drd, ThreadSanitizer. Sources are fetched, never committed; what
//! was found is written to docs/peers.md.

mod drd;
mod helgrind;
mod pigz;
mod suite;
mod tsan;
mod valgrind;

use super::bench::today;
use super::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;

/// Options of `peers`.
#[derive(clap::Args, Debug)]
pub struct Peers {
    /// Only these of `pigz`, `helgrind`, `drd` and `tsan`; any other word is a test of a suite, of which
    /// only those are run that are named.
    only: Vec<String>,
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
}

impl Peers {
    /// Fetches, builds, checks, and writes the tables.
    ///
    /// # Errors
    /// If a package cannot be had, or a result is not the expected one.
    pub fn run(&self) -> Outcome {
        if !self.no_build {
            Build::default().run()?;
        }
        let (names, tests): (Vec<String>, Vec<String>) = {
            let words = self.only.iter().cloned();
            words.partition(|word| PARTS.iter().any(|(name, _)| name == word))
        };
        let file = tree::root().join("docs/peers.md");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        let mut text = format!(
            "# Programs of others\n\nWritten by `cargo xtask peers` on {}; each section says of which day it is.\n",
            today()?
        );
        let mut wrong = 0;
        for (k, (name, part)) in PARTS.iter().enumerate() {
            if names.is_empty() || names.iter().any(|wanted| wanted == name) {
                let part = part(&tests)?;
                println!("{}", part.text);
                text += &dated(&part.text, &today()?);
                wrong += part.wrong;
            } else {
                text += &section(&before, k);
            }
        }
        if tests.is_empty() {
            std::fs::write(&file, text).while_doing(file.display())?;
        }
        match wrong {
            0 => Ok(()),
            _ => Err(Stop::failed(format!("{wrong} results are not as expected"))),
        }
    }
}

/// Runs all tests of a part, or those that are named.
type Run = fn(&[String]) -> Outcome<Part>;

/// The parts in the order of the page.
const PARTS: [(&str, Run); 4] = [
    ("pigz", pigz::run),
    ("helgrind", helgrind::run),
    ("drd", drd::run),
    ("tsan", tsan::run),
];

/// The section as it was: what is not run again stays.
fn section(page: &str, index: usize) -> String {
    let parts = page.split("\n## ").skip(1);
    parts.skip(index).take(1).fold(String::new(), |text, part| {
        text + "\n## " + part.trim_end_matches('\n') + "\n"
    })
}

/// The section with its day below the heading.
fn dated(text: &str, day: &str) -> String {
    match text.trim_start().split_once('\n') {
        Some((heading, rest)) => format!("\n{heading}\n\nOf {day}.{rest}"),
        None => text.to_owned(),
    }
}

/// A section of the page.
struct Part {
    text: String,
    /// Results that are not as expected.
    wrong: usize,
}
