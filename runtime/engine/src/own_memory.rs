//! Memory of the runtime's own, which the program must leave alone.

use crate::accesses::{whole_pages, words};
use crate::runtime::{engine_stack, runtime};
use crate::{own_image, signals};

/// Whether the runtime uses memory in this range: stacks of threads and its own, its image.
pub fn is_used_by_runtime(start: usize, end: usize) -> bool {
    // SAFETY: the runtime is installed; what is read of it does not change after the root.
    let rt = unsafe { &*runtime() };
    let used = [
        own_image::range(),
        (rt.areas[0].start, rt.areas[rt.areas.len() - 1].end),
        engine_stack(),
        signals::stack_range(),
        words::range(),
        whole_pages::range(),
        (rt.stack_end - (8 << 20), rt.stack_end),
    ];
    used.iter().any(|&(from, to)| from < end && start < to)
}
