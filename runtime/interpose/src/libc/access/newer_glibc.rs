//! Functions that an older libc does not have. They are exported all the same, so `configure` finds them.
//!
//! Source: POSIX.1-2024, `strlcpy`. glibc has them since 2.38.

use super::text::length;
use dpor_abi::libc_access::CHAR;

/// Returns the function of this name; 0 if it is none of these.
pub fn instead_of(name: &str) -> usize {
    match name {
        "strlcpy" | "__strlcpy_chk" => strlcpy as *const () as usize,
        "strlcat" | "__strlcat_chk" => strlcat as *const () as usize,
        _ => 0,
    }
}

unsafe extern "C" fn strlcpy(to: usize, from: usize, room: usize) -> usize {
    // SAFETY: the program's texts, which do not overlap.
    unsafe {
        let all = length(from, CHAR, usize::MAX);
        if room > 0 {
            let copied = all.min(room - 1);
            core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, copied);
            ((to + copied) as *mut u8).write(0);
        }
        all
    }
}

unsafe extern "C" fn strlcat(to: usize, from: usize, room: usize) -> usize {
    // SAFETY: both texts end with a 0 and `to` has `room` bytes, as the program's call of `strlcat`
    // guarantees.
    unsafe {
        let before = length(to, CHAR, room);
        before + strlcpy(to + before, from, room - before)
    }
}
