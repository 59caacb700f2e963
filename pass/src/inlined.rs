//! Inline functions of C++'s library that are made part of their callers, at every level.
//!
//! Where a finding lies in such a function, the place that helps is the user's call. A site knows where it was inlined;
//! of who called the function nobody knows later. So before anything is optimized, calls of some functions are marked to
//! be inlined, also at -O0, where nothing else is:
//!
//! - those that call a function of libstdc++.so which accesses an object ([`member_call`]), or a memory resource;
//! - what synchronizes and is written in headers ([`FAMILIES`]), with the functions that it calls for that.
//!
//! Nothing depends on that but where findings are shown. A function that calls itself is not inlined into itself.

use crate::llvm::{Attribute, Module, Opcode, Value};
use crate::member_call;
use dpor_abi::cxx_findings::{is_helper, is_of_family};

/// Beginnings of the names of memory resources, whose inline functions make virtual calls.
const RESOURCES: [&str; 2] = [
    "_ZNSt3pmr15memory_resource8allocate",
    "_ZNSt3pmr15memory_resource10deallocate",
];

/// The longest function that is inlined because of what it calls, in instructions (chosen: such functions check something
/// and call).
const INSTRUCTIONS_MAX: usize = 60;

/// Marks the calls of the module that are to be inlined.
pub fn mark(module: Module) {
    let attribute = Attribute::named("alwaysinline");
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = function.name();
        let is_wanted = is_of_family(&name)
            || RESOURCES.iter().any(|begin| name.starts_with(begin))
            || is_of_library(&name) && calls_the_library(function);
        let is_part = is_helper(&name);
        if !is_wanted && !is_part {
            continue;
        }
        for user in function.users() {
            let is_call = matches!(user.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
                && user.callee() == function;
            if !is_call || user.location().is_none() {
                continue;
            }
            let caller = user.block().function();
            if caller != function && (is_wanted || is_of_family(&caller.name())) {
                module.add_call_attribute(user, attribute);
            }
        }
    }
}

fn is_of_library(name: &str) -> bool {
    ["_ZNSt", "_ZNKSt", "_ZSt"]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// True for a short function that calls one which lives in libstdc++.so and accesses an object.
fn calls_the_library(function: Value) -> bool {
    let blocks = function.blocks();
    let instructions: Vec<Value> = blocks
        .iter()
        .flat_map(|block| block.instructions())
        .collect();
    let calls = |instruction: &Value| {
        matches!(
            instruction.opcode(),
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke)
        ) && instruction.callee().is_function()
            && instruction.callee().is_declaration()
            && member_call::of(instruction.callee()).is_some()
    };
    instructions.len() <= INSTRUCTIONS_MAX && instructions.iter().any(calls)
}
