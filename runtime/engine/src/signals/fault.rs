//! Faults: of a page, of an instruction, of arithmetic, a trap, an abort. Several parts of the runtime make some on
//! purpose, the program may handle its own, and what is left is its death or a fault of the runtime's.
//!
//! Who may own a fault is asked one after the other, in the order of [`OWNERS`].

use crate::accesses::missing_return;
use crate::given::system;
use crate::properties::look;
use crate::runtime::{runtime, ACTIVE};
use crate::signals::alignment::{leave_uncaught, ALIGNMENT_CHECK};
use crate::signals::context::{die, leave_before_exit, registers};
use crate::signals::stack::{is_on_signal_stack, STACK_BYTES};
use crate::signals::time_stamp::emulate_rdtsc;
use crate::{endless, findings, guard, journal, own_image, turn};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use dpor_abi::journal::Announced;
use dpor_machine::state::Kept;
use dpor_machine::{probe, sys};
use dpor_report::FindingKind;

/// A fault as the kernel tells of it.
struct Fault {
    /// The signal's number.
    signal: c_int,
    /// The kernel's `siginfo`, valid until the handler returns.
    info: *const libc::siginfo_t,
    /// The kernel's `ucontext`, valid until the handler returns.
    context: *mut c_void,
    /// The address that was accessed (SIGSEGV, SIGBUS), or the instruction's.
    address: usize,
}

/// Says whether the fault is this owner's, who then did what there was to do.
type Owner = fn(&Fault) -> bool;

/// Who may own a fault, in the order in which they are asked. Pages that are guarded ([`guard`]) come before all:
/// what the owners themselves touch may be guarded, too.
const OWNERS: [Owner; 8] = [
    // Most faults are these, and what they are about is not accessible to those behind.
    first_write_of_page,
    // Before the program's handlers and the runtime's own faults: the runtime reads for the program here.
    read_for_system_call,
    // No fiber runs while a property is looked at.
    fault_of_property,
    // Its instruction is the runtime's own.
    alignment_check_left_on,
    // From here on a fiber runs, and was interrupted in code of the program's or in a hook.
    own_fault,
    time_stamp,
    single_step,
    programs_fault,
];

pub(crate) unsafe extern "C" fn on_fault(
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
) {
    let fault = Fault {
        signal,
        info,
        context,
        // SAFETY: the kernel passes a valid `siginfo`, which is ours until the handler returns.
        address: unsafe { (*info).si_addr() } as usize,
    };
    own_stack_overflowed(&fault);
    if probe::catch(registers(context)) {
        return;
    }
    let guarded = guard::pause();
    if signal != libc::SIGSEGV || !guard::fault(guarded, fault.address, context) {
        let _ = OWNERS.iter().any(|owner| owner(&fault));
        guard::go_on(guarded, context);
    }
}

/// Ends the process if a handler used up its stack.
fn own_stack_overflowed(fault: &Fault) {
    // A handler that faults itself, because what it reads was overwritten, would do so for ever: when its
    // stack is used up, the system begins at the top again.
    let below = (&raw const fault.address as usize)
        .wrapping_sub(registers(fault.context)[libc::REG_RSP as usize] as usize);
    if below < STACK_BYTES * 3 / 2 {
        internal_fault(fault);
    }
}

/// Number of faults of pages that were written for the first time.
static FAULTS: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// How many faults told that a page is written.
pub fn faults() -> u64 {
    FAULTS.load(Ordering::Relaxed)
}

/// A page that the snapshot protects is written for the first time since.
fn first_write_of_page(fault: &Fault) -> bool {
    // SAFETY: the runtime is there since before the handlers; the snapshot changes nothing but its own lists and
    // protections, which the interrupted code, the program's, does not use.
    let snapshots = unsafe { (*runtime()).snapshots.as_mut() };
    let is_promoted =
        fault.signal == libc::SIGSEGV && snapshots.is_some_and(|s| s.promote(fault.address));
    if is_promoted {
        FAULTS.fetch_add(1, Ordering::Relaxed);
    }
    is_promoted
}

/// A system call that the runtime makes up reads or writes what the program named.
fn read_for_system_call(fault: &Fault) -> bool {
    matches!(fault.signal, libc::SIGSEGV | libc::SIGBUS)
        && system().catches_fault(registers(fault.context))
}

/// The runtime's own access is not aligned, and the program left the flag on that refuses such.
fn alignment_check_left_on(fault: &Fault) -> bool {
    let registers = registers(fault.context);
    let is_left_on = fault.signal == libc::SIGBUS
        && own_image::is_own(registers[libc::REG_RIP as usize] as usize)
        && registers[libc::REG_EFL as usize] & ALIGNMENT_CHECK != 0;
    if is_left_on {
        leave_uncaught(fault.signal, fault.context);
    }
    is_left_on
}

/// The function of a property made it: it is left, and with it the handler, which holds nothing. Another fault of the
/// same kind would find its signal blocked; there is none, as the check ends.
fn fault_of_property(fault: &Fault) -> bool {
    if look::is_on() && !is_on_signal_stack(fault.context) {
        look::leave("faults");
    }
    false
}

/// Nothing of the program ran: the process ends with a report of the tool's own fault.
fn own_fault(fault: &Fault) -> bool {
    if !ACTIVE.load(Ordering::Relaxed) || is_on_signal_stack(fault.context) {
        internal_fault(fault);
    }
    false
}

/// The program read the time stamp counter.
fn time_stamp(fault: &Fault) -> bool {
    fault.signal == libc::SIGSEGV && fault.address == 0 && emulate_rdtsc(fault.context)
}

/// A step without events is run instruction by instruction, to see whether it comes back to a state.
fn single_step(fault: &Fault) -> bool {
    fault.signal == libc::SIGTRAP && endless::stepped(fault.context)
}

/// The program's own fault: its handler runs, or it dies.
fn programs_fault(fault: &Fault) -> bool {
    let &Fault {
        signal,
        info,
        context,
        address,
    } = fault;
    let without_value = missing_return::take();
    let is_overflow = signal == libc::SIGSEGV && overflows_stack(fault);
    // Pages beyond the end of a file are not accessible here; the kernel has another signal for them.
    let signal = match signal == libc::SIGSEGV && system().is_beyond_file(address) {
        true => libc::SIGBUS,
        false => signal,
    };
    if signal != libc::SIGABRT && system().takes_fault(signal, info, context, is_overflow) {
        return true;
    }
    let kind = match signal {
        libc::SIGABRT => FindingKind::Abort,
        _ => FindingKind::Crash,
    };
    if let Some((message, site)) = without_value.filter(|_| signal == libc::SIGILL) {
        findings::sentence(kind, message, site, 0, Vec::new());
        leave_before_exit(context);
        return true;
    }
    let what = match signal {
        _ if is_overflow => "stack overflow",
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
    true
}

/// Says whether a page fault is of the running thread's stack, which is used up.
fn overflows_stack(fault: &Fault) -> bool {
    // SAFETY: a fiber runs, so that the runtime is there, and the engine, which changes this, waits.
    let current = unsafe { (*runtime()).current };
    let (low, bytes) = crate::stack_of(current);
    match current.0 {
        0 => near_stack_pointer(fault.context, fault.address, low + bytes),
        _ => (low..low + sys::PAGE).contains(&fault.address),
    }
}

/// Whether a fault of thread 0 lies just below its stack pointer, far below its stack's end.
fn near_stack_pointer(context: *mut c_void, address: usize, stack_end: usize) -> bool {
    let pointer = registers(context)[libc::REG_RSP as usize] as usize;
    let near = address.abs_diff(pointer) < 1 << 16;
    near && pointer < stack_end && stack_end - pointer > 1 << 20
}

/// Ends the process: the fault is the runtime's own. The driver is told by the journal, if there is one.
fn internal_fault(fault: &Fault) -> ! {
    let &Fault {
        signal,
        context,
        address,
        ..
    } = fault;
    if journal::is_announced() {
        // It came from here: what is read below was overwritten, too.
        sys::exit_group(turn::DIED);
    }
    let instruction = registers(context)[libc::REG_RIP as usize] as u64;
    journal::announce(Announced::Fault(signal as u32), address, instruction);
    // A driver sees whose fault it is.
    if crate::process::options().is_none_or(|options| options.journal < 0) {
        let text = format!(
            "[dpor internal bug] signal {signal} at {address:#x}, instruction {instruction:#x}\n"
        );
        sys::write_all(2, text.as_bytes());
    }
    sys::exit_group(turn::DIED)
}
