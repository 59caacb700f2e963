//! System calls that no event of the table of libc's functions stands for.
//!
//! A function outside the table, or code without instrumentation, may end in a system call on state
//! that threads share ([`is_shared`]). Such a call is an event that conflicts with everything. Which
//! code is part of that event depends on who makes it:
//!
//! 1. *The call of a function of libc is atomic.* The event has to come before the call, because the
//!    function may have looked at a FILE, or locked it, by the time it needs the kernel. That a
//!    function needs an event is learnt when the first system call comes from a call of it
//!    ([`Known`]): the search begins anew, and from then on all calls of it go through the trampoline
//!    of the table ([`intercept`]), also those that find what they want in a buffer. In the same way a
//!    function of the table is learnt to be more than its rule says, if it writes to a descriptor that
//!    the rule does not name.
//! 2. *Any other system call is an event by itself*, at the place where it is made, also in the
//!    midst of a function of libc: of one that was called by code without instrumentation, or that
//!    has called back since. The thread leaves the signal handler for [`before_call`], publishes the event
//!    and makes the call again.
//!
//! Where the running thread is in libc tells [`running_call`].

mod before_call;
mod intercept;
mod running_call;
mod symbol;

use super::addresses;
use crate::engine::{self, runtime};
use crate::scoped_cell::ScopedCell;
use crate::state::{Kept, PerStep};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use dpor_abi::libc_call::{Rule, CALLS};
use dpor_abi::syscall_name;
use dpor_abi::syscall_sharing::{is_shared, reads_files};
use dpor_model::{Kind, SiteId};
use dpor_report::OpaqueCall;
use std::collections::BTreeSet;

pub use before_call::{redirect, redirect_answered};
pub use intercept::redirect_learnt;
pub use running_call::{announced_callee, is_libc};
pub use symbol::read as symbols;

/// Number of functions that can be learnt, at most.
const FUNCTIONS_MAX: usize = 64;

/// What the search learnt, and what is told about it. In the arena: shared with processes forked for
/// one execution, and never taken back.
#[derive(Default)]
pub struct Known {
    /// Functions of libc outside the table that are events, in the order of their stubs.
    functions: Vec<usize>,
    /// Positions in the table of functions that conflict with everything, whatever their rule says.
    in_table: BTreeSet<usize>,
    /// The program changes files: calls with a path conflict with everything.
    files: bool,
    /// The program locks files by `flock`: closing one may give a lock back.
    locks: bool,
    /// Whether something of this is new to the running search.
    changed: bool,
    /// Each system call that was made an event, once.
    seen: BTreeSet<Seen>,
}

/// A system call, as it is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    number: i64,
    /// Address of the instruction that made the call.
    instruction: usize,
    /// The function that the program called, if its whole call is the event; otherwise 0.
    function: usize,
    /// Site of the program's last call.
    site: SiteId,
}

static KNOWN: Kept<AtomicPtr<Known>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// The event of the next system call has been performed.
static GRANTED: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// Begins with nothing known. At the root.
pub fn at_root() {
    KNOWN.store(Box::into_raw(Box::default()), Ordering::Relaxed);
    running_call::at_root();
}

fn known() -> ScopedCell<Known> {
    // SAFETY: set at the root, and reached through this function only.
    unsafe { ScopedCell::at(KNOWN.load(Ordering::Relaxed)) }
}

/// Returns the function that was learnt as this one; `index` counts on from the table's.
fn learnt_function(index: usize) -> usize {
    known().look(|known| known.functions[index - CALLS.len()])
}

/// Forgets what the execution before was about to do. When an execution begins.
pub fn execution_begins() {
    GRANTED.store(false, Ordering::Relaxed);
}

/// Returns whether something was learnt in this search, which then has to begin anew.
pub fn take_changed() -> bool {
    known().change(|known| core::mem::take(&mut known.changed))
}

/// Learns that the program changes a file.
pub fn files_change() {
    if !do_files_change() && !is_replay() {
        known().change(|known| (known.files, known.changed) = (true, true));
    }
}

/// Learns that the program locks a file.
pub fn files_are_locked() {
    if !are_files_locked() && !is_replay() {
        known().change(|known| (known.locks, known.changed) = (true, true));
    }
}

/// Returns whether the program locks files by `flock`, in some execution.
pub fn are_files_locked() -> bool {
    known().look(|known| known.locks)
}

/// Returns whether the program changes files, in some execution.
pub fn do_files_change() -> bool {
    known().look(|known| known.files)
}

/// Returns whether the call of a function of the table conflicts with everything, whatever its rule
/// says.
pub fn is_opaque(index: usize) -> bool {
    known().look(|known| !known.in_table.is_empty() && known.in_table.contains(&index))
}

/// Notes that a function of the table begins, after its event.
pub fn table_call(index: usize, slot: usize) {
    running_call::table_call(index, slot);
}

/// Notes that a function that was learnt begins; `index` counts on from the table's. Returns where
/// it is.
pub fn learnt_call(index: usize, slot: usize) -> usize {
    if engine::active() {
        engine::perform(engine::operation(Kind::Opaque));
        running_call::table_call(index, slot);
    }
    learnt_function(index)
}

/// The next thing to be done about a system call of the running thread, before it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The call is answered as it is.
    Answer,
    /// The call is made an event of its own first.
    Event,
}

/// Decides. `instruction`: the one after the call; `stack_pointer`: at the call.
pub fn step(number: i64, arguments: &[usize; 6], instruction: usize, stack_pointer: usize) -> Step {
    let is_shared = is_shared(number, arguments) || do_files_change() && reads_files(number);
    if engine::is_inside_event() || !is_shared {
        return Step::Answer;
    }
    // A search in which something was learnt is not gone on with: nobody may wait in it.
    if GRANTED.swap(false, Ordering::Relaxed) || known().look(|known| known.changed) {
        return Step::Answer;
    }
    let seen = |function| Seen {
        number,
        instruction,
        function,
        site: engine::site(),
    };
    if running_call::is_libc(instruction) {
        if let Some(index) = running_call::running_table_call(stack_pointer) {
            return in_table(index, number, seen);
        }
        if let Some(call) = running_call::running_call(stack_pointer) {
            if call.can_be_learnt && learn(call.function) {
                note(seen(call.function));
                return Step::Answer;
            }
        }
    }
    note(seen(0));
    Step::Event
}

/// Returns the function of libc that instrumented code calls and that is running, as far as that
/// can be told.
pub fn running_function(stack_pointer: usize) -> Option<usize> {
    running_call::running_call(stack_pointer).map(|call| call.function)
}

/// Judges a system call by function `index` of the table, or one that was learnt.
fn in_table(index: usize, number: i64, seen: impl Fn(usize) -> Seen) -> Step {
    if index >= CALLS.len() {
        note(seen(learnt_function(index)));
        return Step::Answer;
    }
    if is_in_rule(index, number) {
        return Step::Answer;
    }
    note(seen(addresses::address_of(index)));
    let is_learnt = !is_replay() && known().change(|known| known.in_table.insert(index));
    if is_learnt {
        known().change(|known| known.changed = true);
        Step::Answer
    } else {
        Step::Event
    }
}

fn note(seen: Seen) {
    known().change(|known| known.seen.insert(seen));
}

/// Returns whether the rule of a function covers this system call. Writing shows outside, at once:
/// only rules that name an open file cover it. For anything else the table is taken at its word: a
/// file that is opened, read and closed for a data base is nobody else's.
fn is_in_rule(index: usize, number: i64) -> bool {
    let writes = matches!(number, ::libc::SYS_write | ::libc::SYS_writev);
    match CALLS[index].rule {
        Rule::Stream(_)
        | Rule::StreamUnlocked(_)
        | Rule::Standard(_)
        | Rule::StandardUnlocked(_)
        | Rule::Descriptor(_)
        | Rule::Close(_)
        | Rule::CloseStream(_)
        | Rule::CloseDirectory(_)
        | Rule::Opaque
        | Rule::Own => true,
        Rule::DescriptorRead(_)
        | Rule::Directory(_)
        | Rule::Hidden(_)
        | Rule::HiddenRead(_)
        | Rule::HiddenIfNull(..)
        | Rule::ReadIfNull(..) => !writes || is_opaque(index),
    }
}

/// Makes all calls of a function events from the next search on; false if they are already, as far as
/// they can be, or there are too many.
fn learn(function: usize) -> bool {
    let is_replay = is_replay();
    known().change(|known| {
        let is_full = known.functions.len() == FUNCTIONS_MAX;
        if is_replay || is_full || known.functions.contains(&function) {
            return false;
        }
        known.functions.push(function);
        known.changed = true;
        true
    })
}

/// Returns whether this is a replay, which knows what the search knew that found its schedule.
fn is_replay() -> bool {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime::runtime()).is_replay() }
}

/// In a schedule: the program changes files. No function is called so.
const FILES: &str = "changed-files";
/// In a schedule: the program locks files.
const LOCKS: &str = "locked-files";

/// Returns what was learnt, for a schedule, separated by blanks: `OBJECT:OFFSET` of each function,
/// objects in the order they were loaded in, and names of functions of the table.
pub fn encode() -> String {
    known().look(|known| {
        let functions = known.functions.iter();
        let functions = functions.filter_map(|&function| running_call::encode(function));
        let in_table = known.in_table.iter();
        let in_table = in_table.map(|&index| CALLS[index].name.to_owned());
        let files = known.files.then(|| FILES.to_owned());
        let locks = known.locks.then(|| LOCKS.to_owned());
        functions
            .chain(in_table)
            .chain(files)
            .chain(locks)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// Takes over what [`encode`] wrote; `None` if it is no such text.
pub fn decode(text: &str) -> Option<()> {
    known().change(|known| {
        for word in text.split_ascii_whitespace() {
            match word.split_once(':') {
                Some(function) => {
                    let function = running_call::decode(function)?;
                    if !known.functions.contains(&function) {
                        known.functions.push(function);
                    }
                }
                None if word == FILES => known.files = true,
                None if word == LOCKS => known.locks = true,
                None => {
                    let index = CALLS.iter().position(|call| call.name == word)?;
                    known.in_table.insert(index);
                }
            }
        }
        Some(())
    })
}

/// Returns all system calls that were made events, for the report.
pub fn report() -> Vec<OpaqueCall> {
    if KNOWN.load(Ordering::Relaxed).is_null() {
        return Vec::new();
    }
    let tell = |seen: &Seen| {
        let at = match seen.function {
            0 => seen.instruction,
            function => function,
        };
        let (function, object) = running_call::name(at);
        OpaqueCall {
            system_call: syscall_name::of(seen.number)
                .map_or_else(|| seen.number.to_string(), str::to_owned),
            function,
            object,
            whole_call: seen.function != 0,
            place: engine::sites::place(seen.site),
        }
    };
    let seen: Vec<Seen> = known().look(|known| known.seen.iter().copied().collect());
    seen.iter().map(tell).collect()
}
