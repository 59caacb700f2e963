//! Patterns of suppressions.

/// True if `text` is what `pattern` says, in which `*` stands for anything, and `?` for one character if `marks`.
pub(super) fn is(pattern: &str, text: &str, marks: bool) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    // The last star, and the text from which it was tried.
    let mut star = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some('?') if marks => (at, from) = (at + 1, from + 1),
            Some(c) if *c == text[from] => (at, from) = (at + 1, from + 1),
            _ => {
                let Some((of, tried)) = star else {
                    return false;
                };
                star = Some((of, tried + 1));
                (at, from) = (of + 1, tried + 1);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// ThreadSanitizer's way: anywhere in the text, unless `^` and `$` say where it begins or ends.
pub(super) fn is_in(pattern: &str, text: &str) -> bool {
    let (inner, begin) = match pattern.strip_prefix('^') {
        Some(inner) => (inner, ""),
        None => (pattern, "*"),
    };
    let (inner, end) = match inner.strip_suffix('$') {
        Some(inner) => (inner, ""),
        None => (inner, "*"),
    };
    is(&format!("{begin}{inner}{end}"), text, false)
}

/// What a pattern says of the base name of a file, whose folder is not known.
pub(super) fn of_base_name(pattern: &str) -> &str {
    pattern.rsplit('/').next().unwrap_or(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_marks() {
        for (pattern, text, expect) in [
            ("", "", true),
            ("", "a", false),
            ("a*c", "abbc", true),
            ("a*c", "abcb", false),
            ("*b*b*", "abab", true),
            ("*b*b*", "ab", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("**", "x", true),
        ] {
            assert_eq!(is(pattern, text, true), expect, "{pattern} {text}");
        }
        assert!(!is("a?c", "abc", false));
    }

    #[test]
    fn as_thread_sanitizer_has_it() {
        for (pattern, text, expect) in [
            ("push", "queue_push_back", true),
            ("^push", "queue_push", false),
            ("^queue*back$", "queue_push_back", true),
            ("push$", "queue_push_back", false),
            ("*", "x", true),
        ] {
            assert_eq!(is_in(pattern, text), expect, "{pattern} {text}");
        }
    }
}
