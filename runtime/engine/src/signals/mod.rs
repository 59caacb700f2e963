//! Signals while the program is explored: page faults of the snapshot, crashes, system calls, the
//! step limit, and requests to stop.
//!
//! All handlers run on one alternate stack, with the thread pointer of whatever was interrupted,
//! and return through a restorer in this library's text (a system call from libc's restorer would
//! be dispatched again). A handler that ends a fiber does not return into it: it changes the saved
//! context so that the engine goes on, as if the fiber had published its end.

mod alignment;
mod context;
mod fault;
mod install;
mod stack;
mod stop;
mod tick;
mod time_stamp;

pub use alignment::refuse_alignment_check;
pub use context::{
    call_on_fiber, call_with, die, leave_before_exit, leave_fiber, registers, return_to,
};
pub use fault::faults;
pub use install::{disarm, install, rearm_after_fork};
pub use stack::stack_range;
pub use stop::is_interrupted;
pub use tick::{execution_begins, take_tick};
