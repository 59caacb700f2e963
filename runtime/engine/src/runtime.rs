//! The runtime's knowledge that no rollback takes back, and the few words that hooks read.

use crate::atomic_site::AtomicSite;
use crate::between::{Between, Shared};
use crate::knowledge::announced::Announced;
use crate::knowledge::begun_anew::BegunAnew;
use crate::knowledge::findings::Findings;
use crate::knowledge::orders::Orders;
use crate::knowledge::worker::WorkerProcess;
use crate::output::Output;
use crate::store_ownership::StoreOwnership;
use crate::told_races::ToldRaces;
use dpor_abi::options::Options;
use dpor_machine::fiber::Area;
use dpor_machine::snapshot::{Saved, Snapshots};
use dpor_machine::state::{Kept, PerStep};
use dpor_model::{Decision, Next, ObjectId, SiteId, ThreadId};
use dpor_races::Races;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// True while a program fiber runs under exploration.
pub static ACTIVE: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));
/// Site of the running fiber's last instrumented call.
pub static CALL_SITE: PerStep<AtomicSite> = PerStep::new(AtomicSite::unknown());
/// True if the running thread wrote to memory, without an operation, since its last one.
pub static WRITTEN: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));
/// True if it did so, or allocated or freed memory, and what it changed may last (interpose/src/own_stack_stores.rs).
pub static CHANGED: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));
pub use crate::journal::SELECTOR;

static RUNTIME: Kept<Shared<Runtime>> = Kept::new(Shared::nothing());

/// The runtime's knowledge; in the arena, so shared with forked processes.
pub struct Runtime {
    /// The options as they were given.
    pub options: Options,
    /// Path and arguments of the program, for the report.
    pub program: Vec<String>,
    /// Barriers known to have more users than they wait for, and how many.
    pub crowded: Vec<(ObjectId, u64)>,
    /// Cells in which threads wait for a value.
    pub awaited: Vec<ObjectId>,
    /// Cells that loops look at, turn after turn in vain.
    pub polled: Vec<ObjectId>,
    /// This process as one of several workers.
    pub worker: Option<Box<dyn WorkerProcess>>,
    /// Sums over the workers' accounts, once they are done; in the coordinator.
    pub workers: Option<Box<crate::knowledge::sums::Sums>>,
    /// The file for plans that do not fit into memory.
    pub spill_file: Option<i32>,
    /// Accesses that ask for less than what is explored.
    pub weaker: crate::knowledge::weaker::Weaker,
    /// Volatile accesses that are taken for atomic ones.
    pub volatiles: crate::knowledge::volatiles::Volatiles,
    /// The race detector.
    pub races: Races,
    /// When the detector judges, and what it goes back to.
    pub judging: dpor_races::Judging,
    /// Where thread 0 stands at the root.
    pub root: Next,
    /// What a replay is to show.
    pub expected: Option<dpor_report::Finding>,
    /// The guide of a replay by another build of the program.
    pub guide: Option<Box<crate::knowledge::guide::Guide>>,
    /// The finding that is looked for, if there is one.
    pub find_one: Option<Box<crate::knowledge::find_one::FindOne>>,
    /// The program's memory.
    pub snapshots: Option<Snapshots>,
    /// Checkpoints other than the root: `saved[k]` is checkpoint k + 1.
    pub saved: Vec<Option<Point>>,
    /// Stacks of borrowed threads: `areas[t - 1]` is thread t's; the last one is the engine's.
    pub areas: Vec<Area>,
    /// End of thread 0's stack.
    pub stack_end: usize,
    /// Address from which on thread 0's stack consists of pages that are protected like others.
    pub stack_base: usize,
    /// Where thread 0 stood at the root.
    pub root_stack: usize,
    /// Thread pointer of thread 0.
    pub thread_pointer: usize,
    /// Thread numbers made for each creator's children, by creator, in order; 0 is not given yet.
    pub numbers: Vec<Vec<u16>>,
    /// (creator, n) of each thread number given, in order; thread 0 is not in it.
    pub names: Vec<(u16, u16)>,
    /// Suspended context of the engine.
    pub engine_stack_pointer: usize,
    /// Suspended context of the engine while its process stands aside.
    pub engine_aside: usize,
    /// End of the engine's stack.
    pub engine_stack_end: usize,
    /// The running thread.
    pub current: ThreadId,
    /// What the explorer decided for its operation.
    pub decision: Decision,
    /// Joins that the running thread passed in this step.
    pub passed: Vec<dpor_model::Operation>,
    /// Cells of the running operation before and after it, and what the thread stands before then,
    /// or how it ended.
    pub executed: dpor_model::Executed,
    /// Whether updates without result commute in this search.
    pub commute: bool,
    /// Whether counters with the same answer commute in this search.
    pub counters: bool,
    /// Whether increments commute with counters that were told "no" in this search.
    pub increments: bool,
    /// Whether looks at a count that are told "no" do, too.
    pub looks: bool,
    /// Whether a compare-exchange that is tried again with what it found waits until it succeeds in this search.
    pub retries_wait: bool,
    /// Operand of the last update.
    pub operand: u64,
    /// A thread raced in some order of updates, or in none: the search is to explore them all.
    pub doubtful: bool,
    /// Looks of threads that came to a wait in the last step, which the search has to say of whether they race.
    pub doubts: Vec<(ThreadId, dpor_races::Doubt)>,
    /// Where the program called code that may have read, unseen, what another thread was writing: the
    /// search began again without the reduction `observers`. 0: it did not, or not because of a call.
    pub disordered_at: SiteId,
    /// Steps made, for the step limit.
    pub serial: u64,
    /// What is in no count.
    pub begun_anew: BegunAnew,
    /// Events of the execution so far.
    pub depth: usize,
    /// The memory is the root's and nothing ran since.
    pub pristine: bool,
    /// The process is ending: operations are performed at once.
    pub exiting: bool,
    /// The ended execution ended its process in a way that is a finding: killed, or with a status that is not wanted.
    pub failed: bool,
    /// Which bytes are one object.
    pub blocks: crate::blocks::Blocks,
    /// Loops that went round.
    pub rounds: crate::knowledge::rounds::Rounds,
    /// Cells that a compare-exchange ever touched.
    pub exchange_cells: BTreeSet<u64>,
    /// What the next access of the running fiber may wait for.
    pub announced: Option<Announced>,
    /// Whether a turn of a loop ever began as the one before it did.
    pub turns: bool,
    /// The number of events when the turn of a loop began after which a thread stood last at its head again.
    pub turn_began: u32,
    /// Whether that loop may read what others know without an event.
    pub turn_reads: bool,
    /// Plain writes in this step to cells that a compare-exchange touches: address and bytes, in one cell each.
    pub trailing_cells: Vec<(u64, u64)>,
    /// Stores that nobody reads commute, so that it matters who reads cells that had any.
    pub observers: bool,
    /// Which mutexes are locked together, and which are tried.
    pub locks: crate::knowledge::mutexes_together::Seen,
    /// The threads that store to each object.
    pub store_ownership: StoreOwnership,
    /// The orders in which locks were taken.
    pub orders: Orders,
    /// Cells that an atomic store wrote.
    pub stored_cells: BTreeSet<u64>,
    /// Reads in this step, without an event, of cells that had stores: address and bytes.
    pub read: Vec<(u64, u64)>,
    /// The objects of those reads.
    pub trailing_reads: Vec<dpor_model::ObjectId>,
    /// Number of `exchange_cells` that were known when the search began.
    pub exchange_cells_known: usize,
    /// Cells of those plain writes with their values, filled in at the end of the step.
    pub trailing: Vec<(dpor_model::ObjectId, u64)>,
    /// The findings so far.
    pub findings: Findings,
    /// Races of the running step that are among them.
    pub told_races: ToldRaces,
    /// What is known of invariants and propositions.
    pub properties: crate::knowledge::properties::Properties,
    /// True if a thread marked that it gets on, since that was asked last (`--states`).
    pub progress: bool,
    /// The step ([`Runtime::serial`]) in which a call ended last, of those of which something is promised.
    pub call_ended: u64,
    /// What a replay of a run that goes on for ever looks for.
    pub repeated_loop: Option<Box<crate::knowledge::states::RepeatedLoop>>,
    /// What a search over states counts, if it is one.
    pub states: Option<Box<crate::knowledge::states::Counts>>,
    /// What the first execution left in memory, with `--deterministic`.
    pub first_end: Option<Box<crate::knowledge::first_end::FirstEnd>>,
    /// What the program wrote.
    pub output: Output,
    /// Steps that kill the process, if any are known or expected.
    pub deaths: Option<Box<crate::knowledge::deaths::Deaths>>,
    /// Why the check cannot go on.
    pub stop: Option<crate::stop::Stop>,
    /// Instruction at which a limit stopped the check; 0: none did.
    pub stopped_at: u64,
    /// Where the running thread did what cannot be controlled, until the step is over.
    pub refused_at: SiteId,
    /// A search for a loop that cannot end.
    pub watch: Option<crate::knowledge::watch::Watch>,
    /// The step it is about; 0 until its first instruction.
    pub watch_serial: u64,
    /// True if this process runs one execution for its parent.
    pub is_child: bool,
    /// Number of checkpoints taken.
    pub taken: u64,
    /// Number of restores.
    pub restored: u64,
    /// Number of forks.
    pub forks: u64,
    /// Bytes of memory of the checkpoints taken.
    pub bytes_taken: u64,
    /// Checkpoints that are processes.
    pub forked: crate::knowledge::forked::Forked,
    /// When to compare snapshots with forks next.
    pub auto_checkpoint: crate::knowledge::auto_checkpoint::AutoCheckpoint,
    /// Measurements of how long restoring takes.
    pub restoring: crate::restoring::Restoring,
    /// Bytes of `saved`.
    pub bytes_held: u64,
    /// Monotonic time at the root, nanoseconds.
    pub started_ns: u64,
    /// The check ends because its limits are not enough.
    pub gave_up: bool,
    /// When progress was last told.
    pub progress_ns: u64,
    /// When to ask the clock whether progress is due.
    pub pace: dpor_report::Pace,
}

/// A checkpoint other than the root.
pub struct Point {
    /// The memory; a checkpoint that is a process needs none.
    pub memory: Option<Saved>,
    /// Number of events of the execution at the checkpoint.
    pub depth: usize,
    /// Bytes of output at the checkpoint.
    pub output: crate::output::Position,
    /// Findings and observations of the execution at the checkpoint.
    pub findings: crate::knowledge::findings::Position,
}

/// What a checkpoint that is a process is taken to need (chosen: page tables, and some pages that change).
const PROCESS_BYTES: u64 = 1 << 20;

impl Point {
    /// Bytes of memory it needs.
    pub fn bytes(&self) -> u64 {
        let memory = self.memory.as_ref();
        memory.map_or(PROCESS_BYTES, |memory| memory.bytes() as u64)
    }
}

/// The runtime, once exploration began: for fibers, and for handlers that interrupt them. The engine has
/// [`Native::rt`](crate::native::Native::rt).
///
/// *Why its users are sound* (see `between.rs`): the value is installed at the root and never freed. Fibers run, and
/// handlers interrupt them, only inside a step, which borrows the engine's side as a whole; so the engine holds no
/// reference meanwhile. A reference made from this pointer ends before the fiber goes back to the engine, and before it
/// makes another.
#[inline(always)]
pub fn runtime() -> *mut Runtime {
    RUNTIME.get()
}

/// Bytes of the engine's stack: the explorer recurses little.
pub const ENGINE_STACK_BYTES: usize = 8 << 20;

/// The engine's stack.
pub fn engine_stack() -> (usize, usize) {
    // SAFETY: the runtime is installed, and this word of it is written once, at the root.
    let end = unsafe { (*runtime()).engine_stack_end };
    (end - ENGINE_STACK_BYTES, end)
}

/// Installs the runtime for fibers and handlers.
pub fn install(runtime: Box<Runtime>) {
    RUNTIME.install(runtime);
}

/// The engine's side of the installed runtime; `None` if none is.
///
/// # Safety
/// This is called once in a process, by the engine, which lets fibers run only while the result is borrowed as a whole
/// ([`Shared::engine`]).
pub unsafe fn of_engine() -> Option<Between<Runtime>> {
    // SAFETY: the caller promises what `Shared::engine` asks for.
    unsafe { RUNTIME.engine() }
}

impl Runtime {
    /// A barrier has so many users. Whether that is new.
    pub fn learn_crowded(&mut self, (barrier, width): (ObjectId, u64)) -> bool {
        match self.crowded.iter_mut().find(|(known, _)| *known == barrier) {
            Some((_, known)) if *known >= width => false,
            Some((_, known)) => {
                *known = width;
                true
            }
            None => {
                self.crowded.push((barrier, width));
                true
            }
        }
    }

    /// Threads wait for a value of a cell. Whether that is new.
    pub fn learn_awaited(&mut self, cell: ObjectId) -> bool {
        let new = !self.awaited.contains(&cell);
        if new {
            self.awaited.push(cell);
        }
        new
    }

    /// Loops look at a cell, turn after turn in vain. Whether that is new.
    pub fn learn_polled(&mut self, cell: ObjectId) -> bool {
        let new = !self.polled.contains(&cell);
        if new {
            self.polled.push(cell);
            self.races.watch(cell.0 & !7);
        }
        new
    }

    /// The `nth` number made for a creator, if it was given.
    pub fn number(&self, creator: usize, nth: usize) -> Option<u16> {
        let number = self.numbers.get(creator)?.get(nth);
        number.copied().filter(|&number| number != 0)
    }

    /// Gives the `nth` number made for a creator.
    pub fn set_number(&mut self, (creator, nth): (u16, u16), number: u16) {
        let (creator, nth) = (usize::from(creator), usize::from(nth));
        if self.numbers.len() <= creator {
            self.numbers.resize(creator + 1, Vec::new());
        }
        let row = &mut self.numbers[creator];
        row.resize(row.len().max(nth + 1), 0);
        row[nth] = number;
    }

    /// Whether a recorded schedule is run again.
    pub fn is_replay(&self) -> bool {
        !self.options.replay.is_empty()
    }

    /// The area of a thread other than 0.
    pub fn area(&self, thread: ThreadId) -> &Area {
        &self.areas[thread.0 as usize - 1]
    }

    /// The running fiber's stack from `stack_pointer` (less its red zone) up.
    pub fn live_stack_of_running(&self, stack_pointer: usize) -> (usize, usize) {
        let end = match self.current.0 {
            0 => self.stack_end,
            _ => self.area(self.current).end,
        };
        (stack_pointer - 128, end)
    }

    /// The engine's own area.
    pub fn engine_area(&self) -> &Area {
        self.areas
            .last()
            .expect("created before exploration begins")
    }

    /// The thread pointer of a thread.
    pub fn thread_pointer_of(&self, thread: ThreadId) -> usize {
        if thread.0 == 0 {
            self.thread_pointer
        } else {
            self.area(thread).thread_pointer
        }
    }
}
