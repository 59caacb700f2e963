//! GenMC and Nidhugg on the program of a row, in the same run, where the environment names them.
//!
//! `GENMC='/opt/genmc/bin/genmc'` and `NIDHUGG=nidhuggc` name the executable, options may follow it. Times of another
//! machine, or of another hour on this one, say nothing of ours, so without a name there is no time.

use super::measure::cpu_of_children;
use crate::process;
use crate::stop::{Context, Outcome};
use crate::tree;
use serde::Serialize;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a peer is called, and which lines of its answer are counts.
struct Kind {
    name: &'static str,
    /// The environment variable that names it.
    variable: &'static str,
    /// What comes before the options of the compiler.
    before: &'static [&'static str],
    /// What comes between them and the source.
    between: &'static [&'static str],
    /// Lines that end with the number of complete executions begin like this.
    complete: &'static str,
    /// Lines that end with a number of blocked ones have this in them.
    blocked: &'static str,
}

/// GenMC: `genmc [OPTIONS] -- [COMPILER OPTIONS] FILE`; Nidhugg: `nidhuggc [COMPILER OPTIONS] -- [OPTIONS] FILE`.
const KINDS: [Kind; 2] = [
    Kind {
        name: "GenMC",
        variable: "GENMC",
        before: &["--sc", "--"],
        between: &[],
        complete: "Number of complete executions explored:",
        blocked: "blocked executions seen:",
    },
    Kind {
        name: "Nidhugg",
        variable: "NIDHUGG",
        before: &[],
        between: &["--", "-sc", "-optimal"],
        complete: "Trace count:",
        blocked: "blocked trace count:",
    },
];

/// A peer that the environment names.
pub struct Peer {
    kind: &'static Kind,
    words: Vec<String>,
}

/// What a peer made of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ran {
    pub peer: &'static str,
    /// CPU seconds of the whole command, median, compiling included.
    pub seconds: Option<f64>,
    pub executions: Option<u64>,
    pub blocked: Option<u64>,
    /// Why there are no numbers.
    pub failure: Option<String>,
}

/// The peers that the environment names.
pub fn named() -> Vec<Peer> {
    let named = |kind: &'static Kind| {
        let words = std::env::var(kind.variable).ok()?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(Peer { kind, words })
    };
    KINDS.iter().filter_map(named).collect()
}

/// The names of all peers, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// The better one's CPU seconds.
pub fn best(all: &[Ran]) -> Option<f64> {
    all.iter()
        .filter_map(|ran| ran.seconds)
        .min_by(f64::total_cmp)
}

impl Peer {
    /// Runs the peer on a source as often as `runs`; one that fails or takes too long says so, and is no error.
    ///
    /// # Errors
    /// If our own files cannot be written.
    pub fn run(&self, source: &Path, define: &str, runs: usize, limit: Duration) -> Outcome<Ran> {
        let mut seconds = Vec::new();
        let mut counts = (None, 0);
        for _ in 0..runs.max(1) {
            match self.once(source, define, limit)? {
                Ok((cpu, text)) => {
                    seconds.push(cpu);
                    counts = self.kind.counts(&text);
                }
                Err(why) => return Ok(self.failed(why)),
            }
        }
        Ok(match counts {
            (None, _) => self.failed("no number of executions in its answer".to_owned()),
            (executions, blocked) => Ran {
                peer: self.kind.name,
                seconds: Some(super::measure::median(&mut seconds)),
                executions,
                blocked: Some(blocked),
                failure: None,
            },
        })
    }

    fn failed(&self, why: String) -> Ran {
        Ran {
            peer: self.kind.name,
            seconds: None,
            executions: None,
            blocked: None,
            failure: Some(why),
        }
    }

    /// CPU seconds and what it wrote, or why there are none.
    fn once(
        &self,
        source: &Path,
        define: &str,
        limit: Duration,
    ) -> Outcome<Result<(f64, String), String>> {
        let file = tree::scratch("bench").join(format!("{}.out", self.kind.variable));
        let output = File::create(&file).while_doing(file.display())?;
        let errors = output.try_clone().while_doing(file.display())?;
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args(self.kind.before);
        command.arg("-O1").args(define.split_whitespace());
        command.args(self.kind.between);
        command.arg(source).stdin(Stdio::null());
        command.stdout(output).stderr(errors);
        eprintln!("+ {}", process::shown(&command));
        let before = cpu_of_children()?;
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().while_doing(process::shown(&command))? {
                break status;
            }
            if begun.elapsed() > limit {
                child.kill().while_doing(process::shown(&command))?;
                child.wait().while_doing(process::shown(&command))?;
                return Ok(Err(format!("not done after {} s", limit.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let cpu = cpu_of_children()? - before;
        let text = std::fs::read(&file).while_doing(file.display())?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(match status.success() {
            true => Ok((cpu, text)),
            false => {
                let last = { text.lines().rev() }.find(|line| !line.trim().is_empty());
                Err(format!("{status}: {}", last.unwrap_or("no message").trim()))
            }
        })
    }
}

impl Kind {
    /// Complete executions, if the answer has their number, and blocked ones.
    fn counts(&self, text: &str) -> (Option<u64>, u64) {
        let number = |line: &str| line.split_whitespace().last()?.parse::<u64>().ok();
        let complete = text.lines().find(|line| line.starts_with(self.complete));
        // Nidhugg says what was blocked behind the number or in lines of its own.
        let complete = complete.and_then(|line| {
            let rest = line[self.complete.len()..].split_whitespace();
            { rest }.next()?.parse().ok()
        });
        let blocked = text.lines().filter(|line| line.contains(self.blocked));
        (complete, blocked.filter_map(number).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let genmc = "No errors were detected.\nNumber of complete executions explored: 36\n\
                     Number of blocked executions seen: 60\nTotal wall-clock time: 0.17s\n";
        assert_eq!(KINDS[0].counts(genmc), (Some(36), 60));
        assert_eq!(
            KINDS[0].counts("Number of complete executions explored: 2\n"),
            (Some(2), 0)
        );
        let nidhugg =
            "Trace count: 576\nAssume-blocked trace count: 3\nSleepset-blocked trace count: 4\n\
                       No errors were detected.\n";
        assert_eq!(KINDS[1].counts(nidhugg), (Some(576), 7));
        assert_eq!(
            KINDS[1]
                .counts("Trace count: 5 (also 3 sleepset blocked)\n")
                .0,
            Some(5)
        );
        assert_eq!(KINDS[1].counts("Segmentation fault\n"), (None, 0));
    }

    #[test]
    fn the_better_one_counts() {
        let ran = |seconds| Ran {
            peer: "GenMC",
            seconds,
            executions: None,
            blocked: None,
            failure: None,
        };
        assert_eq!(
            best(&[ran(Some(2.0)), ran(Some(1.0)), ran(None)]),
            Some(1.0)
        );
        assert_eq!(best(&[ran(None)]), None);
    }
}
