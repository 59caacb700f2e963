//! Threads and synchronization objects, as POSIX sees them.
//!
//! One file per object. A function here reads its arguments, publishes an operation
//! ([`engine::perform`]), tells the race detector what the granted operation orders
//! ([`happens_before`]) and returns the result the object model decided. What is enabled, who owns
//! what and which errno a call returns is the explorer's business, not ours.
//!
//! Three situations, in this order in every function:
//!
//! 1. *Exploring* ([`engine::active`]): publish.
//! 2. *Before the root* ([`engine::before_root`]): one thread, so libc's function does the work; what
//!    the model must know of it later (locks held, cleanup handlers, keys) is recorded, and
//!    [`at_root`] turns it into events. A misuse makes the root ([`judge`]).
//! 3. *Otherwise* (the runtime's own contexts, `off=1`): libc's function and nothing else.
//!
//! Memory of mutexes and condition variables stays as their initializer left it while the program
//! is explored. Which functions exist, and what becomes of those without a model, is the table
//! [`dpor_abi::thread_api`].
//!
//! Source: POSIX.1-2017, XSH; layouts marked so are glibc's for x86-64.

pub mod attributes;
pub mod barrier;
pub mod c11;
pub mod cancel;
mod cancel_flags;
mod cancellation_points;
pub mod condvar;
mod condvar_flags;
pub mod destroyed;
pub mod failure;
pub mod file_lock;
pub mod happens_before;
pub mod join;
pub mod key;
mod late_cancellation;
pub mod leave;
pub mod live_objects;
pub mod locks_at_root;
pub mod memory;
mod misuse_before_root;
pub mod mutex;
pub mod named_semaphore;
pub mod objects_at_root;
mod old_names;
pub mod once;
mod robust;
pub mod rwlock;
pub mod scheduling;
pub mod semaphore;
pub mod signal;
pub mod spin;
pub mod thread;
pub mod timed;
mod trylock_loops;
pub mod uninitialized_mutexes;
mod unsupported;
pub mod unwind;
mod unwinder_locks;
mod valid;
pub mod yielding;

use crate::engine;
use crate::world::{world, THREADS_MAX};
use core::ffi::c_void;
use dpor_explorer::program::ThreadId;

/// Rolled-back part. All zero at first.
#[repr(C)]
pub struct State {
    /// Names and scheduling attributes.
    pub(crate) attributes: attributes::State,
    /// Keys that exist.
    pub(crate) keys: key::Keys,
    /// Objects that no longer exist.
    pub(crate) destroyed: destroyed::Destroyed,
    /// Locks thread 0 took before the root.
    pub(crate) held: locks_at_root::Held,
    /// Objects that calls initialized.
    pub(crate) lives: live_objects::Lives,
    /// Semaphores and barriers that were initialized before the root, and destroyed objects.
    pub(crate) objects_at_root: objects_at_root::ObjectsAtRoot,
    /// Semaphores with names.
    pub(crate) named: named_semaphore::Names,
    /// Exception objects of threads that are leaving.
    pub(crate) exceptions: [unwind::Exception; THREADS_MAX],
    /// Signals that are pending.
    pub(crate) signals: signal::State,
    /// Mutexes of zeros that were used.
    pub(crate) uninitialized_mutexes: uninitialized_mutexes::UninitializedMutexes,
    /// Finished `pthread_once` controls that threads know.
    pub(crate) known: [once::Known; THREADS_MAX],
}

/// One thread.
#[repr(C)]
pub(crate) struct Thread {
    /// What [`thread::run`] calls.
    pub start: Option<thread::Start>,
    /// It returns an `int`, as C11's do.
    pub returns_int: bool,
    /// With this.
    pub argument: *mut c_void,
    /// What `pthread_join` gets.
    pub result: *mut c_void,
    /// Stack pointer to which a leaving thread returns; 0 for thread 0.
    pub bottom: usize,
    /// Innermost frame registered with `__pthread_register_cancel`.
    pub cleanup_frame: *mut leave::CleanupFrame,
    /// Innermost handler registered with `_pthread_cleanup_push`.
    pub cleanup_handler: *mut leave::CleanupHandler,
    /// Destructors of `thread_local` objects, last constructed first.
    pub destructors: *mut crate::cxa::Destructor,
    /// Mutexes that `std::lock` wants.
    pub wanted: crate::cxx::Wanted,
    /// Exceptions that it handles and that others may get.
    pub captured: crate::cxx::Captured,
    /// Who wants it to end.
    pub cancel: cancel::State,
    /// Condition variable on which the thread waits; 0 if on none.
    pub waiting: usize,
    /// How many threads had its number before it.
    pub predecessors: u32,
    /// Robust mutexes that it holds.
    pub robust: robust::Robust,
    /// Waits that ended without a signal.
    pub spurious: u64,
    /// Whether the annotated lock that the thread tries to take is free.
    pub tried: u8,
    /// Depth of `dpor_ignore_begin`.
    pub ignoring: u32,
    /// Address of the value that `std::atomic::wait` waits for.
    pub waits_at: usize,
    /// What it marked as progress.
    pub progress: crate::progress::Progress,
    /// What its turns stored to its own stack.
    pub own_stack_stores: crate::own_stack_stores::OwnStackStores,
    /// Nobody may join it.
    pub detached: bool,
    /// Somebody stands in `pthread_join` of it.
    pub joined: bool,
    /// Created and not yet joined.
    pub exists: bool,
    /// Where it was created.
    pub created_at: u64,
    /// Its destructors have run.
    pub ended: bool,
}

/// Old names of functions, of which each does what its newer one does.
macro_rules! same {
    ($($old:ident = $new:ident($($name:ident: $type:ty),*);)*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $old($($name: $type),*) -> c_int {
            // SAFETY: the caller's arguments.
            unsafe { $new($($name),*) }
        }
    )*};
}
use same;

/// The running thread's entry.
///
/// Raw, as other fibers run between any two operations.
pub(crate) fn me() -> *mut Thread {
    entry(engine::thread())
}

/// The entry of a thread.
pub(crate) fn entry(thread: ThreadId) -> *mut Thread {
    // SAFETY: the world is mapped, and the index is checked by the array.
    unsafe { &raw mut (*world()).threads[thread.0 as usize].posix }
}

/// What thread 0 did before the root becomes part of the model: its first events are the locks it
/// holds. To be called on thread 0 as soon as the exploration has begun.
pub fn at_root() {
    // SAFETY: the world is mapped; thread 0 runs.
    unsafe { (*entry(ThreadId(0))).exists = true };
    attributes::at_root();
    signal::at_root();
    unwinder_locks::at_root();
    objects_at_root::at_root();
    live_objects::at_root();
    uninitialized_mutexes::at_root();
    locks_at_root::at_root();
}
