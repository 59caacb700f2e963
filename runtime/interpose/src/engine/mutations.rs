//! Breaks the runtime as `DPOR_MUTATION` says, to show that it is noticed. Not in what is installed.

use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicBool, Ordering};

static FAULTS: AtomicBool = AtomicBool::new(false);
static PANICS: AtomicBool = AtomicBool::new(false);

/// Whether this mutation is asked for. At the root.
pub fn is(name: &CStr) -> bool {
    let getenv = real!(getenv: fn(*const c_char) -> *mut c_char);
    // SAFETY: a string literal; nothing else runs that could change the environment.
    let value = unsafe { getenv(c"DPOR_MUTATION".as_ptr()) };
    // SAFETY: as above; not null.
    !value.is_null() && unsafe { CStr::from_ptr(value) } == name
}

/// Remembers those that come later.
pub fn at_root() {
    FAULTS.store(is(c"fault"), Ordering::Relaxed);
    PANICS.store(is(c"panic"), Ordering::Relaxed);
}

/// `fault`, `panic`: the search fails when an execution has ended.
pub fn execution_ended() {
    if FAULTS.load(Ordering::Relaxed) {
        // SAFETY: none; this is what happens to a runtime that is wrong.
        unsafe { core::ptr::write_volatile(core::ptr::without_provenance_mut::<u8>(8), 1) };
    }
    assert!(!PANICS.load(Ordering::Relaxed), "broken on purpose");
}
