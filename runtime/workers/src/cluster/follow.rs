//! The other ranks of a cluster: their coordinators do what rank 0 tells them.

use crate::cluster::frame::{Counted, FollowerMessage, Frame, LeaderMessage};
use crate::cluster::gateway::{Gateway, News};
use crate::cluster::link::Link;
use crate::coordinator::{died, was_killed};
use crate::member::Tag;
use crate::saved::SearchFile;
use crate::shared;
use crate::team::Team;
use dpor_abi::options::Cluster;
use dpor_engine::given::concerns;
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::Engine;
use dpor_engine::{clock, execution, journal};
use std::sync::atomic::Ordering;

/// Milliseconds between two looks at the workers.
const LOOK_MS: u64 = 20;
/// Nanoseconds between two words on how many executions there were.
const TELL_NS: u64 = 100_000_000;

/// Takes part in round after round; the driver ends the process.
pub fn follow(engine: &mut Engine, cluster: Cluster) -> ! {
    let mut gateway = Gateway::new(Link::new(cluster));
    loop {
        let what = gateway.next_round();
        let ready = begin(engine, &what).and_then(|()| {
            let team = Team::start(engine, None);
            team.ok_or_else(|| "the system does not allow so many worker processes".to_owned())
        });
        match ready {
            Ok(team) => Follower::new(&mut gateway).round(engine.rt(), team),
            Err(why) => gateway.send(0, Frame::FollowerMessage(FollowerMessage::Refused(why))),
        }
    }
}

/// This process knows what rank 0 knows.
fn begin(engine: &mut Engine, what: &[u8]) -> Result<(), String> {
    let left: SearchFile = serde_json::from_slice(what)
        .map_err(|_| "rank 0 is of another version of dpor".to_owned())?;
    (concerns().take_clocks)(&left.clock);
    engine.rt().options.clock.clone_from(&left.clock);
    execution::start_over(engine);
    let rt = engine.rt();
    left.take_up(rt)?;
    rt.exchange_cells_known = rt.exchange_cells.len();
    Ok(())
}

/// A round, as the coordinator of another rank than 0 goes through it.
struct Follower<'a> {
    gateway: &'a mut Gateway,
    /// True if this rank has executions that may be begun, or has asked for some.
    granted: bool,
    wants: bool,
    /// True once rank 0 knows that the workers end.
    told_end: bool,
    executed: u64,
    told_ns: u64,
}

impl<'a> Follower<'a> {
    fn new(gateway: &'a mut Gateway) -> Self {
        Follower {
            gateway,
            granted: false,
            wants: false,
            told_end: false,
            executed: 0,
            told_ns: clock::monotonic_ns(),
        }
    }

    fn say(&mut self, said: FollowerMessage) {
        self.gateway.send(0, Frame::FollowerMessage(said));
    }

    fn round(mut self, rt: &mut Runtime, mut team: Team) {
        let shared = team.shared;
        let mut accounts = vec![false; shared.workers()];
        let mut is_killed = false;
        while !accounts.iter().all(|&account| account) {
            team.look();
            for (worker, message) in team.mailbox.receive() {
                if self.gateway.carry(shared, &message) {
                    continue;
                }
                accounts[worker] |= message.first() == Some(&(Tag::Account as u8));
                let worker = worker as u32;
                self.say(FollowerMessage::Worker { worker, message });
            }
            if let (false, Some(status)) = (is_killed, team.dead(|worker| accounts[worker])) {
                if !was_killed(status) {
                    // The driver reads the journal.
                    self.gateway.link.flush();
                    died(rt, status);
                }
                is_killed = true;
                self.say(FollowerMessage::Killed(journal::decisions()));
            }
            while let Some(news) = self.gateway.read(shared, &mut team.mailbox) {
                match news {
                    News::LeaderMessage(LeaderMessage::Abandon) => return team.kill(rt),
                    News::LeaderMessage(told) => self.hear(shared, told),
                    // The driver ends this process when rank 0 has heard of it.
                    News::FollowerMessage(..) | News::Broken(_) => {}
                }
            }
            self.report(shared);
            let is_sent = team.mailbox.flush() & self.gateway.link.flush();
            let is_urgent = !is_sent || shared.stop() != shared::Stop::No;
            self.gateway
                .wait(shared, if is_urgent { 1 } else { LOOK_MS });
        }
        while !self.gateway.link.flush() {
            clock::pause();
        }
        if !team.wait() {
            self.say(FollowerMessage::Refused(
                "a worker process died after it had given account".to_owned(),
            ));
        }
        team.dissolve(rt);
    }

    fn hear(&mut self, shared: &shared::Shared, told: LeaderMessage) {
        match told {
            LeaderMessage::Order(word) => shared.order_word(word),
            LeaderMessage::Count(question) => {
                let all_rest = shared.all_rest();
                let received = self.gateway.received(shared);
                let sent = self.gateway.sent(shared);
                self.say(FollowerMessage::Counted(Counted {
                    question,
                    all_rest,
                    received,
                    sent,
                }));
            }
            LeaderMessage::Grant(tickets) => {
                (self.granted, self.wants) = (true, false);
                shared.grant(tickets);
            }
            LeaderMessage::Names(names) => shared.know(names.as_deref()),
            LeaderMessage::Tell => {
                shared.round.fetch_add(1, Ordering::Relaxed);
            }
            LeaderMessage::End(why) => shared.end(why),
            LeaderMessage::Begin(_) | LeaderMessage::Abandon => {
                unreachable!("[dpor internal bug] not in the midst of a round")
            }
        }
    }

    /// Says what rank 0 has to know.
    fn report(&mut self, shared: &shared::Shared) {
        let unnamed: Vec<(u16, u16)> = shared.unnamed().collect();
        if !unnamed.is_empty() {
            self.say(FollowerMessage::Unnamed(unnamed));
        }
        if shared.stop() != shared::Stop::No && !self.told_end {
            self.told_end = true;
            self.say(FollowerMessage::Ends(shared.stop()));
        }
        if shared.is_used_up() && !self.wants {
            (self.granted, self.wants) = (false, true);
            self.say(FollowerMessage::Wants);
        }
        if self.granted && shared.busy.0.load(Ordering::Relaxed) == 0 {
            self.granted = false;
            self.say(FollowerMessage::Returns(shared.withdraw()));
        }
        let now = clock::monotonic_ns();
        let executions = shared.executions[..shared.workers()].iter();
        let executed = executions.map(|line| line.0.load(Ordering::Relaxed)).sum();
        if executed != self.executed && now - self.told_ns >= TELL_NS {
            (self.executed, self.told_ns) = (executed, now);
            let estimate = shared.estimated();
            let estimate = estimate.map(|e| [e.executions, e.low, e.high]);
            self.say(FollowerMessage::Executed(executed, estimate));
        }
    }
}
