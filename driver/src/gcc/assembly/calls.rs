//! Calls in the text that gcc wrote: of what, and what is to be announced of them.

use dpor_abi::uninstrumented::{reads, Reads};
use std::collections::HashSet;

/// What is put before a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Announcement<'a> {
    /// Nothing: the function is of the module, or one of the hooks.
    None,
    /// The function reads nothing of what threads share.
    ReadsNothing,
    /// The function reads what its arguments point to.
    ReadsArguments,
    /// The function of this name may read anything.
    OfSymbol(&'a str),
    /// The function whose address is in this register, or at this place, may read anything.
    OfOperand(&'a str),
}

/// The operand of the call in a line; `None`: it has none.
pub fn callee(line: &str) -> Option<&str> {
    let line = line.strip_prefix("notrack").map_or(line, str::trim_start);
    let rest = { line.strip_prefix("call") }.map(|rest| rest.strip_prefix('q').unwrap_or(rest))?;
    let operand = rest.strip_prefix([' ', '\t'])?.trim();
    let operand = operand.split('#').next().unwrap_or(operand).trim();
    (!operand.is_empty()).then_some(operand)
}

/// First characters of the names of ThreadSanitizer's functions that are hooks. Its others order threads, and count only
/// if their call was announced.
const HOOKS: [&str; 10] = [
    "__tsan_read",
    "__tsan_write",
    "__tsan_unaligned",
    "__tsan_volatile",
    "__tsan_vptr",
    "__tsan_atomic",
    "__tsan_func",
    "__tsan_init",
    "__tsan_ignore",
    "__dpor_",
];

/// Functions whose calls are parts of sequences that the linker replaces, or of no interest.
const UNTOUCHED: [&str; 2] = ["__tls_get_addr", "__stack_chk_fail"];

/// Functions of memory, which the runtime judges itself, and which only write.
const ONLY_WRITE: [&str; 3] = ["memset", "__memset_chk", "bzero"];

/// Functions of memory, which the runtime judges itself, and which read what their arguments point to.
const READ_ARGUMENTS: [&str; 8] = [
    "memcpy",
    "memmove",
    "mempcpy",
    "memcmp",
    "bcmp",
    "__memcpy_chk",
    "__memmove_chk",
    "__mempcpy_chk",
];

/// Whether a call is a hook of an access.
pub fn is_access(callee: &str) -> bool {
    let name = symbol(callee).unwrap_or_default();
    let others = ["__tsan_func", "__tsan_init", "__tsan_ignore", "__dpor_"];
    HOOKS.iter().any(|begin| name.starts_with(begin))
        && !others.iter().any(|begin| name.starts_with(begin))
}

/// The name of the function, if the operand is one.
fn symbol(operand: &str) -> Option<&str> {
    let direct = match operand.strip_prefix('*') {
        Some(place) => place.strip_suffix("@GOTPCREL(%rip)")?,
        None => operand,
    };
    let name = direct.split(['@', '+', '-']).next().unwrap_or(direct);
    (!name.is_empty() && !name.contains(['%', '(', '$'])).then_some(name)
}

/// What is to be announced of a call. `defined`: the functions of the module.
pub fn announcement<'a>(operand: &'a str, defined: &HashSet<&str>) -> Announcement<'a> {
    let Some(name) = symbol(operand) else {
        let is_descriptor = operand.to_ascii_lowercase().contains("@tls");
        return match operand.strip_prefix('*') {
            Some(place) if !is_descriptor => Announcement::OfOperand(place),
            _ => Announcement::None,
        };
    };
    let is_hook = HOOKS.iter().any(|begin| name.starts_with(begin));
    if is_hook || UNTOUCHED.contains(&name) || defined.contains(name) || name.starts_with(".L") {
        return Announcement::None;
    }
    if ONLY_WRITE.contains(&name) {
        return Announcement::ReadsNothing;
    }
    if READ_ARGUMENTS.contains(&name) {
        return Announcement::ReadsArguments;
    }
    match reads(name) {
        Reads::Nothing => Announcement::ReadsNothing,
        Reads::Arguments { .. } => Announcement::ReadsArguments,
        Reads::Anything => Announcement::OfSymbol(name),
    }
}
