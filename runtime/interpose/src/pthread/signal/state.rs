//! What is pending for whom, and how threads wait for signals, in the world.

use super::super::happens_before;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object};
use crate::libc::{signals, time};
use crate::world::{self, rolled_back, world, THREADS_MAX};
use core::ffi::c_int;
use dpor_machine::sys;
use dpor_model::{Kind, ObjectId, Operation, ThreadId};

/// Signals pending at once, for one thread or for the process.
const PENDING_MAX: usize = 16;

/// Signals that faults have.
const OF_FAULTS: [c_int; 6] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGILL,
    ::libc::SIGTRAP,
    ::libc::SIGFPE,
    ::libc::SIGSYS,
];

/// A signal that was sent.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub signal: c_int,
    /// `si_code`.
    pub code: c_int,
    /// `si_value`.
    pub value: usize,
    /// The time of the timer that sent it ([`time::own_time`]); otherwise 0.
    pub time: i64,
    /// The number of that timer, if `timer_create` made it.
    pub timer: u32,
    /// Whether the signal was sent to the process, not to a thread.
    pub to_process: bool,
}

/// Signals that are pending, in the order in which they were sent.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Queue {
    pub(super) count: usize,
    pub(super) sent: [Sent; PENDING_MAX],
}

impl Queue {
    /// Adds a signal to those that are pending; one that is no real-time signal is pending once.
    pub(super) fn add(&mut self, sent: Sent) {
        let known = self.sent[..self.count]
            .iter()
            .any(|other| other.signal == sent.signal);
        if known && sent.signal < ::libc::SIGRTMIN() {
            return;
        }
        if self.count == PENDING_MAX {
            engine::unsupported("more than 16 pending signals");
        }
        self.sent[self.count] = sent;
        self.count += 1;
    }

    /// Takes out, for the running thread, the signal with the lowest number among those in `set`,
    /// the oldest of that number. Signals that faults have come first (`next_signal` in
    /// `kernel/signal.c` of Linux).
    pub(super) fn take(&mut self, set: u64) -> Option<Sent> {
        let in_set = (0..self.count).filter(|&at| set & bit(self.sent[at].signal) != 0);
        let at = in_set.min_by_key(|&at| {
            let signal = self.sent[at].signal;
            (!OF_FAULTS.contains(&signal), signal)
        })?;
        let taken = self.sent[at];
        self.sent.copy_within(at + 1..self.count, at);
        self.count -= 1;
        time::advance(taken.time);
        Some(taken)
    }

    pub(super) fn set(&self) -> u64 {
        let sent = self.sent[..self.count].iter();
        sent.fold(0, |set, sent| set | bit(sent.signal))
    }
}

/// The meaning of a thread's giving up.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// The time limit of the wait is over.
    No,
    /// The thread awaits a signal.
    Only,
    /// Either the time limit is over, or the thread awaits a signal: the search chooses.
    Either,
}

/// Signals of one thread: what is pending, and how the thread waits.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Thread {
    pub(super) pending: Queue,
    /// Set of the signals that end the wait in which the thread stands.
    pub(super) waiting: u64,
    /// Number of handlers that ran on the thread; where states are remembered, 1 if one ran since the thread's last wait
    /// for one began.
    pub(super) handled: u64,
    /// Whether the thread does not look for signals now.
    pub(super) quiet: bool,
    /// Whether the thread waits with another mask, so that what that mask lets in ends the wait.
    pub(super) masked: bool,
    /// Whether the thread is a timer's that expired although its last signal had not arrived yet.
    pub(super) wasted: bool,
    /// The meaning of the thread's giving up its wait.
    pub(super) look: Look,
    /// Whether the thread stands in a wait in which no late signal reaches it.
    pub(super) misses_late_signals: bool,
    /// Kind (`Kind as u8`) of the operation that the thread gave up, to await a signal that only a
    /// time-out leads to.
    pub(super) awaits_in: u8,
    /// Whether the operation that the thread gave up has a time limit.
    pub(super) awaits_limited: bool,
    /// One more than the number of time-outs when the thread began to await a signal; 0: it awaits
    /// none.
    pub(super) awaits: u64,
    /// Number of time-outs when the thread last looked for signals.
    pub(super) time_outs: u64,
    /// Number of handlers that the thread is inside of; those left by a jump count on.
    pub(super) depth: u32,
}

/// Signals that are pending, of all threads and of the process. All zero at first.
#[repr(C)]
pub(crate) struct State {
    threads: [Thread; THREADS_MAX],
    process: Queue,
}

/// Returns the bit of a signal in a set as the kernel has it.
pub(in crate::pthread) fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// Returns whether `signal` is the number of a signal, 1 to 64.
pub(super) fn is_signal(signal: c_int) -> bool {
    (1..=64).contains(&signal)
}

rolled_back!(static STATE: RolledBack<State> = world::PENDING_SIGNALS);

fn state() -> *mut State {
    STATE.get()
}

/// Entries are written by their thread after a read of its object, and by others after a write of it.
pub(super) fn of(thread: ThreadId) -> *mut Thread {
    // SAFETY: the world is mapped; the index is checked by the array.
    unsafe { &raw mut (*state()).threads[usize::from(thread.0)] }
}

pub(super) fn process() -> *mut Queue {
    // SAFETY: the world is mapped before any of the program's code runs; only a pointer is made.
    unsafe { &raw mut (*state()).process }
}

pub(super) fn event(kind: Kind, object: ObjectId) {
    engine::perform(Operation {
        object,
        ..engine::operation(kind)
    });
}

/// Performs the event in which the running thread reads what is pending for it, if others send it
/// signals.
pub(super) fn read_own() {
    let me = engine::thread();
    if learned_events::is_signalled(me) {
        event(Kind::SharedRead, object::signals(me));
        // SAFETY: the entry in the world is the running thread's own. A page that is not written
        // need not be restored.
        unsafe {
            let time_outs = (*world()).engine.time_outs;
            if (*of(me)).time_outs != time_outs {
                (*of(me)).time_outs = time_outs;
            }
        }
    }
}

/// Takes, for the running thread, a signal of `set` from those that are pending for the process.
pub(super) fn take_from_process(set: u64) -> Option<Sent> {
    if !learned_events::knows(EventCause::ProcessSignals) {
        return None;
    }
    event(Kind::SharedWrite, object::PROCESS_SIGNALS);
    happens_before::acquire(object::PROCESS_SIGNALS);
    // SAFETY: no borrow of it is alive.
    unsafe { (*process()).take(set) }
}

/// Signals that are pending when the exploration begins are the kernel's.
pub(crate) fn at_root() {
    let mut pending = 0u64;
    // SAFETY: asks only; the set is writable.
    unsafe {
        let place = &raw mut pending as usize;
        sys::call3(::libc::SYS_rt_sigpending, place, size_of::<u64>(), 0);
    }
    if pending != 0 {
        engine::unsupported("signals that are pending when the second thread is created");
    }
}

/// Returns whether the mask of the running thread may change otherwise than by
/// [`super::wait::pthread_sigmask`], which also lets in what is pending for the process.
pub fn is_mask_free() -> bool {
    !learned_events::knows(EventCause::ProcessSignals)
}

/// Notes that the pending signals of `thread` changed.
pub(super) fn note_pending(thread: ThreadId) {
    // SAFETY: no borrow of it is alive; the world is mapped.
    unsafe {
        let any = (*of(thread)).pending.count > 0;
        (*world()).engine.signals.put(thread, any);
    }
}

/// Gives `child`, which the running thread created, the creator's mask and no pending signals.
pub(in crate::pthread) fn inherit(child: ThreadId, mask: Option<u64>) {
    let inherited = signals::mask_of(engine::thread());
    let own = signals::mask_of(child);
    // SAFETY: both entries lie in the world, which is mapped; the child has not begun. What is zero
    // is not written, as that would make its page one to be restored.
    unsafe {
        let mask = mask.unwrap_or(*inherited);
        if *own != mask {
            *own = mask;
        }
        let thread = of(child);
        let has_words = (*thread).handled != 0 || (*thread).waiting != 0 || (*thread).depth != 0;
        let has_flags = (*thread).quiet || (*thread).masked || (*thread).wasted;
        if (*thread).pending.count != 0 || has_words || has_flags {
            thread.write(core::mem::zeroed());
            note_pending(child);
        }
        // Nothing can have come late for it.
        let time_outs = (*world()).engine.time_outs;
        if (*thread).time_outs != time_outs {
            (*thread).time_outs = time_outs;
        }
    }
}

/// Returns whether the running thread is inside of a handler.
pub fn is_in_handler() -> bool {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    engine::active() && unsafe { (*of(engine::thread())).depth > 0 }
}

/// Returns whether a timer expired before its last signal arrived. In another execution that has
/// arrived.
pub fn has_wasted(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    unsafe { (*of(thread)).wasted }
}

/// Returns whether a thread that waits for something else would run a handler, or end the process,
/// instead.
pub fn is_stuck(thread: ThreadId) -> bool {
    // SAFETY: the entries lie in the world, which is mapped; these are plain reads while no fiber
    // runs.
    let deliverable = unsafe { (*of(thread)).pending.set() & !*signals::mask_of(thread) };
    (1..=64).any(|signal| deliverable & bit(signal) != 0 && !signals::is_ignored(signal))
}

/// Returns whether a signal is pending that the thread does not block and that does something.
pub(super) fn is_there(thread: ThreadId) -> bool {
    // SAFETY: the running thread's own entries, after an event in which it looked.
    let deliverable = unsafe { (*of(thread)).pending.set() & !*signals::mask_of(thread) };
    (1..=64).any(|signal| deliverable & bit(signal) != 0 && !signals::is_ignored(signal))
}

/// Runs `act`, during which the running thread does not look for signals.
pub(super) fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let me = engine::thread();
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*of(me)).quiet = true };
    let result = act();
    // SAFETY: the entry in the world is the running thread's own.
    unsafe { (*of(me)).quiet = false };
    result
}
