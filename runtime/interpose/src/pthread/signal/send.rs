//! `pthread_kill`, `raise`, `kill` and their kin.

use super::super::{existing, happens_before};
use super::deliver::{self, deliver};
use super::state::{bit, event, is_signal, note_pending, of, process, read_own, Sent};
use super::{late, read};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object, own_semaphore};
use crate::libc::channel::readers;
use crate::libc::{signals, time};
use crate::thread_mask::ThreadMask;
use crate::world::world;
use ::libc::{pid_t, pthread_t, sigval};
use core::ffi::c_int;
use dpor_model::{Argument, Kind, Operation, ThreadId};

crate::hooks::clean_entry::clean_entries! {
    pthread_kill, pthread_sigqueue, raise, kill, sigqueue
}

/// `si_code` of each way to send.
const SI_USER: c_int = 0;
const SI_QUEUE: c_int = -1;
const SI_TKILL: c_int = -6;

fn fail(error: c_int) -> c_int {
    // SAFETY: libc's errno of the running thread.
    unsafe { *::libc::__errno_location() = error };
    -1
}

/// `pthread_kill`: sends a signal to a thread, in an event on its pending signals.
pub extern "C" fn pthread_kill(thread: pthread_t, signal: c_int) -> c_int {
    if !engine::active() {
        let native = real!(pthread_kill: fn(pthread_t, c_int) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, signal) };
    }
    to_thread(thread, signal, SI_TKILL, 0)
}

/// `pthread_sigqueue`: as [`pthread_kill`], with a value.
pub extern "C" fn pthread_sigqueue(thread: pthread_t, signal: c_int, value: sigval) -> c_int {
    if !engine::active() {
        let native = real!(pthread_sigqueue: fn(pthread_t, c_int, sigval) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, signal, value) };
    }
    to_thread(thread, signal, SI_QUEUE, value.sival_ptr as usize)
}

/// `raise`: sends a signal to the calling thread.
pub extern "C" fn raise(signal: c_int) -> c_int {
    if !engine::active() {
        let native = real!(raise: fn(c_int) -> c_int);
        // SAFETY: the call takes numbers only, and asks nothing of its caller.
        return unsafe { native(signal) };
    }
    let me = engine::pthread_of(engine::thread());
    match to_thread(me, signal, SI_TKILL, 0) {
        0 => 0,
        error => fail(error),
    }
}

/// `kill`: sends a signal to the own process; another one is unsupported.
pub extern "C" fn kill(target: pid_t, signal: c_int) -> c_int {
    if !engine::active() {
        let native = real!(kill: fn(pid_t, c_int) -> c_int);
        // SAFETY: the call takes numbers only, and asks nothing of its caller.
        return unsafe { native(target, signal) };
    }
    to_process(target, signal, SI_USER, 0)
}

/// `sigqueue`: as [`kill`], with a value.
pub extern "C" fn sigqueue(target: pid_t, signal: c_int, value: sigval) -> c_int {
    if !engine::active() {
        let native = real!(sigqueue: fn(pid_t, c_int, sigval) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(target, signal, value) };
    }
    to_process(target, signal, SI_QUEUE, value.sival_ptr as usize)
}

fn to_thread(target: pthread_t, signal: c_int, code: c_int, value: usize) -> c_int {
    let Some(number) = existing::existing(target) else {
        return gone();
    };
    if signal != 0 && !is_signal(signal) {
        return ::libc::EINVAL;
    }
    if signal == 0 {
        return 0;
    }
    let object = object::signals(number);
    let is_event = match number == engine::thread() {
        true => learned_events::is_signalled(number),
        false => learned_events::learn_signalled(number),
    };
    if read::is_used() {
        engine::perform(engine::operation(Kind::Opaque));
    } else if is_event {
        event(Kind::SharedWrite, object);
    }
    if is_event && existing::existing(target).is_none() {
        return gone();
    }
    if number != engine::thread() && read::is_used() && takes(number, signal) {
        read::taken_at_once(signal);
    }
    let sent = Sent {
        signal,
        code,
        value,
        time: 0,
        timer: 0,
        to_process: false,
    };
    add(number, sent);
    0
}

fn gone() -> c_int {
    let error = existing::misuse::<()>(
        "a signal to a thread that was already joined, or that never existed",
        ::libc::ESRCH,
    );
    error.err().unwrap_or(0)
}

/// Makes a signal pending for a thread, after an event that conflicts with its looks.
fn add(target: ThreadId, sent: Sent) {
    happens_before::release(object::signals(target));
    // SAFETY: no borrow of the entry is alive.
    let wakes = unsafe {
        (*of(target)).pending.add(sent);
        (*of(target)).waiting & bit(sent.signal) != 0
    };
    note_pending(target);
    if read::is_used() {
        readers::sent(sent.signal, Some(target));
    }
    if target == engine::thread() {
        deliver();
    } else if wakes {
        engine::perform(own_semaphore::post(object::signal_wait(target)));
    } else {
        late::sent(target, sent.signal);
    }
}

/// Returns whether the first thread's function returned, and the process would have ended.
fn has_returned(thread: ThreadId) -> bool {
    engine::stands_at_end(thread)
}

/// Returns whether a thread would take a signal now, because it does not block it, or waits for it.
fn takes(thread: ThreadId, signal: c_int) -> bool {
    // SAFETY: the entries lie in the world, which is mapped; the caller is in the step of an event
    // that conflicts with everything.
    let (waiting, mask) = unsafe { ((*of(thread)).waiting, *signals::mask_of(thread)) };
    let is_there = !engine::has_finished(thread) && !has_returned(thread);
    is_there && (waiting | !mask) & bit(signal) != 0
}

/// Returns the threads that would take a signal to the process now.
fn takers(signal: c_int) -> ThreadMask {
    // SAFETY: the world is mapped; a plain read.
    let live = unsafe { (*world()).engine.live };
    live.iter()
        .filter(|&thread| takes(thread, signal))
        .collect()
}

fn to_process(target: pid_t, signal: c_int, code: c_int, value: usize) -> c_int {
    // SAFETY: the call takes numbers only, and asks nothing of its caller.
    if target != unsafe { ::libc::getpid() } {
        engine::unsupported("a signal to another process");
    }
    if signal == 0 {
        return 0;
    }
    if !is_signal(signal) {
        return fail(::libc::EINVAL);
    }
    learned_events::learn(EventCause::ProcessSignals);
    engine::perform(engine::operation(Kind::Opaque));
    let sent = Sent {
        signal,
        code,
        value,
        time: 0,
        timer: 0,
        to_process: true,
    };
    distribute(sent, true);
    0
}

/// Lets somebody get a signal to the process, after an event that conflicts with everything.
/// `ends`: it may be the end of the process.
///
/// Who takes it depends on where everybody stands. The choice lies between two looks at that: any who takes
/// it at the second will do.
fn distribute(sent: Sent, ends: bool) {
    let count = takers(sent.signal).len();
    let mut nth = 0;
    if count > 1 {
        let choice = Operation {
            argument: Argument::choices(u64::from(count)),
            ..engine::operation(Kind::Choose)
        };
        nth = engine::perform(choice).alternative;
        engine::perform(engine::operation(Kind::Opaque));
    }
    give(sent, nth, ends);
}

/// A signal that a timer sends.
pub struct Expired {
    /// Number of the signal, 1 to 64.
    pub signal: c_int,
    /// `si_code`.
    pub code: c_int,
    /// `si_value`.
    pub value: usize,
    /// The number of a timer that `timer_create` made, or 0.
    pub timer: u32,
}

/// Returns whether a signal to the process does anything but end it. After an event that conflicts
/// with everything.
pub fn is_noticed(signal: c_int) -> bool {
    let takers = takers(signal);
    let by_default = signals::action_of(signal).handler == ::libc::SIG_DFL;
    let ends = by_default && !takers.is_empty() && waiters(takers, signal).is_empty();
    !signals::is_ignored(signal) && !ends
}

/// The state in which a signal is pending.
pub enum Pending {
    /// The signal is pending for a thread that does not block it.
    Deliverable,
    /// The signal is pending for the process, or for threads that block it.
    Blocked,
}

/// Returns how a signal is pending, if it is pending for anybody. After an event that conflicts
/// with everything.
pub fn pending(signal: c_int) -> Option<Pending> {
    // SAFETY: the queue lies in the world, which is mapped; the caller is in the step of an event
    // that conflicts with everything.
    let mut found = match unsafe { (*process()).set() } & bit(signal) {
        0 => None,
        _ => Some(Pending::Blocked),
    };
    // SAFETY: the world is mapped; a plain read.
    let live = unsafe { (*world()).engine.live };
    for thread in live.iter() {
        // SAFETY: the entries lie in the world; the caller is in the step of an event that
        // conflicts with everything, so no other fiber runs.
        let (pending, mask) = unsafe { ((*of(thread)).pending.set(), *signals::mask_of(thread)) };
        if pending & bit(signal) == 0 {
            continue;
        }
        if mask & bit(signal) == 0 {
            return Some(Pending::Deliverable);
        }
        found = Some(Pending::Blocked);
    }
    found
}

/// Sends a timer's signal to the process. After an event that conflicts with everything.
pub fn expired(expired: Expired) {
    learned_events::learn(EventCause::ProcessSignals);
    let sent = Sent {
        signal: expired.signal,
        code: expired.code,
        value: expired.value,
        time: time::own_time(),
        timer: expired.timer,
        to_process: true,
    };
    distribute(sent, false);
}

/// Gives a signal to the process to the `nth` of those that take it now.
fn give(sent: Sent, nth: u32, ends: bool) {
    let all = takers(sent.signal);
    if !signals::is_ignored(sent.signal) && !is_noticed(sent.signal) {
        // Whoever gets it, it ends the process.
        match ends {
            true => deliver::end(sent.signal),
            false => return,
        }
    }
    for thread in all.iter() {
        if thread != engine::thread() {
            learned_events::learn_signalled(thread);
        }
    }
    if all.is_empty() {
        happens_before::release(object::PROCESS_SIGNALS);
        // SAFETY: no borrow of it is alive.
        unsafe { (*process()).add(sent) };
        if read::is_used() {
            readers::sent(sent.signal, None);
        }
        return;
    }
    if read::is_used() {
        read::taken_at_once(sent.signal);
    }
    let taker = all.iter().nth((nth % all.len()) as usize);
    add(taker.expect("there are some"), sent);
    read_own();
}

/// Returns those of `threads` that wait for `signal`.
fn waiters(threads: ThreadMask, signal: c_int) -> ThreadMask {
    // SAFETY: the entries lie in the world; the caller is in the step of an event that conflicts
    // with everything, so no other fiber runs.
    let waits = |thread: &ThreadId| unsafe { (*of(*thread)).waiting & bit(signal) != 0 };
    threads.iter().filter(waits).collect()
}
