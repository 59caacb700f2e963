//! What gcc wrote for the assembler, with what the runtime must be told of.
//!
//! gcc tells of accesses, and of nothing else. So its text is read, line by line:
//!
//! | in the text | put before it |
//! |---|---|
//! | a call of a function that is not in the text | a call that announces it ([`calls`]) |
//! | inline assembly that may reach memory | a call that announces it ([`inline`]) |
//! | the end | the record of the module, as the pass writes it ([`record`]) |
//!
//! Announcements leave all registers as they are but r11, which is free at a call, and at inline assembly is left alone.
//! A text without ThreadSanitizer's calls stays as it is.
//!
//! **Source**: gcc's `final.cc` (`#APP`, `#NO_APP`), the System V ABI of x86-64 (registers at a call, access to
//! thread-local variables), GNU as.

mod calls;
mod inline;
mod record;

use calls::Announcement;
use record::Functions;
use std::collections::HashSet;

/// The call that every module with ThreadSanitizer's calls makes when it is loaded.
const INIT: &str = "__tsan_init";

/// The text with announcements and the module's record. `without_assertions`: `NDEBUG` was defined.
pub fn rewrite(text: &str, without_assertions: bool) -> String {
    if !text.contains(INIT) {
        return text.to_owned();
    }
    let defined = defined(text);
    let mut rewritten = String::with_capacity(text.len() + text.len() / 4);
    let mut functions = Functions::default();
    let mut accesses = 0;
    // Lines of inline assembly so far, if it goes on.
    let mut inline: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if let Some(lines) = &mut inline {
            lines.push_str(line);
            if bare == "#NO_APP" {
                let is_announced = functions.is_inside() && inline::may_reach_memory(lines);
                if is_announced {
                    rewritten += "\tcall\t*__dpor_announce_assembly@GOTPCREL(%rip)\n";
                }
                rewritten += lines;
                inline = None;
            }
            continue;
        }
        if bare == "#APP" {
            inline = Some(line.to_owned());
            continue;
        }
        functions.line(bare);
        if let Some(callee) = calls::callee(bare) {
            accesses += u32::from(calls::is_access(callee));
            calls::announcement(callee, &defined).write(&mut rewritten);
        }
        rewritten += line;
    }
    rewritten += &inline.unwrap_or_default();
    functions.write_record(accesses, without_assertions, &mut rewritten);
    rewritten
}

/// The labels that the text defines outside of inline assembly: a call of them stays in the module.
fn defined(text: &str) -> HashSet<&str> {
    let mut is_inline = false;
    let mut labels = HashSet::new();
    for line in text.lines() {
        match line {
            "#APP" => is_inline = true,
            "#NO_APP" => is_inline = false,
            _ if is_inline || line.starts_with(['\t', ' ', '#']) => {}
            _ => labels.extend(line.split_once(':').map(|(label, _)| label)),
        }
    }
    labels
}

impl Announcement<'_> {
    /// Appends the call.
    fn write(&self, text: &mut String) {
        let (load, name) = match *self {
            Announcement::None => return,
            Announcement::ReadsNothing => (None, "__dpor_announce"),
            Announcement::ReadsArguments => (None, "__dpor_announce_reader"),
            Announcement::OfSymbol(symbol) => (
                Some(format!("{symbol}@GOTPCREL(%rip)")),
                "__dpor_announce_unseen",
            ),
            Announcement::OfOperand(operand) => {
                (Some(operand.to_owned()), "__dpor_announce_unseen")
            }
        };
        if let Some(operand) = load {
            *text += &format!("\tmovq\t{operand}, %r11\n");
        }
        *text += &format!("\tcall\t*{name}@GOTPCREL(%rip)\n");
    }
}

#[cfg(test)]
mod tests;
