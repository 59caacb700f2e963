//! One execution: in this process or in one of its own, and what was learnt of it for the search.

use crate::accesses::uninstrumented;
use crate::given::{concerns, system};
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::own_storage::own_storage;
use crate::runtime::Runtime;
use crate::searching::{Engine, Searching};
use crate::stop::Stop;
use crate::stopping::{interrupted, is_out_of_time, time_is_up};
use crate::turn::{Turn, DIED, LEARNT, MORE, NO_MORE};
use crate::{
    auto_checkpoint, begun_anew, children, execution_end, find_one, forked, journal,
    learned_events, more_threads, polled, progress, search_config, search_fault, signals,
};
use dpor_abi::journal::Announced;
use dpor_abi::options::Checkpoint;
#[cfg(feature = "mutations")]
use dpor_explorer::End;
use dpor_explorer::{Explorer, Fault};
use dpor_machine::sys;
use dpor_model::SiteId;
use dpor_report::text;

/// Runs one execution; false when there was none left.
pub fn one(engine: &mut Engine) -> bool {
    let turn = turn(engine);
    if turn == Turn::Learnt {
        start_over(engine);
    }
    turn != Turn::Over
}

/// Runs one execution, in a process of its own if that is how states are taken back.
pub fn turn(engine: &mut Engine) -> Turn {
    match engine.rt().options.checkpoint {
        Checkpoint::Restart => turn_in_child(engine),
        Checkpoint::Snapshot | Checkpoint::Fork | Checkpoint::Auto => turn_here(engine),
    }
}

fn turn_here(engine: &mut Engine) -> Turn {
    (concerns().execution_begins)();
    auto_checkpoint::count(engine);
    let (rt, search) = engine.parts();
    if forked::is_used(&rt.options) && !rt.options.is_checkpoint_after_set() {
        search.set_checkpoint_after(forked::worth(rt));
    }
    if let Some(events) = rt.restoring.news() {
        if !rt.options.is_checkpoint_after_set() {
            search.set_checkpoint_after(events);
        }
    }
    let outcome = engine.search.run_one(&mut engine.native);
    own_storage(engine.rt());
    polled::execution_ended(engine);
    if let Err(Fault::Stopped) = outcome {
        // In the middle of a step it learnt what it cannot go on without.
        if engine.rt().stop.is_none() && has_learnt(engine.rt()) {
            return Turn::Learnt;
        }
        stopped(engine);
        return Turn::Ran;
    }
    let (rt, search) = engine.parts();
    if has_learnt(rt) {
        return Turn::Learnt;
    }
    if search.gave_up_increments() {
        rt.options.reductions.increments = false;
        return Turn::Learnt;
    }
    if search.counters().restarts > 0 {
        // It began anew by itself, but what was counted before counts no more.
        for barrier in search.crowded_barriers() {
            rt.learn_crowded(barrier);
        }
        return Turn::Learnt;
    }
    if rt.doubtful && !rt.is_replay() {
        rt.options.reductions.commute = false;
        rt.options.reductions.counters = false;
        return Turn::Learnt;
    }
    if search.is_disordered() && !rt.is_replay() {
        rt.disordered_at = match rt.findings.has_bug {
            true => SiteId::UNKNOWN, // A race did it.
            false => uninstrumented::last_site(),
        };
        rt.options.reductions.observers = false;
        return Turn::Learnt;
    }
    match outcome {
        Ok(None) => Turn::Over,
        Ok(Some(execution)) => {
            execution_end::execution_ended(rt, search, &execution);
            find_one::execution_ended(rt, search);
            #[cfg(feature = "mutations")]
            if execution.end == End::EventBound && mutations::does(Mutation::EndsCut) {
                return Turn::Over;
            }
            match learned_events::take_changed() && !rt.is_replay() {
                true => Turn::Learnt,
                false => Turn::Ran,
            }
        }
        Err(fault) => match search_fault::stop(rt, fault) {
            Some(stop) => {
                rt.stop = Some(stop);
                Turn::Ran
            }
            None => Turn::Learnt,
        },
    }
}

/// Whether the program did something that makes more of its accesses events than are: the search begins anew. Asked
/// once.
pub fn has_learnt(rt: &mut Runtime) -> bool {
    let more_are_events = (concerns().take_learnt)();
    let more_are_events = learned_events::take_changed() || more_are_events;
    let more_are_events = rt.races.take_learnt() || more_are_events;
    let changed = rt.blocks.changed || rt.store_ownership.changed || more_are_events;
    changed && !rt.is_replay()
}

/// The check was stopped in the middle of an execution: what that found is no less true.
fn stopped(engine: &mut Engine) {
    let (rt, search) = engine.parts();
    if execution_end::keep_findings(rt, search) && rt.options.commit_files {
        system().keep_files();
    }
}

/// Begins the search again, knowing now what was learnt.
pub fn start_over(engine: &mut Engine) {
    let (rt, search) = engine.parts();
    for cell in search.awaited_cells() {
        rt.learn_awaited(cell);
    }
    for barrier in search.crowded_barriers() {
        rt.learn_crowded(barrier);
    }
    // Where each execution has a process, that ended before it could say so.
    rt.options.reductions.increments &= !search.gave_up_increments();
    let mut config = search_config::config(search_config::search(&rt.options), &rt.options);
    config.crowded_barriers.clone_from(&rt.crowded);
    config.awaited_cells.clone_from(&rt.awaited);
    config.prefix = find_one::prefix(rt);
    find_one::start_over(rt);
    *search = Searching::Alone(Explorer::new(config));
    search.spill(rt.spill_file, rt.options.tree_memory);
    rt.restoring.tell_again();
    if rt.races.has_torn() && rt.findings.executions.total() > 0 {
        // What costs more than the execution that began is not to come again.
        rt.races.judge_whole_pages(false);
    }
    begun_anew::note_beginning(rt);
    rt.findings.start_over();
    rt.output.clear();
    rt.saved.clear();
    rt.bytes_held = 0;
    rt.blocks.changed = false;
    // The search that begins knows all of it, also what was learnt before a first execution.
    learned_events::take_changed();
    rt.store_ownership.start_over();
    journal::calls(&learned_events::encode());
    rt.commute = search_config::reductions(&rt.options).commute;
    rt.counters = search_config::reductions(&rt.options).counters;
    rt.increments = search_config::increments(&rt.options);
    rt.looks = rt.increments;
    rt.observers = search_config::reductions(&rt.options).observers;
    rt.retries_wait = search_config::retries_wait(&rt.options);
    uninstrumented::want(rt.observers);
    rt.doubtful = false;
    more_threads::as_learnt(&mut engine.native);
}

/// Runs one execution in a process of its own, forked from the root. What it learns is in the arena.
fn turn_in_child(engine: &mut Engine) -> Turn {
    engine.rt().forks += 1;
    // SAFETY: the parent waits until the child has ended, and holds no reference meanwhile to what is on
    // the heap, which they share: not to what the runtime knows, nor to the search.
    let child = unsafe { children::fork() };
    match child {
        0 => {
            children::die_with_parent();
            engine.rt().is_child = true;
            engine.rt().pristine = true;
            (concerns().after_fork)();
            sys::exit_group(match turn_here(engine) {
                Turn::Ran => MORE,
                Turn::Over => NO_MORE,
                Turn::Learnt => LEARNT,
            })
        }
        child if child > 0 => {
            // Not before: both see it, and the child asks.
            let turn = wait(engine, child);
            engine.rt().pristine = true;
            turn
        }
        _ => {
            engine.rt().stop = Some(Stop::Failure("fork failed".to_owned()));
            Turn::Over
        }
    }
}

fn wait(engine: &mut Engine, child: isize) -> Turn {
    let status = children::wait(child as usize);
    match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        #[cfg(feature = "mutations")]
        (true, MORE) if mutations::does(Mutation::EndsEarly) => return Turn::Over,
        (true, MORE) => return Turn::Ran,
        (true, NO_MORE) => return Turn::Over,
        (true, LEARNT) => return Turn::Learnt,
        _ => {}
    }
    // What the child shares with us may be overwritten.
    if !journal::is_announced() {
        journal::announce(Announced::Child(status as u32), 0, 0);
    }
    let rt = engine.rt();
    if rt.options.channel >= 0 {
        sys::exit_group(DIED);
    }
    rt.stop = Some(Stop::Failure(format!(
        "the process of an execution died (wait status {status:#x})"
    )));
    Turn::Over
}

/// Whether to stop although executions are left, after one in this process.
pub fn is_enough(engine: &mut Engine) -> bool {
    let looks = is_time_to_look(engine.rt());
    is_enough_by(engine, looks)
}

/// Whether to stop although executions are left. `looks`: the clock is asked.
pub fn is_enough_by(engine: &mut Engine, looks: bool) -> bool {
    let (rt, search) = engine.parts();
    let executions = search.counters().executions();
    if rt.stop.is_some() {
        return true;
    }
    if !rt.options.replay.is_empty() || (rt.findings.has_bug && !rt.options.keep_going) {
        return true;
    }
    if find_one::is_found(rt) {
        return true;
    }
    if signals::is_interrupted() {
        rt.stop = Some(interrupted());
    } else if rt.options.max_executions != 0 && executions >= rt.options.max_executions {
        if !search.has_more() {
            return true;
        }
        rt.stop = Some(Stop::Incomplete(format!(
            "max-executions: {executions} explored"
        )));
    } else if rt.options.first != 0 && rt.findings.endings() >= rt.options.first {
        if !search.has_more() {
            return true;
        }
        let listed = text::counted(rt.options.first, "complete execution");
        rt.stop = Some(Stop::Incomplete(format!("first: {listed} listed")));
    } else if looks && is_out_of_time(rt) {
        rt.stop = Some(time_is_up(rt));
    }
    if rt.options.progress || rt.options.give_up {
        progress::tell_if_due(rt, search);
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
