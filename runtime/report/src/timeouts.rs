//! The early time-outs that were explored: those that come although other threads could go on.

use crate::text::counted;
use serde::{Deserialize, Serialize};

/// Number of calls with a time limit that could reach it early in one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Timeouts {
    /// At most this number.
    AtMost(u64),
    /// Any number, which the JSON calls `all`.
    Any(Word),
}

/// The word for any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Word {
    /// The word `all`.
    #[serde(rename = "all")]
    All,
}

impl Timeouts {
    /// What a verdict says of it: `, with at most 1 early time-out`; nothing where all were explored.
    pub fn said(self) -> String {
        match self {
            Timeouts::AtMost(0) => ", with no early time-out".to_owned(),
            Timeouts::AtMost(most) => {
                format!(", with at most {}", counted(most, "early time-out"))
            }
            Timeouts::Any(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words_and_in_json() {
        let of = |timeouts: Timeouts| {
            let json = serde_json::to_string(&timeouts).expect("a value");
            assert_eq!(
                serde_json::from_str::<Timeouts>(&json).expect("the same"),
                timeouts
            );
            (timeouts.said(), json)
        };
        let all = [
            (Timeouts::AtMost(0), ", with no early time-out", "0"),
            (Timeouts::AtMost(1), ", with at most 1 early time-out", "1"),
            (Timeouts::AtMost(2), ", with at most 2 early time-outs", "2"),
            (Timeouts::Any(Word::All), "", "\"all\""),
        ];
        for (timeouts, said, json) in all {
            assert_eq!(of(timeouts), (said.to_owned(), json.to_owned()));
        }
    }
}
