//! Calls into libc and into the kernel, as far as they touch what threads share or what an execution
//! could see change from outside.
//!
//! | part | what |
//! |---|---|
//! | [`trampoline`], [`addresses`], [`event`] | functions with state shared between threads: an event, then libc |
//! | [`access`] | what functions read and write of the program's memory |
//! | [`stream_lock`] | whether calls on a FILE may have to wait (`flockfile`) |
//! | [`time`], [`random`] | clocks, sleep, random numbers: functions of the thread's own history |
//! | [`syscalls`] | every system call made while the program is explored |
//! | [`opaque`] | those of them that are events: no function of the table makes them |
//! | [`futex`] | waiting for other threads without libc's help |
//! | [`before_root`] | what is done to files before exploration begins |
//! | [`timers`] | timers that send signals |
//! | [`vdso`] | the functions by which the kernel answers without one |
//! | [`channel`] | pipes, socket pairs and event counters, and waiting for them |
//! | [`overlay`] | files that differ from the disk |
//! | [`descriptor`], [`crate::engine::input`], [`mapping`], [`signals`] | what those would change in the kernel, kept here instead |
//!
//! The kernel's state is the same in all executions: descriptors, offsets, signal actions and masks
//! lie in the world, which goes back in time with the program. What the kernel must do for real
//! (open a file, map memory) is undone when the program goes back (crate::concerns).

pub mod access;
pub mod addresses;
mod arguments;
pub mod before_root;
pub mod channel;
pub mod descriptor;
pub mod event;
pub mod fault_handlers;
pub mod futex;
pub mod mapping;
pub mod opaque;
pub mod overlay;
pub mod random;
pub mod signals;
pub mod stdio;
pub mod stream_lock;
pub mod syscalls;
pub mod system_call_signal;
pub mod time;
pub mod timers;
pub mod trampoline;
pub(crate) mod vdso;

pub use mapping::mappings;
