//! Tokens: `strtok_r`, `strsep`, and `strtok`, whose place between two calls is the process's.
//!
//! libc keeps it where nobody can look, so that what the next call reads would not be known. It is kept
//! here instead, and taken back with the rest of the world.

use super::shape::Touch;
use super::text::{character, contains, read, until};
use crate::libc::state;
use dpor_abi::libc_access::CHAR;

const ALL: usize = usize::MAX;

/// Where the next token begins; 0: there is none.
///
/// # Safety
/// The world is mapped.
unsafe fn place() -> *mut usize {
    // SAFETY: the caller's.
    unsafe { &raw mut (*state()).access.token }
}

/// What `strtok` goes on with if it is given no text.
pub fn rest() -> usize {
    // SAFETY: a fiber runs.
    unsafe { place().read() }
}

/// In place of libc's.
///
/// # Safety
/// As C's.
pub unsafe extern "C" fn strtok(text: usize, set: usize) -> usize {
    let next = real!(strtok_r: fn(usize, usize, *mut usize) -> usize);
    // SAFETY: the caller's texts; the process's own place.
    unsafe {
        if text == 0 && rest() == 0 {
            return 0;
        }
        next(text, set, place())
    }
}

/// The next token in `text`, the rest of what `strtok` was given.
///
/// # Safety
/// As [`super::shape::Call::before`].
pub unsafe fn next_token(text: usize, set: usize, touch: &mut Touch<'_>) {
    // SAFETY: the caller's.
    unsafe {
        touch(set, read(set, CHAR, ALL) as u64, false);
        if text == 0 {
            return;
        }
        let begin = until(text, CHAR, ALL, |c| c == 0 || !contains(set, CHAR, c));
        let length = until(text + begin, CHAR, ALL, |c| {
            c == 0 || contains(set, CHAR, c)
        });
        let end = begin + length;
        touch(text, end as u64 + 1, false);
        if character(text, end, CHAR) != 0 {
            touch(text + end, 1, true);
        }
    }
}

/// `strsep`.
///
/// # Safety
/// As [`super::shape::Call::before`].
pub unsafe fn separate(place: usize, set: usize, touch: &mut Touch<'_>) {
    // SAFETY: the caller's.
    unsafe {
        touch(place, 8, false);
        let text = (place as *const usize).read();
        if text == 0 {
            return;
        }
        touch(place, 8, true);
        touch(set, read(set, CHAR, ALL) as u64, false);
        let end = until(text, CHAR, ALL, |c| c == 0 || contains(set, CHAR, c));
        touch(text, end as u64 + 1, false);
        if character(text, end, CHAR) != 0 {
            touch(text + end, 1, true);
        }
    }
}
