//! The documentation of all crates, built as a check: a link that leads nowhere is an error.

use crate::process;
use crate::stop::Outcome;
use crate::tree;
use std::process::Command;

/// Options of rustdoc for which warnings are errors; the arguments of `cargo doc` below say why there is an exception.
const RUSTDOC_FLAGS: &str = "-D warnings -A rustdoc::private-intra-doc-links";

/// The command that builds it.
pub fn command() -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    // Its readers are those who change the code: what is private may be linked to.
    cargo.args([
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
    ]);
    cargo.env("RUSTDOCFLAGS", RUSTDOC_FLAGS);
    cargo
}

/// Builds the documentation as one of the tests, and says what was wrong. It needs no tool that could be missing.
///
/// # Errors
/// None: what cargo cannot do is what was wrong.
pub fn check() -> Outcome<Option<Vec<String>>> {
    let wrong = process::run(&mut command()).err();
    let wrong = wrong.map(|stop| format!("the documentation does not build: {stop}"));
    Ok(Some(wrong.into_iter().collect()))
}
