//! What a verdict depends on, so that it can be known to hold still.

pub mod code;
