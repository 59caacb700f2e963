//! Writes of virtual table pointers by destructors.
//!
//! A destructor begins by storing its class's table, which mostly is there already. C++ has no such
//! access, and another thread may still make virtual calls while the destructor waits for it.

use crate::llvm::{Opcode, Value};
use crate::rewriter::Rewriter;

/// True if a store writes the address of a virtual table, and its place in the source is a destructor.
pub fn is_vptr_write(store: Value) -> bool {
    let is_table = || base(store.operand(0)).is_some_and(|base| base.name().starts_with("_ZTV"));
    let is_in_destructor = || {
        let function = store.location().map(|location| location.function_name());
        function.is_some_and(|name| is_destructor(&name))
    };
    is_table() && is_in_destructor()
}

/// The hook before it.
pub fn vptr_write(rewriter: &mut Rewriter, store: Value) {
    let (value, pointer) = (store.operand(0), store.operand(1));
    if rewriter.meet(pointer) {
        let address = rewriter.builder.to_flat_pointer(pointer);
        let value = rewriter.builder.to_flat_pointer(value);
        rewriter.insert("__dpor_destructor_vptr", 0, &[address, value], 0);
    }
}

/// The global variable into which a constant points.
fn base(value: Value) -> Option<Value> {
    if value.is_global_variable() {
        return Some(value);
    }
    match value.constant_opcode()? {
        Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast => base(value.operand(0)),
        _ => None,
    }
}

/// The Itanium C++ ABI's names of destructors: those that delete, of complete objects, of bases.
fn is_destructor(name: &str) -> bool {
    let ends = ["D0Ev", "D1Ev", "D2Ev"];
    name.starts_with("_Z") && ends.iter().any(|end| name.ends_with(end))
}
