//! `cargo xtask run FILE.c`: compile and check one file.

use super::build::Build;
use crate::process;
use crate::stop::{Outcome, Stop};
use crate::tree;
use std::path::PathBuf;
use std::process::Command;

/// Options of `run`.
#[derive(clap::Args, Debug)]
pub struct Run {
    /// C, C++ or LLVM bitcode.
    file: PathBuf,
    /// Options of `dpor check`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

impl Run {
    /// Builds, then `dpor check OPTIONS FILE`; its exit code is ours.
    ///
    /// # Errors
    /// If it does not build, or the check's exit code is not 0.
    pub fn run(&self) -> Outcome {
        Build::default().run()?;
        let mut check = Command::new(tree::tool("dpor"));
        check.arg("check").args(&self.options).arg(&self.file);
        let code = process::exit_code(&mut check)?;
        if code == 0 {
            return Ok(());
        }
        Err(Stop {
            code: u8::try_from(code).unwrap_or(2),
            message: format!("exit code {code}"),
        })
    }
}
