//! Running a command with a time limit, its output in files.
//!
//! Files and not pipes: a program that writes much into a pipe nobody reads would hang, and a
//! test that hangs says nothing.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// Exit code, or 128 + N after signal N.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Both streams, for messages.
    pub fn shown(&self) -> String {
        format!(
            "exit code {}\n--- stdout\n{}--- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }
}

/// Runs a command in a process group of its own; `stem` names its output files.
///
/// # Errors
/// If it cannot be run, or is not done after `limit`, times the crowding of the machine; then the whole group is
/// killed.
pub fn run(command: &mut Command, stem: &Path, stdin: &str, limit: Duration) -> io::Result<Ran> {
    let input = stem.with_extension("stdin");
    let stdout = stem.with_extension("stdout");
    let stderr = stem.with_extension("stderr");
    std::fs::write(&input, stdin)?;
    let mut child = command
        .stdin(Stdio::from(File::open(&input)?))
        .stdout(Stdio::from(File::create(&stdout)?))
        .stderr(Stdio::from(File::create(&stderr)?))
        .process_group(0)
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit && start.elapsed() > limit.mul_f64(crowding()) {
            // The checked program is a grandchild: the group reaches it, `Child::kill` would not.
            Command::new("kill")
                .args(["-KILL", "--", &format!("-{}", child.id())])
                .status()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |path: &Path| -> io::Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
    };
    let ran = Ran {
        code: status.map_or(-1, exit_code),
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
    };
    match status {
        Some(_) => Ok(ran),
        None => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("not done after {} s: {}", limit.as_secs(), ran.shown()),
        )),
    }
}

/// How many tasks share a processor, at least 1, by the load of the last minute (`proc(5)`).
fn crowding() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = text.split_ascii_whitespace().next();
    let load: f64 = load.and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    (load / processors as f64).max(1.0)
}

fn exit_code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
