//! Workers in simulated time: the real protocol, on clocks that costs move.
//!
//! Each worker is what `runtime/workers/src/member.rs` makes of it: it reads its
//! messages between two executions; without work it asks another one, and sleeps until something comes
//! or its patience ends. What happens first is simulated first, so that nobody reads a message before
//! it was sent.

use super::cost::Costs;
use super::script::{Actor, Script};
use dpor_explorer::worker::{Message, Worker, WorkerId};
use dpor_explorer::{Config, Counters};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Nanoseconds since the workers began.
type Time = u64;

/// How work is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub asks: Asks,
    /// Items that a thief gets at most.
    pub gifts: usize,
    /// Nanoseconds until a worker that was refused asks again; twice as many the next time.
    pub rest: Time,
}

impl Policy {
    /// What `member.rs` does.
    pub const REAL: Policy = Policy {
        asks: Asks::AnyBusy,
        gifts: 1,
        rest: 0,
    };

    /// For more workers than `member.rs` can have: so many thieves would otherwise keep the few that
    /// have something from working.
    pub const RESTING: Policy = Policy {
        rest: 20_000,
        ..Policy::REAL
    };

    /// [`Policy::REAL`] as far as there may be so many workers in reality.
    pub fn of(workers: usize) -> Policy {
        match workers {
            0..=64 => Policy::REAL,
            _ => Policy::RESTING,
        }
    }
}

/// Whom a worker asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// The next one after the last that it asked, of those that have something.
    NextBusy,
    /// A worker that has something, whichever.
    AnyBusy,
    /// Any worker: the one that asks does not know which have something.
    Any,
}

/// Messages by kind.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    pub steals: u64,
    pub refused: u64,
    pub work: u64,
    pub inserts: u64,
    pub forwards: u64,
    pub others: u64,
    pub bytes: u64,
}

impl Traffic {
    fn note(&mut self, message: &Message, bytes: u32) {
        *match message {
            Message::Steal { .. } => &mut self.steals,
            Message::Refuse => &mut self.refused,
            Message::Work(_) => &mut self.work,
            Message::Insert(_) => &mut self.inserts,
            Message::Forward(_) => &mut self.forwards,
            Message::Credit { .. } | Message::Close { .. } | Message::Free { .. } => {
                &mut self.others
            }
        } += 1;
        self.bytes += u64::from(bytes);
    }

    pub fn messages(&self) -> u64 {
        let answers = self.steals + self.refused + self.work;
        answers + self.inserts + self.forwards + self.others
    }
}

/// What became of a simulated search.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Time from the beginning until rank 0 knows that all is done, in seconds.
    pub seconds: f64,
    /// Share of the time that workers were without work, over all workers.
    pub idle_share: f64,
    /// Until every worker had had something, in seconds; `None`: some never had.
    pub all_busy: Option<f64>,
    /// Counters of all workers together.
    pub counters: Counters,
    pub traffic: Traffic,
    /// Messages to the worker that got the most.
    pub most_received: u64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The worker looks for something to do, if it did not do that since.
    Turn(usize, u64),
    /// A message arrives: where, and its place.
    Arrival(usize, usize),
}

struct Member<'a> {
    worker: Worker,
    actor: Actor<'a>,
    mail: VecDeque<(Message, u32)>,
    received: u64,
    done: Counters,
    /// True if the worker asked for work and has no answer.
    asked: bool,
    /// Whom it asked last.
    victim: usize,
    /// Until it looks again, if nothing comes.
    patience: Time,
    refused: bool,
    /// The time that the worker rested last after it was refused.
    backoff: Time,
    sleeps: bool,
    /// Counts its turns, so that one that is out of date is known.
    turn: u64,
    idle_since: Time,
    idle: Time,
    had_work: bool,
}

/// Longest time between two requests, as in `member.rs`.
const PATIENCE: Time = 1_000_000;
const PATIENCE_MAX: Time = 8 * PATIENCE;

struct Simulation<'a> {
    costs: Costs,
    policy: Policy,
    members: Vec<Member<'a>>,
    /// By worker: true if it says, visibly to all, that it has something to give.
    busy: Vec<bool>,
    events: BinaryHeap<Reverse<(Time, u64, What)>>,
    /// Orders what happens at one time.
    number: u64,
    post: Vec<Option<(Message, u32)>>,
    free: Vec<usize>,
    traffic: Traffic,
    random: u64,
    without: usize,
    all_busy: Option<Time>,
}

impl Simulation<'_> {
    fn at(&mut self, time: Time, what: What) {
        self.number += 1;
        self.events.push(Reverse((time, self.number, what)));
    }

    /// Sends a message; when that is done.
    fn send(&mut self, to: usize, message: Message, mut time: Time) -> Time {
        let bytes = postcard::experimental::serialized_size(&message).expect("plain data") as u32;
        self.traffic.note(&message, bytes);
        time += self.costs.of_sending(&message, bytes) as Time;
        let place = self.free.pop().unwrap_or_else(|| {
            self.post.push(None);
            self.post.len() - 1
        });
        self.post[place] = Some((message, bytes));
        self.at(time + self.costs.latency as Time, What::Arrival(to, place));
        time
    }

    fn arrive(&mut self, to: usize, place: usize, now: Time) {
        let message = self.post[place].take().expect("sent once");
        self.free.push(place);
        let member = &mut self.members[to];
        member.received += 1;
        member.mail.push_back(message);
        if member.sleeps {
            member.sleeps = false;
            member.turn += 1;
            let turn = member.turn;
            self.at(now + self.costs.wake as Time, What::Turn(to, turn));
        }
    }

    /// Sends what the worker has to say; when it is done with that.
    fn flush(&mut self, w: usize, mut time: Time) -> Time {
        for (to, message) in self.members[w].worker.outbox() {
            time = self.send(to.0 as usize, message, time);
        }
        time
    }

    fn turn(&mut self, w: usize, now: Time) -> Option<Time> {
        let mut time = now;
        while let Some((message, bytes)) = self.members[w].mail.pop_front() {
            time += self.costs.of_receiving(&message, bytes) as Time;
            let member = &mut self.members[w];
            match &message {
                Message::Work(_) => {
                    (member.asked, member.patience, member.backoff) = (false, PATIENCE, 0);
                }
                Message::Refuse => (member.asked, member.refused) = (false, true),
                _ => {}
            }
            let thief = match &message {
                Message::Steal { thief } => Some(*thief),
                _ => None,
            };
            member.worker.receive(message);
            if let Some(thief) = thief {
                for _ in 1..self.policy.gifts {
                    if !member.worker.give(thief) {
                        break;
                    }
                }
            }
            time = self.flush(w, time);
        }
        let member = &mut self.members[w];
        if member.worker.is_finished() {
            return Some(time);
        }
        if !member.worker.has_work() {
            self.wait(w, time);
            return None;
        }
        if !self.busy[w] {
            self.busy[w] = true;
            // What arrives while it still works ends no idleness.
            member.idle += now.saturating_sub(member.idle_since);
            if !std::mem::replace(&mut member.had_work, true) {
                self.without -= 1;
                self.all_busy = (self.without == 0).then_some(now);
            }
        }
        let executed = member.worker.step(&mut member.actor);
        executed.expect("no fault");
        let counters = member.worker.counters();
        let (all, before) = (self.costs.of(counters), self.costs.of(member.done));
        member.done = counters;
        time += (all - before) as Time;
        time = self.flush(w, time);
        self.again(w, time);
        None
    }

    fn again(&mut self, w: usize, time: Time) {
        let member = &mut self.members[w];
        member.turn += 1;
        let turn = member.turn;
        self.at(time, What::Turn(w, turn));
    }

    /// Nothing to do: asks and sleeps.
    fn wait(&mut self, w: usize, mut time: Time) {
        if std::mem::replace(&mut self.busy[w], false) {
            self.members[w].idle_since = time;
        }
        let member = &mut self.members[w];
        if std::mem::take(&mut member.refused) && self.policy.rest > 0 {
            member.backoff = (2 * member.backoff).clamp(self.policy.rest, PATIENCE_MAX);
            member.sleeps = true;
            let until = time + member.backoff;
            self.again(w, until);
            return;
        }
        if !self.members[w].asked {
            if let Some(victim) = self.choose(w) {
                let member = &mut self.members[w];
                (member.asked, member.victim) = (true, victim);
                let thief = WorkerId(w as u32);
                time = self.send(victim, Message::Steal { thief }, time);
            }
        }
        let member = &mut self.members[w];
        let until = time + member.patience;
        member.patience = (2 * member.patience).min(PATIENCE_MAX);
        member.sleeps = true;
        self.again(w, until);
    }

    fn choose(&mut self, w: usize) -> Option<usize> {
        let workers = self.members.len();
        match self.policy.asks {
            Asks::NextBusy => {
                let first = self.members[w].victim + 1;
                let mut others = (0..workers).map(|step| (first + step) % workers);
                others.find(|&other| other != w && self.busy[other])
            }
            Asks::AnyBusy => {
                let busy = (0..workers).filter(|&other| other != w && self.busy[other]);
                let busy: Vec<usize> = busy.collect();
                (!busy.is_empty()).then(|| busy[self.roll(busy.len())])
            }
            Asks::Any if workers == 1 => None,
            Asks::Any => Some((w + 1 + self.roll(workers - 1)) % workers),
        }
    }

    fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    fn run(&mut self) -> Time {
        for w in 0..self.members.len() {
            self.at(0, What::Turn(w, 0));
        }
        loop {
            let happens = self.events.pop();
            let Reverse((now, _, what)) = happens.expect("somebody always has a turn");
            match what {
                What::Arrival(to, place) => self.arrive(to, place, now),
                What::Turn(w, turn) if turn == self.members[w].turn => {
                    self.members[w].sleeps = false;
                    if let Some(end) = self.turn(w, now) {
                        return end;
                    }
                }
                What::Turn(..) => {}
            }
        }
    }

    /// Whoever still has or says something is wrong.
    fn check_end(&mut self, script: &Script) {
        let total = self.members[0].worker.total();
        assert_eq!(total.executions(), script.executions, "{}", script.name);
        for to in 0..self.members.len() {
            for (message, _) in std::mem::take(&mut self.members[to].mail) {
                self.members[to].worker.receive(message);
            }
            self.flush(to, 0);
        }
        while let Some(Reverse((_, _, what))) = self.events.pop() {
            if let What::Arrival(to, place) = what {
                let (message, _) = self.post[place].take().expect("sent once");
                self.members[to].worker.receive(message);
                self.flush(to, 0);
            }
        }
        assert!(self.members.iter().all(|m| !m.worker.has_work()));
        assert!(self.members[1..].iter().all(|m| m.worker.nodes() == 0));
    }
}

/// Explores with so many workers.
pub fn simulate(script: &Script, workers: usize, costs: Costs, policy: Policy) -> Run {
    let member = |rank: usize| Member {
        worker: Worker::new(WorkerId(rank as u32), Config::default()),
        actor: Actor::new(script),
        mail: VecDeque::new(),
        received: 0,
        done: Counters::default(),
        asked: false,
        victim: rank,
        patience: PATIENCE,
        refused: false,
        backoff: 0,
        sleeps: false,
        turn: 0,
        idle_since: 0,
        idle: 0,
        had_work: false,
    };
    let mut simulation = Simulation {
        costs,
        policy,
        members: (0..workers).map(member).collect(),
        busy: vec![false; workers],
        events: BinaryHeap::new(),
        number: 0,
        post: Vec::new(),
        free: Vec::new(),
        traffic: Traffic::default(),
        random: 1,
        without: workers,
        all_busy: None,
    };
    let end = simulation.run();
    let mut counters = Counters::default();
    let mut idle = 0;
    for (member, busy) in simulation.members.iter().zip(&simulation.busy) {
        counters += member.done;
        idle += member.idle
            + if *busy {
                0
            } else {
                end.saturating_sub(member.idle_since)
            };
    }
    assert_eq!(counters.executions(), script.executions, "{}", script.name);
    let traffic = simulation.traffic;
    let received = simulation.members.iter().map(|member| member.received);
    let most_received = received.max().unwrap_or(0);
    simulation.check_end(script);
    Run {
        seconds: end as f64 / 1e9,
        idle_share: idle as f64 / (end as f64 * workers as f64),
        all_busy: simulation.all_busy.map(|time| time as f64 / 1e9),
        counters,
        traffic,
        most_received,
    }
}

/// What one worker does that has everything.
pub fn alone(script: &Script) -> Counters {
    let mut worker = Worker::new(WorkerId(0), Config::default());
    let mut actor = Actor::new(script);
    while worker.step(&mut actor).expect("no fault").is_some() {}
    assert_eq!(
        worker.counters().executions(),
        script.executions,
        "{}",
        script.name
    );
    worker.counters()
}
