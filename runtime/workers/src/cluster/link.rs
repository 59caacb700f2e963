//! The socket to the driver, which carries frames to and from other ranks ([`dpor_abi::link`]).

use crate::cluster::frame::{Envelope, Frame};
use dpor_abi::link::{first, head, DRIVER};
use dpor_abi::options::Cluster;
use dpor_engine::turn;
use dpor_machine::sys;
use std::collections::VecDeque;

/// A message that the socket delivers.
pub enum Arrived {
    /// A frame from this rank.
    Frame(u32, Envelope),
    /// A word from the driver: the cluster is not whole any more, for this reason.
    Broken(String),
}

/// The socket to the driver, with the bytes that are under way in either direction.
pub struct Link {
    cluster: Cluster,
    outgoing: Vec<u8>,
    /// Number of bytes of `outgoing` that were written.
    done: usize,
    incoming: Vec<u8>,
    arrived: VecDeque<Arrived>,
}

/// Bytes read at a time.
const READ: usize = 1 << 16;

impl Link {
    /// A link to the driver of this rank.
    pub fn new(cluster: Cluster) -> Link {
        Link {
            cluster,
            outgoing: Vec::new(),
            done: 0,
            incoming: Vec::new(),
            arrived: VecDeque::new(),
        }
    }

    /// The number of this rank.
    pub fn rank(&self) -> u32 {
        self.cluster.rank
    }

    /// Puts a frame on its way; [`Link::flush`] sends it.
    pub fn send(&mut self, to: u32, round: u32, frame: Frame) {
        let body = postcard::to_allocvec(&Envelope { round, frame });
        let body = body.expect("[dpor internal bug] plain data");
        let length = u32::try_from(body.len()).expect("a frame has less than 4 GB");
        self.outgoing.extend_from_slice(&head(to, length));
        self.outgoing.extend_from_slice(&body);
    }

    /// Writes what there is room for; true if nothing is left.
    pub fn flush(&mut self) -> bool {
        while self.done < self.outgoing.len() {
            let rest = &self.outgoing[self.done..];
            let flags = (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) as usize;
            let (link, from) = (self.cluster.link as usize, rest.as_ptr() as usize);
            // SAFETY: `rest` is a slice of `outgoing`, which nobody changes during the call, and the kernel only reads
            // it.
            let n = unsafe { sys::call6(libc::SYS_sendto, link, from, rest.len(), flags, 0, 0) };
            match n {
                n if n > 0 => self.done += n as usize,
                n if n == -(libc::EINTR as isize) => {}
                n if n == -(libc::EAGAIN as isize) => return false,
                _ => gone(),
            }
        }
        self.outgoing.clear();
        self.done = 0;
        true
    }

    /// The next thing that came, if there is one.
    pub fn receive(&mut self) -> Option<Arrived> {
        if self.arrived.is_empty() {
            self.read();
        }
        self.arrived.pop_front()
    }

    /// Puts frames back in front of those that came later, to be received again.
    pub fn put_back(&mut self, later: Vec<Arrived>) {
        later
            .into_iter()
            .rev()
            .for_each(|arrived| self.arrived.push_front(arrived));
    }

    fn read(&mut self) {
        loop {
            let length = self.incoming.len();
            self.incoming.resize(length + READ, 0);
            let link = self.cluster.link as usize;
            let into = self.incoming[length..].as_mut_ptr() as usize;
            let flags = libc::MSG_DONTWAIT as usize;
            // SAFETY: `into` is a local buffer of so many bytes, which nobody else uses.
            let n = unsafe { sys::call6(libc::SYS_recvfrom, link, into, READ, flags, 0, 0) };
            self.incoming.truncate(length + n.max(0) as usize);
            match n {
                n if n > 0 => {}
                n if n == -(libc::EINTR as isize) => {}
                n if n == -(libc::EAGAIN as isize) => break,
                _ => gone(),
            }
        }
        let mut at = 0;
        while let Some((rank, body, bytes)) = first(&self.incoming[at..]) {
            self.arrived.push_back(match rank {
                DRIVER => Arrived::Broken(String::from_utf8_lossy(body).into_owned()),
                rank => Arrived::Frame(
                    rank,
                    postcard::from_bytes(body).expect("[dpor internal bug] a frame can be read"),
                ),
            });
            at += bytes;
        }
        self.incoming.drain(..at);
    }

    /// Waits until something may have come, the alarm was rung, or so many milliseconds are over.
    pub fn wait(&self, milliseconds: u64) {
        let wants_to_write = self.done < self.outgoing.len();
        let events = libc::POLLIN | if wants_to_write { libc::POLLOUT } else { 0 };
        let mut both = [
            libc::pollfd {
                fd: self.cluster.link,
                events,
                revents: 0,
            },
            libc::pollfd {
                fd: self.cluster.alarm,
                events: libc::POLLIN,
                revents: 0,
            },
        ];
        // SAFETY: the kernel writes two records and then eight bytes, all in local variables; the descriptor does not
        // block.
        unsafe {
            let list = both.as_mut_ptr() as usize;
            sys::call3(libc::SYS_poll, list, both.len(), milliseconds as usize);
            if both[1].revents != 0 {
                let mut count = 0u64;
                let into = &raw mut count as usize;
                sys::call3(libc::SYS_read, self.cluster.alarm as usize, into, 8);
            }
        }
    }
}

/// The driver is gone: nobody waits for what this process does.
fn gone() -> ! {
    sys::exit_group(turn::DIED)
}
