//! What the process was given, and what it is: known from the start on, and the same in all executions.
//!
//! | part | what |
//! |---|---|
//! | [`environment`] | arguments and environment, as the kernel gave them |
//! | [`mod@options`] | what the driver asks for |
//! | [`began_ns`] | since when its limit of time counts |
//! | [`mod@modules`], [`functions`] | instrumented modules, and which functions they have |
//! | [`main_function`] | `main`, and where its frames begin |
//! | [`note`], [`refuse`] | sentences about the run as a whole, and the one that ends it |
//!
//! The start (interpose/src/start/) writes all of this. Data and questions only: nobody here knows of the engine.

mod began;
pub mod environment;
pub mod functions;
pub mod main_function;
pub mod modules;
mod notes;
pub mod options;
pub mod refusal;

pub use crate::loaded::is_of_program;
pub use began::{began_ns, begins};
pub use environment::{arguments, command_line};
pub use main_function::{is_main_instrumented, stack_base};
pub use modules::{by_other_compiler, modules, without_assertions};
pub use notes::{note, notes};
pub use options::options;
pub use refusal::{announce, refuse, refuse_plainly};
