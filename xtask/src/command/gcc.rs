//! `cargo xtask gcc`: the test programs with `dpor-gcc`, and what is other than with clang, as docs/gcc-differences.md.

use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};

/// Options of `gcc`.
#[derive(clap::Args, Debug)]
pub struct Gcc {
    /// Only programs whose names contain this, and print the page instead of writing it
    filters: Vec<String>,
}

impl Gcc {
    /// Compiles, checks and compares.
    ///
    /// # Errors
    /// There is no gcc, or the page cannot be written.
    pub fn run(&self) -> Outcome {
        if process::find("g++").is_none() {
            return Err(Stop::cannot("g++ is not installed; `apt install g++`"));
        }
        let mut cargo = process::cargo();
        cargo.current_dir(tree::root()).args(["run", "--quiet"]);
        cargo.args(["-p", "dpor-testsuite", "--example", "gcc", "--"]);
        let output = cargo
            .args(&self.filters)
            .stderr(std::process::Stdio::inherit());
        let output = output.output().while_doing("cargo run")?;
        if !output.status.success() {
            return Err(Stop::cannot("the programs could not be compared"));
        }
        let page = String::from_utf8_lossy(&output.stdout);
        if !self.filters.is_empty() {
            print!("{page}");
            return Ok(());
        }
        let to = tree::root().join("docs/gcc-differences.md");
        std::fs::write(&to, &*page).while_doing(to.display())
    }
}
