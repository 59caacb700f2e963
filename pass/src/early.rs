//! Before anything is optimized.

use crate::llvm::{Attribute, Module};
use crate::{classes, endless, inlined, keep, listing, lock_all, spin, value_wait};

/// Prepares the module.
pub fn run(module: Module) {
    spin::shorten(module);
    value_wait::simplify(module);
    lock_all::announce(module);
    classes::announce(module);
    // A load that is moved to where the program does not make it races with stores that its own place
    // does not race with. LLVM knows that of ThreadSanitizer's programs: with their attribute loads
    // are neither made ahead of their branch nor widened. Nothing else follows from it here.
    // Where levels are compared, what the optimizer does is what is asked; see `ahead.rs`.
    if listing::level().is_some() {
        return;
    }
    endless::mark(module);
    inlined::mark(module);
    keep::mark(module);
    let attribute = Attribute::named("sanitize_thread");
    let functions = module.functions().into_iter();
    functions
        .filter(|function| !function.is_declaration())
        .for_each(|function| module.add_function_attribute(function, attribute));
}
