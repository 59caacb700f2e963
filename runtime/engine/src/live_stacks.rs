//! The parts of the program's stacks that live.

use crate::runtime::Runtime;
use crate::world::world;
use dpor_machine::snapshot::Range;
use dpor_model::ThreadId;

/// The live part of every live fiber's stack, with the red zone of the frame that switched; `None` while a fiber stands
/// on another stack that the program made (`makecontext`): how much of its own is live is then unknown.
pub fn live_stacks(rt: &Runtime) -> Option<Vec<Range>> {
    const RED_ZONE: usize = 128;
    live_parts(rt, RED_ZONE)
}

/// The same, from so many bytes below each stack pointer.
pub fn live_parts(rt: &Runtime, below: usize) -> Option<Vec<Range>> {
    // SAFETY: the world is mapped from the root on; the engine looks between two steps, when no fiber runs.
    let (live, threads) = unsafe { ((*world()).engine.live, &(*world()).threads) };
    live.iter()
        .map(|thread| usize::from(thread.0))
        .map(|t| {
            let end = match t {
                0 => rt.stack_end,
                _ => rt.areas[t - 1].stack_top,
            };
            let (low, _) = crate::stack_of(ThreadId(t as u16));
            let pointer = threads[t].fiber.stack_pointer;
            let kept = if t == 0 { rt.stack_base } else { end };
            let live = ((pointer - below).min(kept), kept);
            (low..end).contains(&pointer).then_some(live)
        })
        .collect()
}
