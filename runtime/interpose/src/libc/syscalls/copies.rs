//! Copies from file to file, and files without a name.

use super::directories::is_directory;
use super::{error, native, Args, SyscallOutcome, TRANSFER_MAX};
use crate::libc::descriptor::{self, File, Kind};
use crate::libc::{opaque, overlay};
use SyscallOutcome::{Unsupported, Value};

/// `copy_file_range` and `sendfile` between regular files: each side is a descriptor and where the offset
/// is, or null for the file's own.
///
/// # Safety
/// The offsets are the program's.
pub(super) unsafe fn copy(
    from: [usize; 2],
    to: [usize; 2],
    wanted: usize,
    is_range: bool,
) -> SyscallOutcome {
    let source = descriptor::file(from[0]);
    let (Some(source), Some(target)) = (source, descriptor::file(to[0])) else {
        return error(::libc::EBADF);
    };
    if let Some(errno) = refused(&source, &target, is_range) {
        return error(errno);
    }
    let is_file = |kind| matches!(kind, Kind::Regular | Kind::Stored);
    if !is_file(source.kind) || target.kind != Kind::Stored {
        return Unsupported("copying between files other than regular ones".into());
    }
    let offset_at = |at: usize, own: i64| match at {
        0 => own,
        // SAFETY: `at` is not 0, so it is the program's address of an offset, as this function's
        // caller guarantees.
        at => unsafe { *(at as *const i64) },
    };
    let (mut begin, mut end) = (
        offset_at(from[1], source.offset),
        offset_at(to[1], target.offset),
    );
    if begin < 0 || end < 0 {
        return error(::libc::EINVAL);
    }
    let is_same = source.kind == Kind::Stored && source.kernel == target.kernel;
    let overlap = (wanted as i64).saturating_sub((begin - end).abs());
    if is_same && overlap > 0 {
        return error(::libc::EINVAL);
    }
    let mut buffer = [0u8; 4096];
    let mut done = 0;
    while done < wanted.min(TRANSFER_MAX) {
        let (at, room) = (
            buffer.as_mut_ptr() as usize,
            buffer.len().min(wanted - done),
        );
        let got = match source.kind {
            // SAFETY: `at` and `room` are inside of `buffer`, a local.
            Kind::Stored => unsafe { overlay::transfer::read(&source, begin, at, room) },
            _ => {
                let args: Args = [source.kernel as usize, at, room, begin as usize, 0, 0];
                Value(native(::libc::SYS_pread64, &args))
            }
        };
        let n = match got {
            Value(0) => break,
            Value(n) if n > 0 => n as usize,
            other => return other,
        };
        // SAFETY: `at` and `n` are inside of `buffer`, a local, which was filled that far.
        match unsafe { overlay::transfer::write(to[0], &target, &[(at, n)], Some(end)) } {
            Value(written) if written == n as isize => {}
            other => return other,
        }
        begin += n as i64;
        end += n as i64;
        done += n;
    }
    // SAFETY: both addresses are 0 or the program's, as this function's caller guarantees.
    unsafe {
        leave_at(from, begin);
        leave_at(to, end);
    }
    Value(done as isize)
}

/// Why a copy cannot be made, as far as the descriptors tell; `is_range`: of `copy_file_range`.
fn refused(source: &File, target: &File, is_range: bool) -> Option<i32> {
    let access = |file: &File| match file.kind {
        Kind::Stored => file.flags as i32 & ::libc::O_ACCMODE,
        Kind::Regular | Kind::Directory => ::libc::O_RDONLY,
        _ => ::libc::O_RDWR,
    };
    let appends = target.kind == Kind::Stored && target.flags as i32 & ::libc::O_APPEND != 0;
    if is_range && (is_directory(source) || is_directory(target)) {
        return Some(::libc::EISDIR);
    }
    if access(source) == ::libc::O_WRONLY || access(target) == ::libc::O_RDONLY {
        return Some(::libc::EBADF);
    }
    match (appends, is_range) {
        (true, true) => Some(::libc::EBADF),
        (true, false) => Some(::libc::EINVAL),
        _ if is_directory(source) => Some(::libc::EINVAL),
        _ => None,
    }
}

/// Lets one side of a copy go on at an offset: in its file, or at the address that the call gave
/// for it.
///
/// # Safety
/// The offset is the program's.
unsafe fn leave_at(side: [usize; 2], offset: i64) {
    match (side[1], descriptor::file(side[0])) {
        (0, Some(_)) => descriptor::set_offset(side[0], offset),
        // SAFETY: `at` is not 0, so it is the program's address of an offset, as this function's
        // caller guarantees.
        (at, _) => unsafe { put(at, offset) },
    }
}

/// Writes an offset for the program.
///
/// # Safety
/// `at` is writable for an offset of the program's.
unsafe fn put(at: usize, offset: i64) {
    super::touch(at, size_of::<i64>());
    // SAFETY: `at` is the program's, as this function's caller guarantees; a fault is EFAULT
    // (`fault`).
    unsafe { *(at as *mut i64) = offset };
}

/// `memfd_create`: a file that has no name.
pub(super) fn make_unnamed(flags: usize) -> SyscallOutcome {
    let known = (::libc::MFD_CLOEXEC | ::libc::MFD_ALLOW_SEALING) as usize;
    if flags & !known != 0 {
        return Unsupported(format!("system call memfd_create (flags {flags:#x})"));
    }
    opaque::files_change();
    match overlay::make_unnamed(0o777) {
        Some(number) => Value(descriptor::add_stored(number, ::libc::O_RDWR as u32)),
        None => Unsupported("more than 64 files that differ from the disk".into()),
    }
}
