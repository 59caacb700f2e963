//! Walks back from a pointer to the objects it can lead to.

use super::knowledge::{is_call, Knowledge};
use super::VISITS_MAX;
use crate::llvm::{Opcode, Value};
use std::collections::HashSet;

/// Where a pointer can come from.
#[derive(Default)]
pub struct Sources {
    /// Local variables, new blocks, byval parameters, constants and thread-local variables.
    pub objects: HashSet<Value>,
    /// Pointers between those and the one asked for.
    pub on_the_way: HashSet<Value>,
}

/// All the objects that `pointer` can lead to; none if there may be others.
pub fn sources(knowledge: &Knowledge, pointer: Value) -> Option<Sources> {
    let mut found = Sources::default();
    let mut pending = vec![pointer];
    while let Some(value) = pending.pop() {
        if !found.on_the_way.insert(value) {
            continue;
        }
        if found.on_the_way.len() > VISITS_MAX {
            return None;
        }
        match step(knowledge, value)? {
            Step::Object => {
                found.objects.insert(value);
            }
            Step::From(values) => pending.extend(values),
        }
    }
    Some(found)
}

/// A step back from a pointer to where it comes from.
enum Step {
    /// The pointer is the address of an object.
    Object,
    /// The pointer is derived from one of these values.
    From(Vec<Value>),
}

fn step(knowledge: &Knowledge, value: Value) -> Option<Step> {
    if value.is_argument() {
        return argument(knowledge, value);
    }
    if let Some(opcode) = value.opcode() {
        return instruction(knowledge, value, opcode);
    }
    if value.is_global_variable() {
        let private_kind = (value.is_read_only_global() && !value.is_declaration())
            || (value.is_thread_local() && value.is_local());
        return private_kind.then_some(Step::Object);
    }
    if value.is_null_or_undefined() {
        return Some(Step::From(Vec::new()));
    }
    match value.constant_opcode()? {
        Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
            Some(Step::From(vec![value.operand(0)]))
        }
        _ => None,
    }
}

fn instruction(knowledge: &Knowledge, value: Value, opcode: Opcode) -> Option<Step> {
    let operands = |range: std::ops::Range<u32>| {
        Some(Step::From(
            range.map(|index| value.operand(index)).collect(),
        ))
    };
    match opcode {
        Opcode::LLVMAlloca => Some(Step::Object),
        // A gather's pointers come with a vector base; the index operands lead nowhere.
        Opcode::LLVMGetElementPtr
        | Opcode::LLVMBitCast
        | Opcode::LLVMAddrSpaceCast
        | Opcode::LLVMFreeze
        | Opcode::LLVMExtractElement => operands(0..1),
        Opcode::LLVMPHI => operands(0..value.operand_count()),
        Opcode::LLVMSelect => operands(1..3),
        Opcode::LLVMInsertElement | Opcode::LLVMShuffleVector => operands(0..2),
        Opcode::LLVMLoad => loaded(value),
        _ if is_call(value) && knowledge.is_allocation(value) => Some(Step::Object),
        _ if is_call(value) && knowledge.is_identity(value) => operands(0..1),
        _ => None,
    }
}

/// A pointer loaded from a variable that only ever serves to hold pointers comes from what was
/// stored there. (Without optimization every parameter and variable is such a slot.)
fn loaded(load: Value) -> Option<Step> {
    let slot = load.operand(0);
    if slot.opcode() != Some(Opcode::LLVMAlloca) || slot.allocated_type() != load.ty() {
        return None;
    }
    let mut stored = Vec::new();
    for user in slot.users() {
        match user.opcode()? {
            Opcode::LLVMLoad if user.ty() == load.ty() => {}
            Opcode::LLVMStore if user.operand(0) != slot && user.operand(0).ty() == load.ty() => {
                stored.push(user.operand(0));
            }
            Opcode::LLVMCall if user.callee().name().starts_with("llvm.lifetime.") => {}
            _ => return None,
        }
    }
    Some(Step::From(stored))
}

/// A parameter comes from the arguments of all calls, if these are known.
fn argument(knowledge: &Knowledge, argument: Value) -> Option<Step> {
    if knowledge.is_byval_parameter(argument) {
        return Some(Step::Object);
    }
    let function = argument.parent_of_argument();
    let calls = knowledge.all_calls(function)?;
    let index =
        (0..function.parameter_count()).find(|&index| function.parameter(index) == argument)?;
    Some(Step::From(
        calls.into_iter().map(|call| call.operand(index)).collect(),
    ))
}
