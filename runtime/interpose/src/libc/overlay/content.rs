//! The bytes of files: in the window of each ([`super::window`]), or, of a part that the program has mapped, where the
//! program sees it instead ([`home`]).
//!
//! A byte beyond the end of the file is 0, and so is a byte of the window whose page is mapped.

use super::home;
use super::state::{held, inode};
use super::window::{pages, BYTES_MAX};
use crate::engine;
use crate::hooks::plain;
use crate::libc::syscalls::touch;
use dpor_machine::sys::PAGE;

/// Calls `each` with the places of these bytes, a page or less at a time: address, bytes, and how many
/// came before. All of them lie in a file of at most [`BYTES_MAX`].
fn each_piece(
    number: usize,
    offset: u64,
    length: usize,
    mut each: impl FnMut(usize, usize, usize),
) {
    let mut done = 0;
    while done < length {
        let at = offset as usize + done;
        let bytes = (PAGE - at % PAGE).min(length - done);
        home::with_page(number, at / PAGE, |page| {
            each(page + at % PAGE, bytes, done)
        });
        done += bytes;
    }
}

/// Tells of the running thread's access to what another may access through a mapping. Calls on one
/// file never race with each other: each is atomic, and they are explored in all orders.
fn judge(number: usize, offset: u64, length: usize, is_write: bool) {
    if !engine::active() || !home::is_mapped(number) {
        return;
    }
    let object = engine::object::inode(number as u8).0;
    if let Some((mut races, thread)) = engine::races() {
        races.acquire(thread, object);
    }
    home::judge(number, offset, length, |address, bytes| {
        plain::judge(address as u64, bytes as u64, is_write, engine::site());
    });
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, object);
    }
}

/// Copies what is there from `offset` on, `wanted` bytes at most. Returns how many.
///
/// # Safety
/// `to` is writable for that many.
pub unsafe fn read(number: usize, offset: u64, to: usize, wanted: usize) -> usize {
    let size = inode(number).size;
    let n = size.saturating_sub(offset).min(wanted as u64) as usize;
    touch(to, n);
    judge(number, offset, n, false);
    each_piece(number, offset, n, |from, bytes, done| {
        // SAFETY: `to` is writable for what is read, as this function's caller guarantees, and
        // `from` lies in the file's window or mapping. They may overlap.
        unsafe { ((to + done) as *mut u8).copy_from(from as *const u8, bytes) };
    });
    n
}

/// Writes. False, and nothing is written: too large.
///
/// # Safety
/// `from` is readable for `length` bytes.
#[must_use]
pub unsafe fn write(number: usize, offset: u64, from: usize, length: usize) -> bool {
    let end = offset.saturating_add(length as u64);
    if end > BYTES_MAX as u64 {
        return false;
    }
    if length > 0 && end > inode(number).size {
        resize(number, end);
    }
    judge(number, offset, length, true);
    each_piece(number, offset, length, |to, bytes, done| {
        // SAFETY: `from` is readable for what is written, as this function's caller guarantees, and
        // `to` lies in the file's window or mapping. They may overlap.
        unsafe { (to as *mut u8).copy_from((from + done) as *const u8, bytes) };
    });
    true
}

/// Zero bytes, as a write.
pub fn erase(number: usize, offset: u64, length: u64) {
    judge(number, offset, length as usize, true);
    clear(number, offset, length as usize);
}

/// Makes bytes zero, where they are not.
pub fn clear(number: usize, offset: u64, length: usize) {
    each_piece(number, offset, length, |to, bytes, _| {
        // SAFETY: the bytes lie in the file's window or mapping, which are readable; no other fiber
        // writes them now.
        let is_zero = unsafe { core::slice::from_raw_parts(to as *const u8, bytes) }
            .iter()
            .all(|&byte| byte == 0);
        if !is_zero {
            // SAFETY: the bytes lie in the window of the file or in a page that the program has
            // mapped, both readable and writable; nobody else writes them, as no other fiber runs.
            unsafe { (to as *mut u8).write_bytes(0, bytes) };
        }
    });
}

/// Changes the size. False: too large.
#[must_use]
pub fn cut(number: usize, size: u64) -> bool {
    if size > BYTES_MAX as u64 {
        return false;
    }
    resize(number, size);
    true
}

fn resize(number: usize, size: u64) {
    let before = inode(number).size;
    // What the program stored in the last page beyond the end is no part of the file.
    let end = before.next_multiple_of(PAGE as u64);
    if size < before {
        judge(number, size, (end - size) as usize, true);
        clear(number, size, (end - size) as usize);
    } else if home::is_mapped(number) {
        clear(number, before, (end - before) as usize);
    }
    held(number).change(|inode| inode.size = size);
    let (least, most) = (size.min(before), size.max(before));
    home::size_changed(number, pages(least), pages(most));
}
