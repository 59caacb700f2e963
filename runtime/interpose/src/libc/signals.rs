//! Signal actions, masks and alternate stacks, as the program believes them to be.
//!
//! The kernel keeps the runtime's own; no signal from outside reaches the program while it is
//! explored.

use crate::engine;
use crate::world::{self, rolled_back, THREADS_MAX};
use dpor_machine::sys;
use dpor_model::ThreadId;

/// The kernel's `struct sigaction` on x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    /// Function, `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    /// `SA_*`.
    pub flags: usize,
    restorer: usize,
    /// Blocked while the handler runs.
    pub mask: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct AlternateStack {
    start: usize,
    flags: i32,
    padding: i32,
    bytes: usize,
}

/// Actions by signal number; masks and stacks by thread.
#[repr(C)]
pub struct State {
    actions: [Action; SIGNALS],
    masks: [u64; THREADS_MAX],
    stacks: [AlternateStack; THREADS_MAX],
}

rolled_back!(static STATE: RolledBack<State> = world::SIGNAL_ACTIONS);

const SIGNALS: usize = 65;
const SET_BYTES: usize = 8;
const EINVAL: isize = -(::libc::EINVAL as isize);

/// Signals that the runtime handles itself: their real action is not the program's.
const OURS: [i32; 7] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGFPE,
    ::libc::SIGILL,
    ::libc::SIGABRT,
    ::libc::SIGSYS,
    ::libc::SIGTRAP,
];

/// Takes over what the program has installed so far.
pub fn at_root() {
    // SAFETY: asks only; the state is writable.
    unsafe {
        let mask = mask_of(ThreadId(0)) as usize;
        sys::call6(::libc::SYS_rt_sigprocmask, 0, 0, mask, SET_BYTES, 0, 0);
    }
    for signal in (1..SIGNALS as i32).filter(|signal| !OURS.contains(signal)) {
        // SAFETY: asks only; the state is writable.
        unsafe {
            let action = &raw mut (*STATE.get()).actions[signal as usize];
            let (number, action) = (signal as usize, action as usize);
            sys::call6(::libc::SYS_rt_sigaction, number, 0, action, SET_BYTES, 0, 0);
        }
    }
}

/// Faults that a handler of the program's may take.
const TAKEN: [i32; 4] = [
    ::libc::SIGSEGV,
    ::libc::SIGBUS,
    ::libc::SIGFPE,
    ::libc::SIGILL,
];

/// Returns the address at which the kernel is to tell what the program does about a signal that the
/// runtime takes over; 0: nowhere.
pub fn action_at_root(signal: i32) -> usize {
    match TAKEN.contains(&signal) {
        // SAFETY: only the address of a field of the world is computed, which is mapped.
        true => unsafe { &raw mut (*STATE.get()).actions[signal as usize] as usize },
        false => 0,
    }
}

/// Returns the address at which the kernel is to tell of the first thread's alternate stack.
pub fn alternate_stack_at_root() -> usize {
    // SAFETY: only the address of a field of the world is computed, which is mapped.
    unsafe { &raw mut (*STATE.get()).stacks[0] as usize }
}

/// Returns the address and the bytes of a thread's alternate stack, if it has one.
pub fn alternate_stack_of(thread: ThreadId) -> Option<(usize, usize)> {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let stack = unsafe { (*STATE.get()).stacks[usize::from(thread.0)] };
    let is_there = stack.bytes > 0 && stack.flags & ::libc::SS_DISABLE == 0;
    is_there.then_some((stack.start, stack.bytes))
}

/// Returns the address of the set of signals that a thread blocks.
pub fn mask_of(thread: ThreadId) -> *mut u64 {
    // SAFETY: address arithmetic in the world; the index is checked by the array.
    unsafe { &raw mut (*STATE.get()).masks[usize::from(thread.0)] }
}

/// Returns the set without the signals that cannot be blocked.
pub fn maskable(set: u64) -> u64 {
    set & !(1 << (::libc::SIGKILL - 1) | 1 << (::libc::SIGSTOP - 1))
}

/// Returns what a signal (1 to 64) does.
pub fn action_of(signal: i32) -> Action {
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    unsafe { (*STATE.get()).actions[signal as usize] }
}

/// Lets the next signal of this number do what it does by default.
pub fn reset(signal: i32) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { (*STATE.get()).actions[signal as usize].handler = ::libc::SIG_DFL };
}

/// Returns whether a signal does nothing.
pub fn is_ignored(signal: i32) -> bool {
    let by_default = [
        ::libc::SIGCHLD,
        ::libc::SIGURG,
        ::libc::SIGWINCH,
        ::libc::SIGCONT,
    ];
    match action_of(signal).handler {
        ::libc::SIG_IGN => true,
        ::libc::SIG_DFL => by_default.contains(&signal),
        _ => false,
    }
}

/// Returns whether `signal` stops the process by default.
pub fn stops(signal: i32) -> bool {
    let stops = [
        ::libc::SIGSTOP,
        ::libc::SIGTSTP,
        ::libc::SIGTTIN,
        ::libc::SIGTTOU,
    ];
    stops.contains(&signal)
}

/// `rt_sigaction`.
///
/// # Safety
/// `new` and `old` are null or addresses of the program's for an action.
pub unsafe fn action(signal: usize, new: usize, old: usize) -> isize {
    let fixed = signal == ::libc::SIGKILL as usize || signal == ::libc::SIGSTOP as usize;
    if signal == 0 || signal >= SIGNALS || (fixed && new != 0) {
        return EINVAL;
    }
    // SAFETY: the addresses are null or the program's, as this function's caller guarantees; the
    // state lies in the world, and no other fiber runs.
    unsafe {
        let known = &raw mut (*STATE.get()).actions[signal];
        let before = *known;
        if new != 0 {
            *known = *(new as *const Action);
        }
        if old != 0 {
            *(old as *mut Action) = before;
        }
    }
    0
}

/// `rt_sigprocmask` of the running thread.
///
/// # Safety
/// `new` and `old` are null or addresses of the program's for a set of signals.
pub unsafe fn mask(how: usize, new: usize, old: usize) -> isize {
    // SAFETY: the addresses are null or the program's, as this function's caller guarantees; the
    // mask in the world is the running thread's own.
    unsafe {
        let mask = &raw mut (*STATE.get()).masks[usize::from(engine::thread().0)];
        let before = *mask;
        if new != 0 {
            let set = *(new as *const u64);
            *mask = match how as i32 {
                ::libc::SIG_BLOCK => before | maskable(set),
                ::libc::SIG_UNBLOCK => before & !set,
                ::libc::SIG_SETMASK => maskable(set),
                _ => return EINVAL,
            };
        }
        if old != 0 {
            *(old as *mut u64) = before;
        }
    }
    0
}

/// `sigaltstack` of the running thread.
///
/// # Safety
/// `new` and `old` are null or addresses of the program's for a `stack_t`.
pub unsafe fn alternate_stack(new: usize, old: usize) -> isize {
    // SAFETY: the addresses are null or the program's, as this function's caller guarantees; the
    // stack in the world is the running thread's own.
    unsafe {
        let stack = &raw mut (*STATE.get()).stacks[usize::from(engine::thread().0)];
        let mut before = *stack;
        if before.bytes == 0 {
            before.flags = ::libc::SS_DISABLE;
        }
        if new != 0 {
            *stack = *(new as *const AlternateStack);
        }
        if old != 0 {
            *(old as *mut AlternateStack) = before;
        }
    }
    0
}

/// What a signal sent to the process does.
pub enum Delivery {
    /// The signal does nothing.
    Ignored,
    /// The signal ends the process.
    Fatal,
    /// The signal would run a handler, stop the process, or wait because it is blocked.
    NotModelled,
}

/// Returns what `signal` does when it is sent now.
pub fn delivery(signal: i32) -> Delivery {
    if signal == 0 {
        return Delivery::Ignored;
    }
    let Some(index) = usize::try_from(signal)
        .ok()
        .filter(|&index| index < SIGNALS)
    else {
        return Delivery::NotModelled;
    };
    // SAFETY: the state lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let (handler, mask) = unsafe {
        let signals = STATE.get();
        (
            (*signals).actions[index].handler,
            (*signals).masks[usize::from(engine::thread().0)],
        )
    };
    match handler {
        ::libc::SIG_IGN => Delivery::Ignored,
        _ if mask >> (index - 1) & 1 != 0 => Delivery::NotModelled,
        ::libc::SIG_DFL if is_ignored(signal) => Delivery::Ignored,
        ::libc::SIG_DFL if !stops(signal) => Delivery::Fatal,
        _ => Delivery::NotModelled,
    }
}
