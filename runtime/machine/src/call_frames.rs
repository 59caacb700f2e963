//! Call frame information (`.eh_frame`) of loaded objects: how to come from a function to its caller.
//!
//! **Source**: DWARF 5, section 6.4; Linux Standard Base 5.0, "Exception Frames"; System V ABI for x86-64, 3.6.
//!
//! **Deviations**
//! 1. No expressions: compilers emit them for the linker's stubs and for signal frames only, and no call is pending in
//!    the former. Nothing is known of a signal frame.

use core::ops::Range;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, ParsedEhFrameHdr,
    Pointer, Register, RegisterRule, UnwindContext, UnwindSection, UnwindTableRow, X86_64,
};

type Bytes = EndianSlice<'static, LittleEndian>;

/// The number of registers that functions leave as they were, besides the stack pointer.
pub const KEPT_COUNT: usize = 6;

/// Registers that functions leave as they were: rbx, rbp, r12 to r15, by their numbers in DWARF.
const KEPT: [Register; KEPT_COUNT] = [
    X86_64::RBX,
    X86_64::RBP,
    X86_64::R12,
    X86_64::R13,
    X86_64::R14,
    X86_64::R15,
];

/// How to come from a function to its caller, at one instruction. The *caller's frame* is what the stack pointer was before
/// the call pushed the return address (DWARF's canonical frame address).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The register that the caller's frame is found by: its place among rbx, rbp, r12, r13, r14, r15; `None`: the stack
    /// pointer.
    pub base: Option<usize>,
    /// Bytes from what that register holds to the caller's frame.
    pub offset: i64,
    /// Where the return address is, in bytes from the caller's frame.
    pub return_address: i64,
    /// Where each of these registers' value of the caller's is, in bytes from the caller's frame; `None`: in its register.
    pub kept: [Option<i64>; KEPT_COUNT],
}

/// A function, as far as its entry tells, and the rule at one of its instructions.
pub struct Function {
    /// Address of its first instruction.
    pub start: u64,
    /// Bytes of its code.
    pub bytes: u64,
    /// Address of its language-specific data, which has its landing pads.
    pub data: Data,
    /// The rule.
    pub rule: Rule,
}

/// Where a function's language-specific data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// It has none: exceptions only pass through it.
    None,
    /// At an address.
    At(u64),
    /// Somewhere that is not told in a way which is understood.
    Unknown,
}

/// A loaded object with call frame information: the program, or a library.
pub struct Object {
    /// The mapped parts of the file that are never written.
    constant: Vec<&'static [u8]>,
    bases: BaseAddresses,
    header: ParsedEhFrameHdr<Bytes>,
    entries: EhFrame<Bytes>,
}

impl Object {
    /// Reads where an object has its call frame information. `header`: the addresses of its section `.eh_frame_hdr`;
    /// `constant`: those of its segments that nobody writes. `None`: there is none, or it is not understood.
    ///
    /// # Safety
    /// The ranges are mapped, readable, not written, and stay so while the object is used.
    pub unsafe fn new(header: Range<usize>, constant: &[Range<usize>]) -> Option<Object> {
        let constant: Vec<&'static [u8]> = { constant.iter() }
            // SAFETY: by the caller's promise.
            .map(|part| unsafe { core::slice::from_raw_parts(part.start as *const u8, part.len()) })
            .collect();
        let bytes = within(&constant, header.start as u64)?.get(..header.len())?;
        let bases = BaseAddresses::default().set_eh_frame_hdr(header.start as u64);
        let header = EhFrameHdr::new(bytes, LittleEndian).parse(&bases, 8).ok()?;
        let Pointer::Direct(entries) = header.eh_frame_ptr() else {
            return None;
        };
        Some(Object {
            bases: bases.set_eh_frame(entries),
            entries: EhFrame::new(within(&constant, entries)?, LittleEndian),
            constant,
            header,
        })
    }

    /// The same, of an object by its program headers, which was loaded at `base`.
    ///
    /// # Safety
    /// The headers are those of an object that the linker mapped whole, and that stays while the result is used.
    pub unsafe fn of_headers(base: usize, headers: &[libc::Elf64_Phdr]) -> Option<Object> {
        let range = |header: &libc::Elf64_Phdr| -> Range<usize> {
            let start = base + header.p_vaddr as usize;
            start..start + header.p_memsz as usize
        };
        let is_constant = |header: &&libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD
                && header.p_flags & libc::PF_R != 0
                && header.p_flags & libc::PF_W == 0
        };
        let constant: Vec<_> = headers.iter().filter(is_constant).map(range).collect();
        let frames = { headers.iter() }.find(|header| header.p_type == libc::PT_GNU_EH_FRAME)?;
        // SAFETY: segments that the linker mapped readable, and that nobody can write; they stay by the caller's promise.
        unsafe { Object::new(range(frames), &constant) }
    }

    /// True if the address is in a part of the object that nobody writes, its code among them.
    pub fn contains(&self, address: u64) -> bool {
        self.bytes_from(address).is_some()
    }

    /// The bytes of such a part from an address on; `None` if it lies in none.
    pub fn bytes_from(&self, address: u64) -> Option<&'static [u8]> {
        within(&self.constant, address)
    }

    /// The function that an instruction is of, with the rule there; `None` if nothing is known of it.
    pub fn function(&self, instruction: u64) -> Option<Function> {
        let find = |section: &EhFrame<Bytes>, bases: &_, at| section.cie_from_offset(bases, at);
        let table = self.header.table()?;
        let entry =
            { table.fde_for_address(&self.entries, &self.bases, instruction, find) }.ok()?;
        if entry.is_signal_trampoline() {
            return None;
        }
        let mut context = UnwindContext::new();
        let row = {
            entry.unwind_info_for_address(&self.entries, &self.bases, &mut context, instruction)
        };
        Some(Function {
            start: entry.initial_address(),
            bytes: entry.len(),
            data: match entry.lsda() {
                None => Data::None,
                Some(Pointer::Direct(address)) => Data::At(address),
                Some(Pointer::Indirect(_)) => Data::Unknown,
            },
            rule: rule(row.ok()?)?,
        })
    }
}

fn within(constant: &[&'static [u8]], address: u64) -> Option<&'static [u8]> {
    constant.iter().find_map(|bytes| {
        let offset = address.checked_sub(bytes.as_ptr() as u64)?;
        let rest = bytes.get(usize::try_from(offset).ok()?..);
        rest.filter(|rest| !rest.is_empty())
    })
}

/// The rule in a row of the table; `None` if it is of another kind.
fn rule(row: &UnwindTableRow<usize>) -> Option<Rule> {
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
    let mut kept = [None; KEPT_COUNT];
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
