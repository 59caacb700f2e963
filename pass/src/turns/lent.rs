//! Local variables whose addresses functions get: where a store through such an address goes, and whether the address
//! outlives the call.

use super::functions::{fills, sleeps};
use crate::llvm::{Opcode, TypeKind, Value};
use crate::waits::turn::{is_nothing, is_plain_local};
use std::collections::HashSet;

/// Number of steps that are gone back to find a base, at most.
const STEPS_MAX: usize = 16;

/// Number of uses of an address that are looked at, at most.
const USES_MAX: usize = 1000;

/// What a pointer points into, whatever the offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// A local variable of the function.
    Local(Value),
    /// What the caller gave, by its position.
    Parameter(u32),
}

/// The base of a pointer of a function, if it has a single one that is easily seen.
pub fn base(mut pointer: Value) -> Option<Base> {
    for _ in 0..STEPS_MAX {
        pointer = match pointer.opcode() {
            Some(Opcode::LLVMAlloca) => return Some(Base::Local(pointer)),
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast) => pointer.operand(0),
            Some(Opcode::LLVMLoad) => held(pointer.operand(0))?,
            None if pointer.is_argument() => return position(pointer).map(Base::Parameter),
            _ => return None,
        };
    }
    None
}

fn position(argument: Value) -> Option<u32> {
    let function = argument.parent_of_argument();
    (0..function.parameter_count()).find(|&index| function.parameter(index) == argument)
}

/// The only pointer that a local variable ever holds: how parameters are kept without optimization.
fn held(local: Value) -> Option<Value> {
    if !is_plain_local(local) || local.allocated_type().kind() != TypeKind::Pointer {
        return None;
    }
    let users = local.users().into_iter();
    let mut stores = users.filter(|user| user.opcode() == Some(Opcode::LLVMStore));
    let only = stores.next()?;
    stores.next().is_none().then(|| only.operand(0))
}

/// True if the address of a local variable, or one that a function got, may still be known when what uses it here is done.
/// `is_certain` tells of a function whether its body is at hand.
pub fn is_kept(address: Value, is_certain: impl Fn(Value) -> bool) -> bool {
    let (mut open, mut seen) = (vec![address], HashSet::from([address]));
    let mut uses = 0;
    while let Some(value) = open.pop() {
        for user in value.users() {
            uses += 1;
            let Some(copies) = copies(value, user, &is_certain).filter(|_| uses < USES_MAX) else {
                return true;
            };
            open.extend(copies.into_iter().filter(|&copy| seen.insert(copy)));
        }
    }
    false
}

/// The values that are the address because a user of it is as it is; `None`: who knows.
fn copies(address: Value, user: Value, is_certain: impl Fn(Value) -> bool) -> Option<Vec<Value>> {
    match user.opcode()? {
        Opcode::LLVMLoad | Opcode::LLVMICmp => Some(Vec::new()),
        Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast => Some(vec![user]),
        Opcode::LLVMStore if user.operand(0) != address => Some(Vec::new()),
        Opcode::LLVMStore => {
            let local = user.operand(1);
            held(local)?;
            let users = local.users().into_iter();
            Some(
                users
                    .filter(|u| u.opcode() == Some(Opcode::LLVMLoad))
                    .collect(),
            )
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            let mut others = (1..user.operand_count()).map(|index| user.operand(index));
            { others.all(|operand| operand != address) }.then(Vec::new)
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => copies_in_call(address, user, is_certain),
        _ => None,
    }
}

fn copies_in_call(
    address: Value,
    call: Value,
    is_certain: impl Fn(Value) -> bool,
) -> Option<Vec<Value>> {
    let callee = call.callee();
    if is_nothing(call) || sleeps(call) {
        return Some(Vec::new());
    }
    if callee.is_function() && callee.is_declaration() {
        return fills(call).map(|_| Vec::new());
    }
    if !is_certain(callee) {
        return None;
    }
    let arguments = (0..call.argument_count()).filter(|&index| call.operand(index) == address);
    arguments
        .map(|index| (index < callee.parameter_count()).then(|| callee.parameter(index)))
        .collect()
}

/// The position of a base among the arguments of a call, as its caller sees it.
pub fn at_call(call: Value, in_callee: Base) -> Option<Base> {
    match in_callee {
        Base::Parameter(index) if index < call.argument_count() => base(call.operand(index)),
        _ => None,
    }
}

/// Memory of so many bytes as words of 64 bits, and what is left in smaller ones: offset in bytes and width in bits.
pub fn pieces(bytes: u64) -> Vec<(u64, u32)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < bytes {
        let width = [8, 4, 2, 1].into_iter().find(|width| at + width <= bytes);
        let width = width.expect("one byte is left");
        pieces.push((at, 8 * width as u32));
        at += width;
    }
    pieces
}
