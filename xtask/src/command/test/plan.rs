//! What a run consists of and about how long it takes, said before it begins.

use crate::llvm::Major;

/// Seconds of the build on two cores at rest, from an empty target.
const BUILD: u64 = 330;

/// Seconds of test binaries, of which two run at a time, the longest first; one that is not here takes few.
const SECONDS: [(&str, u64); 7] = [
    ("programs", 500),
    ("suite", 420),
    ("explorer", 140),
    ("instructions", 30),
    ("sources", 25),
    ("driver", 30),
    ("deb", 13),
];

/// Seconds that a test binary is known to take; 0 if nothing is known.
pub fn seconds(name: &str) -> u64 {
    let known = SECONDS.iter().find(|(part, _)| *part == name);
    known.map_or(0, |(_, seconds)| *seconds)
}

/// The head of the output.
pub fn head(everything: bool, filter: Option<&str>, llvms: &[Major]) -> String {
    let llvms: Vec<String> = llvms.iter().map(Major::to_string).collect();
    let (product, each) = match everything {
        true => ("as it is released", ", every way and level of each program"),
        false => ("without link-time optimization", ""),
    };
    let tests = match filter {
        Some(filter) => format!("the tests whose names contain '{filter}'"),
        None => format!("all tests{each}"),
    };
    let known: u64 = SECONDS.iter().map(|(_, seconds)| seconds).sum();
    let minutes = match (everything, filter) {
        (false, None) => format!(
            "; about {} minutes on two cores from an empty target",
            (BUILD + known / 2).div_ceil(60)
        ),
        _ => String::new(),
    };
    format!(
        "builds the product {product}, the pass for LLVM {} and the tests; then {tests}{minutes}",
        llvms.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_says_what_and_how_long() {
        let said = head(false, None, &[22, 19]);
        assert!(
            said.contains("LLVM 22, 19") && said.contains("all tests; about "),
            "{said}"
        );
        let said = head(true, Some("mutex"), &[19]);
        assert!(
            said.contains("'mutex'") && !said.contains("minutes"),
            "{said}"
        );
    }

    #[test]
    fn what_is_not_known_comes_last() {
        assert!(seconds("programs") > seconds("explorer"));
        assert_eq!(seconds("nothing"), 0);
    }
}
