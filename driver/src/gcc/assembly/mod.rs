//! What gcc wrote for the assembler, with what the runtime must be told of.
//!
//! gcc tells of accesses, and of nothing else. So its text is read, line by line:
//!
//! | in the text | put before it, or done |
//! |---|---|
//! | a call of a function that is not in the text, or has no hooks ([`survey`]) | a call that announces it ([`calls`]) |
//! | a call of `memcpy` and its like | instead of it: a function of the runtime's that tells of the accesses, and calls it |
//! | a call of a function of C++'s library that accesses an object | besides: a call that tells of that |
//! | inline assembly that may reach memory | a call that announces it ([`inline`]) |
//! | the head of a loop that the function never leaves | a call that tells of a turn ([`endless`]) |
//! | the end | the record of the module, as the pass writes it ([`record`]) |
//!
//! Announcements leave all registers as they are but r11, which is free at a call, and at inline assembly is left alone.
//! A text without ThreadSanitizer's calls stays as it is.
//!
//! **Source**: gcc's `final.cc` (`#APP`, `#NO_APP`), the System V ABI of x86-64 (registers at a call, access to
//! thread-local variables), GNU as.

mod calls;
mod endless;
mod inline;
mod record;
mod survey;

use calls::Announcement;
use record::Functions;

/// The call that every module with ThreadSanitizer's calls makes when it is loaded.
const INIT: &str = "__tsan_init";

/// The text with announcements and the module's record. `without_assertions`: `NDEBUG` was defined.
pub fn rewrite(text: &str, without_assertions: bool) -> String {
    if !text.contains(INIT) {
        return text.to_owned();
    }
    let defined = survey::instrumented(text);
    let heads = endless::heads(text);
    let mut rewritten = String::with_capacity(text.len() + text.len() / 4);
    let mut functions = Functions::default();
    let mut accesses = 0;
    // Lines of inline assembly so far, if it goes on.
    let mut inline: Option<String> = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
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
            if let Some(instead) = calls::told(callee, &defined) {
                rewritten += &format!("\tcall\t*{instead}@GOTPCREL(%rip)\n");
                continue;
            }
            rewritten += &calls::of_library(callee, &defined).unwrap_or_default();
            calls::announcement(callee, &defined).write(&mut rewritten);
        }
        rewritten += line;
        if heads.contains(&number) {
            rewritten += &format!("\tcall\t{}\n", endless::HELPER);
        }
    }
    if !heads.is_empty() {
        rewritten += &endless::helper();
    }
    rewritten += &inline.unwrap_or_default();
    functions.write_record(&defined, accesses, without_assertions, &mut rewritten);
    rewritten
}

impl Announcement<'_> {
    /// Appends the call.
    fn write(&self, text: &mut String) {
        let (load, name) = match *self {
            Announcement::None => return,
            Announcement::Idle => (None, "__dpor_announce_idle"),
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
