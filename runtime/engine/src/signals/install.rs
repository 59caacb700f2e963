//! What makes the system call the handlers: actions, the timer, the dispatch of system calls.

use crate::given::system;
use crate::runtime::SELECTOR;
use crate::signals::context::restorer;
use crate::signals::tick::{self, TICK_US};
use crate::signals::{fault, stack, stop};
use crate::{guard, own_image, unblocked};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering;
use dpor_machine::{probe, sys};

/// `struct sigaction` as the kernel has it.
#[repr(C)]
struct KernelAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// `<linux/prctl.h>`, Linux 5.11.
const PR_SET_SYSCALL_USER_DISPATCH: usize = 59;
const PR_SYS_DISPATCH_ON: usize = 1;

const SA_RESTORER: u64 = 0x0400_0000;

/// Takes over: alternate stack, handlers, timer, system call dispatch. On thread 0, at the root.
pub fn install() {
    stop::install();
    let alternate = stack::map();
    // SAFETY: fresh memory that nobody else uses; what the program has goes to our own state.
    unsafe {
        let before = system().alternate_stack_at_root();
        sys::call3(
            libc::SYS_sigaltstack,
            &raw const alternate as usize,
            before,
            0,
        )
    };
    for signal in unblocked::FAULTS {
        handle(signal, fault::on_fault);
    }
    probe::begin();
    handle(libc::SIGSYS, on_system_call);
    handle(libc::SIGINT, stop::on_stop);
    handle(libc::SIGTERM, stop::on_stop);
    handle(libc::SIGPROF, tick::on_tick);
    unblocked::begin();
    arm();
}

fn handle(signal: c_int, handler: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)) {
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART) as u64;
    let action = KernelAction {
        handler: handler as *const () as usize,
        flags: flags | SA_RESTORER,
        restorer: restorer as *const () as usize,
        // The step limit is about the program, not about handlers.
        mask: 1 << (libc::SIGPROF - 1),
    };
    // SAFETY: a handler of the right type with its own stack; what the program has for faults goes to our
    // own state.
    unsafe {
        sys::call6(
            libc::SYS_rt_sigaction,
            signal as usize,
            &raw const action as usize,
            system().action_at_root(signal),
            8,
            0,
            0,
        )
    };
}

fn arm() {
    let tick = libc::timeval {
        tv_sec: 0,
        tv_usec: TICK_US,
    };
    let timer = libc::itimerval {
        it_interval: tick,
        it_value: tick,
    };
    let (start, end) = own_image::range();
    // SAFETY: the pointers are to statics and local variables that the kernel reads; system calls from the runtime's
    // own text are let through.
    unsafe {
        sys::call3(
            libc::SYS_setitimer,
            libc::ITIMER_PROF as usize,
            &raw const timer as usize,
            0,
        );
        // Reading the time stamp counter faults from here on (`emulate_rdtsc`); where the kernel
        // refuses, a program that reads it may diverge, which is noticed.
        sys::call3(
            libc::SYS_prctl,
            libc::PR_SET_TSC as usize,
            libc::PR_TSC_SIGSEGV as usize,
            0,
        );
        let refused = sys::call6(
            libc::SYS_prctl,
            PR_SET_SYSCALL_USER_DISPATCH,
            PR_SYS_DISPATCH_ON,
            start,
            end - start,
            SELECTOR.as_ptr() as usize,
            0,
        );
        if refused != 0 {
            // What is not seen must not be called verified.
            crate::process::refuse(
                "the system does not show the checker system calls (Syscall User Dispatch, Linux 5.11 and later)",
            );
        }
    }
}

/// Timer and dispatch do not survive a fork.
pub fn rearm_after_fork() {
    arm();
}

/// Lets the runtime report in peace.
pub fn disarm() {
    let timer = MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY: the timer is a local variable of zeros, which the kernel only reads.
    unsafe {
        sys::call3(
            libc::SYS_setitimer,
            libc::ITIMER_PROF as usize,
            timer.as_ptr() as usize,
            0,
        );
        sys::call3(
            libc::SYS_prctl,
            libc::PR_SET_TSC as usize,
            libc::PR_TSC_ENABLE as usize,
            0,
        );
    }
    SELECTOR.store(0, Ordering::Relaxed);
}

unsafe extern "C" fn on_system_call(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    // SAFETY: the kernel passes a `siginfo` of 128 bytes, which is ours until the handler returns.
    system().answer_system_call(unsafe { &*info }, context);
    guard::go_on(guarded, context);
}
