//! Runs program threads as fibers, one step at a time, as the explorer decides.

use dpor_explorer::program::{Decision, Kind, ObjectId, Operation, ThreadId};
use dpor_races::Races;
use dpor_report::FindingKind;

/// Rolled-back part: which fibers exist and what they stand before.
#[repr(C)]
pub struct State {
    pub(crate) placeholder: u64,
}

/// Whether a program fiber runs under exploration. False before the root, in the runtime's own
/// contexts, and with `off=1`: interposed functions then pass through to libc.
pub fn active() -> bool {
    false
}

/// Makes this point the root, if exploration has not begun and the runtime is not off.
/// Afterwards [`active`] is true, unless the runtime is off. Called on thread 0, by whatever needs
/// a second thread or a choice.
pub fn begin() {}

/// The running program thread.
pub fn thread() -> ThreadId {
    ThreadId(0)
}

/// Publishes what the running thread does next and waits until the explorer lets it run.
/// The caller then performs the operation and must not block. Other threads may have run in between.
pub fn perform(operation: Operation) -> Decision {
    let _ = operation;
    loop {}
}

/// An operation without parameters at the site of the running thread's last instrumented call.
pub fn operation(kind: Kind) -> Operation {
    Operation::new(kind, site())
}

/// The site of the running thread's last instrumented call; 0 if unknown.
pub fn site() -> u64 {
    0
}

/// The number the running thread's next child gets: a function of its own history.
/// The thread exists once `Kind::Create` with this argument was performed; its fiber then starts
/// in [`crate::pthread::thread::run`]. `None`: too many threads (the caller reports `unsupported`).
pub fn reserve_thread() -> Option<ThreadId> {
    None
}

/// Gives a joined thread's number back to the running thread, which joined it.
pub fn release_thread(thread: ThreadId) {
    let _ = thread;
}

/// The `pthread_t` of a thread, and back.
pub fn pthread_of(thread: ThreadId) -> ::libc::pthread_t {
    let _ = thread;
    0
}

/// The live or finished, not yet released thread with this `pthread_t`.
pub fn thread_of(pthread: ::libc::pthread_t) -> Option<ThreadId> {
    let _ = pthread;
    None
}

/// Stack of a thread: lowest address and bytes.
pub fn stack_of(thread: ThreadId) -> (usize, usize) {
    let _ = thread;
    (0, 0)
}

/// The process ends here with a finding, as an event that conflicts with everything.
pub fn fail(kind: FindingKind, message: &str) -> ! {
    let _ = (kind, message);
    loop {}
}

/// The process ends here (`_exit`), as an event that conflicts with everything.
/// A code other than 0 is a finding.
pub fn end_process(code: i32) -> ! {
    let _ = code;
    loop {}
}

/// The running thread stands in an assume that does not hold, for ever.
pub fn dead() -> ! {
    loop {}
}

/// The program did something that cannot be controlled: ends the whole check with this verdict.
/// `what` completes "unsupported: "; the call site is added.
pub fn unsupported(what: &str) -> ! {
    let _ = what;
    loop {}
}

/// Records a finding that ends nothing (a warning, a race). Reported once per kind and site.
pub fn warn(kind: FindingKind, message: &str) {
    let _ = (kind, message);
}

/// The race detector and the running thread's number in it; `None` with `--races=off`.
pub fn races() -> Option<(&'static mut Races, u16)> {
    None
}

/// Records a race. Reported once per pair of sites.
pub fn race(race: dpor_races::Race) {
    let _ = race;
}

/// Between these two, the running thread's operations are no scheduling points (they are performed
/// at once, in one event). Nests.
pub fn atomic_begin() {}

/// See [`atomic_begin`].
pub fn atomic_end() {}

/// Records a value for the outcome of this execution.
pub fn observe(name: &str, value: i64) {
    let _ = (name, value);
}

/// Captured output: bytes the program wrote to descriptor 1 or 2.
pub fn capture(descriptor: i32, bytes: &[u8]) {
    let _ = (descriptor, bytes);
}

/// Names of shared objects that are no memory cells.
pub mod object {
    use super::ObjectId;
    const TAG: u32 = 56;

    /// The mutex at an address.
    pub fn mutex(address: usize) -> ObjectId {
        ObjectId(1 << TAG | address as u64)
    }
    /// The condition variable at an address.
    pub fn condvar(address: usize) -> ObjectId {
        ObjectId(2 << TAG | address as u64)
    }
    /// A `pthread_once_t`, a `__cxa_guard` or a FILE lock: a mutex of the runtime's own at an address.
    pub fn guard(address: usize) -> ObjectId {
        ObjectId(3 << TAG | address as u64)
    }
    /// A FILE, DIR or other libc object at an address.
    pub fn stream(address: usize) -> ObjectId {
        ObjectId(4 << TAG | address as u64)
    }
    /// A descriptor's offset.
    pub fn descriptor(number: i32) -> ObjectId {
        ObjectId(5 << TAG | u64::from(number as u32))
    }
    /// A hidden static of libc, by its number in the table of libc/.
    pub fn hidden(number: u32) -> ObjectId {
        ObjectId(6 << TAG | u64::from(number))
    }
}
