//! Two versions of a program: what findings and steps of one are in the other, although lines moved.
//!
//! ```text
//!   lines:    which line of a text is which of the other    sources: texts as they were when the sides were built
//!   matching: which findings of two versions are the same
//! ```

pub mod lines;
pub mod matching;
pub mod sources;
