//! The socket between a driver and its program, and the threads at the driver's end.

use super::Company;
use crate::happening::Happening;
use dpor_abi::link;
use dpor_abi::options::Cluster;
use rustix::event::EventfdFlags;
use rustix::io::FdFlags;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{channel, Sender};
use std::thread;

/// What a program in a cluster is given.
pub struct Place<'a> {
    /// The ranks that the driver stands among.
    pub company: &'a Company,
    /// The driver's end of the socket.
    pub ours: UnixStream,
    /// The program's end of the socket.
    theirs: UnixStream,
    /// What wakes its coordinator.
    alarm: OwnedFd,
}

impl Place<'_> {
    /// Makes the socket for the program of this rank.
    ///
    /// # Errors
    /// The system's.
    pub fn make(company: &Company) -> std::io::Result<Place<'_>> {
        let (ours, theirs) = UnixStream::pair()?;
        let alarm = rustix::event::eventfd(0, EventfdFlags::NONBLOCK)?;
        rustix::io::fcntl_setfd(&theirs, FdFlags::empty())?;
        Ok(Place {
            company,
            ours,
            theirs,
            alarm,
        })
    }

    /// The socket and the rank as the runtime reads them from its options.
    pub fn cluster(&self) -> Cluster {
        Cluster {
            rank: self.company.rank,
            size: self.company.size,
            link: self.theirs.as_raw_fd(),
            alarm: self.alarm.as_raw_fd(),
        }
    }
}

/// Reads what the program sends to other ranks.
pub fn watch_link(mut link: UnixStream, sender: Sender<Happening>) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut more = vec![0; 1 << 16];
        while let Ok(n @ 1..) = link.read(&mut more) {
            bytes.extend_from_slice(&more[..n]);
            let mut at = 0;
            while let Some((rank, body, length)) = link::first(&bytes[at..]) {
                at += length;
                if sender.send(Happening::Frame(rank, body.to_vec())).is_err() {
                    return;
                }
            }
            bytes.drain(..at);
        }
    });
}

/// Writes to the program what is sent here; nobody else waits until it reads that.
pub fn write_link(mut link: UnixStream) -> Sender<Vec<u8>> {
    let (sender, frames) = channel::<Vec<u8>>();
    thread::spawn(move || {
        // If the program is gone, that is noticed otherwise.
        while frames
            .recv()
            .is_ok_and(|frame| link.write_all(&frame).is_ok())
        {}
    });
    sender
}
