//! The main loop: one execution after the other, until all are explored or something stops it.

#[cfg(feature = "mutations")]
use super::mutations::{self, Wrong};
use super::program;
use super::runtime::{runtime, Runtime, Searching, Stop, ACTIVE, SELECTOR};
use super::{
    children, choosing, deaths, debugger, ends, forked, journal, report, root, schedule, seeking,
    signals, uses, workers,
};
use crate::fiber::x86_64;
use crate::hooks::unseen;
use crate::libc::opaque;
use crate::libc::overlay::commit;
use crate::sys;
use dpor_abi::journal::Announced;
use dpor_abi::options::Checkpoint;
use dpor_explorer::{End, Explorer, Fault};
use dpor_report::text;
use std::sync::atomic::Ordering;

/// Explores, reports and ends the process. On the engine's context.
pub fn run() -> ! {
    let prepared = deaths::prepare(rt()).and_then(|()| schedule::prepare_replay(rt()));
    let prepared = prepared.and_then(|()| seeking::prepare(rt()));
    if let Err(why) = prepared {
        rt().stop = Some(Stop::Failure(why));
    }
    if forked::is_used(&rt().options) {
        forked::take(0);
    }
    if rt().stop.is_none() && workers::are_due_at_once(rt()) {
        workers::explore(rt());
        finish();
    }
    while rt().stop.is_none() {
        let more = one();
        if !more && deaths::is_one_missing(rt()) {
            rt().stop = Some(Stop::Failure(
                "a schedule that killed the process did not come again: the program does not do the \
                 same when it is started again (its input or environment may differ)"
                    .to_owned(),
            ));
        }
        if !more || is_enough() {
            break;
        }
        if workers::are_due(rt()) && workers::explore(rt()) {
            break;
        }
    }
    finish()
}

fn rt() -> &'static mut Runtime {
    // SAFETY: on the engine's context, between steps: no fiber holds a reference.
    unsafe { &mut *runtime() }
}

/// What came of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// There was nothing to run.
    Over,
    /// An execution ran, or the check is to stop.
    Ran,
    /// Something was learnt that a search has to know from its beginning.
    Learnt,
}

/// Runs one execution; false when there was none left.
pub fn one() -> bool {
    let turn = turn();
    if turn == Turn::Learnt {
        start_over(rt());
    }
    turn != Turn::Over
}

/// Runs one execution, in a process of its own if that is how states are taken back.
pub fn turn() -> Turn {
    match rt().options.checkpoint {
        Checkpoint::Restart => turn_in_child(),
        Checkpoint::Snapshot | Checkpoint::Fork | Checkpoint::Auto => turn_here(),
    }
}

fn turn_here() -> Turn {
    signals::execution_begins();
    choosing::count(rt());
    if forked::is_used(&rt().options) && !rt().options.is_checkpoint_after_set() {
        let events = forked::worth(rt());
        rt().explorer.set_checkpoint_after(events);
    }
    if let Some(events) = rt().restoring.news() {
        if !rt().options.is_checkpoint_after_set() {
            rt().explorer.set_checkpoint_after(events);
        }
    }
    let outcome = rt().explorer.run_one();
    program::own_storage();
    let more_are_events = opaque::take_changed();
    let more_are_events = rt().uses.take_changed() || more_are_events;
    let changed = rt().blocks.changed || rt().storers.changed || more_are_events;
    if changed && !rt().is_replay() {
        return Turn::Learnt;
    }
    if rt().explorer.counters().restarts > 0 {
        // It began anew by itself, but what was counted before counts no more.
        for barrier in rt().explorer.crowded_barriers() {
            rt().learn_crowded(barrier);
        }
        return Turn::Learnt;
    }
    if rt().doubtful && !rt().is_replay() {
        rt().options.reductions.commute = false;
        return Turn::Learnt;
    }
    if rt().explorer.is_disordered() && !rt().is_replay() {
        let rt = rt();
        rt.disordered_at = match rt.findings.has_bug {
            true => 0, // A race did it.
            false => unseen::last_site(),
        };
        rt.options.reductions.observers = false;
        return Turn::Learnt;
    }
    match outcome {
        Ok(None) => Turn::Over,
        Ok(Some(execution)) => {
            ends::execution_ended(rt(), &execution);
            seeking::execution_ended(rt());
            match rt().uses.take_changed() && !rt().is_replay() {
                true => Turn::Learnt,
                false => Turn::Ran,
            }
        }
        Err(fault) => {
            let rt = rt();
            match ends::fault(rt, fault) {
                Some(stop) => {
                    rt.stop = Some(stop);
                    Turn::Ran
                }
                None => Turn::Learnt,
            }
        }
    }
}

/// Begins the search again, knowing now what was learnt.
pub fn start_over(rt: &mut Runtime) {
    for cell in rt.explorer.awaited_cells() {
        rt.learn_awaited(cell);
    }
    for barrier in rt.explorer.crowded_barriers() {
        rt.learn_crowded(barrier);
    }
    let search = root::search(&rt.options);
    let mut config = root::config(search, &rt.options);
    config.crowded_barriers.clone_from(&rt.crowded);
    config.awaited_cells.clone_from(&rt.awaited);
    config.beginning = seeking::beginning(rt);
    seeking::start_over(rt);
    rt.explorer = Searching::Alone(Explorer::new(config));
    rt.restoring.tell_again();
    rt.spill();
    rt.findings.start_over();
    rt.output.clear();
    rt.saved.clear();
    rt.bytes_held = 0;
    rt.blocks.changed = false;
    rt.storers.start_over();
    journal::calls(&uses::encode());
    rt.commute = root::reductions(&rt.options).commute;
    rt.observers = root::reductions(&rt.options).observers;
    unseen::want(rt.observers);
    rt.doubtful = false;
}

/// The same in a process of its own, forked from the root. What it learns is in the arena.
fn turn_in_child() -> Turn {
    rt().forks += 1;
    // SAFETY: the parent waits until the child has ended.
    let child = unsafe { children::fork() };
    match child {
        0 => {
            rt().is_child = true;
            rt().pristine = true;
            signals::rearm_after_fork();
            sys::exit_group(match turn_here() {
                Turn::Ran => MORE,
                Turn::Over => NO_MORE,
                Turn::Learnt => LEARNT,
            })
        }
        child if child > 0 => {
            // Not before: both see it, and the child asks.
            let turn = wait(child);
            rt().pristine = true;
            turn
        }
        _ => {
            rt().stop = Some(Stop::Failure("fork failed".to_owned()));
            Turn::Over
        }
    }
}

/// How the process of one execution says whether there are others. Not what a process may exit with
/// that has lost control of itself.
const MORE: i32 = 0x5d;
/// See [`MORE`].
const NO_MORE: i32 = 0x5e;
/// See [`MORE`].
pub const LEARNT: i32 = 0x5f;
/// Exit code of a process whose word is in the journal.
pub const DIED: i32 = 2;

fn wait(child: isize) -> Turn {
    let status = children::wait(child as usize);
    match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        #[cfg(feature = "mutations")]
        (true, MORE) if mutations::does(Wrong::EndsEarly) => return Turn::Over,
        (true, MORE) => return Turn::Ran,
        (true, NO_MORE) => return Turn::Over,
        (true, LEARNT) => return Turn::Learnt,
        _ => {}
    }
    // What the child shares with us may be overwritten.
    if !journal::is_announced() {
        journal::announce(Announced::Child(status as u32), 0, 0);
    }
    if rt().options.channel >= 0 {
        sys::exit_group(DIED);
    }
    rt().stop = Some(Stop::Failure(format!(
        "the process of an execution died (wait status {status:#x})"
    )));
    Turn::Over
}

/// Whether to stop although there is more, after an execution in this process.
pub fn is_enough() -> bool {
    let looks = is_time_to_look(rt());
    is_enough_by(looks)
}

/// Whether to stop although there is more. `looks`: the clock is asked.
pub fn is_enough_by(looks: bool) -> bool {
    let rt = rt();
    let executions = rt.explorer.counters().executions();
    if !rt.options.replay.is_empty() || (rt.findings.has_bug && !rt.options.keep_going) {
        return true;
    }
    if seeking::is_found(rt) {
        return true;
    }
    if rt.interrupted {
        rt.stop = Some(interrupted());
    } else if rt.options.max_executions != 0 && executions >= rt.options.max_executions {
        if !rt.explorer.has_more() {
            return true;
        }
        rt.stop = Some(Stop::Incomplete(format!(
            "max-executions: {executions} explored"
        )));
    } else if rt.options.first != 0 && rt.findings.endings() >= rt.options.first {
        if !rt.explorer.has_more() {
            return true;
        }
        let listed = text::counted(rt.options.first, "complete execution");
        rt.stop = Some(Stop::Incomplete(format!("first: {listed} listed")));
    } else if looks && is_out_of_time(rt) {
        rt.stop = Some(time_is_up(rt));
    }
    if rt.options.progress || rt.options.give_up {
        report::progress(rt);
    }
    rt.stop.is_some()
}

/// Whether the clock is to be asked: that is a system call, 7 % of a short execution. Where executions run
/// in other processes, theirs is the time that passes.
pub fn is_time_to_look(rt: &Runtime) -> bool {
    match rt.options.checkpoint {
        Checkpoint::Snapshot | Checkpoint::Auto => signals::take_tick(),
        Checkpoint::Fork | Checkpoint::Restart => true,
    }
}

/// A signal asked to stop.
pub fn interrupted() -> Stop {
    Stop::Incomplete("interrupted".to_owned())
}

/// Lets other processes run for a moment.
pub fn pause() {
    let moment = libc::timespec {
        tv_sec: 0,
        tv_nsec: 200_000,
    };
    // SAFETY: a valid time.
    unsafe { sys::call3(libc::SYS_nanosleep, &raw const moment as usize, 0, 0) };
}

/// Whether the time limit is over.
pub fn is_out_of_time(rt: &Runtime) -> bool {
    let limit = rt.options.time_limit_seconds;
    limit > 0.0 && (monotonic_ns() - rt.started_ns) as f64 / 1e9 >= limit
}

/// See [`is_out_of_time`].
pub fn time_is_up(rt: &Runtime) -> Stop {
    Stop::Incomplete(format!("time-limit: {} s", rt.options.time_limit_seconds))
}

/// Ends the check in the middle of an execution if its time is up. In a signal handler.
pub fn check_time_limit(rt: &Runtime) {
    if workers::is_told_to_end(rt) {
        stop_now(Stop::Told);
    }
    // Where what is left is written down first, the coordinator says when it is enough.
    let is_mine = rt.options.save.is_empty() || !workers::is_worker();
    if is_mine && is_out_of_time(rt) {
        stop_now(time_is_up(rt));
    }
}

/// Ends the check from anywhere, also from a fiber or a signal handler in the middle of a step.
pub fn stop_now(stop: Stop) -> ! {
    let rt = runtime();
    // SAFETY: a fiber or the engine runs; nobody goes on after this.
    unsafe {
        (*rt).stop = Some(stop);
        if (*rt).is_child {
            ends::keep_findings(&mut *rt);
            sys::exit_group(MORE);
        }
        SELECTOR.store(0, Ordering::Relaxed);
        ACTIVE.store(false, Ordering::Relaxed);
        x86_64::set_thread_pointer((*rt).engine_area().thread_pointer);
        let last = x86_64::prepare(
            (*rt).last_stack_top,
            finish_on_last_stack,
            0,
            x86_64::CONTROL_AT_START,
        );
        let mut never = 0;
        x86_64::switch(&mut never, last);
    }
    sys::exit_group(2)
}

extern "C" fn finish_on_last_stack(_: usize) -> ! {
    // What the unfinished execution found is no less true.
    if ends::keep_findings(rt()) && rt().options.commit_files {
        commit::keep();
    }
    finish()
}

/// Reports and ends the process.
fn finish() -> ! {
    signals::disarm();
    debugger::end(rt());
    forked::is_over(rt());
    if workers::is_worker() {
        workers::leave(rt());
    }
    if let Some(why) = committed(rt()) {
        rt().stop = Some(Stop::Failure(why));
    }
    let code = report::send(rt());
    #[cfg(feature = "training")]
    crate::training::leave_counters();
    sys::exit_group(code)
}

/// Whether an execution is reported, whose files may be wanted.
pub fn is_reported(rt: &Runtime) -> bool {
    !matches!(rt.stop, Some(Stop::Unsupported(_) | Stop::Failure(_)))
}

/// Writes the reported execution's files, if that is wanted; what went wrong.
fn committed(rt: &Runtime) -> Option<String> {
    // Of several processes, the one that has them has written them.
    if !rt.options.commit_files || !is_reported(rt) || rt.workers.is_some() {
        return None;
    }
    commit::write().err()
}

/// Whether an end means that every thread ran to its end.
pub fn is_whole(end: &End) -> bool {
    matches!(end, End::Complete | End::Exited)
}

/// CLOCK_MONOTONIC in nanoseconds, asked of the kernel directly.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is writable.
    unsafe {
        sys::call3(
            libc::SYS_clock_gettime,
            libc::CLOCK_MONOTONIC as usize,
            &raw mut now as usize,
            0,
        )
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A fault of the search itself, as a sentence.
pub fn describe(fault: &Fault) -> String {
    format!("{fault:?}")
}
