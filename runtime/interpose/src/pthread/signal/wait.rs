//! Masks, and waits for signals: `pthread_sigmask`, `sigpending`, `sigwait`, `sigtimedwait`,
//! `sigsuspend`, `pause`.
//!
//! A thread that waits leaves word of what for, in the event in which it finds that nothing of it is
//! pending, and blocks until there is a post. Whoever sends it such a signal after that event posts. A
//! post may be left from an earlier wait: then the thread looks once more.

use super::super::cancel::{self, Outcome, Wait};
use super::super::timed::{Deadline, Patience};
use super::super::{happens_before, late_cancellation};
use super::deliver::{deliver, look, unblocked, Information};
use super::state::{event, note_pending, of, process, read_own, take_from_process, Sent};
use crate::engine::given::concerns;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, early, object, own_semaphore};
use crate::hooks::options::is_by_states;
use crate::libc::signals;
use crate::world::world;
use ::libc::{siginfo_t, sigset_t, timespec};
use core::ffi::{c_int, c_void};
use core::ptr;
use dpor_model::{Kind, Operation, TIMEOUT};

crate::hooks::clean_entry::clean_entries! {
    pthread_sigmask, sigprocmask, sigpending
}

const SET_BYTES: usize = 8;

fn failed(error: c_int) -> Outcome {
    // SAFETY: libc's errno of the running thread.
    unsafe { *::libc::__errno_location() = error };
    Outcome::result(-1)
}

/// Returns the set that glibc's functions are given; only its first word counts.
unsafe fn set_of(set: *const sigset_t) -> u64 {
    // SAFETY: `set` points to the program's set, of at least one word, as this function's caller
    // guarantees.
    unsafe { set.cast::<u64>().read() }
}

/// `pthread_sigmask`: changes the running thread's mask; what it lets in arrives at once.
///
/// # Safety
/// `set` and `old` are null or point to sets, the latter writable.
pub unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    if !engine::active() {
        let native = real!(pthread_sigmask: fn(c_int, *const sigset_t, *mut sigset_t) -> c_int);
        // SAFETY: the function called gets the program's pointers as they came, and asks no more of
        // them than this one.
        return unsafe { native(how, set, old) };
    }
    if !set.is_null() {
        // The handler of a signal that is blocked from here on may run just before.
        arrive_before();
    }
    // SAFETY: `set` and `old` are null or the program's, as this function's caller guarantees;
    // glibc writes the whole of the old one, of which the rest is zero.
    let error = unsafe {
        if !old.is_null() {
            old.cast::<u8>().write_bytes(0, SET_BYTES);
        }
        signals::mask(how as usize, set as usize, old as usize)
    };
    if error == 0 && !set.is_null() && may_be_pending() {
        unblocked();
    }
    -error as c_int
}

/// Returns whether a signal may be pending that the running thread's new mask lets in.
fn may_be_pending() -> bool {
    let me = engine::thread();
    // SAFETY: the world is mapped; this is a plain read, and no other fiber runs.
    let own = unsafe { (*world()).engine.signals.contains(me) };
    own || learned_events::is_signalled(me) || learned_events::knows(EventCause::ProcessSignals)
}

/// `sigprocmask`: as `pthread_sigmask`, for a program of one thread.
///
/// # Safety
/// `set` and `old` are null or point to sets, the latter writable.
pub unsafe extern "C" fn sigprocmask(
    how: c_int,
    set: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    if !engine::active() {
        let native = real!(sigprocmask: fn(c_int, *const sigset_t, *mut sigset_t) -> c_int);
        // SAFETY: the function called gets the program's pointers as they came, and asks no more of
        // them than this one.
        return unsafe { native(how, set, old) };
    }
    // SAFETY: the function called gets the program's pointers as they came, and asks no more of
    // them than this one.
    match unsafe { pthread_sigmask(how, set, old) } {
        0 => 0,
        error => {
            failed(error);
            -1
        }
    }
}

/// `sigpending`: the signals that are pending for the running thread or for the process.
///
/// # Safety
/// `set` is writable for a set.
pub unsafe extern "C" fn sigpending(set: *mut sigset_t) -> c_int {
    if !engine::active() {
        let native = real!(sigpending: fn(*mut sigset_t) -> c_int);
        // SAFETY: libc's function gets the program's set as it came, and asks no more of it than
        // this one.
        return unsafe { native(set) };
    }
    read_own();
    // SAFETY: the queue in the world is the running thread's own; whoever sends makes an event that
    // conflicts with the one above.
    let own = unsafe { (*of(engine::thread())).pending.set() };
    let mut all = own;
    if learned_events::knows(EventCause::ProcessSignals) {
        event(Kind::SharedRead, object::PROCESS_SIGNALS);
        // SAFETY: the queue lies in the world; no other fiber runs since the event on it.
        all |= unsafe { (*process()).set() };
    }
    // SAFETY: `set` is the program's place for a set, as POSIX asks of its caller.
    unsafe { set.cast::<u64>().write(all) };
    0
}

/// The way in which a wait for one of a set of signals ends.
enum Ended {
    With(Sent),
    /// A handler ran, of a signal that is not in the set.
    Interrupted,
    /// The time is over.
    Late,
    /// The thread is to leave.
    Leave,
}

/// Begins a turn of the running thread's wait for signals. True: it leaves. `by_request`: a request
/// ends the turn.
fn begin(by_request: bool) -> bool {
    if !by_request {
        return cancel::begin_blocking();
    }
    let leaves = cancel::begin_wait(Wait::Post(object::signal_wait(engine::thread())));
    if leaves {
        read_own();
        set_waiting(0);
        cancel::leave_wait();
    }
    leaves
}

/// Ends a turn of a wait for signals.
fn end(by_request: bool) {
    match by_request {
        true => {
            cancel::end_wait();
        }
        false => cancel::end_blocking(),
    }
}

/// Waits for one of a set, as long as `patience` says.
fn wait_for(set: u64, patience: Option<Patience>) -> Ended {
    let me = engine::thread();
    loop {
        let by_request = late_cancellation::ends_waits();
        if begin(by_request) {
            return Ended::Leave;
        }
        read_own();
        // SAFETY: the queue and the mask in the world are the running thread's own; whoever sends
        // makes an event that conflicts with the one above.
        let (taken, open) = unsafe { ((*of(me)).pending.take(set), !*signals::mask_of(me)) };
        note_pending(me);
        set_waiting(if taken.is_some() { 0 } else { set | open });
        let taken = taken.or_else(|| {
            let taken = take_from_process(set)?;
            read_own();
            set_waiting(0);
            Some(taken)
        });
        if let Some(taken) = taken {
            happens_before::acquire(object::signals(me));
            end(by_request);
            (concerns().signal_taken)(taken.signal);
            return Ended::With(taken);
        }
        if deliver().is_some() {
            set_waiting(0);
            end(by_request);
            return Ended::Interrupted;
        }
        let gives_up = match patience {
            Some(Patience::Any) => true,
            Some(Patience::Long) if early::happens() => true,
            patience => wait_for_post(patience.is_some()),
        };
        end(by_request);
        if gives_up {
            read_own();
            set_waiting(0);
            return Ended::Late;
        }
    }
}

/// Waits until somebody sends what ends the wait. `timed`: the thread gives up where nothing else can go
/// on. Whether it did.
fn wait_for_post(timed: bool) -> bool {
    let wait = Operation {
        timed,
        ..own_semaphore::wait(object::signal_wait(engine::thread()))
    };
    let decision = early::wait(wait, engine::perform, early::nothing);
    decision.alternative == TIMEOUT
}

/// Sets the signals that end the running thread's wait; after an event in which it looked.
fn set_waiting(set: u64) {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*of(engine::thread())).waiting = set };
}

/// `sigwait`.
///
/// # Safety
/// `set` points to a set, and `signal` is writable for an `int`.
pub(in crate::pthread) unsafe extern "C" fn wait(
    set: *const sigset_t,
    signal: *mut c_int,
) -> Outcome {
    if !engine::active() {
        let native = real!(sigwait: fn(*const sigset_t, *mut c_int) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    loop {
        // SAFETY: `set` points to the program's set, as this function's caller guarantees.
        match wait_for(unsafe { set_of(set) }, None) {
            Ended::With(sent) => {
                // SAFETY: `signal` is the program's place for an `int`, as this function's caller
                // guarantees.
                unsafe { signal.write(sent.signal) };
                return Outcome::result(0);
            }
            Ended::Leave => return Outcome::leave(),
            // glibc waits again.
            Ended::Interrupted | Ended::Late => {}
        }
    }
}

/// `sigwaitinfo`.
///
/// # Safety
/// `set` points to a set; `information` is null or writable for a `siginfo_t`.
pub(in crate::pthread) unsafe extern "C" fn wait_info(
    set: *const sigset_t,
    information: *mut siginfo_t,
) -> Outcome {
    if !engine::active() {
        let native = real!(sigwaitinfo: fn(*const sigset_t, *mut siginfo_t) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: `set` points to a set and `information` is null or writable, as this function's
    // caller guarantees.
    unsafe { wait_within(set, information, None) }
}

/// Waits as `sigwaitinfo`, until `deadline` if there is one.
///
/// # Safety
/// `set` points to a set; `information` is null or writable for a `siginfo_t`.
unsafe fn wait_within(
    set: *const sigset_t,
    information: *mut siginfo_t,
    deadline: Option<Deadline>,
) -> Outcome {
    // SAFETY: `set` points to the program's set, as this function's caller guarantees; the mask in
    // the world is the running thread's own.
    let (set, open) = unsafe { (set_of(set), !*signals::mask_of(engine::thread())) };
    if open & !set != 0 {
        // The handler of one of these may run before the call, too.
        arrive_before();
    }
    match wait_for(set, deadline.map(Deadline::patience)) {
        // SAFETY: `information` is null or the program's place for a `siginfo_t`, as this
        // function's caller guarantees.
        Ended::With(sent) => unsafe { tell(sent, information) },
        Ended::Interrupted => failed(::libc::EINTR),
        Ended::Late => {
            deadline.map(Deadline::reached);
            failed(::libc::EAGAIN)
        }
        Ended::Leave => Outcome::leave(),
    }
}

unsafe fn tell(sent: Sent, place: *mut siginfo_t) -> Outcome {
    if !place.is_null() {
        // SAFETY: `place` is not null here, so it is the program's place for a `siginfo_t`, as this
        // function's caller guarantees.
        unsafe { place.cast::<Information>().write(Information::new(sent)) };
    }
    Outcome::result(sent.signal)
}

/// `sigtimedwait`.
///
/// # Safety
/// `set` points to a set; `information` is null or writable for a `siginfo_t`; `limit` is null or
/// points to a time.
pub(in crate::pthread) unsafe extern "C" fn timed_wait(
    set: *const sigset_t,
    information: *mut siginfo_t,
    limit: *const timespec,
) -> Outcome {
    if !engine::active() {
        let native =
            real!(sigtimedwait: fn(*const sigset_t, *mut siginfo_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    if limit.is_null() {
        // SAFETY: `set` points to a set and `information` is null or writable, as this function's
        // caller guarantees.
        return unsafe { wait_info(set, information) };
    }
    // SAFETY: `limit` is not null here, so it points to the program's time.
    let limit = unsafe { *limit };
    if limit.tv_sec < 0 || !(0..1_000_000_000).contains(&limit.tv_nsec) {
        return failed(::libc::EINVAL);
    }
    if limit.tv_sec != 0 || limit.tv_nsec != 0 {
        let deadline = Deadline::after(::libc::CLOCK_MONOTONIC, &limit);
        // SAFETY: `set` points to a set and `information` is null or writable, as this function's
        // caller guarantees.
        return unsafe { wait_within(set, information, Some(deadline)) };
    }
    // SAFETY: `set` points to the program's set, as this function's caller guarantees.
    let set = unsafe { set_of(set) };
    if cancel::point() {
        return Outcome::leave();
    }
    let me = engine::thread();
    read_own();
    // SAFETY: the queue in the world is the running thread's own; whoever sends makes an event that
    // conflicts with the one above.
    let own = unsafe { (*of(me)).pending.take(set) };
    note_pending(me);
    happens_before::acquire(object::signals(me));
    match own.or_else(|| take_from_process(set)) {
        Some(sent) => {
            (concerns().signal_taken)(sent.signal);
            // SAFETY: `information` is null or the program's place for a `siginfo_t`, as this
            // function's caller guarantees.
            unsafe { tell(sent, information) }
        }
        None => failed(::libc::EAGAIN),
    }
}

/// Waits until a handler has run. False: the thread is to leave.
fn wait_for_handler() -> bool {
    let me = engine::thread();
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let before = unsafe {
        if is_by_states() && (*of(me)).handled != 0 {
            (*of(me)).handled = 0;
        }
        (*of(me)).handled
    };
    loop {
        let by_request = late_cancellation::ends_waits();
        if begin(by_request) {
            return false;
        }
        if let Some(sent) = {
            // SAFETY: the mask in the world is the running thread's own, and no other fiber runs
            // between two events.
            take_from_process(unsafe { !*signals::mask_of(me) })
        } {
            // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
            // between two events.
            unsafe { (*of(me)).pending.add(sent) };
        }
        read_own();
        // Nothing is between the look and this if nothing is pending.
        // SAFETY: the mask in the world is the running thread's own, and no other fiber runs
        // between two events.
        set_waiting(unsafe { !*signals::mask_of(me) });
        deliver();
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        if unsafe { (*of(me)).handled } != before {
            read_own();
            set_waiting(0);
            end(by_request);
            return true;
        }
        engine::perform(own_semaphore::wait(object::signal_wait(me)));
        end(by_request);
    }
}

/// Lets handlers run before a wait that lets them in: they may run before it as well, and then do
/// not end it.
fn arrive_before() {
    if super::deliver::is_possible() {
        look(&engine::operation(Kind::Pause));
    }
}

/// `pause`.
pub(in crate::pthread) extern "C" fn pause() -> Outcome {
    if !engine::active() {
        let native = real!(pause: fn() -> c_int);
        return Outcome::native(native as *const c_void);
    }
    arrive_before();
    match wait_for_handler() {
        true => failed(::libc::EINTR),
        false => Outcome::leave(),
    }
}

/// `sigsuspend`.
///
/// # Safety
/// `set` points to a set.
pub(in crate::pthread) unsafe extern "C" fn suspend(set: *const sigset_t) -> Outcome {
    if !engine::active() {
        let native = real!(sigsuspend: fn(*const sigset_t) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    arrive_before();
    let mask = signals::mask_of(engine::thread());
    // SAFETY: the mask in the world is the running thread's own; `set` points to the program's set,
    // as this function's caller guarantees.
    let before = unsafe { ptr::replace(mask, signals::maskable(set_of(set))) };
    let handled = wait_for_handler();
    // SAFETY: `mask` is the running thread's own in the world; only the thread itself changes it.
    unsafe { mask.write(before) };
    match handled {
        true => failed(::libc::EINTR),
        false => Outcome::leave(),
    }
}
