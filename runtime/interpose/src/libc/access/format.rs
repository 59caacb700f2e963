//! What the conversions of a format read and write.
//!
//! A format with positions (`%1$s`) is not followed from there on.
//!
//! Source: C11 7.21.6.1 and 7.21.6.2; `printf(3)` and `scanf(3)` of glibc for `%S`, `%C`, `%m`.

use super::text;
use super::values::List;
use dpor_abi::libc_access::{CHAR, WIDE};

/// Walks a format.
struct Format(usize);

impl Format {
    /// The next character, without going on.
    ///
    /// # Safety
    /// The format ends.
    unsafe fn peek(&self) -> u8 {
        // SAFETY: the caller's.
        unsafe { text::character(self.0, 0, CHAR) as u8 }
    }

    /// Goes on behind the next `%`. False at the end.
    ///
    /// # Safety
    /// As [`Format::peek`].
    unsafe fn find(&mut self) -> bool {
        // SAFETY: the caller's.
        unsafe {
            self.0 += text::until(self.0, CHAR, usize::MAX, |c| c == 0 || c == u32::from(b'%'));
            let found = self.peek() != 0;
            self.0 += usize::from(found);
            found
        }
    }

    /// Passes over one of these characters, if it is next.
    ///
    /// # Safety
    /// As [`Format::peek`].
    unsafe fn take(&mut self, of: &[u8]) -> Option<u8> {
        // SAFETY: the caller's.
        let next = unsafe { self.peek() };
        let taken = next != 0 && of.contains(&next);
        self.0 += usize::from(taken);
        taken.then_some(next)
    }

    /// A number, if one is next.
    ///
    /// # Safety
    /// As [`Format::peek`].
    unsafe fn number(&mut self) -> Option<usize> {
        let mut number = None;
        // SAFETY: the caller's.
        while let Some(digit) = unsafe { self.take(b"0123456789") } {
            let digit = usize::from(digit - b'0');
            number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    /// Bytes of the integer that a length modifier asks for, and whether it was `l` or `L`.
    ///
    /// # Safety
    /// As [`Format::peek`].
    unsafe fn modifier(&mut self) -> (u64, bool) {
        let (mut bytes, mut long) = (4, false);
        // SAFETY: the caller's.
        while let Some(modifier) = unsafe { self.take(b"hlqLjzZt") } {
            bytes = match modifier {
                b'h' if bytes == 2 => 1,
                b'h' => 2,
                _ => 8,
            };
            long |= matches!(modifier, b'l' | b'L');
        }
        (bytes, long)
    }
}

/// Calls `touch` with address, bytes and "is written" of all that a format of `printf` leads to.
///
/// # Safety
/// The format is a text, and the values are those it asks for.
pub unsafe fn printed(format: usize, mut values: List, touch: &mut dyn FnMut(usize, u64, bool)) {
    let mut format = Format(format);
    // SAFETY: the caller's, for all that follows.
    unsafe {
        while format.find() {
            while format.take(b"-+ #0'I").is_some() {}
            match format.take(b"*") {
                Some(_) => _ = values.integer(),
                None => _ = format.number(),
            }
            let mut precision = None;
            if format.take(b".").is_some() {
                precision = match format.take(b"*") {
                    // A negative one counts as none.
                    Some(_) => usize::try_from(values.integer() as i32).ok(),
                    None => Some(format.number().unwrap_or(0)),
                };
            }
            let (bytes, long) = format.modifier();
            let conversion = format.peek();
            format.0 += usize::from(conversion != 0);
            match conversion {
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' | b'c' | b'C' | b'p' => {
                    values.integer();
                }
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                    // `ll` and `q` are not `L`, but glibc takes them for it.
                    match long && bytes == 8 && is_long_double(format.0) {
                        true => values.skip_long_double(),
                        false => values.skip_double(),
                    }
                }
                b's' | b'S' => {
                    let width = if long || conversion == b'S' { WIDE } else { CHAR };
                    let value = values.integer();
                    if value != 0 {
                        let read = text::read(value, width, precision.unwrap_or(usize::MAX));
                        touch(value, (read * usize::from(width)) as u64, false);
                    }
                }
                b'n' => touch(values.integer(), bytes, true),
                b'%' | b'm' => {}
                _ => return,
            }
        }
    }
}

/// Whether the modifier before the conversion that ends here is that of a `long double`.
///
/// # Safety
/// There are two characters.
unsafe fn is_long_double(behind: usize) -> bool {
    // SAFETY: the caller's.
    unsafe { text::character(behind - 2, 0, CHAR) == u32::from(b'L') }
}

/// The same for what `scanf` stored, which assigned to `assigned` values.
///
/// # Safety
/// As [`printed`]; the call is over.
pub unsafe fn scanned(
    format: usize,
    mut values: List,
    assigned: usize,
    touch: &mut dyn FnMut(usize, u64, bool),
) {
    let mut format = Format(format);
    let mut left = assigned;
    // SAFETY: the caller's, for all that follows.
    unsafe {
        while left > 0 && format.find() {
            let suppressed = format.take(b"*").is_some();
            while format.take(b"'I").is_some() {}
            let width = format.number();
            let allocates = format.take(b"m").is_some();
            let (bytes, long) = format.modifier();
            let conversion = format.peek();
            format.0 += usize::from(conversion != 0);
            if conversion == b'[' {
                skip_set(&mut format);
            }
            if conversion == b'%' || suppressed {
                continue;
            }
            if !b"diouxXpneEfFgGaAsScC[".contains(&conversion) {
                return;
            }
            let value = values.integer();
            let character = if long || matches!(conversion, b'S' | b'C') { WIDE } else { CHAR };
            let bytes = match conversion {
                _ if allocates => 8,
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => bytes,
                b'p' => 8,
                b's' | b'S' | b'[' => {
                    let length = text::read(value, character, usize::MAX);
                    (length * usize::from(character)) as u64
                }
                b'c' | b'C' => (width.unwrap_or(1) * usize::from(character)) as u64,
                _ if long && is_long_double(format.0) => 16,
                _ => bytes,
            };
            touch(value, bytes, true);
            left -= usize::from(conversion != b'n');
        }
    }
}

/// Passes over the set of `%[`.
///
/// # Safety
/// As [`Format::peek`].
unsafe fn skip_set(format: &mut Format) {
    // SAFETY: the caller's.
    unsafe {
        format.take(b"^");
        format.take(b"]");
        format.0 += text::until(format.0, CHAR, usize::MAX, |c| c == 0 || c == u32::from(b']'));
        format.take(b"]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libc::access::values::Saved;

    fn text_at(text: &[u8]) -> usize {
        text.as_ptr() as usize
    }

    #[test]
    fn what_printf_reads() {
        let (word, wide, count) = (b"word\0", [0x41u32, 0], 0u64);
        let places = [text_at(word), wide.as_ptr() as usize, &raw const count as usize];
        let stack = [places[0], 2, places[0], places[1], places[2], places[0]];
        let saved = Saved::new([0, 0, 0, 7, 0, places[0]], [0; 8]);
        // Two values are in registers.
        let format = b"%d %f%% %-5s %.2s %.*s %ls %hhn %5.3lf %m %s %1$s %s\0";
        let list = saved.list(4, stack.as_ptr() as usize);
        let mut found = Vec::new();
        // SAFETY: the values are those that the format asks for.
        unsafe {
            printed(text_at(format), list, &mut |at, bytes, write| {
                found.push((at, bytes, write));
            });
        }
        let (a, b, c) = (places[0], places[1], places[2]);
        let expected = [
            (a, 5, false),
            (a, 2, false),
            (a, 2, false),
            (b, 8, false),
            (c, 1, true),
            (a, 5, false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_scanf_writes() {
        let (word, number) = (b"ab\0", 0u64);
        let (w, n) = (text_at(word), &raw const number as usize);
        let saved = Saved::new([0, 0, n, w, w, n], [0; 8]);
        let stack = [n, n];
        let all = |assigned| {
            let list = saved.list(2, stack.as_ptr() as usize);
            let mut found = Vec::new();
            let format = b"%ld x%*d %3s %[^]a-z] %lf %hhd%Lf\0";
            // SAFETY: the values are those that the format asks for.
            unsafe {
                scanned(text_at(format), list, assigned, &mut |at, bytes, write| {
                    assert!(write);
                    found.push((at, bytes));
                });
            }
            found
        };
        let expected = [(n, 8), (w, 3), (w, 3), (n, 8), (n, 1), (n, 16)];
        assert_eq!(all(6), expected);
        assert_eq!(all(2), expected[..2]);
        assert_eq!(all(0), []);
    }
}
