//! Loops that the source never leaves say so in each turn (`__dpor_endless`).
//!
//! Whether a program waits for something or serves for ever by design is a matter of what it says, so it is asked before
//! anything is optimized: a loop for a flag that is never set has a way out, which the optimizer may find not to be
//! taken. Loops that call nothing are left alone.

use crate::hooks::Hooks;
use crate::llvm::{Block, Builder, Module, Opcode, Value};
use crate::loops::{self, Loop};
use crate::turns::quiet::ways;

/// Name of the hook.
pub const HOOK: &str = "__dpor_endless";

/// Marks them all.
pub fn mark(module: Module) {
    let functions = module.functions().into_iter();
    let all: Vec<Loop> = functions
        .filter(|function| !function.is_declaration())
        .flat_map(loops::all)
        .filter(|found| calls(found) && !has_exit(found))
        .collect();
    for found in all {
        let first = found.behind_phis();
        let is_pad = matches!(
            first.opcode(),
            Some(
                Opcode::LLVMLandingPad
                    | Opcode::LLVMCatchPad
                    | Opcode::LLVMCleanupPad
                    | Opcode::LLVMCatchSwitch
            )
        );
        if is_pad {
            continue;
        }
        let hook = Hooks::new(module).get(HOOK, 0);
        let place = found.latches().filter_map(Block::end);
        let place = place.filter_map(Value::location).next();
        let mut builder = Builder::new(module);
        builder.stand_before(first, first.location().or(place));
        builder.call(hook.function, hook.ty, &[]);
    }
}

/// True if a function is called in the loop.
fn calls(found: &Loop) -> bool {
    let mut all = found.body.iter().flat_map(|block| block.instructions());
    all.any(|instruction| match instruction.opcode() {
        Some(Opcode::LLVMCall) => {
            let callee = instruction.callee();
            !callee.is_assembly() && !callee.name().starts_with("llvm.")
        }
        Some(Opcode::LLVMInvoke) => true,
        _ => false,
    })
}

/// True if control may leave the loop, but by an exception.
fn has_exit(found: &Loop) -> bool {
    let mut next = found.body.iter().flat_map(|block| ways(*block));
    next.any(|block| !found.body.contains(&block))
}
