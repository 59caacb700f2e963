//! SIGINT and SIGTERM: somebody asks the search to stop.

use crate::between::Shared;
use crate::guard;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;

/// A signal asks to stop. In the arena: processes that run executions for each other all see it.
static INTERRUPTED: Kept<Shared<AtomicBool>> = Kept::new(Shared::nothing());

/// Whether a signal asked to stop.
pub fn is_interrupted() -> bool {
    // SAFETY: the flag is installed since [`install`] and never freed; it is accessed atomically.
    unsafe { (*INTERRUPTED.get()).load(Ordering::Relaxed) }
}

/// Makes room for the request, before there can be one.
pub(crate) fn install() {
    INTERRUPTED.install(Box::default());
}

pub(crate) unsafe extern "C" fn on_stop(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let guarded = guard::pause();
    // SAFETY: the flag is installed since [`install`] and never freed; it is accessed atomically.
    unsafe { (*INTERRUPTED.get()).store(true, Ordering::Relaxed) };
    guard::go_on(guarded, context);
}
