//! Blocks as valgrind has them (manual, section 2.5, "Suppressing errors").
//!
//! ```text
//! {
//!    name
//!    Helgrind:Race
//!    fun:queue_push
//!    obj:*/libfoo.so*
//!    src:queue.c:12
//!    ...
//! }
//! ```
//!
//! The lines behind the kind are the functions on the stack, the innermost first; a stack may have more. `*` stands for
//! anything, `?` for one character, and `...` for any number of functions. Blocks of tools and of kinds that have no
//! counterpart here suppress nothing.

use super::read::{kind_of, Wrong};
use super::rule::{Line, Rule, What};
use dpor_report::FindingKind;

/// Reads a block whose brace is in this line.
pub(super) fn block<'a>(
    file: &str,
    begin: u32,
    lines: &mut impl Iterator<Item = (u32, &'a str)>,
) -> Result<Rule, Wrong> {
    let mut lines = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    let open = || (begin, "the block has no } behind it".to_owned());
    let (at, name) = lines.next().ok_or_else(open)?;
    if name == "}" {
        return Err((at, "the block has no name".to_owned()));
    }
    let (at, kind) = lines.next().ok_or_else(open)?;
    let kinds = kinds(kind).map_err(|why| (at, why))?;
    let mut stack = Vec::new();
    for (at, text) in lines {
        if text == "}" {
            if stack.is_empty() {
                return Err((
                    at,
                    "the block has no fun:, obj:, src: or ... line".to_owned(),
                ));
            }
            return Ok(Rule {
                text: name.to_owned(),
                file: file.to_owned(),
                line: begin,
                kinds,
                what: What::Stack(stack),
            });
        }
        match frame(text) {
            Some(line) => stack.push(line),
            // What stands before the frames says which system call, or which leaks.
            None if stack.is_empty() && kind.starts_with("Memcheck:") => {}
            None => return Err((at, format!("'{text}' is no fun:, obj:, src: or ... line"))),
        }
    }
    Err(open())
}

fn frame(text: &str) -> Option<Line> {
    let line = match text.split_once(':') {
        None if text == "..." => Line::Any,
        Some(("fun", name)) if !name.is_empty() => Line::Function(name.to_owned()),
        Some(("obj", name)) if !name.is_empty() => Line::Object(name.to_owned()),
        Some(("src", name)) if !name.is_empty() => match name.rsplit_once(':') {
            Some((file, line)) => Line::Source(file.to_owned(), Some(line.parse().ok()?)),
            None => Line::Source(name.to_owned(), None),
        },
        _ => return None,
    };
    Some(line)
}

/// The kinds of ours that `TOOL,…:KIND` is for.
fn kinds(text: &str) -> Result<Vec<FindingKind>, String> {
    use FindingKind as Kind;
    let Some((tools, kind)) = text.split_once(':') else {
        return Err(format!(
            "'{text}' is not of the form TOOL:KIND, as in Helgrind:Race"
        ));
    };
    let mut all = Vec::new();
    for tool in tools.split(',') {
        let own: &[FindingKind] = match (tool.to_ascii_lowercase().as_str(), kind) {
            ("dpor", "*") => &Kind::ALL,
            ("dpor", kind) => {
                let known = kind_of(kind);
                all.push(known.ok_or_else(|| format!("'{kind}' is no kind of docs/kinds.md"))?);
                &[]
            }
            ("helgrind", "Race") | ("drd", "ConflictingAccess") => &[Kind::DataRace],
            ("helgrind", "LockOrder") => &[Kind::Deadlock, Kind::LockOrderInversion],
            ("helgrind", "UnlockUnlocked" | "UnlockForeign" | "UnlockBogus")
            | ("drd", "MutexErr") => &[
                Kind::UnlockNotOwner,
                Kind::UninitializedObject,
                Kind::DestroyedInUse,
            ],
            ("helgrind", "PthAPIerror") => &[Kind::ThreadMisuse, Kind::SelfDeadlock],
            ("drd", "CondErr") => &[Kind::CondvarMutexMismatch, Kind::DestroyedInUse],
            ("drd", "CondRaceErr") => &[Kind::LostWakeup],
            ("memcheck", "Leak") => &[Kind::Leak],
            ("memcheck", "Free") => &[Kind::InvalidFree, Kind::DoubleFree],
            ("memcheck", "Addr1" | "Addr2" | "Addr4" | "Addr8" | "Addr16" | "Addr32") => {
                &[Kind::UseAfterFree, Kind::OutOfBounds, Kind::UseAfterReturn]
            }
            _ => &[],
        };
        all.extend_from_slice(own);
    }
    Ok(all)
}
