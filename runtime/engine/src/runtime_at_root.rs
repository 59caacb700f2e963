//! What the runtime knows when exploration begins.

use crate::knowledge::auto_checkpoint::AutoCheckpoint;
use crate::knowledge::begun_anew::BegunAnew;
use crate::knowledge::findings::Findings;
use crate::output::Output;
use crate::restoring::Restoring;
use crate::runtime::Runtime;
use crate::told_races::ToldRaces;
use crate::{clock, process, search_config};
use dpor_abi::options::{Options, Races as RacesOption};
use dpor_machine::fiber::{x86_64, Area};
use dpor_machine::thread_limit;
use dpor_model::{Decision, Executed, Next, SiteId, ThreadId};
use dpor_races::{Judgement, Judging, Races};

/// The runtime of a search that has not begun. `areas` are the borrowed threads' stacks, the engine's the last;
/// the two addresses are the stack pointer of the engine's suspended context, and the end of its stack. `spill_file`:
/// [`crate::spill::open`].
#[allow(clippy::too_many_lines, reason = "a literal of many fields")]
pub fn new(
    options: &Options,
    areas: Vec<Area>,
    (engine_stack_pointer, engine_stack_end): (usize, usize),
    spill_file: Option<i32>,
) -> Box<Runtime> {
    Box::new(Runtime {
        crowded: Vec::new(),
        awaited: Vec::new(),
        polled: Vec::new(),
        worker: None,
        workers: None,
        spill_file,
        races: detector(options),
        judging: Judging::new(options.detects()),
        snapshots: None,
        saved: Vec::new(),
        areas,
        stack_end: 0,
        stack_base: 0,
        root_stack: 0,
        thread_pointer: x86_64::thread_pointer(),
        numbers: Vec::new(),
        names: Vec::new(),
        engine_stack_pointer,
        engine_aside: 0,
        engine_stack_end,
        current: ThreadId(0),
        decision: Decision::default(),
        root: Next::Finished,
        executed: Executed::nothing(),
        commute: search_config::reductions(options).commute,
        counters: search_config::reductions(options).counters,
        increments: search_config::increments(options),
        looks: search_config::increments(options),
        retries_wait: search_config::retries_wait(options),
        operand: 0,
        doubtful: false,
        doubts: Vec::new(),
        disordered_at: SiteId::UNKNOWN,
        serial: 0,
        begun_anew: BegunAnew::default(),
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
        observers: search_config::reductions(options).observers,
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
        told_races: ToldRaces::default(),
        properties: Default::default(),
        progress: false,
        call_ended: 0,
        repeated_loop: None,
        states: None,
        first_end: None,
        output: Output::default(),
        deaths: None,
        stop: None,
        stopped_at: 0,
        refused_at: SiteId::UNKNOWN,
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
        started_ns: clock::monotonic_ns(),
        gave_up: false,
        progress_ns: 0,
        pace: dpor_report::Pace::default(),
        program: process::command_line(),
        expected: None,
        guide: None,
        find_one: None,
        options: Options {
            checkpoint: options.checkpoint.at_first(),
            ..options.clone()
        },
    })
}

/// How the race detector judges.
fn judgement(options: &Options) -> Judgement {
    match options.races {
        // Without looking for races every access is an event, which orders what comes behind it.
        RacesOption::Sc | RacesOption::Off => Judgement::Sc,
        _ => Judgement::C11,
    }
}

/// The race detector.
#[cfg(not(feature = "mutations"))]
fn detector(options: &Options) -> Races {
    Races::with_threads(judgement(options), thread_limit::get())
}

/// The race detector, which forgets too much with `DPOR_MUTATION=forget-shadow`.
#[cfg(feature = "mutations")]
fn detector(options: &Options) -> Races {
    let mut races = Races::with_threads(judgement(options), thread_limit::get());
    crate::mutations::at_root();
    if crate::mutations::is(c"forget-shadow") {
        races.forget_shadow_on_rollback();
    }
    races
}
