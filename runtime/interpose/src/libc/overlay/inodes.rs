//! How inodes and names come and go.

use super::inode::{Form, Inode, TimesAndOwner};
use super::state::{held, inode, names_of, overlay, with_names, FILES_MAX, INODES, PATH_MAX};
use super::{content, window};
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported};

/// Returns the outcome of a call that finds no room for one more.
pub(super) fn too_many() -> SyscallOutcome {
    match window::is_there() {
        true => Unsupported(FILES_MAX.into()),
        false => Unsupported("files in memory, for which there are no addresses left".into()),
    }
}

/// Puts an inode, or nothing, at a path. False: there are too many names.
#[must_use]
pub(super) fn set(path: &[u8], number: Option<usize>) -> bool {
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
pub(super) fn make(form: Form, mode: u32) -> Option<usize> {
    if !window::is_there() {
        return None;
    }
    let times_and_owner = TimesAndOwner::of_process();
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

/// Frees an inode that has no name, is not open and not mapped.
pub(super) fn release(number: usize) {
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
