//! `--commit-files`: writes to the disk what the reported execution did to files. That is the execution
//! whose output is shown: one with a finding, or else the first.
//!
//! On the engine's context. What is kept lies in the arena, so that a process that runs a single
//! execution leaves it to the one that reports.

use super::content;
use super::inode::{Form, TimesAndOwner};
use super::state::{inode, name};
use crate::scoped_cell::ScopedCell;
use crate::state::Kept;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::sys;

/// What shall be at a path.
struct AtPath {
    /// Path of the file, ending with a NUL.
    path: Vec<u8>,
    /// Number of the inode; `None`: nothing shall be at the path.
    number: Option<usize>,
    form: Form,
    mode: u32,
    bytes: Vec<u8>,
    /// Times and owner that the program gave a file.
    times_and_owner: Option<TimesAndOwner>,
}

static KEPT: Kept<AtomicPtr<Vec<AtPath>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Makes room for what is kept. At the root.
pub fn at_root() {
    KEPT.store(Box::into_raw(Box::default()), Ordering::Relaxed);
}

fn kept() -> ScopedCell<Vec<AtPath>> {
    // SAFETY: set at the root, and reached through this function only.
    unsafe { ScopedCell::at(KEPT.load(Ordering::Relaxed)) }
}

/// Keeps the files of the execution that has just ended, instead of those kept before.
pub fn keep() {
    kept().change(Vec::clear);
    for name in (0..).map_while(name) {
        let mut one = AtPath {
            path: name.path().iter().copied().chain([0]).collect(),
            number: name.number(),
            form: Form::File,
            mode: 0,
            bytes: Vec::new(),
            times_and_owner: None,
        };
        if let Some(number) = one.number {
            let inode = inode(number);
            (one.form, one.mode, one.times_and_owner) =
                (inode.form, inode.mode, Some(inode.times_and_owner));
            one.bytes = vec![0; inode.size as usize];
            let (to, room) = (one.bytes.as_mut_ptr() as usize, one.bytes.len());
            // SAFETY: as many bytes as there are.
            unsafe { content::read(number, 0, to, room) };
        }
        kept().change(|all| all.push(one));
    }
}

/// Writes what is kept to the disk: first what is removed, innermost first, then what is made, outermost
/// first.
///
/// # Errors
/// The first file that cannot be written or removed, in words.
pub fn write() -> Result<(), String> {
    if KEPT.load(Ordering::Relaxed).is_null() {
        return Ok(());
    }
    kept().change(|all| {
        all.sort_by_key(|kept| kept.path.len());
        write_all(all)
    })
}

fn write_all(all: &[AtPath]) -> Result<(), String> {
    let is_directory = |kept: &AtPath| kept.number.is_some() && kept.form == Form::Directory;
    for kept in all.iter().rev().filter(|kept| kept.number.is_none()) {
        told(kept, remove(&kept.path))?;
    }
    for kept in all.iter().filter(|kept| is_directory(kept)) {
        told(kept, make_directory(kept))?;
    }
    for (k, kept) in all.iter().enumerate() {
        if kept.number.is_some() && !is_directory(kept) {
            let other = all[..k].iter().find(|other| other.number == kept.number);
            told(kept, make(kept, other))?;
        }
    }
    Ok(())
}

fn told(kept: &AtPath, result: isize) -> Result<(), String> {
    if result >= 0 {
        return Ok(());
    }
    let path = String::from_utf8_lossy(&kept.path[..kept.path.len() - 1]);
    Err(format!(
        "{path} could not be written or removed (error {})",
        -result
    ))
}

const NOT_THERE: isize = -(::libc::ENOENT as isize);
const NOT_IN_DIRECTORY: isize = -(::libc::ENOTDIR as isize);
const IS_DIRECTORY: isize = -(::libc::EISDIR as isize);
const EXISTS: isize = -(::libc::EEXIST as isize);

fn call(number: i64, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: strings that end with a NUL, and descriptors of ours.
    unsafe { sys::call3(number, a, b, c) }
}

/// Removes whatever is at a path; −errno on failure.
fn remove(path: &[u8]) -> isize {
    let path = path.as_ptr() as usize;
    let result = match call(::libc::SYS_unlink, path, 0, 0) {
        IS_DIRECTORY => call(::libc::SYS_rmdir, path, 0, 0),
        result => result,
    };
    match result {
        NOT_THERE | NOT_IN_DIRECTORY => 0,
        result => result,
    }
}

fn make_directory(kept: &AtPath) -> isize {
    let path = kept.path.as_ptr() as usize;
    let mode = kept.mode as usize;
    match call(::libc::SYS_mkdir, path, mode, 0) {
        EXISTS => {
            // Something else, or a directory that was removed and made again.
            call(::libc::SYS_unlink, path, 0, 0);
            match call(::libc::SYS_mkdir, path, mode, 0) {
                EXISTS => 0,
                result => result,
            }
        }
        result => result,
    }
}

/// Makes or overwrites a file or a symbolic link; −errno on failure. `other`: the same inode, made before.
fn make(kept: &AtPath, other: Option<&AtPath>) -> isize {
    let path = kept.path.as_ptr() as usize;
    if let Some(other) = other {
        remove(&kept.path);
        return call(::libc::SYS_link, other.path.as_ptr() as usize, path, 0);
    }
    if kept.form == Form::Link {
        let mut target = kept.bytes.clone();
        target.push(0);
        remove(&kept.path);
        return call(::libc::SYS_symlink, target.as_ptr() as usize, path, 0);
    }
    // What is there may be a symbolic link or a directory, and shall be no more.
    let flags = ::libc::O_WRONLY
        | ::libc::O_CREAT
        | ::libc::O_TRUNC
        | ::libc::O_NOFOLLOW
        | ::libc::O_CLOEXEC;
    let open = || call(::libc::SYS_open, path, flags as usize, kept.mode as usize);
    let mut fd = open();
    if fd < 0 {
        remove(&kept.path);
        fd = open();
    }
    if fd < 0 {
        return fd;
    }
    sys::write_all(fd as i32, &kept.bytes);
    mark(fd as usize, kept);
    call(::libc::SYS_close, fd as usize, 0, 0)
}

/// Gives a file the owner, permissions and times that the program gave it.
fn mark(fd: usize, kept: &AtPath) {
    let marks = kept.times_and_owner.filter(|_| kept.form == Form::File);
    if let Some(marks) = marks.filter(|marks| marks.are_given.0) {
        let (user, group) = marks.owner;
        call(::libc::SYS_fchown, fd, user as usize, group as usize);
    }
    // A change of the owner takes permissions away.
    call(::libc::SYS_fchmod, fd, kept.mode as usize, 0);
    if let Some(marks) = marks.filter(|marks| marks.are_given.1) {
        let times = [marks.times[0], marks.times[1]]
            .map(|(tv_sec, tv_nsec)| ::libc::timespec { tv_sec, tv_nsec });
        call(::libc::SYS_utimensat, fd, 0, times.as_ptr() as usize);
    }
}
