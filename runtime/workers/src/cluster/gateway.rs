//! The coordinator as the gate through which messages of its workers leave the rank and those of others
//! come in.

use crate::cluster::frame::{Envelope, FollowerMessage, Frame, LeaderMessage};
use crate::cluster::link::{Arrived, Link};
use crate::mailbox::Mailbox;
use crate::member::{splitmix, Tag};
use crate::shared::Shared;
use dpor_explorer::worker::{Message, WorkerId};
use std::sync::atomic::Ordering;

/// The gate of a rank: messages of its workers leave by it, and those of others come in.
pub struct Gateway {
    /// The socket to the other ranks.
    pub link: Link,
    /// Number of the present round.
    pub round: u32,
    /// State of the random numbers by which it is decided whom a worker without work asks.
    random: u64,
    /// Messages between workers that this coordinator answered in the place of one, and its answers.
    answered: u64,
    /// Frames of a later round than the present one.
    held: Vec<Arrived>,
}

/// A message that is not from worker to worker.
pub enum News {
    /// An order or a question from rank 0.
    LeaderMessage(LeaderMessage),
    /// A report or an answer from this rank.
    FollowerMessage(u32, FollowerMessage),
    /// The cluster is not whole any more, for this reason.
    Broken(String),
}

impl Gateway {
    /// The gate of the rank that `link` belongs to.
    pub fn new(link: Link) -> Gateway {
        let random = u64::from(link.rank());
        Gateway {
            link,
            round: 0,
            random,
            answered: 0,
            held: Vec::new(),
        }
    }

    /// A round begins, in which no messages have been sent.
    pub fn begin(&mut self, round: u32) {
        self.round = round;
        self.answered = 0;
        self.link.put_back(core::mem::take(&mut self.held));
    }

    /// Waits for the next round, and says what rank 0 says of it.
    pub fn next_round(&mut self) -> Vec<u8> {
        loop {
            match self.link.receive() {
                None => {
                    self.link.flush();
                    self.link.wait(1000);
                }
                // The driver ends this process when rank 0 has heard of it.
                Some(Arrived::Broken(_)) => {}
                Some(Arrived::Frame(rank, envelope)) if envelope.round > self.round => {
                    match envelope {
                        Envelope {
                            round,
                            frame: Frame::LeaderMessage(LeaderMessage::Begin(what)),
                        } => {
                            self.begin(round);
                            return what;
                        }
                        later => self.held.push(Arrived::Frame(rank, later)),
                    }
                }
                Some(Arrived::Frame(..)) => {}
            }
        }
    }

    /// Sends a frame to a rank.
    pub fn send(&mut self, to: u32, frame: Frame) {
        self.link.send(to, self.round, frame);
    }

    /// Sends on what a worker wrote, if it is for a worker of another rank.
    pub fn carry(&mut self, shared: &Shared, message: &[u8]) -> bool {
        let word = |bytes: &[u8]| {
            let word = bytes[..4].try_into();
            u32::from_le_bytes(word.expect("four bytes"))
        };
        match message.split_first() {
            Some((&tag, rest)) if tag == Tag::Away as u8 => {
                let (rank, to) = Shared::place(WorkerId(word(rest)));
                let (to, message) = (to as u32, rest[4..].to_vec());
                self.send(rank, Frame::Letter { to, message });
                true
            }
            Some((&tag, rest)) if tag == Tag::Beg as u8 => {
                let thief = word(rest);
                let others = u64::from(shared.ranks - 1);
                let draw = (splitmix(&mut self.random) % others) as u32;
                let rank = draw + u32::from(draw >= shared.rank);
                self.send(rank, Frame::Beg { thief });
                true
            }
            _ => false,
        }
    }

    /// Reads what came: gives workers what is theirs. `None`: nothing more came.
    pub fn read(&mut self, shared: &Shared, mailbox: &mut Mailbox) -> Option<News> {
        loop {
            let (rank, envelope) = match self.link.receive()? {
                Arrived::Broken(why) => return Some(News::Broken(why)),
                Arrived::Frame(rank, envelope) => (rank, envelope),
            };
            if envelope.round != self.round {
                if envelope.round > self.round {
                    self.held.push(Arrived::Frame(rank, envelope));
                }
                continue;
            }
            match envelope.frame {
                Frame::Letter { to, message } => mailbox.send(to as usize, &message),
                Frame::Beg { thief } => self.pass_on(shared, mailbox, WorkerId(thief)),
                Frame::LeaderMessage(told) => return Some(News::LeaderMessage(told)),
                Frame::FollowerMessage(said) => return Some(News::FollowerMessage(rank, said)),
            }
        }
    }

    /// Hands the request of a worker without work, of another rank, to a worker of this one.
    fn pass_on(&mut self, shared: &Shared, mailbox: &mut Mailbox, thief: WorkerId) {
        let encode = |message: Message| {
            let bytes = postcard::to_allocvec(&message);
            bytes.expect("[dpor internal bug] plain data")
        };
        let busy = shared.busy.0.load(Ordering::Relaxed);
        let draw = splitmix(&mut self.random).checked_rem(busy.count_ones().into());
        if let Some(draw) = draw {
            let without = (0..draw).fold(busy, |rest, _| rest & (rest - 1));
            let victim = without.trailing_zeros() as usize;
            return mailbox.send(victim, &encode(Message::Steal { thief }));
        }
        self.answered += 1;
        let (rank, to) = Shared::place(thief);
        let (to, message) = (to as u32, encode(Message::Refuse));
        self.send(rank, Frame::Letter { to, message });
    }

    /// Messages that this rank received.
    pub fn received(&self, shared: &Shared) -> u64 {
        shared.received() + self.answered
    }

    /// Messages that this rank sent.
    pub fn sent(&self, shared: &Shared) -> u64 {
        shared.sent() + self.answered
    }

    /// Waits for a message from a worker or another rank.
    pub fn wait(&self, shared: &Shared, milliseconds: u64) {
        if !shared.coordinator_sleeps(true) {
            self.link.wait(milliseconds);
        }
        shared.coordinator_sleeps(false);
    }
}
