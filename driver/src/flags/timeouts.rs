//! `--timeouts` with and without a value: `--timeouts 2 ./x` and `--timeouts ./x`.

use dpor_abi::timeouts::Timeouts;
use std::ffi::OsString;

/// A command line in which `--timeouts` and its value are one word, if it has one: so what follows is not taken for
/// it. What comes after `--` is the program's.
pub fn joined<T: Into<OsString>>(words: impl IntoIterator<Item = T>) -> Vec<OsString> {
    let mut words = words.into_iter().map(Into::into).peekable();
    let mut all = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            all.push(word);
            all.extend(words);
            return all;
        }
        let is_value = |next: &OsString| {
            let text = next.to_str();
            text.is_some_and(|text| text.parse::<Timeouts>().is_ok())
        };
        let value = match word == "--timeouts" {
            true => words.next_if(is_value),
            false => None,
        };
        all.push(match value {
            Some(value) => {
                let mut both = OsString::from("--timeouts=");
                both.push(value);
                both
            }
            None => word,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn a_program_is_no_value() {
        let check = |line: &str, expect: &str| {
            assert_eq!(joined(line.split(' ')).join(" ".as_ref()), expect);
        };
        check("check --timeouts 2 ./x", "check --timeouts=2 ./x");
        check("check --timeouts all ./x", "check --timeouts=all ./x");
        check("check --timeouts ./x", "check --timeouts ./x");
        check("check --timeouts -k x", "check --timeouts -k x");
        check("check --timeouts=2 x", "check --timeouts=2 x");
        check("check x -- --timeouts 2", "check x -- --timeouts 2");
        check("check x --timeouts", "check x --timeouts");
    }
}
