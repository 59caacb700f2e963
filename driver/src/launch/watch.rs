//! The threads that turn what happens into a queue: messages, the end of the process, signals.

use crate::happening::Happening;
use crate::signals::{self, Answering};
use rustix::process::{waitid, Pid, WaitId, WaitIdOptions};
use std::fs::File;
use std::io::{BufRead, BufReader};
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

pub(super) fn pipe(pipe: OwnedFd, sender: Sender<Happening>) -> Result<(), String> {
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
pub(super) fn process(child: &Child, sender: Sender<Happening>) -> Result<(), String> {
    let pid = pid_of(child);
    spawn_thread(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = sender.send(Happening::Exited);
    })
}

pub(super) fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}
