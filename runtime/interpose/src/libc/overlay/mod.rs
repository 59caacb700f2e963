//! Files that the program writes, creates, renames or removes while it is explored.
//!
//! They are kept here, in memory that goes back in time, and the disk stays as it is. A *name* is the
//! canonical path of something that differs from the disk: it stands for an *inode* (a file, a directory
//! or a symbolic link), or for nothing (removed). What has no name here is as on the disk.
//!
//! | part | what |
//! |---|---|
//! | [`content`] | the bytes of files |
//! | [`mapped`] | shared mappings of files |
//! | [`path`] | canonical paths |
//! | [`open`] | opening files |
//! | [`mod@names`], [`mod@rename`] | making, removing and renaming what has a path |
//! | [`transfer`] | reading and writing |
//! | [`attributes`] | what is told about files |
//! | [`times_and_owners`] | times and owners |
//! | [`list`] | listing directories |
//! | [`locks`] | `flock` |
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
pub mod list;
pub mod locks;
pub mod mapped;
pub mod names;
pub mod open;
pub mod path;
pub mod ranges;
pub mod rename;
pub mod times_and_owners;
pub mod transfer;

use super::syscalls::SyscallOutcome::{self, Unsupported, Value};
use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back};
use dpor_machine::sys;

/// Number of inodes at once, at most.
pub const INODES: usize = 64;
/// Names at once, removed ones included.
const NAMES: usize = 192;
/// Bytes of a canonical path, at most.
pub const PATH_MAX: usize = 250;

const FILES_MAX: &str =
    "more than 64 files or 192 names that differ from the disk, or a path of more than 250 bytes";
const BYTES_MAX: &str = "a file of more than 64 MiB that differs from the disk";

/// Bit of [`State::mask`]: the program set it.
const MASK_IS_SET: u32 = 1 << 16;

/// A path that is not as on the disk.
#[derive(Clone, Copy)]
#[repr(C)]
struct Name {
    length: u16,
    /// Number of the inode + 1; 0: removed.
    inode: u8,
    path: [u8; PATH_MAX],
}

impl Name {
    fn path(&self) -> &[u8] {
        &self.path[..usize::from(self.length)]
    }

    fn number(&self) -> Option<usize> {
        usize::from(self.inode).checked_sub(1)
    }
}

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
    is_used: bool,
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
    pub times_and_owner: times_and_owners::TimesAndOwner,
}

/// State of the overlay that a restore takes back.
#[repr(C)]
pub struct State {
    count: u16,
    /// Bytes of the path of the working directory; 0: it is the kernel's.
    here_length: u16,
    here: [u8; PATH_MAX],
    /// The mask for permissions of new files, and [`MASK_IS_SET`]; 0: it is the kernel's.
    mask: u32,
    names: [Name; NAMES],
    inodes: [Inode; INODES],
    maps: [mapped::Map; mapped::MAPS],
    disk_maps: open::DiskMaps,
}

rolled_back!(static STATE: RolledBack<State> = world::OVERLAY);

fn overlay() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // and its like only.
    unsafe { ScopedCell::at(STATE.get()) }
}

fn error(errno: i32) -> SyscallOutcome {
    Value(-(errno as isize))
}

fn too_many() -> SyscallOutcome {
    match content::is_there() {
        true => Unsupported(FILES_MAX.into()),
        false => Unsupported("files in memory, for which there are no addresses left".into()),
    }
}

fn kernel(number: i64, args: [usize; 4]) -> isize {
    // SAFETY: calls that only tell, or open what is closed again; the strings end with a NUL, and what
    // is written is the runtime's own.
    unsafe { sys::call6(number, args[0], args[1], args[2], args[3], 0, 0) }
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
enum Found {
    /// The names do not say: the disk has it, or nothing.
    Disk,
    /// Nothing: it was removed.
    Removed,
    /// The inode of this number.
    Inode(usize),
}

/// Looks at all names.
fn with_names<R>(look: impl FnOnce(&[Name]) -> R) -> R {
    overlay().look(|all| look(&all.names[..usize::from(all.count)]))
}

/// Returns a name, as it is now; `None`: there are not so many.
fn name(at: usize) -> Option<Name> {
    with_names(|all| all.get(at).copied())
}

/// Returns what the names say of a canonical path.
fn find(path: &[u8]) -> Found {
    with_names(|all| match all.iter().find(|name| name.path() == path) {
        None => Found::Disk,
        Some(name) => name.number().map_or(Found::Removed, Found::Inode),
    })
}

/// Puts an inode, or nothing, at a path. False: there are too many names.
#[must_use]
fn set(path: &[u8], number: Option<usize>) -> bool {
    if path.len() > PATH_MAX {
        return false;
    }
    let known = with_names(|all| all.iter().position(|name| name.path() == path));
    let before = overlay().change(|all| {
        let at = known.unwrap_or(usize::from(all.count));
        let name = all.names.get_mut(at)?;
        all.count = all.count.max(at as u16 + 1);
        let before = known.and_then(|_| name.number());
        name.inode = number.map_or(0, |number| number as u8 + 1);
        name.length = path.len() as u16;
        name.path[..path.len()].copy_from_slice(path);
        Some(before)
    });
    if let Some(Some(before)) = before {
        release(before);
    }
    before.is_some()
}

/// Makes a new, empty inode, and returns its number.
fn make(form: Form, mode: u32) -> Option<usize> {
    if !content::is_there() {
        return None;
    }
    let times_and_owner = times_and_owners::TimesAndOwner::of_process();
    let number = (0..INODES).find(|&number| !inode(number).is_used)?;
    held(number).set(Inode {
        is_used: true,
        form,
        is_mapped_privately: false,
        open: 0,
        maps: 0,
        mode,
        size: 0,
        home: 0,
        on_disk: (0, 0),
        times_and_owner,
    });
    Some(number)
}

/// Makes a new file that has no name, which is gone when nobody has it open.
pub fn make_unnamed(mode: u32) -> Option<usize> {
    make(Form::File, mode)
}

/// Returns the number of names that an inode has.
fn names_of(number: usize) -> usize {
    let is_its = |name: &&Name| name.number() == Some(number);
    with_names(|all| all.iter().filter(is_its).count())
}

/// Returns a path of an inode.
fn path_of(number: usize) -> Option<path::Path> {
    let is_its = |name: &&Name| name.number() == Some(number);
    with_names(|all| path::Path::new(all.iter().find(is_its)?.path()))
}

/// Frees an inode that has no name, is not open and not mapped.
fn release(number: usize) {
    let inode = inode(number);
    if inode.is_used && inode.open == 0 && inode.maps == 0 && names_of(number) == 0 {
        // It cannot fail: there is nothing too large about nothing.
        let _ = content::cut(number, 0);
        held(number).change(|inode| inode.is_used = false);
    }
}

/// Notes that the last descriptor of an open file of this inode is gone.
pub fn closed(number: usize) {
    held(number).change(|inode| inode.open -= 1);
    release(number);
}

/// Returns whether bytes of a file were copied for a private mapping.
pub fn is_any_mapped_privately() -> bool {
    let is_so = |inode: &Inode| inode.is_used && inode.is_mapped_privately;
    overlay().look(|all| all.inodes.iter().any(is_so))
}

/// Returns whether a name in a directory stands for something.
fn has_names(directory: &[u8]) -> bool {
    let is_there = |name: &Name| name.inode != 0 && path::parent(name.path()) == directory;
    with_names(|all| all.iter().any(is_there))
}
