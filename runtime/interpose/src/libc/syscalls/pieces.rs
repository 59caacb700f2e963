//! The pieces of memory that a vectored call reads or writes.

use super::Args;
use core::slice;

/// A pair of address and bytes, as in the kernel's `struct iovec`.
pub type Piece = (usize, usize);

/// Returns the pieces of a vectored call.
///
/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
pub unsafe fn vectors(args: &Args) -> &'static [Piece] {
    #[repr(C)]
    struct Vector {
        base: usize,
        bytes: usize,
    }
    const { assert!(size_of::<Piece>() == size_of::<Vector>()) };
    if args[2] == 0 || args[1] == 0 {
        return &[];
    }
    // SAFETY: the vector is the program's, as this function's caller guarantees, and is not empty.
    // A tuple of two words has one of two layouts; `first` below asserts ours.
    let vectors = unsafe { slice::from_raw_parts(args[1] as *const Vector, args[2].min(1024)) };
    const { assert!(core::mem::offset_of!(Piece, 0) == core::mem::offset_of!(Vector, base)) };
    const { assert!(core::mem::offset_of!(Piece, 1) == core::mem::offset_of!(Vector, bytes)) };
    // SAFETY: the same layout, as just asserted.
    unsafe { slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len()) }
}
