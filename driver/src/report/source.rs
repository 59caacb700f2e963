//! Source files, for excerpts.

use dpor_report::Place;
use std::path::{Path, PathBuf};

/// A source file that could be read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text of the file.
    pub text: String,
}

impl Source {
    /// Reads `file` as debug information names it: absolute, or relative to the current folder or
    /// to `folder`, where the program is.
    pub fn find(file: &str, folder: &Path) -> Option<Source> {
        if file.is_empty() {
            return None;
        }
        let candidates = [PathBuf::from(file), folder.join(file)];
        let read = |path: &PathBuf| std::fs::read(path).ok();
        let bytes = candidates.iter().find_map(read)?;
        Some(Source {
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }

    /// The column of a place in characters, from 1; `None` if the line is shorter or not there.
    pub fn characters(&self, place: &Place) -> Option<u32> {
        let line = self
            .text
            .lines()
            .nth((place.line as usize).checked_sub(1)?)?;
        let before = line.get(..(place.column as usize).checked_sub(1)?)?;
        u32::try_from(before.chars().count() + 1).ok()
    }

    /// Bytes of the token that begins at (`line`, `column`), both from 1; of the whole line
    /// without its indentation if the column is 0 or behind its end; `None` if there is no such
    /// line.
    pub fn span(&self, line: u32, column: u32) -> Option<std::ops::Range<usize>> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let text = self.text.split_inclusive('\n').nth(index)?;
        let start = text.as_ptr() as usize - self.text.as_ptr() as usize;
        let content = text.trim_end();
        let from = usize::try_from(column).ok()?.wrapping_sub(1);
        let rest = content.get(from..).unwrap_or("");
        if rest.trim_start().is_empty() {
            let indentation = content.len() - content.trim_start().len();
            return Some(start + indentation..start + content.len());
        }
        Some(start + from..start + from + token_bytes(rest))
    }
}

/// Length of the token at the beginning of `text`, which is not empty: a word or number, a run of
/// operator characters, or one character.
fn token_bytes(text: &str) -> usize {
    let run = |is_part: &dyn Fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
    let word = run(&|c| c.is_alphanumeric() || c == '_');
    let operator = run(&|c| "+-/%&|^<>=!".contains(c));
    let first = text.chars().next().map_or(0, char::len_utf8);
    word.max(operator).max(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let source = Source {
            text: "int x;\n  balance += 1;\n\n  *p = é;".to_owned(),
        };
        let check = |line: u32, column: u32, expect: Option<&str>| {
            let span = source.span(line, column);
            assert_eq!(
                span.map(|span| &source.text[span]),
                expect,
                "{line}:{column}"
            );
        };
        check(1, 5, Some("x"));
        check(2, 3, Some("balance"));
        check(2, 11, Some("+="));
        check(2, 0, Some("balance += 1;"));
        check(2, 99, Some("balance += 1;"));
        check(3, 1, Some(""));
        check(4, 3, Some("*"));
        check(4, 8, Some("é"));
        check(5, 1, None);
        check(0, 1, None);
    }

    #[test]
    fn columns_in_characters() {
        let source = Source {
            text: "x\né = \"ü\" + y;".to_owned(),
        };
        let check = |line: u32, column: u32, expect: Option<u32>| {
            let place = Place {
                line,
                column,
                ..Place::default()
            };
            assert_eq!(source.characters(&place), expect, "{line}:{column}");
        };
        check(1, 1, Some(1));
        // é and ü are two bytes each: y is byte 13 and character 11.
        check(2, 13, Some(11));
        check(2, 1, Some(1));
        check(2, 3, Some(2));
        check(2, 2, None);
        check(2, 99, None);
        check(3, 1, None);
        check(0, 1, None);
    }
}
