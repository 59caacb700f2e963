//! Loops of libstdc++'s that wait without sleeping, made short.
//!
//! *Looking.* `atomic::wait` and what is built on it (semaphores, latches, barriers, `atomic_flag`)
//! look sixteen times whether the wait is over before they ask the kernel. The looks that fail change
//! nothing and are not counted, so looking once can do all that sixteen looks can; but each store of
//! another thread may come between any two of them.
//!
//! *Locks.* Two small locks are bits of a word, and who finds them taken loads the word again, without
//! end: those of `stop_token` and of `atomic<shared_ptr>`. No code of the program's runs while they
//! are held. A thread that finds one taken need not go on: it can also come after the unlock.
//!
//! The functions are found by their names, before optimization takes them apart. What is not as
//! expected stays as it is. The argument is in docs/decisions/0024.

use crate::llvm::{Module, Opcode, Value};

/// Beginning of the names of `std::__detail::__atomic_spin`'s instances.
const LOOKS: &str = "_ZNSt8__detail13__atomic_spinI";

/// The number of looks in libstdc++'s `__atomic_spin_count`.
const LOOKS_MAX: i64 = 16;

/// Functions that lock (how their names begin, what they contain), and the hint they call where they
/// find the lock taken.
const LOCKS: [(&str, &str, &str); 2] = [
    (
        "_ZNSt10stop_token13_Stop_state_t14_M_do_try_lock",
        "",
        "_ZNSt10stop_token8_S_yieldEv",
    ),
    (
        "_ZNKSt10_Sp_atomicI",
        "13_Atomic_count4lock",
        "_ZNSt8__detail14__thread_relaxEv",
    ),
];

/// Shortens the waiting loops of libstdc++ in the module.
pub fn shorten(module: Module) {
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = function.name();
        if name.starts_with(LOOKS) {
            look_once(module, function);
        }
        for (begin, part, hint) in LOCKS {
            if name.starts_with(begin) && name.contains(part) {
                stop_spinning(module, function, hint);
            }
        }
    }
}

fn instructions(function: Value) -> Vec<Value> {
    let blocks = function.blocks();
    blocks
        .iter()
        .flat_map(|block| block.instructions())
        .collect()
}

fn look_once(module: Module, function: Value) {
    let is_bound = |instruction: &Value| {
        instruction.opcode() == Some(Opcode::LLVMICmp)
            && instruction.operand(1).constant_integer() == Some(LOOKS_MAX)
    };
    let bounds: Vec<Value> = instructions(function)
        .into_iter()
        .filter(is_bound)
        .collect();
    if let [bound] = bounds[..] {
        bound.set_operand(1, module.integer(32, 1));
    }
}

/// Calls of `hint` become calls of the runtime.
fn stop_spinning(module: Module, function: Value, hint: &str) {
    for call in instructions(function) {
        let calls = matches!(
            call.opcode(),
            Some(Opcode::LLVMCall) | Some(Opcode::LLVMInvoke)
        );
        if calls && call.callee().is_function() && call.callee().name() == hint {
            let ty = module.function_type(module.void_type(), &[]);
            let spin = module.declare("__dpor_spin", ty);
            call.set_operand(call.operand_count() - 1, spin);
        }
    }
}
