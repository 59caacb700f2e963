//! Ways through a function's instructions, and which registers are read on one of them before they are written.

use crate::landing_pads::LandingPads;
use crate::{Registers, ALL};
use dpor_machine::call_frames::KEPT_COUNT;
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// The callee-saved registers, in the order of [`dpor_machine::call_frames::Rule`].
const CALLEE_SAVED: [Register; KEPT_COUNT] = [
    Register::RBX,
    Register::RBP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Instructions of a function that are looked at, at most; in a larger one all registers are live.
const INSTRUCTIONS_MAX: usize = 50_000;

/// A function's instructions.
pub(crate) struct Flow<'a> {
    /// Its bytes.
    pub code: &'a [u8],
    /// Address of the first one.
    pub start: u64,
    pub pads: &'a LandingPads,
}

/// What comes of an instruction.
struct Effect {
    /// Registers that it may read.
    reads: Registers,
    /// Registers of which it leaves nothing.
    writes: Registers,
    next: Next,
}

/// Where it goes on.
enum Next {
    /// After it, and at the address that it may jump to.
    Here(Option<u64>),
    /// At the address only.
    There(u64),
    /// After it, and at its landing pad.
    AfterCall,
    /// Nowhere.
    Ends,
    /// Nobody knows.
    Anywhere,
}

impl Flow<'_> {
    /// The registers that are live where a call returns to `address`.
    pub(crate) fn live_at(&self, address: u64) -> Registers {
        let mut live = 0;
        // By address: the registers for which the ways from there were followed already. (Keys of a table that are drawn by
        // chance would be drawn from the running thread's stream of random numbers.)
        let mut followed: HashMap<u64, Registers, BuildHasherDefault<DefaultHasher>> =
            HashMap::default();
        let mut open = vec![(address, ALL)];
        open.extend(self.pads.of(address.wrapping_sub(1)).map(|pad| (pad, ALL)));
        let mut information = InstructionInfoFactory::new();
        while let Some((at, asked)) = open.pop() {
            let done = followed.entry(at).or_insert(0);
            let asked = asked & !*done & !live;
            if asked == 0 {
                continue;
            }
            *done |= asked;
            if followed.len() > INSTRUCTIONS_MAX {
                return ALL;
            }
            let Some(instruction) = self.decode(at) else {
                live |= asked;
                continue;
            };
            let effect = effect(&instruction, &mut information);
            live |= asked & effect.reads;
            let asked = asked & !effect.reads & !effect.writes;
            let after = instruction.next_ip();
            match effect.next {
                Next::Here(jump) => {
                    open.push((after, asked));
                    open.extend(jump.map(|target| (target, asked)));
                }
                Next::There(target) => open.push((target, asked)),
                // A call at the function's end does not return.
                Next::AfterCall => {
                    if self.contains(after) {
                        open.push((after, asked));
                    }
                    open.extend(self.pads.of(at).map(|pad| (pad, asked)));
                }
                Next::Ends => {}
                Next::Anywhere => live |= asked,
            }
        }
        live
    }

    fn contains(&self, address: u64) -> bool {
        address >= self.start && address - self.start < self.code.len() as u64
    }

    /// The instruction at an address; `None` if it is not the function's, or none at all.
    fn decode(&self, address: u64) -> Option<Instruction> {
        let bytes = self
            .contains(address)
            .then(|| &self.code[(address - self.start) as usize..])?;
        let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        (!instruction.is_invalid()).then_some(instruction)
    }
}

fn effect(instruction: &Instruction, information: &mut InstructionInfoFactory) -> Effect {
    let (mut reads, mut writes) = (0, 0);
    for used in information.info(instruction).used_registers() {
        let full = used.register().full_register();
        let Some(number) = CALLEE_SAVED.iter().position(|&register| register == full) else {
            continue;
        };
        let bit = 1 << number;
        match used.access() {
            OpAccess::None | OpAccess::NoMemAccess => {}
            // What is written of less than 32 bits leaves the rest as it is.
            OpAccess::Write if used.register().size() >= 4 => writes |= bit,
            OpAccess::Write | OpAccess::CondWrite => {}
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                reads |= bit;
            }
        }
    }
    Effect {
        reads,
        writes: writes & !reads,
        next: next(instruction),
    }
}

fn next(instruction: &Instruction) -> Next {
    let is_direct = matches!(
        instruction.op0_kind(),
        OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64
    );
    match instruction.flow_control() {
        FlowControl::Next => Next::Here(None),
        FlowControl::ConditionalBranch if is_direct => {
            Next::Here(Some(instruction.near_branch_target()))
        }
        FlowControl::UnconditionalBranch if is_direct => {
            Next::There(instruction.near_branch_target())
        }
        FlowControl::Call | FlowControl::IndirectCall => match instruction.mnemonic() {
            // They ask the kernel, which comes back.
            Mnemonic::Syscall | Mnemonic::Sysenter => Next::Here(None),
            _ => Next::AfterCall,
        },
        // `ud2`: the compiler says that nobody comes here.
        FlowControl::Exception => Next::Ends,
        _ => Next::Anywhere,
    }
}
