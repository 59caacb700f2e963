//! What the process may do with files.

use super::error;
use super::inode::Form;
use super::kernel::kernel;
use super::path::Path;
use super::state::{find, inode, Found};
use crate::libc::syscalls::SyscallOutcome::{self, Value};

/// Returns whether the process may access an inode so (`R_OK` and so on).
pub fn is_permitted(number: usize, wanted: i32) -> bool {
    let inode = inode(number);
    let is_root = kernel(::libc::SYS_geteuid, [0; 4]) == 0;
    let executes = wanted & ::libc::X_OK != 0 && inode.form == Form::File;
    match is_root {
        true => !executes || inode.mode & 0o111 != 0,
        // What is made here is the process's own, and what is taken over may be written by it.
        false => wanted as u32 & !(inode.mode >> 6) & 7 == 0,
    }
}

/// Returns whether the disk allows this access to the process.
pub fn permitted_on_disk(path: &Path, wanted: i32) -> Result<(), SyscallOutcome> {
    let here = ::libc::AT_FDCWD as usize;
    let args = [here, path.address(), wanted as usize, 0];
    match kernel(::libc::SYS_faccessat, args) {
        0 => Ok(()),
        errno => Err(Value(errno)),
    }
}

/// Returns whether names in the directory that a path lies in may be made and removed.
pub fn may_change(path: &Path) -> Result<(), SyscallOutcome> {
    let directory = path.parent();
    let wanted = ::libc::W_OK | ::libc::X_OK;
    match find(directory.bytes()) {
        Found::Inode(number) if is_permitted(number, wanted) => Ok(()),
        Found::Inode(_) => Err(error(::libc::EACCES)),
        Found::Removed => Err(error(::libc::ENOENT)),
        Found::Disk => permitted_on_disk(&directory, wanted),
    }
}
