//! Texts as SARIF has them.

use serde_sarif::sarif::Message;

/// A message of plain text.
pub fn message(text: &str) -> Message {
    Message::builder().text(text).build()
}
