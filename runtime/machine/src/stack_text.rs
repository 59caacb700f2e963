//! Text on the stack, for whoever must not allocate.

use core::fmt::{self, Write};

/// The most bytes of a text.
const BYTES_MAX: usize = 512;

/// Text on the stack: who says something where there is no memory for it, or must leave nothing behind in the
/// [arena](crate::arena).
pub struct Text {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl Text {
    /// `arguments`, cut after [`BYTES_MAX`] bytes.
    pub fn new(arguments: fmt::Arguments) -> Self {
        let mut text = Text {
            bytes: [0; BYTES_MAX],
            length: 0,
        };
        // The only error is our own "full".
        let _ = text.write_fmt(arguments);
        text
    }

    /// Returns the text written so far; empty if it is not UTF-8.
    pub fn as_str(&self) -> &str {
        let bytes = &self.bytes[..self.length];
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = self.bytes.len() - self.length;
        let mut end = part.len().min(room);
        while !part.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes[self.length..self.length + end].copy_from_slice(&part.as_bytes()[..end]);
        self.length += end;
        if end < part.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, BYTES_MAX};

    #[test]
    fn a_text_is_cut_between_characters() {
        let long = "ä".repeat(BYTES_MAX);
        let text = Text::new(format_args!("x{long}"));
        assert_eq!(text.as_str().len(), BYTES_MAX - 1);
        assert!(text.as_str().ends_with('ä'));
        assert_eq!(Text::new(format_args!("{} of {}", 1, 2)).as_str(), "1 of 2");
    }
}
