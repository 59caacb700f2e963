//! System calls on descriptors and paths.
//!
//! Descriptors are translated to the kernel's ([`descriptor`]). Files are read from the disk; what the
//! program changes is kept in memory ([`overlay`]); what is written to standard output and error is
//! captured.

use super::{bytes, error, made_up, native, touch, Args, SyscallOutcome, TRANSFER_MAX};
use crate::engine;
use crate::libc::descriptor::{self, File, Kind};
use crate::libc::{channel, input, overlay, random};
use core::ffi::CStr;
use core::slice;
use SyscallOutcome::{Unsupported, Value};

/// # Safety
/// The arguments are the program's.
pub(super) unsafe fn call(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    // SAFETY: the caller's, in each arm.
    unsafe {
        Some(match number {
            ::libc::SYS_read => read(args[0], &[(args[1], args[2])], None),
            ::libc::SYS_pread64 => read(args[0], &[(args[1], args[2])], Some(args[3] as i64)),
            ::libc::SYS_readv => read(args[0], vectors(args), None),
            ::libc::SYS_preadv => read(args[0], vectors(args), Some(args[3] as i64)),
            ::libc::SYS_write => write(args[0], &[(args[1], args[2])]),
            ::libc::SYS_writev => write(args[0], vectors(args)),
            ::libc::SYS_pwrite64 => write_at(args),
            ::libc::SYS_ftruncate => match descriptor::file(args[0]) {
                Some(file) if file.kind == Kind::Stored => {
                    overlay::call::truncate(file, args[1] as i64)
                }
                Some(file) if file.kind == Kind::Regular => error(::libc::EINVAL),
                _ => return None,
            },
            ::libc::SYS_unlink => remove(::libc::AT_FDCWD as usize, args[0]),
            ::libc::SYS_unlinkat if args[2] == 0 => remove(args[0], args[1]),
            ::libc::SYS_rename => rename(
                [::libc::AT_FDCWD as usize, args[0]],
                [::libc::AT_FDCWD as usize, args[1]],
            ),
            ::libc::SYS_renameat => rename([args[0], args[1]], [args[2], args[3]]),
            ::libc::SYS_renameat2 if args[4] == 0 => rename([args[0], args[1]], [args[2], args[3]]),
            ::libc::SYS_lseek => seek(args[0], args[1] as i64, args[2] as i32),
            ::libc::SYS_open => open(::libc::AT_FDCWD as usize, args[0], args[1], args[2]),
            ::libc::SYS_creat => open(
                ::libc::AT_FDCWD as usize,
                args[0],
                (::libc::O_CREAT | ::libc::O_WRONLY | ::libc::O_TRUNC) as usize,
                args[1],
            ),
            ::libc::SYS_openat => open(args[0], args[1], args[2], args[3]),
            ::libc::SYS_close => Value(descriptor::close(args[0])),
            ::libc::SYS_dup => Value(descriptor::duplicate(args[0], 0)),
            ::libc::SYS_dup2 => Value(descriptor::duplicate_to(args[0], args[1])),
            ::libc::SYS_dup3 if args[0] == args[1] => error(::libc::EINVAL),
            ::libc::SYS_dup3 => Value(descriptor::duplicate_to(args[0], args[1])),
            ::libc::SYS_fcntl => control(args),
            ::libc::SYS_ioctl => device_control(args),
            ::libc::SYS_getdents64 => directory_entries(args),
            ::libc::SYS_fsync | ::libc::SYS_fdatasync | ::libc::SYS_fadvise64 => {
                if descriptor::file(args[0]).is_some() {
                    Value(0)
                } else {
                    error(::libc::EBADF)
                }
            }
            _ => return attributes(number, args),
        })
    }
}

/// A pair of address and bytes, as in the kernel's `struct iovec`.
pub type Piece = (usize, usize);

/// The pieces of a vectored call.
///
/// # Safety
/// The arguments are the program's.
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
    // SAFETY: the caller's. A tuple of two words has one of two layouts; `first` below asserts ours.
    let vectors = unsafe { slice::from_raw_parts(args[1] as *const Vector, args[2].min(1024)) };
    const { assert!(core::mem::offset_of!(Piece, 0) == core::mem::offset_of!(Vector, base)) };
    const { assert!(core::mem::offset_of!(Piece, 1) == core::mem::offset_of!(Vector, bytes)) };
    // SAFETY: the same layout, as just asserted.
    unsafe { slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len()) }
}

/// Reads into the pieces, at an offset or at the file's own.
///
/// # Safety
/// The pieces are the program's.
unsafe fn read(fd: usize, pieces: &[Piece], at: Option<i64>) -> SyscallOutcome {
    let Some(file) = descriptor::file(fd) else {
        return error(::libc::EBADF);
    };
    if at.is_some() && !matches!(file.kind, Kind::Regular | Kind::Stored) {
        return error(::libc::ESPIPE);
    }
    let mut total = 0;
    for &(to, wanted) in pieces {
        touch(to, wanted);
        let offset = at.unwrap_or(file.offset) + if at.is_some() { total as i64 } else { 0 };
        // SAFETY: the caller's.
        let n = match unsafe { read_piece(file, offset, to, wanted) } {
            Value(n) => n,
            other => return other,
        };
        if n < 0 {
            return Value(if total > 0 { total } else { n });
        }
        if at.is_none() {
            file.offset += n as i64;
        }
        total += n;
        if (n as usize) < wanted {
            break;
        }
    }
    Value(total)
}

/// # Safety
/// The piece is the program's.
unsafe fn read_piece(file: &File, offset: i64, to: usize, wanted: usize) -> SyscallOutcome {
    let kernel = file.kernel as usize;
    match file.kind {
        // SAFETY: the caller's.
        Kind::Input => Value(unsafe { input::read(to, wanted) }),
        Kind::Regular => Value(native(
            ::libc::SYS_pread64,
            &[kernel, to, wanted, offset as usize, 0, 0],
        )),
        Kind::Stored if file.flags & ::libc::O_ACCMODE as u32 == ::libc::O_WRONLY as u32 => {
            error(::libc::EBADF)
        }
        Kind::Stored if offset < 0 => error(::libc::EINVAL),
        Kind::Stored => {
            let content = &overlay::inode(kernel).content;
            // SAFETY: the caller's.
            Value(unsafe { content.read(offset as u64, to, wanted) } as isize)
        }
        Kind::Directory => error(::libc::EISDIR),
        Kind::Null => Value(native(::libc::SYS_read, &[kernel, to, wanted, 0, 0, 0])),
        Kind::Random => {
            let length = wanted.min(TRANSFER_MAX);
            // SAFETY: the caller's.
            unsafe { random::fill_at(to, length) };
            Value(length as isize)
        }
        Kind::Epoll => error(::libc::EINVAL),
        Kind::Output | Kind::Other | Kind::Free | Kind::Channel => {
            Unsupported("reading from a pipe, socket or device".into())
        }
    }
}

/// # Safety
/// The pieces are the program's.
unsafe fn write(fd: usize, pieces: &[Piece]) -> SyscallOutcome {
    let Some(file) = descriptor::file(fd) else {
        return error(::libc::EBADF);
    };
    match file.kind {
        Kind::Output | Kind::Null => {}
        // Opened for writing it would be one of the overlay's.
        Kind::Regular | Kind::Directory => return error(::libc::EBADF),
        // SAFETY: the caller's.
        Kind::Stored => return unsafe { overlay::call::write(file, pieces, None) },
        Kind::Epoll => return error(::libc::EINVAL),
        _ => return Unsupported("writing to a pipe, socket or device".into()),
    }
    let mut total = 0;
    for &(from, length) in pieces.iter().filter(|piece| piece.1 > 0) {
        if file.kind == Kind::Output {
            // SAFETY: the caller's.
            engine::capture(file.kernel, unsafe {
                slice::from_raw_parts(from as *const u8, length)
            });
        }
        total += length;
    }
    Value(total as isize)
}

fn seek(fd: usize, offset: i64, whence: i32) -> SyscallOutcome {
    let Some(file) = descriptor::file(fd) else {
        return error(::libc::EBADF);
    };
    let kernel = file.kernel as usize;
    let target = match file.kind {
        Kind::Input => return Value(input::seek(offset, whence)),
        Kind::Null => return Value(0),
        Kind::Stored => match whence {
            ::libc::SEEK_SET => offset,
            ::libc::SEEK_CUR => file.offset + offset,
            ::libc::SEEK_END => overlay::inode(kernel).content.size as i64 + offset,
            _ => return Unsupported("lseek to data or holes".into()),
        },
        Kind::Regular | Kind::Directory => match whence {
            ::libc::SEEK_SET => offset,
            ::libc::SEEK_CUR => file.offset + offset,
            // The kernel's own offset is of no account.
            _ => {
                let args = [kernel, offset as usize, whence as usize, 0, 0, 0];
                native(::libc::SYS_lseek, &args) as i64
            }
        },
        _ => return error(::libc::ESPIPE),
    };
    if target < 0 {
        return if whence > ::libc::SEEK_CUR {
            Value(target as isize)
        } else {
            error(::libc::EINVAL)
        };
    }
    file.offset = target;
    Value(target as isize)
}

/// The kernel's number of a directory argument; `None` if it is not open.
fn directory(fd: usize) -> Option<usize> {
    if fd as i32 == ::libc::AT_FDCWD {
        return Some(fd);
    }
    descriptor::file(fd).map(|file| file.kernel as usize)
}

/// # Safety
/// `path` is the program's.
unsafe fn open(at: usize, path: usize, flags: usize, mode: usize) -> SyscallOutcome {
    // SAFETY: plain data.
    let mut stat: ::libc::stat = unsafe { core::mem::zeroed() };
    let options = flags as i32;
    let reads = options & ::libc::O_ACCMODE == ::libc::O_RDONLY;
    let changes = options & (::libc::O_CREAT | ::libc::O_TRUNC) != 0
        || options & ::libc::O_TMPFILE == ::libc::O_TMPFILE;
    // An absolute path needs no directory, whatever that argument is.
    let at = directory(at);
    let found = native(
        ::libc::SYS_newfstatat,
        &[
            at.unwrap_or(usize::MAX),
            path,
            &raw mut stat as usize,
            0,
            0,
            0,
        ],
    );
    if found == -(::libc::EFAULT as isize) {
        return Value(found);
    }
    // SAFETY: the kernel could read it.
    let name = unsafe { CStr::from_ptr(path as *const _) };
    if !reads || changes || !overlay::is_empty() {
        let at = at.unwrap_or(usize::MAX);
        if let Some(outcome) = overlay::call::open(at, name, options, mode as u32) {
            return outcome;
        }
    }
    if found < 0 {
        return if changes {
            refuse(name, true)
        } else {
            Value(found)
        };
    }
    let kind = descriptor::kind_of_stat(&stat);
    let Some(kind) = kind else {
        return refuse(name, !reads);
    };
    if (!reads || changes) && kind != Kind::Null {
        return refuse(name, true);
    }
    if options & ::libc::O_DIRECTORY != 0 && kind != Kind::Directory {
        return error(::libc::ENOTDIR);
    }
    let at = at.unwrap_or(usize::MAX);
    // Not blocking: it may be one of the kernel's that wait for something to say.
    let flags = ::libc::O_RDONLY | ::libc::O_CLOEXEC | ::libc::O_NOCTTY | ::libc::O_NONBLOCK;
    let mut is_copied = true;
    let opened = descriptor::opened(at as i32, name.to_bytes(), || {
        let args = [at, path, flags as usize, 0, 0, 0];
        let mut kernel = native(::libc::SYS_openat, &args);
        if kernel >= 0 && kind == Kind::Regular {
            let copy = made_up::copied(kernel as i32, name.to_bytes());
            is_copied = copy.is_some();
            kernel = copy.map_or(-(::libc::EIO as isize), |copy| copy as isize);
        }
        if kernel < 0 {
            Err(kernel)
        } else {
            Ok((kind, kernel as i32))
        }
    });
    if !is_copied {
        let name = name.to_string_lossy();
        return Unsupported(format!("reading what the kernel makes up: {name}"));
    }
    match opened {
        Some(Ok((kind, kernel))) => Value(descriptor::add(kind, kernel)),
        Some(Err(errno)) => Value(errno),
        None => Unsupported("more than 128 files opened, or a path of more than 243 bytes".into()),
    }
}

fn refuse(name: &CStr, writes: bool) -> SyscallOutcome {
    let name = name.to_string_lossy();
    Unsupported(if writes {
        format!("opening a file for writing: {name}")
    } else {
        format!("opening a pipe, socket or device: {name}")
    })
}

/// `fcntl`.
fn control(args: &Args) -> SyscallOutcome {
    let Some(file) = descriptor::file(args[0]) else {
        return error(::libc::EBADF);
    };
    match args[1] as i32 {
        ::libc::F_DUPFD | ::libc::F_DUPFD_CLOEXEC => Value(descriptor::duplicate(args[0], args[2])),
        // Close-on-exec has no effect: exec is unsupported.
        ::libc::F_GETFD | ::libc::F_SETFD => Value(0),
        ::libc::F_GETFL if matches!(file.kind, Kind::Channel | Kind::Stored) => {
            Value(file.flags as isize)
        }
        ::libc::F_GETFL if file.kind == Kind::Epoll => Value(::libc::O_RDWR as isize),
        ::libc::F_SETFL if file.kind == Kind::Channel => status_flags(file, args[2] as u32),
        ::libc::F_SETFL if file.kind == Kind::Stored => {
            let changeable = (::libc::O_APPEND | ::libc::O_NONBLOCK) as u32;
            file.flags = file.flags & !changeable | args[2] as u32 & changeable;
            Value(0)
        }
        ::libc::F_GETPIPE_SZ if file.kind == Kind::Channel => Value(1 << 16),
        ::libc::F_GETFL => {
            let all = native(
                ::libc::SYS_fcntl,
                &[file.kernel as usize, args[1], 0, 0, 0, 0],
            );
            // It means nothing for files; `open` above sets it for its own sake.
            let is_file = matches!(file.kind, Kind::Regular | Kind::Directory);
            let hidden = if is_file { ::libc::O_NONBLOCK } else { 0 };
            Value(if all < 0 {
                all
            } else {
                all & !(hidden as isize)
            })
        }
        command => Unsupported(format!("system call fcntl (command {command})")),
    }
}

/// Changes the status flags of a channel's end, of which only `O_NONBLOCK` means something here. A
/// thread that stands before a call on it goes by the old ones.
fn status_flags(file: &mut File, flags: u32) -> SyscallOutcome {
    let changeable = (::libc::O_NONBLOCK | ::libc::O_APPEND | ::libc::O_NOATIME) as u32;
    let new = file.flags & !changeable | flags & changeable;
    let is_other = (new ^ file.flags) & ::libc::O_NONBLOCK as u32 != 0;
    if is_other && channel::is_used_by_others(file.kernel as usize / 2) {
        return Unsupported("changing O_NONBLOCK while another thread uses the pipe".into());
    }
    file.flags = new;
    Value(0)
}

/// `ioctl`: only what tells about a terminal.
fn device_control(args: &Args) -> SyscallOutcome {
    let Some(file) = descriptor::file(args[0]) else {
        return error(::libc::EBADF);
    };
    match args[1] as ::libc::Ioctl {
        ::libc::TCGETS | ::libc::TIOCGWINSZ
            if matches!(file.kind, Kind::Channel | Kind::Stored) =>
        {
            return error(::libc::ENOTTY);
        }
        ::libc::FIONBIO if file.kind == Kind::Channel => {
            // SAFETY: the program's argument, a number.
            let on = unsafe { *(args[2] as *const i32) } != 0;
            let others = file.flags & !(::libc::O_NONBLOCK as u32);
            let flag = if on { ::libc::O_NONBLOCK as u32 } else { 0 };
            return status_flags(file, others | flag);
        }
        ::libc::TCGETS => touch(args[2], bytes::TERMIOS),
        ::libc::TIOCGWINSZ => touch(args[2], bytes::WINDOW),
        request => return Unsupported(format!("system call ioctl (request {request:#x})")),
    }
    let kernel = file.kernel as usize;
    Value(native(
        ::libc::SYS_ioctl,
        &[kernel, args[1], args[2], 0, 0, 0],
    ))
}

/// `getdents64`: the kernel's offset is put where ours is, and taken over afterwards.
fn directory_entries(args: &Args) -> SyscallOutcome {
    let Some(file) = descriptor::file(args[0]) else {
        return error(::libc::EBADF);
    };
    if file.kind != Kind::Directory {
        return error(::libc::ENOTDIR);
    }
    let kernel = file.kernel as usize;
    if overlay::call::differs(kernel) {
        return Unsupported("reading a directory in which files were made or removed".into());
    }
    touch(args[1], args[2]);
    let seek = |offset: i64, whence: i32| {
        native(
            ::libc::SYS_lseek,
            &[kernel, offset as usize, whence as usize, 0, 0, 0],
        )
    };
    seek(file.offset, ::libc::SEEK_SET);
    let result = native(::libc::SYS_getdents64, &[kernel, args[1], args[2], 0, 0, 0]);
    file.offset = seek(0, ::libc::SEEK_CUR) as i64;
    Value(result)
}

/// Bytes of a path, at most.
const PATH_MAX: usize = ::libc::PATH_MAX as usize;

/// Calls that tell about a file: the directory or descriptor is translated, the result made writable.
fn attributes(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    let (output, length) = match number {
        ::libc::SYS_stat | ::libc::SYS_lstat | ::libc::SYS_fstat => (args[1], bytes::STAT),
        ::libc::SYS_newfstatat => (args[2], bytes::STAT),
        ::libc::SYS_statx => (args[4], bytes::STATX),
        ::libc::SYS_readlink => (args[1], args[2].min(PATH_MAX)),
        ::libc::SYS_readlinkat => (args[2], args[3].min(PATH_MAX)),
        ::libc::SYS_getcwd => (args[0], args[1].min(PATH_MAX)),
        ::libc::SYS_access | ::libc::SYS_faccessat | ::libc::SYS_faccessat2 => (0, 0),
        _ => return None,
    };
    let at = matches!(
        number,
        ::libc::SYS_fstat
            | ::libc::SYS_newfstatat
            | ::libc::SYS_statx
            | ::libc::SYS_readlinkat
            | ::libc::SYS_faccessat
            | ::libc::SYS_faccessat2
    );
    // SAFETY: the program's arguments.
    if let Some(outcome) = unsafe { stored_attributes(number, args) } {
        return Some(outcome);
    }
    if at {
        // A descriptor that is not open is the kernel's to refuse: an absolute path does without.
        args[0] = directory(args[0]).unwrap_or(usize::MAX);
    }
    touch(output, length);
    Some(Value(native(number, args)))
}

/// The same for files of the overlay. `None`: none of those.
///
/// # Safety
/// The arguments are the program's.
unsafe fn stored_attributes(number: i64, args: &Args) -> Option<SyscallOutcome> {
    let here = ::libc::AT_FDCWD as usize;
    let (at, path, flags, to) = match number {
        ::libc::SYS_stat => (here, args[0], 0, args[1]),
        ::libc::SYS_lstat => (here, args[0], ::libc::AT_SYMLINK_NOFOLLOW, args[1]),
        ::libc::SYS_fstat => (args[0], 0, ::libc::AT_EMPTY_PATH, args[1]),
        ::libc::SYS_newfstatat => (args[0], args[1], args[3] as i32, args[2]),
        ::libc::SYS_statx => (args[0], args[1], args[2] as i32, 0),
        ::libc::SYS_access => (here, args[0], 0, 0),
        ::libc::SYS_faccessat | ::libc::SYS_faccessat2 => (args[0], args[1], 0, 0),
        _ => return None,
    };
    // SAFETY: the caller's.
    let is_empty = path == 0 || unsafe { *(path as *const u8) } == 0;
    let found = if is_empty && flags & ::libc::AT_EMPTY_PATH != 0 {
        let file = descriptor::file(at).filter(|file| file.kind == Kind::Stored)?;
        Ok(file.kernel as usize)
    } else if is_empty || overlay::is_empty() {
        return None;
    } else {
        // SAFETY: the caller's.
        let name = unsafe { CStr::from_ptr(path as *const _) };
        let at = directory(at).unwrap_or(usize::MAX);
        overlay::call::look(at, name, flags & ::libc::AT_SYMLINK_NOFOLLOW == 0)?
    };
    Some(match found {
        Err(outcome) => outcome,
        Ok(_) if number == ::libc::SYS_statx => {
            Unsupported("statx of a file that was changed".into())
        }
        // SAFETY: the caller's.
        Ok(number) if to != 0 => unsafe { overlay::call::attributes(number, to) },
        Ok(_) => Value(0),
    })
}

/// `pwrite64`.
///
/// # Safety
/// The arguments are the program's.
unsafe fn write_at(args: &Args) -> SyscallOutcome {
    match descriptor::file(args[0]) {
        None => error(::libc::EBADF),
        Some(file) if file.kind == Kind::Stored => {
            let one = [(args[1], args[2])];
            // SAFETY: the caller's.
            unsafe { overlay::call::write(file, &one, Some(args[3] as i64)) }
        }
        Some(file) if matches!(file.kind, Kind::Channel | Kind::Output) => error(::libc::ESPIPE),
        Some(_) => error(::libc::EBADF),
    }
}

/// The program's path, if it can be read.
///
/// # Safety
/// `path` is the program's.
unsafe fn name_of<'a>(path: usize) -> &'a CStr {
    // SAFETY: the caller's; a fault is EFAULT (`fault`).
    unsafe { CStr::from_ptr(path as *const _) }
}

/// # Safety
/// `path` is the program's.
unsafe fn remove(at: usize, path: usize) -> SyscallOutcome {
    let at = directory(at).unwrap_or(usize::MAX);
    // SAFETY: the caller's.
    overlay::call::remove(at, unsafe { name_of(path) })
}

/// # Safety
/// The paths are the program's: directory and name of each.
unsafe fn rename(from: [usize; 2], to: [usize; 2]) -> SyscallOutcome {
    let directories = [from[0], to[0]].map(|at| directory(at).unwrap_or(usize::MAX));
    // SAFETY: the caller's.
    let names = unsafe { [name_of(from[1]), name_of(to[1])] };
    overlay::call::rename((directories[0], names[0]), (directories[1], names[1]))
}

/// Whether a descriptor is of a file of the overlay.
pub(super) fn is_stored(fd: usize) -> bool {
    descriptor::file(fd).is_some_and(|file| file.kind == Kind::Stored)
}

/// The kernel's descriptor of a file that can be mapped.
pub(super) fn mappable(fd: usize) -> Option<usize> {
    descriptor::file(fd)
        .filter(|file| file.kind == Kind::Regular)
        .map(|file| file.kernel as usize)
}
