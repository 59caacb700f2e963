//! Where the program has its variables and its blocks of the heap.

use crate::foreign::objects::Object as Loaded;
use crate::{loaded, process};
use dpor_machine::snapshot::Range;
use dpor_machine::{heap, thread_limit};

/// Blocks of the heap that live, ascending.
pub fn live_blocks() -> Vec<Range> {
    blocks(|is_freed| !is_freed)
}

/// Blocks of the heap, alive or freed, ascending.
pub fn all_blocks() -> Vec<Range> {
    blocks(|_| true)
}

fn blocks(are_wanted: impl Fn(bool) -> bool) -> Vec<Range> {
    let threads = 0..thread_limit::get();
    let all = threads.flat_map(|thread| heap::lived(thread, usize::MAX));
    let mut blocks: Vec<Range> = all
        .filter(|block| are_wanted(block.freed))
        .map(|block| (block.start, block.start + block.bytes))
        .collect();
    blocks.sort_unstable();
    blocks
}

/// Variables of the program's instrumented parts, without what the dynamic linker writes.
pub fn variables() -> Vec<Range> {
    let modules = process::modules();
    let objects = loaded::objects();
    let instrumented = objects.iter().map(|object| Loaded::of(object, &modules));
    let mut all = Vec::new();
    for object in instrumented.filter(|object| object.is_instrumented) {
        let linked = object.filled_by_linker();
        for written in &object.written {
            let (mut start, end) = (written.start, written.end);
            if let Some(linked) = linked
                .as_ref()
                .filter(|linked| written.contains(&linked.start))
            {
                all.push((start, linked.start));
                start = linked.end.min(end);
            }
            all.push((start, end));
        }
    }
    all.retain(|(start, end)| start < end);
    all.sort_unstable();
    all
}
