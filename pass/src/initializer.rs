//! Whether the module's initializers of mutexes have a mark, and which of its variables may be mutexes.
//!
//! See [`dpor_abi::initializer`]. A variable that another module may define instead is not listed: its
//! initializer may be that module's. Neither is one that the linker may leave out by itself.

use crate::llvm::{Module, Value};
use dpor_abi::initializer::{flag, MUTEX_BYTES, PREFIX, SECTION};

/// Module flag of a module that was compiled without marks and then became part of a larger one, whose
/// other parts may have them.
const UNMARKED_PART: &str = "dpor.unmarked";

/// To be called before the module is linked with others.
pub fn remember(module: Module) {
    if flags(module) == flag::UNMARKED {
        module.set_flag(UNMARKED_PART);
    }
}

/// Bits of [`flag`].
pub fn flags(module: Module) -> u32 {
    if module.has_flag(UNMARKED_PART) {
        return flag::UNMARKED;
    }
    let marks = |variable: Value| !variable.is_declaration() && variable.section() == SECTION;
    if module.variables().into_iter().any(marks) {
        return flag::MARKED;
    }
    let uses = |function: Value| function.is_declaration() && function.name().starts_with(PREFIX);
    match module.functions().into_iter().any(uses) {
        true => flag::UNMARKED,
        false => 0,
    }
}

/// The list of [`dpor_abi::ModuleInfo::variables`], for a module that has marks.
pub fn variables(module: Module) -> Value {
    let mut fields = Vec::new();
    for variable in module.variables() {
        if has_room(module, variable) {
            fields.push(variable);
            fields.push(module.integer(64, module.variable_bytes(variable)));
        }
    }
    fields.extend([module.null(), module.integer(64, 0)]);
    module.private_constant("dpor.variables", module.constant_struct(&fields))
}

fn has_room(module: Module, variable: Value) -> bool {
    !variable.is_declaration()
        && (variable.is_local() || variable.is_strong_definition())
        && !variable.is_read_only_global()
        && !variable.is_thread_local()
        && variable.ty().address_space() == 0
        && !variable.is_in_comdat()
        && variable.section().is_empty()
        && !variable.name().starts_with("llvm.")
        && module.variable_bytes(variable) >= MUTEX_BYTES
}
