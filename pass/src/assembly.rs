//! Inline assembly.
//!
//! A memory operand (`*m` with an element type) is an access of that extent. Assembly that says it
//! touches memory (`~{memory}`) without naming an operand could do anything, except when all its
//! instructions are known to reach no memory: those, an empty text (a compiler barrier) and fences
//! are let through.

use crate::llvm::{Attribute, Value};
use crate::rewriter::Rewriter;
use dpor_abi::site_flag;
use std::collections::HashSet;

/// What assembly without memory operands may do to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// Nothing.
    None,
    /// Orders what comes before and after.
    Fence,
    /// Not known.
    Unknown,
}

/// Inserts the hooks before a call of inline assembly.
pub fn instrument(rewriter: &mut Rewriter, call: Value) {
    let assembly = call.callee();
    let constraints = assembly.assembly_constraints();
    let operands = memory_operands(&constraints);
    let element = Attribute::named("elementtype");
    let mut done = HashSet::new();
    for &argument in &operands {
        // "+m" in the source is an output and an input of the same place: one operand.
        if done.insert((
            call.operand(argument),
            call.argument_type_attribute(argument, element),
        )) {
            access(rewriter, call, argument, element);
        }
    }
    if !operands.is_empty() || !constraints.split(',').any(|c| c == "~{memory}") {
        return;
    }
    match effect(&assembly.assembly_text()) {
        Effect::None => {}
        Effect::Fence => rewriter.insert_full_fence(site_flag::ASSEMBLY),
        Effect::Unknown => rewriter.insert_unknown(),
    }
}

/// One memory operand.
fn access(rewriter: &mut Rewriter, call: Value, argument: u32, element: Attribute) {
    let pointer = call.operand(argument);
    if !rewriter.meet(pointer) {
        return;
    }
    match call.argument_type_attribute(argument, element) {
        Some(ty) if Rewriter::is_flat(pointer) => {
            let address = rewriter.builder.to_flat_pointer(pointer);
            let bytes = rewriter.size(rewriter.module.store_bytes(ty));
            let flags = site_flag::ASSEMBLY;
            rewriter.insert("__dpor_assembly_access", 0, &[address, bytes], flags);
        }
        _ => rewriter.insert_unknown(),
    }
}

/// The indices of the arguments that are memory operands: constraints with a `*`. A direct output
/// (`=r`), a clobber (`~`) and a label (`!`) take no argument.
fn memory_operands(constraints: &str) -> Vec<u32> {
    let takes_argument = |constraint: &&str| {
        !constraint.is_empty()
            && !constraint.starts_with(['~', '!'])
            && (!constraint.starts_with('=') || constraint.contains('*'))
    };
    constraints
        .split(',')
        .filter(takes_argument)
        .zip(0..)
        .filter(|(constraint, _)| constraint.contains('*'))
        .map(|(_, argument)| argument)
        .collect()
}

/// Judges the text by its instructions.
fn effect(text: &str) -> Effect {
    let mut effect = Effect::None;
    // A prefix may be written as an instruction of its own.
    let text = text
        .to_ascii_lowercase()
        .replace("lock;", "lock ")
        .replace("rep;", "rep ");
    // Comments run to the end of the line in AT&T syntax.
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    for instruction in lines.flat_map(|line| line.split(';')) {
        let words: Vec<&str> = instruction.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["mfence" | "lfence" | "sfence"] => effect = Effect::Fence,
            ["lock", operation, ref operands @ ..] if is_fence(operation, &operands.concat()) => {
                effect = Effect::Fence;
            }
            ["pause" | "nop" | "cpuid" | "rdtsc" | "rdtscp" | "ud2" | "int3"] => {}
            ["rep", "nop"] => {}
            _ => return Effect::Unknown,
        }
    }
    effect
}

/// A locked operation that leaves the top of the own stack as it is: the usual full fence.
fn is_fence(operation: &str, operands: &str) -> bool {
    let operands = operands.replace("$$", "$").replace("%%", "%");
    matches!(operation, "addl" | "addq" | "orl" | "orq")
        && operands.starts_with("$0,")
        && (operands.ends_with("(%rsp)") || operands.ends_with("(%esp)"))
}
