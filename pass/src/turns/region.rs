//! What can happen at the head of a loop before the turn looks at anything.

use super::quiet::Quiet;
use crate::llvm::{Block, Opcode, Value};
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
            let is_call = instruction.opcode() == Some(Opcode::LLVMCall);
            if quiet.is_event(instruction) || (is_call && quiet.always_looks(instruction)) {
                looked = true;
                break;
            }
            reads |= reads_shared(instruction);
        }
        if looked {
            continue;
        }
        let invokes = block.end().and_then(Value::opcode) == Some(Opcode::LLVMInvoke);
        // What is called in a turn throws nothing: the second way is never taken.
        let ways = if invokes { 1 } else { usize::MAX };
        for next in block.successors().into_iter().take(ways) {
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
        Some(Opcode::LLVMCall) => !is_nothing(instruction),
        _ => false,
    }
}

/// True if a local variable is stored to before it is loaded, wherever control goes from the beginning of a block.
pub fn is_dead_at(block: Block, local: Value) -> bool {
    let (mut open, mut seen) = (vec![block], HashSet::from([block]));
    while let Some(block) = open.pop() {
        let mut stored = false;
        for instruction in block.instructions() {
            match instruction.opcode() {
                Some(Opcode::LLVMLoad) if instruction.operand(0) == local => return false,
                Some(Opcode::LLVMStore) if instruction.operand(1) == local => {
                    stored = true;
                    break;
                }
                _ => {}
            }
        }
        if !stored {
            let next = block.successors().into_iter();
            open.extend(next.filter(|&block| seen.insert(block)));
        }
    }
    true
}
