//! Tokens: `strtok_r`, `strsep`, and `strtok`, whose place between two calls is the process's.
//!
//! libc keeps it where nobody can look, so that what the next call reads would not be known. It is kept
//! here instead, and taken back with the rest of the world.

use super::text::{character, contains, read, until};
use super::touch::Touch;
use crate::world::{self, rolled_back};
use dpor_abi::libc_access::CHAR;

const ALL: usize = usize::MAX;

rolled_back! {
    /// The address at which the next `strtok` goes on; 0: nowhere.
    static PLACE: RolledBack<usize> = world::TOKEN
}

/// Returns the address at which `strtok` goes on if it is given no text; 0: nowhere.
pub fn rest() -> usize {
    // SAFETY: the world is mapped, as a fiber of the program runs; nobody else writes the place
    // before the next event.
    unsafe { PLACE.get().read() }
}

/// `strtok`, in place of libc's: the rest of the text is kept in the world.
///
/// # Safety
/// `text` is null or a writable text that ends with a 0, and so is `set`, which may not be null.
pub unsafe extern "C" fn strtok(text: usize, set: usize) -> usize {
    let next = real!(strtok_r: fn(usize, usize, *mut usize) -> usize);
    // SAFETY: the texts are the program's, as this function's caller guarantees; the place lies in
    // the world, and nobody else writes it before the next event.
    unsafe {
        if text == 0 && rest() == 0 {
            return 0;
        }
        next(text, set, PLACE.get())
    }
}

/// Tells of the accesses of looking for the next token in `text`, the rest of what `strtok` was
/// given.
///
/// # Safety
/// The texts end with a 0, and `text` may be 0.
pub unsafe fn next_token(text: usize, set: usize, touch: &mut Touch<'_>) {
    // SAFETY: `set` ends with a 0, and `text` is 0 or ends with one, as this function's caller
    // guarantees.
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
/// `place` is readable for a pointer, which is null or leads to a text that ends with a 0, as `set`
/// does.
pub unsafe fn separate(place: usize, set: usize, touch: &mut Touch<'_>) {
    // SAFETY: `place` and the texts are the program's, as this function's caller guarantees.
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

/// Touches what `strtok_r` reads and writes: the place where it left off, and the text as far as the next token's end.
///
/// # Safety
/// The arguments are those of a call that the program is about to make.
pub unsafe fn token_of(text: usize, separators: usize, place: usize, touch: &mut Touch<'_>) {
    if text == 0 {
        touch(place, 8, false);
    }
    touch(place, 8, true);
    let rest = match text {
        // SAFETY: the function itself reads the place, which is a pointer, if it is given no text.
        0 => unsafe { (place as *const usize).read() },
        _ => text,
    };
    // SAFETY: `rest` is what the function goes on with.
    unsafe { next_token(rest, separators, touch) };
}
