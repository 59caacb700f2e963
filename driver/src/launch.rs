//! Starts the program and reads its messages until it ends.
//!
//! ```text
//! dpor ──spawn──► program (libdpor_rt.so)
//!   ▲  pipe: one JSON message per line │     reader thread ─┐
//!   └──────────────────────────────────┘     waiter thread ─┼─► one queue of happenings
//!   SIGINT, SIGTERM ─────────────────────► signal thread ──┘
//! ```
//!
//! The queue is what makes every order of "the pipe closed", "the process ended" and "the user
//! pressed Ctrl-C" come out right: a grandchild may keep the pipe open after the end, and a
//! signal may find the program anywhere.

use crate::program::Program;
use dpor_abi::journal::{self, Journal};
use dpor_abi::options::Options;
use dpor_report::{LoadedObject, Message, Progress, Report};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::process::{kill_process, waitid, Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// What the driver does with the program's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// Where ours goes.
    Inherit,
    /// Where our standard error goes: standard output carries the JSON report.
    ToStderr,
    /// Nowhere, and standard error neither: the program said the same before.
    Nowhere,
}

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    /// What it said.
    pub word: Word,
    /// Its exit status.
    pub status: ExitStatus,
    /// A signal told us to stop.
    pub interrupted: bool,
    /// The last progress message.
    pub progress: Progress,
    /// What it left, in whatever way it ended.
    pub journal: Left,
    /// Wall time from start to end.
    pub wall: Duration,
}

/// What is left in the memory that the driver gave to the runtime ([`dpor_abi::journal`]).
#[derive(Debug)]
pub enum Left {
    /// How far it was.
    Journal(Box<Journal>),
    /// Nothing: exploration never began.
    Nothing,
    /// Something that no runtime wrote.
    Overwritten,
}

/// The last word of the runtime.
#[derive(Debug)]
pub enum Word {
    /// Exploration ended with a report.
    Report(Box<Report>, Vec<LoadedObject>),
    /// The runtime cannot go on.
    Failure(String),
    /// Exploration never began: the program had one thread to its end.
    Plain,
    /// Exploration began and then nothing more was heard.
    Lost,
}

/// What the main thread waits for.
enum Happening {
    /// A line of the pipe. Parsed by whoever waits: the reader must keep up with the program, or the
    /// pipe seems silent while it works on a report of hundreds of megabytes.
    Line(Vec<u8>),
    Closed,
    Exited,
    Signal(i32),
}

/// How long a program may take to answer a signal, or to end after its report.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long after the end of the process its pipe may stay open (a grandchild may hold it). On a busy
/// machine half a second was not enough to read what it said.
const DRAIN: Duration = Duration::from_secs(5);

/// Runs the program once under the runtime.
///
/// # Errors
/// One sentence if it cannot be started.
pub fn run(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Ended, String> {
    let started_at = Instant::now();
    let (sender, happenings) = channel();
    // Before the program exists, so that no signal is lost in between.
    watch_signals(sender.clone())?;
    let memory = make_journal().map_err(|why| format!("no memory can be shared: {why}"))?;
    let (child, pipe) = spawn(program, args, options, stdout, &memory)
        .map_err(|why| format!("{} cannot be started: {why}", program.path.display()))?;
    watch_pipe(pipe, sender.clone());
    watch_process(&child, sender);
    let mut conversation = Conversation::new(child, on_progress);
    conversation.follow(&happenings);
    conversation.end(started_at, &memory)
}

/// Memory that a process we start inherits.
fn make_journal() -> std::io::Result<File> {
    let memory = rustix::fs::memfd_create("dpor-journal", MemfdFlags::empty())?;
    let memory = File::from(memory);
    memory.set_len(journal::BYTES as u64)?;
    Ok(memory)
}

fn read_journal(memory: &File) -> Left {
    let mut bytes = vec![0; (journal::EVENTS + 1) * 8];
    if memory.read_exact_at(&mut bytes, 0).is_err() {
        return Left::Overwritten;
    }
    let word = |at: usize| bytes[at * 8..at * 8 + 8].iter().rev();
    let word = |at: usize| word(at).fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    if word(0) == 0 {
        return Left::Nothing;
    }
    let events = journal::position(word(journal::POSITION)).events;
    let whole = (journal::EVENTS + 1 + events.min(journal::EVENTS_MAX)) * 8;
    bytes.resize(whole, 0);
    match memory.read_exact_at(&mut bytes, 0) {
        Ok(()) => Journal::read(&bytes).map_or(Left::Overwritten, |j| Left::Journal(Box::new(j))),
        Err(_) => Left::Overwritten,
    }
}

fn spawn(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout,
    memory: &File,
) -> std::io::Result<(Child, OwnedFd)> {
    let (reading, writing) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&writing, FdFlags::empty())?;
    let options = Options {
        channel: writing.as_raw_fd(),
        journal: memory.as_raw_fd(),
        ..options.clone()
    };
    let mut command = Command::new(&program.path);
    let mut text = options.to_string();
    if options.is_kept() {
        pad(&mut text);
    }
    command.args(args).env("DPOR_OPTIONS", text);
    if let Some(folder) = &program.library_path {
        let mut folders = folder.clone().into_os_string();
        if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
            folders.push(":");
            folders.push(others);
        }
        command.env("LD_LIBRARY_PATH", folders);
    }
    match stdout {
        Stdout::Inherit => {}
        Stdout::ToStderr => drop(command.stdout(Stdio::from(std::io::stderr()))),
        Stdout::Nowhere => drop(command.stdout(Stdio::null()).stderr(Stdio::null())),
    }
    // Our copy of the writing end is closed at the end of this function: the pipe then ends with
    // the program.
    Ok((command.spawn()?, reading))
}

/// Bytes of the environment are made a multiple of this, so that it hardly matters for where the
/// program's stack lies.
const ENVIRONMENT: usize = 1 << 14;

/// And of the options, which are never that long: those that save a search and those that take it up differ.
const OPTIONS: usize = 1 << 13;

/// Appends what says nothing (empty options) until the environment is that long.
fn pad(options: &mut String) {
    let variables = std::env::vars_os().filter(|(name, _)| name != "DPOR_OPTIONS");
    // Name, `=`, value, NUL and a pointer.
    let others: usize = variables.map(|(k, v)| k.len() + v.len() + 10).sum();
    let lacks = options.len().next_multiple_of(OPTIONS) - options.len()
        + others.next_multiple_of(ENVIRONMENT)
        - others;
    options.extend(std::iter::repeat_n(':', lacks));
}

fn watch_signals(sender: Sender<Happening>) -> Result<(), String> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
        .map_err(|why| format!("signals cannot be handled: {why}"))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if sender.send(Happening::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn watch_pipe(pipe: OwnedFd, sender: Sender<Happening>) {
    thread::spawn(move || {
        for line in BufReader::new(File::from(pipe)).split(b'\n') {
            let Ok(line) = line else { break };
            if sender.send(Happening::Line(line)).is_err() {
                return;
            }
        }
        // Fails only if nobody waits any more.
        let _ = sender.send(Happening::Closed);
    });
}

/// Tells when the process has ended, without reaping it: its number stays its own until then.
fn watch_process(child: &Child, sender: Sender<Happening>) {
    let pid = pid_of(child);
    thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = sender.send(Happening::Exited);
    });
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// What was heard so far.
struct Conversation<'a> {
    child: Child,
    on_progress: &'a mut dyn FnMut(Progress),
    word: Word,
    interrupted: bool,
    progress: Progress,
    closed: bool,
    exited: bool,
    /// When the program is killed.
    deadline: Option<Instant>,
}

impl<'a> Conversation<'a> {
    fn new(child: Child, on_progress: &'a mut dyn FnMut(Progress)) -> Self {
        Conversation {
            child,
            on_progress,
            word: Word::Plain,
            interrupted: false,
            progress: Progress::default(),
            closed: false,
            exited: false,
            deadline: None,
        }
    }

    /// Until the process has ended and its pipe is drained.
    fn follow(&mut self, happenings: &Receiver<Happening>) {
        while !(self.closed && self.exited) {
            match happenings.recv_timeout(self.patience()) {
                Ok(happening) => self.hear(happening),
                Err(RecvTimeoutError::Timeout) if self.exited => return,
                Err(RecvTimeoutError::Timeout) => {
                    if self
                        .deadline
                        .is_some_and(|deadline| Instant::now() >= deadline)
                    {
                        self.kill(Signal::KILL);
                        self.deadline = None;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn patience(&self) -> Duration {
        match self.deadline {
            _ if self.exited => DRAIN,
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::from_secs(3600),
        }
    }

    fn hear(&mut self, happening: Happening) {
        match happening {
            Happening::Line(line) => match serde_json::from_slice(&line) {
                Ok(message) => self.hear_message(message),
                Err(_) => {
                    let start = String::from_utf8_lossy(&line[..line.len().min(200)]);
                    self.word = Word::Failure(format!("the runtime sent no message but '{start}'"));
                }
            },
            Happening::Closed => self.closed = true,
            Happening::Exited => self.exited = true,
            Happening::Signal(signal) => self.interrupt(signal),
        }
    }

    fn hear_message(&mut self, message: Message) {
        match message {
            Message::Started => self.word = Word::Lost,
            Message::Progress(progress) => {
                self.progress = progress;
                (self.on_progress)(progress);
            }
            Message::Report { report, loaded } => {
                self.word = Word::Report(report, loaded);
                self.deadline = Some(Instant::now() + PATIENCE);
            }
            Message::Failure(why) => {
                self.word = Word::Failure(why);
                self.deadline = Some(Instant::now() + PATIENCE);
            }
        }
    }

    /// The first signal is passed on (the runtime answers with a report of what was explored);
    /// with the second, or if no answer comes, the program is killed.
    fn interrupt(&mut self, signal: i32) {
        if self.interrupted {
            self.kill(Signal::KILL);
            return;
        }
        self.interrupted = true;
        self.deadline = Some(Instant::now() + PATIENCE);
        self.kill(if signal == SIGINT {
            Signal::INT
        } else {
            Signal::TERM
        });
    }

    fn kill(&self, signal: Signal) {
        // It is not reaped before `end`, so its number is its own; it may have ended already.
        let _ = kill_process(pid_of(&self.child), signal);
    }

    fn end(mut self, started_at: Instant, memory: &File) -> Result<Ended, String> {
        let status = self.child.wait().map_err(|why| {
            format!("[dpor internal bug] the program cannot be waited for: {why}")
        })?;
        Ok(Ended {
            word: self.word,
            status,
            interrupted: self.interrupted,
            progress: self.progress,
            journal: read_journal(memory),
            wall: started_at.elapsed(),
        })
    }
}
