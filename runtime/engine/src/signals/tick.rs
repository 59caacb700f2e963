//! The timer: the limit of a step, the time limit, and how long a request to stop may wait.

use crate::given::posix;
use crate::runtime::{runtime, ACTIVE};
use crate::signals::context::registers;
use crate::signals::stack::is_on_signal_stack;
use crate::signals::stop::is_interrupted;
use crate::stop::Stop;
use crate::{guard, own_image, stopping, time_limit};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use dpor_machine::state::Kept;

/// CPU time between two looks at the running step, in microseconds.
pub(crate) const TICK_US: i64 = 20_000;

/// The serial number of the step that [`on_tick`] saw last.
static SEEN_SERIAL: Kept<AtomicU64> = Kept::new(AtomicU64::new(u64::MAX));
/// Number of ticks in that step.
static TICKS: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// The running thread at the last tick. A loop over atomic variables makes events without end, in one thread.
static SEEN_THREAD: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));
/// Number of ticks of this execution, one after the other, at which that thread ran.
static TICKS_OF_THREAD: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Ticks that an interrupted execution still gets to end by itself.
static PATIENCE: Kept<AtomicU64> = Kept::new(AtomicU64::new(10));
/// There was a tick since [`take_tick`] was asked last.
static TICKED: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Whether this process used up [`TICK_US`] of the processor's time since this was asked last.
#[inline]
pub fn take_tick() -> bool {
    TICKED.load(Ordering::Relaxed) && TICKED.swap(false, Ordering::Relaxed)
}

/// A new execution begins.
pub fn execution_begins() {
    TICKS.store(0, Ordering::Relaxed);
    TICKS_OF_THREAD.store(0, Ordering::Relaxed);
}

pub(crate) unsafe extern "C" fn on_tick(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    TICKED.store(true, Ordering::Relaxed);
    tick(context);
    guard::go_on(guarded, context);
}

fn tick(context: *mut c_void) {
    if !ACTIVE.load(Ordering::Relaxed) || is_on_signal_stack(context) || is_on_engine_stack(context)
    {
        return;
    }
    let rt = runtime();
    // SAFETY: a fiber runs, which the handler interrupts, and the engine waits. The fiber may hold references
    // to what it changes at the moment, so these are looked at and nothing else; it changes none of them.
    let (watches, guards, seconds, thread, serial) = unsafe {
        let seconds = (*rt).options.step_limit_seconds;
        let (watches, guards) = ((*rt).watch.is_some(), (*rt).deaths.is_some());
        (watches, guards, seconds, (*rt).current, (*rt).serial)
    };
    if watches {
        return;
    }
    if is_interrupted() && PATIENCE.fetch_sub(1, Ordering::Relaxed) == 0 {
        stopping::stop_now(stopping::interrupted());
    }
    time_limit::check_time_limit();
    let slower = if guards { guard::FACTOR } else { 1.0 };
    let limit_us = (seconds * slower * 1e6) as i64;
    let is_over = |ticks: &AtomicU64| {
        (ticks.fetch_add(1, Ordering::Relaxed) + 1) as i64 * TICK_US >= limit_us
    };
    if SEEN_THREAD.swap(u64::from(thread.0), Ordering::Relaxed) != u64::from(thread.0) {
        TICKS_OF_THREAD.store(0, Ordering::Relaxed);
    }
    if SEEN_SERIAL.swap(serial, Ordering::Relaxed) != serial {
        TICKS.store(0, Ordering::Relaxed);
        if is_over(&TICKS_OF_THREAD) {
            let instruction = registers(context)[libc::REG_RIP as usize] as u64;
            // SAFETY: the runtime is installed; fibers do not look at this word, and the engine waits inside a step.
            unsafe { (*rt).stopped_at = instruction };
            stopping::stop_now(Stop::Incomplete(
                "step limit: a thread ran long while no other did".to_owned(),
            ));
        }
    } else if is_over(&TICKS)
        && !own_image::is_own(registers(context)[libc::REG_RIP as usize] as usize)
    {
        // Not from inside a hook, which may be in the middle of an allocation: a later tick will do.
        TICKS.store(0, Ordering::Relaxed);
        if posix().is_cancelled_anywhere() {
            crate::unsupported("a loop without events in a thread with asynchronous cancellation");
        }
        crate::endless::begin(context);
    }
}

/// Whether the interrupted code is about to go to a fiber, or came from one a moment ago: the way back to the engine
/// is not known yet, or has been taken.
fn is_on_engine_stack(context: *mut c_void) -> bool {
    let (start, end) = crate::runtime::engine_stack();
    (start..end).contains(&(registers(context)[libc::REG_RSP as usize] as usize))
}
