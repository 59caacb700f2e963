//! How far the end of the process is, as the first thread to end it goes: part of the world.

use crate::world::world;
use core::ffi::c_int;
use dpor_abi::options::MainReturn;
use dpor_model::{Kind, SiteId};

/// Part of the [`crate::world`]; all-zero bytes are its first value.
#[repr(C)]
pub struct Exit {
    /// 1 + the number of the thread that ends the process; 0: none does.
    pub leaver: u16,
    /// Whether main returned, or called `exit`: [`Exit::site`] and [`Exit::depth`] say where and
    /// when.
    pub by_main: bool,
    /// Whether main called `exit`, instead of returning.
    pub by_call: bool,
    /// Whether all handlers have run.
    pub is_last_step: bool,
    /// What `quick_exit` was called with.
    pub quick_code: c_int,
    /// Site of the return or call.
    pub site: SiteId,
    /// Number of events that the execution had at the return or call.
    pub depth: usize,
}

impl Exit {
    /// Returns whether main's thread came to its last step.
    pub fn is_by_main(&self) -> bool {
        self.by_main && self.is_last_step && self.leaver == 1
    }
}

/// The state. Valid once the world is mapped.
pub fn state() -> *mut Exit {
    // SAFETY: only an address; the world is mapped.
    unsafe { &raw mut (*world()).engine.exit }
}

/// What main's return does, by the options.
pub fn mode() -> MainReturn {
    crate::process::options().map_or(MainReturn::ExitHandlers, |options| options.main_return)
}

/// Returns whether the last step of the process waits for other threads.
pub fn waits() -> bool {
    mode() == MainReturn::ExitHandlers
}

/// Argument of a [`Kind::MainReturn`]: main returned.
pub const RETURN: u64 = 0;

/// Argument of a [`Kind::MainReturn`]: main called `exit`.
pub const CALL: u64 = 1;

/// Returns whether the thread that ends the process has nothing left to do but the last step.
pub fn is_left_to_come() -> bool {
    // SAFETY: the state and the fibers lie in the world, which is mapped; these are plain reads,
    // and no other fiber runs.
    unsafe {
        let leaver = usize::from((*state()).leaver);
        let fiber = |t: usize| (*world()).threads[t].fiber.pending;
        leaver != 0 && (*state()).is_last_step && fiber(leaver - 1) == Kind::ProcessEnd as u8
    }
}
