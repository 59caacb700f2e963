//! Waiting without sleeping, in libstdc++'s waits: once is enough.
//!
//! `atomic::wait` and what is built on it (semaphores, latches, barriers, `atomic_flag`,
//! `atomic<shared_ptr>`) look sixteen times whether the wait is over before they ask the kernel. The
//! looks that fail change nothing and are not counted, so looking once can do all that sixteen looks
//! can (docs/decisions/0022); but each store of another thread may come between any two of them. The
//! function is found by its name, before optimization takes it apart.

use crate::llvm::{Module, Opcode, Value};

/// How the names of `std::__detail::__atomic_spin`'s instances begin.
const NAME: &str = "_ZNSt8__detail13__atomic_spinI";

/// `__atomic_spin_count`.
const LOOKS: i64 = 16;

/// Lets every such function of the module look once. One that is not as expected stays as it is.
pub fn look_once(module: Module) {
    for function in module.functions() {
        if function.is_declaration() || !function.name().starts_with(NAME) {
            continue;
        }
        let blocks = function.blocks();
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        let bounds: Vec<Value> = instructions.filter(|&i| compares_with(i, LOOKS)).collect();
        if let [bound] = bounds[..] {
            bound.set_operand(1, module.integer(32, 1));
        }
    }
}

fn compares_with(instruction: Value, bound: i64) -> bool {
    instruction.opcode() == Some(Opcode::LLVMICmp)
        && instruction.operand(1).constant_integer() == Some(bound)
}
