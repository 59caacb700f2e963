//! Life of a thread: create, run, detach.
//!
//! A thread's number, and with it its `pthread_t`, is the engine's to give: a function of the
//! creator's own history. Attributes other than the detach state do not matter to the model; the
//! fiber's stack is the runtime's own.
//!
//! Joins are in [`super::join`]. Misuse that POSIX leaves undefined (joining a thread twice, a
//! detached one, oneself) is a finding, and the call returns what glibc returns.

use super::existing::{existing, misuse};
use super::robust::Robust;
use super::state::{entry, Thread};
use super::{happens_before, key, mutex, unwinder};
use crate::cxx::{Captured, Wanted};
use crate::engine;
use crate::engine::accesses::uninstrumented;
use crate::thread_mask::ThreadMask;
use ::libc::{pthread_attr_t, pthread_t};
use core::ffi::{c_int, c_void};
use core::ptr;
use dpor_machine::thread_limit;
use dpor_model::{Argument, Detail, Kind, SiteId, ThreadId};

pub use super::state::Start;

crate::hooks::clean_entry::clean_entries! {
    pthread_create, pthread_detach
}

/// `pthread_create`: an event, after which the thread exists and stands before its first operation.
///
/// # Safety
/// `out` is writable for a `pthread_t`, `attributes` is null or points to initialized ones, and
/// `start` may be called with `argument`.
pub unsafe extern "C" fn pthread_create(
    out: *mut pthread_t,
    attributes: *const pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    if !engine::active() {
        engine::begin();
    }
    if !engine::active() {
        let create = real!(pthread_create:
            fn(*mut pthread_t, *const pthread_attr_t, Start, *mut c_void) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { create(out, attributes, start, argument) };
    }
    // SAFETY: `attributes` is null or initialized and `out` is writable, as this function's caller
    // guarantees.
    unsafe {
        let detached = is_detached(attributes);
        let child = begin(out, start, argument, detached, false);
        super::signal::inherit(child, mask_in(attributes));
    }
    0
}

/// Creates a thread while the program is explored. `returns_int`: its function is one of C11's.
///
/// # Safety
/// `out` is writable; `start` can be called with `argument`.
pub(super) unsafe fn begin(
    out: *mut pthread_t,
    start: Start,
    argument: *mut c_void,
    detached: bool,
    returns_int: bool,
) -> ThreadId {
    let child = create(Thread {
        start: Some(start),
        argument,
        returns_int,
        cancel: super::cancel::State::NEW,
        result: ptr::null_mut(),
        bottom: 0,
        cleanup_frame: ptr::null_mut(),
        cleanup_handler: ptr::null_mut(),
        destructors: ptr::null_mut(),
        wanted: Wanted::default(),
        captured: Captured::default(),
        waiting: 0,
        predecessors: 0,
        robust: Robust::NONE,
        spurious: 0,
        tried: 0,
        ignoring: 0,
        waits_at: 0,
        progress: crate::progress::Progress::NONE,
        own_stack_stores: crate::own_stack_stores::OwnStackStores::NONE,
        visits: crate::tsan::Visits::NONE,
        detached,
        joined: false,
        exists: true,
        created_at: engine::site(),
        ended: false,
    });
    // SAFETY: `out` is writable for a `pthread_t`, as this function's caller guarantees; no other
    // fiber runs since the event.
    unsafe { out.write(engine::pthread_of(child)) };
    child
}

/// Creates a thread of the runtime's own, of which the program knows nothing. It gets no signals.
pub fn begin_hidden(start: Start, argument: usize) -> ThreadId {
    let mut unused = 0;
    let argument = ptr::without_provenance_mut(argument);
    // SAFETY: `unused` is a local place for the result; `start` may be called with `argument`, as
    // this function's caller says.
    let child = unsafe { begin(&raw mut unused, start, argument, true, false) };
    super::signal::inherit(child, Some(u64::MAX));
    // SAFETY: the entry lies in the world, which is mapped; its thread has not begun.
    unsafe { (*entry(child)).exists = false };
    child
}

extern "C" {
    // The libc crate does not declare it.
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
    fn pthread_attr_getsigmask_np(
        attributes: *const pthread_attr_t,
        set: *mut ::libc::sigset_t,
    ) -> c_int;
}

/// `PTHREAD_ATTR_NO_SIGMASK_NP`.
const NO_MASK: c_int = -1;

/// Returns the signal mask that attributes give a thread.
unsafe fn mask_in(attributes: *const pthread_attr_t) -> Option<u64> {
    let mut set = [0u64; 16];
    if attributes.is_null() {
        return None;
    }
    // SAFETY: `attributes` points to initialized attributes, as this function's caller guarantees;
    // there is room for a `sigset_t`.
    let found = unsafe { pthread_attr_getsigmask_np(attributes, set.as_mut_ptr().cast()) };
    (found != NO_MASK).then_some(set[0])
}

unsafe fn is_detached(attributes: *const pthread_attr_t) -> bool {
    let mut state = ::libc::PTHREAD_CREATE_JOINABLE;
    if !attributes.is_null() {
        // SAFETY: `attributes` points to initialized attributes, as this function's caller
        // guarantees; libc only reads them.
        unsafe { pthread_attr_getdetachstate(attributes, &mut state) };
    }
    state == ::libc::PTHREAD_CREATE_DETACHED
}

fn create(state: Thread) -> ThreadId {
    let Some(child) = engine::reserve_thread() else {
        engine::unsupported(&format!(
            "{} (a detached thread counts to the end)",
            thread_limit::sentence()
        ));
    };
    if !happens_before::can_create(child) {
        engine::unsupported("more threads than the race detector can tell apart");
    }
    super::attributes::before_create();
    let mut operation = engine::operation(Kind::Create);
    operation.argument = Argument::thread(child);
    operation.detail = Detail::elder(elder(&state));
    engine::perform(operation);
    // The child stands before its first step; nothing runs until our next operation.
    // SAFETY: the entry lies in the world, and no running thread owns it; its last owner, if there
    // was one, had a function.
    unsafe {
        let before = entry(child);
        let predecessors = (*before).predecessors + u32::from((*before).start.is_some());
        before.write(Thread {
            predecessors,
            ..state
        });
    }
    super::once::inherit(child);
    super::attributes::inherit(child);
    super::signal::inherit(child, None);
    happens_before::create(child);
    child
}

/// Returns the thread that the running thread created just before, if it is to do the same.
fn elder(state: &Thread) -> Option<ThreadId> {
    let elder = engine::created_last()?;
    // SAFETY: the entry lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let (start, argument, detached) = unsafe {
        let entry = entry(elder);
        ((*entry).start, (*entry).argument, (*entry).detached)
    };
    let does_the_same = match (start, state.start) {
        (Some(one), Some(other)) => one as usize == other as usize,
        _ => false,
    };
    (does_the_same && argument == state.argument && detached == state.detached).then_some(elder)
}

/// Runs the body of a fiber: the thread's function, then destructors of `thread_local` objects,
/// then those of keys. The thread has finished when it returns.
pub fn run(thread: ThreadId) {
    let me = entry(thread);
    engine::begin_of_stack();
    // SAFETY: the entry was filled in by the creator; only this fiber uses it now. `call_thread` is
    // this stack's lowest unwindable frame.
    unsafe {
        let Some(start) = (*me).start else { return };
        uninstrumented::last_call(start as usize);
        (*me).result = unwinder::call_thread(start, (*me).argument, &raw mut (*me).bottom);
        if (*me).returns_int {
            (*me).result = (*me).result as c_int as usize as *mut c_void;
        }
        // A destructor may call pthread_exit too: the ones after it run all the same.
        while !(*me).ended {
            unwinder::call_thread(run_destructors, me.cast(), &raw mut (*me).bottom);
        }
    }
    super::signal::deliver::at_end();
    end();
}

/// Does what libc does between the end of a thread's function and the end of the thread:
/// destructors of `thread_local` objects, then of keys.
unsafe extern "C" fn run_destructors(me: *mut c_void) -> *mut c_void {
    // SAFETY: called by `run` with the running thread's entry.
    unsafe {
        crate::cxa::run_destructors();
        key::run_destructors();
        (*me.cast::<Thread>()).ended = true;
    }
    ptr::null_mut()
}

/// `pthread_detach`: an event on the thread.
///
/// # Safety
/// `thread` is a `pthread_t` of a thread that exists.
pub unsafe extern "C" fn pthread_detach(thread: pthread_t) -> c_int {
    if !engine::active() {
        let detach = real!(pthread_detach: fn(pthread_t) -> c_int);
        // SAFETY: libc's function gets the program's `pthread_t` as it came, and asks no more of it
        // than this one.
        return unsafe { detach(thread) };
    }
    match detachable(thread) {
        Ok(target) => {
            // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the
            // next event.
            unsafe { (*entry(target)).detached = true };
            0
        }
        Err(error) => error,
    }
}

fn detachable(thread: pthread_t) -> Result<ThreadId, c_int> {
    let Some(target) = existing(thread) else {
        return misuse(
            "detach of a thread that was already joined, or that never existed",
            ::libc::ESRCH,
        );
    };
    // SAFETY: the entry lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let (detached, joined) = unsafe { ((*entry(target)).detached, (*entry(target)).joined) };
    if detached {
        return misuse("detach of a detached thread", ::libc::EINVAL);
    }
    if joined {
        return misuse(
            "detach of a thread that another thread is joining",
            ::libc::EINVAL,
        );
    }
    Ok(target)
}

/// Remembers, as the process ends, the threads that have ended and that nobody joined or detached.
pub fn note_abandoned() {
    let mut abandoned = ThreadMask::EMPTY;
    for thread in (1..thread_limit::get() as u16).map(ThreadId) {
        // SAFETY: the entry lies in the world, which is mapped; no fiber runs while it is borrowed.
        let entry = unsafe { &*entry(thread) };
        let is_kept = entry.exists && !entry.detached;
        if is_kept && engine::has_finished(thread) {
            abandoned.insert(thread);
        }
    }
    engine::note_abandoned(abandoned);
}

/// Returns the site at which a thread was created, if it was and is not joined.
pub fn created_at(thread: ThreadId) -> Option<SiteId> {
    // SAFETY: the entry lies in the world, which is mapped; these are plain reads while no fiber
    // writes.
    unsafe {
        let entry = entry(thread);
        (*entry).exists.then(|| (*entry).created_at)
    }
}

/// Ends the running thread by the system call, without handlers and destructors. The first one's
/// end is that of the process, when all others have ended.
///
/// Source: exit(2); pthread_join(3) of glibc waits for the kernel to clear the thread's number.
pub fn end_by_system_call(code: c_int) -> ! {
    if engine::thread().0 == 0 {
        super::leave::join_all();
        engine::end_process(code);
    }
    end();
    engine::finish_thread()
}

/// Does what the running thread does at its end, whichever way it ends.
fn end() {
    mutex::abandon_robust();
    super::join::end();
    engine::end_of_stack();
    happens_before::finish();
}
