//! Shared mappings of files.
//!
//! A file has one place in the program's memory, its *home*, at which all its mappings are: the page at
//! offset k lies at home + k. So two mappings of the same part are the same addresses, and what one
//! thread does through its own is seen, ordered and judged like any access to shared memory. The bytes
//! of a mapped page are there and nowhere else: what is stored is in the file at once, and what is
//! written is in memory.
//!
//! A home lies in memory that is mapped under exploration ([`mapping`]), at an address that depends on the
//! thread that maps the file first. Mapping and unmapping conflict with everything.
//!
//! Deviations:
//! 1. The kernel gives each mapping an address of its own. Here a page is accessible as long as somebody
//!    maps it, in the way that any of its mappings allows.
//! 2. One that is mapped several times keeps its protection: another one is unsupported.
//! 3. Pages beyond the end are not accessible; an access is reported as what it is, a bus error.

use super::home::{access, maps, protect, set_protection, slot};
use super::inodes::release;
use super::path::path_of;
use super::state::{held, inode, overlay, Map, INODES, MAPS};
use super::window::{self, pages, BYTES_MAX};
use super::{content, error};
use crate::libc::mapping;
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported, Value};
use ::libc::{PROT_NONE, PROT_READ, PROT_WRITE};
use dpor_machine::sys::PAGE;

const TOO_MANY: &str = "more than 64 mappings of files at once";

/// Moves the bytes of a page from `from` to `to`, both accessible, and leaves zeros.
fn carry(from: usize, to: usize) {
    // SAFETY: a page of a window and one of a home, both accessible.
    unsafe {
        (to as *mut [u8; PAGE]).copy_from_nonoverlapping(from as *const [u8; PAGE], 1);
        (from as *mut [u8; PAGE]).write_bytes(0, 1);
    }
}

fn add(map: Map) -> bool {
    let free = (0..MAPS).find(|&k| slot(k).inode == 0);
    if let Some(free) = free {
        overlay().change(|all| all.maps[free] = map);
        held(usize::from(map.inode) - 1).change(|inode| inode.maps += 1);
    }
    free.is_some()
}

fn remove(k: usize) {
    held(usize::from(slot(k).inode) - 1).change(|inode| inode.maps -= 1);
    overlay().change(|all| all.maps[k].inode = 0);
}

/// Maps `length` bytes of a file from `offset` on. `writable`: its descriptor allows stores.
pub fn map(
    number: usize,
    offset: usize,
    length: usize,
    protection: i32,
    writable: bool,
) -> SyscallOutcome {
    if !offset.is_multiple_of(PAGE) || length == 0 {
        return error(::libc::EINVAL);
    }
    let Some(end) = offset.checked_add(length).filter(|&end| end <= BYTES_MAX) else {
        return Unsupported("a mapping of a file beyond 64 MiB".into());
    };
    if inode(number).home == 0 {
        let flags = ::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS;
        // SAFETY: no fixed address is asked for, so nothing of the program's is replaced.
        let home = unsafe {
            let none = PROT_NONE as usize;
            mapping::map(BYTES_MAX, none, flags as usize, usize::MAX, 0)
        };
        if home < 0 {
            return Value(home);
        }
        held(number).change(|inode| inode.home = home as usize);
    }
    let (first, end) = (offset / PAGE, end.div_ceil(PAGE));
    let size = pages(inode(number).size);
    for page in (first..end.min(size)).filter(|&page| access(number, page).is_none()) {
        let (from, to) = (window::of(number), inode(number).home);
        protect(to + page * PAGE, 1, PROT_READ | PROT_WRITE);
        carry(from + page * PAGE, to + page * PAGE);
    }
    let allowed = PROT_READ | if writable { PROT_WRITE } else { 0 };
    let is_added = add(Map {
        inode: number as u8 + 1,
        protection: protection as u8,
        allowed: allowed as u8,
        first: first as u32,
        end: end as u32,
    });
    if !is_added {
        return Unsupported(TOO_MANY.into());
    }
    set_protection(number, first, end);
    Value((inode(number).home + offset) as isize)
}

/// Returns the file whose home this range lies in, and the range's pages. Or an error, if it lies
/// there in part.
fn find(at: usize, bytes: usize) -> Option<Result<(usize, usize, usize), SyscallOutcome>> {
    let mut homes = (0..INODES).filter(|&number| inode(number).home != 0);
    let end = at.checked_add(bytes)?;
    let number = homes.find(|&number| {
        let home = inode(number).home;
        at < home + BYTES_MAX && end > home
    })?;
    let home = inode(number).home;
    if at < home || end > home + BYTES_MAX {
        let what = "a call on memory that a file is mapped to in part";
        return Some(Err(Unsupported(what.into())));
    }
    Some(Ok((
        number,
        (at - home) / PAGE,
        (end - home).div_ceil(PAGE),
    )))
}

/// Returns whether a file is mapped somewhere in this range.
pub fn is_here(at: usize, bytes: usize) -> bool {
    find(at, bytes).is_some()
}

/// Returns whether the program may not access an address because it is beyond the end of a file.
pub fn is_beyond_end(at: usize) -> bool {
    let Some(Ok((number, page, _))) = find(at, 1) else {
        return false;
    };
    access(number, page).is_some() && page >= pages(inode(number).size)
}

/// Returns what lies at an address in a mapped file, in words.
pub fn describe(at: usize) -> Option<String> {
    let (number, ..) = find(at, 1)?.ok()?;
    let file = path_of(number);
    let file = match &file {
        Some(path) => String::from_utf8_lossy(path.bytes()),
        None => "a file without a name".into(),
    };
    Some(format!("byte {} of {file}", at - inode(number).home))
}

/// Takes pages `first..` out of one mapping, up to `end` or to its end. Which of several is meant the address
/// does not tell: the one that allows least, so that nothing is refused that another allows. Returns where
/// the pages end and what the mapping was; `None` for a page that is not mapped.
fn carve(number: usize, first: usize, end: usize) -> Result<(usize, Option<Map>), SyscallOutcome> {
    let here = |map: &Map| {
        usize::from(map.inode) == number + 1
            && (map.first as usize..map.end as usize).contains(&first)
    };
    let all = (0..MAPS).filter(|&k| here(&slot(k)));
    let Some(k) = all.min_by_key(|&k| (slot(k).protection, slot(k).allowed)) else {
        return Ok((first + 1, None));
    };
    let was = slot(k);
    let end = end.min(was.end as usize);
    remove(k);
    let before = Map {
        end: first as u32,
        ..was
    };
    let after = Map {
        first: end as u32,
        ..was
    };
    let mut left = [before, after]
        .into_iter()
        .filter(|map| map.first < map.end);
    match left.all(add) {
        true => Ok((end, Some(was))),
        false => Err(Unsupported(TOO_MANY.into())),
    }
}

/// `munmap`. `None`: no file is mapped there.
pub fn unmap(at: usize, bytes: usize) -> Option<SyscallOutcome> {
    let (number, first, end) = match find(at, bytes)? {
        Ok(found) => found,
        Err(outcome) => return Some(outcome),
    };
    if !at.is_multiple_of(PAGE) || bytes == 0 {
        return Some(error(::libc::EINVAL));
    }
    let mut from = first;
    while from < end {
        let (to, was) = match carve(number, from, end) {
            Ok(done) => done,
            Err(outcome) => return Some(outcome),
        };
        if was.is_some() {
            let size = pages(inode(number).size);
            for page in (from..to.min(size)).filter(|&page| access(number, page).is_none()) {
                let home = inode(number).home + page * PAGE;
                protect(home, 1, PROT_READ | PROT_WRITE);
                carry(home, window::of(number) + page * PAGE);
            }
            set_protection(number, from, to);
        }
        from = to;
    }
    forget_beyond_end(number);
    release(number);
    Some(Value(0))
}

/// Clears what the program stored beyond the end, in the last page: it is no part of a file that
/// nobody maps.
fn forget_beyond_end(number: usize) {
    let size = inode(number).size;
    let rest = (size.next_multiple_of(PAGE as u64) - size) as usize;
    if rest > 0 && access(number, size as usize / PAGE).is_none() {
        content::clear(number, size, rest);
    }
}

/// `mprotect`. `None`: no file is mapped there.
pub fn protect_range(at: usize, bytes: usize, protection: i32) -> Option<SyscallOutcome> {
    let (number, first, end) = match find(at, bytes)? {
        Ok(found) => found,
        Err(outcome) => return Some(outcome),
    };
    if !at.is_multiple_of(PAGE) {
        return Some(error(::libc::EINVAL));
    }
    for page in first..end {
        let here = |map: &Map| (map.first as usize..map.end as usize).contains(&page);
        let mut all = maps(number).filter(here);
        match (all.next(), all.next()) {
            (None, _) => return Some(error(::libc::ENOMEM)),
            (Some(map), None) if protection & !i32::from(map.allowed) & PROT_WRITE != 0 => {
                return Some(error(::libc::EACCES));
            }
            (Some(_), None) => {}
            (Some(_), Some(_)) => {
                let what =
                    "changing the protection of a part of a file that is mapped several times";
                return Some(Unsupported(what.into()));
            }
        }
    }
    let mut from = first;
    while from < end {
        let to = match carve(number, from, end) {
            Ok((to, Some(was))) => {
                let map = Map {
                    protection: protection as u8,
                    first: from as u32,
                    end: to as u32,
                    ..was
                };
                if !add(map) {
                    return Some(Unsupported(TOO_MANY.into()));
                }
                to
            }
            Ok((to, None)) => to,
            Err(outcome) => return Some(outcome),
        };
        from = to;
    }
    set_protection(number, first, end);
    Some(Value(0))
}

/// `mremap` without a fixed address: a home has room, so the address stays. `None`: no file is mapped
/// there.
pub fn remap(at: usize, old: usize, new: usize) -> Option<SyscallOutcome> {
    let (number, first, end) = match find(at, old.max(1))? {
        Ok(found) => found,
        Err(outcome) => return Some(outcome),
    };
    if !at.is_multiple_of(PAGE) || old == 0 || new == 0 {
        return Some(error(::libc::EINVAL));
    }
    let Some(last) = maps(number)
        .filter(|map| map.first as usize <= first && map.end as usize == end)
        .last()
    else {
        return Some(Unsupported(
            "mremap of a part of a mapping of a file".into(),
        ));
    };
    let wanted = first + new.div_ceil(PAGE);
    if wanted < end {
        let outcome = unmap(at + (wanted - first) * PAGE, (end - wanted) * PAGE);
        return outcome.map(|outcome| match outcome {
            Value(0) => Value(at as isize),
            other => other,
        });
    }
    if wanted > end {
        let writable = i32::from(last.allowed) & PROT_WRITE != 0;
        let bytes = (wanted - end) * PAGE;
        let outcome = map(
            number,
            end * PAGE,
            bytes,
            i32::from(last.protection),
            writable,
        );
        let Value(1..) = outcome else {
            return Some(outcome);
        };
    }
    Some(Value(at as isize))
}
