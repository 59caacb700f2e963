//! Keeps what is left of the search, from time to time.
//!
//! ```text
//!   coordinator:  Rest ──► all rest, and received = sent ──► Write ──► all parts are here ──► Run
//! ```
//!
//! Workers that rest execute nothing and go on reading their messages. Each counts what it sent to other
//! workers, and only afterwards the message that it answered; so where the sums are equal nothing is
//! under way, and as all rest, nothing will be.
//!
//! Source: counting messages to find out that none is under way: Mattern, *Algorithms for distributed
//! termination detection* (1987), section 5. The sums may be read one after the other because received
//! ones are read first.

use crate::account::Account;
use crate::cluster::Lead;
use crate::saved::{Identity, SavedSearch};
use crate::shared::{Order, Shared};
use dpor_engine::runtime::Runtime;
use dpor_engine::stop::Stop;
use dpor_engine::{clock, process, signals};
use dpor_explorer::worker::Frontier;
use dpor_explorer::Counters;
use serde::{Deserialize, Serialize};

/// Nanoseconds of work that are worth keeping.
const WORTH_NS: u64 = 1_000_000_000;
/// Least ratio of the time that passes to the time that keeping takes.
const SHARE: u64 = 50;
/// Nanoseconds that the end of the check waits for executions that are under way.
const PATIENCE_NS: u64 = 2_000_000_000;
/// Nanoseconds of the same wait in a cluster that is told to end: whoever tells it so may kill it after a second.
const PATIENCE_OF_CLUSTER_NS: u64 = 200_000_000;

/// A worker's account and its part of the tree, as it sends them.
#[derive(Serialize, Deserialize)]
pub struct Part {
    /// The account as JSON.
    pub account: Vec<u8>,
    /// The worker's part of the tree.
    pub frontier: Frontier,
}

enum Phase {
    Waiting,
    Resting,
    Writing(Vec<Option<Part>>),
}

/// The coordinator's record of what is left of the search, and the phase in which it brings the record up to date.
pub struct Keeper {
    phase: Phase,
    /// Monotonic time in nanoseconds at which the present phase began.
    since_ns: u64,
    /// Monotonic time in nanoseconds at which the record is due to be brought up to date.
    due_ns: u64,
    /// The reason why the check ends once the record is up to date, if it does.
    closing: Option<Stop>,
    /// The file that the record is written to, with what the file says of this process.
    file: Option<(String, Identity)>,
    /// The record that these workers began with.
    before: Option<SavedSearch>,
    /// The last record of these workers.
    pub latest: Option<SavedSearch>,
}

/// What the coordinator is to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The workers go on.
    GoOn,
    /// The parts of the workers do not belong to one search.
    Apart,
    /// The check is over.
    Over,
}

impl Keeper {
    /// A keeper for workers that begin with what there was `before`.
    pub fn new(rt: &Runtime, before: Option<SavedSearch>) -> Keeper {
        let now = clock::monotonic_ns();
        let path = &rt.options.save;
        Keeper {
            phase: Phase::Waiting,
            since_ns: now,
            due_ns: now + WORTH_NS,
            closing: None,
            file: (!path.is_empty()).then(|| (path.clone(), Identity::of(rt))),
            before,
            latest: None,
        }
    }

    /// The frontier that a worker begins with which is to take up everything.
    pub fn frontier(&self) -> Option<&Frontier> {
        self.before.as_ref().map(|before| &before.frontier)
    }

    /// The accounts of the workers before these.
    pub fn earlier(&self) -> Vec<Account> {
        let before = self.before.as_ref();
        before.map_or(Vec::new(), |before| before.accounts.clone())
    }

    /// The number of executions before these workers.
    pub fn executed_before(&self) -> u64 {
        self.before.as_ref().map_or(0, SavedSearch::executions)
    }

    /// Whether these workers went on with an earlier search.
    pub fn has_earlier(&self) -> bool {
        self.before.is_some()
    }

    /// The accounts of these workers and of those before them, as far as they were kept.
    pub fn accounts(&self) -> Vec<Account> {
        let last = self.latest.as_ref().or(self.before.as_ref());
        last.map_or(Vec::new(), |last| last.accounts.clone())
    }

    /// The record that others can begin with if these workers come to nothing.
    pub fn last(self) -> Option<SavedSearch> {
        self.latest.or(self.before)
    }

    /// The check is to end for this reason: once what is left is kept, if it is.
    pub fn close(&mut self, rt: &Runtime, why: Stop) -> Option<Stop> {
        if self.file.is_none() {
            return Some(why);
        }
        if self.closing.is_none() {
            let patience = match signals::is_interrupted() && rt.options.cluster.is_some() {
                true => PATIENCE_OF_CLUSTER_NS,
                false => PATIENCE_NS,
            };
            self.closing = Some(why);
            self.due_ns = clock::monotonic_ns() + patience;
        }
        None
    }

    /// Takes the part of a worker.
    pub fn receive(&mut self, writer: usize, part: Part) {
        if let Phase::Writing(parts) = &mut self.phase {
            parts[writer] = Some(part);
        }
    }

    /// True if the keeper waits for something that will not take long.
    pub fn is_busy(&self) -> bool {
        !matches!(self.phase, Phase::Waiting)
    }

    /// Goes on with the present phase as far as is possible now.
    pub fn turn(
        &mut self,
        rt: &mut Runtime,
        shared: &Shared,
        mut lead: Option<&mut Lead>,
    ) -> Verdict {
        let now = clock::monotonic_ns();
        match &mut self.phase {
            Phase::Waiting if self.closing.is_some() || (now >= self.due_ns && is_kept(rt)) => {
                self.since_ns = now;
                self.phase = Phase::Resting;
                order(shared, lead, Order::Rest);
            }
            Phase::Resting if is_quiet(shared, lead.as_deref_mut()) => {
                let ranks = lead.as_ref().map_or(1, |lead| lead.size());
                let parts = (0..ranks * shared.workers()).map(|_| None);
                self.phase = Phase::Writing(parts.collect());
                order(shared, lead, Order::Write);
            }
            Phase::Writing(parts) if parts.iter().all(Option::is_some) => {
                let parts = core::mem::take(parts).into_iter().flatten().collect();
                self.phase = Phase::Waiting;
                return self.keep(rt, (shared, lead), parts, now);
            }
            _ if self.closing.is_some() && now >= self.due_ns => {
                let (path, _) = self.file.as_ref().expect("it closes because of it");
                process::note(&format!(
                    "what was explored last is not in {path}: not all workers came to rest in time"
                ));
                rt.stop = self.closing.take();
                return Verdict::Over;
            }
            _ => {}
        }
        Verdict::GoOn
    }

    fn keep(
        &mut self,
        rt: &mut Runtime,
        (shared, lead): (&Shared, Option<&mut Lead>),
        parts: Vec<Part>,
        now: u64,
    ) -> Verdict {
        let mut accounts = Vec::new();
        let mut frontier = Frontier::default();
        let mut apart = false;
        for part in parts {
            let account: Account = serde_json::from_slice(&part.account)
                .expect("[dpor internal bug] a worker writes what can be read");
            match account.facts.clone().add_to(rt) {
                Ok(differs) => apart |= differs,
                Err(why) => rt.stop = Some(Stop::Failure(why)),
            }
            accounts.push(account);
            frontier.add(part.frontier);
        }
        dpor_engine::worker_process::know(rt, &shared.names());
        if apart {
            return Verdict::Apart;
        }
        let saved = SavedSearch::new(rt, self.before.as_ref(), accounts, frontier);
        if let Some((path, identity)) = &self.file {
            if let Err(why) = saved.write(identity, &rt.options.clock, path) {
                rt.stop = Some(Stop::Failure(why));
                return Verdict::Over;
            }
        }
        self.latest = Some(saved);
        if self.closing.is_some() {
            rt.stop = self.closing.take();
            return Verdict::Over;
        }
        order(shared, lead, Order::Run);
        let took = clock::monotonic_ns() - self.since_ns;
        self.due_ns = now + WORTH_NS.max(SHARE * took);
        Verdict::GoOn
    }

    /// The search may be over: what the file would have to say of it.
    pub fn whole(&self, accounts: &[Account]) -> Option<Vec<Account>> {
        let all = || accounts.iter().cloned().chain(self.earlier()).collect();
        self.file.is_some().then(all)
    }

    /// The search is over: the file says so.
    ///
    /// # Errors
    /// One sentence.
    pub fn finish(&self, rt: &Runtime, accounts: Vec<Account>) -> Result<(), String> {
        let Some((path, identity)) = &self.file else {
            return Ok(());
        };
        let mut counters = Counters::default();
        accounts
            .iter()
            .for_each(|account| counters += account.counters);
        let saved = SavedSearch::new(rt, None, accounts, Frontier::finished(counters));
        saved.write(identity, &rt.options.clock, path)
    }
}

fn order(shared: &Shared, lead: Option<&mut Lead>, order: Order) {
    match lead {
        None => shared.order(order),
        Some(lead) => lead.order(shared, order),
    }
}

fn is_quiet(shared: &Shared, lead: Option<&mut Lead>) -> bool {
    match lead {
        None => shared.is_quiet(),
        Some(lead) => lead.is_quiet(shared),
    }
}

/// Whether what is left is kept while the search runs. Files that an execution wrote are with the worker
/// that ran it.
fn is_kept(rt: &Runtime) -> bool {
    !rt.options.commit_files
}
