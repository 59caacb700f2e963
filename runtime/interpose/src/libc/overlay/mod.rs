//! Files that the program writes, creates, renames or removes while it is explored.
//!
//! They are kept here, in memory that goes back in time, and the disk stays as it is. A *name* is the
//! canonical path of something that differs from the disk: it stands for an *inode* (a file, a directory
//! or a symbolic link), or for nothing (removed). What has no name here is as on the disk.
//!
//! | part | what |
//! |---|---|
//! | [`state`], [`mod@inode`] | what differs from the disk |
//! | [`inodes`] | how inodes and names come and go |
//! | [`window`], [`content`] | the bytes of files |
//! | [`home`], [`mapped`] | shared mappings of files |
//! | [`path`] | canonical paths |
//! | [`open`] | opening files |
//! | [`mod@names`], [`mod@rename`] | making, removing and renaming what has a path |
//! | [`transfer`] | reading and writing |
//! | [`permitted`] | what the process may do with them |
//! | [`attributes`] | what is told about files |
//! | [`times_and_owners`] | times and owners |
//! | [`list`] | listing directories |
//! | [`locks`], [`lock_levels`] | `flock` |
//! | [`ranges`], [`locked_ranges`] | locks of ranges of bytes |
//! | [`lock_owners`] | who may have locks besides |
//! | [`commit`] | `--commit-files` |
//!
//! *Events.* As soon as a program changes files, calls with a path conflict with everything
//! ([`super::opaque::files_change`]; the search begins anew when that is learnt), and so does mapping
//! memory. A descriptor of an inode is an object of its own for each inode, however often it is open.
//!
//! Deviations: at most [`INODES`] files of at most 64 MiB; time stamps are the
//! disk's, or 0, until a call sets them; a file on the disk with
//! several hard links is not written to, and directories of the disk are not renamed.

pub mod attributes;
pub mod commit;
pub mod content;
mod home;
mod inode;
mod inodes;
mod kernel;
pub mod list;
pub mod lock_levels;
pub mod lock_owners;
pub mod locked_ranges;
pub mod locks;
pub mod mapped;
pub mod names;
pub mod open;
pub mod path;
mod permitted;
pub mod ranges;
pub mod rename;
mod state;
pub mod times_and_owners;
pub mod transfer;
pub mod window;

use super::syscalls::error;
pub use home::is_mapped_for_writing;
pub use inode::{Form, Inode};
pub use inodes::{closed, make_unnamed};
pub use permitted::is_permitted;
pub use state::{held, inode, is_any_mapped_privately, is_empty, State, INODES, PATH_MAX};
