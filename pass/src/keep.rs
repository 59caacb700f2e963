//! Blocks that are freed stay in the program until it has its hooks.
//!
//! The optimizer takes away a block that is allocated, used and freed where nobody else can see it, and what is done
//! to it behind the free: that is undefined, so it may. A use of freed memory would be found without optimization
//! only. So before anything is optimized each block is shown to a function that nobody knows, in front of the call
//! that frees it; then its accesses count. The calls are taken out when the module gets its hooks.

use crate::escape::{is_call, DEALLOCATORS};
use crate::llvm::{Builder, Module, Value};

/// Name of the function that blocks are shown to. No call of it is left in the end, so it is never defined.
const NAME: &str = "__dpor_keep";

/// Inserts a call that shows the block in front of each call that frees one.
pub fn mark(module: Module) {
    let ty = module.function_type(module.void_type(), &[module.pointer_type()]);
    let mut builder = Builder::new(module);
    for function in named(module, |name| DEALLOCATORS.contains(&name)) {
        let calls = function.users().into_iter();
        let calls = calls.filter(|&user| is_call(user) && user.callee() == function);
        for call in calls.filter(|call| call.argument_count() > 0) {
            builder.stand_before(call, call.location());
            builder.call(module.declare(NAME, ty), ty, &[call.operand(0)]);
        }
    }
}

/// Takes out the calls that [`mark`] inserted.
pub fn forget(module: Module) {
    for function in named(module, |name| name == NAME) {
        function.users().into_iter().for_each(Value::erase);
    }
}

fn named(module: Module, is_it: impl Fn(&str) -> bool) -> impl Iterator<Item = Value> {
    let functions = module.functions().into_iter();
    functions.filter(move |function| function.is_declaration() && is_it(&function.name()))
}
