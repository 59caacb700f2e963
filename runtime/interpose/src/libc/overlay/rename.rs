//! Renaming.

use super::names::{inode_at, is_empty_directory};
use super::open::{may_change, name_it};
use super::path::{on_disk, resolve, Path, Place, What};
use super::{error, names, set, too_many, PATH_MAX};
use crate::libc::opaque;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported};

/// `renameat2`, with `RENAME_NOREPLACE` or without flags.
pub fn rename(
    from: (usize, &[u8]),
    to: (usize, &[u8]),
    replaces: bool,
) -> Result<(), SyscallOutcome> {
    let old = resolve(from.0, from.1, false)?;
    let new = resolve(to.0, to.1, false)?;
    if matches!(old.what, What::Nothing) {
        return Err(error(::libc::ENOENT));
    }
    let is_taken = !matches!(new.what, What::Nothing);
    if is_taken && !replaces {
        return Err(error(::libc::EEXIST));
    }
    if old.what.is_directory() {
        return rename_directory(&old, &new);
    }
    if new.what.is_directory() {
        return Err(error(::libc::EISDIR));
    }
    if new.is_folder {
        return Err(error(::libc::ENOTDIR));
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

fn rename_directory(old: &Place, new: &Place) -> Result<(), SyscallOutcome> {
    let (from, to) = (old.path.bytes(), new.path.bytes());
    if to.starts_with(from) && to.get(from.len()) == Some(&b'/') {
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

/// What lies below a directory is found below its new name.
fn move_children(old: &Path, new: &Path) -> Result<(), SyscallOutcome> {
    let (from, to) = (old.bytes(), new.bytes());
    for k in 0..names().len() {
        let path = names()[k].path();
        let is_below = path.starts_with(from) && path.get(from.len()) == Some(&b'/');
        if !is_below || names()[k].inode == 0 {
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
        let known = names()
            .iter()
            .position(|name| name.path() == &after[..length]);
        let inode = names()[k].inode;
        match known {
            Some(known) => {
                names()[known].inode = inode;
                names()[k].inode = 0;
            }
            None => {
                names()[k].length = length as u16;
                names()[k].path[..length].copy_from_slice(&after[..length]);
            }
        }
    }
    Ok(())
}
