//! Text in a given number of columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text, its middle left out if it is wider than that: `accou…ance`. `most` is at least 1.
pub fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let start = taken(text.chars(), room.div_ceil(2));
    let reversed = taken(text.chars().rev(), room / 2);
    let end: String = reversed.chars().rev().collect();
    format!("{start}…{end}")
}

/// The first characters that fit.
fn taken(characters: impl Iterator<Item = char>, most: usize) -> String {
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= most
    };
    characters.take_while(fits).collect()
}

/// Returns the text with blanks up to that width.
pub fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// The text in lines of at most that width, broken at blanks where there are some; all but the first
/// begin with `indent`.
pub fn wrapped(text: &str, most: usize, indent: &str) -> String {
    let mut lines = String::new();
    let mut rest = text.to_owned();
    while width(&rest) > most {
        let start = taken(rest.chars(), most);
        // A blank at its very beginning is the indent.
        let begin = rest.len() - rest.trim_start().len();
        let blank = start.get(begin..).and_then(|start| start.rfind(' '));
        let at = match blank {
            _ if rest[start.len()..].starts_with(' ') => start.len(),
            Some(blank) => begin + blank,
            None => start.len(),
        };
        let (line, after) = rest.split_at(at);
        lines += line.trim_end();
        lines.push('\n');
        rest = format!("{indent}{}", after.trim_start());
    }
    lines + &rest + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out() {
        let check = |text: &str, most: usize, expect: &str| {
            assert_eq!(shortened(text, most), expect);
            assert!(width(expect) <= most);
        };
        check("balance", 7, "balance");
        check("balance", 6, "bal…ce");
        check("balance", 5, "ba…ce");
        check("balance", 1, "…");
        // Two columns each: nothing is cut in half.
        check("銀行口座", 8, "銀行口座");
        check("銀行口座", 6, "銀…座");
        check("Größe", 4, "Gr…e");
    }

    #[test]
    fn long_lines_are_broken() {
        let check = |text: &str, most: usize, expect: &str| {
            assert_eq!(wrapped(text, most, "    "), expect);
        };
        check("  a bb", 6, "  a bb\n");
        check("  a bb cc", 6, "  a bb\n    cc\n");
        check("  abcdefgh", 6, "  abcd\n    ef\n    gh\n");
    }

    #[test]
    fn blanks_by_width() {
        assert_eq!(padded("銀", 4), "銀  ");
        assert_eq!(padded("long", 2), "long");
    }
}
