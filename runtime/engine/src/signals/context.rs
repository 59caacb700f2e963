//! The registers of what a signal interrupted, and ways to have it go on with something else.

use crate::knowledge::findings::FatalFinding;
use crate::runtime::{runtime, CALL_SITE};
use crate::world::world;
use crate::{call_stacks, findings, own_image, scoped_cell};
use core::arch::global_asm;
use core::ffi::c_void;
use dpor_machine::fiber::x86_64::resume;
use dpor_model::{Kind, Next, Operation, SiteId};
use dpor_report::FindingKind;

extern "C" {
    /// Returns from a handler: rt_sigreturn(2).
    #[link_name = "__restore_rt"]
    pub(crate) fn restorer();
    /// Calls the function in rdi with argument rsi on a freshly aligned stack.
    #[link_name = "dpor_rt_call"]
    fn call();
    /// Goes on with the registers of the `ucontext_t` at this address.
    #[link_name = "dpor_rt_return_to"]
    pub fn return_to(context: usize) -> !;
}

global_asm!(
    ".text",
    // By this name debuggers know that behind it comes what the signal interrupted.
    ".hidden __restore_rt",
    ".globl __restore_rt",
    ".type __restore_rt, @function",
    "nop",
    "__restore_rt:",
    "mov eax, 15",
    "syscall",
    // The dispatched address is the one after the instruction: keep it inside the range.
    "nop",
    "nop",
    ".size __restore_rt, . - __restore_rt",
    ".hidden dpor_rt_return_to",
    ".globl dpor_rt_return_to",
    "dpor_rt_return_to:",
    "mov rsp, rdi",
    "jmp __restore_rt",
    ".hidden dpor_rt_call",
    ".globl dpor_rt_call",
    "dpor_rt_call:",
    "and rsp, -16",
    "mov rax, rdi",
    "mov rdi, rsi",
    "call rax",
    "ud2",
);

/// The registers that the interrupted code goes on with.
pub fn registers<'a>(context: *mut c_void) -> &'a mut [i64; 23] {
    // SAFETY: the kernel passes a valid ucontext, which is ours until the handler returns.
    unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs }
}

/// Makes the interrupted fiber's step end as if it had published `next`; the engine goes on.
pub fn leave_fiber(context: *mut c_void, next: Next) {
    scoped_cell::all_are_over();
    let rt = runtime();
    // SAFETY: a fiber was interrupted, as the callers checked: runtime and world are there, and the engine, inside a
    // step, holds no reference to either.
    unsafe {
        let t = (*rt).current.0 as usize;
        if let Next::Operation(operation) = next {
            (*world()).threads[t].fiber.pending = operation.kind as u8;
            (*world()).threads[t].fiber.argument = operation.argument;
        }
        (*rt).executed.next = next;
        let gregs = registers(context);
        gregs[libc::REG_RDI as usize] = (*rt).engine_stack_pointer as i64;
        gregs[libc::REG_RIP as usize] = resume as *const () as i64;
    }
}

/// Makes the interrupted fiber call `function(argument)`, which does not return.
pub fn call_on_fiber(context: *mut c_void, function: extern "C" fn(usize) -> !, argument: usize) {
    scoped_cell::all_are_over();
    let stack = registers(context)[libc::REG_RSP as usize] as usize - 256;
    call_with(context, function, argument, stack);
}

/// Makes the interrupted fiber call `function(argument)`, which does not return, on another stack.
pub fn call_with(
    context: *mut c_void,
    function: extern "C" fn(usize) -> !,
    argument: usize,
    stack: usize,
) {
    let gregs = registers(context);
    // The function's own frame hides who called.
    CALL_SITE.set(call_stacks::of_interrupted(CALL_SITE.get(), gregs));
    gregs[libc::REG_RSP as usize] = stack as i64;
    gregs[libc::REG_RDI as usize] = function as *const () as i64;
    gregs[libc::REG_RSI as usize] = argument as i64;
    gregs[libc::REG_RIP as usize] = call as *const () as i64;
}

/// The process dies in the running fiber: an event that conflicts with everything.
pub fn die(context: *mut c_void, kind: FindingKind, message: String, details: Vec<String>) {
    let site = CALL_SITE.get();
    let instruction = registers(context)[libc::REG_RIP as usize] as u64;
    // An access that the runtime makes for the program (a hook, a copy) is at the program's site.
    let instruction = if own_image::is_own(instruction as usize) {
        0
    } else {
        instruction
    };
    findings::sentence_of(FatalFinding {
        kind,
        message,
        site,
        instruction,
        object: None,
        details,
        calls: call_stacks::of(registers(context)),
    });
    leave_before_exit(context);
}

/// Makes the interrupted fiber's step end as if it were about to end the process.
pub fn leave_before_exit(context: *mut c_void) {
    leave_fiber(
        context,
        Next::Operation(Operation::new(Kind::Exit, SiteId::UNKNOWN)),
    );
}
