//! What `strftime` reads of a broken-down time.
//!
//! Source: POSIX.1-2024, `strftime`: the members that each conversion is determined by; `strftime(3)` of
//! glibc for `%k`, `%l`, `%P`, `%s`, `%+`.

use super::text;
use dpor_abi::libc_access::CHAR;

/// Bytes of a `struct tm`.
pub const BYTES: u64 = size_of::<::libc::tm>() as u64;

const SECOND: u32 = 1;
const MINUTE: u32 = 1 << 1;
const HOUR: u32 = 1 << 2;
const DAY: u32 = 1 << 3;
const MONTH: u32 = 1 << 4;
const YEAR: u32 = 1 << 5;
const WEEKDAY: u32 = 1 << 6;
const DAY_OF_YEAR: u32 = 1 << 7;
const SAVING: u32 = 1 << 8;
/// The members in the order in which they are, four bytes each.
const MEMBERS: usize = 9;

const TIME: u32 = HOUR | MINUTE | SECOND;
const DATE: u32 = YEAR | MONTH | DAY;

/// Members that a conversion reads.
fn members(conversion: u32) -> u32 {
    match u8::try_from(conversion).unwrap_or(0) {
        b'a' | b'A' | b'u' | b'w' => WEEKDAY,
        b'b' | b'B' | b'h' | b'm' => MONTH,
        b'c' => DATE | TIME | WEEKDAY,
        b'C' | b'y' | b'Y' => YEAR,
        b'd' | b'e' => DAY,
        b'D' | b'x' | b'F' => DATE,
        b'g' | b'G' | b'V' => YEAR | DAY_OF_YEAR | WEEKDAY,
        b'H' | b'I' | b'k' | b'l' | b'p' | b'P' => HOUR,
        b'j' => DAY_OF_YEAR,
        b'M' => MINUTE,
        b'r' | b'T' | b'X' => TIME,
        b'R' => HOUR | MINUTE,
        b's' => DATE | TIME | SAVING,
        b'S' => SECOND,
        b'U' | b'W' => DAY_OF_YEAR | WEEKDAY,
        b'z' | b'Z' => SAVING,
        b'+' => DATE | TIME | WEEKDAY | SAVING,
        _ => 0,
    }
}

/// Calls `touch` with address and bytes of the members that a format reads of `time`.
///
/// # Safety
/// The format is a text of characters of `width` bytes.
pub unsafe fn read(format: usize, width: u8, time: usize, touch: &mut dyn FnMut(usize, u64)) {
    let mut at = 0;
    let mut all = 0;
    // SAFETY: the format is a text that ends with a 0, as this function's caller guarantees, and no
    // character behind its end is asked for.
    let character = |at| unsafe { text::character(format, at, width) };
    while character(at) != 0 {
        let is_conversion = character(at) == u32::from(b'%');
        at += 1;
        if !is_conversion {
            continue;
        }
        // Flags, a width, and the modifiers.
        let passed = b"_-0^#+123456789EO";
        while passed.iter().any(|&c| u32::from(c) == character(at)) && !is_last_plus(&character, at)
        {
            at += 1;
        }
        all |= members(character(at));
        at += usize::from(character(at) != 0);
    }
    for k in (0..MEMBERS).filter(|k| all >> k & 1 == 1) {
        touch(time + 4 * k, 4);
    }
}

/// Returns whether the character at `at` is the `+` of `%+`, a conversion, and not a flag: nothing
/// follows that would be one.
fn is_last_plus(character: &impl Fn(usize) -> u32, at: usize) -> bool {
    let letter = |c: u32| u8::try_from(c).is_ok_and(|c| c.is_ascii_alphanumeric() || c == b'%');
    character(at) == u32::from(b'+') && !letter(character(at + 1))
}

/// Bytes that a result of so many characters takes, with its end.
pub fn written(result: usize, width: u8) -> u64 {
    match result {
        // Nothing is known of what is there.
        0 => 0,
        n => (n as u64 + 1) * u64::from(width.max(CHAR)),
    }
}
