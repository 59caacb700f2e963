//! What a descriptor and an open file are, as the table has them.

use crate::libc::{channel, overlay};

/// The sort of thing that is behind a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// Nothing: a free entry. (The state is all-zero at first.)
    Free = 0,
    /// Descriptor 1 or 2 of the start: what is written there is captured.
    Output,
    /// Descriptor 0 of the start.
    Input,
    /// A regular file, for reading.
    Regular,
    /// A directory of the disk.
    Directory,
    /// `/dev/null` and `/dev/zero`.
    Null,
    /// `/dev/random` and `/dev/urandom`.
    Random,
    /// Opened before the root, and none of these.
    Other,
    /// An end of a pipe, socket pair or event counter ([`channel`]).
    Channel,
    /// Returns whether a set of `epoll` was opened.
    Epoll,
    /// A file of the overlay ([`overlay`]).
    Stored,
}

/// What an open file excludes others from (`flock`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Lock {
    /// The open file has no lock.
    None = 0,
    /// A shared lock, which excludes an exclusive one.
    Shared,
    /// An exclusive lock, which excludes any other.
    Exclusive,
}

/// One open file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct File {
    /// The sort of the file; [`Kind::Free`]: the entry is unused.
    pub kind: Kind,
    /// Number of descriptors that name the file.
    pub(super) users: u32,
    /// The kernel's descriptor. A channel: twice its number, and the end. A set of `epoll`, a
    /// file of the overlay: its number.
    pub kernel: i32,
    /// Status flags and access mode, of channels, files of the overlay, and what is captured.
    pub flags: u32,
    /// The lock that the open file has, if it is one of the overlay.
    pub lock: Lock,
    /// Position of the next read or write, in bytes.
    pub offset: i64,
}

/// One opening of a descriptor: number of the file plus 1 (0: none), the end of a channel that it
/// is, and which opening of the descriptor it is (modulo 65,536).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Opening {
    pub(super) file: u8,
    /// 1 + twice the channel's number + the end; 0: none; [`INODE`] and above; [`EPOLL`].
    pub(super) channel: u8,
    pub(super) serial: u16,
}

pub(super) const NOTHING: Opening = Opening {
    file: 0,
    channel: 0,
    serial: 0,
};

/// Value of [`Opening::channel`]: a set of `epoll`.
pub(super) const EPOLL: u8 = u8::MAX;

/// Value of [`Opening::channel`] for inode 0 of the overlay; the others follow.
pub(super) const INODE: u8 = 1 + 2 * channel::CHANNELS as u8;

const _: () = assert!(INODE as usize + overlay::INODES < EPOLL as usize);

impl Opening {
    /// Returns the channel and the end of it that was opened, if it was one.
    pub fn channel_end(self) -> Option<(usize, usize)> {
        let code = usize::from(self.channel).checked_sub(1)?;
        (self.channel < INODE).then_some((code / 2, code % 2))
    }

    /// Returns the number of the file of the overlay that was opened, if it was one.
    pub fn inode(self) -> Option<usize> {
        let is_inode = (INODE..EPOLL).contains(&self.channel);
        is_inode.then(|| usize::from(self.channel - INODE))
    }

    /// Returns whether a set of `epoll` was opened.
    pub fn is_epoll(self) -> bool {
        self.channel == EPOLL
    }
}

/// Returns what [`Opening`] tells of an open file.
pub(super) fn code_of(file: &File) -> u8 {
    match file.kind {
        Kind::Channel => file.kernel as u8 + 1,
        Kind::Epoll => EPOLL,
        Kind::Stored => INODE + file.kernel as u8,
        _ => 0,
    }
}
