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
//! signal may find the program anywhere. In a cluster the queue has what other ranks send, too, and
//! what the program sends to them.

use crate::cluster::place::{watch_link, write_link, Place};
use crate::cluster::{Company, Parcel, Word as Elsewhere};
use crate::input::Input;
use crate::program::Program;
use crate::signals::{self, Answering};
use dpor_abi::journal::{self, Journal};
use dpor_abi::link;
use dpor_abi::options::{Options, NO_ROOM_FOR_THREADS};
use dpor_report::{LoadedObject, Message, Progress, Report};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::process::{kill_process, waitid, Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// What the driver does with the program's standard output.
#[derive(Clone, Copy, Debug)]
pub enum Stdout<'a> {
    /// Where ours goes.
    Inherit,
    /// Where our standard error goes: standard output carries the JSON report.
    ToStderr,
    /// Nowhere, and standard error neither: the program said the same before.
    Nowhere,
    /// Into this file, and standard error too.
    To(&'a File),
}

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    /// What it said.
    pub word: Word,
    /// Its exit status.
    pub status: ExitStatus,
    /// It was told to stop, by a signal or by us.
    pub interrupted: bool,
    /// It was we: the limit of time was over, and the runtime had not seen to it.
    pub out_of_time: bool,
    /// The last progress message.
    pub progress: Progress,
    /// What it left, in whatever way it ended.
    pub journal: Left,
    /// The same, as it was written.
    pub journal_bytes: Vec<u8>,
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
    /// The runtime was not there: nothing of the program ran.
    Absent,
    /// Exploration never began: the program had one thread to its end.
    Plain,
    /// Exploration began and then nothing more was heard.
    Lost,
}

/// What the main thread waits for.
#[derive(Debug)]
pub enum Happening {
    /// A line of the pipe. Parsed by whoever waits: the reader must keep up with the program, or the
    /// pipe seems silent while it works on a report of hundreds of megabytes.
    Line(Vec<u8>),
    /// The pipe was closed.
    Closed,
    /// The program's process has ended.
    Exited,
    /// We were sent a signal.
    Signal(i32),
    /// The program sends this to a rank.
    Frame(u32, Vec<u8>),
    /// A rank sends this.
    Parcel(u32, Parcel),
}

/// How long a program may take to answer a signal, or to end after its report.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a program that explores may take after its limit of time, which the runtime sees to: what it found
/// it has to put together.
const GRACE: Duration = Duration::from_secs(10);
/// How long after the end of the process its pipe may stay open (a grandchild may hold it). On a busy
/// machine half a second was not enough to read what it said.
const DRAIN: Duration = Duration::from_secs(5);

/// Runs the program once under the runtime; in a cluster, beside those of other ranks. A program with more threads than
/// a process has room for at first is started again, with room for many; from then on every process of this command has
/// that.
///
/// # Errors
/// One sentence if it cannot be started.
pub fn run(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    on_progress: &mut dyn FnMut(Progress),
    company: Option<&mut Company>,
) -> Result<Ended, String> {
    let started_at = Instant::now();
    let input = Input::now();
    let mut options = with_room(options);
    let is_alone = company.is_none();
    let first = run_once(program, args, &options, stdout, on_progress, company)?;
    let is_enough = options.many_threads
        || !is_alone
        || !options.resume.is_empty()
        || first.interrupted
        || !needs_many_threads(&first);
    if is_enough || !input.may_be_there_again() {
        return Ok(first);
    }
    input.begin();
    MANY_THREADS.store(true, Ordering::Relaxed);
    options.many_threads = true;
    if options.time_limit_seconds > 0.0 {
        // 0 would be no limit.
        let left = options.time_limit_seconds - started_at.elapsed().as_secs_f64();
        options.time_limit_seconds = left.max(0.001);
    }
    let mut ended = run_once(program, args, &options, stdout, on_progress, None)?;
    ended.wall = started_at.elapsed();
    Ok(ended)
}

/// Whether some process had too little room for its threads.
static MANY_THREADS: AtomicBool = AtomicBool::new(false);

/// With the room for threads that a program has that runs now. A search goes on with the room that it began with, on
/// which addresses depend.
pub fn with_room(options: &Options) -> Options {
    let known = options.many_threads || MANY_THREADS.load(Ordering::Relaxed);
    Options {
        many_threads: room_of_saved(&options.resume).unwrap_or(known),
        ..options.clone()
    }
}

/// The same for all ranks of a cluster, none of which is started again.
pub fn with_room_of_ranks(options: &Options) -> Options {
    Options {
        many_threads: room_of_saved(&options.resume).unwrap_or(true),
        ..options.clone()
    }
}

/// Whether there was room for many threads in the search that a file keeps. What else is wrong with the file is the
/// runtime's to say.
fn room_of_saved(path: &str) -> Option<bool> {
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(SAVED_START_MAX).read_to_end(&mut start).ok()?;
    let says = |pair: &[u8]| start.windows(pair.len()).any(|part| part == pair);
    says(b"\"many-threads=1\"")
        .then_some(true)
        .or_else(|| says(b"\"many-threads=0\"").then_some(false))
}

/// Bytes at the beginning of such a file that hold the search's options (chosen: many times what they take).
const SAVED_START_MAX: u64 = 1 << 20;

/// Whether this one had.
fn needs_many_threads(ended: &Ended) -> bool {
    let Word::Report(report, _) = &ended.word else {
        return false;
    };
    let reason = report.reason.as_deref().unwrap_or_default();
    reason.contains(NO_ROOM_FOR_THREADS)
}

fn run_once(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    on_progress: &mut dyn FnMut(Progress),
    company: Option<&mut Company>,
) -> Result<Ended, String> {
    let started_at = Instant::now();
    let own;
    let (sender, happenings) = match &company {
        None => {
            own = channel();
            (own.0.clone(), &own.1)
        }
        Some(company) => (company.happenings.0.clone(), &company.happenings.1),
    };
    // Before the program exists, so that no signal is lost in between.
    let _signals = watch_signals(sender.clone())?;
    let memory = make_journal().map_err(|why| format!("no memory can be shared: {why}"))?;
    let shared = |why| format!("no socket can be made: {why}");
    let place = company.as_deref().map(Place::make).transpose();
    let place = place.map_err(shared)?;
    let (child, pipe) = spawn(program, args, options, stdout, &memory, place.as_ref())
        .map_err(|why| format!("{} cannot be started: {why}", program.path.display()))?;
    watch_pipe(pipe, sender.clone())?;
    let link = match place.map(|place| place.ours) {
        None => None,
        Some(link) => {
            watch_link(link.try_clone().map_err(shared)?, sender.clone());
            Some(write_link(link))
        }
    };
    watch_process(&child, sender)?;
    let limit = Duration::try_from_secs_f64(options.time_limit_seconds).unwrap_or_default();
    let mut conversation = Conversation::new(child, on_progress, link);
    conversation.limit = (!limit.is_zero()).then(|| started_at + limit);
    conversation.follow(happenings, company.as_deref());
    let (is_over, is_hurried) = (conversation.is_over, conversation.interrupted);
    let ended = conversation.end(started_at, &memory);
    if let Some(company) = company {
        company.is_over |= is_over;
        company.is_hurried |= is_hurried;
    }
    ended
}

/// Memory that a process we start inherits.
fn make_journal() -> std::io::Result<File> {
    let memory = rustix::fs::memfd_create("dpor-journal", MemfdFlags::empty())?;
    let memory = File::from(memory);
    memory.set_len(journal::BYTES as u64)?;
    Ok(memory)
}

/// The bytes of a journal, as far as they were written; empty if they cannot be read.
fn journal_bytes(memory: &File) -> Vec<u8> {
    let mut bytes = vec![0; (journal::EVENTS + 1) * 8];
    if memory.read_exact_at(&mut bytes, 0).is_err() {
        return Vec::new();
    }
    let events = journal::position(word_of(&bytes, journal::POSITION)).events;
    let whole = (journal::EVENTS + 1 + events.min(journal::EVENTS_MAX)) * 8;
    bytes.resize(whole, 0);
    match memory.read_exact_at(&mut bytes, 0) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

fn word_of(bytes: &[u8], at: usize) -> u64 {
    let word = bytes[at * 8..at * 8 + 8].iter().rev();
    word.fold(0u64, |word, &byte| word << 8 | u64::from(byte))
}

fn read_journal(bytes: &[u8]) -> Left {
    if bytes.len() < 8 {
        return Left::Overwritten;
    }
    if word_of(bytes, 0) == 0 {
        return Left::Nothing;
    }
    Journal::read(bytes).map_or(Left::Overwritten, |j| Left::Journal(Box::new(j)))
}

fn spawn(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    memory: &File,
    place: Option<&Place<'_>>,
) -> std::io::Result<(Child, OwnedFd)> {
    let (reading, writing) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&writing, FdFlags::empty())?;
    let options = Options {
        channel: writing.as_raw_fd(),
        journal: memory.as_raw_fd(),
        driver: dpor_abi::version(),
        cluster: place.map(Place::cluster),
        ..options.clone()
    };
    let mut command = match program.runner.split_first() {
        None => Command::new(&program.path),
        Some((runner, arguments)) => {
            let mut command = Command::new(runner);
            command.args(arguments).arg(&program.path);
            command
        }
    };
    let mut text = options.to_string();
    if let Some(place) = place {
        // What rank 0 has on its standard input the others do not have.
        command.env_clear().stdin(Stdio::null());
        command.envs(place.company.environment.iter().map(|(k, v)| (k, v)));
        pad(&mut text, place.company.environment.iter().cloned());
    } else if options.is_kept() {
        pad(&mut text, std::env::vars_os());
    }
    command.args(args);
    surroundings(&mut command, program, &text);
    match stdout {
        Stdout::Inherit => {}
        Stdout::ToStderr => drop(command.stdout(Stdio::from(std::io::stderr()))),
        Stdout::Nowhere => drop(command.stdout(Stdio::null()).stderr(Stdio::null())),
        Stdout::To(file) => drop(command.stdout(file.try_clone()?).stderr(file.try_clone()?)),
    }
    // Our copy of the writing end is closed at the end of this function: the pipe then ends with
    // the program.
    Ok((command.spawn()?, reading))
}

/// What a program, or who starts it, has in its environment: the options, and where the runtime is.
pub fn surroundings(command: &mut Command, program: &Program, options: &str) {
    command.env("DPOR_OPTIONS", options);
    program.name_libraries(command);
}

/// Bytes of the environment are made a multiple of this, so that it hardly matters for where the
/// program's stack lies.
const ENVIRONMENT: usize = 1 << 14;

/// And of the options, which are never that long: those that save a search and those that take it up differ.
const OPTIONS: usize = 1 << 13;

/// Appends what says nothing (empty options) until the environment is that long.
fn pad(options: &mut String, variables: impl Iterator<Item = (OsString, OsString)>) {
    let variables = variables.filter(|(name, _)| name != "DPOR_OPTIONS");
    // Name, `=`, value, NUL and a pointer.
    let others: usize = variables.map(|(k, v)| k.len() + v.len() + 10).sum();
    let lacks = options.len().next_multiple_of(OPTIONS) - options.len()
        + others.next_multiple_of(ENVIRONMENT)
        - others;
    options.extend(std::iter::repeat_n(':', lacks));
}

/// Signals are watched as long as this is there: a check of many tests would have a thread for each otherwise.
struct Watch(signal_hook::iterator::Handle, Answering);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn watch_signals(sender: Sender<Happening>) -> Result<Watch, String> {
    let mut signals = signal_hook::iterator::Signals::new(signals::answered())
        .map_err(|why| format!("signals cannot be handled: {why}"))?;
    let watch = Watch(signals.handle(), Answering::begin());
    spawn_thread(move || {
        for signal in signals.forever() {
            if sender.send(Happening::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(watch)
}

fn spawn_thread(body: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let spawned = thread::Builder::new().spawn(body);
    spawned
        .map(drop)
        .map_err(|why| format!("the system allows no further thread: {why}"))
}

fn watch_pipe(pipe: OwnedFd, sender: Sender<Happening>) -> Result<(), String> {
    spawn_thread(move || {
        for line in BufReader::new(File::from(pipe)).split(b'\n') {
            let Ok(line) = line else { break };
            if sender.send(Happening::Line(line)).is_err() {
                return;
            }
        }
        // Fails only if nobody waits any more.
        let _ = sender.send(Happening::Closed);
    })
}

/// Tells when the process has ended, without reaping it: its number stays its own until then.
fn watch_process(child: &Child, sender: Sender<Happening>) -> Result<(), String> {
    let pid = pid_of(child);
    spawn_thread(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = sender.send(Happening::Exited);
    })
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
    /// When the program is killed; if it has ended: until when its pipe may stay open.
    deadline: Option<Instant>,
    /// When its time is over, if it is not told to end yet.
    limit: Option<Instant>,
    out_of_time: bool,
    /// To the program, in a cluster.
    link: Option<Sender<Vec<u8>>>,
    /// How the check ended on another rank.
    elsewhere: Option<(u32, Elsewhere)>,
    /// Rank 0 says that the check is over.
    is_over: bool,
}

impl<'a> Conversation<'a> {
    fn new(
        child: Child,
        on_progress: &'a mut dyn FnMut(Progress),
        link: Option<Sender<Vec<u8>>>,
    ) -> Self {
        Conversation {
            child,
            on_progress,
            link,
            elsewhere: None,
            is_over: false,
            word: Word::Absent,
            interrupted: false,
            limit: None,
            out_of_time: false,
            progress: Progress::default(),
            closed: false,
            exited: false,
            deadline: None,
        }
    }

    /// Until the process has ended and its pipe is drained.
    fn follow(&mut self, happenings: &Receiver<Happening>, company: Option<&Company>) {
        while !(self.closed && self.exited) {
            let is_drained = |deadline| self.exited && Instant::now() >= deadline;
            if self.deadline.is_some_and(is_drained) {
                return;
            }
            match happenings.recv_timeout(self.patience()) {
                Ok(happening) => self.hear(happening, company),
                Err(RecvTimeoutError::Timeout) if self.is_out_of_time() => self.end_its_time(),
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = |deadline| !self.exited && Instant::now() >= deadline;
                    if self.deadline.is_some_and(is_over) {
                        self.kill(Signal::KILL);
                        self.deadline = None;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn patience(&self) -> Duration {
        let ends = self.deadline.into_iter().chain(self.time_end());
        match ends.min() {
            Some(end) => end.saturating_duration_since(Instant::now()),
            None => Duration::from_secs(3600),
        }
    }

    /// When we end it: a program that explores ends by itself.
    fn time_end(&self) -> Option<Instant> {
        let limit = self.limit.filter(|_| !self.exited)?;
        match self.word {
            Word::Absent | Word::Plain => Some(limit),
            Word::Lost => Some(limit + GRACE),
            Word::Report(..) | Word::Failure(_) => None,
        }
    }

    fn is_out_of_time(&self) -> bool {
        self.time_end().is_some_and(|end| Instant::now() >= end)
    }

    /// A program that does not explore (it spins, sleeps, waits for input) has nothing to tell; one that does is
    /// asked for what it has.
    fn end_its_time(&mut self) {
        self.limit = None;
        self.out_of_time = true;
        match self.word {
            Word::Lost => self.interrupt(SIGTERM),
            _ => {
                self.interrupted = true;
                self.kill(Signal::KILL);
            }
        }
    }

    fn hear(&mut self, happening: Happening, company: Option<&Company>) {
        match happening {
            Happening::Line(line) => match serde_json::from_slice(&line) {
                Ok(message) => self.hear_message(message),
                Err(_) => {
                    let start = String::from_utf8_lossy(&line[..line.len().min(200)]);
                    self.word = Word::Failure(format!("the runtime sent no message but '{start}'"));
                }
            },
            Happening::Closed => self.closed = true,
            Happening::Exited => {
                self.exited = true;
                self.deadline = Some(Instant::now() + DRAIN);
            }
            Happening::Signal(_) if company.is_some_and(|company| company.rank > 0) => {
                self.ask_for_the_end(company);
            }
            Happening::Signal(signal) => self.interrupt(signal),
            Happening::Frame(rank, body) => {
                if let Some(company) = company {
                    company.send(rank, Parcel::Frame(body));
                }
            }
            Happening::Parcel(rank, Parcel::Frame(body)) => self.pass_on(rank, &body),
            Happening::Parcel(rank, Parcel::Word(word)) => self.hear_of(rank, word),
        }
    }

    /// Rank 0 decides what a signal means that comes here; a second one is for this process.
    fn ask_for_the_end(&mut self, company: Option<&Company>) {
        if self.interrupted {
            self.kill(Signal::KILL);
        }
        self.interrupted = true;
        if let Some(company) = company {
            company.say(0, Elsewhere::Interrupted);
        }
    }

    /// Gives a frame to the program.
    fn pass_on(&self, rank: u32, body: &[u8]) {
        let Some(link) = &self.link else { return };
        let length = u32::try_from(body.len()).expect("a frame has less than 4 GB");
        let head = link::head(rank, length);
        let _ = link.send([&head, body].concat());
    }

    /// The driver of another rank says something.
    fn hear_of(&mut self, rank: u32, word: Elsewhere) {
        match word {
            Elsewhere::Finish => {
                self.is_over = true;
                self.kill(Signal::KILL);
            }
            // Whoever ends all ranks sends the signal to each of them.
            Elsewhere::Interrupted if self.interrupted => {}
            Elsewhere::Interrupted => self.interrupt(SIGINT),
            Elsewhere::Killed(how) => {
                self.pass_on(link::DRIVER, format!("rank {rank}: {how}").as_bytes())
            }
            Elsewhere::Failed(_) | Elsewhere::Died { .. } => {
                // What the program reported before is what counts.
                if !matches!(self.word, Word::Report(..)) && self.elsewhere.is_none() {
                    self.elsewhere = Some((rank, word));
                    self.kill(Signal::KILL);
                }
            }
            Elsewhere::Environment(_) | Elsewhere::Bye => {}
        }
    }

    fn hear_message(&mut self, message: Message) {
        match message {
            Message::Loaded => self.word = Word::Plain,
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
            signals::no_more_patience();
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
        let mut ended = Ended {
            word: self.word,
            status,
            interrupted: self.interrupted,
            out_of_time: self.out_of_time,
            progress: self.progress,
            journal: Left::Nothing,
            journal_bytes: journal_bytes(memory),
            wall: started_at.elapsed(),
        };
        match self.elsewhere {
            Some((rank, Elsewhere::Failed(why))) => {
                ended.word = Word::Failure(format!("rank {rank}: {why}"));
            }
            Some((
                _,
                Elsewhere::Died {
                    status,
                    journal,
                    panic,
                },
            )) => {
                ended.word = panic.map_or(Word::Lost, Word::Failure);
                ended.status = ExitStatus::from_raw(status);
                ended.journal_bytes = journal;
                ended.interrupted = false;
            }
            _ => {}
        }
        ended.journal = read_journal(&ended.journal_bytes);
        Ok(ended)
    }
}
