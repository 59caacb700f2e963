//! What the conversions of a format read and write.
//!
//! A format with positions (`%1$s`) is not followed from there on.
//!
//! Source: C11 7.21.6.1 and 7.21.6.2; `printf(3)` and `scanf(3)` of glibc for `%S`, `%C`, `%m`.

use super::text;
use super::values::List;
use dpor_abi::libc_access::{CHAR, WIDE};

/// A cursor in a format, which walks through its conversions.
struct Format {
    /// Address of the next character of the format.
    at: usize,
    /// Bytes of one character of the format.
    width: u8,
}

impl Format {
    /// Returns the next character, without going on.
    ///
    /// # Safety
    /// The format ends with a 0, and `at` is not behind that.
    unsafe fn peek(&self) -> u8 {
        // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
        // guarantees.
        let character = unsafe { text::character(self.at, 0, self.width) };
        // What is no byte is no part of a conversion, but no end either.
        u8::try_from(character).unwrap_or(u8::MAX)
    }

    /// Goes on by so many characters.
    fn pass(&mut self, characters: usize) {
        self.at += characters * usize::from(self.width);
    }

    /// Goes on behind the next `%`. False at the end.
    ///
    /// # Safety
    /// The format ends with a 0, and `at` is not behind that.
    unsafe fn find(&mut self) -> bool {
        // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
        // guarantees.
        unsafe {
            let is_end = |c| c == 0 || c == u32::from(b'%');
            self.pass(text::until(self.at, self.width, usize::MAX, is_end));
            let found = self.peek() != 0;
            self.pass(usize::from(found));
            found
        }
    }

    /// Passes over one of these characters, if it is next.
    ///
    /// # Safety
    /// The format ends with a 0, and `at` is not behind that.
    unsafe fn take(&mut self, of: &[u8]) -> Option<u8> {
        // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
        // guarantees.
        let next = unsafe { self.peek() };
        let taken = next != 0 && of.contains(&next);
        self.pass(usize::from(taken));
        taken.then_some(next)
    }

    /// Returns a number, if one is next.
    ///
    /// # Safety
    /// The format ends with a 0, and `at` is not behind that.
    unsafe fn number(&mut self) -> Option<usize> {
        let mut number = None;
        // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
        // guarantees.
        while let Some(digit) = unsafe { self.take(b"0123456789") } {
            let digit = usize::from(digit - b'0');
            number = Some(
                number
                    .unwrap_or(0_usize)
                    .saturating_mul(10)
                    .saturating_add(digit),
            );
        }
        number
    }

    /// Bytes of the integer that a length modifier asks for, and whether it was `l` or `L`.
    ///
    /// # Safety
    /// The format ends with a 0, and `at` is not behind that.
    unsafe fn modifier(&mut self) -> (u64, bool) {
        let (mut bytes, mut long) = (4, false);
        // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
        // guarantees.
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

    /// Returns whether the modifier before the conversion that ends here is that of a `long
    /// double`.
    ///
    /// # Safety
    /// At least two characters of the format come before `at`.
    unsafe fn is_long_double(&self) -> bool {
        let modifier = self.at - 2 * usize::from(self.width);
        // SAFETY: `at` is behind two characters of the format, as this function's caller
        // guarantees.
        unsafe { text::character(modifier, 0, self.width) == u32::from(b'L') }
    }
}

/// Calls `touch` with address, bytes and "is written" of all that a format of `printf` leads to. `width`: of
/// its characters; texts that `%s` asks for are of bytes in each case.
///
/// # Safety
/// The format is a text, and the values are those it asks for.
pub unsafe fn printed(
    format: usize,
    width: u8,
    mut values: List,
    touch: &mut dyn FnMut(usize, u64, bool),
) {
    let mut format = Format { at: format, width };
    // SAFETY: the format ends with a 0 and `values` are those of the call, as this function's
    // caller guarantees.
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
            format.pass(usize::from(conversion != 0));
            match conversion {
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' | b'c' | b'C' | b'p' => {
                    values.integer();
                }
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                    // `ll` and `q` are not `L`, but glibc takes them for it.
                    match long && bytes == 8 && format.is_long_double() {
                        true => values.skip_long_double(),
                        false => values.skip_double(),
                    }
                }
                b's' | b'S' => {
                    let width = if long || conversion == b'S' {
                        WIDE
                    } else {
                        CHAR
                    };
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

/// Tells of the accesses by which `scanf` stored what it assigned to `assigned` values.
///
/// # Safety
/// The format ends with a 0, `values` are those of the call, and the call is over.
pub unsafe fn scanned(
    format: usize,
    width: u8,
    mut values: List,
    assigned: usize,
    touch: &mut dyn FnMut(usize, u64, bool),
) {
    let mut format = Format { at: format, width };
    let mut left = assigned;
    // SAFETY: the format ends with a 0, `values` are those of the call, and the call is over, as
    // this function's caller guarantees.
    unsafe {
        while left > 0 && format.find() {
            let suppressed = format.take(b"*").is_some();
            while format.take(b"'I").is_some() {}
            let width = format.number();
            let allocates = format.take(b"m").is_some();
            let (bytes, long) = format.modifier();
            let conversion = format.peek();
            format.pass(usize::from(conversion != 0));
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
            let character = if long || matches!(conversion, b'S' | b'C') {
                WIDE
            } else {
                CHAR
            };
            let bytes = match conversion {
                _ if allocates => 8,
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => bytes,
                b'p' => 8,
                b's' | b'S' | b'[' => {
                    let length = text::read(value, character, usize::MAX);
                    (length * usize::from(character)) as u64
                }
                b'c' | b'C' => (width.unwrap_or(1) * usize::from(character)) as u64,
                _ if long && format.is_long_double() => 16,
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
/// The format ends with a 0, and `at` is not behind that.
unsafe fn skip_set(format: &mut Format) {
    // SAFETY: the format that the cursor stands in ends with a 0, as this function's caller
    // guarantees.
    unsafe {
        format.take(b"^");
        format.take(b"]");
        let is_end = |c| c == 0 || c == u32::from(b']');
        format.pass(text::until(format.at, format.width, usize::MAX, is_end));
        format.take(b"]");
    }
}
