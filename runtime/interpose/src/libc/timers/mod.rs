//! Timers: `alarm`, `setitimer`, `timer_create`, `timerfd_create`.
//!
//! Time is virtual ([`super::time`]), so no moment comes at which a timer expires. It is like a call with a
//! time limit (docs/decisions/0025): it expires where no thread of the program can go on, or
//! early (`--timeouts`); with `--timeouts=all` at any moment, and one with an interval expires again where none can go on.
//!
//! Who sends the signal, or counts, is a thread of the runtime's own, one for each timer that is armed. It waits for
//! nothing, with a limit, so that it gives up where nothing else can go on. It ends when it finds its timer
//! disarmed, or the program over. Nobody can name it, it is no part of reports, and it blocks all signals.
//!
//! A signal that would only end the process is a watchdog's, and is not sent, as if time were short.
//!
//! | part | what |
//! |---|---|
//! | [`call`] | the system calls |
//! | [`descriptor`] | timers that are read |
//! | [`processor`] | timers of processor time |
//! | [`at_root`] | timers that were set before the root |
//!
//! Source: POSIX.1-2017 `alarm`, `setitimer`, `timer_create`, `timer_settime`.

pub mod at_root;
pub mod call;
pub mod descriptor;
pub mod processor;

use super::{channel, time};
use crate::engine::{self, early, object, own_semaphore};
use crate::pthread::signal::interrupt;
use crate::pthread::signal::send::{self, Expired, Pending};
use crate::pthread::thread;
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back, world};
use core::ffi::c_void;
use core::ptr;
use dpor_explorer::program::{Kind, Operation, AGAIN};

/// Timers at once. The first is `ITIMER_REAL`; the others are numbered as `timer_create` tells. Those of
/// processor time come after them.
const TIMERS: usize = 16;

/// `si_code` of signals that the kernel sends.
const SI_KERNEL: i32 = 0x80;

/// What a timer does when it expires.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Notice {
    /// No timer has this number. (The state is all-zero at first.)
    Free = 0,
    /// The timer sends a signal.
    Signal,
    /// The timer says nothing.
    None,
    /// The timer counts, in a channel ([`descriptor`]).
    Count,
}

/// State of one timer. Times are in nanoseconds.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Timer {
    pub notice: Notice,
    pub armed: bool,
    /// Whether a thread of the runtime's waits for the timer.
    watched: bool,
    pub clock: i32,
    pub signal: i32,
    /// `si_code`.
    pub code: i32,
    /// `si_value`.
    pub value: usize,
    /// Time at which the timer expires, on its clock.
    pub deadline: i64,
    /// Time between two expirations; 0: the timer expires once.
    pub interval: i64,
    /// Time that the thread which waits for the timer added when the timer expired last.
    expired: i64,
    /// Number of times that a timer of processor time was armed or disarmed.
    pub armings: usize,
}

/// State of the timers that a restore takes back.
#[repr(C)]
pub struct State {
    timers: [Timer; TIMERS + processor::COUNT],
    /// Threads of the runtime's.
    watchers: ThreadMask,
}

rolled_back! {
    /// All timers: used in events that conflict with everything, or with all that use the timer.
    static STATE: RolledBack<State> = world::TIMERS
}

fn all() -> *mut State {
    STATE.get()
}

/// Returns the place of a timer; the number is below [`TIMERS`], or one of [`processor`]'s.
pub(super) fn timer(number: usize) -> *mut Timer {
    // SAFETY: address arithmetic in the world; the index is checked by the array.
    unsafe { &raw mut (*all()).timers[number] }
}

/// Returns the time until a timer expires; 0: it is not armed.
pub(super) fn remaining(number: usize) -> i64 {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let timer = unsafe { *timer(number) };
    // What is late has not expired, unless nobody hears of that.
    let least = if timer.notice == Notice::Signal {
        1_000
    } else {
        0
    };
    match timer.armed {
        true if number >= TIMERS => timer.deadline,
        true => (timer.deadline - time::now(timer.clock)).max(least),
        false => 0,
    }
}

/// Arms a timer, or disarms it if `deadline` is `None`.
pub(super) fn set(number: usize, deadline: Option<i64>, interval: i64) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        let timer = timer(number);
        (*timer).armed = deadline.is_some();
        (*timer).deadline = deadline.unwrap_or(0);
        (*timer).interval = interval;
    }
    start_watching(number);
}

/// If a timer is armed, somebody waits for it.
fn start_watching(number: usize) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let watch = unsafe {
        let timer = timer(number);
        let watch = (*timer).armed && !(*timer).watched && (*timer).notice != Notice::None;
        (*timer).watched |= watch;
        watch
    };
    if watch {
        early::note_call();
        let watcher = thread::begin_hidden(watch_timer, number);
        // SAFETY: the state lies in the world, which is mapped; the thread that is noted has not
        // begun, and no other fiber runs.
        unsafe { (*all()).watchers.insert(watcher) };
    }
}

/// Body of the thread that waits for a timer.
unsafe extern "C" fn watch_timer(number: *mut c_void) -> *mut c_void {
    let number = number as usize;
    let mut expired = false;
    loop {
        if comes_early(number, expired) {
            engine::perform(engine::operation(Kind::Opaque));
        } else {
            // There is nobody to post, so this gives up, and conflicts with everything.
            let wait = Operation {
                timed: true,
                again: early::is_possible(),
                ..own_semaphore::wait(object::timer(number))
            };
            while engine::perform(wait).alternative == AGAIN {
                if matters(number) && early::happens_again() {
                    engine::perform(engine::operation(Kind::Opaque));
                    break;
                }
            }
        }
        let then = match engine::is_ending() || is_over() {
            true => Then::End,
            false => expire(number),
        };
        match then {
            Then::Wait => expired = true,
            Then::Waste => interrupt::waste(|| {
                engine::perform(own_semaphore::wait(object::timer(number)));
            }),
            Then::End => {
                stop_watching(number);
                return leave();
            }
            Then::Leave => return leave(),
        }
    }
}

/// Returns whether a timer expires at any moment, not only where nothing else can go on. `expired`:
/// it did so before.
fn comes_early(number: usize, expired: bool) -> bool {
    if early::always() {
        return !expired;
    }
    matters(number) && early::happens()
}

/// Returns whether a timer may expire early: a watchdog that ends the process comes where nothing
/// else does.
fn matters(number: usize) -> bool {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let timer = unsafe { *timer(number) };
    timer.notice != Notice::Signal || send::is_noticed(timer.signal)
}

/// What the thread that waits for a timer does then.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The thread waits until the timer expires again.
    Wait,
    /// The thread ends: the last signal has not arrived yet, and there is another execution in
    /// which it has.
    Waste,
    /// The thread ends: nobody needs to wait, until the timer is armed or its signal is taken.
    End,
    /// The thread ends, and said so already ([`stop_watching`]).
    Leave,
}

/// Notes that no thread waits for a timer any more.
fn stop_watching(number: usize) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { (*timer(number)).watched = false };
}

/// Ends the running thread, which waited for a timer.
fn leave() -> *mut c_void {
    // SAFETY: the state lies in the world, which is mapped; the running thread removes itself, and
    // no other fiber runs.
    unsafe { (*all()).watchers.remove(engine::thread()) };
    ptr::null_mut()
}

/// Returns whether the program would have ended: at most its first thread is there, which has
/// returned.
fn is_over() -> bool {
    // SAFETY: the states lie in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let live = unsafe { (*world()).engine.live.minus(&(*all()).watchers) };
    live.iter().all(engine::stands_at_end)
}

/// Lets the timer expire, if it is armed, and returns what its thread does then.
fn expire(number: usize) -> Then {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    if unsafe { (*timer(number)).notice } == Notice::Count {
        return match channel::of_timer(number) {
            Some(channel) => descriptor::expire(number, channel),
            None => Then::End,
        };
    }
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let expired = unsafe {
        let timer = timer(number);
        if !(*timer).armed || !send::is_noticed((*timer).signal) {
            return Then::End;
        }
        match send::pending((*timer).signal) {
            None => {}
            Some(Pending::Deliverable) => return Then::Waste,
            Some(Pending::Blocked) => return Then::End,
        }
        (*timer).armed = (*timer).interval > 0;
        (*timer).deadline += (*timer).interval;
        let late = (*timer).deadline - (*timer).interval - time::now((*timer).clock);
        time::slept(late);
        *timer
    };
    send::expired(Expired {
        signal: expired.signal,
        code: expired.code,
        value: expired.value,
        timer: number as u32,
    });
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    match unsafe { (*timer(number)).armed } {
        true => Then::Wait,
        false => Then::End,
    }
}

/// Returns whether a timer is armed whose signal would be noticed. To be called while no fiber
/// runs.
pub fn may_interrupt() -> bool {
    let may_expire = |number| {
        // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
        // fiber runs.
        let timer = unsafe { *timer(number) };
        timer.notice == Notice::Signal && timer.armed && send::is_noticed(timer.signal)
    };
    (0..TIMERS + processor::COUNT).any(may_expire)
}

/// Notes that the running thread took a signal that was pending: timers that send it may expire
/// again.
pub fn signal_taken(signal: i32) {
    for number in 0..TIMERS {
        // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
        // fiber runs.
        let timer = unsafe { *timer(number) };
        if timer.notice == Notice::Signal && timer.signal == signal {
            start_watching(number);
        }
    }
}

/// Returns the threads that wait for timers, which are the runtime's.
pub fn watchers() -> ThreadMask {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    unsafe { (*all()).watchers }
}
