//! What the program does to files before its second thread.
//!
//! Until then it runs as itself, and nothing it does to the disk can be taken back. Under `dpor check`
//! the disk stays as it was, so a call that would overwrite, remove or rename a file that was there
//! before ends the check as unsupported *before* it happens. Files that the program makes itself are
//! its own: it may write and remove them, and a note says that they stay.
//!
//! A program that is run by itself is not held up: it is the plain program.
//!
//! Deviation: only calls through libc are seen; a system call made by hand is the kernel's.

use crate::{engine, start, sys};
use core::cell::UnsafeCell;
use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Paths that the program made, as it named them: its working directory, then the path.
struct Made(UnsafeCell<Vec<Vec<u8>>>);

// SAFETY: the process has one thread before the root, and the list is not used later.
unsafe impl Sync for Made {}

static MADE: Made = Made(UnsafeCell::new(Vec::new()));

/// The process that is to be checked, while its files are watched; otherwise 0. A process that it
/// forks is another one.
static PROCESS: AtomicUsize = AtomicUsize::new(0);

/// Files are watched from here on.
pub fn watch() {
    PROCESS.store(process(), Ordering::Relaxed);
}

fn process() -> usize {
    // SAFETY: asks only.
    unsafe { sys::call3(::libc::SYS_getpid, 0, 0, 0) as usize }
}

/// What a call does to a path.
enum Change {
    /// Opens it with these flags.
    Open(i32),
    /// Takes the name away, or what it stands for.
    Remove,
    /// Makes a file with a name like this one, whose last `X`es become other letters.
    Make,
}

/// A call of the table, before the root: ends the check if it would damage a file.
pub fn announce(name: &str, arguments: &[usize; 6]) {
    if PROCESS.load(Ordering::Relaxed) == 0 || !engine::before_root() {
        return;
    }
    let &[a, b, c, d, ..] = arguments;
    let here = ::libc::AT_FDCWD as usize;
    let writes = ::libc::O_WRONLY | ::libc::O_CREAT | ::libc::O_TRUNC;
    match name {
        "open" | "open64" => check(here, a, Change::Open(b as i32)),
        "openat" | "openat64" => check(a, b, Change::Open(c as i32)),
        "creat" | "creat64" => check(here, a, Change::Open(writes)),
        // SAFETY: the program passes a path and a mode.
        "fopen" | "fopen64" | "freopen" | "freopen64" => unsafe {
            check(here, a, Change::Open(flags_of(b)));
        },
        "truncate" | "truncate64" => check(here, a, Change::Open(::libc::O_WRONLY)),
        "unlink" | "remove" | "rmdir" => check(here, a, Change::Remove),
        "unlinkat" => check(a, b, Change::Remove),
        "rename" => {
            check(here, a, Change::Remove);
            check(here, b, Change::Open(writes));
        }
        "renameat" | "renameat2" => {
            check(a, b, Change::Remove);
            check(c, d, Change::Open(writes));
        }
        "mkstemp" | "mkstemp64" | "mkostemp" | "mkostemp64" | "mkstemps" | "mkostemps"
        | "mkdtemp" => check(here, a, Change::Make),
        "mkdir" => check(here, a, Change::Open(::libc::O_CREAT)),
        _ => {}
    }
}

/// Whether the running process is the one that `dpor check` checks, and has had one thread so far.
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
    // SAFETY: the caller's.
    let mode = unsafe { CStr::from_ptr(mode as *const c_char) }.to_bytes();
    match mode.first() {
        Some(b'w') => ::libc::O_WRONLY | ::libc::O_CREAT | ::libc::O_TRUNC,
        Some(b'a') => ::libc::O_WRONLY | ::libc::O_CREAT,
        _ if mode.contains(&b'+') => ::libc::O_RDWR,
        _ => ::libc::O_RDONLY,
    }
}

fn check(directory: usize, path: usize, change: Change) {
    if path == 0 || !is_watched() {
        return;
    }
    // SAFETY: the program passes a path.
    let name = unsafe { CStr::from_ptr(path as *const c_char) };
    let full = full(directory, name.to_bytes());
    // SAFETY: one thread, and no reference outlives this call.
    let made = unsafe { &mut *MADE.0.get() };
    let flags = match change {
        Change::Open(flags) => flags,
        Change::Remove => ::libc::O_WRONLY,
        Change::Make => return make(made, full),
    };
    let changes = flags & ::libc::O_ACCMODE != ::libc::O_RDONLY || flags & ::libc::O_TRUNC != 0;
    if !exists(directory, path) {
        if flags & ::libc::O_CREAT != 0 {
            make(made, full);
        }
        return;
    }
    let is_own = made.iter().any(|pattern| is_like(pattern, &full));
    let is_exclusive = flags & ::libc::O_EXCL != 0 && flags & ::libc::O_CREAT != 0;
    if changes && !is_own && !is_exclusive && is_file(directory, path) {
        let what = match change {
            Change::Remove => "removing or renaming",
            _ => "opening for writing",
        };
        engine::begin();
        engine::unsupported(&format!(
            "{what} a file before the second thread: {}",
            name.to_string_lossy()
        ));
    }
}

/// The path of the program's working directory or `directory`, and the name.
fn full(directory: usize, name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    let link = match directory as i32 {
        ::libc::AT_FDCWD => "/proc/self/cwd\0".to_owned(),
        fd => format!("/proc/self/fd/{fd}\0"),
    };
    let mut path = vec![0u8; ::libc::PATH_MAX as usize];
    let to = path.as_mut_ptr() as usize;
    // SAFETY: at most as many bytes as there are.
    let length =
        unsafe { sys::call3(::libc::SYS_readlink, link.as_ptr() as usize, to, path.len()) };
    path.truncate(length.max(0) as usize);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

fn stat(directory: usize, path: usize) -> Option<::libc::stat> {
    // SAFETY: plain data, which the kernel fills.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        let to = &raw mut stat as usize;
        let result = sys::call6(::libc::SYS_newfstatat, directory, path, to, 0, 0, 0);
        (result == 0).then_some(stat)
    }
}

fn exists(directory: usize, path: usize) -> bool {
    stat(directory, path).is_some()
}

/// Devices and pipes are no part of the disk.
fn is_file(directory: usize, path: usize) -> bool {
    stat(directory, path).is_some_and(|stat| {
        matches!(
            stat.st_mode & ::libc::S_IFMT,
            ::libc::S_IFREG | ::libc::S_IFDIR
        )
    })
}

fn make(made: &mut Vec<Vec<u8>>, path: Vec<u8>) {
    if made.contains(&path) {
        return;
    }
    start::note(&format!(
        "before its second thread the program made {}, which stays",
        String::from_utf8_lossy(&path)
    ));
    made.push(path);
}

/// Whether a path is this one, or one that `mkstemp` made of it.
fn is_like(pattern: &[u8], path: &[u8]) -> bool {
    let letter = |(&of, &is): (&u8, &u8)| of == is || of == b'X' && is.is_ascii_alphanumeric();
    pattern.len() == path.len() && pattern.iter().zip(path).all(letter)
}
