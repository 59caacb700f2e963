//! Where the pages of a mapped file are: in its home, as far as somebody maps them.

use super::state::{inode, overlay, Map, MAPS};
use super::window::{self, pages};
use ::libc::{PROT_NONE, PROT_READ, PROT_WRITE};
use dpor_machine::sys::{self, PAGE};

/// Returns a mapping, as it is now.
pub(super) fn slot(k: usize) -> Map {
    overlay().look(|all| all.maps[k])
}

/// Returns the mappings of a file.
pub(super) fn maps(number: usize) -> impl Iterator<Item = Map> {
    let all = (0..MAPS).map(slot);
    all.filter(move |map| usize::from(map.inode) == number + 1)
}

/// Returns whether some part of a file is mapped.
pub fn is_mapped(number: usize) -> bool {
    inode(number).maps > 0
}

/// Returns whether a file can be changed through a mapping.
pub fn is_mapped_for_writing(number: usize) -> bool {
    maps(number).any(|map| i32::from(map.allowed) & PROT_WRITE != 0)
}

/// Returns how the program may access a page of a file; `None`: the page is not mapped.
pub(super) fn access(number: usize, page: usize) -> Option<i32> {
    if !is_mapped(number) {
        return None;
    }
    let here = maps(number).filter(|map| (map.first as usize..map.end as usize).contains(&page));
    here.map(|map| i32::from(map.protection))
        .reduce(|all, one| all | one)
}

/// Calls `each` with the address of a page of a file, which it may read and write.
pub fn with_page(number: usize, page: usize, each: impl FnOnce(usize)) {
    let Some(allowed) = access(number, page) else {
        return each(window::of(number) + page * PAGE);
    };
    let at = inode(number).home + page * PAGE;
    let is_open = allowed & PROT_WRITE != 0 && page < pages(inode(number).size);
    if !is_open {
        protect(at, 1, PROT_READ | PROT_WRITE);
    }
    each(at);
    if !is_open {
        set_protection(number, page, page + 1);
    }
}

/// Calls `each` with the addresses and lengths of those of these bytes that are mapped.
pub fn judge(number: usize, offset: u64, length: usize, mut each: impl FnMut(usize, usize)) {
    let mut at = offset as usize;
    let end = at + length;
    while at < end {
        let bytes = (PAGE - at % PAGE).min(end - at);
        if access(number, at / PAGE).is_some() {
            each(inode(number).home + at, bytes);
        }
        at += bytes;
    }
}

/// Gives pages of a home a protection.
pub(super) fn protect(at: usize, count: usize, protection: i32) {
    // SAFETY: a part of a home, which is memory of the program's mapped in this execution.
    unsafe { sys::protect(at, count * PAGE, protection) };
}

/// Lets the program access pages of a home as far as its mappings and the end of the file allow.
pub(super) fn set_protection(number: usize, first: usize, end: usize) {
    let (home, size) = (inode(number).home, pages(inode(number).size));
    let of = |page: usize| match access(number, page) {
        Some(allowed) if page < size => allowed,
        _ => PROT_NONE,
    };
    let mut from = first;
    while from < end {
        let protection = of(from);
        let to = (from + 1..end).find(|&page| of(page) != protection);
        let to = to.unwrap_or(end);
        protect(home + from * PAGE, to - from, protection);
        from = to;
    }
}

/// Adapts the mappings of a file whose size changed, between these numbers of pages.
pub fn size_changed(number: usize, least: usize, most: usize) {
    if !is_mapped(number) || least == most {
        return;
    }
    let (first, end) = maps(number).fold((usize::MAX, 0), |(first, end), map| {
        (first.min(map.first as usize), end.max(map.end as usize))
    });
    set_protection(number, first.max(least), end.min(most));
}
