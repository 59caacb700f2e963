//! The costs of compiling, with our compiler and with the clang behind it.

use crate::command::bench::measure::{cpu_of_good, median};
use crate::command::private::{self, Counts};
use crate::process;
use crate::stop::{Outcome, Stop};
use std::process::{Command, Stdio};

/// The commands by which a program is compiled once more, from nothing.
pub struct Recipe<'a> {
    /// The command that takes away what was made.
    pub clean: &'a dyn Fn() -> Outcome<Command>,
    pub make: &'a dyn Fn() -> Outcome<Command>,
}

/// The costs of compiling, as medians.
#[derive(Clone, Copy)]
pub struct Cost {
    /// CPU seconds of ours over the plain compiler's.
    pub of_plain: f64,
    /// The part of our pass in the time of all passes and the code generator, with our compiler.
    pub of_pass: f64,
    /// Numbers of accesses as the pass said them.
    pub accesses: Counts,
}

/// Measures both in turns.
///
/// # Errors
/// If it does not compile.
pub fn measure(runs: usize, ours: &Recipe, plain: &Recipe) -> Outcome<Cost> {
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let plain = once(plain)?;
        ratios.push(once(ours)? / plain);
    }
    let accesses = private::sum(&said(ours, ("DPOR_PASS_VERBOSE", "1"))?);
    // Read by clang's driver: each option behind a blank, + appends.
    let times = said(ours, ("CCC_OVERRIDE_OPTIONS", "# +-ftime-report"))?;
    Ok(Cost {
        of_plain: median(&mut ratios),
        of_pass: part_of_pass(&times)
            .ok_or_else(|| Stop::failed("clang did not say how long its passes took"))?,
        accesses,
    })
}

fn clean(recipe: &Recipe) -> Outcome {
    process::run((recipe.clean)()?.stdout(Stdio::null()))
}

fn once(recipe: &Recipe) -> Outcome<f64> {
    clean(recipe)?;
    cpu_of_good(&mut (recipe.make)()?, &[0])
}

/// What the compilers write to standard error with a variable set.
fn said(recipe: &Recipe, (variable, value): (&str, &str)) -> Outcome<String> {
    clean(recipe)?;
    let mut make = (recipe.make)()?;
    process::messages_of(make.env(variable, value).stdout(Stdio::null()))
}

/// CPU time of our pass over that of whole compilations, in all reports of `-ftime-report`.
fn part_of_pass(said: &str) -> Option<f64> {
    let (mut pass, mut whole) = (0.0, 0.0);
    let mut heading = "";
    for line in said.lines() {
        if line.trim_start().starts_with("===") {
            continue;
        }
        if line.starts_with("  ") && !line.contains('(') && !line.contains("---") {
            heading = line.trim();
        }
        if line.trim_end().ends_with("DporPass") {
            pass += user_and_system(line)?;
        }
        if heading.starts_with("Clang") && line.trim_end().ends_with(" Total") {
            whole += user_and_system(line)?;
        }
    }
    (whole > 0.0).then_some(pass / whole)
}

/// The third column, behind user and system time.
fn user_and_system(line: &str) -> Option<f64> {
    let columns = line.split(')').nth(2)?;
    columns.split_whitespace().next()?.parse().ok()
}
