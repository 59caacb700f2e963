//! What the kernel gave the process: arguments and environment; and the program executed anew without randomization.

use super::notes::note;
use crate::state::Kept;
use core::ffi::{c_char, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::sys;

pub(super) static ARGUMENTS: Kept<AtomicPtr<*const c_char>> =
    Kept::new(AtomicPtr::new(ptr::null_mut()));

pub(super) static ENVIRONMENT: Kept<AtomicPtr<*const c_char>> =
    Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Says in the environment that the process was executed anew; its value is the user's
/// `GLIBC_TUNABLES`, if there was one.
const AGAIN: &str = "DPOR_AGAIN";

const NO_RANDOMIZATION: usize = libc::ADDR_NO_RANDOMIZE as usize;

/// Entries of a NULL-terminated vector of strings.
pub(super) fn strings(vector: *mut *const c_char) -> impl Iterator<Item = &'static CStr> {
    let mut k = 0;
    core::iter::from_fn(move || {
        // SAFETY: the process's own vectors end with NULL.
        let string = unsafe { *vector.add(k) };
        k += 1;
        // SAFETY: entries are NUL-terminated.
        (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) })
    })
}

pub(super) fn variable(environment: *mut *const c_char, name: &str) -> Option<String> {
    strings(environment).find_map(|entry| {
        let entry = entry.to_str().ok()?;
        entry
            .strip_prefix(name)?
            .strip_prefix('=')
            .map(str::to_owned)
    })
}

/// Takes a variable out of the environment in place.
pub(super) fn remove(environment: *mut *const c_char, name: &str) {
    let mut kept = 0;
    let entries: Vec<&CStr> = strings(environment).collect();
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

/// Executes the program again without randomization, once; afterwards scrubs what that needed.
pub(super) fn execute_anew(arguments: *mut *const c_char, environment: *mut *const c_char) {
    if let Some(tunables) = variable(environment, AGAIN) {
        for name in [AGAIN, "LD_BIND_NOW", "GLIBC_TUNABLES"] {
            remove(environment, name);
        }
        if !tunables.is_empty() {
            restore(environment, &tunables);
        }
        // SAFETY: asks only.
        let personality = unsafe { sys::call3(libc::SYS_personality, 0xffff_ffff, 0, 0) };
        if personality as usize & NO_RANDOMIZATION == 0 {
            note("addresses are randomized here (personality is refused): replays may name other addresses");
        }
        return;
    }
    // SAFETY: asks, then sets one flag; refused in some containers, and then noted above.
    unsafe {
        let personality = sys::call3(libc::SYS_personality, 0xffff_ffff, 0, 0);
        if personality >= 0 {
            sys::call3(
                libc::SYS_personality,
                personality as usize | NO_RANDOMIZATION,
                0,
                0,
            );
        }
    }
    let tunables = variable(environment, "GLIBC_TUNABLES").unwrap_or_default();
    let all = if tunables.is_empty() {
        String::new()
    } else {
        format!("{tunables}:")
    };
    let added = [
        format!("{AGAIN}={tunables}\0"),
        "LD_BIND_NOW=1\0".to_owned(),
        format!("GLIBC_TUNABLES={all}glibc.pthread.rseq=0\0"),
    ];
    let mut entries: Vec<*const c_char> = strings(environment)
        .filter(|entry| {
            !entry.to_bytes().starts_with(b"GLIBC_TUNABLES=")
                && !entry.to_bytes().starts_with(b"LD_BIND_NOW=")
        })
        .map(CStr::as_ptr)
        .collect();
    entries.extend(added.iter().map(|entry| entry.as_ptr().cast()));
    entries.push(ptr::null());
    let path = c"/proc/self/exe";
    // SAFETY: NUL-terminated strings in NULL-terminated vectors.
    unsafe {
        sys::call3(
            libc::SYS_execve,
            path.as_ptr() as usize,
            arguments as usize,
            entries.as_ptr() as usize,
        )
    };
    // Not executed: go on as we are.
    note("the program could not be executed anew: addresses are randomized");
}

/// Puts the user's GLIBC_TUNABLES back where LD_BIND_NOW or ours stood.
fn restore(environment: *mut *const c_char, tunables: &str) {
    let count = strings(environment).count();
    let entry = Box::leak(format!("GLIBC_TUNABLES={tunables}\0").into_boxed_str());
    // SAFETY: three entries were removed just before, so there is room for one and the terminator.
    unsafe {
        *environment.add(count) = entry.as_ptr().cast();
        *environment.add(count + 1) = ptr::null();
    }
}

/// Program and arguments as the process has them.
pub fn command_line() -> Vec<String> {
    strings(ARGUMENTS.load(Ordering::Relaxed))
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// Where the arguments of the process are: above every frame of thread 0.
pub fn arguments() -> usize {
    ARGUMENTS.load(Ordering::Relaxed) as usize
}
