//! The functions of a text, and which of them have the hooks that they need.
//!
//! gcc tells ThreadSanitizer of the begin of each function that has an access to memory or a call. A function that has not
//! that call either touches nothing but registers and its own frame, or is one that the user wants none in
//! (`no_sanitize`, `naked`): what it does is not seen, and a call of it is one of code without instrumentation.

use std::collections::{HashMap, HashSet};

/// What is known of one function.
#[derive(Clone, Copy, Default)]
struct Facts {
    has_entry: bool,
    /// Has an instruction that may reach memory other than its frame, or leaves it.
    reaches: bool,
}

/// The functions of a text that are instrumented, or need no instrumentation.
pub fn instrumented(text: &str) -> HashSet<&str> {
    let mut typed = HashSet::new();
    let mut facts: HashMap<&str, Facts> = HashMap::new();
    let (mut current, mut is_inline) = (None, false);
    for line in text.lines() {
        let bare = line.trim();
        match bare {
            "#APP" => is_inline = true,
            "#NO_APP" => is_inline = false,
            // It is announced by itself.
            _ if is_inline => {}
            _ if bare.starts_with(".type") => typed.extend(typed_function(bare)),
            _ if bare.starts_with(".size") => current = None,
            _ if bare.ends_with(':') => {
                let label = bare.trim_end_matches(':');
                if typed.contains(label) {
                    current = Some(label);
                    facts.entry(label).or_default();
                }
            }
            _ => {
                let known = current.and_then(|label| facts.get_mut(label));
                if let Some(known) = known {
                    known.has_entry |= bare.contains("__tsan_func_entry");
                    known.reaches |= reaches(bare);
                }
            }
        }
    }
    let whole = |label: &str| label.strip_suffix(".cold").unwrap_or(label).to_owned();
    let is_good = |facts: &Facts| facts.has_entry || !facts.reaches;
    { typed.into_iter() }
        .filter(|label| match facts.get(*label) {
            // What stands for another is as that is.
            None => true,
            Some(own) => is_good(own) || facts.get(&*whole(label)).is_some_and(is_good),
        })
        .collect()
}

fn typed_function(directive: &str) -> Option<&str> {
    let (name, kind) = directive.strip_prefix(".type")?.split_once(',')?;
    (kind.trim() == "@function").then_some(name.trim())
}

/// Whether an instruction of gcc's may reach memory other than the function's frame, or call another function.
fn reaches(instruction: &str) -> bool {
    let (name, operands) = instruction
        .split_once(['\t', ' '])
        .unwrap_or((instruction, ""));
    if name.starts_with(['.', '#']) || name.starts_with("lea") || name.starts_with("nop") {
        return false;
    }
    if name.starts_with("call") {
        return !operands.contains("__tsan_");
    }
    if name.starts_with('j') {
        return operands.starts_with('*')
            || operands.contains('@') && !operands.contains("__tsan_");
    }
    let is_string = ["rep", "lock", "movs", "stos", "lods", "scas", "cmps"]
        .iter()
        .any(|begin| name.starts_with(begin) && (operands.is_empty() || name.len() == begin.len()));
    is_string || operands_in_memory(operands).any(|place| !is_own(place))
}

/// The operands of an instruction that are places in memory.
fn operands_in_memory(operands: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = operands.split(move |c: char| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    { parts.map(str::trim) }.filter(|operand| {
        let is_register = operand.starts_with('%') && !operand.contains(':');
        !operand.is_empty() && !is_register && !operand.starts_with('$')
    })
}

/// Whether a place is of the function's frame, a constant, or the stack protector's.
fn is_own(place: &str) -> bool {
    let base = { place.split_once('(') }.map_or("", |(_, base)| base.trim_end_matches(')'));
    let base = base.split(',').next().unwrap_or(base);
    matches!(base, "%rsp" | "%rbp") || place.starts_with(".L") || place == "%fs:40"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_by_what_they_do() {
        let function = |name: &str, body: &str| {
            format!(
                "\t.type\t{name}, @function\n{name}:\n\t{body}\n\tret\n\t.size\t{name}, .-{name}\n"
            )
        };
        let text = [
            function(
                "hooked",
                "call\t__tsan_func_entry@PLT\n\tmovl\tx(%rip), %eax",
            ),
            function("hooked.cold", "movl\tx(%rip), %eax"),
            function(
                "pure",
                "leal\t(%rdi,%rsi), %eax\n\tmovl\t%eax, -4(%rbp)\n\tmovsd\t.LC0(%rip), %xmm0",
            ),
            function("thunk", "subq\t$8, %rdi\n\tjmp\t.LTHUNK0"),
            function("silent", "incl\tcounter(%rip)"),
            function("caller", "call\tf@PLT"),
            function("indexed", "movl\t$1, (%rdi,%rbp,4)"),
        ]
        .concat();
        let mut found: Vec<&str> = instrumented(&text).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["hooked", "hooked.cold", "pure", "thunk"]);
    }
}
