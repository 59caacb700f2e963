//! Every system call that code outside the runtime makes while the program is explored.
//!
//! Arrives from the SIGSYS handler, on its stack: no allocation on the program's heap, no
//! thread-local storage, no lock. Each call is *harmless* (it tells what does not change, and the
//! kernel answers), *virtual* (answered here from rolled-back state), *captured* output, or ends the
//! check as unsupported, by name.

mod copies;
mod directories;
pub mod fault;
mod files;
mod generated_files;
mod locks;
pub mod memory;
mod outcome;
mod paths;
mod pieces;

use super::{channel, random, signals, time, timers};
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::pthread::{attributes, signal};
use crate::state::{Kept, Plain};
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::syscall_name;
use dpor_machine::sys;

pub use generated_files::is_generated;
use outcome::{bytes, native, Args, TRANSFER_MAX};
pub use outcome::{error, touch, SyscallOutcome};
pub use pieces::{vectors, Piece};
use SyscallOutcome::{End, EndThread, Signal, Unsupported, Value};

/// Decides and performs one system call. `thread_active`: a program thread makes it; otherwise it is
/// the runtime's own (through libc) and goes to the kernel as it is.
pub fn dispatch(number: i64, args: &mut Args, thread_active: bool) -> SyscallOutcome {
    if !thread_active {
        return Value(native(number, args));
    }
    if channel::call::is_here(number, args) || timers::call::is_here(number) {
        return SyscallOutcome::OnThread;
    }
    // SAFETY: the arguments are the program's, as for the kernel; what it writes is made writable.
    let outcome = unsafe {
        clocks(number, args)
            .or_else(|| files::call(number, args))
            .or_else(|| paths::call(number, args))
            .or_else(|| memory::call(number, args))
            .or_else(|| process(number, args))
            .or_else(|| tell(number, args))
    };
    outcome.unwrap_or_else(|| unsupported(number))
}

fn unsupported(number: i64) -> SyscallOutcome {
    Unsupported(match syscall_name::of(number) {
        Some(name) => format!("system call {name}"),
        None => format!("system call {number}"),
    })
}

/// Answers system calls about time, which is virtual.
unsafe fn clocks(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    match number {
        ::libc::SYS_clock_gettime => touch(args[1], bytes::TIMESPEC),
        ::libc::SYS_gettimeofday => touch(args[0], bytes::TIMESPEC),
        ::libc::SYS_time => touch(args[0], 8),
        ::libc::SYS_times => touch(args[0], 32),
        ::libc::SYS_clock_getres => {
            touch(args[1], bytes::TIMESPEC);
            return Some(Value(native(number, args)));
        }
        _ => {}
    }
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // a fault is EFAULT (`fault`).
    unsafe { time::system_call(number, args) }.map(Value)
}

/// Ends, signals, identity, and what would change the process.
unsafe fn process(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    #[cfg(feature = "mutations")]
    if number == ::libc::SYS_exit && mutations::does(Mutation::EndsAll) {
        return Some(End(args[0] as i32));
    }
    Some(match number {
        ::libc::SYS_exit => EndThread(args[0] as i32),
        ::libc::SYS_exit_group => End(args[0] as i32),
        // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
        // (`fault`).
        ::libc::SYS_futex => unsafe { futex(args) },
        ::libc::SYS_tgkill => sent(args[0], args[2] as i32),
        ::libc::SYS_kill => sent(args[0], args[1] as i32),
        ::libc::SYS_tkill => send(args[1] as i32),
        ::libc::SYS_getrandom => {
            let length = args[1].min(TRANSFER_MAX);
            touch(args[0], length);
            // SAFETY: the buffer is that of the program's call; a fault on the way is EFAULT
            // (`fault`).
            unsafe { random::fill_at(args[0], length) };
            Value(length as isize)
        }
        // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
        // (`fault`).
        ::libc::SYS_prctl => unsafe { control_process(args) },
        ::libc::SYS_arch_prctl => match args[0] {
            ARCH_GET_FS | ARCH_GET_GS => {
                touch(args[1], 8);
                Value(native(number, args))
            }
            _ => Unsupported("system call arch_prctl".into()),
        },
        ::libc::SYS_set_robust_list | ::libc::SYS_rseq => Value(0),
        ::libc::SYS_sched_yield => Value(0),
        // On which processor a thread runs, nothing it computes may depend on.
        ::libc::SYS_sched_setaffinity => Value(0),
        ::libc::SYS_membarrier => Value(if args[0] == 0 {
            0
        } else {
            -(::libc::EINVAL as isize)
        }),
        // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
        // (`fault`).
        _ => return unsafe { dispositions(number, args) },
    })
}

/// Signal actions, masks, and alternate stacks.
///
/// # Safety
/// The arguments are those of the program's call.
unsafe fn dispositions(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    Some(match number {
        ::libc::SYS_rt_sigaction => {
            touch(args[2], bytes::ACTION);
            // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
            // (`fault`).
            Value(unsafe { signals::action(args[0], args[1], args[2]) })
        }
        ::libc::SYS_rt_sigprocmask => {
            touch(args[2], 8);
            if !signal::is_mask_free() && args[1] != 0 && args[0] as i32 != ::libc::SIG_BLOCK {
                return Some(Unsupported(
                    "a signal mask that something else than pthread_sigmask sets, with signals to the process"
                        .into(),
                ));
            }
            // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
            // (`fault`).
            Value(unsafe { signals::mask(args[0], args[1], args[2]) })
        }
        ::libc::SYS_sigaltstack => {
            touch(args[1], bytes::STACK);
            // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
            // (`fault`).
            Value(unsafe { signals::alternate_stack(args[0], args[1]) })
        }
        ::libc::SYS_rt_sigpending => {
            touch(args[0], 8);
            // SAFETY: the program's argument. No signal is pending, ever.
            unsafe { *(args[0] as *mut u64) = 0 };
            Value(0)
        }
        _ => return None,
    })
}

/// `prctl`: names of threads, and questions about the process.
///
/// # Safety
/// The arguments are those of the program's call.
unsafe fn control_process(args: &mut Args) -> SyscallOutcome {
    match args[0] as i32 {
        option @ (::libc::PR_SET_NAME | ::libc::PR_GET_NAME) => {
            let sets = option == ::libc::PR_SET_NAME;
            if !sets {
                touch(args[1], attributes::NAME_BYTES);
            }
            // SAFETY: the address is the program's string or buffer of 16 bytes; a fault is EFAULT (`fault`).
            match unsafe { attributes::own_name(sets, args[1]) } {
                true => Value(0),
                false => Unsupported("prctl of a thread's name with pthread_getname_np".into()),
            }
        }
        ::libc::PR_GET_DUMPABLE | ::libc::PR_GET_NO_NEW_PRIVS => {
            Value(native(::libc::SYS_prctl, args))
        }
        option => Unsupported(format!("system call prctl (option {option})")),
    }
}

const ARCH_GET_FS: usize = 0x1003;
const ARCH_GET_GS: usize = 0x1004;

/// Answers a call on a futex that is a lock of libc's own, or that [`super::futex`] does not know.
/// Waiters are fibers, so the kernel knows of none.
///
/// # Safety
/// The arguments are those of the program's call.
unsafe fn futex(args: &Args) -> SyscallOutcome {
    let command = args[1] as i32 & !(::libc::FUTEX_PRIVATE_FLAG | ::libc::FUTEX_CLOCK_REALTIME);
    match command {
        ::libc::FUTEX_WAKE | ::libc::FUTEX_WAKE_BITSET => Value(0),
        ::libc::FUTEX_WAIT | ::libc::FUTEX_WAIT_BITSET => {
            // SAFETY: the address is the program's, as this function's caller guarantees; a fault
            // is EFAULT (`fault`).
            if unsafe { *(args[0] as *const u32) } != args[2] as u32 {
                return error(::libc::EAGAIN);
            }
            Unsupported("a wait on a futex".into())
        }
        _ => Unsupported(format!("system call futex (operation {command})")),
    }
}

/// The process of the root, and its parent: what the program is told in whichever process it runs.
static PROCESS: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static PARENT: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Notes that this is the process of the root, and its parent.
pub fn at_root() {
    let number = |call| native(call, &[0; 6]) as usize;
    PROCESS.store(number(::libc::SYS_getpid), Ordering::Relaxed);
    PARENT.store(number(::libc::SYS_getppid), Ordering::Relaxed);
}

/// Answers a call that sends a signal to a process or a group.
fn sent(process: usize, signal: i32) -> SyscallOutcome {
    if PROCESS.load(Ordering::Relaxed) != process {
        return Unsupported("a signal to another process".into());
    }
    send(signal)
}

/// Answers a call that sends a signal to this process.
fn send(signal: i32) -> SyscallOutcome {
    match signals::delivery(signal) {
        signals::Delivery::Ignored => Value(0),
        signals::Delivery::Fatal => Signal(signal),
        signals::Delivery::NotModelled => Unsupported(format!(
            "signal {signal}, which has a handler, is blocked, or stops the process"
        )),
    }
}

/// Calls that tell about the process or the system, and change nothing.
unsafe fn tell(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    match number {
        // The numbers that the process of the root has, whichever runs the execution. There is one OS
        // thread.
        ::libc::SYS_getpid | ::libc::SYS_gettid | ::libc::SYS_set_tid_address => {
            return Some(Value(PROCESS.load(Ordering::Relaxed) as isize));
        }
        ::libc::SYS_getppid => return Some(Value(PARENT.load(Ordering::Relaxed) as isize)),
        ::libc::SYS_getuid
        | ::libc::SYS_geteuid
        | ::libc::SYS_getgid
        | ::libc::SYS_getegid
        | ::libc::SYS_getpgrp
        | ::libc::SYS_getpgid
        | ::libc::SYS_getsid
        | ::libc::SYS_getpriority
        | ::libc::SYS_sched_getscheduler
        | ::libc::SYS_sched_get_priority_max
        | ::libc::SYS_sched_get_priority_min => {}
        ::libc::SYS_uname => touch(args[0], bytes::UTSNAME),
        ::libc::SYS_getrlimit => touch(args[1], bytes::RLIMIT),
        ::libc::SYS_prlimit64 if args[2] == 0 => touch(args[3], bytes::RLIMIT),
        ::libc::SYS_prlimit64 => return Some(Unsupported("a change of resource limits".into())),
        ::libc::SYS_sched_getaffinity => touch(args[2], args[1].min(4096)),
        ::libc::SYS_sched_getparam => touch(args[1], 4),
        ::libc::SYS_getgroups => touch(args[1], (args[0] as i32).max(0) as usize * 4),
        ::libc::SYS_getresuid | ::libc::SYS_getresgid => {
            args[..3].iter().for_each(|&result| touch(result, 4));
        }
        ::libc::SYS_getcpu => {
            // Always processor 0 of node 0: where the one OS thread really runs changes.
            for result in [args[0], args[1]].into_iter().filter(|&result| result != 0) {
                touch(result, 4);
                // SAFETY: `result` is an address of the program's, where its call wants a number; a
                // fault is EFAULT (`fault`).
                unsafe { *(result as *mut u32) = 0 };
            }
            return Some(Value(0));
        }
        // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
        // (`fault`).
        ::libc::SYS_getrusage => return Some(unsafe { usage(args) }),
        // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
        // (`fault`).
        ::libc::SYS_sysinfo => return Some(unsafe { system_information(args) }),
        _ => return None,
    }
    Some(Value(native(number, args)))
}

/// Virtual processor time, and nothing else used.
///
/// # Safety
/// The arguments are those of the program's `getrusage`.
unsafe fn usage(args: &Args) -> SyscallOutcome {
    touch(args[1], bytes::RUSAGE);
    let used = time::now(::libc::CLOCK_PROCESS_CPUTIME_ID) / 1000;
    // SAFETY: the address is the program's, as this function's caller guarantees; a fault is EFAULT
    // (`fault`).
    unsafe {
        let result = args[1] as *mut ::libc::rusage;
        core::ptr::write_bytes(result, 0, 1);
        (*result).ru_utime.tv_sec = used / 1_000_000;
        (*result).ru_utime.tv_usec = used % 1_000_000;
    }
    Value(0)
}

/// What the kernel said of the system the first time.
static SYSTEM: Kept<Plain<Option<::libc::sysinfo>>> = Kept::new(Plain::new(None));

/// Answers `sysinfo` with what the kernel said the first time, for ever: memory and load change.
///
/// # Safety
/// The arguments are those of the program's `sysinfo`.
unsafe fn system_information(args: &Args) -> SyscallOutcome {
    touch(args[0], bytes::SYSINFO);
    // SAFETY: one thread of the system runs here, and nothing else borrows `SYSTEM`; the address is
    // the program's, and a fault is EFAULT (`fault`).
    unsafe {
        let known = &mut *SYSTEM.get();
        let information = known.get_or_insert_with(|| {
            let mut information: ::libc::sysinfo = core::mem::zeroed();
            sys::call3(::libc::SYS_sysinfo, &raw mut information as usize, 0, 0);
            information
        });
        *(args[0] as *mut ::libc::sysinfo) = *information;
    }
    Value(0)
}
