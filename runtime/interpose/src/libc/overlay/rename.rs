//! Renaming.

use super::error;
use super::inodes::{set, too_many};
use super::names::{inode_at, is_empty_directory};
use super::open::name_it;
use super::path::{on_disk, resolve, without_slashes, Path, Place, What};
use super::permitted::may_change;
use super::state::{name, overlay, with_names, PATH_MAX};
use crate::libc::opaque;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported};

/// `renameat2`, with `RENAME_NOREPLACE` or without flags.
pub fn rename(
    from: (usize, &[u8]),
    to: (usize, &[u8]),
    replaces: bool,
) -> Result<(), SyscallOutcome> {
    // A slash at the end does not make the kernel look further. The errors are in its order.
    let old = resolve(from.0, without_slashes(from.1), false)?;
    let new = resolve(to.0, without_slashes(to.1), false)?;
    if old.dots > 0 || new.dots > 0 {
        return Err(error(::libc::EBUSY));
    }
    if matches!(old.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    if !matches!(new.what, What::Nothing) && !replaces {
        return Err(error(::libc::EEXIST));
    }
    let has_slash = from.1.ends_with(b"/") || to.1.ends_with(b"/");
    if !old.what.is_directory() && has_slash {
        return Err(error(::libc::ENOTDIR));
    }
    if is_below(&old.path, &new.path) {
        return Err(error(::libc::ENOTEMPTY));
    }
    if old.what.is_directory() {
        return rename_directory(&old, &new);
    }
    if new.what.is_directory() {
        return Err(error(::libc::EISDIR));
    }
    may_change(&old.path)?;
    may_change(&new.path)?;
    if old.path.bytes() == new.path.bytes() {
        return Ok(());
    }
    if matches!(new.what, What::Disk(_)) && !new.what.is_file() && !new.what.is_link() {
        return Err(Unsupported("renaming onto what is no regular file".into()));
    }
    opaque::files_change();
    let number = inode_at(&old)?;
    if matches!(new.what, What::Inode(other) if other == number) {
        // POSIX: two names of one file both stay.
        return Ok(());
    }
    name_it(&new.path, number)?;
    match set(old.path.bytes(), None) {
        true => Ok(()),
        false => Err(too_many()),
    }
}

/// Returns whether a path leads to something in a directory.
fn is_below(path: &Path, directory: &Path) -> bool {
    let rest = path.bytes().strip_prefix(directory.bytes());
    rest.is_some_and(|rest| rest.starts_with(b"/"))
}

fn rename_directory(old: &Place, new: &Place) -> Result<(), SyscallOutcome> {
    let (from, to) = (old.path.bytes(), new.path.bytes());
    if is_below(&new.path, &old.path) {
        return Err(error(::libc::EINVAL));
    }
    if !matches!(new.what, What::Nothing) && !new.what.is_directory() {
        return Err(error(::libc::ENOTDIR));
    }
    may_change(&old.path)?;
    may_change(&new.path)?;
    if from == to {
        return Ok(());
    }
    if new.what.is_directory() && !is_empty_directory(&new.path)? {
        return Err(error(::libc::ENOTEMPTY));
    }
    let What::Inode(number) = old.what else {
        return Err(Unsupported("renaming a directory of the disk".into()));
    };
    if new.what.is_directory() && on_disk(&new.path, false).is_ok() {
        return Err(Unsupported(
            "renaming a directory onto one of the disk".into(),
        ));
    }
    opaque::files_change();
    move_children(&old.path, &new.path)?;
    name_it(&new.path, number)?;
    match set(from, None) {
        true => Ok(()),
        false => Err(too_many()),
    }
}

/// Moves what lies below a directory to below its new name.
fn move_children(old: &Path, new: &Path) -> Result<(), SyscallOutcome> {
    let (from, to) = (old.bytes(), new.bytes());
    for (k, name) in (0..).map_while(name).enumerate() {
        let path = name.path();
        let is_below = path.starts_with(from) && path.get(from.len()) == Some(&b'/');
        if !is_below || name.inode == 0 {
            continue;
        }
        let Some(before) = Path::new(path) else {
            return Err(too_many());
        };
        if on_disk(&before, false).is_ok() {
            return Err(Unsupported(
                "renaming a directory that the disk has, too".into(),
            ));
        }
        let rest = &before.bytes()[from.len()..];
        let length = to.len() + rest.len();
        if length > PATH_MAX {
            return Err(too_many());
        }
        let mut after = [0; PATH_MAX];
        after[..to.len()].copy_from_slice(to);
        after[to.len()..length].copy_from_slice(rest);
        // What was removed from there before has left its name.
        let after = &after[..length];
        let known = with_names(|all| all.iter().position(|name| name.path() == after));
        overlay().change(|all| match known {
            Some(known) => {
                all.names[known].inode = name.inode;
                all.names[k].inode = 0;
            }
            None => {
                all.names[k].length = length as u16;
                all.names[k].path[..length].copy_from_slice(after);
            }
        });
    }
    Ok(())
}
