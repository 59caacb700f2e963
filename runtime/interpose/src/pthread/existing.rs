//! The thread that a `pthread_t` means, and misuses of one.

use super::state::entry;
use crate::engine;
use ::libc::pthread_t;
use core::ffi::c_int;
use dpor_model::ThreadId;
use dpor_report::FindingKind;

/// Returns the thread with this `pthread_t`, created and not yet joined.
pub(super) fn existing(thread: pthread_t) -> Option<ThreadId> {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    engine::thread_of(thread).filter(|&target| unsafe { (*entry(target)).exists })
}

/// Returns the thread that a join means.
pub(super) fn joinable(thread: pthread_t) -> Result<ThreadId, c_int> {
    let Some(target) = existing(thread) else {
        return misuse(
            "join of a thread that was already joined, or that never existed",
            ::libc::ESRCH,
        );
    };
    if target == engine::thread() {
        return misuse("a thread joins itself", ::libc::EDEADLK);
    }
    if target.0 == 0 {
        engine::unsupported("pthread_join of the first thread");
    }
    // SAFETY: the entry lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let (detached, joined) = unsafe { ((*entry(target)).detached, (*entry(target)).joined) };
    if detached {
        return misuse("join of a detached thread", ::libc::EINVAL);
    }
    if joined {
        return misuse("two threads join the same thread", ::libc::EINVAL);
    }
    Ok(target)
}

/// Finds a misuse of a thread; `error`: what the call returns.
pub(super) fn misuse<T>(message: &str, error: c_int) -> Result<T, c_int> {
    engine::warn(FindingKind::ThreadMisuse, message);
    Err(error)
}
