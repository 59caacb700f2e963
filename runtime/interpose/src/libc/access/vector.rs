//! Vectors of parts, and messages: `readv`, `writev`, `recvmsg`, `sendmsg`.

use super::touch::Touch;
use ::libc::{iovec, msghdr};
use core::mem::offset_of;

/// Returns the parts of a vector.
///
/// # Safety
/// `vector` is readable for `count` parts.
unsafe fn parts<'a>(vector: usize, count: usize) -> impl Iterator<Item = &'a iovec> {
    // SAFETY: `vector` has `count` parts, as this function's caller guarantees, and the program
    // leaves them alone during its call.
    (0..count).map(move |at| unsafe { &*(vector as *const iovec).add(at) })
}

/// Tells of the reads of a vector of parts, and of the parts, if they are sent.
///
/// # Safety
/// `vector` is readable for `count` parts.
pub unsafe fn vector(vector: usize, count: usize, sends: bool, touch: &mut Touch<'_>) {
    touch(vector, (count * size_of::<iovec>()) as u64, false);
    // SAFETY: `vector` has `count` parts, as this function's caller guarantees.
    for part in unsafe { parts(vector, count) }.filter(|_| sends) {
        touch(part.iov_base as usize, part.iov_len as u64, false);
    }
}

/// So many bytes came to the parts of a vector.
///
/// # Safety
/// `vector` is readable for `count` parts.
pub unsafe fn received_parts(vector: usize, count: usize, bytes: usize, touch: &mut Touch<'_>) {
    let mut left = bytes;
    // SAFETY: `vector` has `count` parts, as this function's caller guarantees.
    for part in unsafe { parts(vector, count) } {
        let here = left.min(part.iov_len);
        touch(part.iov_base as usize, here as u64, true);
        left -= here;
    }
}

/// Tells what `recvmsg` writes of its message: the length of control data, and the flags.
pub fn received_header(message: usize, touch: &mut Touch<'_>) {
    touch(message + offset_of!(msghdr, msg_controllen), 8, true);
    touch(message + offset_of!(msghdr, msg_flags), 4, true);
}

/// Touches what `sendmsg` or `recvmsg` reads of its message, and of what the message lists if it is sent.
///
/// # Safety
/// `message` is the address of the program's `struct msghdr`.
pub unsafe fn message(message: usize, sends: bool, touch: &mut Touch<'_>) {
    touch(message, size_of::<msghdr>() as u64, false);
    // SAFETY: as this function's caller guarantees; the program's threads stand still.
    let message = unsafe { &*(message as *const msghdr) };
    // SAFETY: the list is the program's, of the length that the message says.
    unsafe { vector(message.msg_iov as usize, message.msg_iovlen, sends, touch) };
}
