//! System calls on descriptors.
//!
//! They are translated to the kernel's ([`descriptor`]). Files are read from the disk; what the
//! program changes is kept in memory ([`overlay`]); what is written to standard output and error is
//! captured.

use super::directories::is_directory;
use super::pieces::{vectors, Piece};
use super::{bytes, copies, error, locks, native, touch, Args, SyscallOutcome, TRANSFER_MAX};
use crate::engine::{self, input};
use crate::libc::descriptor::{self, File, Kind};
use crate::libc::{channel, overlay, random};
use core::slice;
use SyscallOutcome::{Unsupported, Value};

/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
pub(super) unsafe fn call(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // each arm uses those that its call has.
    unsafe {
        Some(match number {
            ::libc::SYS_read => read(args[0], &[(args[1], args[2])], None),
            ::libc::SYS_pread64 => read(args[0], &[(args[1], args[2])], Some(args[3] as i64)),
            ::libc::SYS_readv => read(args[0], vectors(args), None),
            ::libc::SYS_preadv => read(args[0], vectors(args), Some(args[3] as i64)),
            ::libc::SYS_preadv2 if args[5] == 0 => {
                let at = args[3] as i64;
                read(args[0], vectors(args), (at != -1).then_some(at))
            }
            ::libc::SYS_write => write(args[0], &[(args[1], args[2])]),
            ::libc::SYS_writev => write(args[0], vectors(args)),
            ::libc::SYS_pwrite64 => write_at(args[0], &[(args[1], args[2])], args[3]),
            ::libc::SYS_pwritev => write_at(args[0], vectors(args), args[3]),
            ::libc::SYS_pwritev2 if args[5] == 0 && args[3] as i64 == -1 => {
                write(args[0], vectors(args))
            }
            ::libc::SYS_pwritev2 if args[5] == 0 => write_at(args[0], vectors(args), args[3]),
            ::libc::SYS_ftruncate => match descriptor::file(args[0]) {
                Some(file) if file.kind == Kind::Stored => {
                    overlay::transfer::truncate(&file, args[1] as i64)
                }
                None => error(::libc::EBADF),
                Some(file) if file.kind == Kind::Regular && is_open_for_writing(&file) => {
                    refused_write()
                }
                Some(_) => error(::libc::EINVAL),
            },
            ::libc::SYS_fallocate => match descriptor::file(args[0]) {
                Some(file) if file.kind == Kind::Stored => {
                    let (mode, at) = (args[1] as i32, args[2] as i64);
                    overlay::transfer::allocate(&file, mode, at, args[3] as i64)
                }
                Some(file) if file.kind == Kind::Regular && is_open_for_writing(&file) => {
                    refused_write()
                }
                Some(file) if !matches!(file.kind, Kind::Regular | Kind::Directory) => {
                    return None;
                }
                _ => error(::libc::EBADF),
            },
            ::libc::SYS_copy_file_range if args[5] == 0 => {
                copies::copy([args[0], args[1]], [args[2], args[3]], args[4], true)
            }
            ::libc::SYS_sendfile => copies::copy([args[1], args[2]], [args[0], 0], args[3], false),
            ::libc::SYS_memfd_create => copies::make_unnamed(args[1]),
            ::libc::SYS_lseek => seek(args[0], args[1] as i64, args[2] as i32),
            ::libc::SYS_close => Value(descriptor::close(args[0])),
            ::libc::SYS_dup => Value(descriptor::duplicate(args[0], 0)),
            ::libc::SYS_dup2 => Value(descriptor::duplicate_to(args[0], args[1])),
            ::libc::SYS_dup3 if args[0] == args[1] => error(::libc::EINVAL),
            ::libc::SYS_dup3 => Value(descriptor::duplicate_to(args[0], args[1])),
            ::libc::SYS_fcntl => control(args),
            ::libc::SYS_ioctl => device_control(args),
            ::libc::SYS_getdents64 => directory_entries(args),
            ::libc::SYS_fsync
            | ::libc::SYS_fdatasync
            | ::libc::SYS_fadvise64
            | ::libc::SYS_readahead
            | ::libc::SYS_syncfs
            | ::libc::SYS_sync_file_range => {
                if descriptor::file(args[0]).is_some() {
                    Value(0)
                } else {
                    error(::libc::EBADF)
                }
            }
            _ => return None,
        })
    }
}

/// Reads into the pieces, at an offset or at the file's own.
///
/// # Safety
/// The pieces are memory that the program may write.
unsafe fn read(fd: usize, pieces: &[Piece], at: Option<i64>) -> SyscallOutcome {
    let Some(mut file) = descriptor::file(fd) else {
        return error(::libc::EBADF);
    };
    let has_offset = matches!(file.kind, Kind::Regular | Kind::Stored | Kind::Directory);
    if at.is_some() && !has_offset {
        return error(::libc::ESPIPE);
    }
    let mut total = 0;
    for &(to, wanted) in pieces {
        touch(to, wanted);
        let offset = at.unwrap_or(file.offset) + if at.is_some() { total as i64 } else { 0 };
        // SAFETY: `to` is writable for `wanted` bytes of the program's, as this function's caller
        // guarantees.
        let n = match unsafe { read_piece(&file, offset, to, wanted) } {
            Value(n) => n,
            other => return other,
        };
        if n < 0 {
            return Value(if total > 0 { total } else { n });
        }
        if at.is_none() {
            file.offset += n as i64;
            descriptor::set_offset(fd, file.offset);
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
        // SAFETY: `to` is writable for `wanted` bytes of the program's, as this function's caller
        // guarantees.
        Kind::Input => Value(unsafe { input::read(to, wanted) }),
        Kind::Regular => Value(native(
            ::libc::SYS_pread64,
            &[kernel, to, wanted, offset as usize, 0, 0],
        )),
        // SAFETY: `to` is writable for `wanted` bytes of the program's, as this function's caller
        // guarantees.
        Kind::Stored => unsafe { overlay::transfer::read(file, offset, to, wanted) },
        Kind::Directory => error(::libc::EISDIR),
        Kind::Null => Value(native(::libc::SYS_read, &[kernel, to, wanted, 0, 0, 0])),
        Kind::Random => {
            let length = wanted.min(TRANSFER_MAX);
            // SAFETY: `to` is writable for `wanted` bytes of the program's, as this function's
            // caller guarantees.
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
/// The pieces are memory that the program may read.
unsafe fn write(fd: usize, pieces: &[Piece]) -> SyscallOutcome {
    let Some(file) = descriptor::file(fd) else {
        return error(::libc::EBADF);
    };
    match file.kind {
        Kind::Output | Kind::Null => {}
        Kind::Regular if is_open_for_writing(&file) => return refused_write(),
        Kind::Regular | Kind::Directory => return error(::libc::EBADF),
        // SAFETY: the pieces are memory that the program may read, as this function's caller
        // guarantees.
        Kind::Stored => return unsafe { overlay::transfer::write(fd, &file, pieces, None) },
        Kind::Epoll => return error(::libc::EINVAL),
        _ => return Unsupported("writing to a pipe, socket or device".into()),
    }
    let mut total = 0;
    for &(from, length) in pieces.iter().filter(|piece| piece.1 > 0) {
        if file.kind == Kind::Output {
            // SAFETY: the piece is memory that the program may read, as this function's caller
            // guarantees, and no other fiber writes it now.
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
        Kind::Input => {
            return Value(input::seek(
                crate::libc::descriptor::input_offset(),
                offset,
                whence,
            ))
        }
        Kind::Null => return Value(0),
        Kind::Stored => match whence {
            ::libc::SEEK_SET => offset,
            ::libc::SEEK_CUR => file.offset + offset,
            ::libc::SEEK_END => overlay::inode(kernel).size as i64 + offset,
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
    // A place in the listing of a directory that was changed is negative.
    let is_place = whence == ::libc::SEEK_SET && is_directory(&file);
    if target < 0 && !is_place {
        return if whence > ::libc::SEEK_CUR && file.kind != Kind::Stored {
            Value(target as isize)
        } else {
            error(::libc::EINVAL)
        };
    }
    descriptor::set_offset(fd, target);
    Value(target as isize)
}

/// Returns whether a file of the disk is open for writing since before the root, and was not taken
/// over.
fn is_open_for_writing(file: &File) -> bool {
    let flags = native(
        ::libc::SYS_fcntl,
        &[file.kernel as usize, ::libc::F_GETFL as usize, 0, 0, 0, 0],
    );
    flags & ::libc::O_ACCMODE as isize != ::libc::O_RDONLY as isize
}

fn refused_write() -> SyscallOutcome {
    Unsupported("writing to a large file that was opened before the second thread".into())
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
        ::libc::F_GETFL if matches!(file.kind, Kind::Channel | Kind::Stored | Kind::Output) => {
            Value(file.flags as isize)
        }
        ::libc::F_GETFL if file.kind == Kind::Epoll => Value(::libc::O_RDWR as isize),
        ::libc::F_SETFL if file.kind == Kind::Channel => {
            status_flags(args[0], &file, args[2] as u32)
        }
        ::libc::F_SETFL if file.kind == Kind::Output => output_flags(&file, args[2] as u32),
        ::libc::F_SETFL if file.kind == Kind::Stored => {
            let changeable = (::libc::O_APPEND | ::libc::O_NONBLOCK) as u32;
            let flags = file.flags & !changeable | args[2] as u32 & changeable;
            descriptor::change_file(args[0], |file| file.flags = flags);
            Value(0)
        }
        ::libc::F_SETLK | ::libc::F_SETLKW | ::libc::F_GETLK => locks::of_process(&file, args),
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
fn status_flags(fd: usize, file: &File, flags: u32) -> SyscallOutcome {
    let changeable = (::libc::O_NONBLOCK | ::libc::O_APPEND | ::libc::O_NOATIME) as u32;
    let new = file.flags & !changeable | flags & changeable;
    let is_other = (new ^ file.flags) & ::libc::O_NONBLOCK as u32 != 0;
    if is_other && channel::is_used_by_others(file.kernel as usize / 2) {
        return Unsupported("changing O_NONBLOCK while another thread uses the pipe".into());
    }
    descriptor::change_file(fd, |file| file.flags = new);
    Value(0)
}

/// Changes the status flags of what is captured. No write heeds them: nothing is ever full there, and what
/// is written comes after what was.
fn output_flags(file: &File, flags: u32) -> SyscallOutcome {
    let changeable = (::libc::O_NONBLOCK | ::libc::O_APPEND | ::libc::O_NOATIME) as u32;
    let new = file.flags & !changeable | flags & changeable;
    match new == file.flags || descriptor::set_output_flags(file.kernel, new) {
        true => Value(0),
        false => Unsupported("changing the status flags of standard input".into()),
    }
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
            // SAFETY: the argument is the program's address of an `int`; a fault is EFAULT
            // (`fault`).
            let on = unsafe { *(args[2] as *const i32) } != 0;
            let others = file.flags & !(::libc::O_NONBLOCK as u32);
            let flag = if on { ::libc::O_NONBLOCK as u32 } else { 0 };
            return status_flags(args[0], &file, others | flag);
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
    let Some(mut file) = descriptor::file(args[0]) else {
        return error(::libc::EBADF);
    };
    if !is_directory(&file) {
        return error(::libc::ENOTDIR);
    }
    let kernel = file.kernel as usize;
    // SAFETY: the buffer is that of the program's call; a fault on the way is EFAULT (`fault`).
    let listed = unsafe { overlay::list::entries(&mut file, args[1], args[2]) };
    if let Some(outcome) = listed {
        descriptor::set_offset(args[0], file.offset);
        return outcome;
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
    descriptor::set_offset(args[0], seek(0, ::libc::SEEK_CUR) as i64);
    Value(result)
}

/// `pwrite64` and its like.
///
/// # Safety
/// The pieces are memory that the program may read.
unsafe fn write_at(fd: usize, pieces: &[Piece], at: usize) -> SyscallOutcome {
    match descriptor::file(fd) {
        None => error(::libc::EBADF),
        // SAFETY: the pieces are memory that the program may read, as this function's caller
        // guarantees.
        Some(file) if file.kind == Kind::Stored => unsafe {
            overlay::transfer::write(fd, &file, pieces, Some(at as i64))
        },
        Some(file) if matches!(file.kind, Kind::Channel | Kind::Output) => error(::libc::ESPIPE),
        Some(file) if file.kind == Kind::Regular && is_open_for_writing(&file) => refused_write(),
        Some(_) => error(::libc::EBADF),
    }
}
