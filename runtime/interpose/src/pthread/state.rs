//! What POSIX's functions know of the threads of the program, in the world.

use super::cancel::State as Cancellation;
use super::cleanup::{CleanupFrame, CleanupHandler};
use super::robust::Robust;
use crate::cxa::Destructor;
use crate::cxx::{Captured, Wanted};
use crate::own_stack_stores::OwnStackStores;
use crate::progress::Progress;
use crate::tsan::Visits;
use crate::{engine, world};
use core::ffi::c_void;
use dpor_model::{SiteId, ThreadId};

const _: [(); world::POSIX_BYTES] = [(); size_of::<Thread>()];
const _: () = assert!(align_of::<Thread>() <= 8);

/// The function that a thread runs.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What POSIX's functions know of one thread of the program, by thread number in the world.
#[repr(C)]
pub(crate) struct Thread {
    /// The function that [`super::thread::run`] calls with `argument`.
    pub start: Option<Start>,
    /// Whether `start` returns an `int`, as C11's thread functions do, instead of a pointer.
    pub returns_int: bool,
    /// The argument of `start`.
    pub argument: *mut c_void,
    /// The value that `pthread_join` hands to the joiner.
    pub result: *mut c_void,
    /// Stack pointer to which a leaving thread returns; 0 for thread 0.
    pub bottom: usize,
    /// Innermost frame registered with `__pthread_register_cancel`.
    pub cleanup_frame: *mut CleanupFrame,
    /// Innermost handler registered with `_pthread_cleanup_push`.
    pub cleanup_handler: *mut CleanupHandler,
    /// Destructors of `thread_local` objects, last constructed first.
    pub destructors: *mut Destructor,
    /// Mutexes that the thread's running `std::lock` wants.
    pub wanted: Wanted,
    /// Exceptions that the thread handles and that other threads may get hold of.
    pub captured: Captured,
    /// Requests to end this thread, and whether it may be cancelled.
    pub cancel: Cancellation,
    /// Condition variable on which the thread waits; 0 if on none.
    pub waiting: usize,
    /// Number of ended threads that had this thread number before.
    pub predecessors: u32,
    /// Robust mutexes that the thread holds.
    pub robust: Robust,
    /// Number of waits of the thread on condition variables that ended without a signal.
    pub spurious: u64,
    /// Whether the annotated lock that the thread tries to take is free.
    pub tried: u8,
    /// Number of `dpor_ignore_begin`s of the thread without their ends.
    pub ignoring: u32,
    /// Address of the value that `std::atomic::wait` waits for.
    pub waits_at: usize,
    /// What the thread marked as progress (`dpor_progress`).
    pub progress: Progress,
    /// What the thread's loop iterations stored to its own stack.
    pub own_stack_stores: OwnStackStores,
    /// Where the thread was lately, in code that another compiler than clang instrumented.
    pub visits: Visits,
    /// Whether the thread is detached, so that nobody may join it.
    pub detached: bool,
    /// Whether a thread stands in `pthread_join` of this one.
    pub joined: bool,
    /// Whether the thread was created and not yet joined.
    pub exists: bool,
    /// Site of the call that created the thread.
    pub created_at: SiteId,
    /// Whether the thread's destructors have run.
    pub ended: bool,
}

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

/// Appends what of the threads decides nothing of how the program goes on where states are remembered.
pub(crate) fn unmatched(left_out: &mut Vec<(usize, usize)>) {
    for thread in 0..world::THREADS_MAX as u16 {
        let of = entry(ThreadId(thread));
        let mut leave_out = |start: usize, bytes: usize| left_out.push((start, start + bytes));
        // SAFETY: only addresses in the world are computed, which is mapped.
        unsafe {
            // How many had the number before; who has it now is told by how it stands.
            leave_out(&raw const (*of).predecessors as usize, size_of::<u32>());
            // Loops are not remembered by the numbers of events, and marks are not counted.
            leave_out(&raw const (*of).progress as usize, size_of::<Progress>());
            leave_out(
                &raw const (*of).own_stack_stores as usize,
                size_of::<OwnStackStores>(),
            );
            leave_out(&raw const (*of).visits as usize, size_of::<Visits>());
        }
    }
}

/// Notes that thread 0 exists. To be called on it as soon as the exploration has begun.
pub fn at_root() {
    // SAFETY: the world is mapped; thread 0 runs.
    unsafe { (*entry(ThreadId(0))).exists = true };
}
