//! What a file, a directory or a link is that differs from the disk.

use super::kernel::kernel;
use ::libc::stat;

/// What an inode is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Form {
    /// A regular file.
    File = 0,
    /// A directory. What is in it is told by the names.
    Directory,
    /// A symbolic link; its bytes are its target.
    Link,
}

/// A file, directory or symbolic link.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Inode {
    pub(super) is_used: bool,
    /// The sort of the inode: file, directory or link.
    pub form: Form,
    /// Whether the inode's bytes were copied for a private mapping, which does not see what
    /// changes.
    pub is_mapped_privately: bool,
    /// Number of open files of the inode.
    pub open: u16,
    /// Number of mappings of the inode, or of parts of some.
    pub maps: u16,
    /// Permission bits (`S_IRUSR` and so on).
    pub mode: u32,
    /// Bytes of the file, or of the link's target.
    pub size: u64,
    /// Address of its first byte in the program's memory, once it was mapped; or 0.
    pub home: usize,
    /// Device and number that it has on the disk; 0: it is not from there.
    pub on_disk: (u64, u64),
    /// Times and owner of the file.
    pub times_and_owner: TimesAndOwner,
}

/// A time since 1970, as seconds and nanoseconds.
pub type Time = (i64, i64);

/// What a file has besides its bytes and permissions.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TimesAndOwner {
    /// Numbers of the user and of the group.
    pub owner: (u32, u32),
    /// Times of the last access, modification and change, as far as a call or the disk told.
    pub times: [Time; 3],
    /// Whether the program gave the file an owner, and whether it gave it times.
    pub are_given: (bool, bool),
}

impl TimesAndOwner {
    /// Returns what a file has that the process makes.
    pub fn of_process() -> Self {
        let own = |call| kernel(call, [0; 4]) as u32;
        TimesAndOwner {
            owner: (own(::libc::SYS_geteuid), own(::libc::SYS_getegid)),
            times: [(0, 0); 3],
            are_given: (false, false),
        }
    }

    /// Returns what a file has on the disk, of which these are the attributes.
    pub fn on_disk(stat: &stat) -> Self {
        TimesAndOwner {
            owner: (stat.st_uid, stat.st_gid),
            times: [
                (stat.st_atime, stat.st_atime_nsec),
                (stat.st_mtime, stat.st_mtime_nsec),
                (stat.st_ctime, stat.st_ctime_nsec),
            ],
            are_given: (false, false),
        }
    }

    /// Into what `stat` tells.
    pub fn tell(&self, stat: &mut stat) {
        (stat.st_uid, stat.st_gid) = self.owner;
        (stat.st_atime, stat.st_atime_nsec) = self.times[0];
        (stat.st_mtime, stat.st_mtime_nsec) = self.times[1];
        (stat.st_ctime, stat.st_ctime_nsec) = self.times[2];
    }
}
