//! Calls of functions that live in libstdc++.so, and their effects on the objects that they are called on.
//!
//! Of a function that the module names, [`dpor_abi::cxx_library`] says what it does. Of a virtual call nobody knows
//! here which function it is; the runtime looks the address up. So it does for both whether the function is
//! instrumented after all, in another module.

use crate::llvm::{Attribute, Opcode, TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::cxx_library::{known, may_matter, Call, Known};

/// The effect on the library's objects of a function that the module calls, by its name.
pub fn of(callee: Value) -> Option<Call> {
    let name = callee.name();
    match may_matter(&name).then(|| known(&name)) {
        Some(Known::Call(call)) => Some(call),
        _ => None,
    }
}

/// Inserts the hook before a call of a function with the effect `what`.
pub fn direct(rewriter: &mut Rewriter, call: Value, what: Call) {
    let callee = call.callee();
    let pointers = pointers(call);
    let Some(&first) = pointers.first() else {
        return;
    };
    if rewriter.only_counts() || rewriter.is_private(call.operand(first)) {
        return;
    }
    let dereferenceable = Attribute::named("dereferenceable");
    let bytes = |index: Option<&u32>| {
        index.map_or(0, |&index| {
            let here = call.argument_number_attribute(index, dereferenceable);
            here.unwrap_or(0)
        })
    };
    let word = what.to_word(bytes(Some(&first)), bytes(pointers.get(1)));
    callee.take_address_from_table();
    insert(rewriter, call, word, &pointers, Some(callee));
}

/// Inserts the hook before a call whose function comes from the table that the object of its first argument begins with.
pub fn virtual_call(rewriter: &mut Rewriter, call: Value) {
    let pointers = pointers(call);
    let Some(&first) = pointers.first() else {
        return;
    };
    let object = call.operand(first);
    if !rewriter.only_counts()
        && !rewriter.is_private(object)
        && is_from_table_of(rewriter, call.callee(), object)
    {
        insert(rewriter, call, 0, &pointers, None);
    }
}

fn insert(rewriter: &mut Rewriter, call: Value, word: u32, pointers: &[u32], named: Option<Value>) {
    let mut arguments = vec![rewriter.word(word), call.callee()];
    for at in 0..ARGUMENTS {
        arguments.push(match pointers.get(at) {
            Some(&index) => rewriter.builder.to_flat_pointer(call.operand(index)),
            None => rewriter.module.null(),
        });
    }
    rewriter.insert_of_callee("__dpor_member", &arguments, named);
}

/// Number of pointers that the hook is told.
const ARGUMENTS: usize = 3;

/// The arguments that are pointers, without the one that the result is stored through.
fn pointers(call: Value) -> Vec<u32> {
    let result = Attribute::named("sret");
    let is_pointer = |&index: &u32| {
        let argument = call.operand(index);
        argument.ty().kind() == TypeKind::Pointer
            && Rewriter::is_flat(argument)
            && call.argument_type_attribute(index, result).is_none()
    };
    (0..call.argument_count())
        .filter(is_pointer)
        .take(ARGUMENTS)
        .collect()
}

/// True if the function's address is loaded from a table whose address was loaded from the object.
fn is_from_table_of(rewriter: &Rewriter, function: Value, object: Value) -> bool {
    let loaded =
        |value: Value| (value.opcode() == Some(Opcode::LLVMLoad)).then(|| value.operand(0));
    let table = loaded(function).map(|slot| rewriter.module.pointer_base(slot).0);
    table.and_then(loaded).is_some_and(|from| from == object)
}
