//! What a run consists of and about how long it takes, said before it begins.

use crate::llvm::Major;

/// Seconds on two cores from an empty target; a part that is not here takes few.
///
/// Of a run of 2026-11-25 on a machine shared with others, so too long rather than too short.
const SECONDS: [(&str, u64); 9] = [
    ("build", 460),
    ("programs", 1279),
    ("escape", 223),
    ("explorer", 190),
    ("promises", 59),
    ("instructions", 42),
    ("sources", 27),
    ("driver", 28),
    ("races", 10),
];

/// Seconds that a part is known to take; 0 if nothing is known.
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
    // Two things run at a time.
    let seconds: u64 = SECONDS.iter().map(|(_, seconds)| seconds).sum();
    let minutes = match (everything, filter) {
        (false, None) => format!(
            "; about {} minutes on two cores from an empty target",
            seconds.div_ceil(120)
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
