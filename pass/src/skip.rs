//! The functions that are not instrumented, and why that is sound.
//!
//! - *ifunc resolvers and what only they call*: they run inside the dynamic linker, before the
//!   runtime and with one thread.
//! - *naked functions*: they have no frame to make a call from; their assembly is not ours to see.
//! - *available_externally*: the body is dropped; the one that runs is another module's.
//! - *`disable_sanitizer_instrumentation`*: the user says so.
//! - *`__dpor_*`*: the hooks themselves, and the module's constructor.
//! - *coroutines not yet split*: code placed before `llvm.coro.begin` and around suspends would
//!   end up in the wrong part; a warning names them.

use crate::llvm::{Attribute, Module, Value};
use std::collections::HashSet;

/// The functions of the module with a body that gets no hooks.
pub fn skipped(module: Module) -> HashSet<Value> {
    let functions: Vec<Value> = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration())
        .collect();
    let mut skipped = resolver_only(module, &functions);
    let naked = Attribute::named("naked");
    let disabled = Attribute::named("disable_sanitizer_instrumentation");
    let presplit = Attribute::named("presplitcoroutine");
    for function in functions {
        let coroutine = function.has_attribute(presplit);
        if coroutine {
            eprintln!(
                "dpor: warning: coroutine {} is not split at the end of the optimizer: its \
                 accesses are not checked",
                function.name()
            );
        }
        if coroutine
            || function.has_attribute(naked)
            || function.has_attribute(disabled)
            || function.is_available_externally()
            || function.name().starts_with("__dpor_")
        {
            skipped.insert(function);
        }
    }
    skipped
}

/// Resolvers of ifuncs, and the local functions that nothing but such functions call.
fn resolver_only(module: Module, functions: &[Value]) -> HashSet<Value> {
    let mut found: HashSet<Value> = module.resolvers().into_iter().collect();
    if found.is_empty() {
        return found;
    }
    loop {
        let before = found.len();
        for &function in functions {
            let users = function.users();
            let only = function.is_local()
                && !users.is_empty()
                && users.iter().all(|&user| {
                    user.opcode().is_some() && found.contains(&user.block().function())
                });
            if only {
                found.insert(function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
