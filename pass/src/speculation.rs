//! Keeps LLVM from adding reads that the program does not make.
//!
//! `if (c) x = g;` may become a read of `g` for every `c`, and a choice between the two: harmless for
//! the machine, but this pass comes after it and would show the checker an access, and a race, that no
//! execution of the program has. LLVM knows the problem: in a function with the attribute of
//! ThreadSanitizer it does not speculate loads (`mustSuppressSpeculation`). So every function has it
//! from the start of the pipeline until this pass has run.
//!
//! Limitation: bitcode that was optimized before it came here has its speculated loads.

use crate::llvm::{Attribute, Module};

const ATTRIBUTE: &str = "sanitize_thread";

/// Before any optimization.
pub fn forbid(module: Module) {
    let attribute = Attribute::named(ATTRIBUTE);
    for function in module.functions() {
        if !function.is_declaration() {
            module.add_function_attribute(function, attribute);
        }
    }
}

/// After it: the attribute was ours.
pub fn allow(module: Module) {
    let attribute = Attribute::named(ATTRIBUTE);
    for function in module.functions() {
        function.remove_attribute(attribute);
    }
}
