//! Which bytes a call reads and writes, from its arguments and what they point to.

use super::strings::{append, as_character, both, fit, search, span};
use super::text::{character, compared, length, read, until};
use super::token::{self, next_token, separate, token_of};
use super::touch::Touch;
use super::values::List;
use super::vector::{message, received_header, received_parts, vector};
use super::{format, time};
use ::libc::msghdr;
use core::ffi::c_int;
use dpor_abi::libc_access::{Destination, Shape, CHAR, WIDE};

/// A call of a function of the table.
pub struct Call<'a> {
    /// What the function accesses, as the table says.
    pub shape: Shape,
    /// The integer arguments that are in registers.
    pub arguments: &'a [usize; 6],
    /// The values of a format.
    pub values: Option<List>,
    /// Address of libc's function.
    pub function: usize,
}

const ALL: usize = usize::MAX;

impl Call<'_> {
    /// Tells of the accesses that the call is about to make.
    ///
    /// # Safety
    /// The arguments are those of the program's call.
    #[allow(clippy::too_many_lines, reason = "a table of shapes")]
    pub unsafe fn before(&self, touch: &mut Touch<'_>) {
        let &[a, b, c, d, ..] = self.arguments;
        let bytes = |characters: usize, width: u8| (characters as u64).saturating_mul(width.into());
        // SAFETY: the arguments are the program's for such a call, as this function's caller
        // guarantees. What is read here is what the function reads.
        unsafe {
            match self.shape {
                Shape::Text(_) | Shape::Duplicate(_) if a == 0 => {}
                Shape::Text(w) | Shape::Duplicate(w) => touch(a, bytes(read(a, w, ALL), w), false),
                Shape::Scan { text, width, .. } if text && a != 0 => {
                    touch(a, bytes(read(a, width, ALL), width), false);
                }
                Shape::Scan { .. } => {}
                Shape::TextUpTo(w) | Shape::DuplicateUpTo(w) => {
                    touch(a, bytes(read(a, w, b), w), false);
                }
                Shape::Find(w) => {
                    let wanted = as_character(b, w);
                    let found = until(a, w, ALL, |c| c == 0 || c == wanted);
                    touch(a, bytes(found + 1, w), false);
                }
                Shape::Copy(w) => {
                    let copied = bytes(read(b, w, ALL), w);
                    touch(b, copied, false);
                    touch(a, copied, true);
                }
                Shape::CopyPadded(w) => {
                    touch(b, bytes(read(b, w, c), w), false);
                    touch(a, bytes(c, w), true);
                }
                Shape::CopyFitting => fit(a, b, 0, c, touch),
                Shape::AppendFitting => {
                    touch(a, read(a, CHAR, c) as u64, false);
                    fit(a, b, length(a, CHAR, c), c, touch);
                }
                Shape::Append(w) => append(a, b, w, ALL, touch),
                Shape::AppendUpTo(w) => append(a, b, w, c, touch),
                Shape::Compare(w) => both(a, b, bytes(compared(a, b, w, ALL, false), w), touch),
                Shape::CompareUpTo(w) => both(a, b, bytes(compared(a, b, w, c, false), w), touch),
                Shape::CompareFolded => both(a, b, compared(a, b, CHAR, ALL, true) as u64, touch),
                Shape::CompareFoldedUpTo => both(a, b, compared(a, b, CHAR, c, true) as u64, touch),
                Shape::Texts(w) => {
                    touch(a, bytes(read(a, w, ALL), w), false);
                    touch(b, bytes(read(b, w, ALL), w), false);
                }
                Shape::Search(w) => search(a, b, w, false, touch),
                Shape::SearchFolded(w) => search(a, b, w, true, touch),
                Shape::Span(w) => span(a, b, w, false, touch),
                Shape::SpanUntil(w) => span(a, b, w, true, touch),
                Shape::MemoryFind(_)
                | Shape::MemoryFindBack
                | Shape::MemoryFindRaw
                | Shape::MemorySearch
                | Shape::MemoryCopyTo
                | Shape::WideCopy
                | Shape::WideSet
                | Shape::WideCompare => self.memory_before(touch),
                Shape::Token => token_of(a, b, c, touch),
                Shape::TokenOfProcess => {
                    next_token(if a == 0 { token::rest() } else { a }, b, touch);
                }
                Shape::Time(w) => {
                    touch(c, bytes(read(c, w, ALL), w), false);
                    time::read(c, w, d, &mut |at, bytes| touch(at, bytes, false));
                }
                Shape::Seconds => touch(a, 8, false),
                Shape::BreakDown => {
                    touch(a, 8, false);
                    touch(b, time::BYTES, true);
                }
                Shape::Normalise => touch(a, time::BYTES, true),
                Shape::Link(path) => {
                    let path = self.arguments[usize::from(path)];
                    touch(path, read(path, CHAR, ALL) as u64, false);
                }
                Shape::Separate => separate(a, b, touch),
                Shape::Decimal | Shape::Whole | Shape::Real { .. } => self.number(touch),
                Shape::Print {
                    format, to, width, ..
                } => self.print(format, to, width, touch),
                // Compared in the program's own code, which has hooks.
                Shape::Sort if b > 1 => touch(a, (b as u64).saturating_mul(c as u64), true),
                Shape::Sort => {}
                Shape::Output { at, bytes } => {
                    touch(self.arguments[usize::from(at)], bytes.into(), true);
                }
                Shape::ReadBytes { at, bytes } => {
                    let length = self.arguments[usize::from(bytes)];
                    touch(self.arguments[usize::from(at)], length as u64, false);
                }
                Shape::ReadElements => touch(a, (b as u64).saturating_mul(c as u64), false),
                Shape::ReadVector => vector(b, c, true, touch),
                Shape::ReceivedVector => vector(b, c, false, touch),
                Shape::ReadMessage => message(b, true, touch),
                Shape::ReceivedMessage => message(b, false, touch),
                Shape::ReceivedBlock => {
                    touch(a, 8, false);
                    touch(b, 8, false);
                }
                Shape::Received { .. } | Shape::ReceivedElements(_) | Shape::ReceivedLine(_) => {}
            }
        }
    }

    /// Calls `touch` for each access of a function of memory of a given length (`memchr`, `wmemcpy`, …), before it makes
    /// them.
    ///
    /// # Safety
    /// The arguments are those of a call of this shape that the program is about to make.
    unsafe fn memory_before(&self, touch: &mut Touch<'_>) {
        let &[a, b, c, d, ..] = self.arguments;
        let wide = |characters: usize| (characters as u64).saturating_mul(WIDE.into());
        // SAFETY: what is read here is what the function, called with these arguments, reads.
        unsafe {
            match self.shape {
                Shape::MemoryFind(w) => {
                    let wanted = as_character(b, w);
                    let found = until(a, w, c, |c| c == wanted).saturating_add(1).min(c);
                    touch(a, (found as u64).saturating_mul(w.into()), false);
                }
                Shape::MemoryFindBack => {
                    let wanted = as_character(b, CHAR);
                    let from = (0..c).rev().find(|&at| character(a, at, CHAR) == wanted);
                    let from = from.unwrap_or(0);
                    touch(a + from, (c - from) as u64, false);
                }
                Shape::MemoryFindRaw => {
                    let wanted = as_character(b, CHAR);
                    touch(a, until(a, CHAR, ALL, |c| c == wanted) as u64 + 1, false);
                }
                Shape::MemorySearch => {
                    touch(a, b as u64, false);
                    touch(c, d as u64, false);
                }
                Shape::MemoryCopyTo => {
                    let last = as_character(c, CHAR);
                    let copied = until(b, CHAR, d, |c| c == last).saturating_add(1).min(d);
                    touch(b, copied as u64, false);
                    touch(a, copied as u64, true);
                }
                Shape::WideCopy => {
                    touch(b, wide(c), false);
                    touch(a, wide(c), true);
                }
                Shape::WideSet => touch(a, wide(c), true),
                Shape::WideCompare => {
                    let equal = (0..c).find(|&at| character(a, at, WIDE) != character(b, at, WIDE));
                    both(a, b, wide(equal.map_or(c, |at| at + 1)), touch);
                }
                _ => unreachable!("`before` asks about memory only"),
            }
        }
    }

    /// Returns whether the call makes accesses of which only its result tells.
    pub fn has_after(&self) -> bool {
        matches!(
            self.shape,
            Shape::Duplicate(_)
                | Shape::DuplicateUpTo(_)
                | Shape::Scan { .. }
                | Shape::Received { .. }
                | Shape::ReceivedVector
                | Shape::ReceivedMessage
                | Shape::ReceivedElements(_)
                | Shape::Time(_)
                | Shape::Link(_)
                | Shape::Print {
                    to: Destination::Block,
                    ..
                }
                | Shape::Print {
                    to: Destination::MemoryOf,
                    width: WIDE,
                    ..
                }
                | Shape::ReceivedLine(_)
                | Shape::ReceivedBlock
        )
    }

    /// Makes the call and tells of those accesses. Returns its result.
    ///
    /// # Safety
    /// As [`Call::before`]; the function returns an integer, has no arguments on the stack but those of
    /// a format, and is left by no exception.
    pub unsafe fn call(&self, touch: &mut Touch<'_>) -> usize {
        let mut arguments = *self.arguments;
        let mut list = self.values;
        if let (Some(format), Some(list)) = (self.format(), &mut list) {
            // The function with a list is called: one that has used its list up is of no use any more.
            arguments[usize::from(format) + 1] = core::ptr::from_mut(list) as usize;
        }
        let [a, b, c, d, e, f] = arguments;
        // SAFETY: the arguments are the program's for such a call, as this function's caller
        // guarantees, and the address is libc's function.
        unsafe {
            type Function = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;
            let function = core::mem::transmute::<usize, Function>(self.function);
            let mut result = function(a, b, c, d, e, f);
            if let (Some(format), Some(values)) = (self.format(), self.values) {
                // An `int`; the rest of the register is anything.
                result = result as u32 as usize;
                self.after_values(
                    arguments[usize::from(format)],
                    values,
                    result as c_int,
                    touch,
                );
            }
            let count = usize::try_from(result as isize).unwrap_or(0);
            match self.shape {
                Shape::Duplicate(w) | Shape::DuplicateUpTo(w) | Shape::ReceivedLine(w)
                    if result != 0 =>
                {
                    touch(result, (read(result, w, ALL) * usize::from(w)) as u64, true);
                }
                Shape::Received { at } => {
                    let room = self.arguments[usize::from(at) + 1];
                    touch(
                        self.arguments[usize::from(at)],
                        count.min(room) as u64,
                        true,
                    );
                }
                Shape::ReceivedVector => received_parts(b, c, count, touch),
                Shape::ReceivedMessage if result as isize >= 0 => {
                    let message = &*(b as *const msghdr);
                    received_parts(message.msg_iov as usize, message.msg_iovlen, count, touch);
                    received_header(b, touch);
                }
                Shape::ReceivedElements(size) => {
                    let size = self.arguments[usize::from(size)] as u64;
                    touch(a, (count as u64).saturating_mul(size), true);
                }
                Shape::Time(width) => touch(a, time::written(result, width), true),
                Shape::Link(path) => {
                    touch(self.arguments[usize::from(path) + 1], count as u64, true)
                }
                Shape::ReceivedBlock if count > 0 => {
                    touch((a as *const usize).read(), count as u64 + 1, true);
                }
                _ => {}
            }
            result
        }
    }

    /// Returns the argument that is the format, if the function has one.
    fn format(&self) -> Option<u8> {
        match self.shape {
            Shape::Print { format, .. } | Shape::Scan { format, .. } => Some(format),
            _ => None,
        }
    }

    /// Tells of the accesses of a function of the `printf` or `scanf` families, which returned
    /// `result`.
    ///
    /// # Safety
    /// The arguments are the program's for such a call, and the call is over.
    unsafe fn after_values(
        &self,
        format: usize,
        values: List,
        result: c_int,
        touch: &mut Touch<'_>,
    ) {
        let &[a, b, ..] = self.arguments;
        let length = usize::try_from(result).ok();
        match (self.shape, length) {
            // SAFETY: the arguments are the program's and the call is over, as this function's
            // caller guarantees.
            (Shape::Scan { width, .. }, Some(assigned)) => unsafe {
                format::scanned(format, width, values, assigned, touch);
            },
            (
                Shape::Print {
                    to: Destination::Block,
                    ..
                },
                Some(length),
            ) => {
                // SAFETY: the block's address was stored there.
                let block = unsafe { (a as *const usize).read() };
                touch(block, length as u64 + 1, true);
            }
            (
                Shape::Print {
                    to: Destination::MemoryOf,
                    width,
                    ..
                },
                length,
            ) if b > 0 => {
                // What is there if it did not fit is not specified; the first character is written.
                let characters = length.map_or(1, |length| length + 1);
                touch(a, characters as u64 * u64::from(width), true);
            }
            _ => {}
        }
    }

    /// Tells of the accesses of `strtol` and its like.
    ///
    /// # Safety
    /// The arguments are the program's for such a call.
    unsafe fn number(&self, touch: &mut Touch<'_>) {
        let &[text, end, base, ..] = self.arguments;
        let mut behind = text;
        let place = &raw mut behind;
        let decimal = real!(strtoll: fn(usize, *mut usize, c_int) -> i64);
        let fraction = real!(strtod: fn(usize, *mut usize) -> f64);
        // SAFETY: `errno` is the running thread's own variable in libc, which is as before
        // afterwards; the text is the program's for such a call.
        unsafe {
            let errno = ::libc::__errno_location();
            let before = *errno;
            match self.shape {
                Shape::Whole => {
                    type Whole = unsafe extern "C" fn(usize, *mut usize, usize) -> usize;
                    core::mem::transmute::<usize, Whole>(self.function)(text, place, base);
                }
                Shape::Decimal => _ = decimal(text, place, 10),
                _ => _ = fraction(text, place),
            }
            *errno = before;
            if behind == text {
                // There is no number: blanks, and what is none.
                behind += until(text, CHAR, ALL, |c| ::libc::isspace(c as c_int) == 0);
            }
            touch(text, (behind - text) as u64 + 1, false);
        }
        let told = matches!(self.shape, Shape::Whole | Shape::Real { told: true });
        if told && end != 0 {
            touch(end, 8, true);
        }
    }

    /// Tells of the accesses of a function of the `printf` family, before it is called.
    ///
    /// # Safety
    /// The arguments are the program's for such a call.
    unsafe fn print(&self, format: u8, to: Destination, width: u8, touch: &mut Touch<'_>) {
        let Some(values) = self.values else {
            return;
        };
        let format = self.arguments[usize::from(format)];
        let &[a, b, ..] = self.arguments;
        // SAFETY: the format is the program's and ends with a 0, and `values` are those of the
        // call.
        unsafe {
            let characters = read(format, width, ALL);
            touch(format, characters as u64 * u64::from(width), false);
            format::printed(format, width, values, touch);
            match to {
                Destination::Elsewhere => {}
                // Nothing can be printed to nowhere: the result tells the length.
                Destination::MemoryOf if width == WIDE => {}
                Destination::Block => touch(a, 8, true),
                Destination::Memory => {
                    if let Some(length) = printed_length(format, values) {
                        touch(a, length as u64 + 1, true);
                    }
                }
                Destination::MemoryOf => {
                    if let Some(length) = printed_length(format, values).filter(|_| b > 0) {
                        touch(a, (length + 1).min(b) as u64, true);
                    }
                }
            }
        }
    }
}

/// Values of `%n` that are kept over the measuring of a text.
const COUNTS_MAX: usize = 8;

/// Length of a printed text. It is printed to nowhere for that; what `%n` stores is taken back.
///
/// # Safety
/// The format ends with a 0, and `values` are those of the call.
unsafe fn printed_length(format: usize, values: List) -> Option<usize> {
    let mut counts = [(0_usize, 0_u64, 0_u64); COUNTS_MAX];
    let mut count = 0;
    let print = real!(vsnprintf: fn(usize, usize, usize, *mut List) -> c_int);
    // SAFETY: the format and the values are the program's, as this function's caller guarantees;
    // `errno` is the running thread's own, and is as before afterwards.
    unsafe {
        format::printed(format, CHAR, values, &mut |at, bytes, is_written| {
            if is_written && count < COUNTS_MAX {
                let mut old = 0_u64;
                core::ptr::copy(at as *const u8, (&raw mut old).cast(), bytes as usize);
                counts[count] = (at, bytes, old);
            }
            count += usize::from(is_written);
        });
        if count > COUNTS_MAX {
            return None;
        }
        let errno = ::libc::__errno_location();
        let before = *errno;
        let mut list = values;
        let length = print(0, 0, format, &raw mut list);
        *errno = before;
        for (at, bytes, old) in &counts[..count] {
            core::ptr::copy((&raw const *old).cast(), *at as *mut u8, *bytes as usize);
        }
        usize::try_from(length).ok()
    }
}
