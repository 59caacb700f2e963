//! The stack frames that the race detector has to know of, and findings on frames that have ended.

use crate::findings::access;
use crate::memory::note_with;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::{runtime, Runtime};
use crate::sites::{outside_of_system, place};
use crate::world::world;
use crate::{foreign, process};
use dpor_model::{SiteId, ThreadId};
use dpor_races::Race;
use dpor_report::FindingKind;

/// Bytes of thread 0's stack, as [`crate::stack_of`] has them.
const BYTES_OF_FIRST: u64 = 8 << 20;

/// Exploration begins, and it is known where the stack of thread 0 ends.
pub fn at_root(rt: &mut Runtime) {
    if rt.options.detects() {
        if rt.is_replay() {
            rt.races.meet_everything();
        }
        let end = rt.stack_end as u64;
        rt.races.stand_on(ThreadId::MAIN, end - BYTES_OF_FIRST, end);
        rt.races.ask_positions(position);
    }
}

/// The running thread, not thread 0, begins.
pub fn begin() {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let thread = unsafe { (*runtime()).current };
    let (low, bytes) = crate::stack_of(thread);
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    if rt.options.detects() {
        { &mut rt.races }.stand_on(thread, low as u64, (low + bytes) as u64);
    }
}

/// Where a suspended thread stands on its own stack. What thread 0 has there since before the root counts as its
/// own for good once `main` has returned: others may use what it has lent them until the process ends.
fn position(thread: ThreadId) -> Option<u64> {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::FramesLive) {
        return None;
    }
    let (low, bytes) = crate::stack_of(thread);
    // SAFETY: the world is mapped; a fiber runs, and this one is suspended if it lives.
    let (engine, pointer, root) = unsafe {
        let threads = &raw const (*world()).threads;
        let pointer = (*threads)[thread.index()].fiber.stack_pointer;
        (&(*world()).engine, pointer, (*runtime()).root_stack)
    };
    let highest = match thread == ThreadId::MAIN && engine.main_returned {
        true => root,
        false => usize::MAX,
    };
    let stands = engine.live.contains(thread) && (low..low + bytes).contains(&pointer);
    stands.then_some(pointer.min(highest) as u64)
}

/// Whether a function without instrumentation may have a variable there, of which nobody tells that it began: the
/// program has entered such code, and the place lies in the living part of the stack.
fn is_foreign_possible(race: &Race) -> bool {
    let is_below = race.returned && race.earlier.site == SiteId::UNKNOWN;
    !is_below && (foreign::is_any_entered() || !process::is_main_instrumented())
}

/// Notes a race of which one side is the end of a variable's life, with its function or before, and the other an access
/// by another thread.
pub fn used_after_return(rt: &mut Runtime, race: &Race) {
    let (end, used) = match race.returns {
        true => (&race.later, &race.earlier),
        false => (&race.earlier, &race.later),
    };
    if is_foreign_possible(race) {
        return;
    }
    let function = outside_of_system(end.site).function;
    let has = if race.after_free { "has" } else { "may have" };
    let message = match rt.owner_of(race.address as usize) {
        _ if !function.is_empty() => {
            format!("use of a local variable of {function}, whose life {has} ended")
        }
        Some(stack) if race.returns => {
            format!("use of the {stack}, where something else may have begun")
        }
        Some(stack) => format!("use of the {stack}, whose frame {has} ended"),
        None => "use of a local variable whose life has ended".to_owned(),
    };
    let mut others = Vec::new();
    let mut details = Vec::new();
    if end.site != SiteId::UNKNOWN {
        others.push(access(end.thread, "end of its life", place(end.site), 0));
    }
    if !race.after_free {
        details.push("nothing orders the use before it".to_owned());
    }
    let kind = FindingKind::UseAfterReturn;
    note_with(rt, kind, message, (race, used), others, details);
}
