//! What the kernel gave the process: arguments and environment.

use core::ffi::{c_char, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::state::Kept;

/// Program and arguments: a NULL-terminated vector, as the dynamic linker gave it to the constructor; null before.
pub static ARGUMENTS: Kept<AtomicPtr<*const c_char>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// The environment: a NULL-terminated vector, as the dynamic linker gave it to the constructor; null before.
pub static ENVIRONMENT: Kept<AtomicPtr<*const c_char>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Entries of a NULL-terminated vector of strings.
///
/// # Safety
/// The vector is one that the dynamic linker gave to the constructor: it ends with NULL, and lives as long as the process.
pub unsafe fn strings(vector: *mut *const c_char) -> impl Iterator<Item = &'static CStr> {
    let mut k = 0;
    core::iter::from_fn(move || {
        // SAFETY: the process's own vectors end with NULL.
        let string = unsafe { *vector.add(k) };
        k += 1;
        // SAFETY: entries are NUL-terminated.
        (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) })
    })
}

/// The value of a variable of the environment, if it is set and UTF-8.
///
/// # Safety
/// The vector is one that the dynamic linker gave to the constructor: it ends with NULL, and lives as long as the process.
pub unsafe fn variable(environment: *mut *const c_char, name: &str) -> Option<String> {
    // SAFETY: the caller's vector is such a one.
    unsafe { strings(environment) }.find_map(|entry| {
        let entry = entry.to_str().ok()?;
        entry
            .strip_prefix(name)?
            .strip_prefix('=')
            .map(str::to_owned)
    })
}

/// Takes a variable out of the environment in place.
///
/// # Safety
/// The vector is one that the dynamic linker gave to the constructor: it ends with NULL, and lives as long as the process.
pub unsafe fn remove(environment: *mut *const c_char, name: &str) {
    let mut kept = 0;
    // SAFETY: the caller's vector is such a one.
    let entries: Vec<&CStr> = unsafe { strings(environment) }.collect();
    for entry in entries {
        let ours = entry
            .to_bytes()
            .strip_prefix(name.as_bytes())
            .is_some_and(|rest| rest.first() == Some(&b'='));
        if !ours {
            // SAFETY: writes at most as many entries as there were.
            unsafe { *environment.add(kept) = entry.as_ptr() };
            kept += 1;
        }
    }
    // SAFETY: as above; there was a terminator at or after this place.
    unsafe { *environment.add(kept) = ptr::null() };
}

/// Program and arguments as the process has them.
pub fn command_line() -> Vec<String> {
    // SAFETY: the vector that the constructor was given; it is asked for after that.
    unsafe { strings(ARGUMENTS.load(Ordering::Relaxed)) }
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// Where the arguments of the process are: above every frame of thread 0.
pub fn arguments() -> usize {
    ARGUMENTS.load(Ordering::Relaxed) as usize
}
