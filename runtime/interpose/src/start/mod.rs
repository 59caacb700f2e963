//! From the process's first instruction to the root.
//!
//! 1. The constructor runs before every other constructor (`-z initfirst`): reads `DPOR_OPTIONS`;
//!    executes the program anew, unless the driver started it so, without address-space randomization, with
//!    eager binding (lazily bound slots in rolled-back memory would be bound again in every execution) and
//!    without glibc's restartable sequences; maps the [`crate::world`]; registers its exit handler first, so
//!    that it runs last.
//! 2. The program runs as itself. `__libc_start_main` is ours only to learn that main returned.
//! 3. Its second thread, its first choice, or under `dpor check` its first misuse or its first change of a
//!    file makes the root (engine/src/root.rs).

mod constructor;
mod execute_anew;
mod main_function;
mod modules;
