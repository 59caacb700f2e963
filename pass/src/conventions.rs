//! Whether a module has functions that are called in another way than the platform's ABI says for C.
//!
//! Such calls may pass arguments in registers that calls preserve: `preserve_none`, `swiftcc`, `__regcall`. Who reads off
//! machine code which of them are dead where a call returns has to know it.

use crate::escape::is_call;
use crate::llvm::Module;
use dpor_abi::module_flag;

/// Conventions that pass nothing in registers which calls of C preserve, by LLVM's numbers (llvm/IR/CallingConv.h): C,
/// fast, cold, preserve_most, preserve_all, cxx_fast_tls, x86_64_sysv.
const LIKE_C: [u32; 7] = [0, 8, 9, 14, 15, 17, 78];

/// Bits of [`module_flag`].
pub fn flags(module: Module) -> u32 {
    let is_other = |convention: u32| !LIKE_C.contains(&convention);
    let functions = module.functions();
    let mut calls = { functions.iter() }
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter(|&instruction| is_call(instruction));
    let has_other = functions
        .iter()
        .any(|function| is_other(function.convention()))
        || calls.any(|call| is_other(call.call_convention()));
    match has_other {
        true => module_flag::OTHER_CONVENTIONS,
        false => 0,
    }
}
