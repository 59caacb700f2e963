//! What the program does to files before its second thread.
//!
//! Until then it runs as itself, and nothing it does to the disk could be taken back. Under `dpor check` the
//! disk stays as it was, so the first call that makes, opens for writing, removes or renames a file is where
//! exploration begins: from there on files are in memory ([`super::overlay`]).
//!
//! A program that is run by itself is the plain program until its second thread.
//!
//! Deviation: only calls through libc are seen; a system call made by hand is the kernel's.

use crate::engine;
use crate::state::Kept;
use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::sys;

/// The process that is to be checked, while its files are watched; otherwise 0. A process that it
/// forks is another one.
static PROCESS: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Files are watched from here on.
pub fn watch() {
    PROCESS.store(process(), Ordering::Relaxed);
}

fn process() -> usize {
    // SAFETY: `getpid` takes no arguments and writes no memory.
    unsafe { sys::call3(::libc::SYS_getpid, 0, 0, 0) as usize }
}

/// Returns, before the root, whether a call of the table is about to change the disk.
pub fn changes_files(name: &str, arguments: &[usize; 6]) -> bool {
    if PROCESS.load(Ordering::Relaxed) == 0 || !is_checked() {
        return false;
    }
    let &[a, b, c, d, ..] = arguments;
    let here = ::libc::AT_FDCWD as usize;
    let writes = ::libc::O_WRONLY | ::libc::O_CREAT | ::libc::O_TRUNC;
    match name {
        "open" | "open64" => opens(here, a, b as i32),
        "openat" | "openat64" => opens(a, b, c as i32),
        "creat" | "creat64" => opens(here, a, writes),
        // SAFETY: the program passes a path and a mode.
        "fopen" | "fopen64" | "freopen" | "freopen64" => opens(here, a, unsafe { flags_of(b) }),
        "truncate" | "truncate64" => opens(here, a, ::libc::O_WRONLY),
        "unlink" | "remove" | "rmdir" | "rename" => format(here, a, false).is_some(),
        "unlinkat" | "renameat" | "renameat2" => format(a, b, false).is_some(),
        "mkdir" => format(here, a, false).is_none(),
        "mkdirat" => format(a, b, false).is_none(),
        "link" => format(here, b, false).is_none(),
        "linkat" => format(c, d, false).is_none(),
        "symlink" => format(here, b, false).is_none(),
        "symlinkat" => format(b, c, false).is_none(),
        "chmod" | "chown" | "utime" | "utimes" => is_file(format(here, a, true)),
        "lchown" => is_file(format(here, a, false)),
        "fchmod" | "fchown" | "futimens" | "futimes" => is_file(format_of_open(a)),
        "fchmodat" | "fchownat" | "utimensat" if b != 0 => is_file(format(a, b, true)),
        "utimensat" => is_file(format_of_open(a)),
        "mkstemp" | "mkstemp64" | "mkostemp" | "mkostemp64" | "mkstemps" | "mkostemps"
        | "mkdtemp" | "tmpfile" | "tmpfile64" | "shm_open" | "shm_unlink" | "memfd_create" => true,
        _ => false,
    }
}

/// Returns whether the running process is the one that `dpor check` checks, and has had one thread
/// so far.
pub fn is_checked() -> bool {
    engine::before_root() && is_watched()
}

fn is_watched() -> bool {
    PROCESS.load(Ordering::Relaxed) == process()
}

/// Flags of `fopen`'s mode.
///
/// # Safety
/// `mode` is a string, or null.
unsafe fn flags_of(mode: usize) -> i32 {
    if mode == 0 {
        return ::libc::O_RDONLY;
    }
    // SAFETY: `mode` is not 0 here, so it is the program's NUL-terminated string.
    let mode = unsafe { CStr::from_ptr(mode as *const c_char) }.to_bytes();
    match mode.first() {
        Some(b'w') => ::libc::O_WRONLY | ::libc::O_CREAT | ::libc::O_TRUNC,
        Some(b'a') => ::libc::O_WRONLY | ::libc::O_CREAT,
        _ if mode.contains(&b'+') => ::libc::O_RDWR,
        _ => ::libc::O_RDONLY,
    }
}

/// Returns whether opening a path with these flags changes the disk, or may do so later.
fn opens(directory: usize, path: usize, flags: i32) -> bool {
    if flags & ::libc::O_TMPFILE == ::libc::O_TMPFILE {
        return true;
    }
    let writes = flags & ::libc::O_ACCMODE != ::libc::O_RDONLY || flags & ::libc::O_TRUNC != 0;
    match format(directory, path, true) {
        None => flags & ::libc::O_CREAT != 0,
        // Devices and pipes are no part of the disk.
        Some(format) => writes && format == ::libc::S_IFREG,
    }
}

fn is_file(format: Option<u32>) -> bool {
    format == Some(::libc::S_IFREG)
}

/// Returns the format (`S_IFREG` and so on) of the file at a path, if there is one.
fn format(directory: usize, path: usize, follow: bool) -> Option<u32> {
    let flags = if follow {
        0
    } else {
        ::libc::AT_SYMLINK_NOFOLLOW
    };
    format_by(directory, path, flags)
}

/// Returns the format of the file that is open as a descriptor, if one is.
fn format_of_open(fd: usize) -> Option<u32> {
    format_by(fd, c"".as_ptr() as usize, ::libc::AT_EMPTY_PATH)
}

fn format_by(directory: usize, path: usize, flags: i32) -> Option<u32> {
    // SAFETY: the structure is plain numbers, for which zero is a value; the kernel fills it.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        let (to, flags) = (&raw mut stat as usize, flags as usize);
        let result = sys::call6(::libc::SYS_newfstatat, directory, path, to, flags, 0, 0);
        (result == 0).then_some(stat.st_mode & ::libc::S_IFMT)
    }
}
