//! The way in which an execution ended, for comparing programs and for lists of executions.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The values that an execution observed which ran to its end, and the bytes that it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ending {
    /// Last value given to `dpor_observe` under each name.
    pub values: BTreeMap<String, i64>,
    /// The bytes that the execution wrote to descriptor 1, as text; escaped if they are no UTF-8.
    pub stdout: String,
    /// The bytes that the execution wrote to descriptor 2, as text; escaped if they are no UTF-8.
    pub stderr: String,
    /// Number of the execution, from 1, among all that were explored; none where executions that end alike
    /// are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub execution: Option<u64>,
}

impl Ending {
    /// An ending with the bytes that the execution wrote.
    pub fn new(values: BTreeMap<String, i64>, stdout: &[u8], stderr: &[u8]) -> Ending {
        Ending {
            values,
            stdout: text(stdout),
            stderr: text(stderr),
            execution: None,
        }
    }

    /// The text that stands for the ending in the message of a finding.
    pub fn to_message(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers have a JSON form")
    }

    /// Reads an ending from the message of a finding.
    pub fn from_message(message: &str) -> Option<Ending> {
        serde_json::from_str(message).ok()
    }
}

fn text(bytes: &[u8]) -> String {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back() {
        let values = BTreeMap::from([("r1".to_owned(), -1)]);
        let ending = Ending::new(values, b"a \"b\"\n", b"\xff\x01");
        assert_eq!(ending.stderr, "\\xff\\x01");
        assert_eq!(Ending::from_message(&ending.to_message()), Some(ending));
        assert_eq!(Ending::from_message("data race"), None);
    }
}
