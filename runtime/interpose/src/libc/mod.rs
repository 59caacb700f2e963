//! Calls into libc and into the kernel, as far as they touch what threads share or what an execution
//! could see change from outside.
//!
//! | part | what |
//! |---|---|
//! | [`trampoline`], [`event`] | functions with state shared between threads: an event, then libc |
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
//! | [`descriptor`], [`input`], [`mapping`], [`signals`] | what those would change in the kernel, kept here instead |
//!
//! The kernel's state is the same in all executions: descriptors, offsets, signal actions and masks
//! are the [`State`], which goes back in time with the program. What the kernel must do for real
//! (open a file, map memory) is undone by [`restore_kernel_state`].

pub mod access;
pub mod before_root;
pub mod channel;
pub mod descriptor;
pub mod event;
pub mod futex;
pub mod input;
pub mod mapping;
pub mod opaque;
pub mod overlay;
pub mod random;
pub mod signals;
pub mod stdio;
pub mod stream_lock;
pub mod syscalls;
pub mod time;
pub mod timers;
pub mod trampoline;
mod vdso;

/// Rolled-back part. What changes often comes first, so that it shares a page.
#[repr(C)]
pub struct State {
    pub(crate) time: time::State,
    pub(crate) random: random::State,
    pub(crate) input: input::State,
    pub(crate) descriptors: descriptor::State,
    pub(crate) mappings: mapping::State,
    pub(crate) signals: signals::State,
    pub(crate) channels: channel::State,
    pub(crate) overlay: overlay::State,
    pub(crate) access: access::State,
    pub(crate) timers: timers::State,
}

/// Our part of the world.
#[inline]
pub(crate) fn state() -> *mut State {
    // SAFETY: address arithmetic within the world's mapping.
    unsafe { &raw mut (*crate::world::world()).libc }
}

/// Called once, when this point becomes the root. `hidden`: descriptors of the runtime's own, which
/// the program shall not see. `clocks`: what the clocks show, if that is told; returns what they
/// show ([`time::at_root`]).
pub fn at_root(hidden: &[i32], clocks: &str) -> String {
    syscalls::at_root();
    trampoline::resolve_all();
    access::resolve_all();
    let shown = time::at_root(clocks);
    input::at_root();
    descriptor::at_root(hidden);
    channel::at_root::take_over();
    signals::at_root();
    timers::at_root::at_root();
    stdio::at_root();
    stream_lock::decide();
    opaque::at_root();
    crate::foreign::at_root();
    crate::hooks::library_calls::at_root();
    overlay::commit::at_root();
    overlay::content::at_root();
    overlay::open::at_root();
    vdso::at_root();
    shown
}

/// Lets the clocks show what another process's show at its root.
pub fn set_clocks(clocks: &str) {
    time::at_root(clocks);
}

/// Gives memory back that is about to be restored.
pub fn before_restore() {
    mapping::before_restore();
}

/// Undoes in the kernel what the state, which was just restored, does not know of.
pub fn restore_kernel_state() {
    mapping::restore();
}

/// Makes this process, which was forked, go on beside its parent. Returns false if it shares what
/// it must not share.
pub fn in_worker() -> bool {
    descriptor::reopen_directories()
}

/// Returns whether a snapshot taken now would be complete: false while there are mappings made
/// since the root, whose pages no snapshot holds.
pub fn checkpointable() -> bool {
    mapping::none_since_root()
}

pub use mapping::mappings;
