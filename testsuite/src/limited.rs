//! Running a command with a time limit, its output in files.
//!
//! Files and not pipes: a program that writes much into a pipe nobody reads would hang, and a
//! test that hangs says nothing.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
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
    let group = child.id();
    let (status, is_late) = std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel();
        let watch = scope.spawn(move || is_late(&end, group, limit));
        let status = child.wait();
        drop(ended);
        (status, watch.join().unwrap_or(false))
    });
    let status = status?;
    let text = |path: &Path| -> io::Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
    };
    let ran = Ran {
        code: if is_late { -1 } else { exit_code(status) },
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
    };
    match is_late {
        false => Ok(ran),
        true => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("not done after {} s: {}", limit.as_secs(), ran.shown()),
        )),
    }
}

/// Waits for the end of a process, which closes the channel. If it is not there in time, kills its group: the
/// checked program is a grandchild, which the group reaches and `Child::kill` would not.
fn is_late(end: &mpsc::Receiver<()>, group: u32, limit: Duration) -> bool {
    let start = Instant::now();
    let mut pause = limit;
    while end.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
        let left = limit.mul_f64(crowding()).saturating_sub(start.elapsed());
        if left.is_zero() {
            let mut kill = Command::new("kill");
            kill.args(["-KILL", "--", &format!("-{group}")]);
            return kill.status().is_ok();
        }
        pause = left.min(Duration::from_secs(1));
    }
    false
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
