//! The options that the process was started with, once they are known.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_abi::options::Options;
use dpor_machine::state::Kept;

/// Written once, by the constructor; null before, and with `off=1`.
pub static OPTIONS: Kept<AtomicPtr<Options>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// The options, unless the runtime is off.
pub fn options() -> Option<&'static Options> {
    // SAFETY: written once, never freed.
    unsafe { OPTIONS.load(Ordering::Relaxed).as_ref() }
}
