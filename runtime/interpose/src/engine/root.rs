//! The root, at which exploration begins: everything before this point is run once.

use super::auto_checkpoint::AutoCheckpoint;
use super::concern::{concerns, Root};
use super::findings::Findings;
use super::learned_events::EventCause;
use super::output::Output;
use super::program::{self, Native};
use super::restoring::Restoring;
use super::run::Engine;
use super::runtime::{engine_stack, install, runtime, Runtime, Searching, Stop, ACTIVE, SELECTOR};
use super::{forked, learned_events, loaded, run, sampling, signals, spill, workers};
use crate::hooks::uninstrumented;
use crate::start;
use crate::state::Kept;
use crate::world::world;
use core::ffi::{c_int, c_void};
use dpor_abi::options::{Checkpoint, Options, Plain, Races as RacesOption, Reductions, Search};
use dpor_explorer::program::{Decision, Executed, Next, ThreadId};
use dpor_explorer::{Config, Explorer};
use dpor_machine::fiber::{borrow, x86_64};
use dpor_machine::heap::block::Extent;
use dpor_machine::snapshot::{Range, Snapshots};
use dpor_machine::sys::{self, PAGE};
use dpor_machine::{arena, heap, snapshot, thread_limit};
use dpor_races::{InitialBlock, Judgement, Judging, Races};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bit of `<asm/hwcap2.h>`: `rdfsbase` and `wrfsbase` may be used.
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// Address of the engine's stack: among what is the runtime's own, and not the program's to share.
const ENGINE_STACK: usize = 0x0780_0000_0000;

/// Blocks of before the root, beyond which those that follow are not guarded (chosen: 40 MB of memory).
const LIVED_MAX: usize = 1 << 20;

/// Bytes of the engine's stack: the explorer recurses little.
pub const ENGINE_STACK_BYTES: usize = 8 << 20;

/// Makes this point of thread 0 the root. Returns on the same stack, as a fiber.
#[cold]
pub fn begin() {
    let Some(options) = start::options() else {
        return;
    };
    start::announce();
    heap::usable::end_watch();
    // SAFETY: the call only looks up a value that the kernel gave the process.
    if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_FSGSBASE == 0 {
        start::refuse("the system does not let programs set their thread pointer (FSGSBASE, Linux 5.9 and later)");
    }
    let create = real!(pthread_create: fn(*mut libc::pthread_t, *const libc::pthread_attr_t,
        extern "C" fn(*mut c_void) -> *mut c_void, *mut c_void) -> c_int);
    // SAFETY: `create` is libc's own `pthread_create`, not the runtime's function of that name.
    let Some(areas) = (unsafe { borrow::borrow(thread_limit::get(), create) }) else {
        start::refuse("the system does not allow the threads that the checker needs");
    };
    let sharing = match forked::is_used(options) {
        true => libc::MAP_SHARED,
        false => libc::MAP_PRIVATE,
    };
    let flags = sharing | libc::MAP_NORESERVE | libc::MAP_STACK | libc::MAP_FIXED_NOREPLACE;
    let Some(stack) = sys::map(ENGINE_STACK, ENGINE_STACK_BYTES, flags) else {
        start::refuse("no memory for the checker's stack");
    };
    let stack_top = stack as usize + ENGINE_STACK_BYTES;
    // SAFETY: the memory below `stack_top` was mapped just now, and nobody else knows it.
    let engine_stack_pointer = unsafe {
        x86_64::prepare(
            stack_top,
            engine_main,
            stack as usize,
            x86_64::CONTROL_AT_START,
        )
    };
    let judgement = match options.races {
        // Without looking for races every access is an event, which orders what comes behind it.
        RacesOption::Sc | RacesOption::Off => Judgement::Sc,
        _ => Judgement::C11,
    };
    learned_events::begin(!options.replay.is_empty());
    install(Box::new(Runtime {
        crowded: Vec::new(),
        awaited: Vec::new(),
        polled: Vec::new(),
        worker: None,
        workers: None,
        spill_file: spill::open(),
        races: detector(judgement),
        judging: Judging::new(options.detects()),
        snapshots: None,
        saved: Vec::new(),
        areas,
        stack_end: 0,
        stack_base: 0,
        root_stack: 0,
        left: None,
        thread_pointer: x86_64::thread_pointer(),
        numbers: Vec::new(),
        names: Vec::new(),
        engine_stack_pointer,
        engine_aside: 0,
        engine_stack_end: stack_top,
        current: ThreadId(0),
        decision: Decision::default(),
        root: Next::Finished,
        executed: Executed::nothing(),
        commute: reductions(options).commute,
        operand: 0,
        doubtful: false,
        doubts: Vec::new(),
        disordered_at: 0,
        serial: 0,
        depth: 0,
        pristine: true,
        exiting: false,
        failed: false,
        blocks: Default::default(),
        rounds: Default::default(),
        exchange_cells: Default::default(),
        announced: None,
        turns: false,
        turn_began: 0,
        turn_reads: false,
        exchange_cells_known: 0,
        passed: Vec::new(),
        trailing_cells: Vec::new(),
        observers: reductions(options).observers,
        locks: Default::default(),
        store_ownership: Default::default(),
        weaker: Default::default(),
        volatiles: Default::default(),
        orders: Default::default(),
        stored_cells: Default::default(),
        read: Vec::new(),
        trailing_reads: Vec::new(),
        trailing: Vec::new(),
        findings: Findings::default(),
        output: Output::default(),
        deaths: None,
        stop: None,
        stopped_at: 0,
        watch: None,
        watch_serial: 0,
        is_child: false,
        taken: 0,
        restored: 0,
        forks: 0,
        bytes_taken: 0,
        bytes_held: 0,
        forked: Default::default(),
        auto_checkpoint: AutoCheckpoint::new(options.checkpoint),
        restoring: Restoring::default(),
        started_ns: run::monotonic_ns(),
        gave_up: false,
        progress_ns: 0,
        pace: dpor_report::Pace::default(),
        program: start::command_line(),
        expected: None,
        guide: None,
        find_one: None,
        options: Options {
            checkpoint: options.checkpoint.at_first(),
            ..options.clone()
        },
    }));
    // SAFETY: the world was mapped just now, and thread 0 is the only one that runs.
    unsafe { (*world()).engine.begin() };
    // SAFETY: the runtime was installed just now, and nobody holds a reference to it yet.
    let spill_file = unsafe { (*runtime()).spill_file };
    let hidden = [options.channel, spill_file.unwrap_or(-1)];
    let left = workers::left_of(options).unwrap_or_else(|why| start::refuse(&why));
    let clock = left.as_ref().map_or(&options.clock, |left| &left.clock);
    let mut root = Root {
        hidden,
        clock: clock.clone(),
    };
    (concerns().at_root)(&mut root);
    super::journal::begin(&root.clock);
    // SAFETY: nobody holds a reference yet. `install` put the runtime there for good, and the engine's borrows
    // of it end before a fiber or a handler runs (`Between`).
    unsafe {
        snapshot::announce_to(&raw mut (*runtime()).snapshots);
        (*runtime()).options.clock = root.clock;
        (*runtime()).left = left;
    }
    let (start, end) = own_image();
    IMAGE_START.store(start, Ordering::Relaxed);
    IMAGE_END.store(end, Ordering::Relaxed);
    start::note_foreign_allocator();
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

/// The search of the explorer that the options name.
pub fn search(options: &Options) -> dpor_explorer::SearchKind {
    if let Some(sampling) = sampling::wanted(options) {
        return dpor_explorer::SearchKind::Sample(sampling);
    }
    match options.search {
        Search::Classic => dpor_explorer::SearchKind::Classic,
        Search::Dfs => dpor_explorer::SearchKind::Dfs,
        Search::Icb => dpor_explorer::SearchKind::Icb,
        _ => dpor_explorer::SearchKind::Optimal,
    }
}

/// The reductions in force.
pub fn reductions(options: &Options) -> Reductions {
    match options.search {
        // See the explorer's module `bound`.
        Search::Optimal if options.is_bounded() || !options.seek.is_empty() => Reductions {
            commute: options.reductions.commute,
            ..Reductions::NONE
        },
        Search::Optimal => Reductions {
            // A plain access that is an event may read what it is said to write, and what threads
            // that are alike read was not thought through.
            observers: options.reductions.observers
                && !options.reductions.symmetry
                && options.plain != Plain::Explore,
            ..options.reductions
        },
        _ => Reductions::NONE,
    }
}

/// Events of one execution, if nothing else is said: one this long never ends, as far as anyone who waits for it can
/// tell.
const EVENTS_MAX: u64 = 1_000_000;

/// An execution with more events is cut.
pub fn events_max(options: &Options) -> u64 {
    match options.max_events {
        0 => EVENTS_MAX,
        events => events,
    }
}

/// Settings of the search.
pub fn config(search: dpor_explorer::SearchKind, options: &Options) -> Config {
    let mut config = Config::default();
    config.search = search;
    config.reductions.commute = reductions(options).commute;
    config.reductions.observers = reductions(options).observers;
    config.reductions.symmetry = reductions(options).symmetry;
    config.checkpoints = options.checkpoint != Checkpoint::Restart;
    config.checkpoint_after = u32::try_from(options.checkpoint_after).unwrap_or(u32::MAX);
    config.bound = options.bound;
    config.iterative = options.iterative;
    config.max_events = Some(events_max(options));
    config.turns_again = learned_events::knows(EventCause::TurnsAgain);
    config
}

/// Body of the engine's context: thread 0 has just published its first operation, or stopped the check.
extern "C" fn engine_main(stack: usize) -> ! {
    SELECTOR.store(0, Ordering::Relaxed);
    ACTIVE.store(false, Ordering::Relaxed);
    // SAFETY: the engine begins here, once. Its only fibers run in steps, for which the explorer borrows
    // the whole value.
    let mut native = unsafe { Native::of_engine() };
    let rt = native.rt();
    program::own_storage(rt);
    rt.root = rt.executed.next;
    uninstrumented::want(rt.observers);
    uninstrumented::end_step(ThreadId(0));
    if rt.stop.is_none() {
        take_root(rt, stack);
    }
    // A replay's schedule is read later (schedule.rs).
    let explorer = Explorer::new(config(search(&rt.options), &rt.options));
    let mut search = Box::new(Searching::Alone(explorer));
    search.spill(rt.spill_file, rt.options.tree_memory);
    run::run(Engine { search, native })
}

/// Saves the state in which exploration begins.
fn take_root(rt: &mut Runtime, stack: usize) {
    let read_maps = loaded::maps;
    if let Err(why) = (concerns().make_private)(&read_maps()) {
        rt.stop = Some(Stop::Unsupported(why));
    }
    let maps = read_maps();
    (concerns().mapped_at_root)(&maps);
    let excluded = vec![
        arena::range(),
        own_text(),
        (rt.areas[0].start, rt.areas[rt.areas.len() - 1].end),
        (stack, stack + ENGINE_STACK_BYTES),
        signals::stack_range(),
    ];
    let (mut ranges, main_stack) = snapshot::writable_mappings(&maps, &excluded);
    // The last area is the engine's.
    let borrowed = &rt.areas[..rt.areas.len() - 1];
    ranges.extend(borrowed.iter().map(|area| (area.stack_top, area.end)));
    let Some((stack_start, stack_end)) = main_stack else {
        start::refuse("/proc/self/maps shows no stack")
    };
    rt.stack_end = stack_end;
    // Before main nobody knows.
    let base = Some(start::stack_base()).filter(|base| (stack_start..stack_end).contains(base));
    rt.stack_base = base.unwrap_or(stack_end);
    if rt.stack_base < stack_end {
        ranges.push((rt.stack_base, stack_end));
    }
    // SAFETY: the world is mapped, and thread 0 is suspended, so that nobody writes its entry.
    rt.root_stack = unsafe { (*world()).threads[0].fiber.stack_pointer };
    super::frames::at_root(rt);
    rt.judging.root_is_here(&mut rt.races);
    rt.findings.root_is_here();
    // A process that runs a single execution needs no protection: it is never restored.
    let protecting = rt.options.checkpoint == Checkpoint::Snapshot;
    let whole = || vec![(stack_start, rt.stack_base)];
    ranges.sort_unstable();
    let stacks = program::live_stacks(rt).unwrap_or_else(whole);
    rt.snapshots = Some(Snapshots::at_root(ranges, &stacks, protecting));
}

/// Whether the runtime uses memory in this range: stacks of threads and its own, its image.
pub fn is_used_by_runtime(start: usize, end: usize) -> bool {
    // SAFETY: the runtime is installed; what is read of it does not change after the root.
    let rt = unsafe { &*runtime() };
    let used = [
        own_text(),
        (rt.areas[0].start, rt.areas[rt.areas.len() - 1].end),
        engine_stack(),
        signals::stack_range(),
        (rt.stack_end - (8 << 20), rt.stack_end),
    ];
    used.iter().any(|&(from, to)| from < end && start < to)
}

/// The runtime's own segments.
fn own_image() -> Range {
    struct Search {
        address: usize,
        found: Range,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> i32 {
        // SAFETY: dl_iterate_phdr passes a valid record and the pointer given below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        let mut range = (usize::MAX, 0);
        for k in 0..info.dlpi_phnum as usize {
            // SAFETY: the array has `dlpi_phnum` entries.
            let header = unsafe { &*info.dlpi_phdr.add(k) };
            if header.p_type == libc::PT_LOAD {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                range = (
                    range.0.min(start & !(PAGE - 1)),
                    range
                        .1
                        .max((start + header.p_memsz as usize).next_multiple_of(PAGE)),
                );
            }
        }
        if range.0 <= search.address && search.address < range.1 {
            search.found = range;
        }
        0
    }
    let mut search = Search {
        address: own_image as *const () as usize,
        found: (0, 0),
    };
    // SAFETY: the callback gets the pointer while `search` lives.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

static IMAGE_START: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static IMAGE_END: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Whether an instruction is the runtime's own. Looked up once, at the root: asking the dynamic
/// linker takes a lock.
pub fn is_own(instruction: usize) -> bool {
    (IMAGE_START.load(Ordering::Relaxed)..IMAGE_END.load(Ordering::Relaxed)).contains(&instruction)
}

/// The range of instructions from which system calls go straight to the kernel.
pub fn own_text() -> Range {
    (
        IMAGE_START.load(Ordering::Relaxed),
        IMAGE_END.load(Ordering::Relaxed),
    )
}

#[cfg(not(feature = "mutations"))]
fn detector(judgement: Judgement) -> Races {
    Races::with_threads(judgement, thread_limit::get())
}

/// The race detector, which forgets too much with `DPOR_MUTATION=forget-shadow`.
#[cfg(feature = "mutations")]
fn detector(judgement: Judgement) -> Races {
    let mut races = Races::with_threads(judgement, thread_limit::get());
    super::mutations::at_root();
    if super::mutations::is(c"forget-shadow") {
        races.forget_shadow_on_rollback();
    }
    races
}
