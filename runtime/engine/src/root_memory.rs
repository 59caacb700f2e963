//! The program's memory at the root: what of it there is to save.

use crate::accesses::{whole_pages, words};
use crate::live_stacks::live_stacks;
use crate::runtime::{Runtime, ENGINE_STACK_BYTES};
use crate::world::{self, world};
use crate::{own_image, process, signals};
use dpor_abi::options::Checkpoint;
use dpor_machine::arena;
use dpor_machine::snapshot::{self, Snapshots};

/// Address of the engine's stack: among what is the runtime's own, and not the program's to share.
pub const ENGINE_STACK: usize = 0x0780_0000_0000;

/// Saves the program's memory. `maps`: what is mapped.
pub fn save(rt: &mut Runtime, maps: &str) {
    let excluded = vec![
        arena::range(),
        own_image::range(),
        (rt.areas[0].start, rt.areas[rt.areas.len() - 1].end),
        (ENGINE_STACK, ENGINE_STACK + ENGINE_STACK_BYTES),
        signals::stack_range(),
        words::range(),
        whole_pages::range(),
    ];
    let (mut ranges, main_stack) = snapshot::writable_mappings(maps, &excluded);
    // The last area is the engine's.
    let borrowed = &rt.areas[..rt.areas.len() - 1];
    ranges.extend(borrowed.iter().map(|area| (area.stack_top, area.end)));
    let Some((stack_start, stack_end)) = main_stack else {
        process::refuse("/proc/self/maps shows no stack")
    };
    rt.stack_end = stack_end;
    // Before main nobody knows.
    let base = Some(process::stack_base()).filter(|base| (stack_start..stack_end).contains(base));
    rt.stack_base = base.unwrap_or(stack_end);
    if rt.stack_base < stack_end {
        ranges.push((rt.stack_base, stack_end));
    }
    // SAFETY: the world is mapped, and thread 0 is suspended, so that nobody writes its entry.
    rt.root_stack = unsafe { (*world()).threads[0].fiber.stack_pointer };
    // A process that runs a single execution needs no protection: it is never restored.
    let protecting = rt.options.checkpoint == Checkpoint::Snapshot;
    let whole = || vec![(stack_start, rt.stack_base)];
    ranges.sort_unstable();
    let stacks = live_stacks(rt).unwrap_or_else(whole);
    let mut kept_warm: Vec<_> = rt.areas.iter().map(|area| (area.start, area.end)).collect();
    kept_warm.extend([world::range(), (stack_start, stack_end)]);
    let mut snapshots = Snapshots::at_root(ranges, &stacks, protecting);
    snapshots.keep_warm(kept_warm);
    rt.snapshots = Some(snapshots);
}
