//! One worker: explores what it has, asks for more when it has nothing, and gives when it is asked.

use crate::account::Account;
use crate::keeper::Part;
use crate::learned_facts::LearnedFacts;
use crate::mailbox::Mailbox;
use crate::shared::{self, Order, Shared};
use dpor_engine::given::{concerns, system};
use dpor_engine::knowledge::worker::WorkerProcess;
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::{Engine, Searching};
use dpor_engine::stop::Stop;
use dpor_engine::{
    children, clock, execution, forked, search_config, signals, stopping, turn, worker_process,
};
use dpor_explorer::worker::{Frontier, Message, Worker, WorkerId};
use dpor_machine::sys;
use std::any::Any;
use std::sync::atomic::Ordering;

/// The kind of a message to the coordinator, which is its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Tag {
    /// [`LearnedFacts`] in the midst of a search.
    LearnedFacts = b'l',
    /// The [`Account`], the last message but one.
    Account = b'a',
    /// The reason why files could not be written.
    Commit = b'c',
    /// The [`Part`] of what is left.
    Part = b'p',
    /// A message for a worker of another rank, whose [`WorkerId`] comes first (four bytes, little-endian).
    Away = b'w',
    /// A request for work from any other rank, with the worker's own [`WorkerId`].
    Beg = b'b',
}

/// This process as a worker.
pub struct Member {
    rank: usize,
    shared: &'static Shared,
    mailbox: Mailbox,
    /// True if the worker asked for work and has no answer.
    asked: bool,
    /// State of the random numbers by which it is decided whom the worker asks.
    random: u64,
    /// Milliseconds until the worker asks again.
    patience: u64,
    /// Size of the facts that the worker told ([`LearnedFacts::size`]).
    told: usize,
    round: u32,
    /// Number of page faults before the worker began.
    faults: u64,
    idle_ns: u64,
    items: u64,
    /// Messages to and from other workers.
    sent: u64,
    received: u64,
    /// Number of times that the worker rested.
    rested: u64,
    wrote: u64,
}

/// Longest time between two requests for work.
const PATIENCE_MAX: u64 = 8;

/// This process, which was just forked, is worker `rank`. The first takes up what is `left` of the search,
/// if that is not all of it.
pub fn begin(
    engine: &mut Engine,
    rank: usize,
    shared: &'static Shared,
    left: Option<&Frontier>,
) -> ! {
    children::die_with_parent();
    (concerns().after_fork)();
    let (rt, search) = engine.parts();
    if !(concerns().to_worker)() {
        rt.stop = Some(Stop::Unsupported(
            "a directory that several processes cannot read (-j)".to_owned(),
        ));
    }
    let mut config = search_config::config(dpor_explorer::SearchKind::Optimal, &rt.options);
    config.crowded_barriers.clone_from(&rt.crowded);
    config.awaited_cells.clone_from(&rt.awaited);
    let resumed = left
        .filter(|_| shared.id(rank) == WorkerId(0))
        .map(|left| Worker::resume(config.clone(), left));
    if let Some(Err(_)) = resumed {
        rt.stop = Some(Stop::Failure("the saved search is damaged".to_owned()));
    }
    let new = || Worker::new(shared.id(rank), config);
    // Plans that are sent do not say how early a look may come.
    rt.looks = false;
    *search = Searching::Together(resumed.and_then(Result::ok).unwrap_or_else(new));
    rt.restoring.tell_again();
    (rt.taken, rt.restored, rt.forks, rt.bytes_taken) = (0, 0, 0, 0);
    rt.worker = Some(Box::new(Member {
        rank,
        shared,
        mailbox: Mailbox::new(shared, rank),
        asked: false,
        random: u64::from(shared.id(rank).0),
        patience: 1,
        told: LearnedFacts::size(rt),
        round: 0,
        faults: signals::faults(),
        idle_ns: 0,
        items: 0,
        sent: 0,
        received: 0,
        rested: 0,
        wrote: 0,
    }));
    if forked::is_used(&rt.options) {
        forked::take(0);
    }
    while shared.stop() == shared::Stop::No && engine.rt().stop.is_none() {
        turn(engine);
    }
    leave(engine)
}

fn worker(engine: &mut Engine) -> (&mut Worker, &mut Member) {
    let (rt, search) = engine.parts();
    let member = rt
        .worker
        .as_deref_mut()
        .map(|worker| worker as &mut dyn Any);
    match (search, member.and_then(<dyn Any>::downcast_mut)) {
        (Searching::Together(worker), Some(member)) => (worker, member),
        _ => unreachable!("[dpor internal bug] a worker has its part of the search"),
    }
}

/// Reads messages, and runs one execution or waits for something to do.
fn turn(engine: &mut Engine) {
    let (worker, member) = worker(engine);
    if member.shared.ordered().0 != Order::Run {
        return rest(engine);
    }
    if member.shared.has_mail(member.rank) {
        member.read(worker);
    }
    if worker.is_finished() {
        member.shared.end(shared::Stop::Done);
        return;
    }
    if !worker.has_work() {
        return member.wait(worker);
    }
    member.shows_work(true);
    let rt = engine.rt();
    if is_used_up(rt) {
        let member = member_of(rt);
        match rt.stop {
            Some(_) => member.shared.end(shared::Stop::UsedUp),
            // The coordinator is going to have all rest.
            None => member.shared.sleep(member.rank, 1),
        }
        return;
    }
    let turn = execution::turn(engine);
    let rt = engine.rt();
    let why = match turn {
        turn::Turn::Learnt => Some(shared::Stop::Learnt),
        _ if rt.stop.is_some() || is_enough(rt) => Some(shared::Stop::Enough),
        _ => None,
    };
    let executions = rt.findings.executions.total();
    let learnt = LearnedFacts::size(rt);
    let (worker, member) = self::worker(engine);
    member.shared.executions[member.rank]
        .0
        .store(executions, Ordering::Relaxed);
    if let Some(why) = why {
        member.shared.end(why);
        return;
    }
    member.write(worker);
    let round = member.shared.round.load(Ordering::Relaxed);
    if round != member.round {
        member.round = round;
        let estimate = worker.explorer().estimate();
        member.shared.estimate(member.rank, estimate);
        if learnt != member.told {
            member.told = learnt;
            let facts = LearnedFacts::of(engine.rt());
            self::worker(engine).1.tell(Tag::LearnedFacts, &facts);
        }
    }
}

/// Whether no more executions may be run.
fn is_used_up(rt: &mut Runtime) -> bool {
    let member = member_of(rt);
    if rt.options.max_executions == 0 || member.shared.take_ticket() {
        return false;
    }
    match rt.options.save.is_empty() && rt.options.cluster.is_none() {
        true => rt.stop = Some(too_many(rt)),
        false => member.shared.use_up(),
    }
    true
}

/// The executions allowed are used up.
pub fn too_many(rt: &Runtime) -> Stop {
    let most = rt.options.max_executions;
    Stop::Incomplete(format!("max-executions: {most} explored"))
}

fn is_enough(rt: &mut Runtime) -> bool {
    if !rt.options.save.is_empty() {
        // Limits and signals are the coordinator's: it has what is left written down first.
    } else if signals::is_interrupted() {
        rt.stop = Some(stopping::interrupted());
    } else if execution::is_time_to_look(rt) && stopping::is_out_of_time(rt) {
        rt.stop = Some(stopping::time_is_up(rt));
    }
    rt.stop.is_some() || (rt.findings.has_bug && !rt.options.keep_going)
}

/// Executes nothing until it may go on; writes down what it has when it is asked to.
fn rest(engine: &mut Engine) {
    let begin = clock::monotonic_ns();
    let (worker, member) = worker(engine);
    let (order, times) = member.shared.ordered();
    if member.rested != times {
        member.rested = times;
        worker.pause();
        member.write(worker);
        member.shared.rest(member.rank, times);
    }
    if order == Order::Write && member.wrote != times {
        member.wrote = times;
        let account = serde_json::to_vec(&account(engine));
        let (worker, member) = self::worker(engine);
        let part = Part {
            account: account.expect("[dpor internal bug] plain data"),
            frontier: worker.frontier(),
        };
        member.send(Tag::Part, |message| {
            postcard::to_extend(&part, message).expect("[dpor internal bug] plain data")
        });
        return;
    }
    if member.shared.has_mail(member.rank) {
        member.read(worker);
    } else {
        let is_sent = member.mailbox.flush();
        member
            .shared
            .sleep(member.rank, if is_sent { PATIENCE_MAX } else { 1 });
    }
    member.idle_ns += clock::monotonic_ns() - begin;
}

/// The account of what this worker did and found so far.
fn account(engine: &mut Engine) -> Account {
    let (rt, search) = engine.parts();
    let mut account = Account::of(rt, search);
    let (_, member) = worker(engine);
    account.subtract_faults(member.faults);
    account.idle_ns = member.idle_ns;
    account.items = member.items;
    account.messages = member.mailbox.sent;
    account
}

impl WorkerProcess for Member {
    fn is_told_to_end(&self) -> bool {
        // Whoever began an execution while it was allowed ends it.
        let goes_on = [shared::Stop::No, shared::Stop::UsedUp];
        !goes_on.contains(&self.shared.stop())
    }

    fn ends_for_what_it_learnt(&self) {
        self.shared.end(shared::Stop::Learnt);
    }

    fn number(&self, creator: u16, nth: u16) -> Option<Vec<(u16, u16)>> {
        while !self.shared.number_by_all(self.rank, creator, nth)? {
            if self.shared.stop() != shared::Stop::No {
                stopping::stop_now(Stop::Told);
            }
            clock::pause();
        }
        Some(self.shared.names())
    }
}

/// This process as a worker.
fn member_of(rt: &Runtime) -> &Member {
    let worker = rt.worker.as_deref().map(|worker| worker as &dyn Any);
    worker
        .and_then(<dyn Any>::downcast_ref)
        .expect("[dpor internal bug] a worker knows what it is")
}

impl Member {
    fn shows_work(&self, has_work: bool) {
        let bit = 1 << self.rank;
        let busy = &self.shared.busy.0;
        if (busy.load(Ordering::Relaxed) & bit != 0) != has_work {
            busy.fetch_xor(bit, Ordering::Relaxed);
        }
    }

    fn read(&mut self, worker: &mut Worker) {
        for (_, bytes) in self.mailbox.receive() {
            let message: Message =
                postcard::from_bytes(&bytes).expect("[dpor internal bug] a message can be read");
            match &message {
                Message::Work(_) => (self.asked, self.patience) = (false, 1),
                Message::Refuse => self.asked = false,
                _ => {}
            }
            worker.receive(message);
            self.received += 1;
        }
        self.write(worker);
    }

    fn write(&mut self, worker: &mut Worker) {
        for (to, message) in worker.outbox() {
            self.items += u64::from(matches!(message, Message::Work(_)));
            let bytes = postcard::to_allocvec(&message).expect("[dpor internal bug] plain data");
            match Shared::place(to) {
                (rank, to) if rank == self.shared.rank => self.mailbox.send(to, &bytes),
                _ => self.send_away(Tag::Away, to, &bytes),
            }
            self.sent += 1;
        }
        self.shared.count(self.rank, self.sent, self.received);
        self.mailbox.flush();
    }

    /// Asks for work and sleeps: the worker has nothing to do.
    fn wait(&mut self, worker: &mut Worker) {
        self.shows_work(false);
        let begin = clock::monotonic_ns();
        if !self.asked {
            self.ask();
        }
        self.write(worker);
        let is_sent = self.mailbox.flush();
        self.shared
            .sleep(self.rank, if is_sent { self.patience } else { 1 });
        self.patience = (2 * self.patience).min(PATIENCE_MAX);
        self.idle_ns += clock::monotonic_ns() - begin;
    }

    /// Asks for work: a worker of this rank, or else another rank.
    fn ask(&mut self) {
        let thief = self.shared.id(self.rank);
        if let Some(victim) = self.draw_victim() {
            let request = postcard::to_allocvec(&Message::Steal { thief });
            self.mailbox
                .send(victim, &request.expect("[dpor internal bug] plain data"));
        } else if self.shared.ranks > 1 {
            self.send_away(Tag::Beg, thief, &[]);
        } else {
            return;
        }
        self.asked = true;
        self.sent += 1;
    }

    /// Sends a message to a worker of another rank, through the coordinator.
    fn send_away(&mut self, tag: Tag, worker: WorkerId, bytes: &[u8]) {
        let worker = worker.0.to_le_bytes();
        let message = [&[tag as u8], worker.as_slice(), bytes].concat();
        self.mailbox.send(self.shared.coordinator(), &message);
    }

    /// Chooses one of the workers that have something: if all took the next one in turn, they would ask the same few.
    fn draw_victim(&mut self) -> Option<usize> {
        let busy = self.shared.busy.0.load(Ordering::Relaxed) & !(1 << self.rank);
        let draw = splitmix(&mut self.random).checked_rem(busy.count_ones().into())?;
        let without = (0..draw).fold(busy, |rest, _| rest & (rest - 1));
        Some(without.trailing_zeros() as usize)
    }

    /// Sends `what` to the coordinator, as JSON.
    fn tell<T: serde::Serialize>(&mut self, tag: Tag, what: &T) {
        self.send(tag, |mut message| {
            serde_json::to_writer(&mut message, what).expect("[dpor internal bug] plain data");
            message
        });
    }

    /// Sends to the coordinator a message with that tag and what `with` appends.
    fn send(&mut self, tag: Tag, with: impl FnOnce(Vec<u8>) -> Vec<u8>) {
        let message = with(vec![tag as u8]);
        self.mailbox.send(self.shared.coordinator(), &message);
        self.mailbox.flush();
    }

    /// Says how long the worker would have to go, with what others gave it and it did not begin. Estimates of other
    /// moments do not go together: what one worker gave away in between and another had not received is in none of them.
    fn estimate_at_end(&mut self, worker: &mut Worker) {
        for (_, bytes) in self.mailbox.receive() {
            // Answers are for nobody.
            if let Ok(message) = postcard::from_bytes(&bytes) {
                worker.receive(message);
            }
        }
        self.shared
            .estimate(self.rank, worker.explorer().estimate());
    }

    /// Waits until the coordinator has everything.
    fn drain(&mut self) {
        while !self.mailbox.flush() {
            clock::pause();
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// This worker is at its end: gives account and ends the process.
pub fn leave(engine: &mut Engine) -> ! {
    signals::disarm();
    if worker_process::is_helper() {
        worker_process::give_up();
    }
    let rt = engine.rt();
    forked::is_over(rt);
    if rt.stop.is_some() {
        let member = member_of(rt);
        member.shared.end(shared::Stop::Enough);
    }
    let stop = rt.stop.take().filter(|stop| *stop != Stop::Told);
    let commits = rt.options.commit_files;
    let mut account = account(engine);
    account.stop = stop;
    let (worker, member) = worker(engine);
    member.estimate_at_end(worker);
    member.tell(Tag::Account, &account);
    member.drain();
    if commits && member.shared.await_committer() == Some(member.rank) {
        if let Err(why) = system().write_files() {
            member.tell(Tag::Commit, &why);
            member.drain();
        }
    }
    #[cfg(feature = "training")]
    dpor_engine::training::leave_counters();
    sys::exit_group(0)
}
