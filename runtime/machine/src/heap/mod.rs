//! The memory that the program's `malloc` gives out: where it lies, its blocks, and which bytes may be used.
//!
//! **A block's address depends on the history of the thread that asks for it alone**: each thread
//! has a region of its own ([`region`]), and a freed block goes to the list of the thread that frees
//! it ([`block`]). Otherwise two allocations that no rule orders would give different addresses in
//! their two orders.
//!
//! Used from the first instruction of the process on (the dynamic linker allocates before anything
//! of ours has run), so nothing here needs to be initialized, and no code here takes a lock or uses
//! thread-local storage: one OS thread runs. The functions with libc's names are above (interpose/src/malloc).

pub mod block;
pub mod region;
pub mod usable;

pub use block::{at as block_at, lived};
pub use region::regions;
