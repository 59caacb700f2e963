//! Files of suppressions, a line each or a block of valgrind's.
//!
//! | line | suppresses |
//! |---|---|
//! | `# …`, empty | nothing |
//! | `race:PATTERN` | data races and uses of freed memory, as ThreadSanitizer's |
//! | `race_top:PATTERN` | the same, by the innermost function of an access alone |
//! | `deadlock:`, `mutex:`, `thread:`, `signal:` | ThreadSanitizer's, see [`of_thread_sanitizer`] |
//! | `KIND:PATTERN` | findings of a kind of ours |
//! | `*:PATTERN` | all findings |
//! | `{`, …, `}` | see [`valgrind`] |

use super::rule::{Rule, Suppressions, What};
use super::valgrind;
use dpor_report::FindingKind;
use std::path::Path;

/// Reads files.
///
/// # Errors
/// One sentence with the file, and the line if one is wrong.
pub fn read(files: &[String]) -> Result<Suppressions, String> {
    let mut all = Suppressions::default();
    for file in files {
        let text =
            std::fs::read_to_string(file).map_err(|why| format!("--suppress: {file}: {why}"))?;
        let shown = shown(file);
        let rules = parse(&shown, &text);
        let rules = rules.map_err(|(line, why)| format!("--suppress: {shown}:{line}: {why}"))?;
        all.rules.extend(rules);
    }
    Ok(all)
}

/// The file relative to the current folder, if it is below it.
fn shown(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let below = Path::new(file).strip_prefix(here);
    below.map_or(file.to_owned(), |below| below.display().to_string())
}

/// What is wrong in which line.
pub(super) type Wrong = (u32, String);

/// The suppressions of a file.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Rule>, Wrong> {
    let mut rules = Vec::new();
    let mut lines = (1..).zip(text.lines().map(str::trim));
    while let Some((line, text)) = lines.next() {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        rules.push(match text {
            "{" => valgrind::block(file, line, &mut lines)?,
            _ => one(file, line, text)?,
        });
    }
    Ok(rules)
}

fn one(file: &str, line: u32, text: &str) -> Result<Rule, Wrong> {
    let wrong = |why: String| (line, why);
    let Some((kind, pattern)) = text.split_once(':') else {
        return Err(wrong(format!("'{text}' is not of the form KIND:PATTERN")));
    };
    if pattern.is_empty() {
        return Err(wrong(format!("'{text}' has no pattern behind the colon")));
    }
    let kinds = match (kind, of_thread_sanitizer(kind), kind_of(kind)) {
        ("called_from_lib", ..) => {
            return Err(wrong(
                "called_from_lib: leaves out what a library does, which is --trust LIBRARY here".to_owned(),
            ))
        }
        ("*", ..) => FindingKind::ALL.to_vec(),
        (_, Some(kinds), _) => kinds.to_vec(),
        (_, None, Some(kind)) => vec![kind],
        (_, None, None) => {
            return Err(wrong(format!(
                "'{kind}' is no kind of finding: race, race_top, deadlock, mutex, thread, signal, *, or one of docs/kinds.md"
            )))
        }
    };
    Ok(Rule {
        text: text.to_owned(),
        file: file.to_owned(),
        line,
        kinds,
        what: match kind {
            "race_top" => What::Top(pattern.to_owned()),
            _ => What::Anywhere(pattern.to_owned()),
        },
    })
}

/// The kind of ours with this name.
pub(super) fn kind_of(name: &str) -> Option<FindingKind> {
    FindingKind::ALL
        .into_iter()
        .find(|kind| kind.to_string() == name)
}

/// Kinds of ours that ThreadSanitizer's name stands for. (*Source:* compiler-rt, `tsan_suppressions.cpp`, `conv`: use
/// after free is a race there.)
fn of_thread_sanitizer(name: &str) -> Option<&'static [FindingKind]> {
    use FindingKind as Kind;
    Some(match name {
        "race" | "race_top" => &[Kind::DataRace, Kind::UseAfterFree],
        "deadlock" => &[Kind::Deadlock, Kind::LockOrderInversion],
        "mutex" => &[
            Kind::SelfDeadlock,
            Kind::UnlockNotOwner,
            Kind::UninitializedObject,
            Kind::DestroyedInUse,
        ],
        "thread" => &[Kind::MainExitsEarly, Kind::ThreadMisuse],
        // What a signal handler may not call is not looked for.
        "signal" => &[],
        _ => return None,
    })
}
