//! System calls with a path. As long as nothing differs from the disk and the call changes nothing, the
//! kernel is asked; then the overlay says where the path leads.

use super::directories::directory;
use super::{bytes, error, generated_files, native, touch, Args, SyscallOutcome};
use crate::libc::descriptor::{self, Kind};
use crate::libc::overlay::names::{self, done};
use crate::libc::overlay::path::Path;
use crate::libc::overlay::times_and_owners::{self, NewTimes};
use crate::libc::overlay::{self, attributes, open, rename, transfer};
use core::ffi::CStr;
use SyscallOutcome::{Unsupported, Value};

const HERE: usize = ::libc::AT_FDCWD as usize;
const NOFOLLOW: usize = ::libc::AT_SYMLINK_NOFOLLOW as usize;

/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
pub(super) unsafe fn call(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    let &mut [a, b, c, d, e, _] = args;
    // SAFETY: every path is an argument of the program's call, as this function's caller
    // guarantees.
    let name = |path: usize| unsafe { name_of(path) };
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // a fault is EFAULT (`fault`).
    unsafe {
        Some(match number {
            ::libc::SYS_open => open(HERE, a, b, c),
            ::libc::SYS_openat => open(a, b, c, d),
            ::libc::SYS_creat => {
                let flags = ::libc::O_CREAT | ::libc::O_WRONLY | ::libc::O_TRUNC;
                open(HERE, a, flags as usize, b)
            }
            ::libc::SYS_mkdir => done(names::make_directory(HERE, name(a), b as u32)),
            ::libc::SYS_mkdirat => done(names::make_directory(a, name(b), c as u32)),
            ::libc::SYS_rmdir => done(names::remove_directory(HERE, name(a))),
            ::libc::SYS_unlink => done(names::remove(HERE, name(a))),
            ::libc::SYS_unlinkat if c == 0 => done(names::remove(a, name(b))),
            ::libc::SYS_unlinkat if c as i32 == ::libc::AT_REMOVEDIR => {
                done(names::remove_directory(a, name(b)))
            }
            ::libc::SYS_rename => done(rename::rename((HERE, name(a)), (HERE, name(b)), true)),
            ::libc::SYS_renameat => done(rename::rename((a, name(b)), (c, name(d)), true)),
            ::libc::SYS_renameat2 if e <= ::libc::RENAME_NOREPLACE as usize => {
                done(rename::rename((a, name(b)), (c, name(d)), e == 0))
            }
            ::libc::SYS_link => {
                let (from, to) = ((HERE, name(a)), (HERE, name(b)));
                done(names::make_hard_link(from, to, false))
            }
            ::libc::SYS_linkat if e & !(::libc::AT_SYMLINK_FOLLOW as usize) == 0 => {
                done(names::make_hard_link((a, name(b)), (c, name(d)), e != 0))
            }
            ::libc::SYS_symlink => done(names::make_link(name(a), HERE, name(b))),
            ::libc::SYS_symlinkat => done(names::make_link(name(a), b, name(c))),
            ::libc::SYS_truncate => transfer::truncate_path(HERE, name(a), b as i64),
            ::libc::SYS_chmod => done(attributes::change_mode(HERE, name(a), b as u32)),
            ::libc::SYS_fchmodat => done(attributes::change_mode(a, name(b), c as u32)),
            ::libc::SYS_fchmod => return attributes::change_mode_of_open(a, b as u32),
            ::libc::SYS_umask => Value(open::set_umask(a as u32) as isize),
            // There is nothing that could be written to a disk.
            ::libc::SYS_sync => Value(0),
            ::libc::SYS_chdir => done(names::change_directory(HERE, name(a))),
            ::libc::SYS_fchdir => done(names::change_directory(a, b".")),
            ::libc::SYS_getcwd if !overlay::is_empty() => names::tell_directory(a, b),
            ::libc::SYS_readlink if !overlay::is_empty() => read_link(HERE, a, b, c),
            ::libc::SYS_readlinkat if !overlay::is_empty() && !name(b).is_empty() => {
                read_link(a, b, c, d)
            }
            _ => return owners_and_times(number, args).or_else(|| attributes(number, args)),
        })
    }
}

/// Sets the owner or the times of a file.
///
/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
unsafe fn owners_and_times(number: i64, args: &Args) -> Option<SyscallOutcome> {
    let &[a, b, c, d, e, _] = args;
    // SAFETY: each argument that is used as a path is the one that the system call takes as such.
    let name = |path: usize| unsafe { name_of(path) };
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // a fault is EFAULT (`fault`).
    unsafe {
        Some(match number {
            ::libc::SYS_chown => done(times_and_owners::set_owner(
                HERE,
                name(a),
                true,
                (b as u32, c as u32),
            )),
            ::libc::SYS_lchown => done(times_and_owners::set_owner(
                HERE,
                name(a),
                false,
                (b as u32, c as u32),
            )),
            ::libc::SYS_fchown => {
                return times_and_owners::set_owner_of_open(a, (b as u32, c as u32))
            }
            ::libc::SYS_fchownat if e & !NOFOLLOW == 0 => done(times_and_owners::set_owner(
                a,
                name(b),
                e == 0,
                (c as u32, d as u32),
            )),
            ::libc::SYS_utime => {
                let times = NewTimes::of_seconds(b as *const _);
                done(times_and_owners::set_times(HERE, name(a), true, Ok(times)))
            }
            ::libc::SYS_utimes => {
                let times = NewTimes::of_timevals(b as *const _);
                done(times_and_owners::set_times(HERE, name(a), true, times))
            }
            ::libc::SYS_futimesat | ::libc::SYS_utimensat if b == 0 => {
                let times = match number {
                    ::libc::SYS_futimesat => NewTimes::of_timevals(c as *const _),
                    _ if d != 0 => return Some(error(::libc::EINVAL)),
                    _ => NewTimes::of_timespecs(c as *const _),
                };
                return times_and_owners::set_times_of_open(a, times);
            }
            ::libc::SYS_futimesat => {
                let times = NewTimes::of_timevals(c as *const _);
                done(times_and_owners::set_times(a, name(b), true, times))
            }
            ::libc::SYS_utimensat if d & !NOFOLLOW == 0 => {
                let times = NewTimes::of_timespecs(c as *const _);
                done(times_and_owners::set_times(a, name(b), d == 0, times))
            }
            _ => return None,
        })
    }
}

/// Returns the bytes of the program's path.
///
/// # Safety
/// `path` is the address of the program's NUL-terminated path.
unsafe fn name_of(path: usize) -> &'static [u8] {
    // SAFETY: `path` is the address of the program's path, as this function's caller guarantees; a
    // fault is EFAULT (`fault`).
    unsafe { CStr::from_ptr(path as *const _) }.to_bytes()
}

/// Opens a path for `open` and its like, at the directory `at`.
///
/// # Safety
/// `path` is the address of the program's NUL-terminated path.
unsafe fn open(at: usize, path: usize, flags: usize, mode: usize) -> SyscallOutcome {
    let options = flags as i32;
    let reads = options & ::libc::O_ACCMODE == ::libc::O_RDONLY;
    let changes = options & (::libc::O_CREAT | ::libc::O_TRUNC) != 0
        || options & ::libc::O_TMPFILE == ::libc::O_TMPFILE;
    // SAFETY: `path` is the address of the program's path, as this function's caller guarantees.
    let name = unsafe { name_of(path) };
    if reads && !changes && overlay::is_empty() {
        // An absolute path needs no directory, whatever that argument is.
        return open_on_disk(directory(at).unwrap_or(usize::MAX), path, options);
    }
    match open::open(at, name, options, mode as u32) {
        Err(outcome) => outcome,
        Ok(path) => open_on_disk(HERE, path.address(), options),
    }
}

/// Opens what the disk has at a path that ends with a NUL. `at` is a descriptor of the kernel's.
fn open_on_disk(at: usize, path: usize, options: i32) -> SyscallOutcome {
    // SAFETY: the structure is plain numbers, for which zero is a value.
    let mut stat: ::libc::stat = unsafe { core::mem::zeroed() };
    let to = &raw mut stat as usize;
    let found = native(::libc::SYS_newfstatat, &[at, path, to, 0, 0, 0]);
    if found < 0 {
        return Value(found);
    }
    // SAFETY: the kernel could read the path just now, so it is readable and ends with a NUL.
    let name = unsafe { CStr::from_ptr(path as *const _) };
    let writes = options & ::libc::O_ACCMODE != ::libc::O_RDONLY;
    let kind = match descriptor::kind_of_stat(&stat) {
        Some(kind) if !writes || kind == Kind::Null => kind,
        _ => return refuse(name, writes),
    };
    if options & ::libc::O_DIRECTORY != 0 && kind != Kind::Directory {
        return error(::libc::ENOTDIR);
    }
    // Not blocking: it may be one of the kernel's that wait for something to say.
    let flags = ::libc::O_RDONLY | ::libc::O_CLOEXEC | ::libc::O_NOCTTY | ::libc::O_NONBLOCK;
    let mut is_copied = true;
    let opened = descriptor::opened(at as i32, name.to_bytes(), || {
        let args = [at, path, flags as usize, 0, 0, 0];
        let mut kernel = native(::libc::SYS_openat, &args);
        if kernel >= 0 && kind == Kind::Regular {
            let copy = generated_files::copied(kernel as i32, name.to_bytes());
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

/// `readlink`.
///
/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
unsafe fn read_link(at: usize, path: usize, to: usize, room: usize) -> SyscallOutcome {
    if room as isize <= 0 {
        return error(::libc::EINVAL);
    }
    // SAFETY: `path` and `to` are addresses of the program's, as this function's caller guarantees.
    match unsafe { names::read_link(at, name_of(path), to, room) } {
        Err(outcome) => outcome,
        Ok(path) => {
            touch(to, room.min(PATH_MAX));
            let args = [HERE, path.address(), to, room, 0, 0];
            Value(native(::libc::SYS_readlinkat, &args))
        }
    }
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
    // SAFETY: the arguments are those of the program's call; a fault on the way is EFAULT
    // (`fault`).
    match unsafe { changed(number, args) } {
        Some(Err(outcome)) => return Some(outcome),
        Some(Ok(path)) => {
            // Where the path leads on the disk; the path lives as long as the call.
            touch(output, length);
            let mut args = *args;
            let at = match number {
                ::libc::SYS_stat | ::libc::SYS_lstat | ::libc::SYS_access => 0,
                _ => 1,
            };
            args[at] = path.address();
            if at == 1 {
                args[0] = HERE;
            }
            return Some(Value(native(number, &args)));
        }
        None => {}
    }
    let has_directory = matches!(
        number,
        ::libc::SYS_fstat
            | ::libc::SYS_newfstatat
            | ::libc::SYS_statx
            | ::libc::SYS_readlinkat
            | ::libc::SYS_faccessat
            | ::libc::SYS_faccessat2
    );
    if has_directory {
        // A descriptor that is not open is the kernel's to refuse: an absolute path does without.
        args[0] = directory(args[0]).unwrap_or(usize::MAX);
    }
    touch(output, length);
    Some(Value(native(number, args)))
}

/// Answers such a call where something differs from the disk: with the canonical path of what the
/// disk has, or with the outcome. `None`: the kernel may be asked as it is.
///
/// # Safety
/// The arguments are those of the program's call; a pointer among them that leads nowhere is
/// EFAULT.
unsafe fn changed(number: i64, args: &Args) -> Option<Result<Path, SyscallOutcome>> {
    let &[a, b, c, d, e, _] = args;
    let nofollow = ::libc::AT_SYMLINK_NOFOLLOW;
    // Descriptor, path, flags, and where the result goes or what is asked.
    let (at, path, flags, to) = match number {
        ::libc::SYS_stat => (HERE, a, 0, b),
        ::libc::SYS_lstat => (HERE, a, nofollow, b),
        ::libc::SYS_fstat => (a, 0, ::libc::AT_EMPTY_PATH, b),
        ::libc::SYS_newfstatat => (a, b, d as i32, c),
        ::libc::SYS_statx => (a, b, c as i32, e),
        ::libc::SYS_access => (HERE, a, 0, b),
        ::libc::SYS_faccessat => (a, b, 0, c),
        ::libc::SYS_faccessat2 => (a, b, d as i32, c),
        _ => return None,
    };
    let name = match path {
        0 => &[][..],
        // SAFETY: `path` is the address of the program's path, as this function's caller
        // guarantees.
        path => unsafe { name_of(path) },
    };
    let inode = if name.is_empty() && flags & ::libc::AT_EMPTY_PATH != 0 {
        let file = descriptor::file(at).filter(|file| file.kind == Kind::Stored)?;
        file.kernel as usize
    } else if overlay::is_empty() {
        return None;
    } else {
        match attributes::look(at, name, flags & nofollow == 0) {
            Ok((Some(inode), _)) => inode,
            Ok((None, path)) => return Some(Ok(path)),
            Err(outcome) => return Some(Err(outcome)),
        }
    };
    Some(Err(match number {
        // SAFETY: `to` is an address of the program's for a `statx`, as this function's caller
        // guarantees.
        ::libc::SYS_statx => unsafe { attributes::statx(inode, to) },
        ::libc::SYS_access | ::libc::SYS_faccessat | ::libc::SYS_faccessat2 => {
            attributes::access(inode, to as i32)
        }
        // SAFETY: `to` is an address of the program's for a `stat`, as this function's caller
        // guarantees.
        _ => unsafe { attributes::stat(inode, to) },
    }))
}
