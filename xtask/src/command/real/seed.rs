//! Planting a bug.

use super::program::Edit;
use crate::stop::{Context, Outcome, Stop};
use std::path::Path;

/// Makes the edits in a copy of the source.
///
/// # Errors
/// If a place is not found: the package is another version than the table was written for.
pub fn plant(edits: &[Edit], folder: &Path) -> Outcome {
    for edit in edits {
        let path = folder.join(edit.file);
        let text = std::fs::read(&path).while_doing(path.display())?;
        let text = String::from_utf8_lossy(&text);
        let edited = replaced(&text, edit)
            .ok_or_else(|| Stop::cannot(format!("{}: no {:?}", path.display(), edit.find)))?;
        std::fs::write(&path, edited).while_doing(path.display())?;
    }
    Ok(())
}

/// The text with the first occurrence behind the mark replaced.
fn replaced(text: &str, edit: &Edit) -> Option<String> {
    let from = text.find(edit.after)? + edit.after.len();
    let start = from + text[from..].find(edit.find)?;
    let end = start + edit.find.len();
    Some([&text[..start], edit.replace, &text[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, after: &'static str, find: &'static str, expect: Option<&str>) {
        let edit = Edit {
            file: "",
            after,
            find,
            replace: "-",
        };
        assert_eq!(replaced(text, &edit).as_deref(), expect);
    }

    #[test]
    fn the_first_behind_the_mark_is_replaced() {
        check("a b a b a", "", "a", Some("- b a b a"));
        check("a b a b a", "b", "a", Some("a b - b a"));
        check("a b a b a", "b a b", "a", Some("a b a b -"));
        check("a b a b a", "b a b", "b", None);
        check("a b a b a", "c", "a", None);
    }
}
