//! Names of threads, and the processors they may run on.
//!
//! None of them makes an interleaving impossible: they are kept and read back. A thread that was given
//! none has what its creator had, and the first thread what the process had at the root. Once the
//! program is seen to read one ([`EventCause::Attributes`]), setting and reading are events on the thread's
//! attributes: one thread may read what another one sets.
//!
//! Scheduling policies, which are kept in the same way, are in [`super::scheduling`].
//!
//! Source: glibc's manual, and pthread_setname_np(3), pthread_setaffinity_np(3).

use super::existing;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object};
use crate::world::{self, rolled_back, THREADS_MAX};
use ::libc::{pthread_t, size_t};
use core::ffi::{c_char, c_int, CStr};
use dpor_machine::sys;
use dpor_model::{Kind, ObjectId, Operation, ThreadId};

crate::hooks::clean_entry::clean_entries! {
    pthread_setname_np, pthread_getname_np, pthread_setaffinity_np, pthread_getaffinity_np
}

/// Bytes of a thread's name with its end (`TASK_COMM_LEN`).
pub const NAME_BYTES: usize = 16;
/// Bytes of the largest set of processors that is kept: of glibc's `cpu_set_t`.
const SET_BYTES: usize = 128;

type Set = [u8; SET_BYTES];

/// Attributes of one thread, as the program set them or as its creator had them.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Attributes {
    name: [u8; NAME_BYTES],
    /// Processors, one bit each. All zero: those of the process.
    processors: Set,
    pub policy: c_int,
    pub priority: c_int,
}

/// Attributes of all threads, and of the process. All zero at first, but for the first thread's
/// name.
#[repr(C)]
pub(crate) struct State {
    threads: [Attributes; THREADS_MAX],
    pub concurrency: c_int,
}

rolled_back!(static STATE: RolledBack<State> = world::ATTRIBUTES);

pub(super) fn state() -> *mut State {
    STATE.get()
}

fn of(thread: ThreadId) -> *mut Attributes {
    // SAFETY: the world is mapped; the index is checked by the array.
    unsafe { &raw mut (*state()).threads[usize::from(thread.0)] }
}

/// Gives the first thread the name of the process.
pub(crate) fn at_root() {
    // SAFETY: thread 0 runs; its name is writable, and the call writes as much.
    unsafe {
        let name = (&raw mut (*of(ThreadId(0))).name) as usize;
        sys::call3(::libc::SYS_prctl, ::libc::PR_GET_NAME as usize, name, 0);
    }
}

/// Gives `child`, which the running thread created, the attributes of its creator.
pub(super) fn inherit(child: ThreadId) {
    if learned_events::knows(EventCause::Attributes) {
        // SAFETY: both entries lie in the world, which is mapped; the child has not begun, and no
        // other fiber runs.
        unsafe { of(child).write(of(engine::thread()).read()) };
    }
}

/// Performs the event in which the running thread, which is about to create another, reads its own
/// attributes.
pub(super) fn before_create() {
    if learned_events::knows(EventCause::Attributes) {
        event(Kind::SharedRead, object::attributes(engine::thread()));
    }
}

fn event(kind: Kind, object: ObjectId) {
    engine::perform(Operation {
        object,
        ..engine::operation(kind)
    });
}

/// Something is about to be set.
pub(super) fn set(object: ObjectId) {
    if learned_events::knows(EventCause::Attributes) {
        event(Kind::SharedWrite, object);
    }
}

/// Something is about to be read.
pub(super) fn get(object: ObjectId) {
    if learned_events::learn(EventCause::Attributes) {
        event(Kind::SharedRead, object);
    }
}

/// Returns the attributes of the thread with this `pthread_t`, after the event.
pub(super) fn open(thread: pthread_t, announce: fn(ObjectId)) -> Option<*mut Attributes> {
    let thread = existing::existing(thread)?;
    announce(object::attributes(thread));
    Some(of(thread))
}

/// `pthread_setname_np`: keeps the name with the thread; an event if the program reads names.
///
/// # Safety
/// `name` points to a NUL-terminated string.
pub unsafe extern "C" fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int {
    if !engine::active() {
        let native = real!(pthread_setname_np: fn(pthread_t, *const c_char) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, name) };
    }
    // SAFETY: `name` is the program's NUL-terminated string, which no other fiber changes before
    // the next event.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if name.len() >= NAME_BYTES {
        return ::libc::ERANGE;
    }
    let Some(attributes) = open(thread, set) else {
        return ::libc::ESRCH;
    };
    let mut kept = [0; NAME_BYTES];
    kept[..name.len()].copy_from_slice(name);
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*attributes).name = kept };
    0
}

/// `pthread_getname_np`: returns the name that is kept with the thread.
///
/// # Safety
/// `name` is writable for `bytes` bytes.
pub unsafe extern "C" fn pthread_getname_np(
    thread: pthread_t,
    name: *mut c_char,
    bytes: size_t,
) -> c_int {
    if !engine::active() {
        let native = real!(pthread_getname_np: fn(pthread_t, *mut c_char, size_t) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, name, bytes) };
    }
    // glibc asks for room for the longest name.
    if bytes < NAME_BYTES {
        return ::libc::ERANGE;
    }
    let Some(attributes) = open(thread, get) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, and `name` has room for the longest name, as was checked
    // above; no other fiber runs since the event.
    unsafe { name.cast::<[u8; NAME_BYTES]>().write((*attributes).name) };
    0
}

/// `prctl` with `PR_SET_NAME`, `PR_GET_NAME`: of the running thread, and no events. False: others may
/// look, and would have to be told.
///
/// # Safety
/// `name` points to a NUL-terminated string if `sets`, and else is writable for 16 bytes.
pub unsafe fn own_name(sets: bool, name: usize) -> bool {
    let own = of(engine::thread());
    // SAFETY: the entry in the world is the running thread's own; `name` is a string or a place of
    // 16 bytes, as this function's caller guarantees.
    unsafe {
        if sets {
            let given = CStr::from_ptr(name as *const c_char).to_bytes();
            let length = given.len().min(NAME_BYTES - 1);
            let mut kept = [0; NAME_BYTES];
            kept[..length].copy_from_slice(&given[..length]);
            (*own).name = kept;
        } else {
            (name as *mut [u8; NAME_BYTES]).write((*own).name);
        }
    }
    !learned_events::knows(EventCause::Attributes)
}

/// Returns the processors of the process.
fn processors() -> Set {
    let mut set = [0; SET_BYTES];
    // SAFETY: asks only; the kernel writes at most as much as there is room.
    unsafe {
        let place = (&raw mut set) as usize;
        sys::call3(::libc::SYS_sched_getaffinity, 0, SET_BYTES, place);
    }
    set
}

/// `pthread_setaffinity_np`: keeps the processors with the thread, which runs where it ran before.
///
/// # Safety
/// `given` points to `bytes` readable bytes.
pub unsafe extern "C" fn pthread_setaffinity_np(
    thread: pthread_t,
    bytes: size_t,
    given: *const ::libc::cpu_set_t,
) -> c_int {
    if !engine::active() {
        let native =
            real!(pthread_setaffinity_np: fn(pthread_t, size_t, *const ::libc::cpu_set_t) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, bytes, given) };
    }
    let mut kept = processors();
    for (at, bits) in kept.iter_mut().enumerate() {
        *bits &= match at < bytes {
            // SAFETY: `at` is below `bytes`, so the byte lies inside of the program's set, as this
            // function's caller guarantees.
            true => unsafe { *given.cast::<u8>().add(at) },
            false => 0,
        };
    }
    if kept == [0; SET_BYTES] {
        return ::libc::EINVAL;
    }
    let Some(attributes) = open(thread, set) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*attributes).processors = kept };
    0
}

/// `pthread_getaffinity_np`: returns the processors that are kept with the thread.
///
/// # Safety
/// `place` is writable for `bytes` bytes.
pub unsafe extern "C" fn pthread_getaffinity_np(
    thread: pthread_t,
    bytes: size_t,
    place: *mut ::libc::cpu_set_t,
) -> c_int {
    if !engine::active() {
        let native =
            real!(pthread_getaffinity_np: fn(pthread_t, size_t, *mut ::libc::cpu_set_t) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, bytes, place) };
    }
    let Some(attributes) = open(thread, get) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    let mut kept = unsafe { (*attributes).processors };
    if kept == [0; SET_BYTES] {
        kept = processors();
    }
    if kept.iter().skip(bytes).any(|&bits| bits != 0) {
        return ::libc::EINVAL;
    }
    // SAFETY: `place` is the program's, of `bytes` bytes; only this fiber runs until the next
    // event.
    unsafe {
        place.cast::<u8>().write_bytes(0, bytes);
        core::ptr::copy_nonoverlapping(kept.as_ptr(), place.cast(), bytes.min(SET_BYTES));
    }
    0
}
