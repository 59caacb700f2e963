//! Whose locks a program has: the process's or open files', which exclude each other.

use crate::state::Kept;
use core::sync::atomic::{AtomicU8, Ordering};

/// The sort of owner that a lock of a range of bytes has (`fcntl`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A process has the lock ([`crate::libc::syscalls`]).
    Process = 1,
    /// An open file has the lock ([`super::ranges`]).
    OpenFile = 2,
}

/// Bits ([`Owner`]) of those who had some lock in an execution of this process. With `--checkpoint=fork` or `restart` that
/// is one execution, in which a mixture shows as well; more than one only err to the safe side.
static OWNERS: Kept<AtomicU8> = Kept::new(AtomicU8::new(0));

/// The message under which a program ends as unsupported if [`mixes`] says so.
pub const MIXED: &str =
    "locks of the process and of open files (F_SETLK, F_OFD_SETLK) in one program";

/// Takes note of a lock, or of a look at some. Returns whether there were locks of both sorts,
/// which exclude each other.
pub fn mixes(owner: Owner) -> bool {
    let owners = OWNERS.load(Ordering::Relaxed) | owner as u8;
    OWNERS.store(owners, Ordering::Relaxed);
    owners == Owner::Process as u8 | Owner::OpenFile as u8
}
