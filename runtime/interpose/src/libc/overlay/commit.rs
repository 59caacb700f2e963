//! `--commit-files`: writes to the disk what the reported execution did to files. That is the execution
//! whose output is shown: one with a finding, or else the first.
//!
//! On the engine's context. What is kept lies in the arena, so that a process that runs a single
//! execution leaves it to the one that reports.

use super::{find, inode, overlay, Found};
use crate::sys;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A file as it shall be; without content, it shall be gone.
struct Kept {
    /// It ends with a NUL.
    path: Vec<u8>,
    file: Option<(u32, Vec<u8>)>,
}

static KEPT: AtomicPtr<Vec<Kept>> = AtomicPtr::new(ptr::null_mut());

/// There is something to keep what is kept. At the root.
pub fn at_root() {
    KEPT.store(Box::into_raw(Box::default()), Ordering::Relaxed);
}

fn kept() -> &'static mut Vec<Kept> {
    // SAFETY: set at the root; one OS thread runs, and no reference outlives a call of this file.
    unsafe { &mut *KEPT.load(Ordering::Relaxed) }
}

/// Keeps the files of the execution that has just ended, instead of those kept before.
pub fn keep() {
    kept().clear();
    let names = &overlay().names[..usize::from(overlay().count)];
    for name in names {
        let path = &name.path[..usize::from(name.length)];
        let file = match find(path) {
            Found::Inode(number) => {
                let inode = inode(number);
                let mut bytes = vec![0; inode.content.size as usize];
                // SAFETY: as many bytes as there are.
                unsafe {
                    inode
                        .content
                        .read(0, bytes.as_mut_ptr() as usize, bytes.len())
                };
                Some((inode.mode, bytes))
            }
            Found::Disk | Found::Removed => None,
        };
        kept().push(Kept {
            path: path.iter().copied().chain([0]).collect(),
            file,
        });
    }
}

/// Writes what is kept to the disk.
///
/// # Errors
/// The first file that cannot be written or removed, in words.
pub fn write() -> Result<(), String> {
    if KEPT.load(Ordering::Relaxed).is_null() {
        return Ok(());
    }
    for kept in kept().iter() {
        let path = kept.path.as_ptr() as usize;
        let result = match &kept.file {
            // SAFETY: a string that ends with a NUL.
            None => match unsafe { sys::call3(::libc::SYS_unlink, path, 0, 0) } {
                NOT_THERE => 0,
                result => result,
            },
            Some((mode, bytes)) => make(path, *mode, bytes),
        };
        if result < 0 {
            let path = String::from_utf8_lossy(&kept.path[..kept.path.len() - 1]);
            return Err(format!(
                "{path} could not be written or removed (error {})",
                -result
            ));
        }
    }
    Ok(())
}

const NOT_THERE: isize = -(::libc::ENOENT as isize);

/// Makes or overwrites a file; −errno on failure.
fn make(path: usize, mode: u32, bytes: &[u8]) -> isize {
    let flags = ::libc::O_WRONLY | ::libc::O_CREAT | ::libc::O_TRUNC | ::libc::O_CLOEXEC;
    // SAFETY: a string that ends with a NUL, and a descriptor of ours.
    unsafe {
        let fd = sys::call3(::libc::SYS_open, path, flags as usize, mode as usize);
        if fd < 0 {
            return fd;
        }
        sys::write_all(fd as i32, bytes);
        sys::call3(::libc::SYS_close, fd as usize, 0, 0)
    }
}
