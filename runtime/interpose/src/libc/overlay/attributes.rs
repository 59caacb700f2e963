//! What is told about files: `stat`, `access` and their like.

use super::error;
use super::inode::{Form, Time};
use super::path::{resolve, Path, What};
use super::permitted::is_permitted;
use super::state::{held, inode, names_of};
use super::times_and_owners::{at_descriptor, at_path, By};
use crate::libc::opaque;
use crate::libc::syscalls::touch;
use crate::libc::syscalls::SyscallOutcome::{self, Value};

/// Returns where a path leads, for calls that tell about files: the inode, or `None` for what the
/// disk has at this path.
pub fn look(at: usize, name: &[u8], follow: bool) -> Result<(Option<usize>, Path), SyscallOutcome> {
    let place = resolve(at, name, follow)?;
    match place.what {
        What::Nothing => Err(error(::libc::ENOENT)),
        What::Inode(number) => Ok((Some(number), place.path)),
        What::Disk(_) => Ok((None, place.path)),
    }
}

/// `access` of an inode.
pub fn access(number: usize, wanted: i32) -> SyscallOutcome {
    match is_permitted(number, wanted) {
        true => Value(0),
        false => error(::libc::EACCES),
    }
}

fn mode(number: usize) -> u32 {
    let format = match inode(number).form {
        Form::File => ::libc::S_IFREG,
        Form::Directory => ::libc::S_IFDIR,
        Form::Link => ::libc::S_IFLNK,
    };
    format | inode(number).mode
}

fn stat_of(number: usize) -> ::libc::stat {
    let inode = inode(number);
    // SAFETY: the structure is plain numbers, for which zero is a value.
    let mut stat: ::libc::stat = unsafe { core::mem::zeroed() };
    stat.st_mode = mode(number);
    let more = u64::from(inode.form == Form::Directory && names_of(number) > 0);
    stat.st_nlink = names_of(number) as u64 + more;
    stat.st_size = inode.size as i64;
    stat.st_blksize = 4096;
    stat.st_blocks = (stat.st_size + 511) / 512;
    (stat.st_dev, stat.st_ino) = match inode.on_disk {
        (0, 0) => (0, (1 << 48) + number as u64),
        known => known,
    };
    inode.times_and_owner.tell(&mut stat);
    stat
}

/// `stat` of an inode.
///
/// # Safety
/// `to` is writable for a `stat` of the program's.
pub unsafe fn stat(number: usize, to: usize) -> SyscallOutcome {
    touch(to, size_of::<::libc::stat>());
    // SAFETY: `to` is writable for a `stat`, as this function's caller guarantees; a fault is
    // EFAULT.
    unsafe { (to as *mut ::libc::stat).write(stat_of(number)) };
    Value(0)
}

fn told_time((seconds, nanoseconds): Time) -> ::libc::statx_timestamp {
    // SAFETY: the structure is plain numbers, for which zero is a value.
    let mut told: ::libc::statx_timestamp = unsafe { core::mem::zeroed() };
    (told.tv_sec, told.tv_nsec) = (seconds, nanoseconds as u32);
    told
}

/// `statx` of an inode: what `stat` tells.
///
/// # Safety
/// `to` is writable for a `statx` of the program's.
pub unsafe fn statx(number: usize, to: usize) -> SyscallOutcome {
    let stat = stat_of(number);
    touch(to, size_of::<::libc::statx>());
    // SAFETY: the structure is plain numbers, for which zero is a value; `to` is writable for one,
    // as this function's caller guarantees.
    unsafe {
        let mut told: ::libc::statx = core::mem::zeroed();
        told.stx_mask = ::libc::STATX_BASIC_STATS;
        told.stx_blksize = stat.st_blksize as u32;
        told.stx_nlink = stat.st_nlink as u32;
        told.stx_uid = stat.st_uid;
        told.stx_gid = stat.st_gid;
        told.stx_mode = stat.st_mode as u16;
        told.stx_ino = stat.st_ino;
        told.stx_size = stat.st_size as u64;
        told.stx_blocks = stat.st_blocks as u64;
        told.stx_atime = told_time(inode(number).times_and_owner.times[0]);
        told.stx_mtime = told_time(inode(number).times_and_owner.times[1]);
        told.stx_ctime = told_time(inode(number).times_and_owner.times[2]);
        told.stx_dev_major = ::libc::major(stat.st_dev);
        told.stx_dev_minor = ::libc::minor(stat.st_dev);
        (to as *mut ::libc::statx).write(told);
    }
    Value(0)
}

/// `fchmodat`.
pub fn change_mode(at: usize, name: &[u8], mode: u32) -> Result<(), SyscallOutcome> {
    let number = at_path(at, name, true, By::Owner, "changing the permissions")?;
    opaque::files_change();
    held(number).change(|inode| inode.mode = mode & 0o7777);
    Ok(())
}

/// `fchmod`.
pub fn change_mode_of_open(fd: usize, mode: u32) -> Option<SyscallOutcome> {
    Some(match at_descriptor(fd, By::Owner)? {
        Err(outcome) => outcome,
        Ok(number) => {
            opaque::files_change();
            held(number).change(|inode| inode.mode = mode & 0o7777);
            Value(0)
        }
    })
}
