//! dpor in the places where people work: the projects of examples/, each with its own build system or
//! test framework, and editors.

mod builds;
mod ci;
mod editors;
mod frameworks;
mod project;
