//! The process of the root: forks the workers, waits for them, and puts together what they report.

use crate::account::Account;
use crate::cluster::{Lead, Reported};
use crate::keeper::{Keeper, Verdict};
use crate::learned_facts::LearnedFacts;
use crate::member::{self, Tag};
use crate::number::wanted;
use crate::saved::{self, SavedSearch};
use crate::shared::{self, Shared};
use crate::team::Team;
use dpor_abi::journal::Announced;
use dpor_abi::options::Output;
use dpor_engine::knowledge::sums::Sums;
#[cfg(feature = "mutations")]
use dpor_engine::mutations::{self, Mutation};
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::Engine;
use dpor_engine::stop::Stop;
use dpor_engine::{
    clock, estimating, execution, journal, progress, schedule, signals, stopping, turn,
};
use dpor_machine::sys;
use dpor_report::{Executions, Total};
use std::sync::atomic::Ordering;

/// Milliseconds between two looks at the workers.
const LOOK_MS: u64 = 20;
/// Nanoseconds between two times that workers tell what they learnt.
const TELL_NS: u64 = 100_000_000;
/// Times that a worker may be killed from outside before the check gives up.
const KILLED_MAX: u32 = 8;

/// Nanoseconds that a cluster which is told to end waits for accounts: a rank may be gone.
const PATIENCE_NS: u64 = 100_000_000;

/// The end of a round.
enum Ended {
    /// What the workers explored is the search, as far as it went.
    Settled,
    /// The workers learnt something, so that what they explored is of no use.
    Again,
    /// A worker died, with this wait status; what it left is in this process's journal.
    Died(i32),
    /// A worker was killed, in an execution of this schedule.
    Killed(Vec<(u16, u32)>),
    /// The system gave no workers.
    Refused,
}

/// The end of a round's workers.
enum Outcome {
    /// All workers gave account.
    Accounts(Vec<Account>),
    /// A worker died, with this wait status.
    Died(i32),
    /// A worker was killed, in an execution of this schedule.
    Killed(Vec<(u16, u32)>),
    /// Some workers do not answer.
    Cut,
}

/// Explores with workers, to the end; with those of a cluster, if this process leads one.
pub fn explore(engine: &mut Engine, mut lead: Option<Lead>) {
    let (mut rounds, mut killed) = (0, 0);
    let began = clock::monotonic_ns();
    let rt = engine.rt();
    // What was kept of the search so far.
    let mut kept = match saved::kept().map(|left| left.take_up(rt)) {
        None => None,
        Some(Ok(saved)) => Some(saved),
        Some(Err(why)) => {
            rt.stop = Some(Stop::Failure(why));
            return;
        }
    };
    if !rt.options.save.is_empty() {
        let tried = saved::try_to_write(&rt.options.save);
        rt.stop = tried.err().map(Stop::Failure);
    }
    let mut killing: Vec<Vec<(u16, u32)>> = Vec::new();
    let resumed = kept.as_ref().map_or(0, SavedSearch::executions);
    while engine.rt().stop.is_none() {
        rounds += 1;
        let rt = engine.rt();
        rt.exchange_cells_known = rt.exchange_cells.len();
        execution::start_over(engine);
        let rt = engine.rt();
        let known = LearnedFacts::of(rt);
        let mut keeper = Keeper::new(rt, kept.take());
        let ended = round(engine, &mut keeper, lead.as_mut(), (rounds, began));
        let rt = engine.rt();
        match ended {
            Ended::Settled => {
                if let (Some(sums), true) = (&mut rt.workers, keeper.has_earlier()) {
                    sums.resumed = resumed;
                }
                return;
            }
            Ended::Again if LearnedFacts::of(rt) == known => {
                // It would go on like that for ever.
                rt.stop = Some(Stop::Failure(
                    "[dpor internal bug] workers learnt what is no lesson".to_owned(),
                ));
            }
            Ended::Again => {}
            Ended::Killed(decisions) => {
                // Others go on with what was kept last.
                killed = if keeper.latest.is_some() {
                    1
                } else {
                    killed + 1
                };
                kept = keeper.last();
                if killing.contains(&decisions) {
                    let schedule = schedule::text(rt, decisions.into_iter());
                    rt.stop = Some(Stop::Incomplete(format!(
                        "a worker process was killed twice (SIGKILL) in one execution, with the schedule {schedule}"
                    )));
                } else if !decisions.is_empty() {
                    killing.push(decisions);
                }
                if killed > KILLED_MAX {
                    rt.stop = Some(Stop::Incomplete(
                        "worker processes were killed again and again (SIGKILL)".to_owned(),
                    ));
                }
            }
            Ended::Died(status) => died(rt, status),
            Ended::Refused => {
                rt.stop = Some(Stop::Failure(format!(
                    "the system does not allow {} worker processes",
                    wanted(rt)
                )));
            }
        }
    }
}

/// Whether somebody else ended a worker.
pub fn was_killed(status: i32) -> bool {
    libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL
}

/// A worker died as a process that explores alone may: whoever reads the journal sees to it.
pub fn died(rt: &mut Runtime, status: i32) {
    if !journal::is_announced() {
        journal::announce(Announced::Child(status as u32), 0, 0);
    }
    if rt.options.channel >= 0 {
        sys::exit_group(turn::DIED);
    }
    rt.stop = Some(Stop::Failure(format!(
        "a worker process died (wait status {status:#x})"
    )));
}

/// One set of workers, from fork to end. `so_far`: rounds, and when the first began.
fn round(
    engine: &mut Engine,
    keeper: &mut Keeper,
    mut lead: Option<&mut Lead>,
    so_far: (u64, u64),
) -> Ended {
    if let Some(lead) = &mut lead {
        lead.begin(engine.rt(), so_far.0 as u32);
    }
    let Some(mut team) = Team::start(engine, keeper.frontier()) else {
        return Ended::Refused;
    };
    let rt = engine.rt();
    let shared = team.shared;
    let outcome = supervise(rt, &mut team, keeper, lead.as_deref_mut());
    let unexplored = total(rt, shared, lead.as_deref()).estimate();
    let accounts = match outcome {
        Outcome::Accounts(accounts) => accounts,
        Outcome::Cut => {
            let accounts = keeper.accounts();
            team.kill(rt);
            settle(rt, accounts, Vec::new(), shared::Stop::Enough, so_far);
            return Ended::Settled;
        }
        Outcome::Died(status) => {
            team.kill(rt);
            return Ended::Died(status);
        }
        Outcome::Killed(decisions) => {
            team.kill(rt);
            if let Some(lead) = lead {
                lead.abandon();
            }
            return Ended::Killed(decisions);
        }
    };
    let whole = keeper.whole(&accounts);
    let shown = settle(rt, accounts, keeper.earlier(), shared.stop(), so_far);
    let is_over = shown.is_some() && shared.stop() == shared::Stop::Done;
    if let (Some(sums), false) = (&mut rt.workers, is_over) {
        sums.unexplored = unexplored.map(|estimate| estimate.after(keeper.executed_before()));
    }
    if let (Some(whole), true, None) = (whole, is_over, &rt.stop) {
        if let Err(why) = keeper.finish(rt, whole) {
            rt.stop = Some(Stop::Failure(why));
        }
    }
    shared.let_commit(shown.filter(|_| stopping::is_reported(rt)));
    part(rt, &mut team);
    team.dissolve(rt);
    shown.map_or(Ended::Again, |_| Ended::Settled)
}

/// Waits for the end of workers that have given account.
fn part(rt: &mut Runtime, team: &mut Team) {
    if !team.wait() {
        let why = "a worker process died after it had given account".to_owned();
        rt.stop = Some(Stop::Failure(why));
    }
    for (_, message) in team.mailbox.receive() {
        if let Some(why) = message.strip_prefix(&[Tag::Commit as u8]) {
            let why = serde_json::from_slice(why);
            rt.stop = Some(Stop::Failure(why.unwrap_or_else(|why| damaged(&why))));
        }
    }
}

fn damaged(why: &dyn std::fmt::Display) -> String {
    format!("[dpor internal bug] a worker said {why}")
}

/// Waits until all workers have given account.
fn supervise(
    rt: &mut Runtime,
    team: &mut Team,
    keeper: &mut Keeper,
    mut lead: Option<&mut Lead>,
) -> Outcome {
    let shared = team.shared;
    let workers = shared.workers();
    let ranks = lead.as_ref().map_or(1, |lead| lead.size());
    let mut accounts: Vec<Option<Account>> = (0..ranks * workers).map(|_| None).collect();
    let mut told_ns = clock::monotonic_ns();
    let mut ended_ns = None;
    loop {
        team.look();
        let used_up = match read_messages(rt, team, keeper, lead.as_deref_mut(), &mut accounts) {
            Ok(used_up) => used_up,
            Err(outcome) => return outcome,
        };
        if let Some(status) = team.dead(|rank| accounts[rank].is_some()) {
            return match was_killed(status) {
                true => Outcome::Killed(journal::decisions()),
                false => Outcome::Died(status),
            };
        }
        if accounts.iter().all(Option::is_some) {
            return Outcome::Accounts(accounts.into_iter().flatten().collect());
        }
        if rt.stop.is_none() {
            let limit = match signals::is_interrupted() {
                true => Some(stopping::interrupted()),
                false if used_up => Some(member::too_many(rt)),
                false => stopping::is_out_of_time(rt).then(|| stopping::time_is_up(rt)),
            };
            rt.stop = limit.and_then(|why| keeper.close(rt, why));
        }
        let goes_on = shared.stop() == shared::Stop::No;
        if goes_on && keeper.turn(rt, shared, lead.as_deref_mut()) == Verdict::Apart {
            shared.end(shared::Stop::Learnt);
        }
        if rt.stop.is_some() {
            shared.end(shared::Stop::Enough);
        }
        let now = clock::monotonic_ns();
        let is_ending =
            shared.stop() != shared::Stop::No && signals::is_interrupted() && lead.is_some();
        if is_ending && now - *ended_ns.get_or_insert(now) > PATIENCE_NS {
            rt.stop.get_or_insert(stopping::interrupted());
            return Outcome::Cut;
        }
        if now - told_ns >= TELL_NS {
            told_ns = now;
            shared.round.fetch_add(1, Ordering::Relaxed);
            if let Some(lead) = &mut lead {
                lead.ask_for_facts();
            }
        }
        if (rt.options.progress || rt.options.give_up) && progress::is_due(rt) {
            tell_progress(rt, shared, keeper, lead.as_deref(), goes_on);
        }
        let is_urgent = shared.stop() != shared::Stop::No || keeper.is_busy();
        let patience = if is_urgent { 1 } else { LOOK_MS };
        match &lead {
            None => shared.sleep(shared.coordinator(), patience),
            Some(lead) => lead.wait(shared, patience),
        }
    }
}

/// Takes what workers and other machines have sent. Returns whether the allowed number of executions is used up, or how
/// the search ends at once.
fn read_messages(
    rt: &mut Runtime,
    team: &mut Team,
    keeper: &mut Keeper,
    mut lead: Option<&mut Lead>,
    accounts: &mut [Option<Account>],
) -> Result<bool, Outcome> {
    let shared = team.shared;
    let mut reported = Vec::new();
    for (writer, message) in team.mailbox.receive() {
        let lead = lead.as_deref_mut();
        if !lead.is_some_and(|lead| lead.carry(shared, &message)) {
            reported.push(Reported::Worker(writer, message));
        }
    }
    let is_used_up = match lead {
        Some(lead) => lead.turn(rt, team, &mut reported),
        None => shared.is_used_up(),
    };
    for word in reported {
        match word {
            Reported::Worker(writer, message) => match message.strip_prefix(&[Tag::Part as u8]) {
                Some(part) => match postcard::from_bytes(part) {
                    Ok(part) => keeper.receive(writer, part),
                    Err(why) => rt.stop = Some(Stop::Failure(damaged(&why))),
                },
                None => read(rt, shared, &message, &mut accounts[writer]),
            },
            Reported::Killed(decisions) => return Err(Outcome::Killed(decisions)),
            Reported::Broken(why) => {
                rt.stop.get_or_insert(why);
                return Err(Outcome::Cut);
            }
        }
    }
    Ok(is_used_up)
}

/// Tells how far the search is, and has it end if it will not in the time that it has (`--search=auto`).
fn tell_progress(
    rt: &mut Runtime,
    shared: &Shared,
    keeper: &mut Keeper,
    lead: Option<&Lead>,
    goes_on: bool,
) {
    // How each ended is told at the end.
    let executions = Executions {
        complete: executed(shared, lead),
        ..Executions::default()
    };
    let total = total(rt, shared, lead);
    if rt.options.progress {
        progress::tell(rt, executions, total);
    }
    if rt.stop.is_none() && goes_on {
        let hopeless = estimating::hopeless(rt, &total, executions.complete);
        rt.stop = hopeless.and_then(|why| keeper.close(rt, why));
    }
}

/// Executions of all workers so far.
fn executed(shared: &Shared, lead: Option<&Lead>) -> u64 {
    let executions = shared.executions[..shared.workers()].iter();
    let here: u64 = executions.map(|line| line.0.load(Ordering::Relaxed)).sum();
    here + lead.map_or(0, Lead::executed)
}

/// The number of executions in all, as far as it is known.
fn total(rt: &Runtime, shared: &Shared, lead: Option<&Lead>) -> Total {
    let here = shared.estimated();
    let sum = match lead.map(Lead::estimated) {
        None => here,
        Some(there) => here.zip(there).map(|(here, there)| here + there),
    };
    estimating::total_of(rt, sum, executed(shared, lead))
}

fn read(rt: &mut Runtime, shared: &Shared, message: &[u8], account: &mut Option<Account>) {
    let (&tag, text) = message
        .split_first()
        .expect("[dpor internal bug] a message has a tag");
    let told = match tag {
        tag if tag == Tag::Account as u8 => {
            let told = serde_json::from_slice(text);
            told.map(|told| *account = Some(told))
                .map_err(|why| damaged(&why))
        }
        _ => { serde_json::from_slice::<LearnedFacts>(text) }
            .map_err(|why| damaged(&why))
            .and_then(|facts| facts.add_to(rt))
            .map(|apart| {
                if apart {
                    shared.end(shared::Stop::Learnt);
                }
            }),
    };
    if let Err(why) = told {
        rt.stop.get_or_insert(Stop::Failure(why));
    }
}

/// Puts together what the workers report, and says whose execution is shown: the first with a bug, or the
/// first of all. `None`: what they explored does not belong to one search.
/// `earlier`: what was reported of the same search before these workers began; `why` they ended; how many
/// rounds there were, and when the first began.
fn settle(
    rt: &mut Runtime,
    mut accounts: Vec<Account>,
    earlier: Vec<Account>,
    why: shared::Stop,
    (rounds, began): (u64, u64),
) -> Option<usize> {
    // Whoever learnt something ended the round in its midst, also if no other knew of it.
    let mut apart = why == shared::Stop::Learnt;
    for account in &mut accounts {
        match core::mem::take(&mut account.facts).add_to(rt) {
            Ok(differs) => apart |= differs,
            Err(why) => rt.stop = Some(Stop::Failure(why)),
        }
    }
    let stops: Vec<Stop> = accounts
        .iter_mut()
        .filter_map(|account| account.stop.take())
        .collect();
    // What another worker's writes look like without knowing of them. (Cells told in the midst of the
    // round count, too.)
    let cannot = |stop: &Stop| matches!(stop, Stop::Unsupported(_) | Stop::Failure(_));
    let more_cells = rt.exchange_cells.len() > rt.exchange_cells_known;
    apart |= more_cells && stops.iter().any(cannot);
    let workers = accounts.len() as u64;
    let far_seconds = accounts.iter().map(|account| account.far_seconds).sum();
    accounts.extend(earlier);
    let bug = accounts.iter().position(Account::has_bug);
    let is_enough = bug.is_some() && !rt.options.keep_going;
    let limit = stops.iter().any(|stop| matches!(stop, Stop::Incomplete(_))) || rt.stop.is_some();
    if apart && !is_enough && !limit {
        return None;
    }
    let order = |stop: &Stop| match stop {
        Stop::Failure(_) => 0,
        Stop::Unsupported(_) => 1,
        Stop::Incomplete(_) | Stop::Told => 2,
    };
    rt.stop = rt.stop.take().into_iter().chain(stops).min_by_key(order);
    let mut sums = Sums {
        worker_ns: (clock::monotonic_ns() - began) * workers,
        rounds,
        far_seconds,
        ..Sums::default()
    };
    let total = accounts.first().and_then(|account| account.total);
    let shown = bug.unwrap_or(0);
    let all = rt.options.output == Output::All;
    for (rank, mut account) in accounts.into_iter().enumerate() {
        if is_enough && rank != shown {
            account.keep_warnings();
        }
        #[cfg(feature = "mutations")]
        if rank != shown && mutations::does(Mutation::LoseFound) {
            account.forget_found();
        }
        account.add_to(rt, &mut sums, all || rank == shown);
    }
    for (captured, number) in rt.output.kept.iter_mut().zip(1..) {
        if all {
            captured.execution = number;
        }
    }
    let sum = sums.counters.executions();
    let is_whole = total.is_some_and(|total| total.executions() == sum);
    if !is_whole && !is_enough && rt.stop.is_none() {
        rt.stop = Some(Stop::Failure(
            "[dpor internal bug] the workers' executions are not those of the whole".to_owned(),
        ));
    }
    rt.workers = Some(Box::new(sums));
    Some(shown)
}
