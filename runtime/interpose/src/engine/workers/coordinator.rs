//! The process of the root: forks the workers, waits for them, and puts together what they report.

use super::super::program::Native;
use super::super::runtime::{Runtime, Stop};
use super::super::{forked, journal, report, run};
use super::account::{Account, Sums};
use super::lessons::Lessons;
use super::member::{self, Tag};
use super::post::Post;
use super::shared::{self, Shared};
use super::split;
use crate::sys;
use dpor_abi::journal::Announced;
use dpor_abi::options::Output;
use dpor_explorer::program::{Program, ROOT};
use dpor_report::Executions;
use std::sync::atomic::Ordering;

/// Milliseconds between two looks at the workers.
const LOOK_MS: u64 = 20;
/// Nanoseconds between two times that workers tell what they learnt.
const TELL_NS: u64 = 100_000_000;
/// Times that a worker may be killed from outside before the check gives up.
const KILLED_MAX: u32 = 8;

/// How workers ended.
enum Ended {
    /// All gave account; why they ended.
    Accounts(Vec<Account>, shared::Stop),
    /// One died: with this wait status, leaving this journal.
    Died(i32, usize),
    /// There are none.
    Refused,
}

/// Explores with workers, to the end.
pub fn explore(rt: &mut Runtime) {
    let (mut rounds, mut killed) = (0, 0);
    if forked::is_used(&rt.options) {
        // The workers' root is what they are forked from.
        Native.restore(ROOT);
    }
    let began = run::monotonic_ns();
    while rt.stop.is_none() {
        rounds += 1;
        rt.exchange_cells_known = rt.exchange_cells.len();
        run::start_over(rt);
        let known = Lessons::of(rt);
        match round(rt) {
            Ended::Accounts(accounts, why) => {
                if settle(rt, accounts, why, (rounds, began)) {
                    return;
                }
                if Lessons::of(rt) == known {
                    // It would go on like that for ever.
                    rt.stop = Some(Stop::Failure(
                        "[dpor internal bug] workers learnt what is no lesson".to_owned(),
                    ));
                }
            }
            Ended::Died(status, _) if was_killed(status) => {
                killed += 1;
                if killed > KILLED_MAX {
                    rt.stop = Some(Stop::Incomplete(
                        "worker processes were killed again and again (SIGKILL)".to_owned(),
                    ));
                }
            }
            Ended::Died(status, left) => died(rt, status, left),
            Ended::Refused => {
                rt.stop = Some(Stop::Failure(format!(
                    "the system does not allow {} worker processes",
                    super::wanted(rt)
                )));
            }
        }
    }
}

fn was_killed(status: i32) -> bool {
    libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL
}

/// A worker died as a process that explores alone may: whoever reads the journal sees to it.
fn died(rt: &mut Runtime, status: i32, left: usize) {
    journal::copy_from(left);
    if !journal::is_announced() {
        journal::announce(Announced::Child(status as u32), 0, 0);
    }
    if rt.options.channel >= 0 {
        sys::exit_group(run::DIED);
    }
    rt.stop = Some(Stop::Failure(format!(
        "a worker process died (wait status {status:#x})"
    )));
}

/// One set of workers, from fork to end.
fn round(rt: &mut Runtime) -> Ended {
    let workers = super::wanted(rt) as usize;
    let Some(shared) = Shared::map(workers, &rt.names) else {
        return Ended::Refused;
    };
    let journals: Vec<usize> = (0..workers)
        .filter_map(|_| journal::map_another())
        .collect();
    let mut processes = Vec::new();
    for (rank, &journal) in journals.iter().enumerate() {
        match split::split(shared, rank, journal) {
            0 => member::begin(rt, rank, shared),
            process if process > 0 => processes.push(process as usize),
            _ => {}
        }
    }
    let ended = match processes.len() == workers {
        true => supervise(rt, shared, &processes, &journals),
        false => Ended::Refused,
    };
    if !matches!(ended, Ended::Accounts(..)) {
        processes.iter().for_each(|&process| kill(process));
    }
    super::know(rt, &shared.names());
    if !matches!(ended, Ended::Died(..)) {
        journals.into_iter().for_each(journal::unmap_another);
    }
    // SAFETY: all that used it are gone.
    unsafe { shared.unmap() };
    ended
}

fn kill(process: usize) {
    // SAFETY: our own child, which was not waited for, or nobody.
    unsafe { sys::call3(libc::SYS_kill, process, libc::SIGKILL as usize, 0) };
    wait(process, 0);
}

/// The wait status of a child, if it ended (without `WNOHANG`: once it has).
fn wait(process: usize, flags: i32) -> Option<i32> {
    let mut status = 0i32;
    loop {
        let (into, flags) = (&raw mut status as usize, (flags | libc::__WALL) as usize);
        // SAFETY: `status` is writable; our own child.
        let n = unsafe { sys::call6(libc::SYS_wait4, process, into, flags, 0, 0, 0) };
        if n != -(libc::EINTR as isize) {
            return (n > 0).then_some(status);
        }
    }
}

fn supervise(
    rt: &mut Runtime,
    shared: &'static Shared,
    processes: &[usize],
    journals: &[usize],
) -> Ended {
    let workers = processes.len();
    let mut post = Post::new(shared, shared.coordinator());
    let mut accounts: Vec<Option<Account>> = (0..workers).map(|_| None).collect();
    let mut running: Vec<usize> = (0..workers).collect();
    let mut told_ns = run::monotonic_ns();
    while !running.is_empty() {
        for (writer, message) in post.receive() {
            read(rt, shared, &message, &mut accounts[writer]);
        }
        if rt.options.commit_files && accounts.iter().all(Option::is_some) {
            shared.let_commit(shown(&accounts));
        }
        let mut dead = None;
        running.retain(|&rank| match wait(processes[rank], libc::WNOHANG) {
            None => true,
            Some(status) => {
                if status != 0 {
                    dead = Some((rank, status));
                }
                false
            }
        });
        if let Some((rank, status)) = dead {
            return Ended::Died(status, journals[rank]);
        }
        if rt.stop.is_none() {
            rt.stop = match rt.interrupted {
                true => Some(run::interrupted()),
                false => run::is_out_of_time(rt).then(|| run::time_is_up(rt)),
            };
        }
        if rt.stop.is_some() {
            shared.end(shared::Stop::Enough);
        }
        let now = run::monotonic_ns();
        if now - told_ns >= TELL_NS {
            told_ns = now;
            shared.round.fetch_add(1, Ordering::Relaxed);
        }
        if rt.options.progress {
            let executions = shared.executions[..workers].iter();
            // How each ended is told at the end.
            let complete = executions.map(|line| line.0.load(Ordering::Relaxed)).sum();
            let executions = Executions {
                complete,
                ..Executions::default()
            };
            report::progress_of(rt, executions);
        }
        let ending = shared.stop() != shared::Stop::No;
        shared.sleep(shared.coordinator(), if ending { 1 } else { LOOK_MS });
    }
    for (writer, message) in post.receive() {
        read(rt, shared, &message, &mut accounts[writer]);
    }
    match accounts.into_iter().collect() {
        Some(accounts) => Ended::Accounts(accounts, shared.stop()),
        None => Ended::Died(0, journals[0]),
    }
}

fn read(rt: &mut Runtime, shared: &Shared, message: &[u8], account: &mut Option<Account>) {
    let (&tag, text) = message
        .split_first()
        .expect("[dpor internal bug] a message has a tag");
    let damaged =
        |why: serde_json::Error| Stop::Failure(format!("[dpor internal bug] a worker said {why}"));
    let refuse = |rt: &mut Runtime, stop| {
        rt.stop.get_or_insert(stop);
    };
    match tag {
        tag if tag == Tag::Account as u8 => match serde_json::from_slice(text) {
            Ok(told) => *account = Some(told),
            Err(why) => refuse(rt, damaged(why)),
        },
        tag if tag == Tag::Commit as u8 => match serde_json::from_slice(text) {
            Ok(why) => refuse(rt, Stop::Failure(why)),
            Err(why) => refuse(rt, damaged(why)),
        },
        _ => match serde_json::from_slice::<Lessons>(text).map(|lessons| lessons.add_to(rt)) {
            Ok(Ok(false)) => {}
            Ok(Ok(true)) => shared.end(shared::Stop::Learnt),
            Ok(Err(why)) => refuse(rt, Stop::Failure(why)),
            Err(why) => refuse(rt, damaged(why)),
        },
    }
}

/// Whose execution is reported: the first with a bug, or the first of all.
fn shown(accounts: &[Option<Account>]) -> usize {
    let bug = |account: &Option<Account>| account.as_ref().is_some_and(Account::has_bug);
    accounts.iter().position(bug).unwrap_or(0)
}

/// Puts together what the workers report. False: what they explored does not belong to one search.
/// `why` they ended; how many rounds there were, and when the first began.
fn settle(
    rt: &mut Runtime,
    mut accounts: Vec<Account>,
    why: shared::Stop,
    (rounds, began): (u64, u64),
) -> bool {
    // Whoever learnt something ended the round in its midst, also if no other knew of it.
    let mut apart = why == shared::Stop::Learnt;
    for account in &mut accounts {
        match core::mem::take(&mut account.lessons).add_to(rt) {
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
    let bug = accounts.iter().position(Account::has_bug);
    let is_enough = bug.is_some() && !rt.options.keep_going;
    let limit = stops.iter().any(|stop| matches!(stop, Stop::Incomplete(_))) || rt.stop.is_some();
    if apart && !is_enough && !limit {
        return false;
    }
    let order = |stop: &Stop| match stop {
        Stop::Failure(_) => 0,
        Stop::Unsupported(_) => 1,
        Stop::Incomplete(_) | Stop::Told => 2,
    };
    rt.stop = rt.stop.take().into_iter().chain(stops).min_by_key(order);
    let mut sums = Sums {
        worker_ns: (run::monotonic_ns() - began) * accounts.len() as u64,
        rounds,
        ..Sums::default()
    };
    let total = accounts[0].total;
    let shown = bug.unwrap_or(0);
    let all = rt.options.output == Output::All;
    for (rank, mut account) in accounts.into_iter().enumerate() {
        if is_enough && rank != shown {
            account.keep_warnings();
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
    true
}
