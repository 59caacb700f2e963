//! What differs from the disk: inodes and their names, in the world, which a rollback takes back.

use super::inode::Inode;
use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back};

/// Number of inodes at once, at most.
pub const INODES: usize = 64;
/// Names at once, removed ones included.
pub(super) const NAMES: usize = 192;
/// Bytes of a canonical path, at most.
pub const PATH_MAX: usize = 250;

/// The message of a program that has more of them.
pub(super) const FILES_MAX: &str =
    "more than 64 files or 192 names that differ from the disk, or a path of more than 250 bytes";
/// The message of a program that writes a larger file.
pub(super) const BYTES_MAX: &str = "a file of more than 64 MiB that differs from the disk";

/// Bit of [`State::mask`]: the program set it.
pub(super) const MASK_IS_SET: u32 = 1 << 16;

/// A path that is not as on the disk.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Name {
    pub(super) length: u16,
    /// Number of the inode + 1; 0: removed.
    pub(super) inode: u8,
    pub(super) path: [u8; PATH_MAX],
}

impl Name {
    /// Returns the path.
    pub(super) fn path(&self) -> &[u8] {
        &self.path[..usize::from(self.length)]
    }

    /// Returns the number of the inode; `None`: it was removed.
    pub(super) fn number(&self) -> Option<usize> {
        usize::from(self.inode).checked_sub(1)
    }
}

/// Mappings at once, parts of which others were unmapped included.
pub const MAPS: usize = 64;

/// A mapping, or what is left of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Map {
    /// The file's number + 1; 0: none.
    pub(super) inode: u8,
    /// Protection of the pages (`PROT_READ` and so on).
    pub(super) protection: u8,
    /// Protection that the program may give them, at most.
    pub(super) allowed: u8,
    /// Pages `first..end` of the file.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// Files of the disk at once that are mapped as they are.
pub(super) const DISK_MAPS: usize = 128;

/// Files of the disk that the program mapped in this execution: device and number of each.
#[repr(C)]
pub struct DiskMaps {
    pub(super) count: usize,
    pub(super) files: [(u64, u64); DISK_MAPS],
}

/// State of the overlay that a restore takes back.
#[repr(C)]
pub struct State {
    pub(super) count: u16,
    /// Bytes of the path of the working directory; 0: it is the kernel's.
    pub(super) here_length: u16,
    pub(super) here: [u8; PATH_MAX],
    /// The mask for permissions of new files, and [`MASK_IS_SET`]; 0: it is the kernel's.
    pub(super) mask: u32,
    pub(super) names: [Name; NAMES],
    pub(super) inodes: [Inode; INODES],
    pub(super) maps: [Map; MAPS],
    pub(super) disk_maps: DiskMaps,
}

rolled_back!(static STATE: RolledBack<State> = world::OVERLAY);

/// Returns all that differs from the disk, to be looked at or changed.
pub(super) fn overlay() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // and its like only.
    unsafe { ScopedCell::at(STATE.get()) }
}

/// Returns a file by its number, as it is now.
pub fn inode(number: usize) -> Inode {
    held(number).get()
}

/// Returns an inode, by number, to be changed.
pub fn held(number: usize) -> ScopedCell<Inode> {
    // SAFETY: as `overlay`; the index is checked by the array.
    unsafe { ScopedCell::at(&raw mut (*STATE.get()).inodes[number]) }
}

/// Returns whether paths mean what they mean to the kernel.
pub fn is_empty() -> bool {
    overlay().look(|all| all.count == 0 && all.here_length == 0)
}

/// The answer of the names to what stands at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The names do not say: the disk has it, or nothing.
    Disk,
    /// Nothing: it was removed.
    Removed,
    /// The inode of this number.
    Inode(usize),
}

/// Looks at all names.
pub(super) fn with_names<R>(look: impl FnOnce(&[Name]) -> R) -> R {
    overlay().look(|all| look(&all.names[..usize::from(all.count)]))
}

/// Returns a name, as it is now; `None`: there are not so many.
pub(super) fn name(at: usize) -> Option<Name> {
    with_names(|all| all.get(at).copied())
}

/// Returns what the names say of a canonical path.
pub(super) fn find(path: &[u8]) -> Found {
    with_names(|all| match all.iter().find(|name| name.path() == path) {
        None => Found::Disk,
        Some(name) => name.number().map_or(Found::Removed, Found::Inode),
    })
}

/// Returns the number of names that an inode has.
pub(super) fn names_of(number: usize) -> usize {
    let is_its = |name: &&Name| name.number() == Some(number);
    with_names(|all| all.iter().filter(is_its).count())
}

/// Returns whether bytes of a file were copied for a private mapping.
pub fn is_any_mapped_privately() -> bool {
    let is_so = |inode: &Inode| inode.is_used && inode.is_mapped_privately;
    overlay().look(|all| all.inodes.iter().any(is_so))
}
