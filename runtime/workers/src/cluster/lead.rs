//! The coordinator of rank 0, and what it does for the others.

use crate::cluster::frame::{Counted, FollowerMessage, Frame, LeaderMessage};
use crate::cluster::gateway::{Gateway, News};
use crate::cluster::link::Link;
use crate::saved::SearchFile;
use crate::shared::{self, Order, Shared};
use crate::team::Team;
use core::sync::atomic::Ordering;
use dpor_abi::options::Cluster;
use dpor_engine::runtime::Runtime;
use dpor_engine::stop::Stop;
use dpor_explorer::Estimate;

/// The leader of a cluster: the coordinator of rank 0.
pub struct Lead {
    gateway: Gateway,
    /// The other ranks, from 1.
    ranks: Vec<Rank>,
    /// The present question of how many messages there were.
    question: u64,
    /// The answers to the question before: whether all workers rested, and how many messages they had received.
    before: (bool, u64),
    /// Number of executions that may be begun and that no rank was given.
    pool: u64,
    /// True if this rank was given executions.
    granted: bool,
    /// Number of threads whose numbers the others know.
    named: usize,
    /// True if the others know that the workers are to end.
    ended: bool,
}

/// The state of another rank, as far as rank 0 knows it.
#[derive(Clone, Copy, Default)]
struct Rank {
    counted: Counted,
    /// True if the rank was given executions that may be begun.
    granted: bool,
    /// True if the rank asked for executions.
    wants: bool,
    executed: u64,
    /// Estimates of all executions of the rank.
    estimate: Option<[f64; 3]>,
}

/// A report of another rank that concerns the check and not only the cluster.
pub enum Reported {
    /// The message of a worker to its coordinator: the worker's number among all, and the message.
    Worker(usize, Vec<u8>),
    /// A worker was killed, in an execution of this schedule.
    Killed(Vec<(u16, u32)>),
    /// The cluster is not whole any more, and the check ends for this reason.
    Broken(Stop),
}

impl Lead {
    /// The leader of this cluster, with no round begun.
    pub fn new(cluster: Cluster) -> Lead {
        Lead {
            gateway: Gateway::new(Link::new(cluster)),
            ranks: vec![Rank::default(); cluster.size as usize - 1],
            question: 0,
            before: (false, 0),
            pool: 0,
            granted: false,
            named: 0,
            ended: false,
        }
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.ranks.len() + 1
    }

    /// A round begins: the others know what this process knows.
    pub fn begin(&mut self, rt: &Runtime, round: u32) {
        self.gateway.begin(round);
        self.ranks.fill(Rank::default());
        self.before = (false, 0);
        self.pool = rt.options.max_executions;
        self.granted = false;
        self.named = rt.names.len();
        self.ended = false;
        let left = serde_json::to_vec(&SearchFile::to_begin_with(rt));
        let left = left.expect("[dpor internal bug] plain data");
        self.tell(|| LeaderMessage::Begin(left.clone()));
        self.gateway.link.flush();
    }

    /// The workers of this round are of no use.
    pub fn abandon(&mut self) {
        self.tell(|| LeaderMessage::Abandon);
        self.gateway.link.flush();
    }

    fn tell(&mut self, what: impl Fn() -> LeaderMessage) {
        for rank in 1..=self.ranks.len() as u32 {
            self.gateway.send(rank, Frame::LeaderMessage(what()));
        }
    }

    /// Asks all ranks to tell what their workers learnt.
    pub fn ask_for_facts(&mut self) {
        self.tell(|| LeaderMessage::Tell);
    }

    /// Tells workers everywhere what to do.
    pub fn order(&mut self, shared: &Shared, order: Order) {
        shared.order(order);
        let word = shared.ordered_word();
        self.tell(|| LeaderMessage::Order(word));
        if order == Order::Rest {
            // Earlier answers are about an earlier rest.
            self.before = (false, 0);
            self.ask();
        }
    }

    fn ask(&mut self) {
        self.question += 1;
        let question = self.question;
        self.tell(|| LeaderMessage::Count(question));
    }

    /// Whether all workers rest, and no message is under way. To be asked again until it is so.
    pub fn is_quiet(&mut self, shared: &Shared) -> bool {
        let asked = self.question;
        if self.ranks.iter().any(|rank| rank.counted.question != asked) {
            return false;
        }
        let sum = |of: fn(&Counted) -> u64| -> u64 {
            self.ranks.iter().map(|rank| of(&rank.counted)).sum()
        };
        let sent = sum(|counted| counted.sent) + self.gateway.sent(shared);
        let is_quiet = self.before == (true, sent);
        let all_rest = shared.all_rest() && self.ranks.iter().all(|rank| rank.counted.all_rest);
        let received = sum(|counted| counted.received) + self.gateway.received(shared);
        self.before = (all_rest, received);
        if !is_quiet {
            self.ask();
        }
        is_quiet
    }

    /// Executions of the others.
    pub fn executed(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.executed).sum()
    }

    /// An estimate of all executions, by the ranks' own estimates. `None`: a rank that has run something has none.
    pub fn estimated(&self) -> Option<Estimate> {
        let mut said = self.ranks.iter().filter(|rank| rank.executed > 0);
        said.try_fold(Estimate::default(), |sum, rank| {
            let [executions, low, high] = rank.estimate?;
            Some(
                sum + Estimate {
                    executions,
                    low,
                    high,
                },
            )
        })
    }

    /// Sends on what a worker of this rank wrote, if it is for one of another.
    pub fn carry(&mut self, shared: &Shared, message: &[u8]) -> bool {
        self.gateway.carry(shared, message)
    }

    /// Reads what came, and answers. True if all executions that are allowed have been begun.
    pub fn turn(&mut self, rt: &Runtime, team: &mut Team, reported: &mut Vec<Reported>) -> bool {
        let shared = team.shared;
        while let Some(news) = self.gateway.read(shared, &mut team.mailbox) {
            match news {
                News::Broken(why) => reported.push(Reported::Broken(Stop::Incomplete(why))),
                News::LeaderMessage(_) => {
                    unreachable!("[dpor internal bug] rank 0 is told nothing")
                }
                News::FollowerMessage(rank, said) => {
                    reported.extend(self.hear(shared, rank, said));
                }
            }
        }
        let names = shared.names();
        if names.len() > self.named {
            self.named = names.len();
            self.tell(|| LeaderMessage::Names(Some(names.clone())));
        }
        if shared.stop() != shared::Stop::No && !self.ended {
            self.ended = true;
            let why = shared.stop();
            self.tell(|| LeaderMessage::End(why));
        }
        let is_used_up = rt.options.max_executions > 0 && self.hand_out(shared);
        team.mailbox.flush();
        self.gateway.link.flush();
        is_used_up
    }

    fn hear(&mut self, shared: &Shared, number: u32, said: FollowerMessage) -> Option<Reported> {
        let rank = &mut self.ranks[number as usize - 1];
        match said {
            FollowerMessage::Refused(why) => {
                let why = Stop::Failure(format!("rank {number}: {why}"));
                return Some(Reported::Broken(why));
            }
            FollowerMessage::Counted(counted) => rank.counted = counted,
            FollowerMessage::Wants => (rank.granted, rank.wants) = (false, true),
            FollowerMessage::Returns(tickets) => {
                rank.granted = false;
                self.pool += tickets;
            }
            FollowerMessage::Unnamed(threads) => {
                for (creator, nth) in threads {
                    if shared.number(creator, nth).is_none() {
                        self.tell(|| LeaderMessage::Names(None));
                    }
                }
            }
            FollowerMessage::Executed(executions, estimate) => {
                (rank.executed, rank.estimate) = (executions, estimate);
            }
            FollowerMessage::Ends(why) => shared.end(why),
            FollowerMessage::Worker { worker, message } => {
                let worker = number as usize * shared.workers() + worker as usize;
                return Some(Reported::Worker(worker, message));
            }
            FollowerMessage::Killed(decisions) => return Some(Reported::Killed(decisions)),
        }
        None
    }

    /// Hands out executions to those that want some: half of what is left to all together, so that little
    /// lies where it is not needed. True if there are none, and somebody wants some.
    fn hand_out(&mut self, shared: &Shared) -> bool {
        if self.granted && shared.busy.0.load(Ordering::Relaxed) == 0 {
            self.pool += shared.withdraw();
            self.granted = false;
        }
        let share = |pool: u64, size: usize| (pool / (2 * size as u64)).max(1).min(pool);
        let size = self.size();
        let mut wants = shared.is_used_up();
        if wants {
            self.granted = false;
            let tickets = share(self.pool, size);
            if tickets > 0 {
                self.pool -= tickets;
                (self.granted, wants) = (true, false);
                shared.grant(tickets);
            }
        }
        for number in 0..self.ranks.len() {
            let tickets = share(self.pool, size);
            let rank = &mut self.ranks[number];
            if rank.wants && tickets > 0 {
                (rank.wants, rank.granted) = (false, true);
                self.pool -= tickets;
                self.gateway.send(
                    number as u32 + 1,
                    Frame::LeaderMessage(LeaderMessage::Grant(tickets)),
                );
            }
        }
        let wants = wants || self.ranks.iter().any(|rank| rank.wants);
        let is_elsewhere = self.granted || self.ranks.iter().any(|rank| rank.granted);
        wants && self.pool == 0 && !is_elsewhere
    }

    /// Waits for something to do.
    pub fn wait(&self, shared: &Shared, milliseconds: u64) {
        self.gateway.wait(shared, milliseconds);
    }
}
