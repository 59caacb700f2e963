//! What a program wrote, without colours.

use std::borrow::Cow;

/// The text without the sequences that set colours (`ESC [ … m`).
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split("\x1b[");
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            // Something else.
            None => plain.extend(["\x1b[", piece]),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn colours_are_left_out() {
        let check = |text: &str, expect: &str| assert_eq!(plain(text), expect);
        check("x.cc(8): error: in", "x.cc(8): error: in");
        check(
            "x.cc(8): \x1b[1;31;49merror: in\x1b[0;39;49m\n",
            "x.cc(8): error: in\n",
        );
        check("\x1b[2J\x1b[mx", "\x1b[2Jx");
    }
}
