//! Several processes that draw samples.
//!
//! ```text
//!   coordinator: samples 0 … b − 1 alone ── fork ──► helper k runs samples b + k, b + k + n, …
//!                     ▲                                    │
//!                     └──── hashes, accounts ───────────────┘  if none of the batch is special
//! ```
//!
//! A sample does not depend on who runs it, as long as all know the same of the program. So a helper
//! runs samples only as long as nothing comes of them but numbers. One that finds something new, learns
//! something, meets a thread without a number, or does not come to its end is *special*: its helper ends
//! without an account, the batch is forgotten, run again up to there, and the coordinator runs the
//! special one itself. What is reported is therefore what a single process reports, in the same order.

use crate::account::Account;
use crate::learned_facts::LearnedFacts;
use crate::mailbox::Mailbox;
use crate::number::wanted;
use crate::shared::{self, Shared};
use crate::split;
use core::ops::Range;
use core::sync::atomic::Ordering;
use dpor_engine::given::concerns;
use dpor_engine::knowledge::auto_checkpoint::AutoCheckpoint;
use dpor_engine::knowledge::sums::Sums;
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::{Engine, Searching};
use dpor_engine::worker_process::{begins_to_help, give_up};
use dpor_engine::{children, clock, execution, journal, signals, stopping, turn};
use dpor_explorer::Explorer;
use dpor_machine::sys;
use serde::{Deserialize, Serialize};

/// Most samples of one batch.
const BATCH_MOST: u64 = 1 << 20;
/// Nanoseconds that a batch should take (chosen: at a time limit, one is lost at most; a fork takes a hundredth of
/// that).
const BATCH_NS: u64 = 250_000_000;
/// Milliseconds between two looks at the helpers.
const LOOK_MS: u64 = 5;

/// The trace hashes and the account of a helper.
#[derive(Serialize, Deserialize)]
struct Share {
    /// A hash of the trace of each of its samples.
    hashes: Vec<u64>,
    account: Account,
}

/// The end of a batch.
enum Batch {
    /// All of the batch, or as much as there was time for, is counted.
    Counted,
    /// The sample of this number is special, and nothing is counted.
    Special(u64),
    /// The system gave no helpers.
    Refused,
}

fn explorer(engine: &mut Engine) -> &mut Explorer {
    match &mut *engine.search {
        Searching::Alone(explorer) => explorer,
        Searching::Together(_) => unreachable!("[dpor internal bug] samples have no parts"),
    }
}

/// Draws the samples that are left. False: there are no helpers.
pub fn share(engine: &mut Engine) -> bool {
    let rt = engine.rt();
    // Forked checkpoints and helpers exclude each other ([`crate::number::samples_are_shareable`]).
    rt.auto_checkpoint = AutoCheckpoint::default();
    // One for each helper: they may take long.
    let least = u64::from(wanted(rt));
    let (mut batch, mut special, mut sums) = (least, None, Sums::default());
    while engine.rt().stop.is_none() {
        let next = explorer(engine).next_sample();
        let is_alone = special == Some(next) || !explorer(engine).is_profiled();
        if is_alone {
            if special.take().is_some() {
                batch = least;
            }
            if !execution::one(engine) {
                break;
            }
            if explorer(engine).next_sample() < next {
                // It learnt something, and begins again.
                sums = Sums::default();
            }
        } else {
            let end = next + batch.min(left(engine));
            let end = special.map_or(end, |special| end.min(special));
            if end == next {
                break;
            }
            let began = clock::monotonic_ns();
            match draw(engine, next..end, &mut sums) {
                Batch::Counted => {
                    batch = match clock::monotonic_ns() - began {
                        ..BATCH_NS => (2 * batch).min(BATCH_MOST),
                        taken if taken > 4 * BATCH_NS => (batch / 2).max(least),
                        _ => batch,
                    };
                }
                Batch::Special(sample) => special = Some(sample),
                Batch::Refused => {
                    engine.rt().options.workers = 1;
                    return false;
                }
            }
        }
        // This process waited, and had no tick.
        if execution::is_enough_by(engine, true) {
            break;
        }
    }
    let (rt, search) = engine.parts();
    rt.workers = Some(Box::new(Sums {
        faults: sums.faults,
        restore_ns: sums.restore_ns,
        peak_rss_bytes: sums.peak_rss_bytes,
        ..dpor_engine::report::sums_of_one(search, &dpor_engine::loaded::objects())
    }));
    true
}

/// Samples that may yet be run.
fn left(engine: &mut Engine) -> u64 {
    let next = explorer(engine).next_sample();
    let (rt, search) = engine.parts();
    let samples = rt.options.samples - next;
    match rt.options.max_executions {
        0 => samples,
        most => samples.min(most.saturating_sub(search.counters().executions())),
    }
}

/// Lets helpers run these samples, and counts them.
fn draw(engine: &mut Engine, samples: Range<u64>, sums: &mut Sums) -> Batch {
    let count = samples.end - samples.start;
    let rt = engine.rt();
    let helpers = u64::from(wanted(rt)).min(count) as usize;
    let Some(shared) = Shared::map((helpers, 0), &rt.names, None) else {
        return Batch::Refused;
    };
    let mut mailbox = Mailbox::new(shared, shared.coordinator());
    let (mut processes, mut journals) = (Vec::new(), Vec::new());
    for rank in 0..helpers {
        let Some(journal) = journal::map_another() else {
            break;
        };
        journals.push(journal);
        match split::split(shared, rank, journal) {
            0 => help(engine, rank, shared, samples),
            process if process > 0 => processes.push(process as usize),
            _ => break,
        }
    }
    let outcome = match processes.len() == helpers {
        true => collect(engine.rt(), shared, &mut mailbox, &processes),
        false => Err(Batch::Refused),
    };
    if outcome.is_err() {
        processes.iter().copied().for_each(children::kill);
    } else {
        for &process in &processes {
            children::wait(process);
        }
    }
    journals.into_iter().for_each(journal::unmap_another);
    // SAFETY: the processes that used the memory are gone, and this one uses it no more.
    unsafe { shared.unmap() };
    match outcome {
        Ok(shares) => {
            for share in shares {
                let counters = share.account.counters;
                explorer(engine).add_samples(&share.hashes, counters);
                share.account.add_to(engine.rt(), sums, false);
            }
            explorer(engine).skip_to_sample(samples.end);
            Batch::Counted
        }
        Err(batch) => batch,
    }
}

/// Waits for the helpers: what they did, or why it is of no use.
fn collect(
    rt: &mut Runtime,
    shared: &Shared,
    mailbox: &mut Mailbox,
    processes: &[usize],
) -> Result<Vec<Share>, Batch> {
    let mut shares: Vec<Option<Share>> = processes.iter().map(|_| None).collect();
    loop {
        // What a helper said that has ended by then is read below.
        let has_ended = |&process: &usize| children::has_ended(process);
        let ended: Vec<bool> = processes.iter().map(has_ended).collect();
        for (rank, message) in mailbox.receive() {
            shares[rank] = serde_json::from_slice(&message).ok();
        }
        let silent = |rank: &usize| ended[*rank] && shares[*rank].is_none();
        let is_over = signals::is_interrupted() || stopping::is_out_of_time(rt);
        if let (Some(rank), false) = ((0..processes.len()).find(silent), is_over) {
            let sample = shared.executions[rank].0.load(Ordering::Acquire);
            return Err(Batch::Special(sample));
        }
        if (0..processes.len()).all(|rank| ended[rank] || shares[rank].is_some()) {
            return Ok(shares.into_iter().flatten().collect());
        }
        if is_over {
            shared.end(shared::Stop::Enough);
        }
        shared.sleep(shared.coordinator(), LOOK_MS);
    }
}

/// This process, which was just forked, runs its share of these samples.
fn help(engine: &mut Engine, rank: usize, shared: &'static Shared, samples: Range<u64>) -> ! {
    begins_to_help();
    let first = samples.start + rank as u64;
    let now_at = |sample: u64| shared.executions[rank].0.store(sample, Ordering::Release);
    now_at(first);
    children::die_with_parent();
    (concerns().after_fork)();
    if !(concerns().to_worker)() {
        give_up();
    }
    let faults = signals::faults();
    let rt = engine.rt();
    let known = rt.findings.keys();
    rt.findings.start_over();
    rt.output.clear();
    (rt.taken, rt.restored, rt.forks, rt.bytes_taken) = (0, 0, 0, 0);
    let before = (LearnedFacts::size(rt), rt.names.len());
    explorer(engine).forget_samples();
    let mut hashes = Vec::new();
    for sample in (first..samples.end).step_by(shared.workers()) {
        if shared.stop() != shared::Stop::No {
            break;
        }
        now_at(sample);
        explorer(engine).skip_to_sample(sample);
        let turn = execution::turn(engine);
        let rt = engine.rt();
        let after = (LearnedFacts::size(rt), rt.names.len());
        let is_usual = turn == turn::Turn::Ran && rt.stop.is_none() && before == after;
        let is_usual = is_usual && rt.findings.are_among(&known);
        match explorer(engine).last_trace_hash() {
            Some(hash) if is_usual => hashes.push(hash),
            _ => give_up(),
        }
    }
    signals::disarm();
    let (rt, search) = engine.parts();
    let mut account = Account::of(rt, search);
    account.subtract_faults(faults);
    let share = serde_json::to_vec(&Share { hashes, account });
    let mut mailbox = Mailbox::new(shared, rank);
    mailbox.send(
        shared.coordinator(),
        &share.expect("[dpor internal bug] plain data"),
    );
    while !mailbox.flush() {
        clock::pause();
    }
    sys::exit_group(0)
}
