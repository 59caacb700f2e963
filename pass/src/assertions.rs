//! Whether `assert` was compiled out: said by who calls the compiler, as the pass sees no macros.

use crate::llvm::Module;
use dpor_abi::module_flag;

/// Module flag of bitcode that becomes part of a larger module.
const WITHOUT: &str = "dpor.ndebug";

/// Remembers in the module whether assertions are compiled out. To be called before the module is linked with others:
/// the linker's caller does not know.
pub fn remember(module: Module) {
    if is_told() {
        module.set_flag(WITHOUT);
    }
}

/// Bits of [`module_flag`].
pub fn flags(module: Module) -> u32 {
    match is_told() || module.has_flag(WITHOUT) {
        true => module_flag::NDEBUG,
        false => 0,
    }
}

fn is_told() -> bool {
    std::env::var_os(dpor_abi::NDEBUG).is_some_and(|value| value == "1")
}
