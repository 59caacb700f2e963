//! What hooks and interposed functions note of accesses, for the step that they are part of.

pub mod announced;
pub mod cells;
pub mod faulting;
pub mod missing_return;
pub mod repeated;
pub mod uninstrumented;
pub mod whole_pages;
pub mod words;
