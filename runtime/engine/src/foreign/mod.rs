//! Code without instrumentation: which threads enter it, and what that means for the verdict.
//!
//! ```text
//!   instrumented code ── hook before the call ──► enters(function)      noted: function, thread
//!                                                      │
//!   report ◄── assess ◄── follow: decodes what can be reached from the function
//! ```
//!
//! What such code does, nobody sees. That two threads enter it says nothing if it works on what it is given;
//! if it has atomic instructions, or memory of its own that it may write, threads may meet there: their order is
//! not explored, and what it orders is not known. So the verdict is `unsupported` and names it.
//!
//! Only calls count that are made while two threads live, and the one in which the second thread is created. Threads are put together over all executions, of all
//! processes of a search.

pub mod assessment;
mod crt;
pub mod entered;
mod follow;
mod linked_files;
pub mod objects;
mod symbols;

pub use assessment::{assess, Assessment};
use dpor_model::ThreadId;
use entered::Entered;

#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::process::functions;
use crate::scoped_cell::ScopedCell;
use core::ffi::{c_char, c_void, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use dpor_abi::foreign::why_library;
use dpor_machine::state::Kept;

/// A function that is not instrumented, and the threads that entered it while others lived.
struct Entry {
    function: usize,
    /// The file that it is in, which may be unloaded before the report.
    file: String,
    threads: Vec<ThreadId>,
}

/// All functions that were entered. In the arena: shared with processes forked for one execution,
/// and never taken back.
static KNOWN: Kept<AtomicPtr<Vec<Entry>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Begins without any function entered, unless the second thread is created by such code: by `alone`, if the only
/// thread of the program is in a function without instrumentation, or was in one last. At the
/// root.
pub fn at_root(alone: Option<usize>) {
    KNOWN.store(Box::into_raw(Box::default()), Ordering::Relaxed);
    let code = alone.and_then(code_of);
    if let Some(code) = code.filter(|&code| is_of_interest(code)) {
        note(code, ThreadId::MAIN);
    }
}

fn known() -> ScopedCell<Vec<Entry>> {
    // SAFETY: set at the root, and reached through this function only.
    unsafe { ScopedCell::at(KNOWN.load(Ordering::Relaxed)) }
}

const CACHED: usize = 256;
/// Functions that were looked up, each where its address says.
static FUNCTIONS: Kept<[AtomicUsize; CACHED]> = Kept::new([const { AtomicUsize::new(0) }; CACHED]);
/// Threads below 64 that need not be noted any more, by the place of a function in [`FUNCTIONS`].
static NOTED: Kept<[AtomicU64; CACHED]> = Kept::new([const { AtomicU64::new(0) }; CACHED]);

/// Notes, under exploration, that the running thread calls a function that is not instrumented.
#[inline]
pub fn enters(function: usize) {
    let slot = function >> 4 & (CACHED - 1);
    let thread = crate::thread();
    let is_noted = FUNCTIONS[slot].load(Ordering::Relaxed) == function
        && NOTED[slot].load(Ordering::Relaxed) >> (thread.0 & 63) & 1 == 1;
    if !is_noted || thread.0 > 63 {
        enters_anew(function, slot, thread);
    }
}

#[cold]
fn enters_anew(function: usize, slot: usize, thread: ThreadId) {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::TrustsAll) {
        return;
    }
    if FUNCTIONS[slot].swap(function, Ordering::Relaxed) != function {
        let needs_none = match code_of(function) {
            Some(code) => !is_of_interest(code),
            None => true,
        };
        let all = if needs_none { u64::MAX } else { 0 };
        NOTED[slot].store(all, Ordering::Relaxed);
    }
    if NOTED[slot].load(Ordering::Relaxed) == u64::MAX || !crate::has_company() {
        return;
    }
    // All bits at once mean something else.
    if thread.0 < 63 {
        NOTED[slot].fetch_or(1 << thread.0, Ordering::Relaxed);
    }
    if let Some(function) = code_of(function) {
        note(function, thread);
    }
}

/// Notes that a thread enters a function.
fn note(function: usize, thread: ThreadId) {
    let is_known = known().change(|known| match find(known, function) {
        Some(entry) => {
            if let Err(place) = entry.threads.binary_search(&thread) {
                entry.threads.insert(place, thread);
            }
            true
        }
        None => false,
    });
    if !is_known {
        let file = file_of(function);
        let file = file.map_or(String::new(), |file| file.to_string_lossy().into_owned());
        let threads = vec![thread];
        let entry = Entry {
            function,
            file,
            threads,
        };
        known().change(|known| known.push(entry));
    }
}

fn find(known: &mut [Entry], function: usize) -> Option<&mut Entry> {
    known.iter_mut().find(|entry| entry.function == function)
}

/// Returns the function itself, if the address is that of an entry in a table of jumps: so the
/// address of a function of a library is in a program that does not lie at its own place. `None`:
/// it leads to what is instrumented.
pub fn code_of(function: usize) -> Option<usize> {
    let mut code = function;
    // One table leads to the next at most once.
    for _ in 0..2 {
        match follow::jump_of_table(code) {
            Some(next) => code = next,
            None => break,
        }
    }
    (!functions::is_instrumented(code)).then_some(code)
}

/// Returns whether it matters who enters the function.
fn is_of_interest(code: usize) -> bool {
    file_of(code).is_some_and(|file| {
        let name = file.to_str().unwrap_or("").rsplit('/').next();
        name.is_none_or(|name| why_library(name).is_none())
    })
}

/// The file an address was mapped from. It asks the dynamic linker.
fn file_of(address: usize) -> Option<&'static CStr> {
    // SAFETY: all zero is a valid value.
    let mut found: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: the call only reads the linker's tables, and fills the local result.
    let is_known = unsafe { libc::dladdr(address as *const c_void, &mut found) } != 0;
    if !is_known || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the linker's own string, of an object that is loaded.
    Some(unsafe { CStr::from_ptr(found.dli_fname as *const c_char) })
}

/// Returns whether any code that is neither instrumented nor known to need no instrumentation was
/// entered so far.
pub fn is_any_entered() -> bool {
    !KNOWN.load(Ordering::Relaxed).is_null() && known().look(|known| !known.is_empty())
}

/// Returns what was entered so far, for another process or the report.
pub fn entered(loaded: &[dpor_report::LoadedObject]) -> Vec<Entered> {
    if KNOWN.load(Ordering::Relaxed).is_null() {
        return Vec::new();
    }
    let tell = |entry: &Entry| {
        let function = entry.function as u64;
        let object = { loaded.iter() }.find(|o| (o.start..o.end).contains(&function));
        Entered {
            path: object.map_or(entry.file.clone(), |object| object.path.clone()),
            offset: object.map(|object| function - object.base),
            threads: entry.threads.clone(),
        }
    };
    known().look(|known| known.iter().map(tell).collect())
}

/// Adds what another process entered.
pub fn add(all: &mut Vec<Entered>, more: Vec<Entered>) {
    for entered in more {
        let same =
            |known: &&mut Entered| (known.offset, &known.path) == (entered.offset, &entered.path);
        match all.iter_mut().find(same) {
            Some(known) => {
                known.threads.extend(entered.threads);
                known.threads.sort_unstable();
                known.threads.dedup();
            }
            None => all.push(entered),
        }
    }
}
