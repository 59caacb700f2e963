//! What functions of strings read and write, by what they are given.

use super::text::{contains, length, position, read, until};
use super::touch::Touch;
use dpor_abi::libc_access::CHAR;

const ALL: usize = usize::MAX;

/// Returns the argument as a character.
pub fn as_character(argument: usize, width: u8) -> u32 {
    match width {
        CHAR => u32::from(argument as u8),
        _ => argument as u32,
    }
}

/// Touches the same bytes of two places, which are read.
pub fn both(a: usize, b: usize, bytes: u64, touch: &mut Touch<'_>) {
    touch(a, bytes, false);
    touch(b, bytes, false);
}

/// Copies the text `from` behind the first `before` of the `room` bytes at `to`, as far as it fits.
///
/// # Safety
/// Both texts end with a 0.
pub unsafe fn fit(to: usize, from: usize, before: usize, room: usize, touch: &mut Touch<'_>) {
    // SAFETY: both texts end with a 0, as this function's caller guarantees.
    let copied = unsafe { read(from, CHAR, ALL) };
    touch(from, copied as u64, false);
    if before < room {
        touch(to + before, copied.min(room - before) as u64, true);
    }
}

/// Touches what `strcat` and `strncat` read and write: at most `limit` characters are appended.
///
/// # Safety
/// Both texts end with a 0, or have `limit` readable characters.
pub unsafe fn append(to: usize, from: usize, width: u8, limit: usize, touch: &mut Touch<'_>) {
    let bytes = |characters: usize| characters as u64 * u64::from(width);
    // SAFETY: both texts end with a 0 or have `limit` characters, as this function's caller
    // guarantees.
    unsafe {
        let before = length(to, width, ALL);
        touch(to, bytes(before + 1), false);
        touch(from, bytes(read(from, width, limit)), false);
        let added = length(from, width, limit) + 1;
        touch(to + before * usize::from(width), bytes(added), true);
    }
}

/// Touches what `strspn` (or `strcspn`: `is_end`) reads of the text `a` and of the characters in `set`.
///
/// # Safety
/// Both texts end with a 0.
pub unsafe fn span(a: usize, set: usize, width: u8, is_end: bool, touch: &mut Touch<'_>) {
    // SAFETY: both texts end with a 0, as this function's caller guarantees.
    unsafe {
        let found = until(a, width, ALL, |c| {
            c == 0 || contains(set, width, c) == is_end
        });
        touch(a, (found as u64 + 1) * u64::from(width), false);
        touch(set, read(set, width, ALL) as u64 * u64::from(width), false);
    }
}

/// Touches what `strstr` and its like read: the text as far as the one that is looked for, which is read whole.
///
/// # Safety
/// `text` and `wanted` are strings of characters of this width, ended by a zero.
pub unsafe fn search(text: usize, wanted: usize, width: u8, folds: bool, touch: &mut Touch<'_>) {
    let bytes = |characters: usize| (characters as u64).saturating_mul(width.into());
    // SAFETY: both are ended by a zero, as this function's caller guarantees.
    unsafe {
        let length = length(wanted, width, ALL);
        let searched = match position(text, wanted, width, folds) {
            Some(at) => at + length,
            None => read(text, width, ALL),
        };
        touch(text, bytes(searched), false);
        touch(wanted, bytes(length + 1), false);
    }
}
