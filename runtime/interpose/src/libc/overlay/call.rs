//! System calls on files of the overlay. Each is made in an event that conflicts with everything, or, on
//! a descriptor, with the other uses of the inode.

use super::path::{canonical, OnDisk};
use super::{find, inode, make, release, set, touches_directory, Found};
use crate::libc::descriptor::{self, File, Kind};
use crate::libc::opaque;
use crate::libc::syscalls::{touch, SyscallOutcome};
use crate::sys;
use core::ffi::CStr;
use SyscallOutcome::{Unsupported, Value};

const FILES_MAX: &str =
    "more than 64 files or 96 names that differ from the disk, or a path of more than 250 bytes";
const BYTES_MAX: &str = "files of more than 1 MiB, or 4 MiB together, that differ from the disk";

fn error(errno: i32) -> SyscallOutcome {
    Value(-(errno as isize))
}

fn kernel(number: i64, args: [usize; 4]) -> isize {
    // SAFETY: calls that only tell, or open what is closed again; the strings end with a NUL.
    unsafe { sys::call6(number, args[0], args[1], args[2], args[3], 0, 0) }
}

fn stat(at: usize, path: &CStr, flags: i32) -> Option<::libc::stat> {
    // SAFETY: plain data, which the kernel fills.
    let mut stat: ::libc::stat = unsafe { core::mem::zeroed() };
    let to = &raw mut stat as usize;
    let args = [at, path.as_ptr() as usize, to, flags as usize];
    (kernel(::libc::SYS_newfstatat, args) == 0).then_some(stat)
}

/// `openat`. `None`: it is the disk's business. `at` is the kernel's.
pub fn open(at: usize, name: &CStr, flags: i32, mode: u32) -> Option<SyscallOutcome> {
    let writes = flags & ::libc::O_ACCMODE != ::libc::O_RDONLY;
    let creates = flags & ::libc::O_CREAT != 0;
    let empties = flags & ::libc::O_TRUNC != 0;
    let excludes = creates && flags & ::libc::O_EXCL != 0;
    if flags & ::libc::O_TMPFILE == ::libc::O_TMPFILE || flags & ::libc::O_PATH != 0 {
        return None;
    }
    let follow = !excludes && flags & ::libc::O_NOFOLLOW == 0;
    let (path, on_disk) = match canonical(at, name.to_bytes(), follow) {
        None => return Some(Unsupported(FILES_MAX.into())),
        Some(Err(errno)) => return Some(Value(errno)),
        Some(Ok(found)) => found,
    };
    let changes = writes || creates || empties;
    let number = match (find(path.bytes()), on_disk) {
        (Found::Disk, _) if !changes => return None,
        (Found::Disk, OnDisk::Something) => {
            let stat = stat(
                at,
                name,
                if follow {
                    0
                } else {
                    ::libc::AT_SYMLINK_NOFOLLOW
                },
            )?;
            if excludes {
                return Some(error(::libc::EEXIST));
            }
            if !writes && !empties || descriptor::kind_of_stat(&stat) != Some(Kind::Regular) {
                return None;
            }
            let writable = [at, name.as_ptr() as usize, ::libc::W_OK as usize, 0];
            let allowed = kernel(::libc::SYS_faccessat, writable);
            if allowed < 0 {
                return Some(Value(allowed));
            }
            match take_over(at, name, &stat, path.bytes(), empties) {
                Ok(number) => number,
                Err(outcome) => return Some(outcome),
            }
        }
        (Found::Disk, OnDisk::Nothing) | (Found::Removed, _) => {
            if !creates {
                return Some(error(::libc::ENOENT));
            }
            let mask = umask();
            let Some(number) = make(mode & 0o7777 & !mask).filter(|&n| set(path.bytes(), Some(n)))
            else {
                return Some(Unsupported(FILES_MAX.into()));
            };
            number
        }
        (Found::Inode(_), _) if excludes => return Some(error(::libc::EEXIST)),
        (Found::Inode(_), _) if flags & ::libc::O_DIRECTORY != 0 => {
            return Some(error(::libc::ENOTDIR));
        }
        (Found::Inode(number), _) => number,
    };
    if changes {
        opaque::files_change();
    }
    if empties {
        inode(number).content.cut(0);
    }
    let status = ::libc::O_ACCMODE | ::libc::O_APPEND | ::libc::O_NONBLOCK;
    Some(Value(descriptor::add_stored(
        number,
        (flags & status) as u32,
    )))
}

fn umask() -> u32 {
    let mask = kernel(::libc::SYS_umask, [0o22, 0, 0, 0]);
    kernel(::libc::SYS_umask, [mask as usize, 0, 0, 0]);
    mask as u32
}

/// An inode with what a regular file of the disk holds.
fn take_over(
    at: usize,
    name: &CStr,
    stat: &::libc::stat,
    path: &[u8],
    empty: bool,
) -> Result<usize, SyscallOutcome> {
    if stat.st_nlink > 1 {
        return Err(Unsupported(
            "changing a file that has several hard links".into(),
        ));
    }
    if descriptor::is_open_on_disk(stat) {
        return Err(Unsupported(
            "changing a file that is open since before".into(),
        ));
    }
    let Some(number) = make(stat.st_mode & 0o7777).filter(|&n| set(path, Some(n))) else {
        return Err(Unsupported(FILES_MAX.into()));
    };
    if empty {
        return Ok(number);
    }
    let flags = (::libc::O_RDONLY | ::libc::O_CLOEXEC) as usize;
    let fd = kernel(::libc::SYS_openat, [at, name.as_ptr() as usize, flags, 0]);
    if fd < 0 {
        return Err(Value(fd));
    }
    let mut buffer = [0u8; 4096];
    let mut offset = 0;
    let whole = loop {
        let to = buffer.as_mut_ptr() as usize;
        let n = kernel(::libc::SYS_pread64, [fd as usize, to, buffer.len(), offset]);
        // SAFETY: our buffer.
        if n <= 0 || !unsafe { inode(number).content.write(offset as u64, to, n as usize) } {
            break n == 0;
        }
        offset += n as usize;
    };
    kernel(::libc::SYS_close, [fd as usize, 0, 0, 0]);
    match whole {
        true => Ok(number),
        false => Err(Unsupported(BYTES_MAX.into())),
    }
}

/// `unlinkat` without flags.
pub fn remove(at: usize, name: &CStr) -> SyscallOutcome {
    let (path, on_disk) = match canonical(at, name.to_bytes(), false) {
        None => return Unsupported(FILES_MAX.into()),
        Some(Err(errno)) => return Value(errno),
        Some(Ok(found)) => found,
    };
    match (find(path.bytes()), on_disk) {
        (Found::Removed, _) | (Found::Disk, OnDisk::Nothing) => return error(::libc::ENOENT),
        (Found::Disk, _) => {
            let format = stat(at, name, ::libc::AT_SYMLINK_NOFOLLOW)
                .map_or(0, |stat| stat.st_mode & ::libc::S_IFMT);
            if format == ::libc::S_IFDIR {
                return error(::libc::EISDIR);
            }
            if format != ::libc::S_IFREG {
                return Unsupported("removing what is no regular file".into());
            }
        }
        (Found::Inode(_), _) => {}
    }
    opaque::files_change();
    match set(path.bytes(), None) {
        true => Value(0),
        false => Unsupported(FILES_MAX.into()),
    }
}

/// `renameat`. The directories are the kernel's.
pub fn rename(from: (usize, &CStr), to: (usize, &CStr)) -> SyscallOutcome {
    let find_both = [from, to].map(|(at, name)| canonical(at, name.to_bytes(), false));
    let [Some(source), Some(target)] = find_both else {
        return Unsupported(FILES_MAX.into());
    };
    let ((source, source_on_disk), (target, target_on_disk)) = match (source, target) {
        (Ok(source), Ok(target)) => (source, target),
        (Err(errno), _) | (_, Err(errno)) => return Value(errno),
    };
    let is_file = |(at, name): (usize, &CStr)| {
        stat(at, name, ::libc::AT_SYMLINK_NOFOLLOW)
            .filter(|stat| stat.st_mode & ::libc::S_IFMT == ::libc::S_IFREG)
    };
    let number = match (find(source.bytes()), source_on_disk) {
        (Found::Removed, _) | (Found::Disk, OnDisk::Nothing) => return error(::libc::ENOENT),
        (Found::Inode(number), _) => number,
        (Found::Disk, OnDisk::Something) => {
            let Some(stat) = is_file(from) else {
                return Unsupported("renaming what is no regular file".into());
            };
            match take_over(from.0, from.1, &stat, source.bytes(), false) {
                Ok(number) => number,
                Err(outcome) => return outcome,
            }
        }
    };
    let replaces_disk = find(target.bytes()) == Found::Disk && target_on_disk == OnDisk::Something;
    if replaces_disk && is_file(to).is_none() {
        return Unsupported("renaming onto what is no regular file".into());
    }
    opaque::files_change();
    if source.bytes() == target.bytes() {
        return Value(0);
    }
    match set(target.bytes(), Some(number)) && set(source.bytes(), None) {
        true => Value(0),
        false => Unsupported(FILES_MAX.into()),
    }
}

/// What is at a path, for calls that tell about files. `None`: it is the disk's business.
pub fn look(at: usize, name: &CStr, follow: bool) -> Option<Result<usize, SyscallOutcome>> {
    let (path, _) = match canonical(at, name.to_bytes(), follow)? {
        Ok(found) => found,
        Err(_) => return None,
    };
    match find(path.bytes()) {
        Found::Disk => None,
        Found::Removed => Some(Err(error(::libc::ENOENT))),
        Found::Inode(number) => Some(Ok(number)),
    }
}

/// `stat` of an inode.
///
/// # Safety
/// `to` is the program's.
pub unsafe fn attributes(number: usize, to: usize) -> SyscallOutcome {
    touch(to, size_of::<::libc::stat>());
    // SAFETY: the caller's; zero is a value of every field.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        stat.st_mode = ::libc::S_IFREG | inode(number).mode;
        stat.st_nlink = u64::from(super::is_named(number));
        stat.st_size = inode(number).content.size as i64;
        stat.st_blksize = 4096;
        stat.st_blocks = (stat.st_size + 511) / 512;
        stat.st_ino = (1 << 48) + number as u64;
        stat.st_uid = kernel(::libc::SYS_geteuid, [0; 4]) as u32;
        stat.st_gid = kernel(::libc::SYS_getegid, [0; 4]) as u32;
        (to as *mut ::libc::stat).write(stat);
    }
    Value(0)
}

/// `write` of the pieces at an offset, or where the file stands.
///
/// # Safety
/// The pieces are the program's.
pub unsafe fn write(file: &mut File, pieces: &[(usize, usize)], at: Option<i64>) -> SyscallOutcome {
    if file.flags & ::libc::O_ACCMODE as u32 == ::libc::O_RDONLY as u32 {
        return error(::libc::EBADF);
    }
    let content = &mut inode(file.kernel as usize).content;
    let appends = file.flags & ::libc::O_APPEND as u32 != 0;
    let begin = match at {
        // As Linux has it, also with an offset (pwrite(2), BUGS).
        _ if appends => content.size as i64,
        Some(at) if at < 0 => return error(::libc::EINVAL),
        Some(at) => at,
        None => file.offset,
    };
    opaque::files_change();
    let mut offset = begin;
    for &(from, length) in pieces.iter().filter(|piece| piece.1 > 0) {
        // SAFETY: the caller's.
        if !unsafe { content.write(offset as u64, from, length) } {
            return Unsupported(BYTES_MAX.into());
        }
        offset += length as i64;
    }
    if at.is_none() {
        file.offset = offset;
    }
    Value((offset - begin) as isize)
}

/// `ftruncate`.
pub fn truncate(file: &File, size: i64) -> SyscallOutcome {
    if file.flags & ::libc::O_ACCMODE as u32 == ::libc::O_RDONLY as u32 || size < 0 {
        return error(::libc::EINVAL);
    }
    opaque::files_change();
    match inode(file.kernel as usize).content.cut(size as u64) {
        true => Value(0),
        false => Unsupported(BYTES_MAX.into()),
    }
}

/// Whether reading a directory, by the kernel's descriptor, would show something else than is true.
pub fn differs(directory: usize) -> bool {
    if super::is_empty() {
        return false;
    }
    match canonical(directory, b".", true) {
        Some(Ok((path, _))) => touches_directory(path.bytes()),
        _ => true,
    }
}

/// The last descriptor of an open file of this inode is gone.
pub fn closed(number: usize) {
    inode(number).open -= 1;
    release(number);
}
