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
//!    [`at_root`] turns it into events. A misuse makes the root ([`misuse_before_root`]).
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
pub(crate) mod unwinder_locks;
mod valid;
pub mod yielding;

use crate::engine;
use crate::world;
use core::ffi::c_void;
use dpor_explorer::program::ThreadId;

const _: [(); world::POSIX_BYTES] = [(); size_of::<Thread>()];
const _: () = assert!(align_of::<Thread>() <= 8);

/// What POSIX's functions know of one thread of the program, by thread number in the world.
#[repr(C)]
pub(crate) struct Thread {
    /// The function that [`thread::run`] calls with `argument`.
    pub start: Option<thread::Start>,
    /// Whether `start` returns an `int`, as C11's thread functions do, instead of a pointer.
    pub returns_int: bool,
    /// The argument of `start`.
    pub argument: *mut c_void,
    /// The value that `pthread_join` hands to the joiner.
    pub result: *mut c_void,
    /// Stack pointer to which a leaving thread returns; 0 for thread 0.
    pub bottom: usize,
    /// Innermost frame registered with `__pthread_register_cancel`.
    pub cleanup_frame: *mut leave::CleanupFrame,
    /// Innermost handler registered with `_pthread_cleanup_push`.
    pub cleanup_handler: *mut leave::CleanupHandler,
    /// Destructors of `thread_local` objects, last constructed first.
    pub destructors: *mut crate::cxa::Destructor,
    /// Mutexes that the thread's running `std::lock` wants.
    pub wanted: crate::cxx::Wanted,
    /// Exceptions that the thread handles and that other threads may get hold of.
    pub captured: crate::cxx::Captured,
    /// Requests to end this thread, and whether it may be cancelled.
    pub cancel: cancel::State,
    /// Condition variable on which the thread waits; 0 if on none.
    pub waiting: usize,
    /// Number of ended threads that had this thread number before.
    pub predecessors: u32,
    /// Robust mutexes that the thread holds.
    pub robust: robust::Robust,
    /// Number of waits of the thread on condition variables that ended without a signal.
    pub spurious: u64,
    /// Whether the annotated lock that the thread tries to take is free.
    pub tried: u8,
    /// Number of `dpor_ignore_begin`s of the thread without their ends.
    pub ignoring: u32,
    /// Address of the value that `std::atomic::wait` waits for.
    pub waits_at: usize,
    /// What the thread marked as progress (`dpor_progress`).
    pub progress: crate::progress::Progress,
    /// What the thread's loop iterations stored to its own stack.
    pub own_stack_stores: crate::own_stack_stores::OwnStackStores,
    /// Whether the thread is detached, so that nobody may join it.
    pub detached: bool,
    /// Whether a thread stands in `pthread_join` of this one.
    pub joined: bool,
    /// Whether the thread was created and not yet joined.
    pub exists: bool,
    /// Site of the call that created the thread.
    pub created_at: u64,
    /// Whether the thread's destructors have run.
    pub ended: bool,
}

/// Old names of functions, of which each does what its newer one does.
macro_rules! same {
    ($($old:ident = $new:ident($($name:ident: $type:ty),*);)*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $old($($name: $type),*) -> c_int {
            // SAFETY: `$new` takes the same arguments, which are the program's; it asks no more of
            // them than `$old`.
            unsafe { $new($($name),*) }
        }
    )*};
}
use same;

/// Returns the running thread's entry.
///
/// Raw, as other fibers run between any two operations.
pub(crate) fn me() -> *mut Thread {
    entry(engine::thread())
}

/// Returns the entry of `thread` in the world.
pub(crate) fn entry(thread: ThreadId) -> *mut Thread {
    world::posix_of(thread).cast()
}

/// Notes that thread 0 exists. To be called on it as soon as the exploration has begun.
pub fn at_root() {
    // SAFETY: the world is mapped; thread 0 runs.
    unsafe { (*entry(ThreadId(0))).exists = true };
}
