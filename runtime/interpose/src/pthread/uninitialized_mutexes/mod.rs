//! Mutexes of zeros that nobody initialized, a warning with `--strict`.
//!
//! glibc takes zeros for a mutex, and its initializer leaves nothing else. So initializers get a mark
//! ([`dpor_abi::initializer`]): the static one where it is compiled, and here what a call makes. Under
//! `--strict`, a mutex of nothing but zeros is locked or waited with: then nobody initialized it, unless
//! somebody did who does not know of marks. Where that may be, nothing is said ([`origin`]).
//!
//! It is looked at where the thread calls: another may initialize it before the call takes place, but need
//! not. Of what is used before the root is told at the root. One mutex is told of once, with the place
//! of its first use that was seen in any execution.
//!
//! Source: POSIX.1-2017, `pthread_mutex_init`: other than by a call or the macro there is no mutex.

mod origin;

use crate::engine::{self, object};
use crate::libc::before_root;
use crate::state::Kept;
use crate::world::{self, rolled_back};
use ::libc::pthread_mutex_t;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_abi::initializer::{MARK, MARK_OFFSET};
use dpor_model::{ObjectId, SiteId, ThreadId};

/// Number of uses of zeros that are told of or found to be in order in an execution, at most;
/// further ones are not looked at.
const USES_MAX: usize = 256;

/// The first use in this execution of one mutex that was all zeros.
#[derive(Clone, Copy)]
#[repr(C)]
struct EventCause {
    object: ObjectId,
    /// Site of the first use.
    site: SiteId,
    /// Whether code that knows nothing of marks may have initialized the mutex.
    is_in_order: bool,
}

/// Uses of mutexes that are all zeros. All zero at first.
#[repr(C)]
pub(crate) struct UninitializedMutexes {
    uses: [EventCause; USES_MAX],
    count: usize,
}

static STRICT: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Takes zeros for no mutex, from the first instruction on (`--strict`).
pub fn be_strict() {
    STRICT.store(true, Ordering::Relaxed);
    origin::be_strict();
}

pub use origin::module_loaded;

rolled_back!(static ALL: RolledBack<UninitializedMutexes> = world::UNINITIALIZED_MUTEXES);

fn all() -> *mut UninitializedMutexes {
    ALL.get()
}

/// # Safety
/// `mutex` points to a mutex, of whatever contents.
unsafe fn is_of_zeros(mutex: *mut pthread_mutex_t) -> bool {
    let words = mutex.cast::<u64>();
    // SAFETY: `mutex` is readable for a `pthread_mutex_t`, as this function's caller guarantees,
    // and `at` counts its words.
    (0..size_of::<pthread_mutex_t>() / 8).all(|at| unsafe { words.add(at).read_unaligned() } == 0)
}

/// Marks a mutex that a call made.
///
/// # Safety
/// `mutex` points to a mutex that can be written.
pub unsafe fn mark(mutex: *mut pthread_mutex_t) {
    // SAFETY: `mutex` is writable for a `pthread_mutex_t`, as this function's caller guarantees.
    unsafe {
        if STRICT.load(Ordering::Relaxed) && is_of_zeros(mutex) {
            mutex.cast::<u16>().add(MARK_OFFSET / 2).write(MARK);
        }
    }
}

/// Looks whether a mutex that is about to be locked or waited with is all zeros.
///
/// # Safety
/// `mutex` points to as many bytes as one has.
#[inline(always)]
pub unsafe fn look(mutex: *mut pthread_mutex_t) {
    if STRICT.load(Ordering::Relaxed) {
        // SAFETY: `mutex` is readable for a `pthread_mutex_t`, as this function's caller
        // guarantees.
        unsafe { look_closely(mutex) }
    }
}

/// Notes the use of a mutex that is all zeros, and tells of it if nobody can have initialized it.
///
/// # Safety
/// `mutex` is readable for a `pthread_mutex_t`.
#[cold]
unsafe fn look_closely(mutex: *mut pthread_mutex_t) {
    // SAFETY: `mutex` is readable for a `pthread_mutex_t`, as this function's caller guarantees.
    if !engine::active() && !engine::before_root() || unsafe { !is_of_zeros(mutex) } {
        return;
    }
    let object = object::mutex(mutex as usize);
    // SAFETY: nothing switches while the borrow lives; it ends here.
    let all = unsafe { &mut *all() };
    let count = all.count;
    if count == USES_MAX || all.uses[..count].iter().any(|u| u.object == object) {
        return;
    }
    let Some(caller) = origin::caller() else {
        return;
    };
    let is_in_order = origin::may_be_initialized(caller, mutex as usize);
    all.uses[count] = EventCause {
        object,
        site: engine::site(),
        is_in_order,
    };
    all.count += 1;
    if !is_in_order && engine::active() {
        tell(object, engine::thread(), engine::site());
    }
}

fn tell(object: ObjectId, thread: ThreadId, site: SiteId) {
    engine::tell_uninitialized_mutex(
        &format!(
            "{} of zeros is used that nobody initialized: glibc takes it for one, POSIX does not",
            object::noun(object)
        ),
        object,
        thread,
        site,
    );
}

/// Forgets the mutexes in memory that goes away: the next one there is another.
pub fn freed(inside: impl Fn(ObjectId) -> bool) {
    // SAFETY: the table lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let all = unsafe { &mut *all() };
    let mut at = 0;
    while at < all.count {
        // What is to be told at the root stays.
        let stays = engine::before_root() && !all.uses[at].is_in_order;
        if stays || !inside(all.uses[at].object) {
            at += 1;
            continue;
        }
        all.count -= 1;
        all.uses[at] = all.uses[all.count];
    }
}

/// Returns whether something is to be said at the end of a process that had one thread only.
pub fn has_something_to_say() -> bool {
    // SAFETY: the table lies in the world, which is mapped before the program runs; one thread is
    // left, which is here.
    let all = unsafe { &*all() };
    all.uses[..all.count].iter().any(|u| !u.is_in_order) && before_root::is_checked()
}

/// Tells, on thread 0, of what happened before the root, once there is somebody to tell.
pub(crate) fn at_root() {
    // SAFETY: plain reads; the root is made once.
    let count = unsafe { (*all()).count };
    for at in 0..count {
        // SAFETY: the table lies in the world, which is mapped, and `at` is below its count.
        let known = unsafe { (*all()).uses[at] };
        if !known.is_in_order {
            tell(known.object, ThreadId::MAIN, known.site);
        }
    }
}
