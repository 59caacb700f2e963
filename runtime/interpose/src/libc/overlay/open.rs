//! Opening files, and taking over those of the disk that are about to be changed.

use super::inode::{Form, TimesAndOwner};
use super::inodes::{make, make_unnamed, release, set, too_many};
use super::kernel::kernel;
use super::path::{self, resolve, without_slashes, Path, What};
use super::permitted::{is_permitted, may_change, permitted_on_disk};
use super::state::{held, inode, overlay, BYTES_MAX, DISK_MAPS, MASK_IS_SET};
use super::{content, error, window};
use crate::libc::descriptor::{self, Kind};
use crate::libc::opaque;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported, Value};
use crate::libc::syscalls::{is_generated, touch};

/// `openat`. `at` is the program's descriptor.
///
/// The path if it is the disk's file, which is opened for reading; otherwise what becomes of the call.
pub fn open(at: usize, name: &[u8], flags: i32, mode: u32) -> Result<Path, SyscallOutcome> {
    if flags & ::libc::O_TMPFILE == ::libc::O_TMPFILE {
        return Err(open_unnamed(at, name, flags, mode).unwrap_or_else(|outcome| outcome));
    }
    let only_path = flags & ::libc::O_PATH != 0;
    let writes = !only_path && flags & ::libc::O_ACCMODE != ::libc::O_RDONLY;
    let creates = !only_path && flags & ::libc::O_CREAT != 0;
    let empties = !only_path && flags & ::libc::O_TRUNC != 0;
    let excludes = creates && flags & ::libc::O_EXCL != 0;
    let follow = !excludes && flags & ::libc::O_NOFOLLOW == 0;
    if creates && name.ends_with(b"/") {
        resolve(at, without_slashes(name), false)?;
        return Err(error(::libc::EISDIR));
    }
    let place = resolve(at, name, follow)?;
    let exists = !matches!(place.what, What::Nothing);
    if excludes && exists {
        return Err(error(::libc::EEXIST));
    }
    if !exists && !creates {
        return Err(error(::libc::ENOENT));
    }
    if place.what.is_directory() && (writes || creates) || !exists && place.is_folder {
        return Err(error(::libc::EISDIR));
    }
    if place.what.is_link() {
        return Err(error(::libc::ELOOP));
    }
    if exists && !place.what.is_directory() && flags & ::libc::O_DIRECTORY != 0 {
        return Err(error(::libc::ENOTDIR));
    }
    let number = match place.what {
        What::Nothing => {
            may_change(&place.path)?;
            let number = make(Form::File, mode & 0o7777 & !umask()).ok_or_else(too_many)?;
            name_it(&place.path, number)?;
            number
        }
        What::Disk(_) if !(writes || empties) || !place.what.is_file() => {
            return Ok(place.path);
        }
        What::Disk(stat) => {
            let reads = flags & ::libc::O_ACCMODE != ::libc::O_WRONLY;
            let wanted = ::libc::W_OK | if reads { ::libc::R_OK } else { 0 };
            permitted_on_disk(&place.path, wanted)?;
            take_over(&place.path, &stat, empties)?
        }
        What::Inode(number) => {
            let access = flags & ::libc::O_ACCMODE;
            let wanted = match access {
                ::libc::O_RDONLY => ::libc::R_OK,
                ::libc::O_WRONLY => ::libc::W_OK,
                _ => ::libc::R_OK | ::libc::W_OK,
            };
            if !only_path && !is_permitted(number, wanted) {
                return Err(error(::libc::EACCES));
            }
            number
        }
    };
    if writes || creates || empties {
        opaque::files_change();
    }
    if empties && !content::cut(number, 0) {
        return Err(Unsupported(BYTES_MAX.into()));
    }
    Err(add(number, flags))
}

/// Opens a file without a name (`O_TMPFILE`).
fn open_unnamed(
    at: usize,
    name: &[u8],
    flags: i32,
    mode: u32,
) -> Result<SyscallOutcome, SyscallOutcome> {
    let place = resolve(at, name, true)?;
    if flags & ::libc::O_ACCMODE == ::libc::O_RDONLY {
        return Err(error(::libc::EINVAL));
    }
    if !place.what.is_directory() {
        let missing = matches!(place.what, What::Nothing);
        let errno = if missing {
            ::libc::ENOENT
        } else {
            ::libc::ENOTDIR
        };
        return Err(error(errno));
    }
    opaque::files_change();
    let number = make_unnamed(mode & 0o7777 & !umask()).ok_or_else(too_many)?;
    Ok(add(number, flags))
}

/// Adds a descriptor of an inode, and returns it.
fn add(number: usize, flags: i32) -> SyscallOutcome {
    let status = ::libc::O_ACCMODE | ::libc::O_APPEND | ::libc::O_NONBLOCK;
    Value(descriptor::add_stored(number, (flags & status) as u32))
}

/// Returns the mask for permissions of new files.
pub fn umask() -> u32 {
    let kept = overlay().look(|all| all.mask);
    if kept != 0 {
        return kept & 0o777;
    }
    let mask = kernel(::libc::SYS_umask, [0o22, 0, 0, 0]);
    kernel(::libc::SYS_umask, [mask as usize, 0, 0, 0]);
    mask as u32
}

/// `umask`. Returns the mask as it was.
pub fn set_umask(mask: u32) -> u32 {
    let before = umask();
    opaque::files_change();
    overlay().change(|all| all.mask = MASK_IS_SET | mask & 0o777);
    before
}

/// Gives an inode a name.
pub fn name_it(path: &Path, number: usize) -> Result<(), SyscallOutcome> {
    match set(path.bytes(), Some(number)) {
        true => Ok(()),
        false => Err(too_many()),
    }
}

/// Makes an inode with what a regular file of the disk holds, by the same name.
pub fn take_over(path: &Path, stat: &::libc::stat, empty: bool) -> Result<usize, SyscallOutcome> {
    let refuse = |what: &str| Err(Unsupported(what.into()));
    if stat.st_nlink > 1 {
        return refuse("changing a file that has several hard links");
    }
    let is_known = opaque::do_files_change();
    opaque::files_change();
    let file = (stat.st_dev, stat.st_ino);
    let is_mapped = overlay().look(|all| {
        let maps = &all.disk_maps;
        maps.count == DISK_MAPS || maps.files[..maps.count].contains(&file)
    });
    // If it was not known, the search begins anew, and the mapping is of the overlay's file if it can be.
    if is_mapped && is_known {
        return refuse("changing a file of the disk that is mapped");
    }
    let number = make(Form::File, stat.st_mode & 0o7777).ok_or_else(too_many)?;
    comes_from(number, stat);
    if !empty {
        fill(number, path, stat.st_size as u64)?;
    }
    name_it(path, number)?;
    descriptor::adopt((stat.st_dev, stat.st_ino), number);
    Ok(number)
}

/// Notes that an inode is the file of the disk with these attributes.
fn comes_from(number: usize, stat: &::libc::stat) {
    held(number).change(|inode| {
        inode.on_disk = (stat.st_dev, stat.st_ino);
        inode.times_and_owner = TimesAndOwner::on_disk(stat);
    });
}

/// Reads the bytes of a file of the disk into a new inode.
fn fill(number: usize, path: &Path, size: u64) -> Result<(), SyscallOutcome> {
    let here = ::libc::AT_FDCWD as usize;
    let flags = (::libc::O_RDONLY | ::libc::O_CLOEXEC) as usize;
    let fd = kernel(::libc::SYS_openat, [here, path.address(), flags, 0]);
    if fd < 0 {
        return Err(Value(fd));
    }
    let outcome = copy(number, fd as usize, size);
    kernel(::libc::SYS_close, [fd as usize, 0, 0, 0]);
    outcome
}

/// Copies `size` bytes of the kernel's descriptor `fd` into an inode.
fn copy(number: usize, fd: usize, size: u64) -> Result<(), SyscallOutcome> {
    if is_generated(fd as i32) {
        return Err(Unsupported("changing what the kernel makes up".into()));
    }
    if !content::cut(number, size) {
        return Err(Unsupported(BYTES_MAX.into()));
    }
    let size = size as usize;
    let window = window::of(number);
    touch(window, size);
    let mut done = 0;
    while done < size {
        let args = [fd, window + done, size - done, done];
        match kernel(::libc::SYS_pread64, args) {
            n @ 1.. => done += n as usize,
            _ => return Err(Unsupported("a file that changes while it is read".into())),
        }
    }
    Ok(())
}

/// Takes over the file of a descriptor, which is the disk's until now, because it is to be mapped.
/// `None`: it stays the disk's.
pub fn take_over_open(fd: usize) -> Option<Result<usize, SyscallOutcome>> {
    let file = descriptor::file(fd).filter(|file| file.kind == Kind::Regular)?;
    let stat = descriptor::stat(file.kernel)?;
    let path = path::of_descriptor(file.kernel).ok()?;
    let is_same = |there: ::libc::stat| (there.st_dev, there.st_ino) == (stat.st_dev, stat.st_ino);
    if !path::on_disk(&path, false).is_ok_and(is_same) || stat.st_size > window::BYTES_MAX as i64 {
        return None;
    }
    Some(take_over(&path, &stat, false))
}

/// Notes that a file of the disk is mapped: it must stay as it is. If there are too many, all files
/// must.
pub fn note_disk_map(kernel: usize) {
    if let Some(stat) = descriptor::stat(kernel as i32) {
        note_map(&stat);
    }
}

fn note_map(stat: &::libc::stat) {
    let file = (stat.st_dev, stat.st_ino);
    overlay().change(|all| {
        let maps = &mut all.disk_maps;
        if maps.count < DISK_MAPS && !maps.files[..maps.count].contains(&file) {
            maps.files[maps.count] = file;
            maps.count += 1;
        }
    });
}

/// Notes a private mapping of a file that was mapped before the root, by the file's path.
pub fn note_mapped_path(path: &str) {
    if let Some(Ok(stat)) = Path::new(path.as_bytes()).map(|path| path::on_disk(&path, true)) {
        note_map(&stat);
    }
}

/// Files that were opened for writing before the root are taken over as they are then. What cannot be
/// taken over stays the disk's, and writing to it is refused.
pub fn at_root() {
    if !window::is_there() {
        return;
    }
    for fd in descriptor::open_for_writing() {
        let Some(stat) = descriptor::stat(fd as i32) else {
            continue;
        };
        let is_here = descriptor::file(fd).is_some_and(|file| file.kind == Kind::Regular);
        let Some(number) = is_here
            .then(|| make(Form::File, stat.st_mode & 0o7777))
            .flatten()
        else {
            continue;
        };
        comes_from(number, &stat);
        let filled = (stat.st_nlink <= 1)
            .then(|| fill(number, &path::link_of(fd as i32), stat.st_size as u64));
        if !matches!(filled, Some(Ok(()))) {
            release(number);
            continue;
        }
        let path = path::of_descriptor(fd as i32).ok().filter(|path| {
            let is_same =
                |there: ::libc::stat| (there.st_dev, there.st_ino) == inode(number).on_disk;
            path::on_disk(path, false).is_ok_and(is_same)
        });
        if let Some(path) = path {
            // Without a name it is a file that was removed.
            let _ = set(path.bytes(), Some(number));
        }
        descriptor::adopt(inode(number).on_disk, number);
    }
}
