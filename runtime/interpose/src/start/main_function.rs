//! `main`, wrapped: where its frames begin, and what happens when it returns.

use crate::process::main_function::{MAIN, STACK_BASE};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering;
use dpor_machine::fiber::x86_64;

type Main = extern "C" fn(c_int, *mut *const c_char, *mut *const c_char) -> c_int;

/// Stands in for libc's, to wrap main.
///
/// # Safety
/// Called by the program's startup code only.
#[no_mangle]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    count: c_int,
    arguments: *mut *const c_char,
    init: usize,
    fini: usize,
    rtld_fini: usize,
    stack_end: *mut c_void,
) -> c_int {
    MAIN.store(main as *const () as usize, Ordering::Relaxed);
    let start = real!(__libc_start_main: fn(Main, c_int, *mut *const c_char, usize, usize, usize, *mut c_void) -> c_int);
    // SAFETY: passes on what the startup code gave.
    unsafe {
        start(
            main_wrapper,
            count,
            arguments,
            init,
            fini,
            crate::fini::wrap(rtld_fini),
            stack_end,
        )
    }
}

extern "C" fn main_wrapper(
    count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) -> c_int {
    // SAFETY: main's own arguments.
    unsafe {
        x86_64::call_on_boundary(run_main, count, arguments, environment, STACK_BASE.as_ptr())
    }
}

/// Main, and what libc does when it returns: goes on in `exit`. So nothing is written above
/// [`STACK_BASE`].
extern "C" fn run_main(
    count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) -> ! {
    // SAFETY: written by `__libc_start_main`.
    let main: Main = unsafe { core::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    let code = main(count, arguments, environment);
    crate::exit::main_returned();
    crate::real::exit(code)
}
