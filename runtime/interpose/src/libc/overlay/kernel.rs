//! What the kernel is asked about the disk.

use dpor_machine::sys;

/// Lets the kernel answer a call. Returns its number, or −errno.
pub(super) fn kernel(number: i64, args: [usize; 4]) -> isize {
    // SAFETY: calls that only tell, or open what is closed again; the strings end with a NUL, and what
    // is written is the runtime's own.
    unsafe { sys::call6(number, args[0], args[1], args[2], args[3], 0, 0) }
}
