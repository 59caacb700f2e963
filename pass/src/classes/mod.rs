//! Values of `__VERIFIER_nondet_int` and its siblings that are only compared with constants: one of each class is
//! enough.
//!
//! Before anything is optimized, the uses of what such a call returns are followed: through local variables, casts,
//! additions of constants, parameters and results of functions of the module. If all of them end in comparisons with
//! constants ([`uses`]), two values with the same results of all comparisons cannot be told apart, whatever the program
//! does. So the runtime is told one value of each such class right before the call ([`intervals`]), and explores those.
//!
//! What is used in any other way is not announced: then the runtime tries every value, or says that there are too many.
//! The argument is in docs/decisions/0077.

mod intervals;
mod uses;

pub use uses::{tests_of, Constants, Step};

use crate::hooks::Hooks;
use crate::llvm::{Builder, Module, Opcode, TypeKind, Value};

/// Beginning of the names of the functions.
const NAMES: &str = "__VERIFIER_nondet_";

/// Announces the classes of all of them.
pub fn announce(module: Module) {
    let all = module.functions().into_iter();
    let asked = all.filter(|function| {
        // Who defines one has values of their own.
        function.is_declaration() && function.name().starts_with(NAMES)
    });
    let calls: Vec<Value> = asked
        .flat_map(|function| {
            let users = function.users().into_iter();
            users.filter(move |user| is_call(*user) && user.callee() == function)
        })
        .collect();
    for call in calls {
        let bits = call.ty().integer_bits();
        if call.ty().kind() != TypeKind::Integer || bits > 64 {
            continue;
        }
        let tests = uses::tests_of(call);
        if let Some(values) = tests.and_then(|tests| intervals::representatives(bits, &tests)) {
            insert(module, call, &values);
        }
    }
}

fn is_call(value: Value) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
}

fn insert(module: Module, call: Value, values: &[u64]) {
    let integers: Vec<Value> = values.iter().map(|&v| module.integer(64, v)).collect();
    let list = module.private_constant("dpor.classes", module.constant_struct(&integers));
    let name = module.private_text(&call.callee().name());
    let hook = Hooks::new(module).get("__dpor_classes", 0);
    let mut builder = Builder::new(module);
    builder.stand_before(call, call.location());
    let count = module.integer(32, values.len() as u64);
    builder.call(hook.function, hook.ty, &[name, list, count]);
}
