//! Files that were opened once, by path. They stay open in the kernel, and serve every later open of the same path,
//! in this execution and in others.

use super::file::Kind;
use crate::scoped_cell::ScopedCell;
use crate::state::{Kept, Plain};

/// Files opened since the root, by path. Outside the rolled-back state, and of this process alone
/// (a forked one opens its own).
struct Opened {
    count: usize,
    entries: [Entry; OPENED_MAX],
}

const OPENED_MAX: usize = 128;

const PATH_MAX: usize = 244;

#[derive(Clone, Copy)]
struct Entry {
    directory: i32,
    kernel: i32,
    kind: Kind,
    path: [u8; PATH_MAX],
}

fn opened_files() -> ScopedCell<Opened> {
    // SAFETY: a static, which is reached through this function only.
    unsafe { ScopedCell::at(OPENED.get()) }
}

static OPENED: Kept<Plain<Opened>> = Kept::new(Plain::new(Opened {
    count: 0,
    entries: [Entry {
        directory: 0,
        kernel: 0,
        kind: Kind::Free,
        path: [0; PATH_MAX],
    }; OPENED_MAX],
}));

/// Returns the kernel descriptor that serves this path, opened by `open` if there is none yet: its
/// kind and number, or −errno. `None`: too many files, or too long a path, to keep track of.
pub fn opened(
    directory: i32,
    path: &[u8],
    open: impl FnOnce() -> Result<(Kind, i32), isize>,
) -> Option<Result<(Kind, i32), isize>> {
    if path.len() >= PATH_MAX {
        return None;
    }
    let mut name = [0; PATH_MAX];
    name[..path.len()].copy_from_slice(path);
    let is_it = |entry: &&Entry| entry.directory == directory && entry.path == name;
    let known = opened_files().look(|all| {
        let known = all.entries[..all.count].iter().find(is_it);
        known.map(|entry| (entry.kind, entry.kernel))
    });
    if known.is_some() {
        return known.map(Ok);
    }
    if opened_files().look(|all| all.count == OPENED_MAX) {
        return None;
    }
    Some(open().inspect(|&(kind, kernel)| {
        opened_files().change(|all| {
            all.entries[all.count] = Entry {
                directory,
                kernel,
                kind,
                path: name,
            };
            all.count += 1;
        });
    }))
}
