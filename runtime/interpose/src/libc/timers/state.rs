//! The timers, in the world, and the threads of the runtime's that wait for them.

use crate::engine;
use crate::world::{self, rolled_back, world};

/// Timers at once. The first is `ITIMER_REAL`; the others are numbered as `timer_create` tells. Those of
/// processor time come after them.
pub(super) const TIMERS: usize = 16;

/// Timers of processor time ([`super::processor`]).
pub(super) const OF_PROCESSOR: usize = 2;

/// `si_code` of signals that the kernel sends.
pub(super) const SI_KERNEL: i32 = 0x80;

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
    /// The timer counts, in a channel ([`super::descriptor`]).
    Count,
}

/// State of one timer. Times are in nanoseconds.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Timer {
    pub notice: Notice,
    pub armed: bool,
    /// Whether a thread of the runtime's waits for the timer.
    pub watched: bool,
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
    pub expired: i64,
    /// Number of times that a timer of processor time was armed or disarmed.
    pub armings: usize,
}

/// State of the timers that a restore takes back.
#[repr(C)]
pub struct State {
    timers: [Timer; TIMERS + OF_PROCESSOR],
}

rolled_back! {
    /// All timers: used in events that conflict with everything, or with all that use the timer.
    static STATE: RolledBack<State> = world::TIMERS
}

/// Returns the state of all timers.
pub(super) fn all() -> *mut State {
    STATE.get()
}

/// Returns the place of a timer; the number is below [`TIMERS`], or one of [`super::processor`]'s.
pub(super) fn timer(number: usize) -> *mut Timer {
    // SAFETY: address arithmetic in the world; the index is checked by the array.
    unsafe { &raw mut (*all()).timers[number] }
}

/// Notes that no thread waits for a timer any more.
pub(super) fn stop_watching(number: usize) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { (*timer(number)).watched = false };
}

/// Returns whether the program would have ended: at most its first thread is there, which has
/// returned.
pub(super) fn is_over() -> bool {
    // SAFETY: the states lie in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let live = unsafe { (*world()).engine.live.minus(&(*world()).engine.watchers) };
    live.iter().all(engine::stands_at_end)
}

/// Disarms a timer whose last descriptor was closed, in the step of an event on the channel.
pub fn was_closed(number: u8) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { (*timer(number.into())).armed = false };
}

/// Frees a timer whose channel is free, in an event on the table of descriptors.
pub fn is_free(number: u8) {
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event on
    // the table.
    unsafe { (*timer(number.into())).notice = Notice::Free };
}
