//! libc's own functions. One place each, because `real!` remembers per place.

use core::ffi::c_void;

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(pub(super) fn $name($($argument: $type),*) -> $result {
            // SAFETY: libc's function with our caller's arguments.
            unsafe { get::$name()($($argument),*) }
        })*
        mod get {
            use super::*;
            $(pub(super) fn $name() -> unsafe extern "C" fn($($type),*) -> $result {
                crate::real!($name: fn($($type),*) -> $result)
            })*
        }
        /// Looks all of them up.
        pub(super) fn resolve() {
            $(let _ = get::$name();)*
        }
    };
}

forward! {
    malloc(bytes: usize) -> *mut c_void;
    free(address: *mut c_void) -> ();
    calloc(count: usize, bytes: usize) -> *mut c_void;
    realloc(address: *mut c_void, bytes: usize) -> *mut c_void;
    memalign(alignment: usize, bytes: usize) -> *mut c_void;
    malloc_usable_size(address: *mut c_void) -> usize;
}
