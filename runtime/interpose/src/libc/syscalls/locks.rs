//! Locks of files that belong to a process (`fcntl`, `lockf`). The threads of a process never exclude each
//! other by them (POSIX, fcntl: "a request ... shall not conflict with a lock of the same process"), and
//! other processes are no part of what is checked: so such a lock is always there to be had.
//!
//! Locks that belong to an open file do exclude threads: `flock` ([`crate::libc::overlay::locks`]) and
//! `F_OFD_SETLK` ([`crate::libc::overlay::ranges`]). The latter and those of the process exclude each other, too:
//! a program that has both is unsupported.

use super::{error, touch, Args, SyscallOutcome};
use crate::libc::descriptor::{File, Kind};
use crate::libc::overlay::lock_owners;
use SyscallOutcome::{Unsupported, Value};

/// `fcntl` with `F_SETLK`, `F_SETLKW` and `F_GETLK`.
pub(super) fn of_process(file: &File, args: &Args) -> SyscallOutcome {
    if !matches!(file.kind, Kind::Stored | Kind::Regular) {
        return Unsupported("a lock of what is no regular file".into());
    }
    if lock_owners::mixes(lock_owners::Owner::Process) {
        return Unsupported(lock_owners::MIXED.into());
    }
    let lock = args[2] as *mut ::libc::flock;
    // SAFETY: the program's argument; a fault is EFAULT (`fault`).
    let kind = i32::from(unsafe { (*lock).l_type });
    let access = match file.kind {
        Kind::Stored => file.flags as i32 & ::libc::O_ACCMODE,
        _ => ::libc::O_RDONLY,
    };
    if ![::libc::F_RDLCK, ::libc::F_WRLCK, ::libc::F_UNLCK].contains(&kind) {
        return error(::libc::EINVAL);
    }
    if args[1] as i32 == ::libc::F_GETLK {
        if kind == ::libc::F_UNLCK {
            return error(::libc::EINVAL);
        }
        touch(args[2], size_of::<::libc::flock>());
        // SAFETY: `lock` points to the program's `struct flock`; a fault is EFAULT (`fault`).
        unsafe { (*lock).l_type = ::libc::F_UNLCK as i16 };
        return Value(0);
    }
    let is_wrong = kind == ::libc::F_RDLCK && access == ::libc::O_WRONLY
        || kind == ::libc::F_WRLCK && access == ::libc::O_RDONLY;
    match is_wrong {
        true => error(::libc::EBADF),
        false => Value(0),
    }
}
