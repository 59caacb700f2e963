//! Files that the program writes, creates, renames or removes while it is explored.
//!
//! They are kept here, in the rolled-back world, and the disk stays as it is. A *name* is the canonical
//! path of a file that differs from the disk: it stands for an *inode*, or for nothing (removed). What
//! has no name here is as on the disk.
//!
//! | part | what |
//! |---|---|
//! | [`content`] | the bytes of inodes |
//! | [`path`] | canonical paths |
//! | [`call`] | the system calls |
//! | [`commit`] | `--commit-files` |
//!
//! *Events.* As soon as a program changes files, calls with a path conflict with everything
//! ([`super::opaque::files_change`]; the search begins anew when that is learnt). A descriptor of an inode
//! is an object of its own for each inode, however often it is open.
//!
//! Deviations: at most [`INODES`] files of at most 1 MiB; time stamps are 0; a file on the disk with
//! several hard links is not written to, and directories are neither made nor removed.

pub mod call;
pub mod commit;
pub mod content;
mod path;

use super::state;
use content::{Content, Pool};

/// Files at once.
pub const INODES: usize = 64;
/// Names at once, removed ones included.
const NAMES: usize = 96;
/// Bytes of a canonical path, at most.
pub const PATH_MAX: usize = 250;

/// A path that is not as on the disk.
#[derive(Clone, Copy)]
#[repr(C)]
struct Name {
    length: u16,
    /// Number of the inode + 1; 0: removed.
    inode: u8,
    path: [u8; PATH_MAX],
}

/// A file.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Inode {
    is_used: bool,
    /// Open files.
    pub open: u16,
    /// Permissions.
    pub mode: u32,
    /// Its bytes.
    pub content: Content,
}

/// Rolled-back part.
#[repr(C)]
pub struct State {
    count: u16,
    names: [Name; NAMES],
    inodes: [Inode; INODES],
    pool: Pool,
}

fn overlay() -> &'static mut State {
    // SAFETY: our state; one OS thread runs, and no reference is held across an event.
    unsafe { &mut (*state()).overlay }
}

/// A file by its number.
pub fn inode(number: usize) -> &'static mut Inode {
    &mut overlay().inodes[number]
}

/// Whether anything differs from the disk.
pub fn is_empty() -> bool {
    overlay().count == 0
}

/// What stands at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// What the disk has.
    Disk,
    /// Nothing.
    Removed,
    /// This inode.
    Inode(usize),
}

/// What is at a canonical path.
fn find(path: &[u8]) -> Found {
    let overlay = overlay();
    let mut names = overlay.names[..usize::from(overlay.count)].iter();
    match names.find(|name| &name.path[..usize::from(name.length)] == path) {
        None => Found::Disk,
        Some(Name { inode: 0, .. }) => Found::Removed,
        Some(name) => Found::Inode(usize::from(name.inode) - 1),
    }
}

/// Puts an inode, or nothing, at a path. False: there are too many names.
#[must_use]
fn set(path: &[u8], number: Option<usize>) -> bool {
    if path.len() > PATH_MAX {
        return false;
    }
    let overlay = overlay();
    let count = usize::from(overlay.count);
    let known = overlay.names[..count]
        .iter()
        .position(|name| &name.path[..usize::from(name.length)] == path);
    let at = known.unwrap_or(count);
    if at == NAMES {
        return false;
    }
    overlay.count = overlay.count.max(at as u16 + 1);
    let before = core::mem::replace(
        &mut overlay.names[at].inode,
        number.map_or(0, |number| number as u8 + 1),
    );
    overlay.names[at].length = path.len() as u16;
    overlay.names[at].path[..path.len()].copy_from_slice(path);
    if known.is_some() && before > 0 {
        release(usize::from(before) - 1);
    }
    true
}

/// A new, empty inode.
fn make(mode: u32) -> Option<usize> {
    let number = overlay().inodes.iter().position(|inode| !inode.is_used)?;
    let inode = inode(number);
    inode.is_used = true;
    inode.open = 0;
    inode.mode = mode;
    inode.content.begin();
    Some(number)
}

/// Whether an inode has a name.
fn is_named(number: usize) -> bool {
    let overlay = overlay();
    let mut names = overlay.names[..usize::from(overlay.count)].iter();
    names.any(|name| usize::from(name.inode) == number + 1)
}

/// An inode without name and open files is no more.
fn release(number: usize) {
    let inode = inode(number);
    if !is_named(number) && inode.open == 0 {
        inode.content.cut(0);
        inode.is_used = false;
    }
}

/// Whether a name of ours lies in this directory.
fn touches_directory(directory: &[u8]) -> bool {
    let overlay = overlay();
    let mut names = overlay.names[..usize::from(overlay.count)].iter();
    names.any(|name| path::parent(&name.path[..usize::from(name.length)]) == directory)
}
