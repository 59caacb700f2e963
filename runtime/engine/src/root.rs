//! The root, at which exploration begins: everything before this point is run once.

use crate::accesses::{repeated, uninstrumented};
use crate::concern::Root;
use crate::given::{concerns, several};
use crate::learned_events::EventCause;
use crate::native::Native;
use crate::own_storage::own_storage;
use crate::root_memory::ENGINE_STACK;
use crate::runtime::{install, runtime, Runtime, ACTIVE, ENGINE_STACK_BYTES, SELECTOR};
use crate::searching::{Engine, Searching};
use crate::stop::Stop;
use crate::world::world;
use crate::{
    call_order, call_stacks, first_uses, forked, learned_events, loaded, more_threads, own_image,
    process, real, refusal, root_memory, run, runtime_at_root, search_config, signals, spill,
};
use dpor_abi::options::{Options, Races};
use dpor_explorer::{Explorer, SearchKind};
use dpor_machine::fiber::x86_64;
use dpor_machine::heap::block::Extent;
use dpor_machine::snapshot;
use dpor_machine::{heap, sys};
use dpor_model::ThreadId;
use dpor_races::InitialBlock;
use std::sync::atomic::Ordering;

/// Bit of `<asm/hwcap2.h>`: `rdfsbase` and `wrfsbase` may be used.
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// Blocks of before the root, beyond which those that follow are not guarded (chosen: 40 MB of memory).
const LIVED_MAX: usize = 1 << 20;

/// Makes this point of thread 0 the root, as [`begin`](crate::begin) asks. Returns on the same stack, as a fiber.
#[cold]
pub fn make() {
    let Some(options) = process::options() else {
        return;
    };
    process::announce();
    heap::usable::end_watch();
    // SAFETY: the call only looks up a value that the kernel gave the process.
    if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_FSGSBASE == 0 {
        process::refuse("the system does not let programs set their thread pointer (FSGSBASE, Linux 5.9 and later)");
    }
    // Before there are threads: a table of descriptors that they share does not grow before the kernel has waited for
    // every processor (`synchronize_rcu` in `expand_fdtable`), some 10 ms.
    let spill_file = spill::open();
    let areas = more_threads::at_root(options);
    let engine_stack = map_engine_stack(options);
    if !repeated::begin() {
        process::refuse("no memory for what the checker knows of accesses");
    }
    learned_events::begin(!options.replay.is_empty());
    if options.is_by_states() {
        learned_events::know(EventCause::MoreThreads);
    }
    call_order::at_root(options);
    install(runtime_at_root::new(
        options,
        areas,
        engine_stack,
        spill_file,
    ));
    tell_concerns(options);
    own_image::look_up();
    if process::options().is_some_and(|options| options.stacks) {
        call_stacks::begin();
        first_uses::begin();
    }
    note_foreign_allocator();
    signals::install();
    if options.detects() {
        let lived = heap::lived(0, LIVED_MAX)
            .into_iter()
            .map(as_lived)
            .collect();
        // SAFETY: the runtime was installed just now, and nobody holds a reference to it yet.
        unsafe { (*runtime()).races.begin_with(lived) };
    }
    // From here on this is a fiber.
    ACTIVE.store(true, Ordering::Relaxed);
    SELECTOR.store(1, Ordering::Relaxed);
    (concerns().first_events)();
}

/// The program may bring its own allocator. Its memory is the program's like any other; only where
/// blocks begin and end is not known.
fn note_foreign_allocator() {
    let used = real::first(c"malloc") as usize;
    if !own_image::is_own(used) {
        process::note("the program brings its own malloc: heap blocks are not named, and their reuse is not seen");
    }
}

/// Maps the engine's stack, and puts the engine's context there, to begin in [`engine_main`]. Returns its stack
/// pointer, and the end of the stack.
fn map_engine_stack(options: &Options) -> (usize, usize) {
    let sharing = match forked::is_used(options) {
        true => libc::MAP_SHARED,
        false => libc::MAP_PRIVATE,
    };
    let flags = sharing | libc::MAP_NORESERVE | libc::MAP_STACK | libc::MAP_FIXED_NOREPLACE;
    let Some(stack) = sys::map(ENGINE_STACK, ENGINE_STACK_BYTES, flags) else {
        process::refuse("no memory for the checker's stack");
    };
    let stack_top = stack as usize + ENGINE_STACK_BYTES;
    // SAFETY: the memory below `stack_top` was mapped just now, and nobody else knows it.
    let stack_pointer = unsafe {
        x86_64::prepare(
            stack_top,
            engine_main,
            stack as usize,
            x86_64::CONTROL_AT_START,
        )
    };
    (stack_pointer, stack_top)
}

/// Tells the other parts of the program's root, and takes over what they say of the clock.
fn tell_concerns(options: &Options) {
    // SAFETY: the world was mapped just now, and thread 0 is the only one that runs.
    unsafe { (*world()).engine.begin() };
    // SAFETY: the runtime was installed just now, and nobody holds a reference to it yet.
    let spill_file = unsafe { (*runtime()).spill_file };
    let hidden = [options.channel, spill_file.unwrap_or(-1)];
    let clock = several()
        .read_left(options)
        .unwrap_or_else(|why| process::refuse(&why));
    let mut root = Root {
        hidden,
        clock: clock.unwrap_or_else(|| options.clock.clone()),
    };
    (concerns().at_root)(&mut root);
    crate::journal::begin(&root.clock);
    // SAFETY: nobody holds a reference yet. `install` put the runtime there for good, and the engine's borrows
    // of it end before a fiber or a handler runs (`Between`).
    unsafe {
        snapshot::announce_to(&raw mut (*runtime()).snapshots);
        (*runtime()).options.clock = root.clock;
    }
}

/// A block of the heap's, for the race detector.
fn as_lived(block: Extent) -> InitialBlock {
    InitialBlock {
        from: block.from as u64,
        start: block.start as u64,
        bytes: block.bytes as u64,
        end: block.end as u64,
        freed: block.freed,
    }
}

/// Body of the engine's context: thread 0 has just published its first operation, or stopped the check.
extern "C" fn engine_main(_: usize) -> ! {
    SELECTOR.store(0, Ordering::Relaxed);
    ACTIVE.store(false, Ordering::Relaxed);
    // SAFETY: the engine begins here, once. Its only fibers run in steps, for which the explorer borrows
    // the whole value.
    let mut native = unsafe { Native::of_engine() };
    let rt = native.rt();
    own_storage(rt);
    refusal::add_place(rt);
    rt.root = rt.executed.next;
    uninstrumented::want(rt.observers);
    uninstrumented::end_step(ThreadId(0));
    if rt.stop.is_none() {
        take_root(rt);
    }
    // A replay's schedule is read later (schedule.rs).
    let explorer = Explorer::new(search_config::config(
        search_config::search(&rt.options),
        &rt.options,
    ));
    let mut search = Box::new(Searching::Alone(explorer));
    search.spill(rt.spill_file, rt.options.tree_memory);
    run::run(Engine { search, native })
}

/// Whether a search judges pages of shadow memory as one: it has to be one that begins anew where it learns something, as a
/// replay or a search by states does not.
fn may_begin_anew(rt: &Runtime) -> bool {
    let is_searched = matches!(
        search_config::search(&rt.options),
        SearchKind::Optimal | SearchKind::Dfs | SearchKind::Classic | SearchKind::Icb
    );
    is_searched && rt.options.races != Races::Off && !rt.is_replay()
}

/// Saves the state in which exploration begins.
fn take_root(rt: &mut Runtime) {
    let mut maps = loaded::maps();
    match (concerns().make_private)(&maps) {
        Ok(false) => {}
        Ok(true) => maps = loaded::maps(),
        Err(why) => {
            rt.stop = Some(Stop::Unsupported(why));
            maps = loaded::maps();
        }
    }
    (concerns().mapped_at_root)(&maps);
    root_memory::save(rt, &maps);
    crate::frames::at_root(rt);
    rt.races.judge_whole_pages(may_begin_anew(rt));
    rt.judging.root_is_here(&mut rt.races);
    rt.findings.root_is_here();
}
