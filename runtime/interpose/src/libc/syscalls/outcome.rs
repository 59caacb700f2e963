//! What becomes of a system call, and what all files say it with that answer one.

use dpor_machine::{snapshot, sys};
use SyscallOutcome::Value;

/// What becomes of a system call.
#[derive(Debug)]
pub enum SyscallOutcome {
    /// The call returns this number (−errno on failure).
    Value(isize),
    /// The call ends the process with this exit code.
    End(i32),
    /// The call ends the thread with this exit code.
    EndThread(i32),
    /// The call delivers this signal to the process, whose action is the default one: to end.
    Signal(i32),
    /// The call may have to wait: the thread answers it itself ([`crate::libc::channel::call`]).
    OnThread,
    /// The call cannot be controlled; the text completes "unsupported: ".
    Unsupported(String),
}

/// Returns the outcome of a call that fails.
pub const fn error(errno: i32) -> SyscallOutcome {
    Value(-(errno as isize))
}

/// The arguments of a call.
pub type Args = [usize; 6];

/// Lets the kernel answer a call: returns its number, or −errno.
pub fn native(number: i64, args: &Args) -> isize {
    let &[a, b, c, d, e, f] = args;
    // SAFETY: only calls that change nothing the runtime or the program relies on get here.
    unsafe { sys::call6(number, a, b, c, d, e, f) }
}

/// Bytes of the kernel's structures.
pub mod bytes {
    pub const STAT: usize = 144;
    pub const STATX: usize = 256;
    pub const UTSNAME: usize = 390;
    pub const TIMESPEC: usize = 16;
    pub const RLIMIT: usize = 16;
    pub const RUSAGE: usize = 144;
    pub const SYSINFO: usize = 112;
    pub const ACTION: usize = 32;
    pub const STACK: usize = 24;
    pub const TERMIOS: usize = 36;
    pub const WINDOW: usize = 8;
}

/// Bytes that the kernel transfers at most in one call (`MAX_RW_COUNT` in its `fs.h`).
pub const TRANSFER_MAX: usize = 0x7fff_f000;

/// Makes `length` bytes at an address writable, unless it is null.
pub fn touch(address: usize, length: usize) {
    if address != 0 && length != 0 {
        snapshot::touch(address, length.min(TRANSFER_MAX));
    }
}
