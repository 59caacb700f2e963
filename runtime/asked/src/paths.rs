//! Which arguments of a system call are paths.

/// A path among the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathArgument {
    /// Index of the argument with the folder that a relative path begins at; `None`: the working directory.
    pub folder: Option<usize>,
    /// Index of the argument with the address of the path.
    pub path: usize,
}

const fn here(path: usize) -> PathArgument {
    PathArgument { folder: None, path }
}

const fn at(folder: usize) -> PathArgument {
    PathArgument {
        folder: Some(folder),
        path: folder + 1,
    }
}

/// The paths that a system call names, and on which nothing else of its result depends; `None`: another call.
///
/// `openat2` is another one: its third argument may say that an absolute path begins at the folder.
pub fn of(call: libc::c_long) -> Option<&'static [PathArgument]> {
    const FIRST: &[PathArgument] = &[here(0)];
    const FIRST_TWO: &[PathArgument] = &[here(0), here(1)];
    const AT_FIRST: &[PathArgument] = &[at(0)];
    const AT_BOTH: &[PathArgument] = &[at(0), at(2)];
    const SECOND: &[PathArgument] = &[here(1)];
    const AT_SECOND: &[PathArgument] = &[at(1)];
    Some(match call {
        libc::SYS_open
        | libc::SYS_creat
        | libc::SYS_stat
        | libc::SYS_lstat
        | libc::SYS_access
        | libc::SYS_readlink
        | libc::SYS_chdir
        | libc::SYS_truncate
        | libc::SYS_chmod
        | libc::SYS_chown
        | libc::SYS_lchown
        | libc::SYS_mkdir
        | libc::SYS_rmdir
        | libc::SYS_unlink
        | libc::SYS_utime
        | libc::SYS_utimes => FIRST,
        libc::SYS_link | libc::SYS_rename => FIRST_TWO,
        libc::SYS_symlink => SECOND,
        libc::SYS_openat
        | libc::SYS_newfstatat
        | libc::SYS_statx
        | libc::SYS_faccessat
        | libc::SYS_faccessat2
        | libc::SYS_readlinkat
        | libc::SYS_mkdirat
        | libc::SYS_unlinkat
        | libc::SYS_mknodat
        | libc::SYS_fchmodat
        | libc::SYS_fchownat
        | libc::SYS_futimesat
        | libc::SYS_utimensat => AT_FIRST,
        libc::SYS_renameat | libc::SYS_renameat2 | libc::SYS_linkat => AT_BOTH,
        libc::SYS_symlinkat => AT_SECOND,
        _ => return None,
    })
}
