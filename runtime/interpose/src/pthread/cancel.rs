//! Cancellation.
//!
//! Whether a thread was asked to end is an object of its own: `pthread_cancel` writes it, the thread
//! reads it at each cancellation point. So these events are there only for threads that are cancelled
//! at all ([`learned_events::learn_cancelled`]), and only while they do not forbid it.
//!
//! A thread that blocks in a cancellation point first leaves word of what it blocks on ([`Wait`]), in
//! the event in which it reads that nobody has asked yet. Who asks after that finds the word and wakes
//! it: by a signal for this one thread, or a post. A thread that was woken in another way takes its
//! word back, and acts on the request at its next cancellation point: the call that ended has had its
//! effect.
//!
//! A function that is a cancellation point returns an [`Outcome`] to a stub ([`super::unwind`]), which
//! unwinds the stack where the call was, as `pthread_exit` does.
//!
//! A wait that has no effect before it ends need not be left ([`begin_blocking`]): what comes of a request also
//! comes of one before it. That is not so where only a time-out led to the request, as that needs the thread to
//! block. Once a program was seen to do that ([`EventCause::LateRequests`]), a thread that waits for a semaphore looks
//! at it without waiting, asks to be told of posts in the same event, and waits for an object of its own, which
//! both posts and requests make ready ([`super::late_cancellation`]); and waits for signals are left as joins are. In other
//! calls such a request is unsupported.
//!
//! A thread with asynchronous cancellation also looks before each access that is an event, and where it is
//! set aside ([`anywhere`]); so it is cancelled between events, and not between two plain accesses. Such a
//! thread should call nothing that waits but cancellation points (XSH 2.9.5.4); locks, barriers and waits on
//! futexes are then unsupported ([`refuse`]).
//!
//! *Deviations*: functions that POSIX only allows to be cancellation points are none. That a request was made is ordered before the thread's acting on it, for the race detector:
//! POSIX does not say so, every implementation does it.
//!
//! Source: POSIX.1-2017, XSH 2.9.5.

use super::{entry, happens_before, me, signal, thread, unwind};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::runtime::CALL_SITE;
use crate::engine::{self, object, own_semaphore};
use crate::world::world;
use ::libc::pthread_t;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::Ordering;
use dpor_explorer::program::{Kind, ObjectId, Operation, ThreadId};

/// Functions of the table in libc/ that are cancellation points (XSH 2.9.5.2, and those of epoll).
#[rustfmt::skip] // A table: many names to a line.
const POINTS: &[&str] = &[
    "__open64_2", "__open_2", "__openat64_2", "__openat_2", "__poll_chk", "__ppoll_chk", "__pread64_chk", "__pread_chk",
    "__read_chk", "__recv_chk", "__recvfrom_chk", "accept", "accept4", "close", "connect", "creat", "creat64",
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "fdatasync", "fsync", "lockf", "lockf64", "msync", "open",
    "open64", "openat", "openat64", "poll", "ppoll", "pread", "pread64", "preadv", "preadv64", "pselect",
    "pwrite", "pwrite64", "pwritev", "pwritev64", "read", "readv", "recv", "recvfrom", "recvmsg", "select",
    "send", "sendmsg", "sendto", "tcdrain", "wait", "waitid", "waitpid", "write", "writev",
];

/// State of one thread's cancellation: what others asked of it, and what it allows.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// Whether `pthread_cancel` was called for the thread.
    requested: bool,
    /// Whether the request ended the thread's wait.
    woken: bool,
    /// Whether the thread disabled cancellation (`PTHREAD_CANCEL_DISABLE`).
    pub disabled: bool,
    /// Whether the thread may be cancelled anywhere, not at cancellation points only
    /// (`PTHREAD_CANCEL_ASYNCHRONOUS`).
    pub asynchronous: bool,
    /// Whether the thread is leaving, so that nothing cancels it any more.
    pub leaving: bool,
    /// Whether the thread stands in a wait that a request would end.
    blocked: bool,
    /// Whether the function of libc that the thread called last is a cancellation point.
    in_point: bool,
    /// Whether the request came after another thread had given up waiting, which it did after this
    /// one had blocked.
    late: bool,
    /// Number of time-outs in this execution when the thread blocked.
    time_outs: u64,
    /// Address of the semaphore whose posts the thread wants to be told of; 0: of none.
    pub(super) semaphore: usize,
    wait: Wait,
}

impl State {
    /// The state of a thread that begins: not asked to end, cancellable at cancellation points.
    pub const NEW: Self = State {
        requested: false,
        woken: false,
        disabled: false,
        asynchronous: false,
        leaving: false,
        blocked: false,
        in_point: false,
        late: false,
        time_outs: 0,
        semaphore: 0,
        wait: Wait::None,
    };
}

/// What a thread that can be cancelled waits for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Nothing that a request to end would end.
    None,
    /// A signal on this condition variable.
    Condvar(ObjectId),
    /// The end of a thread, or any other post on this semaphore, which it may find to be none of those
    /// it waits for.
    Post(ObjectId),
}

/// What a function that is a cancellation point returns to its stub.
#[repr(C)]
pub struct Outcome {
    /// Result of the function in its low 32 bits; [`LEAVE`] if the thread is to leave instead.
    result: u64,
    /// Function of libc to be called instead, with the same arguments; null: none.
    native: *const c_void,
}

/// Bit of [`Outcome::result`] that is set in the value of no `int`: the thread leaves.
pub const LEAVE: u64 = 1 << 32;

impl Outcome {
    /// Makes the outcome of a function that returns `value`.
    pub fn result(value: c_int) -> Self {
        Outcome {
            result: u64::from(value as u32),
            native: ptr::null(),
        }
    }

    /// Makes the outcome of a function whose thread leaves.
    pub fn leave() -> Self {
        Outcome {
            result: LEAVE,
            native: ptr::null(),
        }
    }

    /// libc's function does it.
    pub fn native(function: *const c_void) -> Self {
        Outcome {
            result: 0,
            native: function,
        }
    }

    /// Returns this outcome with another result, if the function has one.
    pub fn map(self, result: impl Fn(c_int) -> c_int) -> Self {
        match self.result == LEAVE || !self.native.is_null() {
            true => self,
            false => Outcome::result(result(self.result as c_int)),
        }
    }
}

/// Returns whether the running thread can be cancelled at a cancellation point.
pub fn is_possible() -> bool {
    if !engine::active() || !learned_events::is_cancelled(engine::thread()) {
        return false;
    }
    // SAFETY: the entry in the world is the running thread's own; these are plain reads between two
    // events.
    unsafe { !(*me()).cancel.disabled && !(*me()).cancel.leaving }
}

/// Performs the event in which the running thread looks whether it was asked to end, and returns
/// whether it was.
pub(super) fn look() -> bool {
    let object = object::cancellation(engine::thread());
    engine::perform(Operation {
        object,
        ..engine::operation(Kind::SharedRead)
    });
    // SAFETY: the entry in the world is the running thread's own; whoever else writes it does so in
    // an event that conflicts with the one above.
    unsafe { (*me()).cancel.requested }
}

/// Lets the running thread begin to leave.
pub(super) fn act() {
    if super::signal::is_in_handler() {
        engine::unsupported("cancellation in a signal handler");
    }
    happens_before::acquire(object::cancellation(engine::thread()));
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).cancel.leaving = true };
}

/// Looks, at a cancellation point that does not block, whether the running thread was asked to end.
/// True: it leaves.
pub fn point() -> bool {
    let leaves = is_possible() && look();
    if leaves {
        act();
    }
    leaves
}

/// Returns whether the running thread can be cancelled anywhere, by what it says itself.
pub fn is_anywhere() -> bool {
    // SAFETY: the entry in the world is the running thread's own; these are plain reads between two
    // events.
    unsafe {
        let state = (*me()).cancel;
        state.asynchronous && !state.disabled && !state.leaving
    }
}

/// Looks, before an access of the running thread's in a hook, `site`, whether it was asked to end.
/// If it can be cancelled anywhere, and somebody has asked, it leaves from there: nothing on its
/// stack but the program's frames needs to be unwound.
#[cold]
pub fn anywhere(site: u64) {
    if is_possible() && is_anywhere() && !engine::is_inside_event() {
        CALL_SITE.store(site, Ordering::Relaxed);
        if look() {
            act();
            unwind::cancelled();
        }
    }
}

/// Refuses an operation of the running thread's, which somebody may cancel: if that would have to
/// end the operation although it is part of no cancellation point, it cannot be followed.
#[cold]
pub fn refuse(operation: &Operation) {
    let waits = matches!(
        operation.kind,
        Kind::MutexLock
            | Kind::MutexLockAll
            | Kind::RwlockRead
            | Kind::RwlockWrite
            | Kind::BarrierArrive
            | Kind::FutexWait
    );
    if waits && is_possible() && is_anywhere() {
        engine::unsupported("a wait of a thread with asynchronous cancellation");
    }
}

/// Notes that a function of the table in libc/ begins. True: the thread leaves.
pub fn point_of(function: &str) -> bool {
    if !is_possible() {
        return false;
    }
    let is_point = POINTS.contains(&function);
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).cancel.in_point = is_point };
    is_point && point()
}

/// Notes that the running thread is about to block in a function of the table in libc/. If that is
/// a cancellation point it looked when it called it, so that this is as [`begin_blocking`], as long
/// as the call has had no effect yet.
pub fn block_in_call(had_effect: bool) {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe {
        if !is_possible() || !(*me()).cancel.in_point {
            return;
        }
        if had_effect {
            engine::unsupported("a call in which a thread can be cancelled after a part of it");
        }
    }
    block();
}

/// Notes that the running thread stands in a wait that a request would end.
fn block() {
    // SAFETY: the entry in the world is the running thread's own; the rest is a plain read of the
    // world between two events.
    unsafe {
        let state = &raw mut (*me()).cancel;
        (*state).blocked = true;
        (*state).time_outs = (*world()).engine.time_outs;
    }
}

/// Leaves word that the running thread, which [`is_possible`] to cancel, is about to block. True:
/// it is not to, somebody has asked. It then [`end_wait`]s or [`leave_wait`]s all the same.
pub fn begin_wait(wait: Wait) -> bool {
    let requested = look();
    // SAFETY: the entry in the world is the running thread's own; nobody else writes it before the
    // next event.
    unsafe {
        (*me()).cancel.woken = false;
        (*me()).cancel.wait = if requested { Wait::None } else { wait };
    }
    requested
}

/// Ends the running thread's wait. Returns whether a request to end was what ended it.
pub fn end_wait() -> bool {
    look();
    // SAFETY: the entry in the world is the running thread's own; nobody else writes it before the
    // next event.
    unsafe {
        (*me()).cancel.wait = Wait::None;
        (*me()).cancel.woken
    }
}

/// Lets the running thread leave, which was told not to wait, or need not any more.
pub fn leave_wait() {
    act();
}

/// Looks whether the running thread was asked to end, which is about to block in a cancellation
/// point that has no effect before it ends. True: the thread leaves.
///
/// Whoever asks it to end after this does not wake it: what comes of that also comes of asking before,
/// because the thread did nothing since. Only if it is never woken at all is the execution no possible
/// one ([`is_stuck`]).
pub fn begin_blocking() -> bool {
    let possible = is_possible();
    if possible && look() {
        act();
        return true;
    }
    if possible {
        block();
    }
    false
}

/// Notes that the running thread's wait in a cancellation point is over, and the thread goes on.
pub fn end_blocking() {
    // SAFETY: the entry in the world is the running thread's own; a page that is not written need
    // not be restored.
    unsafe {
        if (*me()).cancel.blocked {
            (*me()).cancel.blocked = false;
        }
    }
}

/// Posts once more on `object`, a semaphore that is there from the start.
pub(super) fn post(object: ObjectId) {
    engine::perform(own_semaphore::post(object));
}

/// Returns whether a thread that waits for something else would leave instead, because it was asked
/// to end.
pub fn is_stuck(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    let state = unsafe { (*entry(thread)).cancel };
    state.blocked && state.requested
}

/// What becomes of a time-out, which happens where no other thread can go on.
pub enum TimeOut {
    /// The time-out happens: the thread goes on.
    Happens,
    /// The time-out may be none: the thread may await a signal that only a time-out leads to
    /// ([`signal::late`]).
    Looks,
    /// A thread that waits was asked to end, or sent a signal, and would go on: no such execution. Its twin is
    /// that in which the request came before the thread blocked.
    Impossible,
}

/// Lets a thread give up waiting, and returns what becomes of that.
pub fn time_out() -> TimeOut {
    // SAFETY: the engine runs, between two steps.
    let engine = unsafe { &mut (*world()).engine };
    if engine.live.iter().any(is_stuck) {
        // If the request came late, the search begins anew.
        return TimeOut::Impossible;
    }
    let outcome = signal::late::time_out();
    engine.time_outs += u64::from(matches!(outcome, TimeOut::Happens));
    outcome
}

/// A request in a wait that it cannot end.
const LATE: &str = "a request to end, for a thread that blocks in a call other than sem_wait, where only a time-out \
    let anything go on (--timeouts may help)";

/// Returns whether a thread was asked to end after a time-out since it blocked.
pub fn is_late(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    unsafe { (*entry(thread)).cancel.late }
}

/// `pthread_cancel`: asks a thread to end, in an event on its request.
#[no_mangle]
pub extern "C" fn pthread_cancel(thread: pthread_t) -> c_int {
    if engine::before_root() {
        // The first thread asks itself to end, which its next cancellation point must know.
        engine::begin();
    }
    if !engine::active() {
        let cancel = real!(pthread_cancel: fn(pthread_t) -> c_int);
        // SAFETY: libc's function takes any value: it gets the program's `thread` as it came.
        return unsafe { cancel(thread) };
    }
    let Some(target) = thread::existing(thread) else {
        return gone();
    };
    let object = object::cancellation(target);
    if learned_events::learn_cancelled(target) {
        engine::perform(Operation {
            object,
            ..engine::operation(Kind::SharedWrite)
        });
        if thread::existing(thread).is_none() {
            return gone();
        }
    }
    happens_before::release(object);
    // SAFETY: the entry lies in the world, which is mapped; the event above conflicts with those
    // around its other uses.
    let before = unsafe {
        let state = &raw mut (*entry(target)).cancel;
        let before = *state;
        (*state).requested = true;
        let is_late = before.blocked && before.time_outs != (*world()).engine.time_outs;
        if !before.requested && is_late {
            (*state).late = true;
            if learned_events::learn(EventCause::LateRequests) {
                engine::unsupported(LATE);
            }
        }
        before
    };
    if !before.requested {
        wake(target, before.wait);
    }
    if target == engine::thread() && is_anywhere() {
        act();
        unwind::cancelled();
    }
    0
}

fn gone() -> c_int {
    thread::misuse::<()>(
        "cancellation of a thread that was already joined, or that never existed",
        ::libc::ESRCH,
    )
    .err()
    .unwrap_or(0)
}

/// Ends the wait of a thread, if it has not ended yet.
fn wake(target: ThreadId, wait: Wait) {
    match wait {
        Wait::None => {}
        Wait::Condvar(object) => {
            if signal(object, target) {
                // SAFETY: the entry lies in the world, which is mapped; its thread has not run
                // since it was woken.
                unsafe { (*entry(target)).cancel.woken = true };
            }
        }
        Wait::Post(object) => {
            post(object);
        }
    }
}

/// Wakes this one thread if it waits on the condition variable; whether it did.
pub fn signal(condvar: ObjectId, target: ThreadId) -> bool {
    let decision = engine::perform(Operation {
        object: condvar,
        argument: 1 + u64::from(target.0),
        ..engine::operation(Kind::CondSignal)
    });
    let woken = decision.alternative == u32::from(target.0);
    if woken {
        // SAFETY: the entry lies in the world, which is mapped; its thread stands in a wait.
        unsafe { (*entry(target)).waiting = 0 };
        if target != engine::thread() {
            happens_before::wake(target);
        }
    }
    woken
}

/// Notes that the running thread releases the number of one that it joined: nobody may cancel that
/// one now, or send it a signal.
pub fn joined(target: ThreadId) {
    let read = |object| {
        engine::perform(Operation {
            object,
            ..engine::operation(Kind::SharedRead)
        });
    };
    if learned_events::is_cancelled(target) {
        read(object::cancellation(target));
    }
    if learned_events::is_signalled(target) {
        read(object::signals(target));
    }
}

/// `pthread_testcancel`.
pub(super) extern "C" fn test() -> Outcome {
    if !engine::active() {
        let native = real!(pthread_testcancel: fn()) as *const c_void;
        return Outcome::native(native);
    }
    match point() {
        true => Outcome::leave(),
        false => Outcome::result(0),
    }
}
