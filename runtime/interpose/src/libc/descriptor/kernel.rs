//! What the kernel says of descriptors of its own.

use super::file::Kind;
use dpor_machine::sys;

/// Kernel descriptors that are looked at after a fork: more than a program opens here (the table of open files).
const KERNEL_DESCRIPTORS: usize = 1024;

/// Gives this process, which was just forked, directories with positions of their own: the kernel knows no
/// way to read one at a given position, and an open file that is inherited is shared with the parent. False
/// if the kernel does not allow it.
pub fn reopen_directories() -> bool {
    (0..KERNEL_DESCRIPTORS as i32).all(|fd| {
        let format = stat(fd).map_or(0, |stat| stat.st_mode & ::libc::S_IFMT);
        if format != ::libc::S_IFDIR {
            return true;
        }
        let path = format!("/proc/self/fd/{fd}\0");
        let flags = (::libc::O_RDONLY | ::libc::O_DIRECTORY | ::libc::O_CLOEXEC) as usize;
        let (at, path) = (::libc::AT_FDCWD as usize, path.as_ptr() as usize);
        // SAFETY: the path ends with a zero; the descriptors are the runtime's.
        unsafe {
            let new = sys::call6(::libc::SYS_openat, at, path, flags, 0, 0, 0);
            if new < 0 {
                return false;
            }
            let moved = sys::call3(::libc::SYS_dup3, new as usize, fd as usize, 0);
            sys::call3(::libc::SYS_close, new as usize, 0, 0);
            moved >= 0
        }
    })
}

pub(super) fn kernel_offset(fd: i32) -> i64 {
    // SAFETY: a seek by 0 from where the file stands takes no pointer and changes nothing.
    (unsafe { sys::call3(::libc::SYS_lseek, fd as usize, 0, ::libc::SEEK_CUR as usize) }) as i64
}

/// Returns whether two kernel descriptors share an offset. Where the kernel does not tell: whether
/// they are the same file, which is true more often.
pub(super) fn same_file(one: i32, other: i32) -> bool {
    if let Some(same) = compared(one, other) {
        return same;
    }
    match (stat(one), stat(other)) {
        (Some(one), Some(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}

/// Returns whether two kernel descriptors are the same open file; `None`: the kernel does not tell.
fn compared(one: i32, other: i32) -> Option<bool> {
    const KCMP_FILE: usize = 0;
    // SAFETY: these system calls take no pointers and change nothing.
    unsafe {
        let me = sys::call3(::libc::SYS_getpid, 0, 0, 0) as usize;
        let (one, other) = (one as usize, other as usize);
        let result = sys::call6(::libc::SYS_kcmp, me, me, KCMP_FILE, one, other, 0);
        (result >= 0).then_some(result == 0)
    }
}

/// Returns what the kernel says of a descriptor of its own.
pub fn stat(fd: i32) -> Option<::libc::stat> {
    // SAFETY: the structure is plain numbers, for which zero is a value; the kernel fills it.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        let result = sys::call3(::libc::SYS_fstat, fd as usize, &raw mut stat as usize, 0);
        (result == 0).then_some(stat)
    }
}

/// Returns what a kernel descriptor is, if the program may have it open for reading.
pub(super) fn kind_of(fd: i32) -> Option<Kind> {
    kind_of_stat(&stat(fd)?)
}

/// Returns the sort of a file with these attributes; `None`: a pipe, a socket, or a device that is
/// not known.
pub fn kind_of_stat(stat: &::libc::stat) -> Option<Kind> {
    let device = (::libc::major(stat.st_rdev), ::libc::minor(stat.st_rdev));
    match (stat.st_mode & ::libc::S_IFMT, device) {
        (::libc::S_IFREG, _) => Some(Kind::Regular),
        (::libc::S_IFDIR, _) => Some(Kind::Directory),
        (::libc::S_IFCHR, (1, 3 | 5)) => Some(Kind::Null),
        (::libc::S_IFCHR, (1, 8 | 9)) => Some(Kind::Random),
        _ => None,
    }
}

pub(super) fn status_flags(kernel: usize) -> isize {
    // SAFETY: the command takes no pointer: the kernel only reads its table.
    unsafe { sys::call3(::libc::SYS_fcntl, kernel, ::libc::F_GETFL as usize, 0) }
}

/// Returns whether two kernel descriptors are the same open file, if the kernel tells.
pub fn is_same_file(one: i32, other: i32) -> bool {
    compared(one, other) == Some(true)
}
