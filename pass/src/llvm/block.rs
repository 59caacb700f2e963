//! Basic blocks and the instructions in them.

use super::sys::core::*;
use super::sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use super::Value;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(pub(super) LLVMBasicBlockRef);

impl Block {
    /// The instructions in order.
    pub fn instructions(self) -> Instructions {
        // SAFETY: `self` is a live block of the module, which only this thread changes (the handle rule).
        Instructions(unsafe { LLVMGetFirstInstruction(self.0) })
    }

    /// The instruction that ends the block.
    pub fn end(self) -> Option<Value> {
        // SAFETY: `self` is a live block of the module, which only this thread changes (the handle rule).
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// The blocks that control may go to from the end of this one.
    pub fn successors(self) -> Vec<Block> {
        // SAFETY: the handle rule; indices are below the count that LLVM gave.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(self.0);
            if terminator.is_null() {
                return Vec::new();
            }
            let count = LLVMGetNumSuccessors(terminator);
            let all = (0..count).map(|i| Block(LLVMGetSuccessor(terminator, i)));
            all.collect()
        }
    }

    /// The blocks that may go on here, each once.
    pub fn predecessors(self) -> Vec<Block> {
        // SAFETY: the handle rule: a block is a value.
        let users = Value(unsafe { LLVMBasicBlockAsValue(self.0) }).users();
        let mut all: Vec<Block> = Vec::new();
        for user in users.into_iter().filter(|user| user.opcode().is_some()) {
            let block = user.block();
            if block.successors().contains(&self) && !all.contains(&block) {
                all.push(block);
            }
        }
        all
    }

    /// The function the block belongs to.
    pub fn function(self) -> Value {
        // SAFETY: the handle rule; every block that the pass meets stands in a function.
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }
}

impl Value {
    /// The instructions behind this one in its block.
    pub fn instructions_behind(self) -> Instructions {
        // SAFETY: the handle rule; callers ask instructions.
        Instructions(unsafe { LLVMGetNextInstruction(self.0) })
    }
}

/// Iterator over the instructions of a block. The block must not change while it is in use.
pub struct Instructions(LLVMValueRef);

impl Iterator for Instructions {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let current = Value::from_raw(self.0)?;
        // SAFETY: the handle rule; the instruction still stands in its block.
        self.0 = unsafe { LLVMGetNextInstruction(self.0) };
        Some(current)
    }
}
