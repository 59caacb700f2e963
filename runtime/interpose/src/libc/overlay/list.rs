//! Listing directories of which something differs from the disk: what the disk has there and nobody
//! removed or replaced, then what was made there.
//!
//! Where a listing stands in the first part is the kernel's number; in the second it is negative.

use super::error;
use super::inode::Form;
use super::kernel::kernel;
use super::path::{self, of_descriptor, path_of, Path};
use super::state::{find, inode, name, with_names, Found};
use crate::libc::descriptor::{File, Kind};
use crate::libc::syscalls::touch;
use crate::libc::syscalls::SyscallOutcome::{self, Value};

/// Bytes before the name in the kernel's `struct linux_dirent64`: number, place, length and type.
const NAME_AT: usize = 19;
const ROOM: usize = 4096;

/// Entries as the kernel tells them.
pub struct Entries {
    bytes: [u8; ROOM],
    length: usize,
}

impl Default for Entries {
    fn default() -> Entries {
        Entries {
            bytes: [0; ROOM],
            length: 0,
        }
    }
}

fn length_of(entry: &[u8]) -> usize {
    usize::from(u16::from_ne_bytes([entry[16], entry[17]]))
}

fn name_of(entry: &[u8]) -> &[u8] {
    let name = &entry[NAME_AT..length_of(entry)];
    &name[..name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(name.len())]
}

impl Entries {
    /// Reads the next entries of one of the kernel's descriptors; returns false at the end.
    pub fn fill(&mut self, fd: usize) -> bool {
        let to = self.bytes.as_mut_ptr() as usize;
        let n = kernel(::libc::SYS_getdents64, [fd, to, ROOM, 0]);
        self.length = usize::try_from(n).unwrap_or(0);
        self.length > 0
    }

    fn all(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        core::iter::from_fn(move || {
            let rest = self.bytes[..self.length]
                .get(at..)
                .filter(|r| !r.is_empty())?;
            at += length_of(rest);
            Some(&rest[..length_of(rest)])
        })
    }

    /// Returns the names of the entries.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.all().map(name_of)
    }
}

/// The first place of the second part; the others are above it.
const FIRST: i64 = i64::MIN;

/// `getdents64` of a directory that may differ from the disk. `None`: it does not.
///
/// # Safety
/// `to` is writable for `room` bytes of the program's.
pub unsafe fn entries(file: &mut File, to: usize, room: usize) -> Option<SyscallOutcome> {
    let is_ours = file.kind == Kind::Stored;
    let path = match is_ours {
        true => path_of(file.kernel as usize),
        false => of_descriptor(file.kernel).ok(),
    };
    let Some(path) = path else {
        // It was removed.
        return is_ours.then_some(Value(0));
    };
    let differs = with_names(|all| {
        all.iter()
            .any(|name| path::parent(name.path()) == path.bytes())
    });
    let is_removed = find(path.bytes()) == Found::Removed;
    if !is_ours && !differs && !is_removed && file.offset >= 0 {
        return None;
    }
    if is_removed {
        return Some(Value(0));
    }
    touch(to, room);
    let mut out = Out { to, room, used: 0 };
    if file.offset >= 0 {
        let is_full = match is_ours {
            true => two_dots(file, &mut out),
            false => of_disk(file, &path, &mut out),
        };
        if is_full {
            return Some(out.outcome());
        }
        file.offset = FIRST;
    }
    for k in (file.offset - FIRST) as usize.. {
        let Some(name) = name(k) else { break };
        let Some(number) = name
            .number()
            .filter(|_| path::parent(name.path()) == path.bytes())
        else {
            continue;
        };
        let kind = match inode(number).form {
            Form::File => ::libc::DT_REG,
            Form::Directory => ::libc::DT_DIR,
            Form::Link => ::libc::DT_LNK,
        };
        let base = path.bytes().len() + usize::from(path.bytes().len() > 1);
        let next = FIRST + k as i64 + 1;
        if !out.put((1 << 48) + number as u64, next, kind, &name.path()[base..]) {
            break;
        }
        file.offset = next;
    }
    Some(out.outcome())
}

/// The program's buffer, which takes the entries.
struct Out {
    to: usize,
    room: usize,
    used: usize,
}

impl Out {
    fn outcome(&self) -> SyscallOutcome {
        match self.used {
            0 if self.room < NAME_AT + 5 => error(::libc::EINVAL),
            used => Value(used as isize),
        }
    }

    /// False: there is no room left.
    fn put(&mut self, number: u64, next: i64, kind: u8, name: &[u8]) -> bool {
        let length = (NAME_AT + name.len() + 1).next_multiple_of(8);
        let mut entry = [0; 280];
        entry[..8].copy_from_slice(&number.to_ne_bytes());
        entry[8..16].copy_from_slice(&next.to_ne_bytes());
        entry[16..18].copy_from_slice(&(length as u16).to_ne_bytes());
        entry[18] = kind;
        entry[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
        self.copy(&entry[..length])
    }

    fn copy(&mut self, entry: &[u8]) -> bool {
        if self.used + entry.len() > self.room {
            return false;
        }
        // SAFETY: the program's buffer, which the caller of `entries` vouches for.
        unsafe {
            ((self.to + self.used) as *mut u8).copy_from(entry.as_ptr(), entry.len());
        }
        self.used += entry.len();
        true
    }
}

/// Lists what every directory has. True: there is no more room.
fn two_dots(file: &mut File, out: &mut Out) -> bool {
    let number = (1 << 48) + file.kernel as u64;
    for (k, name) in [&b"."[..], b".."]
        .iter()
        .enumerate()
        .skip(file.offset as usize)
    {
        if !out.put(number, k as i64 + 1, ::libc::DT_DIR, name) {
            return true;
        }
        file.offset = k as i64 + 1;
    }
    false
}

/// Lists what the disk has and the overlay says nothing about. True: there is no more room.
fn of_disk(file: &mut File, path: &Path, out: &mut Out) -> bool {
    let fd = file.kernel as usize;
    kernel(
        ::libc::SYS_lseek,
        [fd, file.offset as usize, ::libc::SEEK_SET as usize, 0],
    );
    let mut entries = Entries::default();
    while entries.fill(fd) {
        for entry in entries.all() {
            let name = name_of(entry);
            let is_dot = matches!(name, b"." | b"..");
            let child = path.child(name);
            let is_there = is_dot || child.is_none_or(|child| find(child.bytes()) == Found::Disk);
            if is_there && !out.copy(entry) {
                return true;
            }
            let next: [u8; 8] = entry[8..16].try_into().unwrap_or_default();
            file.offset = i64::from_ne_bytes(next);
        }
    }
    false
}
