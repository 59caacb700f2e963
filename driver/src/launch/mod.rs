//! Starts the program and reads its messages until it ends.
//!
//! ```text
//! dpor ──spawn──► program (libdpor_rt.so)
//!   ▲  pipe: one JSON message per line │     one thread for the pipe and the end ─┬─► one queue of happenings
//!   └──────────────────────────────────┘                                          │
//!   SIGINT, SIGTERM ─────────────────────────────────────► signal thread ─────────┘
//! ```
//!
//! The queue is what makes every order of "the pipe closed", "the process ended" and "the user
//! pressed Ctrl-C" come out right: a grandchild may keep the pipe open after the end, and a
//! signal may find the program anywhere. In a cluster the queue has what other ranks send, too, and
//! what the program sends to them.

mod addresses;
mod conversation;
mod ended;
mod journal;
mod room;
mod start;
mod watch;

pub use ended::{Ended, Left, Word};
pub use room::{with_room, with_room_of_ranks};
pub use start::{surroundings, Stdout};

use crate::cluster::place::{watch_link, write_link, Place};
use crate::cluster::Company;
use crate::input::Input;
use crate::program::Program;
use conversation::Conversation;
use dpor_abi::options::Options;
use dpor_report::Progress;
use start::{spawn, Started};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Runs the program once under the runtime; in a cluster, beside those of other ranks. A program with more threads than
/// a process has room for at first is started again, with room for many; from then on every process of this command has
/// that.
///
/// # Errors
/// One sentence if it cannot be started.
pub fn run(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    on_progress: &mut dyn FnMut(Progress),
    company: Option<&mut Company>,
) -> Result<Ended, String> {
    let started_at = Instant::now();
    let input = Input::now();
    let mut options = with_room(options);
    let is_alone = company.is_none();
    let first = run_once(program, args, &options, stdout, on_progress, company)?;
    let is_enough = options.many_threads
        || !is_alone
        || !options.resume.is_empty()
        || first.interrupted
        || !room::needs_many_threads(&first);
    if is_enough || !input.may_be_there_again() {
        return Ok(first);
    }
    input.begin();
    room::want_many_threads();
    options.many_threads = true;
    if options.time_limit_seconds > 0.0 {
        // 0 would be no limit.
        let left = options.time_limit_seconds - started_at.elapsed().as_secs_f64();
        options.time_limit_seconds = left.max(0.001);
    }
    let mut ended = run_once(program, args, &options, stdout, on_progress, None)?;
    ended.wall = started_at.elapsed();
    Ok(ended)
}

fn run_once(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    on_progress: &mut dyn FnMut(Progress),
    company: Option<&mut Company>,
) -> Result<Ended, String> {
    let started_at = Instant::now();
    let own;
    let (sender, happenings) = match &company {
        None => {
            own = channel();
            (own.0.clone(), &own.1)
        }
        Some(company) => (company.happenings.0.clone(), &company.happenings.1),
    };
    // Before the program exists, so that no signal is lost in between.
    let _signals = watch::signals(sender.clone())?;
    let memory = journal::make().map_err(|why| format!("no memory can be shared: {why}"))?;
    let shared = |why| format!("no socket can be made: {why}");
    let place = company.as_deref().map(Place::make).transpose();
    let place = place.map_err(shared)?;
    let started = spawn(program, args, options, stdout, &memory, place.as_ref());
    let Started {
        child,
        pipe,
        listener,
    } = started.map_err(|why| format!("{} cannot be started: {why}", program.path.display()))?;
    watch::program(&child, pipe, sender.clone())?;
    let link = match place.map(|place| place.ours) {
        None => None,
        Some(link) => {
            watch_link(link.try_clone().map_err(shared)?, sender);
            Some(write_link(link))
        }
    };
    let limit = Duration::try_from_secs_f64(options.time_limit_seconds).unwrap_or_default();
    let mut conversation = Conversation::new(child, on_progress, link);
    conversation.limit = (!limit.is_zero()).then(|| started_at + limit);
    conversation.follow(happenings, company.as_deref());
    let (is_over, is_hurried) = (conversation.is_over, conversation.interrupted);
    let ended = conversation.end(started_at, &memory);
    if let (Some(listener), Some(record)) = (listener, &program.record) {
        record.end(listener.end());
    }
    if let Some(company) = company {
        company.is_over |= is_over;
        company.is_hurried |= is_hurried;
    }
    ended
}
