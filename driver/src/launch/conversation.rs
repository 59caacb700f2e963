//! What the driver and the program say to each other, from the start of the process to its end.

use super::{journal, watch, Ended, Left, Word};
use crate::cluster::{Company, Parcel, Word as Elsewhere};
use crate::happening::Happening;
use crate::signals;
use dpor_abi::link;
use dpor_report::{Message, Progress};
use rustix::process::{kill_process, Signal};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long a program may take to answer a signal, or to end after its report.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program that explores may take after its limit of time, which the runtime sees to: what it found
/// it has to put together.
const GRACE: Duration = Duration::from_secs(10);

/// How long after the end of the process its pipe may stay open (a grandchild may hold it). On a busy
/// machine half a second was not enough to read what it said.
const DRAIN: Duration = Duration::from_secs(5);

/// What was heard so far.
pub(super) struct Conversation<'a> {
    child: Child,
    on_progress: &'a mut dyn FnMut(Progress),
    word: Word,
    pub(super) interrupted: bool,
    progress: Progress,
    closed: bool,
    exited: bool,
    /// When the program is killed; if it has ended: until when its pipe may stay open.
    deadline: Option<Instant>,
    /// When its time is over, if it is not told to end yet.
    pub(super) limit: Option<Instant>,
    out_of_time: bool,
    /// The way to the program, in a cluster.
    link: Option<Sender<Vec<u8>>>,
    /// How the check ended on another rank.
    elsewhere: Option<(u32, Elsewhere)>,
    /// Rank 0 says that the check is over.
    pub(super) is_over: bool,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
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
    pub(super) fn follow(&mut self, happenings: &Receiver<Happening>, company: Option<&Company>) {
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
        let _ = kill_process(watch::pid_of(&self.child), signal);
    }

    pub(super) fn end(mut self, started_at: Instant, memory: &File) -> Result<Ended, String> {
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
            journal_bytes: journal::bytes_of(memory),
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
        ended.journal = journal::read(&ended.journal_bytes);
        Ok(ended)
    }
}
