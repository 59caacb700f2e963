//! Inline assembly.
//!
//! A memory operand (`*m` with an element type) is an access of that extent. Assembly that says it
//! touches memory (`~{memory}`) without naming an operand could do anything, except when all its
//! instructions are known: those that reach no memory, an empty text (a compiler barrier) and fences
//! are let through, and one locked instruction on what a register operand points to is an access.

use crate::llvm::{Attribute, TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::site_flag;
use std::collections::HashSet;

/// The effect of assembly without memory operands on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// The assembly reaches no memory.
    None,
    /// The assembly orders what comes before it and after it.
    Fence,
    /// The assembly is a locked read-modify-write where the operand of this number points to.
    Locked {
        /// Outputs are counted first, as in the text.
        operand: usize,
        /// Number of bytes that it reads and writes there.
        bytes: u64,
    },
    /// The effect is not known: the assembly could do anything.
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
    if !operands.is_empty() {
        return;
    }
    let says_memory = constraints.split(',').any(|c| c == "~{memory}");
    match effect(&assembly.assembly_text()) {
        Effect::Fence if says_memory => rewriter.insert_full_fence(site_flag::ASSEMBLY),
        Effect::Locked { operand, bytes } => match register_operand(&constraints, operand) {
            Some(argument) if call.operand(argument).ty().kind() == TypeKind::Pointer => {
                locked(rewriter, call.operand(argument), bytes);
            }
            _ => rewriter.insert_unknown(),
        },
        Effect::Unknown if says_memory => rewriter.insert_unknown(),
        Effect::None | Effect::Fence | Effect::Unknown => {}
    }
}

/// A locked instruction on `bytes` bytes at `pointer`.
fn locked(rewriter: &mut Rewriter, pointer: Value, bytes: u64) {
    if !rewriter.meet(pointer) {
        return;
    }
    if !Rewriter::is_flat(pointer) {
        return rewriter.insert_unknown();
    }
    let address = rewriter.builder.to_flat_pointer(pointer);
    let bytes = rewriter.size(bytes);
    let flags = site_flag::ASSEMBLY;
    rewriter.insert("__dpor_assembly_access", 0, &[address, bytes], flags);
}

/// Inserts the hook of the memory operand that `argument` of the call is.
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
    constraints
        .split(',')
        .filter(|constraint| takes_argument(constraint))
        .zip(0..)
        .filter(|(constraint, _)| constraint.contains('*'))
        .map(|(_, argument)| argument)
        .collect()
}

fn takes_argument(constraint: &str) -> bool {
    !constraint.is_empty()
        && !constraint.starts_with(['~', '!'])
        && (!constraint.starts_with('=') || constraint.contains('*'))
}

/// The index of the argument that operand `number` of the text is, if it is an input in any register.
fn register_operand(constraints: &str, number: usize) -> Option<u32> {
    let mut operands = constraints.split(',').filter(|c| !c.starts_with('~'));
    let constraint = operands.nth(number)?;
    let before = constraints.split(',').filter(|c| !c.starts_with('~'));
    let arguments = before.take(number).filter(|c| takes_argument(c)).count();
    (constraint == "r").then_some(u32::try_from(arguments).ok()?)
}

/// True for a text whose only effect is to order what comes before it and after it.
pub fn is_full_fence(text: &str) -> bool {
    effect(text) == Effect::Fence
}

/// The effect of a text, judged by its instructions.
fn effect(text: &str) -> Effect {
    let mut effect = Effect::None;
    let text = text.to_ascii_lowercase();
    // Comments run to the end of the line in AT&T syntax.
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let mut prefix = None;
    for instruction in lines.flat_map(|line| line.split(';')) {
        let mut words: Vec<&str> = prefix.into_iter().collect();
        words.extend(instruction.split_whitespace());
        // A prefix may be written as an instruction of its own.
        prefix = match words[..] {
            [only @ ("lock" | "rep")] => Some(only),
            _ => None,
        };
        let next = match words[..] {
            [] | ["lock" | "rep"] => Effect::None,
            ["mfence" | "lfence" | "sfence"] => Effect::Fence,
            ["lock", operation, ref operands @ ..] if is_fence(operation, &operands.concat()) => {
                Effect::Fence
            }
            ["lock", operation, ref operands @ ..] => locked_access(operation, &operands.concat()),
            ["pause" | "nop" | "cpuid" | "rdtsc" | "rdtscp" | "ud2" | "int3"] => Effect::None,
            ["rep", "nop"] => Effect::None,
            [operation, ref operands @ ..]
                if is_of_registers(operation) && are_registers(&operands.concat()) =>
            {
                Effect::None
            }
            _ => Effect::Unknown,
        };
        effect = match (effect, next) {
            (Effect::None, next) => next,
            (before, Effect::None) => before,
            (Effect::Fence, Effect::Fence) => Effect::Fence,
            _ => return Effect::Unknown,
        };
    }
    match prefix {
        None => effect,
        Some(_) => Effect::Unknown,
    }
}

/// True for operations that reach no memory if their operands are registers and numbers: those by which programs talk
/// to valgrind, and which leave all registers as they were.
fn is_of_registers(operation: &str) -> bool {
    let is = |base: &str| operation == base || split_suffix(operation).is_some_and(|s| s.0 == base);
    is("rol") || is("ror") || is("xchg")
}

/// Whether operands are registers that the text names, or numbers. `$3` in IR is `$$3`.
fn are_registers(operands: &str) -> bool {
    let is_register = |operand: &str| {
        let name = operand.strip_prefix('%');
        name.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let is_number = |operand: &str| {
        let number = operand.strip_prefix("$$");
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    operands.split(',').all(|o| is_register(o) || is_number(o))
}

/// Splits an operation into its name and the number of bytes that its suffix stands for.
fn split_suffix(operation: &str) -> Option<(&str, u64)> {
    let bytes = match operation.as_bytes().last()? {
        b'b' => 1,
        b'w' => 2,
        b'l' => 4,
        b'q' => 8,
        _ => return None,
    };
    Some((&operation[..operation.len() - 1], bytes))
}

/// A locked operation whose last operand is what an operand of the assembly points to, its others none in
/// memory. Those on bits are not here: they may reach beyond.
fn locked_access(operation: &str, operands: &str) -> Effect {
    const OPERATIONS: [&str; 12] = [
        "inc", "dec", "neg", "not", "add", "adc", "sub", "sbb", "and", "or", "xor", "xadd",
    ];
    let (others, memory) = operands.rsplit_once(',').unwrap_or(("", operands));
    let number = memory.strip_prefix("($").and_then(|m| m.strip_suffix(')'));
    match (split_suffix(operation), number.map(str::parse)) {
        (Some((base, bytes)), Some(Ok(operand)))
            if OPERATIONS.contains(&base) && !others.contains(['(', '[', ',']) =>
        {
            Effect::Locked { operand, bytes }
        }
        _ => Effect::Unknown,
    }
}

/// A locked operation that leaves the top of the own stack as it is: the usual full fence.
fn is_fence(operation: &str, operands: &str) -> bool {
    let operands = operands.replace("$$", "$").replace("%%", "%");
    matches!(operation, "addl" | "addq" | "orl" | "orq")
        && operands.starts_with("$0,")
        && (operands.ends_with("(%rsp)") || operands.ends_with("(%esp)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Effect) {
        assert_eq!(effect(text), expected, "{text}");
    }

    /// Expected effects are those of the Intel manual's description of each instruction.
    #[test]
    fn effects() {
        for text in [
            "",
            "# nothing",
            "rep; nop",
            "rep ; nop",
            "pause",
            "nop\n\tnop",
        ] {
            check(text, Effect::None);
        }
        check("mfence", Effect::Fence);
        check("lock; addl $$0,0(%rsp)", Effect::Fence);
        check("lock ; orq $$0, (%rsp)", Effect::Fence);
        check("movl $$1, cell(%rip)", Effect::Unknown);
        check("lock", Effect::Unknown);
        check("lock; nop", Effect::Unknown);
        check("rep; movsb", Effect::Unknown);
    }

    /// The texts are those that valgrind.h has for x86-64, and some that are nearly the same.
    #[test]
    fn marks_for_valgrind() {
        let mark = "rolq $$3, %rdi ; rolq $$13, %rdi\n\trolq $$61, %rdi ; rolq $$51, %rdi\n\t";
        check(&format!("{mark}xchgq %rbx,%rbx"), Effect::None);
        check("rolq $$3, (%rdi)", Effect::Unknown);
        check("rolq $$3, cell", Effect::Unknown);
        check("xchgq %rbx, ($0)", Effect::Unknown);
        check("xchgq %rbx, $0", Effect::Unknown);
        check("xchgq %rbx, 8(%rsp)", Effect::Unknown);
    }

    #[test]
    fn locked_instructions() {
        let at = |operand, bytes| Effect::Locked { operand, bytes };
        check("lock ; incl ($0)", at(0, 4));
        check("lock; xaddq %rax, ($1)", at(1, 8));
        check("lock subb $$1,($2)", at(2, 1));
        check("lock; incl 4($0)", Effect::Unknown);
        check("lock; btsl %eax, ($0)", Effect::Unknown);
        check("lock; inc ($0)", Effect::Unknown);
        check("lock; incl ($0); lock; incl ($1)", Effect::Unknown);
        check("lock; incl ($0); mfence", Effect::Unknown);
        check("incl ($0)", Effect::Unknown);
    }

    /// Outputs are operands, and no arguments.
    #[test]
    fn operands() {
        let constraints = "=r,r,=&{ax},r,i,~{memory}";
        assert_eq!(register_operand(constraints, 0), None);
        assert_eq!(register_operand(constraints, 1), Some(0));
        assert_eq!(register_operand(constraints, 3), Some(1));
        assert_eq!(register_operand(constraints, 4), None);
        assert_eq!(register_operand(constraints, 5), None);
        assert_eq!(memory_operands("=*m,=r,r,*m,~{memory}"), [0, 2]);
    }
}
