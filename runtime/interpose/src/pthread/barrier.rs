//! `pthread_barrier_*`.
//!
//! A wait is two events: arriving, and leaving once all have arrived. Which thread is told that it is
//! the serial one is the explorer's choice; where the program does not look at the result, the pass
//! says so, and nothing is chosen.
//!
//! The race detector is told of each generation as an object of its own, since a thread may arrive for
//! the next one before another has left. Which generation a thread is in is counted in the barrier's
//! memory, in the words in which glibc counts.
//!
//! Source: POSIX.1-2017, `pthread_barrier_init`, `pthread_barrier_wait`.

use super::{happens_before, live_objects, memory, misuse_before_root, objects_at_root};
use crate::engine::{self, object};
use crate::state::PerStep;
use ::libc::{pthread_barrier_t, pthread_barrierattr_t, EINVAL, PTHREAD_BARRIER_SERIAL_THREAD};
use core::ffi::{c_int, c_uint};
use dpor_model::{Argument, Kind, ObjectId, Operation, SiteId};
use std::sync::atomic::{AtomicBool, Ordering};

crate::hooks::clean_entry::clean_entries! {
    pthread_barrier_init, pthread_barrier_destroy, pthread_barrier_wait
}

/// The words of a barrier, as glibc lays it out, as far as they are used here.
#[repr(C)]
struct Words {
    /// Threads that have arrived for the present generation.
    arrived: u32,
    /// Number of the generation that gathers now.
    generation: u32,
    /// Threads that make a generation.
    width: u32,
}

fn words(barrier: *mut pthread_barrier_t) -> *mut Words {
    barrier.cast()
}

fn operation(what: Kind, barrier: *mut pthread_barrier_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::barrier(barrier as usize);
    operation
}

/// Returns the race detector's object for a generation. Between two of one name 256 others have
/// passed.
fn meeting(barrier: ObjectId, generation: u32) -> ObjectId {
    ObjectId(barrier.0 | u64::from(generation & 255) << 48)
}

/// `pthread_barrier_init`: an event on the barrier, whose words then count generations from 0.
///
/// # Safety
/// `barrier` is writable for a `pthread_barrier_t`; `attributes` is null or points to initialized
/// attributes.
pub unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut pthread_barrier_t,
    attributes: *const pthread_barrierattr_t,
    width: c_uint,
) -> c_int {
    let event = Operation {
        argument: Argument::count(width.into()),
        ..operation(Kind::BarrierInit, barrier)
    };
    if width != 0 && engine::active() {
        let result = memory::perform(event).result;
        if result != 0 {
            return result;
        }
    }
    let init = real!(pthread_barrier_init:
        fn(*mut pthread_barrier_t, *const pthread_barrierattr_t, c_uint) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came; it only writes the object.
    let result = unsafe { init(barrier, attributes, width) };
    if result == 0 && engine::before_root() {
        objects_at_root::add(event.object, event.count());
    }
    if result == 0 && (engine::active() || engine::before_root()) {
        live_objects::began(event.object);
    }
    result
}

/// `pthread_barrier_destroy`: an event on the barrier.
///
/// # Safety
/// `barrier` points to a `pthread_barrier_t`.
pub unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int {
    let event = operation(Kind::BarrierDestroy, barrier);
    // Before the root alone is there something to ask: natively there is no world.
    let exists = || objects_at_root::exists(event.object).is_some();
    misuse_before_root::explore_if(|| !exists());
    if engine::active() {
        let result = memory::perform(event).result;
        if result == 0 {
            live_objects::ended(event.object);
        }
        return result;
    }
    if engine::before_root() {
        if !exists() {
            return EINVAL;
        }
        // Nobody waits there, so libc has nothing to wait for.
        objects_at_root::destroyed(event.object);
        live_objects::ended(event.object);
        return 0;
    }
    let destroy = real!(pthread_barrier_destroy: fn(*mut pthread_barrier_t) -> c_int);
    // SAFETY: libc's function gets the program's barrier as it came, and asks no more of it than
    // this one.
    unsafe { destroy(barrier) }
}

/// Whether nobody looks at the result of the running thread's next wait.
static IGNORED: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// Announces that the program does not look at the result of the `pthread_barrier_wait` that
/// follows.
#[no_mangle]
pub extern "C" fn __dpor_result_ignored(_site: SiteId) {
    IGNORED.store(true, Ordering::Relaxed);
}

/// `pthread_barrier_wait`: arrives and leaves, in two events.
///
/// # Safety
/// `barrier` points to a `pthread_barrier_t`.
pub unsafe extern "C" fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int {
    let looked_at = !IGNORED.swap(false, Ordering::Relaxed);
    if engine::before_root() {
        if objects_at_root::exists(object::barrier(barrier as usize)) == Some(1) {
            return PTHREAD_BARRIER_SERIAL_THREAD;
        }
        // Nobody else can come, or it is none: the model reports it.
        engine::begin();
    }
    if !engine::active() {
        let wait = real!(pthread_barrier_wait: fn(*mut pthread_barrier_t) -> c_int);
        // SAFETY: libc's function gets the program's barrier as it came, and asks no more of it
        // than this one.
        return unsafe { wait(barrier) };
    }
    let arrive = Operation {
        argument: Argument::tells(looked_at),
        ..operation(Kind::BarrierArrive, barrier)
    };
    memory::perform(arrive);
    // SAFETY: `barrier` is the program's argument, a barrier as long as the call on it lasts; no
    // other fiber runs until the next event.
    let generation = unsafe { count_arrival(barrier) };
    let meeting = meeting(arrive.object, generation);
    happens_before::release(meeting);
    let result = memory::perform(Operation {
        kind: Kind::BarrierLeave,
        ..arrive
    })
    .result;
    happens_before::acquire(meeting);
    result
}

/// Counts one more arrival in the barrier's memory and returns the generation that it belongs to.
/// The first arrival of a generation finds its object, for the race detector, empty.
///
/// # Safety
/// `barrier` points to a barrier.
unsafe fn count_arrival(barrier: *mut pthread_barrier_t) -> u32 {
    // SAFETY: `barrier` points to a barrier, as this function's caller guarantees, and no other
    // fiber runs while `words` lives: the function makes no event.
    let words = unsafe { &mut *words(barrier) };
    let generation = words.generation;
    if words.arrived == 0 {
        happens_before::made(meeting(object::barrier(barrier as usize), generation));
    }
    words.arrived += 1;
    if words.arrived >= words.width {
        words.arrived = 0;
        words.generation = words.generation.wrapping_add(1);
    }
    generation
}
