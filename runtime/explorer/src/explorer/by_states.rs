//! A program with the objects of the explorer, as one whose states can be told apart.
//!
//! The explorer runs it step by step and keeps the trace of the present way, which is the object model's history; what of
//! that history decides how things go on is a part of each state's fingerprint (`object::canonical`). A state is kept as
//! long as the present way goes through it.

use super::Explorer;
use crate::config::{Config, Reductions, SearchKind};
use crate::conflict::{is_global, Access, Footprint};
use crate::enabled::{
    alternatives_now, is_enabled, timed_out, times_out_again, waits_for_signal, waits_timed,
};
use crate::end::{End, Fault, MisuseKind};
use crate::mutation::Mutation;
use crate::object::facts::{BlockedBy, ObjectKind};
use crate::object::{blocked_footprint, canonical, effect, gate_objects, holder, View};
use crate::operation::{Interned, OperationIndex};
use crate::search::steps::default_step;
use crate::state::Now;
use crate::states::{self, Contents, Place, Standing, StateId, Step, Wait};
use crate::threads;
use crate::trace::Trace;
use crate::Program;
use dpor_model::{Kind, ThreadId, TIMEOUT};
use smallvec::{smallvec, SmallVec};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// An explorer that [`Explorer::by_states`] made, and the program that it runs, wherever they are kept.
pub trait Driven {
    /// The program.
    type Program: Program;

    /// The explorer.
    fn explorer(&self) -> &Explorer;

    /// Explorer and program, to go on.
    fn parts(&mut self) -> (&mut Explorer, &mut Self::Program);
}

/// An explorer of its own, and a program that somebody lends.
pub struct Alone<'a, P> {
    explorer: Explorer,
    program: &'a mut P,
}

impl<P: Program> Driven for Alone<'_, P> {
    type Program = P;

    fn explorer(&self) -> &Explorer {
        &self.explorer
    }

    fn parts(&mut self) -> (&mut Explorer, &mut P) {
        (&mut self.explorer, self.program)
    }
}

/// A program that can be searched by its states.
pub struct ByStates<D> {
    driven: D,
    /// What fingerprints are drawn by.
    seed: u64,
    /// What tells states apart instead of a fingerprint, if they are compared exactly.
    contents: Option<Contents>,
    has_begun: bool,
    /// The states of the present way that are kept, by the number of events before each.
    way: Vec<Option<StateId>>,
    depths: HashMap<StateId, usize>,
    /// For the words of a fingerprint.
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl Explorer {
    /// An explorer that is driven from outside, one step at a time ([`ByStates`]).
    pub fn by_states(config: Config) -> Explorer {
        Explorer::new(Config {
            search: SearchKind::States,
            reductions: Reductions::NONE,
            ..config
        })
    }

    /// How the execution ended where the program stands; `None` if some thread can go on.
    fn end_here(&self) -> Option<End> {
        let ends = || default_step(&self.trace).is_none().then(|| self.stuck());
        self.ended().or_else(ends)
    }
}

impl<'a, P: Program> ByStates<Alone<'a, P>> {
    /// A program at its root, with an explorer of its own. It has to tell its fingerprint ([`Program::fingerprint`]).
    pub fn new(program: &'a mut P, search: &states::Config) -> Self {
        let config = Config {
            mutation: search.mutation,
            ..Config::default()
        };
        let explorer = Explorer::by_states(config);
        ByStates::of(Alone { explorer, program }, search.seed)
    }
}

impl<D: Driven> ByStates<D> {
    /// A program at its root, which has to tell its fingerprint. Searches with different seeds take different states
    /// for the same, if they take any.
    pub fn of(driven: D, seed: u64) -> Self {
        ByStates {
            driven,
            seed,
            contents: None,
            has_begun: false,
            way: Vec::new(),
            depths: HashMap::new(),
            words: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// States are compared by their bytes: what is told as the fingerprint of one is its number. The program has to tell
    /// numbers for fingerprints, too, which are the same only where its own states are.
    #[must_use]
    pub fn exactly(mut self) -> Self {
        let are_alike = self.trace().table.mutation.is(Mutation::HashesAlike);
        self.contents = Some(Contents::with_hashes_alike(are_alike));
        self
    }

    /// Bytes that the contents of states take, if they are compared exactly.
    pub fn contents_bytes(&self) -> usize {
        self.contents.as_ref().map_or(0, Contents::bytes)
    }

    /// The explorer and the program.
    pub fn driven(&mut self) -> &mut D {
        &mut self.driven
    }

    /// The events on the way to where the program stands.
    pub fn trace(&self) -> &Trace {
        self.driven.explorer().trace()
    }

    /// True if a thread is before the last step of the process, which comes when all others have ended or wait.
    pub fn is_leaving(&self) -> bool {
        !self.trace().threads.leaving.is_empty()
    }

    /// True if a thread can make a step where the program stands.
    pub fn is_enabled(&mut self, thread: ThreadId) -> bool {
        thread.index() < self.trace().stride && self.standing(thread).wait == Wait::Enabled
    }

    /// How the execution ended where the program stands; `None` if some thread can go on.
    pub fn end(&self) -> Option<End> {
        self.driven.explorer().end_here()
    }

    /// The misuse with which the last step ended the execution.
    pub fn misuse(&self) -> Option<MisuseKind> {
        self.trace().events().last().and_then(|event| event.misuse)
    }

    /// Learns from memory what the trace cannot tell: whether threads find what they wait for. Where nobody else can go
    /// on, the process ends.
    ///
    /// # Errors
    /// The program cannot go on being explored.
    fn look(&mut self) -> Result<(), Fault> {
        let (explorer, program) = self.driven.parts();
        explorer.trace.look_for_awaited(program);
        if explorer.may_leave() {
            explorer.leave(program)?;
        }
        explorer.trace.note_comparisons(program);
        Ok(())
    }

    fn rewind(&mut self, depth: usize) -> Result<(), Fault> {
        let (explorer, program) = self.driven.parts();
        explorer.rewind(program, depth)?;
        self.forget_from(depth + 1);
        self.look()
    }

    /// The states of the way behind so many events are kept no more.
    fn forget_from(&mut self, events: usize) {
        let gone = self.way.drain(events.min(self.way.len())..);
        for state in gone.flatten() {
            self.depths.remove(&state);
        }
    }

    /// True if no thread can do anything: the execution ended.
    fn is_over(&self) -> bool {
        self.trace().threads.is_over() || self.misuse().is_some()
    }

    fn standing(&mut self, thread: ThreadId) -> Standing {
        let (_, program) = self.driven.parts();
        let at = program.place(thread);
        let is_over = self.is_over();
        let trace = self.trace();
        let ended = |kind: u64| Standing {
            place: place(thread, kind, 0, 0),
            next: Footprint::new(),
            wait: Wait::Ended,
            joins: None,
            waits_its_turn: false,
            pauses: false,
            alternatives: SmallVec::new(),
        };
        match trace.threads.get(thread) {
            threads::Standing::Before(operation) if !is_over => Standing {
                place: place(thread, 4, u64::from(operation.0), at),
                ..before(trace, thread, operation)
            },
            threads::Standing::Before(_) => ended(5),
            threads::Standing::Absent => ended(0),
            threads::Standing::Finished => ended(1),
            threads::Standing::Dead => ended(2),
            threads::Standing::Ended => ended(3),
        }
    }
}

fn place(thread: ThreadId, kind: u64, operation: u64, at: u64) -> Place {
    let word = u64::from(thread.0) << 40 | kind << 32 | operation;
    // The golden ratio times 2^64, made odd.
    Place(word ^ at.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// How a thread stands before an operation, but for its place.
fn before(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> Standing {
    let interned = trace.table.get(operation);
    let joins = (interned.operation.kind == Kind::Join).then(|| interned.operation.thread());
    let (next, wait, alternatives) = if is_enabled(trace, thread, operation) {
        let succeeds = trace.compares_equal(thread);
        let all = alternatives_now(trace, thread, operation, succeeds).iter();
        let all: SmallVec<[u32; 2]> = all.collect();
        (touches(trace, thread, interned, &all), Wait::Enabled, all)
    } else if timed_out(trace).contains(thread) {
        let all = smallvec![TIMEOUT];
        (smallvec![Access::EVERYTHING], Wait::Enabled, all)
    } else {
        let (next, wait) = blocked(trace, thread, operation);
        (next, wait, SmallVec::new())
    };
    Standing {
        // The caller's.
        place: Place(0),
        next,
        wait,
        joins,
        waits_its_turn: waits_its_turn(trace, thread, operation),
        pauses: interned.operation.kind == Kind::Pause,
        alternatives,
    }
}

/// Whether an operation is one for which its thread may have to wait until others let it: not for the end of a thread, a
/// barrier, bytes, or a signal that nobody owes it.
fn waits_its_turn(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> bool {
    let interned = trace.table.get(operation);
    match interned.facts.blocked_by {
        BlockedBy::Memory => interned.awaits,
        BlockedBy::Mutex => !waits_for_signal(trace, thread, operation),
        BlockedBy::Object | BlockedBy::Objects => matches!(
            interned.facts.of,
            ObjectKind::Mutex | ObjectKind::Rwlock | ObjectKind::Semaphore
        ),
        BlockedBy::Threads | BlockedBy::Nothing => false,
    }
}

/// What an operation that is enabled may touch, over all these alternatives.
fn touches(trace: &Trace, thread: ThreadId, interned: &Interned, all: &[u32]) -> Footprint {
    let mut union = Footprint::new();
    // What it finds is known when it is performed.
    for succeeds in [false, true] {
        for &alternative in all {
            let does = effect(interned, thread, alternative, succeeds, &Now(trace));
            union.extend(does.footprint);
        }
        if interned.compared().is_empty() {
            break;
        }
    }
    union.sort_unstable_by_key(|access| (access.object, access.class));
    union.dedup();
    match is_global(&union) {
        true => smallvec![Access::EVERYTHING],
        false => union,
    }
}

/// What an operation that is blocked would touch, and who has to move before it can be performed.
fn blocked(trace: &Trace, thread: ThreadId, operation: OperationIndex) -> (Footprint, Wait) {
    let interned = trace.table.get(operation);
    let gates = blocked_footprint(interned);
    if waits_timed(trace, thread, operation) {
        // It also goes on where nobody else can.
        return (gates, Wait::Everybody);
    }
    match interned.facts.blocked_by {
        BlockedBy::Threads if interned.operation.kind == Kind::Join => {
            let joined = interned.operation.thread();
            let wait = match trace.threads.get(joined) {
                // Whoever creates it.
                threads::Standing::Absent => Wait::Everybody,
                _ => Wait::Thread(joined),
            };
            (gates, wait)
        }
        BlockedBy::Threads | BlockedBy::Nothing => (gates, Wait::Everybody),
        BlockedBy::Mutex if waits_for_signal(trace, thread, operation) => {
            // Whoever signals writes its object.
            let condvar = Access {
                object: interned.object(),
                class: crate::conflict::Class::WRITE,
            };
            (smallvec![condvar], Wait::Writers)
        }
        BlockedBy::Memory => (gates, Wait::Writers),
        BlockedBy::Object | BlockedBy::Objects | BlockedBy::Mutex => {
            let held = gate_objects(interned).iter();
            let mut owners = held.filter_map(|&object| holder(interned, Now(trace).value(object)));
            let owner = owners.find(|&owner| owner != thread);
            (gates, owner.map_or(Wait::Writers, Wait::Thread))
        }
    }
}

impl<D: Driven> states::Program for ByStates<D> {
    type Stop = Fault;

    fn to_root(&mut self) -> Result<(), Fault> {
        match self.has_begun {
            true => self.rewind(0),
            false => {
                self.has_begun = true;
                let (explorer, program) = self.driven.parts();
                explorer.begin(program)?;
                self.look()
            }
        }
    }

    fn to_kept(&mut self, state: StateId) -> Result<bool, Fault> {
        let Some(&depth) = self.depths.get(&state) else {
            return Ok(false);
        };
        if depth < self.trace().len() {
            self.rewind(depth)?;
        }
        Ok(true)
    }

    fn forget_kept(&mut self) {
        self.forget_from(0);
    }

    fn keep(&mut self, state: StateId) {
        let depth = self.trace().len();
        self.forget_from(depth);
        self.way.resize(depth, None);
        self.way.push(Some(state));
        self.depths.insert(state, depth);
    }

    fn step(&mut self, thread: ThreadId, alternative: u32) -> Result<Step, Fault> {
        self.forget_from(self.trace().len() + 1);
        let (explorer, program) = self.driven.parts();
        program.take_progress();
        let does = explorer.execute(program, thread, alternative)?;
        self.look()?;
        let progress = self.driven.parts().1.take_progress();
        let mut footprint = does.footprint;
        footprint.sort_unstable_by_key(|access| (access.object, access.class));
        Ok(Step {
            footprint,
            progress,
        })
    }

    fn fingerprint(&mut self) -> u128 {
        self.words.clear();
        let misuse = self.misuse().map_or(0, |kind| 1 + kind as u64);
        let (explorer, program) = self.driven.parts();
        let trace = &explorer.trace;
        for thread in (0..trace.stride as u16).map(ThreadId) {
            let (kind, operation) = match trace.threads.get(thread) {
                threads::Standing::Absent => continue,
                threads::Standing::Finished => (1, 0),
                threads::Standing::Dead => (2, 0),
                threads::Standing::Ended => (3, 0),
                threads::Standing::Before(operation) => (4, u64::from(operation.0)),
            };
            self.words
                .push(u64::from(thread.0) << 40 | kind << 32 | operation);
            if let threads::Standing::Before(operation) = trace.threads.get(thread) {
                let interned = trace.table.get(operation);
                if matches!(
                    interned.operation.kind,
                    Kind::FutexWoken | Kind::FutexRetract
                ) {
                    let (futex, now) = (interned.object(), Now(trace));
                    let queue = u64::from(now.queue(futex, thread).0);
                    self.words
                        .extend([queue, trace.is_woken(futex, thread).into()]);
                }
                if interned.operation.timed {
                    self.words
                        .push(times_out_again(trace, thread, operation).into());
                }
            }
        }
        // What follows has another length in front.
        self.words.push(self.words.len() as u64 | 1 << 63);
        canonical::objects(trace, &mut self.words);
        let own = program
            .fingerprint()
            .expect("the program's states can be told apart");
        self.words.extend([misuse, own as u64, (own >> 64) as u64]);
        self.bytes.clear();
        for word in &self.words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        match &mut self.contents {
            Some(contents) => contents.number(&self.bytes).into(),
            None if trace.table.mutation.is(Mutation::HashesAlike) => 0,
            None => xxh3_128_with_seed(&self.bytes, self.seed),
        }
    }

    fn standings(&mut self, into: &mut Vec<Standing>) {
        let trace = self.trace();
        let there = |thread| trace.threads.get(thread) != threads::Standing::Absent;
        let mut all = (0..trace.stride as u16).map(ThreadId);
        let count = all.rposition(there).map_or(0, |last| last as u16 + 1);
        for thread in (0..count).map(ThreadId) {
            let standing = self.standing(thread);
            into.push(standing);
        }
    }
}
