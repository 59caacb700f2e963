//! Making and removing files, directories and links.

use super::inode::Form;
use super::inodes::{make, set, too_many};
use super::kernel::kernel;
use super::open::{name_it, take_over, umask};
use super::path::{self, on_disk, resolve, without_slashes, Path, Place, What};
use super::permitted::may_change;
use super::state::{find, inode, overlay, with_names, Found, Name, BYTES_MAX};
use super::{content, error};
use crate::libc::opaque;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported, Value};

/// Returns the outcome of a call that returns 0 if it succeeds.
pub fn done(result: Result<(), SyscallOutcome>) -> SyscallOutcome {
    result.err().unwrap_or(Value(0))
}

/// Returns a place for something new.
fn free_place(at: usize, name: &[u8]) -> Result<Place, SyscallOutcome> {
    // A slash at the end does not make the kernel look further.
    let is_folder = name.ends_with(b"/");
    let place = resolve(at, without_slashes(name), false)?;
    if !matches!(place.what, What::Nothing) {
        return Err(error(::libc::EEXIST));
    }
    may_change(&place.path)?;
    Ok(Place { is_folder, ..place })
}

/// `mkdirat`.
pub fn make_directory(at: usize, name: &[u8], mode: u32) -> Result<(), SyscallOutcome> {
    let place = free_place(at, name)?;
    opaque::files_change();
    let number = make(Form::Directory, mode & 0o1777 & !umask()).ok_or_else(too_many)?;
    name_it(&place.path, number)
}

/// `symlinkat`.
pub fn make_link(target: &[u8], at: usize, name: &[u8]) -> Result<(), SyscallOutcome> {
    if target.is_empty() {
        return Err(error(::libc::ENOENT));
    }
    let place = free_place(at, name)?;
    if place.is_folder {
        return Err(error(::libc::ENOENT));
    }
    opaque::files_change();
    let number = link_to(target)?;
    name_it(&place.path, number)
}

fn link_to(target: &[u8]) -> Result<usize, SyscallOutcome> {
    let number = make(Form::Link, 0o777).ok_or_else(too_many)?;
    // SAFETY: the address and the length are those of the slice `target`, which lives until the
    // call returns.
    match unsafe { content::write(number, 0, target.as_ptr() as usize, target.len()) } {
        true => Ok(number),
        false => Err(Unsupported(BYTES_MAX.into())),
    }
}

/// Returns the inode of what stands at a place and is no directory; takes over what the disk has
/// there.
pub fn inode_at(place: &Place) -> Result<usize, SyscallOutcome> {
    match place.what {
        What::Nothing => Err(error(::libc::ENOENT)),
        What::Inode(number) => Ok(number),
        What::Disk(stat) if place.what.is_file() => take_over(&place.path, &stat, false),
        What::Disk(_) if place.what.is_link() => {
            let mut target = [0; 1024];
            let length = path::read_link(&place.path, place.what, &mut target);
            let length = usize::try_from(length).map_err(|_| Value(length))?;
            let number = link_to(&target[..length])?;
            name_it(&place.path, number)?;
            Ok(number)
        }
        What::Disk(_) => Err(Unsupported(
            "renaming or linking what is no regular file".into(),
        )),
    }
}

/// `linkat`. `follow`: a link at the end of the old name is followed.
pub fn make_hard_link(
    from: (usize, &[u8]),
    to: (usize, &[u8]),
    follow: bool,
) -> Result<(), SyscallOutcome> {
    let old = resolve(from.0, from.1, follow)?;
    if matches!(old.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    let new = free_place(to.0, to.1)?;
    if new.is_folder {
        return Err(error(::libc::ENOENT));
    }
    if old.what.is_directory() {
        return Err(error(::libc::EPERM));
    }
    opaque::files_change();
    let number = inode_at(&old)?;
    name_it(&new.path, number)
}

/// `unlinkat` without flags.
pub fn remove(at: usize, name: &[u8]) -> Result<(), SyscallOutcome> {
    let place = resolve(at, without_slashes(name), false)?;
    if matches!(place.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    if place.what.is_directory() {
        return Err(error(::libc::EISDIR));
    }
    if name.ends_with(b"/") {
        return Err(error(::libc::ENOTDIR));
    }
    may_change(&place.path)?;
    let is_ours = matches!(place.what, What::Inode(_));
    if !is_ours && !place.what.is_file() && !place.what.is_link() {
        return Err(Unsupported("removing what is no regular file".into()));
    }
    opaque::files_change();
    remove_name(&place.path)
}

fn remove_name(path: &Path) -> Result<(), SyscallOutcome> {
    match set(path.bytes(), None) {
        true => Ok(()),
        false => Err(too_many()),
    }
}

/// `rmdir`.
pub fn remove_directory(at: usize, name: &[u8]) -> Result<(), SyscallOutcome> {
    let place = resolve(at, without_slashes(name), false)?;
    if matches!(place.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    if !place.what.is_directory() {
        return Err(error(::libc::ENOTDIR));
    }
    if place.dots == 1 {
        return Err(error(::libc::EINVAL));
    }
    if place.path.bytes() == b"/" {
        return Err(error(::libc::EBUSY));
    }
    if place.dots == 2 {
        return Err(error(::libc::ENOTEMPTY));
    }
    may_change(&place.path)?;
    if !is_empty_directory(&place.path)? {
        return Err(error(::libc::ENOTEMPTY));
    }
    opaque::files_change();
    remove_name(&place.path)
}

/// Returns whether a directory is empty: of what the disk has and nobody removed, and of what was
/// made there.
pub fn is_empty_directory(path: &Path) -> Result<bool, SyscallOutcome> {
    if has_names(path.bytes()) {
        return Ok(false);
    }
    let is_directory = |stat: ::libc::stat| stat.st_mode & ::libc::S_IFMT == ::libc::S_IFDIR;
    if !on_disk(path, false).is_ok_and(is_directory) {
        return Ok(true);
    }
    // What the disk has there must have been removed.
    let here = ::libc::AT_FDCWD as usize;
    let flags = (::libc::O_RDONLY | ::libc::O_DIRECTORY | ::libc::O_CLOEXEC) as usize;
    let fd = kernel(::libc::SYS_openat, [here, path.address(), flags, 0]);
    if fd < 0 {
        return Err(Value(fd));
    }
    let mut entries = super::list::Entries::default();
    let mut is_empty = true;
    while is_empty && entries.fill(fd as usize) {
        is_empty = entries.names().all(|name| {
            let child = path.child(name);
            matches!(name, b"." | b"..")
                || child.is_some_and(|child| find(child.bytes()) == Found::Removed)
        });
    }
    kernel(::libc::SYS_close, [fd as usize, 0, 0, 0]);
    Ok(is_empty)
}

/// `readlinkat`: what is told, or the path if it is the disk's business.
///
/// # Safety
/// `to` is writable for `room` bytes of the program's.
pub unsafe fn read_link(
    at: usize,
    name: &[u8],
    to: usize,
    room: usize,
) -> Result<Path, SyscallOutcome> {
    let place = resolve(at, name, false)?;
    match place.what {
        What::Nothing => Err(error(::libc::ENOENT)),
        What::Disk(_) => Ok(place.path),
        What::Inode(number) if inode(number).form == Form::Link => {
            // SAFETY: `to` is writable for `room` bytes, as this function's caller guarantees.
            let length = unsafe { content::read(number, 0, to, room) };
            Err(Value(length as isize))
        }
        What::Inode(_) => Err(error(::libc::EINVAL)),
    }
}

/// `chdir` and `fchdir`: the working directory is kept here, and the kernel's stays.
pub fn change_directory(at: usize, name: &[u8]) -> Result<(), SyscallOutcome> {
    let place = resolve(at, name, true)?;
    if matches!(place.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    if !place.what.is_directory() {
        return Err(error(::libc::ENOTDIR));
    }
    // Looking into it needs the permission to search it.
    place
        .path
        .child(b".")
        .map_or(Ok(()), |inside| match place.what {
            What::Disk(_) => on_disk(&inside, false).map(drop).map_err(Value),
            _ => Ok(()),
        })?;
    opaque::files_change();
    let bytes = place.path.bytes();
    overlay().change(|all| {
        all.here_length = bytes.len() as u16;
        all.here[..bytes.len()].copy_from_slice(bytes);
    });
    Ok(())
}

/// `getcwd`, when it is kept here.
///
/// # Safety
/// `to` is writable for `room` bytes of the program's.
pub unsafe fn tell_directory(to: usize, room: usize) -> SyscallOutcome {
    let path = match path::base(::libc::AT_FDCWD as usize) {
        Ok(path) => path,
        Err(outcome) => return outcome,
    };
    if find(path.bytes()) == Found::Removed {
        return error(::libc::ENOENT);
    }
    let length = path.bytes().len() + 1;
    if room < length {
        return error(::libc::ERANGE);
    }
    crate::libc::syscalls::touch(to, length);
    // SAFETY: `to` is writable for `room` bytes, as this function's caller guarantees, and the text
    // ends with a NUL, which counts in `length`.
    unsafe { (to as *mut u8).copy_from(path.address() as *const u8, length) };
    Value(length as isize)
}

/// Returns whether a name in a directory stands for something.
fn has_names(directory: &[u8]) -> bool {
    let is_there = |name: &Name| name.inode != 0 && path::parent(name.path()) == directory;
    with_names(|all| all.iter().any(is_there))
}
