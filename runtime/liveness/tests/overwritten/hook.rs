//! The function that programs call: overwrites what is dead.

use core::arch::naked_asm;
use core::ffi::c_long;
use core::ops::Range;
use dpor_liveness::{Caller, Frames};
use std::cell::RefCell;

/// What the hook does on this thread.
struct State {
    frames: Option<Frames>,
    dead: usize,
    stack: Range<usize>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Runs `program`, and overwrites what is dead as far as frames are known. Returns what it returns, and how much was dead.
pub fn with(frames: Option<Frames>, program: impl FnOnce() -> c_long) -> (c_long, usize) {
    let here = 0_u8;
    let end = (&raw const here) as usize & !15;
    let stack = end - (1 << 20)..end + 4096;
    STATE.set(Some(State {
        frames,
        dead: 0,
        stack,
    }));
    let result = program();
    let state = STATE.take().unwrap();
    (result, state.dead)
}

/// What a program calls: saves its registers, has the dead ones overwritten, restores them, and returns the argument
/// times 3.
#[unsafe(naked)]
pub extern "C" fn hook(_argument: c_long) -> c_long {
    naked_asm!(
        "lea rax, [rsp + 8]",
        "push rax",
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push rbp",
        "push rbx",
        "mov rsi, rsp",
        // Programs in assembly may call with any alignment.
        "mov rbx, rsp",
        "and rsp, -16",
        "call {overwrite}",
        "mov rsp, rbx",
        "pop rbx",
        "pop rbp",
        "pop r12",
        "pop r13",
        "pop r14",
        "pop r15",
        "add rsp, 8",
        "ret",
        overwrite = sym overwrite,
    )
}

extern "C" fn overwrite(argument: c_long, caller: &mut Caller) -> c_long {
    STATE.with_borrow_mut(|state| {
        if let Some(State {
            frames: Some(frames),
            dead,
            stack,
        }) = state
        {
            // SAFETY: the registers are those that the hook found, and compilers wrote the information on frames.
            *dead += unsafe { frames.overwrite_dead(caller, stack, 0xdead_beef_dead_beef) };
        }
    });
    argument.wrapping_mul(3)
}
