//! Functions of C++ that end without returning a value.
//!
//! What they do then is undefined. Without optimization clang puts a trap there; with it nothing is left of the place,
//! and control goes on in whatever comes next. The trap has the location of the last statement, and to the processor it
//! is an illegal instruction. So the runtime is told what it stands for.
//!
//! A trap that the program asks for (`__builtin_trap`) is not followed by `unreachable`, unless the program says that,
//! too; then statements come behind it, or clang begins a block that nothing leads to.

use crate::llvm::{Attribute, Location, Opcode, Value};
use crate::rewriter::Rewriter;

/// Inserts the hook in front of a call of `llvm.trap`, which it stands before, if that is such a place.
pub fn mark(rewriter: &mut Rewriter, trap: Value) {
    if rewriter.only_counts() || !is_end_without_value(rewriter, trap) {
        return;
    }
    let function = trap.block().function();
    let name = function.source_name().unwrap_or_else(|| function.name());
    let end = trap
        .location()
        .and_then(|location| end_of(function, &name, location));
    if has_statements_behind(trap, end) {
        return;
    }
    if let Some(end) = end {
        rewriter.stand_at(trap, end);
    }
    let name = rewriter.text(name);
    rewriter.insert("__dpor_missing_return", 0, &[name], 0);
}

fn is_end_without_value(rewriter: &Rewriter, trap: Value) -> bool {
    let block = trap.block();
    let function = block.function();
    let is_end = block.end().is_some_and(|end| {
        end.opcode() == Some(Opcode::LLVMUnreachable)
            && end.location() == trap.location()
            && trap.instructions_behind().next() == Some(end)
    });
    let has = |name: &str| function.has_attribute(Attribute::named(name));
    // C++ promises progress in all functions, and clang puts the trap only where it does not optimize.
    is_end
        && has("mustprogress")
        && has("optnone")
        && returns_value(rewriter, function)
        && !is_followed_by_nothing(trap)
}

fn returns_value(rewriter: &Rewriter, function: Value) -> bool {
    let result = Attribute::named("sret");
    function.result_type() != rewriter.module.void_type()
        || function.parameter_count() > 0 && function.parameter_has_attribute(0, result)
}

/// True if nothing leads to the block that comes next behind the trap's.
fn is_followed_by_nothing(trap: Value) -> bool {
    let block = trap.block();
    let blocks = block.function().blocks();
    let next = blocks.iter().skip_while(|other| **other != block).nth(1);
    next.is_some_and(|next| next.predecessors().is_empty())
}

/// True if the source has a statement behind the trap, in front of the function's end if that is known.
fn has_statements_behind(trap: Value, end: Option<Location>) -> bool {
    let place = |location: Location| (location.line(), location.column());
    let Some(here) = trap.location() else {
        return false;
    };
    let is_between = |at: Location| {
        let before_end = end.is_none_or(|end| place(at) < place(end));
        at.inlined_at().is_none() && place(at) > place(here) && before_end
    };
    let blocks = trap.block().function().blocks();
    let behind = blocks
        .iter()
        .skip_while(|block| **block != trap.block())
        .skip(1);
    behind
        .flat_map(|block| block.instructions())
        .filter_map(Value::location)
        .any(is_between)
}

/// The place at which the function's body ends in its source, if that can be read and is behind its last statement.
fn end_of(function: Value, name: &str, last: Location) -> Option<Location> {
    let begin = function.source_line()?;
    let text = std::fs::read_to_string(last.path()).ok()?;
    let (line, column) = closing_brace(&text, name, begin)?;
    (line >= last.line())
        .then(|| last.moved(function, line, column))
        .flatten()
}

/// Line and column, from 1, of the brace that closes the body of a function whose name is on a line.
fn closing_brace(text: &str, name: &str, line: u32) -> Option<(u32, u32)> {
    let start: usize = { text.split_inclusive('\n') }
        .take(line.checked_sub(1)? as usize)
        .map(str::len)
        .sum();
    let rest = &text[start..];
    let declared = rest.lines().next()?.find(name)?;
    let bytes = text.as_bytes();
    let mut at = start + declared + name.len();
    let mut depth = 0;
    while at < bytes.len() {
        if let Some(behind) = skipped(text, at) {
            at = behind;
            continue;
        }
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth <= 1 => {
                let lines = text[..at].matches('\n').count();
                let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
                return (depth == 1).then_some((lines as u32 + 1, column as u32 + 1));
            }
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The index behind the comment or literal that begins at index `at`; `None` if none begins there.
fn skipped(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let behind = |end: &str, from: usize| {
        rest[from..]
            .find(end)
            .map(|found| at + from + found + end.len())
    };
    if rest.starts_with("//") {
        return behind("\n", 2).or(Some(text.len()));
    }
    if rest.starts_with("/*") {
        return behind("*/", 2);
    }
    if let Some(raw) = rest.strip_prefix("R\"") {
        let delimiter = &raw[..raw.find('(')?];
        return behind(&format!("){delimiter}\""), 2);
    }
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
    let before = text[..at].chars().next_back();
    if quote == '\'' && before.is_some_and(|c| c.is_ascii_digit()) {
        return None; // It parts the digits of a number.
    }
    let mut escaped = false;
    let end = rest[1..].find(|c: char| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(at + 1 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::closing_brace;

    #[test]
    fn braces() {
        let text = "int a() { return 1; } int b(int x) {\n  if (x) { f(\"}\"); } // }\n  char c = '}', d = '\\''; /* } */\n  g(1'000, R\"x(})x\");\n }\nint c;\n";
        assert_eq!(closing_brace(text, "b", 1), Some((5, 2)));
        assert_eq!(closing_brace(text, "a", 1), Some((1, 21)));
        assert_eq!(closing_brace(text, "c", 6), None);
        assert_eq!(closing_brace(text, "missing", 1), None);
        assert_eq!(closing_brace(text, "b", 90), None);
    }
}
