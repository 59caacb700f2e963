//! Inline assembly: whether it may reach memory.
//!
//! Only what is known not to is left alone: instructions on registers, and those of a list. A name may be a macro's, so
//! what cannot be read counts as reaching memory.

/// Instructions that reach no memory of the program's, whatever their operands: waiting, fences (sequential consistency is
/// explored), counters, hints, traps.
const HARMLESS: [&str; 22] = [
    "pause",
    "nop",
    "mfence",
    "lfence",
    "sfence",
    "cpuid",
    "rdtsc",
    "rdtscp",
    "rdpmc",
    "rdrand",
    "rdseed",
    "xgetbv",
    "prefetcht0",
    "prefetcht1",
    "prefetcht2",
    "prefetchnta",
    "prefetchw",
    "endbr64",
    "ud2",
    "int3",
    "hlt",
    "emms",
];

/// First characters of instructions that reach memory without an operand that says so, or leave the text.
const IMPLICIT: [&str; 12] = [
    "lock", "rep", "movs", "stos", "lods", "scas", "cmps", "call", "syscall", "int", "xsave", "fx",
];

/// Prefixes and instructions that begin like those, and are none.
const BUT: [&str; 6] = ["movsx", "movsb", "movsw", "movsl", "cmpsd", "movsd"];

/// Whether inline assembly, with the lines that mark it, may reach memory.
pub fn may_reach_memory(lines: &str) -> bool {
    // The old spelling of a pause is two statements.
    let lines = lines
        .replace("rep; nop", "pause")
        .replace("rep;nop", "pause");
    let statements = lines.lines().flat_map(|line| match line.trim_start() {
        // gcc's own lines, and comments.
        comment if comment.starts_with('#') => "".split(';'),
        line => line.split(';'),
    });
    statements.map(str::trim).any(reaches)
}

fn reaches(statement: &str) -> bool {
    let statement = statement.split('#').next().unwrap_or(statement).trim();
    let (name, operands) = statement
        .split_once([' ', '\t'])
        .map_or((statement, ""), |(name, rest)| (name, rest.trim()));
    if name.is_empty() || name.starts_with('.') || name.ends_with(':') || HARMLESS.contains(&name) {
        return false;
    }
    if matches!((name, operands), ("rep" | "repz", "nop" | "ret")) {
        return false;
    }
    // Sign extensions between registers begin as string instructions do, which have no operands.
    let is_extension = !operands.is_empty() && BUT.iter().any(|begin| name.starts_with(begin));
    let is_implicit = IMPLICIT.iter().any(|begin| name.starts_with(begin)) && !is_extension;
    let is_jump = name.starts_with('j');
    is_implicit
        || operands.contains('(')
        || !is_jump && operands.split(',').map(str::trim).any(is_place)
        || is_jump && operands.starts_with('*')
}

/// Whether an operand is none of a register, a constant, or nothing.
fn is_place(operand: &str) -> bool {
    !(operand.is_empty() || operand.starts_with(['%', '$', '{']))
}
