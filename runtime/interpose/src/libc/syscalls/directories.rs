//! Directories that calls have a descriptor of.

use crate::libc::descriptor::{self, File, Kind};
use crate::libc::overlay;

/// Returns the kernel's number of a directory argument; `None` if it is not open.
pub(super) fn directory(fd: usize) -> Option<usize> {
    if fd as i32 == ::libc::AT_FDCWD {
        return Some(fd);
    }
    descriptor::file(fd).map(|file| file.kernel as usize)
}

/// Returns whether an open file is a directory, of the disk or one that differs from it.
pub(super) fn is_directory(file: &File) -> bool {
    let is_ours = || overlay::inode(file.kernel as usize).form == overlay::Form::Directory;
    file.kind == Kind::Directory || file.kind == Kind::Stored && is_ours()
}
