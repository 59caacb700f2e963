//! Destructors of `thread_local` objects, as a thread's list has them.

use core::ffi::c_void;

/// A destructor to be called at the end of a thread. In the thread's own heap.
#[repr(C)]
pub struct Destructor {
    pub(super) destroy: unsafe extern "C" fn(*mut c_void),
    pub(super) object: *mut c_void,
    pub(super) next: *mut Destructor,
}
