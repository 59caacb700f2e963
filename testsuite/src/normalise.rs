//! The whole list of what golden reports may hide: paths, addresses and times.
//!
//! Never thread numbers, event order or counts: a change there is a change of behaviour.

use std::path::Path;

/// The text with machine-dependent parts replaced.
///
/// | what | becomes |
/// |---|---|
/// | the folder of the programs | `PROGRAMS` |
/// | the folder of what was built | `BUILT` |
/// | `0x` and hexadecimal digits | `0xADDRESS` |
/// | digits, perhaps with a point, before ` s`, ` ms`, ` µs`, `/s` | `TIME` and the unit |
pub fn normalise(text: &str, programs: &Path, built: &Path) -> String {
    let text = text
        .replace(&*programs.to_string_lossy(), "PROGRAMS")
        .replace(&*built.to_string_lossy(), "BUILT");
    text.lines()
        .map(|line| times(&addresses(line.trim_end())) + "\n")
        .collect()
}

fn addresses(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("0x") {
        let (before, number) = rest.split_at(at);
        let digits = number[2..]
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(number.len() - 2);
        out.push_str(before);
        out.push_str(if digits == 0 { "0x" } else { "0xADDRESS" });
        rest = &number[2 + digits..];
    }
    out + rest
}

fn times(line: &str) -> String {
    const UNITS: [&str; 5] = [" s", " ms", " µs", " executions/s", "/s"];
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let end = number
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
            .unwrap_or(number.len());
        let after = &number[end..];
        let is_time = UNITS.iter().any(|unit| {
            after
                .strip_prefix(unit)
                .is_some_and(|next| !next.starts_with(|c: char| c.is_alphanumeric()))
        });
        out.push_str(before);
        out.push_str(if is_time { "TIME" } else { &number[..end] });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let normal = normalise(text, Path::new("/src/programs"), Path::new("/out"));
        assert_eq!(normal, format!("{expect}\n"));
    }

    #[test]
    fn paths_addresses_and_times_are_hidden() {
        check("at /src/programs/bugs/x.c:3", "at PROGRAMS/bugs/x.c:3");
        check("/out/x is instrumented", "BUILT/x is instrumented");
        check(
            "block at 0x7fff12ab, 8 bytes",
            "block at 0xADDRESS, 8 bytes",
        );
        check("done in 0.01 s", "done in TIME s");
        check("(12,345 executions/s)", "(TIME executions/s)");
    }

    #[test]
    fn counts_and_threads_are_not() {
        check("1680 executions, T3, x.c:10", "1680 executions, T3, x.c:10");
        check("3 steps, 4 seen", "3 steps, 4 seen");
        check("0xyz", "0xyz");
    }
}
