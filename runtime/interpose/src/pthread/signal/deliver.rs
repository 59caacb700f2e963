//! What a signal does when it arrives: nothing, the end of the process, or a handler.

use super::super::happens_before;
use super::state::{bit, event, note_pending, of, quietly, read_own, take_from_process, Sent};
use crate::engine::accesses::uninstrumented;
use crate::engine::given::concerns;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::runtime::CALL_SITE;
use crate::engine::{self, learned_events, object};
use crate::hooks::options::is_by_states;
use crate::libc::signals::{self, Action};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use dpor_abi::libc_call::Hidden;
use dpor_model::{Kind, Operation};
use dpor_report::FindingKind;

/// Looks for signals, before an operation of the running thread's.
#[cold]
pub fn look(operation: &Operation) {
    // The second half of a wait follows upon the first at once, for the search.
    let second_half = matches!(operation.kind, Kind::BarrierLeave | Kind::FutexWoken);
    // A thread has looked before its destructors ran, or before it ends the process.
    let is_over = matches!(operation.kind, Kind::Exit | Kind::ProcessEnd);
    if !second_half && !object::is_signal(operation.object) && !is_over {
        look_now();
    }
}

/// Looks for signals for the last time, before the running thread ends the process.
pub fn look_last() {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::EndsDeaf) {
        return;
    }
    if engine::is_interruptible() && !engine::is_inside_event() {
        look_now();
    }
}

fn look_now() {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let quiet = unsafe {
        let me = of(engine::thread());
        (*me).quiet || (*me).masked
    };
    if !quiet {
        read_own();
        deliver();
    }
}

/// Lets the signals arrive that are pending for the running thread and that it does not block. To be
/// called after an event in which it looked. `None`: no handler ran. Otherwise whether the first one asks
/// that calls be begun anew (`SA_RESTART`).
pub(super) fn deliver() -> Option<bool> {
    let me = engine::thread();
    let mut ran = None;
    loop {
        // SAFETY: the queue and the mask in the world are the running thread's own, and no other
        // fiber runs between two events.
        let arrived = unsafe { (*of(me)).pending.take(!*signals::mask_of(me)) };
        let Some(sent) = arrived else { return ran };
        note_pending(me);
        ran = ran.or(arrive(sent));
        read_own();
    }
}

/// Takes in what the running thread's mask allows that it did not allow before.
pub(super) fn unblocked() {
    let me = engine::thread();
    // SAFETY: the mask in the world is the running thread's own, and no other fiber runs between
    // two events.
    if let Some(sent) = take_from_process(unsafe { !*signals::mask_of(me) }) {
        arrive(sent);
    }
    read_own();
    deliver();
}

/// Takes in a signal that is no longer pending: runs its handler, ends the process, or does
/// nothing. Returns what [`deliver`] does.
fn arrive(sent: Sent) -> Option<bool> {
    let table = object::hidden(Hidden::Signals as u32);
    // The signal is blocked from now on, so that no look comes before that.
    quietly(|| event(Kind::SharedRead, table));
    let action = signals::action_of(sent.signal);
    (concerns().signal_taken)(sent.signal);
    if signals::is_ignored(sent.signal) {
        return None;
    }
    if action.handler == ::libc::SIG_DFL {
        end(sent.signal);
    }
    if action.flags & ::libc::SA_RESETHAND as usize != 0 {
        quietly(|| event(Kind::SharedWrite, table));
        signals::reset(sent.signal);
    }
    run(&action, sent);
    Some(action.flags & ::libc::SA_RESTART as usize != 0)
}

/// Takes the default action of a signal, which ends the process.
pub(super) fn end(signal: c_int) -> ! {
    if signals::stops(signal) {
        engine::unsupported(&format!("signal {signal}, which stops the process"));
    }
    match signal {
        ::libc::SIGABRT => engine::fail(FindingKind::Abort, "abort (SIGABRT)"),
        _ => engine::fail(
            FindingKind::Crash,
            &format!("signal {signal}, which nobody handles, ends the process"),
        ),
    }
}

type Simple = unsafe extern "C" fn(c_int);
type Informed = unsafe extern "C" fn(c_int, *mut ::libc::siginfo_t, *mut c_void);

/// `siginfo_t` of a signal that somebody sent, as the kernel has it.
#[repr(C)]
pub(super) struct Information {
    signal: c_int,
    error: c_int,
    code: c_int,
    padding: c_int,
    process: c_int,
    user: u32,
    value: usize,
    rest: [u64; 12],
}

impl Information {
    pub fn new(sent: Sent) -> Self {
        Information {
            signal: sent.signal,
            error: 0,
            code: sent.code,
            padding: 0,
            // SAFETY: the call takes no arguments and cannot fail.
            process: unsafe { ::libc::getpid() },
            // SAFETY: the call takes no arguments and cannot fail.
            user: unsafe { ::libc::getuid() },
            value: sent.value,
            rest: [0; 12],
        }
    }
}

const _: () = assert!(size_of::<Information>() == size_of::<::libc::siginfo_t>());

/// Notes that a handler runs on the running thread.
fn note_handled() {
    let me = of(engine::thread());
    // SAFETY: the running thread's own entry.
    unsafe {
        (*me).handled = match is_by_states() {
            true => 1,
            false => (*me).handled + 1,
        };
    }
}

fn run(action: &Action, sent: Sent) {
    let me = engine::thread();
    happens_before::acquire(object::signals(me));
    let site = CALL_SITE.get();
    let mut information = Information::new(sent);
    let mut context = MaybeUninit::<::libc::ucontext_t>::zeroed();
    let deferred = match action.flags & ::libc::SA_NODEFER as usize {
        0 => bit(sent.signal),
        _ => 0,
    };
    // SAFETY: the running thread's own entries; the handler is the program's, called as it was
    // installed; a zeroed context is one.
    unsafe {
        let mask = signals::mask_of(me);
        let before = *mask;
        *mask = before | action.mask | deferred;
        let context = context.as_mut_ptr();
        (&raw mut (*context).uc_sigmask).cast::<u64>().write(before);
        note_handled();
        (*of(me)).depth += 1;
        let masked = core::mem::take(&mut (*of(me)).masked);
        // Others interrupt it before its first instruction.
        read_own();
        deliver();
        uninstrumented::call(action.handler, &raw const information as usize);
        if action.flags & ::libc::SA_SIGINFO as usize != 0 {
            let handler: Informed = core::mem::transmute(action.handler);
            let information = (&raw mut information).cast();
            handler(sent.signal, information, context.cast());
        } else {
            let handler: Simple = core::mem::transmute(action.handler);
            handler(sent.signal);
        }
        (*of(me)).depth -= 1;
        if is_by_states() {
            // The handler may have waited for another.
            note_handled();
        }
        (*of(me)).masked = masked;
        *mask = (&raw const (*context).uc_sigmask).cast::<u64>().read();
    }
    CALL_SITE.set(site);
}

/// Returns whether a handler runs in the midst of a sleep of the running thread.
pub fn interrupts() -> bool {
    is_possible() && {
        read_own();
        deliver().is_some()
    }
}

/// Looks for signals for the last time: the running thread has nothing left to do.
pub fn at_end() {
    if is_possible() {
        read_own();
        deliver();
    }
}

/// Returns whether others may send the running thread signals, so that where it does not look they
/// are missed.
pub fn is_possible() -> bool {
    engine::active() && learned_events::is_signalled(engine::thread())
}
