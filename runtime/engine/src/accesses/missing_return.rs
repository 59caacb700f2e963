//! Functions of C++ that end without returning a value: clang puts a trap there, an illegal instruction.

use crate::atomic_site::AtomicSite;
use crate::call_stacks;
use core::ffi::{c_char, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::state::PerStep;
use dpor_model::SiteId;

/// The function that is about to come to such a trap, by its name; null: none.
static FUNCTION: PerStep<AtomicPtr<c_char>> = PerStep::new(AtomicPtr::new(ptr::null_mut()));
/// Site of the end of that function.
static SITE: PerStep<AtomicSite> = PerStep::new(AtomicSite::unknown());

/// Notes that the trap at the end of a function comes next.
#[no_mangle]
pub extern "C" fn __dpor_missing_return(name: *const c_char, site: SiteId) {
    FUNCTION.store(name.cast_mut(), Ordering::Relaxed);
    SITE.set(call_stacks::here(site));
}

/// Returns what a trap means that came, and its site; `None` if it is another one.
pub fn take() -> Option<(String, SiteId)> {
    let name = FUNCTION.swap(ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: the pass emits `name` as a constant that ends with a NUL.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    let name = name.to_string_lossy();
    let message = format!("{name} ends without returning a value; clang puts a trap there");
    Some((message, SITE.get()))
}
