//! What can happen at the head of a loop before the turn looks at anything.

use super::quiet::{ways, Quiet};
use crate::llvm::{Block, Opcode, Type, TypeKind, Value};
use crate::waits::turn::{is_nothing, is_plain_local};
use std::collections::HashSet;

/// True if a turn may end, or leave the loop, before it made an event, by something that others may have changed. Then
/// where it goes is not known from where it began.
pub fn may_end_unseen(quiet: &Quiet, header: Block, body: &HashSet<Block>) -> bool {
    let (mut open, mut seen) = (vec![header], HashSet::from([header]));
    let (mut ends, mut reads) = (false, false);
    while let Some(block) = open.pop() {
        let mut looked = false;
        for instruction in block.instructions() {
            if quiet.is_event(instruction) {
                looked = true;
                break;
            }
            reads |= reads_shared(instruction);
        }
        if looked {
            continue;
        }
        for next in ways(block) {
            ends |= next == header || !body.contains(&next);
            if body.contains(&next) && seen.insert(next) {
                open.push(next);
            }
        }
    }
    ends && reads
}

/// True if what the instruction computes may not be known from the state of its thread.
fn reads_shared(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => !is_plain_local(instruction.operand(0)),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => !is_nothing(instruction),
        _ => false,
    }
}

/// True for a store to a whole local variable. Without optimization an atomic load of a pointer is one of an integer,
/// which is stored to a variable of a pointer.
fn fills_whole(instruction: Value, local: Value) -> bool {
    instruction.opcode() == Some(Opcode::LLVMStore)
        && instruction.operand(1) == local
        && instruction.operand(0) != local
        && is_as_wide(instruction.operand(0).ty(), local.allocated_type())
}

/// True for types of which each value has as many bits.
fn is_as_wide(one: Type, other: Type) -> bool {
    let bits = |ty: Type| match ty.kind() {
        TypeKind::Integer => Some(ty.integer_bits()),
        TypeKind::Pointer => Some(64),
        _ => None,
    };
    one == other || bits(one).is_some() && bits(one) == bits(other)
}

fn uses(instruction: Value, local: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            (0..instruction.argument_count()).any(|index| instruction.operand(index) == local)
        }
        Some(Opcode::LLVMBr | Opcode::LLVMSwitch) | None => false,
        Some(_) => {
            (0..instruction.operand_count()).any(|index| instruction.operand(index) == local)
        }
    }
}

/// True if a local variable is stored to before it is used, wherever control goes from the beginning of a block.
pub fn is_dead_at(block: Block, local: Value) -> bool {
    let (mut open, mut seen) = (vec![block], HashSet::from([block]));
    while let Some(block) = open.pop() {
        let mut stored = false;
        for instruction in block.instructions() {
            if fills_whole(instruction, local) {
                stored = true;
                break;
            }
            if uses(instruction, local) {
                return false;
            }
        }
        if !stored {
            let next = block.successors().into_iter();
            open.extend(next.filter(|&block| seen.insert(block)));
        }
    }
    true
}
