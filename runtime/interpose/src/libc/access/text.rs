//! How far functions read in texts. Lengths are in characters of `width` bytes each.
//!
//! Reads are volatile, so that no compiler makes a call of `strlen` of them.

/// Character number `at` of a text.
///
/// # Safety
/// Characters 0 to `at` of the text are readable.
pub unsafe fn character(text: usize, at: usize, width: u8) -> u32 {
    // SAFETY: character `at` is readable, as this function's caller guarantees, and aligned to its
    // width.
    unsafe {
        match width {
            1 => u32::from(((text + at) as *const u8).read_volatile()),
            _ => ((text + 4 * at) as *const u32).read_volatile(),
        }
    }
}

/// Characters before the first one that `stops` takes, of at most `limit`.
///
/// # Safety
/// The characters before the one that stops are readable, and that one, or `limit` of them.
pub unsafe fn until(text: usize, width: u8, limit: usize, stops: impl Fn(u32) -> bool) -> usize {
    // SAFETY: the characters up to the one that stops, or `limit` of them, are readable, as this
    // function's caller guarantees.
    (0..limit)
        .find(|&at| stops(unsafe { character(text, at, width) }))
        .unwrap_or(limit)
}

/// Length of a text, at most `limit`.
///
/// # Safety
/// The text ends with a 0, or has `limit` readable characters.
pub unsafe fn length(text: usize, width: u8, limit: usize) -> usize {
    // SAFETY: the text ends with a 0, or has `limit` readable characters, as this function's caller
    // guarantees.
    unsafe { until(text, width, limit, |character| character == 0) }
}

/// Characters that a function reads that looks at a text up to its end, or at `limit` of them.
///
/// # Safety
/// The text ends with a 0, or has `limit` readable characters.
pub unsafe fn read(text: usize, width: u8, limit: usize) -> usize {
    // SAFETY: the text ends with a 0, or has `limit` readable characters, as this function's caller
    // guarantees.
    unsafe { length(text, width, limit) }
        .saturating_add(1)
        .min(limit)
}

/// Returns whether two characters are the same, or, if it `folds`, differ in their case only.
fn equal(a: u32, b: u32, folds: bool) -> bool {
    // SAFETY: libc's function takes every value of a byte.
    let fold = |character: u32| unsafe { ::libc::tolower(character as i32) };
    a == b || (folds && fold(a) == fold(b))
}

/// Characters that a comparison reads of each of two texts.
///
/// # Safety
/// Both texts end with a 0, or have `limit` readable characters.
pub unsafe fn compared(a: usize, b: usize, width: u8, limit: usize, folds: bool) -> usize {
    for at in 0..limit {
        // SAFETY: neither text ended before `at`, so character `at` of both is readable.
        let (x, y) = unsafe { (character(a, at, width), character(b, at, width)) };
        if x == 0 || !equal(x, y, folds) {
            return at + 1;
        }
    }
    limit
}

/// Returns whether a character is in a text.
///
/// # Safety
/// The text ends with a 0.
pub unsafe fn contains(text: usize, width: u8, wanted: u32) -> bool {
    // SAFETY: the text ends with a 0, as this function's caller guarantees.
    unsafe {
        let length = length(text, width, usize::MAX);
        until(text, width, length, |character| character == wanted) < length
    }
}

/// Returns the position at which the second text begins in the first.
///
/// # Safety
/// Both texts end with a 0.
pub unsafe fn position(text: usize, wanted: usize, width: u8, folds: bool) -> Option<usize> {
    // SAFETY: both texts end with a 0, as this function's caller guarantees, and none is read
    // behind its end.
    unsafe {
        let wanted_length = length(wanted, width, usize::MAX);
        let mut at = 0;
        loop {
            let here = text + at * usize::from(width);
            let same = (0..wanted_length).all(|k| {
                equal(
                    character(here, k, width),
                    character(wanted, k, width),
                    folds,
                )
            });
            if same {
                return Some(at);
            }
            if character(here, 0, width) == 0 {
                return None;
            }
            at += 1;
        }
    }
}
