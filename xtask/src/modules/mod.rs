//! Which modules of a crate name items of which others, and the circles in that.
//!
//! The graph has an edge from a module to another if a path in its text, a `use` or any other, macros'
//! included, leads to an item that the other defines. What a module only hands on (`pub use`) belongs to who
//! defines it, so that a façade makes no circle. Methods are not paths: `impl Trace` may be spread over files
//! without one. Modules of tests are left out.

mod graph;
mod paths;
mod source;

pub use graph::Graph;
pub use source::Crate;
