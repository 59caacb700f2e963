//! Splitting a line of arguments as a shell does: for `@file`, `--cflags`.
//!
//! The rules of GNU response files: blanks separate; single and double quotes group; a backslash
//! keeps the next character, in double quotes too.

/// The arguments in `text`.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\\', None | Some('"')) => {
                let next = characters.next().unwrap_or('\\');
                word.get_or_insert_default().push(next);
            }
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || "/._-+,=@%".contains(c);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_as_in_a_shell() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text), expect, "{text}");
        check("", &[]);
        check("  -O2   -g\n-lm ", &["-O2", "-g", "-lm"]);
        check(r#"-DX="a b" -DY='"'"#, &["-DX=a b", "-DY=\""]);
        check(r"-DX=\ \\", &[r"-DX= \"]);
        check("'' a", &["", "a"]);
    }
}
