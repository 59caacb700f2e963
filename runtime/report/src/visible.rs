//! Names and sentences of the program's as a terminal may have them: nothing in them steers it, and what is
//! no UTF-8 is shown byte by byte.
//!
//! A program's names (of variables, files, outcomes) are bytes that anybody may have chosen. Shown as they
//! are, an escape sequence would colour, move or delete lines of the report, and bytes that are no UTF-8
//! would have to be cut or replaced, which makes one name of two.

use core::fmt::{self, Display, Formatter, Write};
use std::borrow::Cow;

/// Whether a character moves, colours or reorders what stands around it instead of being seen itself:
/// control characters (a tab, too), and those that turn the direction of writing (Unicode, UAX #9).
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}' | '\u{2029}'
        )
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Writes a character that steers as a C or Rust programmer would in a literal.
fn escape(c: char, to: &mut impl Write) -> fmt::Result {
    match c {
        '\n' => to.write_str("\\n"),
        '\t' => to.write_str("\\t"),
        '\r' => to.write_str("\\r"),
        c if c.is_ascii() => write!(to, "\\x{:02x}", u32::from(c)),
        c => write!(to, "\\u{{{:x}}}", u32::from(c)),
    }
}

/// Bytes of a C string as a message shows them; nothing is allocated.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Display for Bytes<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match steers(c) {
                    true => escape(c, to)?,
                    false => to.write_char(c)?,
                }
            }
            for byte in chunk.invalid() {
                write!(to, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// A name that is compared with others: as [`Bytes`], and a backslash is doubled, so that different bytes
/// are different names.
pub fn name(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    for (k, part) in bytes.split(|&byte| byte == b'\\').enumerate() {
        if k > 0 {
            name.push_str("\\\\");
        }
        // Writing to a String cannot fail.
        let _ = write!(name, "{}", Bytes(part));
    }
    name
}

/// One line for a terminal.
pub fn line(text: &str) -> Cow<'_, str> {
    without(text, &[])
}

/// Lines for a terminal: a newline and a tab stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    without(text, &['\n', '\t'])
}

fn without<'a>(text: &'a str, harmless: &[char]) -> Cow<'a, str> {
    let is_harmful = |c: char| steers(c) && !harmless.contains(&c);
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_harmful(c) {
            // Writing to a String cannot fail.
            true => drop(escape(c, &mut shown)),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(name(bytes), expect);
        check(b"", "");
        check(b"r1", "r1");
        check("größe".as_bytes(), "größe");
        check(b"a\xff1", r"a\xff1");
        check(b"a\\xff1", r"a\\xff1");
        check(b"a\n\x1b[2J\t\x7f", r"a\n\x1b[2J\t\x7f");
        // The first byte of a character of two, without the second; C1; a turn of direction.
        check(b"a\xc3", r"a\xc3");
        check("\u{9b}\u{202e}".as_bytes(), r"\u{9b}\u{202e}");
    }

    #[test]
    fn lines_keep_their_ends() {
        assert_eq!(lines("a\n\tb"), "a\n\tb");
        assert!(matches!(lines("a\n\tb"), Cow::Borrowed(_)));
        assert_eq!(line("a\n\tb\\"), r"a\n\tb\");
        assert_eq!(lines("\x1b[31mred\r\n"), "\\x1b[31mred\\r\n");
    }
}
