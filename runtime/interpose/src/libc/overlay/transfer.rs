//! Reading and writing files of the overlay. Each call is made in an event on the inode, or in one that
//! conflicts with everything.

use super::inode::Form;
use super::open::take_over;
use super::path::{resolve, What};
use super::permitted::{is_permitted, permitted_on_disk};
use super::state::{inode, BYTES_MAX};
use super::{content, error, home};
use crate::libc::descriptor::{self, File};
use crate::libc::opaque;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported, Value};
use crate::{engine, hooks};

fn access_mode(file: &File) -> i32 {
    file.flags as i32 & ::libc::O_ACCMODE
}

/// Returns whether bytes of a file may change now.
fn may_change(number: usize) -> Result<(), SyscallOutcome> {
    if inode(number).is_mapped_privately {
        let what = "changing a file that is mapped with MAP_PRIVATE";
        return Err(Unsupported(what.into()));
    }
    may_use(number)
}

/// Refuses a transfer of a mapped file with `--plain=explore`: there an access to mapped memory is
/// an event, and a call has one already.
fn may_use(number: usize) -> Result<(), SyscallOutcome> {
    if home::is_mapped(number) && engine::active() && hooks::plain_is_explored() {
        let what = "reading or writing a file that is mapped, with --plain=explore";
        return Err(Unsupported(what.into()));
    }
    Ok(())
}

/// `read` of `wanted` bytes at an offset.
///
/// # Safety
/// `to` is writable for `wanted` bytes of the program's.
pub unsafe fn read(file: &File, offset: i64, to: usize, wanted: usize) -> SyscallOutcome {
    let number = file.kernel as usize;
    if access_mode(file) == ::libc::O_WRONLY {
        return error(::libc::EBADF);
    }
    if inode(number).form == Form::Directory {
        return error(::libc::EISDIR);
    }
    if offset < 0 {
        return error(::libc::EINVAL);
    }
    if let Err(outcome) = may_use(number) {
        return outcome;
    }
    // SAFETY: `to` is writable for `wanted` bytes, as this function's caller guarantees.
    Value(unsafe { content::read(number, offset as u64, to, wanted) } as isize)
}

/// `write` of the pieces at an offset, or where the file stands. `fd`: a descriptor of it.
///
/// # Safety
/// The pieces are memory that the program may read.
pub unsafe fn write(
    fd: usize,
    file: &File,
    pieces: &[(usize, usize)],
    at: Option<i64>,
) -> SyscallOutcome {
    if access_mode(file) == ::libc::O_RDONLY {
        return error(::libc::EBADF);
    }
    let number = file.kernel as usize;
    if let Err(outcome) = may_change(number) {
        return outcome;
    }
    let appends = file.flags & ::libc::O_APPEND as u32 != 0;
    let begin = match at {
        // As Linux has it, also with an offset (pwrite(2), BUGS).
        _ if appends => inode(number).size as i64,
        Some(at) if at < 0 => return error(::libc::EINVAL),
        Some(at) => at,
        None => file.offset,
    };
    opaque::files_change();
    let mut offset = begin;
    for &(from, length) in pieces.iter().filter(|piece| piece.1 > 0) {
        // SAFETY: the pieces are memory that the program may read, as this function's caller
        // guarantees.
        if !unsafe { content::write(number, offset as u64, from, length) } {
            return Unsupported(BYTES_MAX.into());
        }
        offset += length as i64;
    }
    if at.is_none() {
        descriptor::set_offset(fd, offset);
    }
    Value((offset - begin) as isize)
}

/// `ftruncate`.
pub fn truncate(file: &File, size: i64) -> SyscallOutcome {
    if access_mode(file) == ::libc::O_RDONLY || size < 0 {
        return error(::libc::EINVAL);
    }
    cut(file.kernel as usize, size as u64)
}

fn cut(number: usize, size: u64) -> SyscallOutcome {
    if let Err(outcome) = may_change(number) {
        return outcome;
    }
    opaque::files_change();
    match content::cut(number, size) {
        true => Value(0),
        false => Unsupported(BYTES_MAX.into()),
    }
}

/// `truncate`.
pub fn truncate_path(at: usize, name: &[u8], size: i64) -> SyscallOutcome {
    let place = match resolve(at, name, true) {
        Ok(place) => place,
        Err(outcome) => return outcome,
    };
    let number = match place.what {
        What::Nothing => return error(::libc::ENOENT),
        _ if size < 0 => return error(::libc::EINVAL),
        _ if place.what.is_directory() => return error(::libc::EISDIR),
        What::Inode(number) if is_permitted(number, ::libc::W_OK) => number,
        What::Inode(_) => return error(::libc::EACCES),
        What::Disk(stat) if place.what.is_file() => {
            let allowed = permitted_on_disk(&place.path, ::libc::W_OK);
            match allowed.and_then(|()| take_over(&place.path, &stat, size == 0)) {
                Ok(number) => number,
                Err(outcome) => return outcome,
            }
        }
        What::Disk(_) => return error(::libc::EINVAL),
    };
    cut(number, size as u64)
}

/// `fallocate`.
pub fn allocate(file: &File, mode: i32, offset: i64, length: i64) -> SyscallOutcome {
    let number = file.kernel as usize;
    if access_mode(file) == ::libc::O_RDONLY {
        return error(::libc::EBADF);
    }
    let Some(end) = offset
        .checked_add(length)
        .filter(|_| offset >= 0 && length > 0)
    else {
        return error(::libc::EINVAL);
    };
    if let Err(outcome) = may_change(number) {
        return outcome;
    }
    opaque::files_change();
    let size = inode(number).size;
    let keeps = mode & ::libc::FALLOC_FL_KEEP_SIZE != 0;
    match mode & !::libc::FALLOC_FL_KEEP_SIZE {
        0 => {}
        ::libc::FALLOC_FL_PUNCH_HOLE | ::libc::FALLOC_FL_ZERO_RANGE if keeps => {
            let end = size.min(end as u64);
            content::erase(number, offset as u64, end.saturating_sub(offset as u64));
        }
        ::libc::FALLOC_FL_PUNCH_HOLE => return error(::libc::EOPNOTSUPP),
        _ => return Unsupported(format!("system call fallocate (mode {mode:#x})")),
    }
    match keeps || end as u64 <= size || content::cut(number, end as u64) {
        true => Value(0),
        false => Unsupported(BYTES_MAX.into()),
    }
}
