//! The threads that turn what happens into a queue: messages, the end of the process, signals.

use crate::happening::Happening;
use crate::signals::{self, Answering};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{waitid, Pid, PidfdFlags, WaitId, WaitIdOptions};
use std::fs::File;
use std::io::{BufRead, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::mpsc::Sender;
use std::thread;

/// Signals are watched as long as this is there: a check of many tests would have a thread for each otherwise.
pub(super) struct Watch(signal_hook::iterator::Handle, Answering);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.close();
    }
}

pub(super) fn signals(sender: Sender<Happening>) -> Result<Watch, String> {
    let mut watched = signal_hook::iterator::Signals::new(signals::answered())
        .map_err(|why| format!("signals cannot be handled: {why}"))?;
    let watch = Watch(watched.handle(), Answering::begin());
    spawn_thread(move || {
        for signal in watched.forever() {
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

/// Tells the lines of the program's pipe, when it is closed, and when the process has ended, without reaping it: its
/// number stays its own until then.
pub(super) fn program(
    child: &Child,
    pipe: OwnedFd,
    sender: Sender<Happening>,
) -> Result<(), String> {
    let pid = pid_of(child);
    // One thread for both: to begin and to end one takes as long as some executions.
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => spawn_thread(move || watch(&mut File::from(pipe), &process, &sender)),
        Err(_) => {
            let ends = sender.clone();
            spawn_thread(move || read(&mut File::from(pipe), &sender))?;
            spawn_thread(move || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
                let _ = ends.send(Happening::Exited);
            })
        }
    }
}

/// Until the pipe is closed and the process has ended, or nobody waits for them any more.
fn watch(pipe: &mut File, process: &OwnedFd, sender: &Sender<Happening>) {
    let mut lines = Lines::default();
    let (mut is_open, mut is_alive) = (true, true);
    while is_open || is_alive {
        let mut events = Vec::with_capacity(2);
        if is_open {
            events.push(PollFd::new(&*pipe, PollFlags::IN));
        }
        if is_alive {
            events.push(PollFd::new(process, PollFlags::IN));
        }
        if poll(&mut events, None).is_err() {
            continue; // A signal came.
        }
        let mut ready = events.iter().map(|event| !event.revents().is_empty());
        let can_read = is_open && ready.next() == Some(true);
        let has_ended = is_alive && ready.next() == Some(true);
        // What the program said comes before its end.
        if can_read && !lines.read(pipe, sender) {
            is_open = false;
        }
        if has_ended {
            is_alive = false;
            let _ = sender.send(Happening::Exited);
        }
    }
}

/// Until the pipe is closed.
fn read(pipe: &mut File, sender: &Sender<Happening>) {
    let mut lines = Lines::default();
    while lines.read(pipe, sender) {}
}

/// The beginning of a line whose end was not read yet.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    /// Reads once, and tells the lines that end there; false at the end of the pipe, which it tells, too.
    fn read(&mut self, pipe: &mut File, sender: &Sender<Happening>) -> bool {
        let mut bytes = [0; 1 << 14];
        let count = match pipe.read(&mut bytes) {
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => return true,
            Err(_) => 0,
        };
        let mut rest = &bytes[..count];
        let mut is_heard = true;
        while !rest.is_empty() {
            // Of bytes in memory it cannot fail.
            let _ = rest.read_until(b'\n', &mut self.0);
            if self.0.pop_if(|last| *last == b'\n').is_some() {
                let line = std::mem::take(&mut self.0);
                is_heard &= sender.send(Happening::Line(line)).is_ok();
            }
        }
        if count == 0 {
            if !self.0.is_empty() {
                let _ = sender.send(Happening::Line(std::mem::take(&mut self.0)));
            }
            // Fails only if nobody waits any more.
            let _ = sender.send(Happening::Closed);
        }
        count > 0 && is_heard
    }
}

pub(super) fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pipe::PipeFlags;
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;

    fn told(happening: Happening) -> String {
        match happening {
            Happening::Line(line) => String::from_utf8(line).expect("text"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn lines_come_whole_whatever_is_read_at_once() {
        let (reading, writing) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).expect("a pipe");
        let (sender, receiver) = channel();
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("a process");
        program(&child, reading, sender).expect("a thread");
        let next = || told(receiver.recv().expect("there is more"));
        let mut writing = File::from(writing);
        let long = "x".repeat(100_000);
        writing.write_all(b"one\ntw").expect("room");
        assert_eq!(next(), "one");
        write!(writing, "o\n\n{long}\nfour").expect("room");
        assert_eq!([next(), next()], ["two", ""]);
        assert_eq!(next(), long);
        drop(writing);
        assert_eq!([next(), next()], ["four", "Closed"]);
        drop(child.stdin.take());
        assert_eq!(next(), "Exited");
        assert!(child.wait().expect("it is there to be reaped").success());
    }

    #[test]
    fn a_pipe_may_be_open_behind_the_end() {
        let (reading, writing) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).expect("a pipe");
        let (sender, receiver) = channel();
        let mut child = Command::new("true").spawn().expect("a process");
        program(&child, reading, sender).expect("a thread");
        let next = || told(receiver.recv().expect("there is more"));
        assert_eq!(next(), "Exited");
        File::from(writing).write_all(b"late\n").expect("room");
        assert_eq!([next(), next()], ["late", "Closed"]);
        assert!(child.wait().expect("it is there to be reaped").success());
    }
}
