//! Several workers in one process, and a transport that delays and reorders what they say.

use crate::brute::State;
use crate::compare::Defects;
use crate::interpreter::{Interpreter, Threads};
use crate::random::Random;
use dpor_explorer::worker::{Frontier, Message, Worker, WorkerId};
use dpor_explorer::{Config, End, Fault, Mutation, Order};
use dpor_model::ThreadId;
use std::collections::{HashMap, HashSet};

/// How the transport and the scheduler of the workers behave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Adversary {
    /// Messages in any order, about as often as executions.
    Fair,
    /// Messages are delivered rarely, until nobody can go on without.
    LongDelays,
    /// Mostly the newest message first.
    NewestFirst,
    /// An order of work in which one worker hardly ever runs.
    Starved,
    /// Each worker starts any node, with any default thread.
    RandomWork,
    /// None: messages arrive before anybody goes on, and only those ask for work who have none.
    Friendly,
}

pub const ADVERSARIES: [Adversary; 5] = [
    Adversary::Fair,
    Adversary::LongDelays,
    Adversary::NewestFirst,
    Adversary::Starved,
    Adversary::RandomWork,
];

/// The setting of a simulated run.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub workers: usize,
    pub adversary: Adversary,
    /// Percent of the rounds in which somebody gives a random worker a part of its work.
    pub steals: usize,
    pub seed: u64,
    /// Number of rounds of a thousand after which the rest of the search is written down, and equally the number after
    /// which all workers die and others take up what was written last.
    pub saves: usize,
    /// Nobody says beforehand which barriers are crowded.
    pub learns: bool,
    pub mutation: Mutation,
}

impl Setting {
    /// A random setting: 2 to 16 workers, any adversary.
    pub fn random(r: &mut Random) -> Self {
        Setting {
            workers: 2 + r.below(15),
            adversary: r.pick(&ADVERSARIES),
            steals: r.pick(&[5, 20, 50, 90]),
            saves: r.pick(&[0, 0, 20, 100]),
            seed: r.next(),
            learns: r.percent(30),
            mutation: Mutation::None,
        }
    }
}

/// Messages sent, by kind, and the largest tree.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    pub work: u64,
    pub insert: u64,
    /// Insertions that were sent before, word by word. (Friendly runs only.)
    pub repeated: u64,
    pub forward: u64,
    pub close: u64,
    pub free: u64,
    /// Nodes retained by all workers together, at most.
    pub nodes_max: usize,
    pub executions: u64,
    pub events: u64,
    /// Frontiers written, and how often others took one up.
    pub saved: u64,
    pub resumed: u64,
}

impl Traffic {
    pub fn add(&mut self, other: &Traffic) {
        self.work += other.work;
        self.insert += other.insert;
        self.repeated += other.repeated;
        self.forward += other.forward;
        self.close += other.close;
        self.free += other.free;
        self.nodes_max = self.nodes_max.max(other.nodes_max);
        self.executions += other.executions;
        self.events += other.events;
        self.saved += other.saved;
        self.resumed += other.resumed;
    }

    fn note(&mut self, message: &Message) {
        match message {
            Message::Work(_) => self.work += 1,
            Message::Insert(_) => self.insert += 1,
            Message::Forward(_) => self.forward += 1,
            Message::Close { .. } => self.close += 1,
            Message::Free { .. } => self.free += 1,
            _ => {}
        }
    }
}

struct Simulation<'a> {
    threads: &'a Threads,
    setting: Setting,
    config: &'a Config,
    random: Random,
    workers: Vec<Worker>,
    programs: Vec<Interpreter>,
    network: Vec<(WorkerId, Message)>,
    starved: usize,
    traffic: Traffic,
    sent: HashSet<String>,
}

impl Simulation<'_> {
    /// Lets one thing happen: a message arrives, or a worker runs, perhaps after giving work away.
    /// The worker that executed something, with its end.
    fn round(&mut self) -> Result<Option<(usize, End)>, Fault> {
        let all = 0..self.workers.len();
        let mut busy: Vec<usize> = all.filter(|&w| self.workers[w].has_work()).collect();
        if self.setting.adversary == Adversary::Starved && self.random.percent(98) {
            busy.retain(|&w| w != self.starved);
        }
        let deliveries = match self.setting.adversary {
            Adversary::Friendly => 100,
            Adversary::Fair => 50,
            Adversary::LongDelays => 3,
            Adversary::NewestFirst | Adversary::RandomWork => 30,
            Adversary::Starved => 40,
        };
        if !self.network.is_empty() && (busy.is_empty() || self.random.percent(deliveries)) {
            self.deliver();
            return Ok(None);
        }
        if busy.is_empty() {
            return Ok(None);
        }
        let w = self.random.pick(&busy);
        if self.setting.adversary == Adversary::Friendly {
            let thief = self.random.below(self.workers.len());
            if !self.workers[thief].has_work() {
                let thief = WorkerId(thief as u32);
                let request = Message::Steal { thief };
                self.network.push((WorkerId(w as u32), request));
                return Ok(None);
            }
        }
        if self.random.percent(self.setting.steals) {
            let thief = self.random.below(self.workers.len());
            if thief != w {
                self.steal(w, thief);
                return Ok(None);
            }
        }
        let executed = self.workers[w].step(&mut self.programs[w])?;
        self.collect(w);
        Ok(executed.map(|execution| (w, execution.end)))
    }

    /// What is left of the search, once every message was received.
    fn save(&mut self) -> Frontier {
        for w in 0..self.workers.len() {
            self.workers[w].pause();
            self.collect(w);
        }
        while !self.network.is_empty() {
            self.deliver();
        }
        let mut left = Frontier::default();
        for worker in &mut self.workers {
            left.add(worker.frontier());
        }
        self.traffic.saved += 1;
        let bytes = postcard::to_stdvec(&left).expect("plain data");
        let read = postcard::from_bytes(&bytes).expect("as it was written");
        assert_eq!(left, read, "nothing is lost on the way");
        read
    }

    /// Other workers, perhaps more or fewer, take up what is left.
    fn resume(&mut self, left: &Frontier) {
        self.traffic.resumed += 1;
        self.network.clear();
        let count = 1 + self.random.below(16);
        self.starved = self.random.below(count);
        let first = Worker::resume(self.config_of(0), left).expect("as it was written");
        let others = 1..count;
        let others = others.map(|rank| Worker::new(WorkerId(rank as u32), self.config_of(rank)));
        self.workers = std::iter::once(first).chain(others).collect();
        let programs = (0..count).map(|_| Interpreter::new(self.threads));
        self.programs = programs.collect();
    }

    fn config_of(&self, rank: usize) -> Config {
        let mut config = self.config.clone();
        config.mutation = self.setting.mutation.into();
        if self.setting.adversary == Adversary::RandomWork {
            config.order = Order::Random(self.setting.seed ^ rank as u64);
        }
        config
    }

    /// Takes work from a worker: by a request that may be refused, or unasked, down to the last piece.
    fn steal(&mut self, from: usize, thief: usize) {
        let thief = WorkerId(thief as u32);
        if self.random.percent(30) {
            let request = (WorkerId(from as u32), Message::Steal { thief });
            self.network.push(request);
        } else {
            self.workers[from].give(thief);
            self.collect(from);
        }
    }

    fn deliver(&mut self) {
        let newest = self.setting.adversary == Adversary::NewestFirst && self.random.percent(80);
        let at = if newest {
            self.network.len() - 1
        } else {
            self.random.below(self.network.len())
        };
        let (to, message) = self.network.swap_remove(at);
        self.workers[to.0 as usize].receive(message);
        self.collect(to.0 as usize);
    }

    fn collect(&mut self, from: usize) {
        for (to, message) in self.workers[from].outbox() {
            self.traffic.note(&message);
            if self.setting.adversary == Adversary::Friendly {
                if let Message::Insert(_) = message {
                    let new = self.sent.insert(format!("{message:?}"));
                    self.traffic.repeated += u64::from(!new);
                }
            }
            self.network.push((to, through_bytes(message)));
        }
        let nodes = self.workers.iter().map(Worker::nodes).sum();
        self.traffic.nodes_max = self.traffic.nodes_max.max(nodes);
    }
}

/// What arrives of a message that travels as bytes.
fn through_bytes(message: Message) -> Message {
    let bytes = serde_json::to_vec(&message).expect("plain data");
    let arrived = serde_json::from_slice(&bytes).expect("as it was written");
    assert_eq!(message, arrived, "nothing is lost on the way");
    arrived
}

/// What became of a simulated search.
pub struct Run {
    pub traffic: Traffic,
    /// The workers did not notice that they were done, or never were.
    pub unfinished: bool,
    pub fault: Option<Fault>,
}

/// Explores with several workers. `note` is told of each execution; `limit`: how many there should be.
pub fn run(
    threads: &Threads,
    setting: Setting,
    config: &Config,
    limit: usize,
    mut note: impl FnMut(&End, &[(ThreadId, u32)]),
) -> Run {
    let mut random = Random(setting.seed);
    let mut simulation = Simulation {
        threads,
        setting,
        config,
        workers: Vec::new(),
        programs: (0..setting.workers)
            .map(|_| Interpreter::new(threads))
            .collect(),
        network: Vec::new(),
        starved: random.below(setting.workers),
        random,
        traffic: Traffic::default(),
        sent: HashSet::new(),
    };
    let ranks = 0..setting.workers;
    simulation.workers = ranks
        .map(|rank| Worker::new(WorkerId(rank as u32), simulation.config_of(rank)))
        .collect();
    let mut executions = 0;
    let mut unfinished = false;
    let mut fault = None;
    // What was written last, and the executions since then.
    let mut saved: Option<Frontier> = None;
    let mut since: Vec<(End, Vec<(ThreadId, u32)>)> = Vec::new();
    // A wrong search might not end.
    let mut rounds = 1_000 * (limit + 100);
    while !simulation.workers[0].is_finished() {
        rounds -= 1;
        let idle =
            simulation.network.is_empty() && !simulation.workers.iter().any(Worker::has_work);
        if idle || rounds == 0 || executions + since.len() > 10 * limit + 100 {
            unfinished = true;
            break;
        }
        let dice = simulation.random.below(1_000);
        if dice < setting.saves {
            let left = simulation.save();
            executions += since.len();
            since.drain(..).for_each(|(end, s)| note(&end, &s));
            if simulation.random.percent(30) {
                simulation.resume(&left);
            }
            saved = Some(left);
            continue;
        }
        if let (true, Some(left)) = (dice < 2 * setting.saves, &saved) {
            since.clear();
            simulation.resume(left);
            // Whoever dies all the time gets nowhere.
            saved = None;
            continue;
        }
        let (w, end) = match simulation.round() {
            Ok(Some(executed)) => executed,
            Ok(None) => continue,
            Err(stop) => {
                fault = Some(stop);
                break;
            }
        };
        since.push((end, simulation.workers[w].schedule()));
    }
    executions += since.len();
    since.drain(..).for_each(|(end, s)| note(&end, &s));
    if !unfinished && fault.is_none() && setting.mutation == Mutation::None {
        check_end(&mut simulation, executions as u64);
    }
    simulation.traffic.executions = executions as u64;
    let events = simulation.workers.iter().map(|w| w.counters().events);
    simulation.traffic.events = events.sum();
    Run {
        traffic: simulation.traffic,
        unfinished,
        fault,
    }
}

/// Explores with several workers and compares the executions with the oracle's traces.
pub fn simulate(
    threads: &Threads,
    expected: &HashMap<u128, State>,
    setting: Setting,
) -> (Defects, Traffic) {
    let any = expected.values().next().expect("some execution is maximal");
    let mut config = Config::default();
    config.reductions.turns = any.turns;
    if !setting.learns {
        config.crowded_barriers = any.crowded.barriers();
    }
    loop {
        let mut seen: HashMap<u128, usize> = HashMap::new();
        let mut defects = Defects::default();
        let run = run(
            threads,
            setting,
            &config,
            expected.len(),
            |end, schedule| {
                defects.note(threads, true, expected, &mut seen, end, schedule);
            },
        );
        if let (true, Some(Fault::CrowdedBarrier { barrier, width })) = (setting.learns, &run.fault)
        {
            config.crowded_barriers.push((*barrier, *width));
            continue;
        }
        defects.fault += usize::from(run.fault.is_some());
        defects.unfinished += usize::from(run.unfinished);
        defects.count(expected, &seen);
        return (defects, run.traffic);
    }
}

/// When rank 0 says that all is done, it is, and everything was counted and is freed.
fn check_end(simulation: &mut Simulation<'_>, executions: u64) {
    assert_eq!(
        simulation.workers[0].total().executions(),
        executions,
        "all counted"
    );
    while !simulation.network.is_empty() {
        simulation.deliver();
    }
    for worker in &simulation.workers {
        assert!(!worker.has_work(), "no work left");
    }
    // At most one child of the root per thread and alternative, and the root.
    assert!(simulation.workers[0].nodes() < 64, "all freed");
    for worker in &simulation.workers[1..] {
        assert_eq!(worker.nodes(), 0, "all freed");
    }
}
