//! The threads of the runtime's that wait for timers, one for each that is armed, and what they do when it expires.

use super::state::{is_over, stop_watching, timer, Notice, OF_PROCESSOR, TIMERS};
use crate::engine::{self, early, object, own_semaphore};
use crate::libc::{channel, time};
use crate::pthread::signal::interrupt;
use crate::pthread::signal::send::{self, Expired, Pending};
use crate::pthread::thread;
use crate::scoped_cell::ScopedCell;
use crate::world::world;
use core::ffi::c_void;
use core::ptr;
use dpor_model::{Kind, Operation, AGAIN};

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
        unsafe { (*world()).engine.watchers.insert(watcher) };
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

/// Ends the running thread, which waited for a timer.
fn leave() -> *mut c_void {
    // SAFETY: the state lies in the world, which is mapped; the running thread removes itself, and
    // no other fiber runs.
    unsafe { (*world()).engine.watchers.remove(engine::thread()) };
    ptr::null_mut()
}

/// Lets the timer expire, if it is armed, and returns what its thread does then.
fn expire(number: usize) -> Then {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    if unsafe { (*timer(number)).notice } == Notice::Count {
        return match channel::of_timer(number) {
            Some(channel) => expire_count(number, channel),
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

/// Lets a timer that counts expire, if it is armed; the channel is that of its descriptors.
fn expire_count(number: usize, channel: usize) -> Then {
    channel::wait(channel, 0);
    // SAFETY: the state lies in the world, and is reached through `timer` only; whoever changes it
    // makes an event that conflicts with the one above.
    let timer = unsafe { ScopedCell::at(timer(number)) };
    let (armed, deadline, clock) = timer.look(|timer| (timer.armed, timer.deadline, timer.clock));
    let is_its = usize::from(channel::channel(channel).timer) == number;
    // Whoever reads it sees to it that somebody waits again.
    if !is_its || !armed || channel::channel(channel).count > 0 {
        return Then::End;
    }
    time::slept(deadline - time::now(clock));
    let expired = time::own_time();
    let again = timer.change(|timer| {
        timer.armed = timer.interval > 0;
        timer.deadline += timer.interval;
        timer.expired = expired;
        timer.armed
    });
    if !again {
        // It may be armed again in the midst of what follows.
        stop_watching(number);
    }
    channel::expire(channel);
    match again {
        true => Then::Wait,
        false => Then::Leave,
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
    (0..TIMERS + OF_PROCESSOR).any(may_expire)
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

/// Notes that the count was read, in the step of an event on the channel.
pub fn was_read(number: u8) {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    time::advance(unsafe { (*timer(number.into())).expired });
    start_watching(number.into());
}
