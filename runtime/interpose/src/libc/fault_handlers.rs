//! Faults that a handler of the program's own takes.
//!
//! The kernel knows only the runtime's handler. That one lays out on the program's stack, or on its alternate
//! one, what the kernel would have: the registers, the state of the vector unit, and what the signal is; and
//! lets the interrupted fiber go on in [`arrived`]. That calls the handler and returns by the system call by
//! which handlers return, so that registers that the handler changed are those with which the program goes
//! on. A handler may also leave with `siglongjmp`.
//!
//! A fault in an access that the runtime makes for the program (atomic and volatile ones are events) is noted, and
//! taken where nothing is under way ([`faulting`]).
//!
//! Source: `rt_sigframe` and `_fpx_sw_bytes` in Linux' arch/x86/include; signal(7).

use crate::engine::accesses::faulting;
use crate::engine::runtime::CALL_SITE;
use crate::engine::signals::{call_with, registers, return_to};
use crate::engine::{object, own_image};
use crate::hooks;
use crate::libc::signals;
use crate::libc::syscalls::touch;
use crate::pthread::happens_before;
use core::ffi::{c_int, c_void};
use dpor_abi::libc_call::Hidden;
use dpor_model::{Kind, Operation};

/// What a handler is given.
#[repr(C)]
struct Frame {
    context: ::libc::ucontext_t,
    information: ::libc::siginfo_t,
    signal: c_int,
    /// The runtime's registers, if these are what the handler is shown.
    own: Option<[i64; 23]>,
}

/// Bytes below the stack pointer that belong to the interrupted function (System V ABI for x86-64, 3.2.2).
const RED_ZONE: usize = 128;
/// Where the vector unit's state says how large it is, its mark, and the size without that.
const SIZE_OFFSET: usize = 464;
const SIZE_MARK: u32 = 0x4650_5853;
const LEGACY_BYTES: usize = 512;
const DIRECTION_FLAG: i64 = 1 << 10;

/// The running fiber faulted. True: a handler of the program's takes the signal. `overflow`: its stack has no
/// room for one.
pub fn takes(
    signal: c_int,
    information: *const ::libc::siginfo_t,
    context: *mut c_void,
    overflow: bool,
) -> bool {
    let me = crate::engine::thread();
    let trapped = faulting::trapped(&mut registers(context)[::libc::REG_RIP as usize]);
    let is_own = trapped.is_some();
    let (signal, information) = trapped.unwrap_or((signal, information));
    let action = signals::action_of(signal);
    // SAFETY: a fiber was interrupted: its own thread's mask is in the world, and nobody else uses it.
    let is_blocked = unsafe { *signals::mask_of(me) } >> (signal - 1) & 1 == 1;
    if matches!(action.handler, ::libc::SIG_DFL | ::libc::SIG_IGN) || is_blocked {
        return false;
    }
    let gregs = registers(context);
    let interrupted = gregs[::libc::REG_RSP as usize] as usize;
    let alternate = match action.flags & ::libc::SA_ONSTACK as usize {
        0 => None,
        _ => signals::alternate_stack_of(me),
    };
    let top = match alternate {
        Some((start, bytes)) if !(start..start + bytes).contains(&interrupted) => start + bytes,
        None if overflow => return false,
        _ => interrupted - RED_ZONE,
    };
    let instruction = &mut gregs[::libc::REG_RIP as usize];
    if !is_own && own_image::is_own(*instruction as usize) {
        // SAFETY: the kernel's, valid until the handler of the fault returns.
        let information = unsafe { &*information };
        if !faulting::note(signal, information, instruction) {
            crate::engine::unsupported(
                "a signal handler for a fault in the runtime, on behalf of the program",
            );
        }
        return true;
    }
    crate::engine::endless::end_watch(context);
    // SAFETY: the kernel's frame, until this handler returns; the program's stack, which is written as the
    // kernel would.
    let frame = unsafe {
        let given = context.cast::<::libc::ucontext_t>();
        let state = (*given).uc_mcontext.fpregs.cast::<u8>();
        let bytes = state_bytes(state);
        let vector = (top - bytes) & !63;
        let frame = (vector - size_of::<Frame>()) & !63;
        touch(frame, top - frame);
        if !state.is_null() {
            core::ptr::copy_nonoverlapping(state, vector as *mut u8, bytes);
        }
        let frame = frame as *mut Frame;
        core::ptr::copy_nonoverlapping(given, &raw mut (*frame).context, 1);
        core::ptr::copy_nonoverlapping(information, &raw mut (*frame).information, 1);
        (*frame).signal = signal;
        (&raw mut (*frame).own).write(is_own.then_some((*given).uc_mcontext.gregs));
        if !state.is_null() {
            (*frame).context.uc_mcontext.fpregs = (vector as *mut u8).cast();
        }
        frame
    };
    gregs[::libc::REG_EFL as usize] &= !DIRECTION_FLAG;
    call_with(context, arrived, frame as usize, frame as usize);
    true
}

/// Bytes of the vector unit's state.
///
/// # Safety
/// It is null or the kernel's.
unsafe fn state_bytes(state: *const u8) -> usize {
    if state.is_null() {
        return 0;
    }
    // SAFETY: the caller's state has at least 512 bytes, in which these fields lie.
    let words = unsafe { state.add(SIZE_OFFSET).cast::<[u32; 2]>().read() };
    match words[0] == SIZE_MARK {
        true => words[1] as usize,
        false => LEGACY_BYTES,
    }
}

/// On the fiber, as the kernel would begin the handler.
extern "C" fn arrived(frame: usize) -> ! {
    let frame = frame as *mut Frame;
    let me = crate::engine::thread();
    let site = CALL_SITE.get();
    let table = object::hidden(Hidden::Signals as u32);
    let event = |kind| {
        crate::engine::perform(Operation {
            object: table,
            ..crate::engine::operation(kind)
        });
    };
    event(Kind::SharedRead);
    // SAFETY: `takes` put the frame on the fiber's stack, and nothing on that stack is below it.
    let signal = unsafe { (*frame).signal };
    let action = signals::action_of(signal);
    if matches!(action.handler, ::libc::SIG_DFL | ::libc::SIG_IGN) {
        crate::engine::unsupported("a fault while another thread removes its handler");
    }
    happens_before::acquire(table);
    if action.flags & ::libc::SA_RESETHAND as usize != 0 {
        event(Kind::SharedWrite);
        signals::reset(signal);
    }
    let deferred = match action.flags & ::libc::SA_NODEFER as usize {
        0 => 1 << (signal - 1),
        _ => 0,
    };
    // SAFETY: the running thread's own mask; the frame; the handler is the program's, called as it was
    // installed.
    unsafe {
        let mask = signals::mask_of(me);
        let shown = (&raw mut (*frame).context.uc_sigmask).cast::<u64>();
        // The kernel's mask is the runtime's.
        let real = shown.replace(*mask);
        *mask |= action.mask | deferred;
        type Handler = unsafe extern "C" fn(c_int, *mut ::libc::siginfo_t, *mut c_void);
        let handler = core::mem::transmute::<usize, Handler>(action.handler);
        let context = &raw mut (*frame).context;
        handler(signal, &raw mut (*frame).information, context.cast());
        if (*frame)
            .own
            .is_some_and(|own| own != (*context).uc_mcontext.gregs)
        {
            crate::engine::unsupported("a signal handler that changes registers for a fault in an atomic or volatile access");
        }
        let is_access = matches!(signal, ::libc::SIGSEGV | ::libc::SIGBUS);
        if is_access && (*frame).own.is_none() && hooks::plain_is_explored() {
            crate::engine::unsupported(
                "a signal handler that returns to an access, with --plain=explore",
            );
        }
        *signals::mask_of(me) = shown.replace(real);
        CALL_SITE.set(site);
        return_to(context as usize)
    }
}
