//! The program executed anew without randomization.

use crate::process::environment::{remove, strings, variable};
use crate::process::note;
use core::ffi::{c_char, CStr};
use core::ptr;
use dpor_machine::sys;

const AGAIN: &str = dpor_abi::EXECUTED_AGAIN;

const NO_RANDOMIZATION: usize = libc::ADDR_NO_RANDOMIZE as usize;

/// Executes the program again without randomization, unless it was executed so; afterwards scrubs what that needed.
pub(super) fn execute_anew(arguments: *mut *const c_char, environment: *mut *const c_char) {
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    if let Some(tunables) = unsafe { variable(environment, AGAIN) } {
        for name in [AGAIN, "LD_BIND_NOW", "GLIBC_TUNABLES"] {
            // SAFETY: the process's own environment, as the dynamic linker gave it.
            unsafe { remove(environment, name) };
        }
        if !tunables.is_empty() {
            restore(environment, &tunables);
        }
        // SAFETY: the call only asks for the process's personality, and touches no memory.
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
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    let tunables = unsafe { variable(environment, "GLIBC_TUNABLES") }.unwrap_or_default();
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
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    let mut entries: Vec<*const c_char> = unsafe { strings(environment) }
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
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    let count = unsafe { strings(environment) }.count();
    let entry = Box::leak(format!("GLIBC_TUNABLES={tunables}\0").into_boxed_str());
    // SAFETY: three entries were removed just before, so there is room for one and the terminator.
    unsafe {
        *environment.add(count) = entry.as_ptr().cast();
        *environment.add(count + 1) = ptr::null();
    }
}
