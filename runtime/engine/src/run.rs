//! The main loop: one execution after the other, until all are explored or something stops it.

use crate::execution::{is_enough, one};
use crate::given::{several, system};
use crate::runtime::Runtime;
use crate::searching::Engine;
use crate::stop::Stop;
use crate::stopping::is_reported;
use crate::{
    by_states, call_order, deaths, debugger, find_one, forked, journal, learned_events,
    more_threads, properties, report, schedule, signals, worker_process,
};
use dpor_machine::sys;

/// Explores, reports and ends the process. On the engine's context.
pub fn run(mut engine: Engine) -> ! {
    let engine = &mut engine;
    if engine.rt().stop.is_none() {
        explore(engine);
    }
    finish(engine)
}

fn explore(engine: &mut Engine) {
    if let Err(why) = prepare(engine) {
        engine.rt().stop = Some(Stop::Failure(why));
    }
    more_threads::at_beginning(&mut engine.native);
    if forked::is_used(&engine.rt().options) {
        forked::take(0);
    }
    if engine.rt().stop.is_none() && several().are_due_at_once(engine.rt()) {
        several().explore(engine);
        return;
    }
    if engine.rt().options.is_by_states() && !engine.rt().is_replay() {
        if engine.rt().stop.is_none() {
            by_states::explore(engine);
        }
        return;
    }
    while engine.rt().stop.is_none() {
        let more = one(engine);
        if !more && deaths::is_one_missing(engine.rt()) {
            engine.rt().stop = Some(Stop::Failure(
                "a schedule that killed the process did not come again: the program does not do the \
                 same when it is started again (its input or environment may differ)"
                    .to_owned(),
            ));
        }
        if !more || is_enough(engine) {
            break;
        }
        if several().are_due(engine.rt()) && several().explore(engine) {
            break;
        }
    }
}

fn prepare(engine: &mut Engine) -> Result<(), String> {
    let (rt, search) = engine.parts();
    deaths::prepare(rt)?;
    schedule::prepare_replay(rt, search)?;
    find_one::prepare(rt, search)?;
    by_states::prepare(rt)?;
    properties::at_root(rt);
    // What the search knows from its beginning is part of its schedules, also of one that ends the process.
    journal::calls(&learned_events::encode());
    Ok(())
}

/// Reports and ends the process.
fn finish(engine: &mut Engine) -> ! {
    signals::disarm();
    debugger::end(engine.rt());
    forked::is_over(engine.rt());
    if worker_process::is_worker() {
        several().leave(engine);
    }
    if let Some(why) = committed(engine.rt()) {
        engine.rt().stop = Some(Stop::Failure(why));
    }
    let (rt, search) = engine.parts();
    if let Some(stop) = call_order::unconfirmed(rt) {
        rt.stop = Some(stop);
    }
    let code = report::send(rt, search);
    #[cfg(feature = "training")]
    crate::training::leave_counters();
    sys::exit_group(code)
}

/// Writes the reported execution's files, if that is wanted; what went wrong.
fn committed(rt: &Runtime) -> Option<String> {
    // Of several processes, the one that has them has written them.
    if !rt.options.commit_files || !is_reported(rt) || rt.workers.is_some() {
        return None;
    }
    system().write_files().err()
}
