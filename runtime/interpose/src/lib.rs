//! libdpor_rt.so: the program under test, its threads as fibers, and the search that drives them,
//! in one process and on one OS thread.
//!
//! ```text
//! start ── the program runs as itself ── second thread: engine/root ── engine/run: explorer.next ─┐
//!                                                                                                 │
//!   thread 0's stack   fiber stacks (borrowed)      engine stack            signal stack          │
//!   ────────────────   ───────────────────────      ────────────            ────────────          │
//!   hooks, pthread/, libc/ run here,                explorer, report        page faults, crashes, │
//!   with the program's TLS                          with a TLS of its own   system calls ◄────────┘
//! ```
//!
//! Ground rules for everything that runs on a fiber:
//! - no allocation on the program's heap: the global allocator is [`dpor_machine::arena`];
//! - no thread-local storage of ours, no `std::thread`, no `println!`, no std I/O: the thread
//!   pointer is the program's;
//! - no libc function except through [`mod@real`], no system call except through [`dpor_machine::sys`];
//! - nothing that blocks the OS thread;
//! - what must be taken back lives in [`world`], everything else in [`dpor_machine::arena`] or in a static whose type
//!   is one of the homes of [`dpor_machine::state`].

#[macro_use]
extern crate dpor_engine;

pub mod annotations;
mod concerns;
pub mod cxa;
mod cxx;
pub mod exit;
pub mod fini;
mod given;
pub mod hooks;
pub mod libc;
pub mod malloc;
mod ordering;
mod own_stack_stores;
pub mod progress;
pub mod properties;
pub mod pthread;
pub mod scenario;
pub mod start;
pub mod tsan;

use dpor_engine as engine;
use dpor_engine::{process, real, scoped_cell, thread_mask, world};
use dpor_machine::state;
use dpor_workers as workers;

#[global_allocator]
static ALLOCATOR: dpor_machine::arena::Arena = dpor_machine::arena::Arena {
    refuse: process::refuse_plainly,
};
