//! Test binaries two at a time, the longest first: a core that waits for the last test of one has
//! the tests of the other. The output of each is kept together, and shown if something failed.

use super::progress::Progress;
use crate::counts::Counts;
use crate::stop::{Context, Outcome};
use crate::table::Table;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};

/// Tests that are one process.
pub struct Job {
    /// The job's name in the table.
    pub name: String,
    /// The process.
    pub command: Command,
}

/// Number of jobs that run at a time. It was not measured; each has a thread for each core besides.
const AT_A_TIME: usize = 2;

/// Runs all, in this order.
///
/// # Errors
/// If one cannot be started. Failed tests are counted instead.
pub fn run(jobs: Vec<Job>, progress: &Progress, counts: &mut Counts, table: &mut Table) -> Outcome {
    let left = Mutex::new(VecDeque::from(jobs));
    let results = Mutex::new((counts, table));
    let next = || locked(&left).pop_front();
    let work = || {
        while let Some(job) = next() {
            let (name, command) = (job.name, job.command);
            let (ran, wall) = progress.during(&name, || collect(&name, command, progress));
            let ran = ran?;
            let mut results = locked(&results);
            let (counts, table) = &mut *results;
            let (tests, failed) = (counts.ran(), counts.failed());
            counts.read_all(&name, &ran.stdout, ran.status);
            table.add(&name, wall, Some(counts.ran() - tests));
            if counts.failed() > failed {
                println!(
                    "== {name}\n{}{}",
                    without_successes(&ran.stdout),
                    ran.stderr
                );
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| match thread.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect()
    })
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Ran {
    stdout: String,
    stderr: String,
    status: ExitStatus,
}

fn collect(name: &str, mut command: Command, progress: &Progress) -> Outcome<Ran> {
    let command = command.stdin(Stdio::null());
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().while_doing(name)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let stderr = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is not shown.
        err.map(|mut err| err.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let mut stdout = String::new();
    for line in out
        .into_iter()
        .flat_map(|out| BufReader::new(out).split(b'\n'))
    {
        let line = line.while_doing(name)?;
        let line = String::from_utf8_lossy(&line);
        progress.read(&line);
        stdout += &line;
        stdout.push('\n');
    }
    Ok(Ran {
        stdout,
        status: child.wait().while_doing(name)?,
        stderr: stderr.join().unwrap_or_default(),
    })
}

/// Returns the output without what tests printed that passed, and without their names.
fn without_successes(output: &str) -> String {
    let (before, rest) = output.split_once("\nsuccesses:\n").unwrap_or((output, ""));
    let after = rest.find("\nfailures:\n").map_or(rest, |at| &rest[at..]);
    let lines = before.lines().chain(after.lines());
    let passed = |line: &&str| line.starts_with("test ") && line.ends_with(" ... ok");
    lines
        .filter(|line| !passed(line))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_are_shown() {
        let output = "\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nsuccesses:\n\n---- a stdout ----\nfine\n\nfailures:\n\n---- b stdout ----\nwrong\n";
        let shown = without_successes(output);
        assert!(
            shown.contains("wrong") && shown.contains("test b"),
            "{shown}"
        );
        assert!(
            !shown.contains("fine") && !shown.contains("test a"),
            "{shown}"
        );
    }

    fn shell(name: &str, script: &str) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job {
            name: name.to_owned(),
            command,
        }
    }

    #[test]
    fn results_of_all_are_added_up_and_a_death_is_a_failure() {
        let jobs = vec![
            shell("one", "echo 'test result: ok. 3 passed; 0 failed;'"),
            shell("two", "kill -SEGV $$"),
            shell("three", "echo 'test result: ok. 4 passed; 0 failed;'"),
        ];
        let (mut counts, mut table) = (Counts::default(), Table::default());
        run(jobs, &Progress::new(), &mut counts, &mut table).expect("they start");
        assert_eq!((counts.ran(), counts.failed()), (8, 1));
    }
}
