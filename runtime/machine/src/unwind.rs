//! The calls on a stack, by the call frame information (`.eh_frame`) that every loaded object brings.
//!
//! Written for reports: it takes no lock, calls no function of the program's or of libc, and reads memory that may
//! not be there by [`probe`]. What it does not understand ends the walk; so a stack may be cut short, never wrong.
//!
//! **Source**: DWARF 5, section 6.4; Linux Standard Base 5.0, "Exception Frames"; System V ABI for x86-64, 3.6.
//!
//! **Deviations**
//! 1. No expressions: compilers emit them for the linker's stubs and for signal frames only, and no call is pending in
//!    the former. A walk ends at a signal frame.

use crate::probe;
use core::arch::asm;
use gimli::{BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, Register};
use gimli::{RegisterRule, UnwindContext, UnwindSection, X86_64};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

type Bytes = EndianSlice<'static, LittleEndian>;

/// The most calls that are followed (chosen: recursion deeper than that says nothing new).
const CALLS_MAX: usize = 64;

/// Registers that functions leave as they were: rbx, rbp, r12 to r15, by their numbers in DWARF.
const KEPT: [Register; 6] = [
    X86_64::RBX,
    X86_64::RBP,
    X86_64::R12,
    X86_64::R13,
    X86_64::R14,
    X86_64::R15,
];

/// What is needed of a processor's registers to walk a stack.
///
/// *Layout*: C, since assembly writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    /// The instruction pointer.
    pub instruction: u64,
    /// The stack pointer.
    pub stack: u64,
    /// Rbx, rbp, r12, r13, r14 and r15.
    pub kept: [u64; 6],
}

impl Registers {
    /// The registers of the caller, here.
    #[inline(always)]
    pub fn here() -> Registers {
        let mut registers = Registers::default();
        // SAFETY: reads registers only, and writes them to a variable.
        unsafe {
            asm!(
                "lea {scratch}, [rip]",
                "mov [{to}], {scratch}",
                "mov [{to} + 8], rsp",
                "mov [{to} + 16], rbx",
                "mov [{to} + 24], rbp",
                "mov [{to} + 32], r12",
                "mov [{to} + 40], r13",
                "mov [{to} + 48], r14",
                "mov [{to} + 56], r15",
                to = in(reg) &raw mut registers,
                scratch = out(reg) _,
                options(nostack, preserves_flags)
            );
        }
        registers
    }
}

/// How to come from a function to its caller, at one instruction.
#[derive(Clone, Copy)]
struct Rule {
    /// The register that the caller's frame is found by, as an index of [`KEPT`]; `None`: the stack pointer.
    base: Option<usize>,
    /// Distance from that register to the caller's frame.
    offset: i64,
    /// Where the return address is, from the caller's frame.
    return_address: i64,
    /// Where each of [`KEPT`] is, from the caller's frame; `None`: in its register.
    kept: [Option<i64>; 6],
}

/// A loaded object with call frame information.
struct Object {
    start: u64,
    end: u64,
    /// Address of its section `.eh_frame_hdr`.
    header: u64,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// Walks stacks of the process it is in.
#[derive(Default)]
pub struct Unwinder {
    objects: Vec<Object>,
    /// Rules by instructions, each read once; `None`: the walk ends there.
    rules: Map<u64, Option<Rule>>,
}

impl Unwinder {
    /// Adds a loaded object: its addresses, and that of its section `.eh_frame_hdr`.
    ///
    /// # Safety
    /// All of `start..end` that the object's call frame information lies in stays readable.
    pub unsafe fn add(&mut self, start: u64, end: u64, header: u64) {
        self.objects.push(Object { start, end, header });
    }

    /// Whether an address lies in an object that was added.
    pub fn knows(&self, address: u64) -> bool {
        self.object(address).is_some()
    }

    fn object(&self, address: u64) -> Option<&Object> {
        let mut objects = self.objects.iter();
        objects.find(|object| (object.start..object.end).contains(&address))
    }

    /// An instruction in each function on the stack, the innermost first: where it was interrupted, or its call of the
    /// one before. They are given to `calls`, which says whether to go on.
    pub fn walk(&mut self, mut registers: Registers, calls: &mut dyn FnMut(u64) -> bool) {
        // The first is an instruction that comes next; those behind are return addresses.
        let mut instruction = registers.instruction;
        for _ in 0..CALLS_MAX {
            if !calls(instruction) {
                return;
            }
            let Some(rule) = self.rule(instruction) else {
                return;
            };
            let Some(caller) = step(&registers, &rule) else {
                return;
            };
            registers = caller;
            instruction = registers.instruction.wrapping_sub(1);
        }
    }

    fn rule(&mut self, instruction: u64) -> Option<Rule> {
        if let Some(known) = self.rules.get(&instruction) {
            return *known;
        }
        let rule = self
            .object(instruction)
            .and_then(|object| read(object, instruction));
        self.rules.insert(instruction, rule);
        rule
    }
}

/// The caller's registers.
fn step(registers: &Registers, rule: &Rule) -> Option<Registers> {
    let base = rule
        .base
        .map_or(registers.stack, |index| registers.kept[index]);
    let frame = base.wrapping_add_signed(rule.offset);
    // Stacks grow downwards: what does not is no stack.
    if frame <= registers.stack || !frame.is_multiple_of(8) {
        return None;
    }
    let word = |offset: i64| probe::word(frame.wrapping_add_signed(offset) as usize);
    let mut kept = registers.kept;
    for (value, saved) in kept.iter_mut().zip(rule.kept) {
        if let Some(offset) = saved {
            *value = word(offset)?;
        }
    }
    Some(Registers {
        instruction: word(rule.return_address)?,
        stack: frame,
        kept,
    })
}

/// Reads the rule for an instruction.
fn read(object: &Object, instruction: u64) -> Option<Rule> {
    let bytes = |from: u64| -> Option<Bytes> {
        let length = object.end.checked_sub(from)? as usize;
        // SAFETY: [`Unwinder::add`] was promised that the object's call frame information stays readable; the reader
        // does not look behind its terminating entry.
        let bytes = unsafe { core::slice::from_raw_parts(from as *const u8, length) };
        Some(EndianSlice::new(bytes, LittleEndian))
    };
    let bases = BaseAddresses::default().set_eh_frame_hdr(object.header);
    let header = EhFrameHdr::from(bytes(object.header)?)
        .parse(&bases, 8)
        .ok()?;
    let gimli::Pointer::Direct(frames) = header.eh_frame_ptr() else {
        return None;
    };
    let bases = bases.set_eh_frame(frames);
    let frames = EhFrame::from(bytes(frames)?);
    let entry =
        header
            .table()?
            .fde_for_address(&frames, &bases, instruction, |section, bases, offset| {
                section.cie_from_offset(bases, offset)
            });
    let entry = entry.ok()?;
    if entry.is_signal_trampoline() {
        return None;
    }
    let mut context = UnwindContext::new();
    let row = entry.unwind_info_for_address(&frames, &bases, &mut context, instruction);
    let row = row.ok()?;
    let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
        return None;
    };
    let base = match register {
        X86_64::RSP => None,
        register => Some(KEPT.iter().position(|kept| *kept == register)?),
    };
    let RegisterRule::Offset(return_address) = row.register(X86_64::RA) else {
        return None;
    };
    let mut kept = [None; 6];
    for (saved, register) in kept.iter_mut().zip(KEPT) {
        *saved = match row.register(register) {
            RegisterRule::Offset(offset) => Some(offset),
            RegisterRule::Undefined | RegisterRule::SameValue => None,
            _ => return None,
        };
    }
    Some(Rule {
        base,
        offset,
        return_address,
        kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ffi::c_void;

    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, all: *mut c_void) -> i32 {
        // SAFETY: the loader passes a valid record, and the pointer given below.
        let (info, unwinder) = unsafe { (&*info, &mut *all.cast::<Unwinder>()) };
        let headers =
            // SAFETY: the array has that many entries.
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let (mut end, mut frames) = (0, 0);
        for header in headers {
            let at = info.dlpi_addr + header.p_vaddr;
            match header.p_type {
                libc::PT_LOAD => end = at + header.p_memsz,
                libc::PT_GNU_EH_FRAME => frames = at,
                _ => {}
            }
        }
        if frames != 0 {
            // SAFETY: nothing is unloaded in a test.
            unsafe { unwinder.add(info.dlpi_addr, end, frames) };
        }
        0
    }

    #[inline(never)]
    fn inner(unwinder: &mut Unwinder) -> Vec<u64> {
        let mut all = Vec::new();
        unwinder.walk(Registers::here(), &mut |call| {
            all.push(call);
            true
        });
        all
    }

    #[inline(never)]
    fn outer(unwinder: &mut Unwinder, room: usize) -> Vec<u64> {
        // A frame of a size that is not known before, which is found by rbp or another register.
        let words = vec![1u64; room];
        let all = inner(unwinder);
        assert_eq!(words.iter().sum::<u64>(), room as u64);
        all
    }

    #[test]
    fn the_functions_on_the_stack_come_in_their_order() {
        let mut unwinder = Unwinder::default();
        // SAFETY: the callback gets the pointer while the unwinder lives.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut unwinder).cast()) };
        let all = outer(&mut unwinder, 3);
        let is_in = |call: u64, function: usize| {
            let from = function as u64;
            (from..from + 4096).contains(&call)
        };
        assert!(is_in(all[0], inner as *const () as usize), "{all:x?}");
        assert!(is_in(all[1], outer as *const () as usize), "{all:x?}");
        // The test's harness, the thread's start and what is below.
        assert!(all.len() > 5, "{all:x?}");
        assert!(all.iter().all(|&call| unwinder.knows(call)), "{all:x?}");
        assert_eq!(outer(&mut unwinder, 3)[3..], all[3..]);
    }
}
