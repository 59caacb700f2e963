//! `abort` and the functions behind `assert`.
//!
//! Before the root they are libc's: the process dies as the plain program does.

use crate::engine;
use core::ffi::{c_char, c_int, c_uint, CStr};
use dpor_machine::stack_text::Text;
use dpor_report::visible::Bytes;
use dpor_report::FindingKind;

/// Returns the bytes of a C string; none for null.
///
/// # Safety
/// `text` is null or NUL-terminated, and unchanged while the result is used.
pub unsafe fn bytes_of<'a>(text: *const c_char) -> &'a [u8] {
    match text.is_null() {
        true => &[],
        // SAFETY: `text` is NUL-terminated and unchanged while the result is used, as this
        // function's caller guarantees.
        false => unsafe { CStr::from_ptr(text) }.to_bytes(),
    }
}

/// Ends the execution as `abort` does.
pub fn fail_abort(message: &str) -> ! {
    if engine::active() {
        engine::fail(FindingKind::Abort, message);
    }
    dpor_machine::sys::write_all(2, message.as_bytes());
    dpor_machine::sys::write_all(2, b"\n");
    native_abort()
}

fn native_abort() -> ! {
    let address = real!(abort: fn());
    // SAFETY: libc's `abort` takes no arguments and does not return, as the type says.
    unsafe {
        core::mem::transmute::<unsafe extern "C" fn(), unsafe extern "C" fn() -> !>(address)()
    }
}

/// Reports a finding of kind `abort`.
#[no_mangle]
pub extern "C" fn abort() -> ! {
    if engine::active() {
        engine::fail(FindingKind::Abort, "abort() was called");
    }
    native_abort()
}

/// Reports a finding of kind `assertion`.
///
/// # Safety
/// `condition` and `file` are NUL-terminated strings; `function` is one or null.
#[no_mangle]
pub unsafe extern "C" fn __assert_fail(
    condition: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    if engine::active() {
        // SAFETY: each pointer is null or the program's NUL-terminated string; no other fiber runs
        // before the execution ends here.
        unsafe { fail_assertion(Bytes(bytes_of(condition)), file, line, function) }
    }
    type Native = unsafe extern "C" fn(*const c_char, *const c_char, c_uint, *const c_char) -> !;
    let address = real!(__assert_fail: fn(*const c_char, *const c_char, c_uint, *const c_char));
    // SAFETY: libc's function has this type, and does not return; it gets the program's arguments
    // as they came.
    unsafe {
        core::mem::transmute::<*const (), Native>(address as *const ())(
            condition, file, line, function,
        )
    }
}

/// Reports a finding of kind `assertion`: an unexpected errno.
///
/// # Safety
/// `file` and `function` are null or NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn __assert_perror_fail(
    error: c_int,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    if engine::active() {
        let condition = Text::new(format_args!("errno is not {error}"));
        // SAFETY: each pointer is null or the program's NUL-terminated string; no other fiber runs
        // before the execution ends here.
        unsafe { fail_assertion(Bytes(condition.as_str().as_bytes()), file, line, function) }
    }
    type Native = unsafe extern "C" fn(c_int, *const c_char, c_uint, *const c_char) -> !;
    let address = real!(__assert_perror_fail: fn(c_int, *const c_char, c_uint, *const c_char));
    // SAFETY: libc's function has this type, and does not return; it gets the program's arguments
    // as they came.
    unsafe {
        core::mem::transmute::<*const (), Native>(address as *const ())(error, file, line, function)
    }
}

/// Reports a failed assertion, like [`__assert_fail`], without the name of the function.
///
/// # Safety
/// `condition` and `file` are null or NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn __assert(condition: *const c_char, file: *const c_char, line: c_int) -> ! {
    // SAFETY: `condition` and `file` are null or the program's NUL-terminated strings, and a null
    // function is none.
    unsafe { __assert_fail(condition, file, line as c_uint, core::ptr::null()) }
}

/// Prints what libc would to the captured standard error, and ends the execution with a finding
/// that names the condition.
unsafe fn fail_assertion(
    condition: Bytes<'_>,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    // SAFETY: each pointer is null or the program's NUL-terminated string; no other fiber runs
    // before the execution ends here.
    let (file, function) = unsafe { (Bytes(bytes_of(file)), Bytes(bytes_of(function))) };
    let colon = if function.0.is_empty() { "" } else { ": " };
    let printed = Text::new(format_args!(
        "{file}:{line}: {function}{colon}Assertion `{condition}' failed.\n"
    ));
    engine::capture(2, printed.as_str().as_bytes());
    let message = Text::new(format_args!("assertion `{condition}` failed"));
    engine::fail(FindingKind::Assertion, message.as_str())
}
