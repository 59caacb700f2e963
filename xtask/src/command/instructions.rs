//! `cargo xtask instructions`: how many instructions the explorer's own searches take.
//!
//! Time on a shared machine says little; the number of instructions hardly varies. Each search of
//! `runtime/instructions` runs under callgrind, and may take little more than
//! the number in `runtime/instructions/instructions.pins`, one line for each version of rustc,
//! because another compiler makes other code. `--pin` writes the numbers of today. They are of the profile
//! `ci`, of which the search is there where tests run; the released one takes a tenth less.

use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `instructions`.
#[derive(clap::Args, Debug, Default)]
pub struct Instructions {
    /// Take today's numbers as those to hold
    #[arg(long)]
    pin: bool,
}

const PINS: &str = "runtime/instructions/instructions.pins";
const SEARCHES: [&str; 3] = ["lock", "atomics", "prefix"];
/// Percent by which a count may exceed its pin (chosen: other addresses move a count by less than 0.1 %, and a change
/// that costs 3 % should be meant).
const MARGIN_PERCENT: u64 = 3;

/// A search and its instructions.
type Count = (String, u64);

impl Instructions {
    /// Counts, and compares or pins.
    ///
    /// # Errors
    /// If valgrind is missing, or a search takes more than it may.
    pub fn run(&self) -> Outcome {
        if process::find("valgrind").is_none() {
            return Err(Stop::cannot("valgrind is missing: apt install valgrind"));
        }
        let counts = count_all()?;
        if self.pin {
            return pin(&rustc()?, &counts);
        }
        let wrong = compare(&read_pins()?, &rustc()?, &counts);
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(Stop::failed(wrong.join("; "))),
        }
    }
}

/// Counts as one of the tests, and says in words what is wrong. `None`: there is no valgrind.
///
/// # Errors
/// If the searches cannot be built or run.
pub fn check() -> Outcome<Option<Vec<String>>> {
    if process::find("valgrind").is_none() {
        return Ok(None);
    }
    Ok(Some(compare(&read_pins()?, &rustc()?, &count_all()?)))
}

/// The version of rustc, as `1.95.0`.
fn rustc() -> Outcome<String> {
    let version = process::output_of(Command::new("rustc").arg("--version"))?;
    let number = version.split(' ').nth(1);
    number
        .map(str::to_owned)
        .ok_or_else(|| Stop::cannot(format!("rustc --version says '{version}'")))
}

fn count_all() -> Outcome<Vec<Count>> {
    let mut build = process::cargo();
    build
        .current_dir(tree::root())
        .args(["build", "--profile", "ci"]);
    // With the product's packages, so that the crates that it shares with them have the same features and are built once.
    build.args([
        "-p",
        "dpor",
        "-p",
        "dpor-runtime",
        "-p",
        "dpor-instructions",
    ]);
    process::run(&mut build)?;
    let program = tree::target().join("ci/dpor-instructions");
    let count = |name: &&str| Ok(((*name).to_owned(), count(&program, name)?));
    SEARCHES.iter().map(count).collect()
}

fn count(program: &Path, name: &str) -> Outcome<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let said = process::messages_of(valgrind.arg(program).arg(name))?;
    collected(&said).ok_or_else(|| Stop::cannot(format!("callgrind did not count '{name}'")))
}

/// The number in callgrind's line `==123== Collected : 4567`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Lines `VERSION SEARCH COUNT`; `#` begins a comment.
fn read_pins() -> Outcome<String> {
    let file = pins();
    std::fs::read_to_string(&file).while_doing(file.display())
}

fn pins() -> PathBuf {
    tree::root().join(PINS)
}

fn pinned(pins: &str, rustc: &str, search: &str) -> Option<u64> {
    let fields = pins.lines().map(|line| line.split_whitespace());
    let fields = fields.filter_map(|mut f| Some((f.next()?, f.next()?, f.next()?)));
    let mut found = fields.filter(|&(version, name, _)| version == rustc && name == search);
    found.next()?.2.parse().ok()
}

/// Compares the counts with the pins, and says what is wrong, a sentence each; prints what it compares.
fn compare(pins: &str, rustc: &str, counts: &[Count]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (search, count) in counts {
        let Some(pinned) = pinned(pins, rustc, search) else {
            println!("{search}: {count} instructions; nothing is pinned for rustc {rustc}, `cargo xtask instructions --pin` does it");
            continue;
        };
        let percent = 100.0 * (*count as f64 / pinned as f64 - 1.0);
        println!("{search}: {count} instructions, {percent:+.1} % of {pinned}");
        if *count * 100 > pinned * (100 + MARGIN_PERCENT) {
            wrong.push(format!(
                "{search} takes {percent:.1} % more instructions than pinned in {PINS}; if that is meant, `cargo xtask instructions --pin`"
            ));
        }
    }
    wrong
}

/// Replaces the lines of this version.
fn pin(rustc: &str, counts: &[Count]) -> Outcome {
    let old = read_pins()?;
    let prefix = format!("{rustc} ");
    let kept = old.lines().filter(|line| !line.starts_with(&prefix));
    let mut text: String = kept.map(|line| format!("{line}\n")).collect();
    for (search, count) in counts {
        println!("{search}: {count} instructions");
        text += &format!("{rustc} {search} {count}\n");
    }
    std::fs::write(pins(), text).while_doing(PINS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_is_understood() {
        let said = "==7== Events    : Ir\n==7== Collected : 12345678\n==7== \n";
        assert_eq!(collected(said), Some(12_345_678));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }

    #[test]
    fn more_than_the_margin_is_wrong() {
        let pins = "# a comment\n1.95.0 lock 1000\n1.94.0 lock 10\n";
        let check = |rustc, count, wrong| {
            let found = compare(pins, rustc, &[("lock".to_owned(), count)]);
            assert_eq!(found.len(), wrong, "{rustc} {count}: {found:?}");
        };
        check("1.95.0", 1030, 0);
        check("1.95.0", 1031, 1);
        check("1.95.0", 500, 0);
        check("1.94.0", 1000, 1);
        check("1.96.0", 1_000_000, 0);
    }
}
