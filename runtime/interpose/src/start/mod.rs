//! From the process's first instruction to the root.
//!
//! 1. The constructor runs before every other constructor (`-z initfirst`): reads `DPOR_OPTIONS`;
//!    executes the program anew without address-space randomization, with eager binding (lazily
//!    bound slots in rolled-back memory would be bound again in every execution) and without
//!    glibc's restartable sequences; maps the [`crate::world`]; registers its exit handler first, so
//!    that it runs last.
//! 2. The program runs as itself. `__libc_start_main` is ours only to learn that main returned.
//! 3. Its second thread, its first choice, or under `dpor check` its first misuse or its first change of a
//!    file makes the root (engine/root.rs).

mod constructor;
mod environment;
mod main_function;
mod modules;
mod notes;
mod options;
mod refusal;

pub use constructor::began_ns;
pub use environment::{arguments, command_line};
pub use main_function::{is_main_instrumented, stack_base};
pub use modules::{is_of_program, module_loaded, modules, without_assertions};
pub use notes::{note, notes};
pub use options::options;
pub use refusal::{announce, refuse, refuse_plainly};

use crate::engine;
use crate::pthread::{live_objects, uninitialized_mutexes};

/// The program may bring its own allocator. Its memory is the program's like any other; only where
/// blocks begin and end is not known.
pub fn note_foreign_allocator() {
    let used = crate::real::first(c"malloc") as usize;
    if !engine::own_image::is_own(used) {
        note("the program brings its own malloc: heap blocks are not named, and their reuse is not seen");
    }
}

/// Whether a program that never had a second thread left something that is to be told.
pub fn has_something_to_say() -> bool {
    live_objects::has_something_to_say() || uninitialized_mutexes::has_something_to_say()
}
