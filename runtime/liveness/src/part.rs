//! A loaded object, as the linker mapped it: the program, or a library.

use crate::flow::Flow;
use crate::frame::{
    Base, Frame, DWARF_NUMBERS, FRAME_POINTER, REGISTERS, RETURN_ADDRESS, STACK_POINTER,
};
use crate::landing_pads::LandingPads;
use crate::Registers;
use core::ops::Range;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, FrameDescriptionEntry, LittleEndian,
    ParsedEhFrameHdr, Pointer, Register, RegisterRule, UnwindContext, UnwindSection,
    UnwindTableRow,
};

/// The set of rbp alone.
const FRAME_POINTERS: Registers = 1 << 1;

type Bytes = EndianSlice<'static, LittleEndian>;
type Fde = FrameDescriptionEntry<Bytes>;

/// The word before the end of a frame, in bytes from the end.
const BEFORE_END: i64 = -8;

/// A loaded object with call frame information.
pub struct Part {
    /// The mapped parts of the file that are never written, lowest first.
    constant: Vec<&'static [u8]>,
    /// Whether the object's own registers may be taken for dead. In code of others only what its frames keep for their
    /// callers is of interest.
    is_judged: bool,
    bases: BaseAddresses,
    header: ParsedEhFrameHdr<Bytes>,
    entries: EhFrame<Bytes>,
}

impl Part {
    /// Reads where an object has its call frame information: `header` is the address range of its section `.eh_frame_hdr`,
    /// `constant` the ranges of its segments that nobody writes. `None`: there is none, or it is not understood.
    ///
    /// # Safety
    /// The ranges are mapped, readable, not written, and stay so.
    pub unsafe fn new(
        header: Range<usize>,
        constant: &[Range<usize>],
        is_judged: bool,
    ) -> Option<Part> {
        let constant: Vec<&'static [u8]> = { constant.iter() }
            // SAFETY: by the caller's promise.
            .map(|range| unsafe {
                core::slice::from_raw_parts(range.start as *const u8, range.len())
            })
            .collect();
        let bytes = within(&constant, header.start as u64)?.get(..header.len())?;
        let bases = BaseAddresses::default().set_eh_frame_hdr(header.start as u64);
        let header = EhFrameHdr::new(bytes, LittleEndian).parse(&bases, 8).ok()?;
        let Pointer::Direct(entries) = header.eh_frame_ptr() else {
            return None;
        };
        Some(Part {
            bases: bases.set_eh_frame(entries),
            entries: EhFrame::new(within(&constant, entries)?, LittleEndian),
            constant,
            is_judged,
            header,
        })
    }

    /// True if the address is in the object.
    pub fn contains(&self, address: usize) -> bool {
        within(&self.constant, address as u64).is_some()
    }

    /// Returns what is known of a frame, by the address to which a call in its function returns; `None` if nothing is.
    pub fn frame(&self, returns_to: usize) -> Option<Frame> {
        let call = (returns_to as u64).checked_sub(1)?;
        let table = self.header.table()?;
        let find =
            |section: &EhFrame<Bytes>, bases: &_, offset| section.cie_from_offset(bases, offset);
        let fde = table
            .fde_for_address(&self.entries, &self.bases, call, find)
            .ok()?;
        if fde.is_signal_trampoline() {
            return None;
        }
        let mut context = UnwindContext::new();
        let row =
            { fde.unwind_info_for_address(&self.entries, &self.bases, &mut context, call) }.ok()?;
        let mut frame = shape(row)?;
        if self.is_judged {
            let saved = (0..REGISTERS).filter(|&register| frame.saved[register].is_some());
            let saved = saved.fold(0, |all, register| all | 1 << register);
            // Who unwinds reads what the frame is found from.
            let base = match frame.base {
                Base::StackPointer => 0,
                Base::FramePointer => FRAME_POINTERS,
            };
            frame.dead = saved & !base & !self.live(&fde, returns_to as u64);
        }
        Some(frame)
    }

    /// The registers that are live where a call in the function returns.
    fn live(&self, fde: &Fde, returns_to: u64) -> Registers {
        let start = fde.initial_address();
        let code = within(&self.constant, start).and_then(|bytes| bytes.get(..fde.len() as usize));
        let pads = match fde.lsda() {
            None => Some(LandingPads::none()),
            Some(Pointer::Direct(table)) => {
                { within(&self.constant, table) }.and_then(|table| LandingPads::read(table, start))
            }
            Some(Pointer::Indirect(_)) => None,
        };
        let (Some(code), Some(pads)) = (code, pads) else {
            return crate::ALL;
        };
        let pads = &pads;
        Flow { code, start, pads }.live_at(returns_to)
    }
}

/// The bytes of a part from an address on; `None` if it lies in none.
fn within(constant: &[&'static [u8]], address: u64) -> Option<&'static [u8]> {
    constant.iter().find_map(|bytes| {
        let offset = address.checked_sub(bytes.as_ptr() as u64)?;
        bytes
            .get(usize::try_from(offset).ok()?..)
            .filter(|rest| !rest.is_empty())
    })
}

/// The frame that a row of the table describes, of which nothing is known to be dead; `None` for frames of another kind.
fn shape(row: &UnwindTableRow<usize>) -> Option<Frame> {
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return None;
    };
    let base = match register {
        Register(STACK_POINTER) => Base::StackPointer,
        Register(FRAME_POINTER) => Base::FramePointer,
        _ => return None,
    };
    if row.register(Register(RETURN_ADDRESS)) != RegisterRule::Offset(BEFORE_END) {
        return None;
    }
    let mut saved = [None; REGISTERS];
    for (place, &number) in saved.iter_mut().zip(&DWARF_NUMBERS) {
        *place = match row.register(Register(number)) {
            RegisterRule::Offset(offset) => Some(offset),
            RegisterRule::Undefined | RegisterRule::SameValue => None,
            _ => return None,
        };
    }
    Some(Frame {
        base,
        offset,
        saved,
        dead: 0,
    })
}
