//! `dpor`.
#![forbid(unsafe_code)]
fn main() {}
