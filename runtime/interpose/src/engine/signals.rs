//! Signals while the program is explored: page faults of the snapshot, crashes, system calls, the
//! step limit, and requests to stop.
//!
//! All handlers run on one alternate stack, with the thread pointer of whatever was interrupted,
//! and return through a restorer in this library's text (a system call from libc's restorer would
//! be dispatched again). A handler that ends a fiber does not return into it: it changes the saved
//! context so that the engine goes on, as if the fiber had published its end.

use super::between::Shared;
use super::runtime::{runtime, Stop, ACTIVE, CALL_SITE, SELECTOR};
use super::{findings, guard, journal, root, run, unblocked};
use crate::fiber::x86_64::resume;
use crate::hooks::missing_return;
use crate::libc::futex;
use crate::libc::opaque::{self, Step};
use crate::libc::overlay::mapped;
use crate::libc::syscalls::{fault, memory, SyscallOutcome};
use crate::probe;
use crate::pthread::cancel;
use crate::scoped_cell;
use crate::snapshot::Range;
use crate::sys;
use crate::world::world;
use core::arch::global_asm;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use dpor_abi::journal::Announced;
use dpor_explorer::program::{Kind, Next, Operation};
use dpor_report::FindingKind;

/// Bytes of the alternate stack.
const STACK_BYTES: usize = 1 << 20;
static STACK: AtomicUsize = AtomicUsize::new(0);

/// The alternate stack, which the snapshot must leave alone.
pub fn stack_range() -> Range {
    let start = STACK.load(Ordering::Relaxed);
    (start, start.wrapping_add(2 * STACK_BYTES))
}

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

extern "C" {
    #[link_name = "__restore_rt"]
    fn restorer();
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

/// Takes over: alternate stack, handlers, timer, system call dispatch. On thread 0, at the root.
pub fn install() {
    INTERRUPTED.install(Box::default());
    let Some(stack) = sys::map(0, 2 * STACK_BYTES, libc::MAP_PRIVATE | libc::MAP_NORESERVE) else {
        crate::start::refuse("no memory for the signal stack");
    };
    STACK.store(stack as usize, Ordering::Relaxed);
    let alternate = libc::stack_t {
        // The lower half is there to be overflowed into (`on_fault`).
        ss_sp: stack.wrapping_add(STACK_BYTES).cast(),
        ss_flags: 0,
        ss_size: STACK_BYTES,
    };
    // SAFETY: fresh memory that nobody else uses; what the program has goes to our own state.
    unsafe {
        let before = crate::libc::signals::alternate_stack_at_root();
        sys::call3(
            libc::SYS_sigaltstack,
            &raw const alternate as usize,
            before,
            0,
        )
    };
    for signal in unblocked::FAULTS {
        handle(signal, on_fault);
    }
    probe::begin();
    handle(libc::SIGSYS, on_system_call);
    handle(libc::SIGINT, on_stop);
    handle(libc::SIGTERM, on_stop);
    handle(libc::SIGPROF, on_tick);
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
            crate::libc::signals::action_at_root(signal),
            8,
            0,
            0,
        )
    };
}

/// CPU time between two looks at the running step, in microseconds.
const TICK_US: i64 = 20_000;

fn arm() {
    let tick = libc::timeval {
        tv_sec: 0,
        tv_usec: TICK_US,
    };
    let timer = libc::itimerval {
        it_interval: tick,
        it_value: tick,
    };
    let (start, end) = root::own_text();
    // SAFETY: valid pointers; system calls from the runtime's own text are let through.
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
            crate::start::refuse(
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
    // SAFETY: a zero timer is off.
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

/// Number of faults of pages that were written for the first time.
static FAULTS: AtomicU64 = AtomicU64::new(0);

/// How many faults told that a page is written.
pub fn faults() -> u64 {
    FAULTS.load(Ordering::Relaxed)
}

/// The serial number of the step that [`on_tick`] saw last.
static SEEN_SERIAL: AtomicU64 = AtomicU64::new(u64::MAX);
/// Number of ticks in that step.
static TICKS: AtomicU64 = AtomicU64::new(0);

/// The running thread at the last tick. A loop over atomic variables makes events without end, in one thread.
static SEEN_THREAD: AtomicU64 = AtomicU64::new(0);
static TICKS_OF_THREAD: AtomicU64 = AtomicU64::new(0);
/// A signal asks to stop. In the arena: processes that run executions for each other all see it.
static INTERRUPTED: Shared<AtomicBool> = Shared::nothing();

/// Whether a signal asked to stop.
pub fn is_interrupted() -> bool {
    // SAFETY: there since [`install`], for good.
    unsafe { (*INTERRUPTED.get()).load(Ordering::Relaxed) }
}

/// Ticks that an interrupted execution still gets to end by itself.
static PATIENCE: AtomicU64 = AtomicU64::new(10);
/// There was a tick since [`take_tick`] was asked last.
static TICKED: AtomicBool = AtomicBool::new(false);

/// Whether this process used up [`TICK_US`] of the processor's time since this was asked last.
#[inline]
pub fn take_tick() -> bool {
    TICKED.load(Ordering::Relaxed) && TICKED.swap(false, Ordering::Relaxed)
}

/// A new execution begins.
pub fn execution_begins() {
    TICKS.store(0, Ordering::Relaxed);
    TICKS_OF_THREAD.store(0, Ordering::Relaxed);
    opaque::execution_begins();
}

/// The registers that the interrupted code goes on with.
pub fn registers<'a>(context: *mut c_void) -> &'a mut [i64; 23] {
    // SAFETY: the kernel passes a valid ucontext, which is ours until the handler returns.
    unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs }
}

/// Makes the interrupted fiber's step end as if it had published `next`; the engine goes on.
pub fn leave_fiber(context: *mut c_void, next: Next) {
    scoped_cell::all_are_over();
    let rt = runtime();
    // SAFETY: a fiber runs (the callers checked); the engine waits in `step`.
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
fn call_on_fiber(context: *mut c_void, function: extern "C" fn(usize) -> !, argument: usize) {
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
    gregs[libc::REG_RSP as usize] = stack as i64;
    gregs[libc::REG_RDI as usize] = function as *const () as i64;
    gregs[libc::REG_RSI as usize] = argument as i64;
    gregs[libc::REG_RIP as usize] = call as *const () as i64;
}

/// The process dies in the running fiber: an event that conflicts with everything.
pub fn die(context: *mut c_void, kind: FindingKind, message: String, details: Vec<String>) {
    let site = CALL_SITE.load(Ordering::Relaxed);
    let instruction = registers(context)[libc::REG_RIP as usize] as u64;
    // An access that the runtime makes for the program (a hook, a copy) is at the program's site.
    let instruction = if root::is_own(instruction as usize) {
        0
    } else {
        instruction
    };
    findings::sentence(kind, message, site, instruction, details);
    leave_before_exit(context);
}

/// Makes the interrupted fiber's step end as if it were about to end the process.
pub fn leave_before_exit(context: *mut c_void) {
    leave_fiber(context, Next::Operation(Operation::new(Kind::Exit, 0)));
}

unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid pointers.
    let address = unsafe { (*info).si_addr() } as usize;
    // A handler that faults itself, because what it reads was overwritten, would do so for ever: when its
    // stack is used up, the system begins at the top again.
    let below = (&raw const address as usize)
        .wrapping_sub(registers(context)[libc::REG_RSP as usize] as usize);
    if below < STACK_BYTES * 3 / 2 {
        internal_fault(signal, address, context);
    }
    if probe::catch(registers(context)) {
        return;
    }
    let guarded = guard::pause();
    if signal != libc::SIGSEGV || !guard::fault(guarded, address, context) {
        fault(signal, info, context);
        guard::go_on(guarded, context);
    }
}

fn fault(signal: c_int, info: *const libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid pointer.
    let address = unsafe { (*info).si_addr() } as usize;
    let rt = runtime();
    // SAFETY: the snapshot changes nothing but its own lists and protections.
    let snapshots = unsafe { (*rt).snapshots.as_mut() };
    if signal == libc::SIGSEGV && snapshots.is_some_and(|s| s.promote(address)) {
        FAULTS.fetch_add(1, Ordering::Relaxed);
        return;
    }
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS) && fault::catch(registers(context)) {
        return;
    }
    let own = root::is_own(registers(context)[libc::REG_RIP as usize] as usize);
    let checks = registers(context)[libc::REG_EFL as usize] & ALIGNMENT_CHECK != 0;
    if signal == libc::SIGBUS && own && checks {
        return leave_uncaught(signal, context);
    }
    if !ACTIVE.load(Ordering::Relaxed) || is_on_signal_stack(context) {
        internal_fault(signal, address, context);
    }
    if signal == libc::SIGSEGV && address == 0 && emulate_rdtsc(context) {
        return;
    }
    if signal == libc::SIGTRAP && super::endless::stepped(context) {
        return;
    }
    let without_value = missing_return::take();
    let kind = if signal == libc::SIGABRT {
        FindingKind::Abort
    } else {
        FindingKind::Crash
    };
    // SAFETY: the handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    let current = unsafe { (*rt).current };
    let (low, bytes) = super::stack_of(current);
    let overflow =
        signal == libc::SIGSEGV && current.0 != 0 && address >= low && address < low + sys::PAGE
            || signal == libc::SIGSEGV
                && current.0 == 0
                && near_stack_pointer(context, address, low + bytes);
    // Pages beyond the end of a file are not accessible here; the kernel has another signal for them.
    let signal = match signal == libc::SIGSEGV && mapped::is_beyond_end(address) {
        true => libc::SIGBUS,
        false => signal,
    };
    if signal != libc::SIGABRT && super::fault_handlers::takes(signal, info, context, overflow) {
        return;
    }
    if let Some((message, site)) = without_value.filter(|_| signal == libc::SIGILL) {
        findings::sentence(kind, message, site, 0, Vec::new());
        return leave_before_exit(context);
    }
    let what = match signal {
        _ if overflow => "stack overflow",
        libc::SIGSEGV => "segmentation fault (SIGSEGV)",
        libc::SIGBUS => "bus error (SIGBUS)",
        libc::SIGFPE => "arithmetic exception (SIGFPE)",
        libc::SIGILL => "illegal instruction (SIGILL)",
        libc::SIGABRT => "abort (SIGABRT)",
        _ => "trap (SIGTRAP)",
    };
    let details = match signal {
        libc::SIGSEGV | libc::SIGBUS => vec![format!("address {address:#x}")],
        _ => Vec::new(),
    };
    die(context, kind, what.to_owned(), details);
}

/// The flag by which a program has the processor refuse accesses that are not aligned (AC; Intel SDM, volume 1,
/// 3.4.3). The runtime and libc make such accesses: with it the checker cannot go on, nor catch that.
const ALIGNMENT_CHECK: i64 = 1 << 18;

/// A word to read from at an address that is not aligned.
static ALIGNED: u64 = 0;

/// A step of the program's ended: the process dies here if the program left the flag on, and not wherever the first
/// access is that is not aligned, which is up to the compiler and to what libc chooses for the processor.
#[inline(always)]
pub fn refuse_alignment_check() {
    // SAFETY: four of its eight bytes.
    unsafe {
        core::arch::asm!("mov {0:e}, dword ptr [{1} + 1]", out(reg) _, in(reg) &raw const ALIGNED,
            options(nostack, preserves_flags));
    }
}

/// The instruction is repeated, and the process dies of its fault, as it does where the handler cannot even run:
/// the system ends a process that faults while the signal is blocked (sigprocmask(2)).
fn leave_uncaught(signal: c_int, context: *mut c_void) {
    // SAFETY: the kernel passes a valid pointer; its mask is one word.
    unsafe {
        let mask = (&raw mut (*context.cast::<libc::ucontext_t>()).uc_sigmask).cast::<u64>();
        *mask |= 1 << (signal - 1);
    }
}

/// Whether a fault of thread 0 lies just below its stack pointer, far below its stack's end.
fn near_stack_pointer(context: *mut c_void, address: usize, stack_end: usize) -> bool {
    let pointer = registers(context)[libc::REG_RSP as usize] as usize;
    let near = address.abs_diff(pointer) < 1 << 16;
    near && pointer < stack_end && stack_end - pointer > 1 << 20
}

/// Under `PR_SET_TSC` the time stamp counter faults, a general protection fault, which has no address: give it the
/// thread's virtual time.
fn emulate_rdtsc(context: *mut c_void) -> bool {
    let gregs = registers(context);
    let instruction = gregs[libc::REG_RIP as usize] as *const u8;
    if instruction.is_null() {
        return false;
    }
    // SAFETY: a fault without an address is not one of reading the instruction, unless that is at 0: it is
    // readable. It has at least two bytes, and a third is read only for the two-byte opcode that has one.
    let length = unsafe {
        match (*instruction, *instruction.add(1)) {
            (0x0f, 0x31) => 2,
            (0x0f, 0x01) if *instruction.add(2) == 0xf9 => 3,
            _ => return false,
        }
    };
    let now = crate::libc::time::now(libc::CLOCK_MONOTONIC) as u64;
    gregs[libc::REG_RAX as usize] = (now & 0xffff_ffff) as i64;
    gregs[libc::REG_RDX as usize] = (now >> 32) as i64;
    if length == 3 {
        gregs[libc::REG_RCX as usize] = 0;
    }
    gregs[libc::REG_RIP as usize] += length;
    true
}

/// Whether the interrupted code was a handler itself.
fn is_on_signal_stack(context: *mut c_void) -> bool {
    let (start, end) = stack_range();
    (start..end).contains(&(registers(context)[libc::REG_RSP as usize] as usize))
}

/// Whether the interrupted code is about to go to a fiber, or came from one a moment ago: the way back to the engine
/// is not known yet, or has been taken.
fn is_on_engine_stack(context: *mut c_void) -> bool {
    let (start, end) = super::runtime::engine_stack();
    (start..end).contains(&(registers(context)[libc::REG_RSP as usize] as usize))
}

fn internal_fault(signal: c_int, address: usize, context: *mut c_void) -> ! {
    if journal::is_announced() {
        // It came from here: what is read below was overwritten, too.
        sys::exit_group(run::DIED);
    }
    let instruction = registers(context)[libc::REG_RIP as usize] as u64;
    journal::announce(Announced::Fault(signal as u32), address, instruction);
    // A driver sees whose fault it is.
    if crate::start::options().is_none_or(|options| options.journal < 0) {
        let text = format!(
            "[dpor internal bug] signal {signal} at {address:#x}, instruction {instruction:#x}\n"
        );
        sys::write_all(2, text.as_bytes());
    }
    sys::exit_group(run::DIED)
}

/// Offset of `si_arch` in the kernel's `siginfo` for SIGSYS, and its value for 64-bit calls
/// (`<linux/audit.h>`).
const ARCHITECTURE_OFFSET: usize = 28;
const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;

unsafe extern "C" fn on_system_call(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    answer(info, context);
    guard::go_on(guarded, context);
}

fn answer(info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes 128 bytes.
    let architecture = unsafe { *info.byte_add(ARCHITECTURE_OFFSET).cast::<u32>() };
    if architecture != AUDIT_ARCH_X86_64 && ACTIVE.load(Ordering::Relaxed) {
        super::unsupported("a system call of the 32-bit interface");
    }
    let gregs = registers(context);
    let number = gregs[libc::REG_RAX as usize];
    let mut arguments = [
        gregs[libc::REG_RDI as usize] as usize,
        gregs[libc::REG_RSI as usize] as usize,
        gregs[libc::REG_RDX as usize] as usize,
        gregs[libc::REG_R10 as usize] as usize,
        gregs[libc::REG_R8 as usize] as usize,
        gregs[libc::REG_R9 as usize] as usize,
    ];
    let instruction = gregs[libc::REG_RIP as usize] as usize;
    let stack_pointer = gregs[libc::REG_RSP as usize] as usize;
    let active = ACTIVE.load(Ordering::Relaxed);
    if active && number == libc::SYS_futex && futex::is_programs(&arguments, instruction) {
        super::endless::end_watch(context);
        return opaque::redirect(gregs);
    }
    if active && opaque::step(number, &arguments, instruction, stack_pointer) == Step::Event {
        super::endless::end_watch(context);
        return opaque::redirect(gregs);
    }
    if active {
        memory::note_caller(number, stack_pointer);
    }
    match fault::guarded(number, &mut arguments, active) {
        SyscallOutcome::Value(value) => gregs[libc::REG_RAX as usize] = value as i64,
        SyscallOutcome::End(code) => call_on_fiber(context, end_on_fiber, code as usize),
        SyscallOutcome::EndThread(code) => {
            call_on_fiber(context, end_thread_on_fiber, code as usize);
        }
        SyscallOutcome::Signal(signal) => signalled(context, signal),
        SyscallOutcome::OnThread => {
            super::endless::end_watch(context);
            opaque::redirect_answered(registers(context));
        }
        SyscallOutcome::Unsupported(what) => super::unsupported(&what),
    }
}

extern "C" fn end_on_fiber(code: usize) -> ! {
    super::end_process(code as i32)
}

extern "C" fn end_thread_on_fiber(code: usize) -> ! {
    crate::pthread::thread::end_by_system_call(code as i32)
}

/// The program sends itself a signal whose default action ends it.
fn signalled(context: *mut c_void, signal: i32) {
    let (kind, message) = match signal {
        libc::SIGABRT => (FindingKind::Abort, "abort (SIGABRT)".to_owned()),
        _ => (
            FindingKind::Crash,
            format!("the program sends itself signal {signal}"),
        ),
    };
    die(context, kind, message, Vec::new());
}

unsafe extern "C" fn on_stop(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    // SAFETY: there since [`install`], for good.
    unsafe { (*INTERRUPTED.get()).store(true, Ordering::Relaxed) };
    guard::go_on(guarded, context);
}

unsafe extern "C" fn on_tick(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    TICKED.store(true, Ordering::Relaxed);
    tick(context);
    guard::go_on(guarded, context);
}

fn tick(context: *mut c_void) {
    if !ACTIVE.load(Ordering::Relaxed) || is_on_signal_stack(context) || is_on_engine_stack(context)
    {
        return;
    }
    let rt = runtime();
    // SAFETY: a fiber runs, which the handler interrupts, and the engine waits. The fiber may hold references
    // to what it changes at the moment, so these are looked at and nothing else; it changes none of them.
    let (watches, guards, seconds, thread, serial) = unsafe {
        let seconds = (*rt).options.step_limit_seconds;
        let (watches, guards) = ((*rt).watch.is_some(), (*rt).deaths.is_some());
        (watches, guards, seconds, (*rt).current, (*rt).serial)
    };
    if watches {
        return;
    }
    if is_interrupted() && PATIENCE.fetch_sub(1, Ordering::Relaxed) == 0 {
        run::stop_now(run::interrupted());
    }
    run::check_time_limit();
    let slower = if guards { guard::FACTOR } else { 1.0 };
    let limit_us = (seconds * slower * 1e6) as i64;
    let is_over = |ticks: &AtomicU64| {
        (ticks.fetch_add(1, Ordering::Relaxed) + 1) as i64 * TICK_US >= limit_us
    };
    if SEEN_THREAD.swap(u64::from(thread.0), Ordering::Relaxed) != u64::from(thread.0) {
        TICKS_OF_THREAD.store(0, Ordering::Relaxed);
    }
    if SEEN_SERIAL.swap(serial, Ordering::Relaxed) != serial {
        TICKS.store(0, Ordering::Relaxed);
        if is_over(&TICKS_OF_THREAD) {
            let instruction = registers(context)[libc::REG_RIP as usize] as u64;
            // SAFETY: as above; fibers do not look at it.
            unsafe { (*rt).stopped_at = instruction };
            run::stop_now(Stop::Incomplete(
                "step limit: a thread ran long while no other did".to_owned(),
            ));
        }
    } else if is_over(&TICKS) && !root::is_own(registers(context)[libc::REG_RIP as usize] as usize)
    {
        // Not from inside a hook, which may be in the middle of an allocation: a later tick will do.
        TICKS.store(0, Ordering::Relaxed);
        if cancel::is_anywhere() {
            super::unsupported("a loop without events in a thread with asynchronous cancellation");
        }
        super::endless::begin(context);
    }
}
