//! The places where main returns.
//!
//! The runtime learns of it when main has returned, and then knows where main's last call was. So main tells where
//! it stands before it returns. Where several `return`s lead to one instruction, each of them does.

use crate::llvm::{Block, Opcode, Value};
use crate::rewriter::Rewriter;

/// Inserts what belongs before a return, which it stands before.
pub fn mark(rewriter: &mut Rewriter, instruction: Value) {
    let block = instruction.block();
    if rewriter.only_counts() || block.function().name() != "main" {
        return;
    }
    let ends = returns_before(instruction);
    if ends.len() > 1 {
        for end in ends {
            rewriter.stand_before(end);
            rewriter.insert("__dpor_call", 0, &[], 0);
        }
    } else {
        rewriter.insert("__dpor_call", 0, &[], 0);
    }
}

/// The ends of the blocks that stand for `return`s of the source, each of which stores what the instruction returns
/// (as code that is not optimized does). None if there are others that lead to it.
fn returns_before(instruction: Value) -> Vec<Value> {
    let result = (instruction.operand_count() > 0).then(|| instruction.operand(0));
    let loaded = result.filter(|result| result.opcode() == Some(Opcode::LLVMLoad));
    let Some(place) = loaded.map(|load| load.operand(0)) else {
        return Vec::new();
    };
    let stores = |block: Block| {
        let mut all = block.instructions();
        all.any(|i| i.opcode() == Some(Opcode::LLVMStore) && i.operand(1) == place)
    };
    let returns = |before: Block| {
        let end = before.end().filter(|end| end.location().is_some())?;
        (before.successors().len() == 1 && stores(before)).then_some(end)
    };
    let before = instruction.block().predecessors();
    let ends: Option<Vec<Value>> = before.into_iter().map(returns).collect();
    ends.unwrap_or_default()
}
