//! `cargo xtask check`: what a change must pass. `cargo xtask bless`: new golden reports.

use super::build::{self, Build};
use super::circles;
use super::documentation;
use super::test::{self, Test};
use crate::process;
use crate::stop::Outcome;
use crate::tree;

/// Checks formatting, lints, documentation, circles of modules, and runs the tests.
///
/// # Errors
/// The first of them that is not as it must be.
pub fn check() -> Outcome {
    let llvms = build::ensure_llvm()?;
    let workspace: [&[&str]; 2] = [
        &["fmt", "--all", "--check"],
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ];
    for arguments in workspace {
        let mut cargo = process::cargo();
        cargo.current_dir(tree::root()).args(arguments);
        process::run(&mut cargo)?;
    }
    process::run(&mut documentation::command())?;
    let mut format = process::cargo();
    format.current_dir(tree::root().join("pass"));
    process::run(format.args(["fmt", "--check"]))?;
    for llvm in &llvms {
        let mut clippy = build::pass_cargo(llvm, "clippy");
        process::run(clippy.args(["--all-targets", "--", "-D", "warnings"]))?;
    }
    circles::print_all()?;
    Test::default().run()
}

/// Options of `bless`.
#[derive(clap::Args, Debug)]
pub struct Bless {
    /// Only programs whose name contains this.
    filter: Option<String>,
}

impl Bless {
    /// Rewrites golden reports.
    ///
    /// # Errors
    /// If it does not build, or a program is not as its header says.
    pub fn run(&self) -> Outcome {
        Build::default().run()?;
        let mut cargo = test::programs(self.filter.as_deref());
        process::run(cargo.env("DPOR_BLESS", "1"))
    }
}
