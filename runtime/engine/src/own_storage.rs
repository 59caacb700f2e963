//! Thread-local storage of the engine's own.

use crate::runtime::Runtime;
use dpor_machine::fiber::x86_64;

/// The engine goes on with thread-local storage of its own, not with that of the last fiber.
pub fn own_storage(rt: &Runtime) {
    // SAFETY: on the engine's context; the area is the engine's.
    unsafe { x86_64::set_thread_pointer(rt.engine_area().thread_pointer) };
}
