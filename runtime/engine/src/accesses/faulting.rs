//! Accesses of the program's that the runtime makes, where they may fault and the program has a handler for that.
//!
//! The instruction that faults is known by a table, with the place behind it:
//!
//! ```text
//! access ──→ behind it ──→ on
//!    └ SIGSEGV, SIGBUS: `fault`, noted as pending ─→ behind it ──→ `handle`: a trap, which the handler of faults takes
//!                                                                 for the noted one; the program's handler ──→ again
//! ```
//!
//! So the handler runs where nothing of the runtime is under way, and may leave; if it returns, the access is made
//! anew, as an event of its own. The event that faulted stays one, and changed nothing.
//!
//! *Deviations*: registers that the handler is shown are the runtime's, and it may not change them. An access that
//! faults orders nothing. A failed compare-exchange does not write, so that it does not
//! fault where writing would.

use crate::runtime::runtime;
use ::libc::siginfo_t;
use core::arch::{asm, global_asm};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::probe;
use dpor_machine::state::{PerStep, Plain};
use dpor_model::update;

/// Entry of the table: one instruction that may fault, as distances from these words to it and to
/// the place behind it.
#[repr(C)]
struct Entry {
    access: i32,
    behind: i32,
}

extern "C" {
    // The linker makes them from the section's name.
    #[link_name = "__start_dpor_faults"]
    static FIRST: Entry;
    #[link_name = "__stop_dpor_faults"]
    static END: Entry;
    #[link_name = "dpor_rt_trap"]
    fn trap();
}

global_asm!(
    ".text",
    ".hidden dpor_rt_trap",
    ".globl dpor_rt_trap",
    ".type dpor_rt_trap, @function",
    "dpor_rt_trap:",
    ".cfi_startproc",
    "ud2",
    "ret",
    ".cfi_endproc",
    ".size dpor_rt_trap, . - dpor_rt_trap",
);

/// Bytes of the trap's instruction.
const TRAP_BYTES: i64 = 2;

/// An instruction of the table.
macro_rules! may_fault {
    ($instruction:literal, $($operand:tt)*) => {
        asm!(
            concat!("2: ", $instruction),
            "3:",
            ".pushsection dpor_faults, \"aR\"",
            ".balign 4",
            ".long 2b - .",
            ".long 3b - .",
            ".popsection",
            $($operand)*,
            options(nostack, preserves_flags)
        )
    };
}

/// A fault was noted, and nothing became of it yet.
static IS_PENDING: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// The fault: signal, and what is told about it. From the handler of the fault to the trap that comes next; used by
/// the running fiber and by the handlers that interrupt it, which are one thread of the system.
static NOTED: PerStep<Plain<(c_int, MaybeUninit<siginfo_t>)>> =
    PerStep::new(Plain::new((0, MaybeUninit::uninit())));

/// Returns whether an access since the last [`handle`] faulted; what it read is nothing then.
#[inline(always)]
pub fn is_pending() -> bool {
    IS_PENDING.load(Ordering::Relaxed)
}

/// Forgets a fault of an access that will be made again. Whether there was one.
#[inline(always)]
pub fn give_up() -> bool {
    let pending = is_pending();
    if pending {
        IS_PENDING.store(false, Ordering::Relaxed);
    }
    pending
}

/// Returns the word at an address.
///
/// # Safety
/// The program accesses a part of it here.
#[inline(always)]
pub unsafe fn read_word(address: usize) -> u64 {
    let word;
    // SAFETY: `address` is the program's, as this function's caller guarantees; a fault is noted,
    // and the word is then whatever the register had.
    unsafe {
        may_fault!("mov {word}, [{address}]", address = in(reg) address, word = out(reg) word)
    };
    word
}

/// Writes a value of 1, 2, 4, 8 or 16 bytes.
///
/// # Safety
/// The program writes it here.
#[inline(always)]
pub unsafe fn write<T: Copy>(address: usize, value: T) {
    let value = &raw const value;
    // SAFETY: `address` is the program's, as this function's caller guarantees, and `value` has
    // this size; a fault is noted.
    unsafe {
        match size_of::<T>() {
            1 => {
                may_fault!("mov [{a}], {v}", a = in(reg) address, v = in(reg_byte) value.cast::<u8>().read())
            }
            2 => {
                may_fault!("mov [{a}], {v:x}", a = in(reg) address, v = in(reg) value.cast::<u16>().read())
            }
            4 => {
                may_fault!("mov [{a}], {v:e}", a = in(reg) address, v = in(reg) value.cast::<u32>().read())
            }
            8 => {
                may_fault!("mov [{a}], {v}", a = in(reg) address, v = in(reg) value.cast::<u64>().read())
            }
            _ => {
                let [low, high] = value.cast::<[u64; 2]>().read();
                may_fault!("mov [{a}], {v}", a = in(reg) address, v = in(reg) low);
                may_fault!("mov [{a} + 8], {v}", a = in(reg) address, v = in(reg) high);
            }
        }
    }
}

/// Notes a fault that a handler of the program's takes, of an instruction of the runtime's, and
/// where to go on. False: it is not in the table.
pub fn note(signal: c_int, information: &siginfo_t, instruction: &mut i64) -> bool {
    let (first, end) = (&raw const FIRST, &raw const END);
    // SAFETY: both are ends of one table.
    let count = unsafe { end.offset_from(first) } as usize;
    // SAFETY: the linker puts the table's entries one after the other, between these symbols, and
    // nobody writes them.
    let table = unsafe { core::slice::from_raw_parts(first, count) };
    let place = |distance: &i32| (&raw const *distance as i64) + i64::from(*distance);
    let Some(entry) = table
        .iter()
        .find(|entry| place(&entry.access) == *instruction)
    else {
        return false;
    };
    *instruction = place(&entry.behind);
    // SAFETY: see `NOTED` for why nobody else writes there.
    unsafe { *NOTED.get() = (signal, MaybeUninit::new(*information)) };
    IS_PENDING.store(true, Ordering::Relaxed);
    true
}

/// Returns the signal that is noted if a fault is the trap of [`handle`], and goes on behind it.
pub fn trapped(instruction: &mut i64) -> Option<(c_int, *const siginfo_t)> {
    if *instruction != trap as *const () as i64 {
        return None;
    }
    *instruction += TRAP_BYTES;
    let noted = NOTED.get();
    // SAFETY: see `NOTED`; it was noted before the trap.
    unsafe { Some(((*noted).0, (*noted).1.as_ptr())) }
}

/// Runs the program's handler for the access of this event, which faulted. `argument`: of the
/// event; `first`, `count`: the cells, which the event did not change.
#[cold]
pub fn handle(argument: u64, first: usize, count: usize) {
    IS_PENDING.store(false, Ordering::Relaxed);
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe {
        let executed = &mut (*runtime()).executed;
        for k in 0..count {
            executed.before[k] = probe::word(first + 8 * k).unwrap_or(0);
        }
        executed.after = executed.before;
        // What changes nothing.
        (*runtime()).operand = match argument {
            update::AND | update::UMIN => u64::MAX,
            update::MIN => i64::MAX as u64,
            update::MAX => i64::MIN as u64,
            _ => 0,
        };
        trap();
    }
}
