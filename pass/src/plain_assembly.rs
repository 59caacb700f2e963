//! Inline assembly that is one load, `mov` from a memory operand to a register: made a load of LLVM's, atomic and
//! sequentially consistent, which is the same instruction. So it is understood like one, also where a loop waits for
//! what it finds (`crate::waits`). On x86-64 each load acquires and is done at once if it is aligned (Intel SDM 3A, 9.1.1
//! and 9.2.2).

use crate::llvm::{Attribute, Builder, Module, Opcode, TypeKind, Value};
use crate::rewriter::Rewriter;
use std::collections::HashSet;

/// `mov` by its suffix, and how many bytes that moves.
const MOVES: [(&str, u64); 4] = [("movb", 1), ("movw", 2), ("movl", 4), ("movq", 8)];

/// Rewrites all of them in functions that are not `skipped`.
pub fn to_loads(module: Module, functions: &[Value], skipped: &HashSet<Value>) {
    let element = Attribute::named("elementtype");
    let blocks = functions
        .iter()
        .filter(|function| !skipped.contains(function))
        .flat_map(|function| function.blocks());
    let calls: Vec<Value> = blocks
        .flat_map(|block| block.instructions())
        .filter(|call| is_load(module, *call, element))
        .collect();
    let mut builder = Builder::new(module);
    for call in calls {
        builder.stand_before(call, call.location());
        let load = builder.load_atomic(call.ty(), call.operand(0));
        call.replace_all_uses_with(load);
        call.erase();
    }
}

fn is_load(module: Module, call: Value, element: Attribute) -> bool {
    if call.opcode() != Some(Opcode::LLVMCall) || !call.callee().is_assembly() {
        return false;
    }
    let assembly = call.callee();
    let moved = bytes(&assembly.assembly_text(), &assembly.assembly_constraints());
    let ty = (call.argument_count() == 1)
        .then(|| call.argument_type_attribute(0, element))
        .flatten();
    let is_whole = |bytes: u64| {
        ty == Some(call.ty())
            && matches!(call.ty().kind(), TypeKind::Integer | TypeKind::Pointer)
            && module.value_bits(call.ty()) == 8 * bytes
            && Rewriter::is_flat(call.operand(0))
    };
    moved.is_some_and(is_whole)
}

/// Number of bytes that the text moves from its one memory operand to its one output, if it does that and nothing else.
fn bytes(text: &str, constraints: &str) -> Option<u64> {
    let mut operands = constraints.split(',').filter(|c| !c.starts_with('~'));
    let registers = ["=r", "=q", "=&r", "=&q"];
    let fits = operands.next().is_some_and(|c| registers.contains(&c))
        && operands.next() == Some("*m")
        && operands.next().is_none();
    let words: Vec<&str> = text.split_whitespace().collect();
    let (operation, operands) = words.split_first()?;
    let moved = MOVES.iter().find(|(name, _)| name == operation)?;
    (fits && operands.concat() == "$1,$0").then_some(moved.1)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn one_move_from_memory() {
        let clobbers = "~{memory},~{dirflag},~{fpsr},~{flags}";
        let load = |text: &str| bytes(text, &format!("=q,*m,{clobbers}"));
        assert_eq!(load("movl $1, $0"), Some(4));
        assert_eq!(load("\tmovq  $1,$0\n"), Some(8));
        // Two instructions, an offset, a store, a width that nobody says, a prefix.
        assert_eq!(load("movl $1, $0; mfence"), None);
        assert_eq!(load("movl 4$1, $0"), None);
        assert_eq!(load("movl $0, $1"), None);
        assert_eq!(load("mov $1, $0"), None);
        assert_eq!(load("rep movl $1, $0"), None);
        assert_eq!(bytes("movl $1, $0", &format!("=*m,r,{clobbers}")), None);
        assert_eq!(bytes("movl $1, $0", &format!("=r,*m,r,{clobbers}")), None);
    }
}
