//! Descriptors that come and go: opened, duplicated, closed.

use super::file::{Kind, Lock};
use super::kernel::{stat, status_flags};
use super::knowledge::is_closing;
use super::table::{change_file, entry, file, file_number, table, DESCRIPTORS, FILES};
use crate::engine;
use crate::libc::{channel, overlay};
use core::ffi::c_int;

const EBADF: isize = -(::libc::EBADF as isize);

const EMFILE: isize = -(::libc::EMFILE as isize);

/// Adds a descriptor for a kernel descriptor. Returns its number or −errno.
pub fn add(kind: Kind, kernel: i32) -> isize {
    table().change(|table| match table.lowest_free(0) {
        Some(fd) if table.add_at(fd, kind, kernel, 0) => fd as isize,
        _ => EMFILE,
    })
}

/// Adds a descriptor of an end of a channel. Returns its number or −errno.
pub fn add_channel(number: usize, end: usize, flags: u32) -> isize {
    let fd = add(Kind::Channel, (2 * number + end) as i32);
    if let Ok(fd) = usize::try_from(fd) {
        change_file(fd, |file| file.flags = flags);
        channel::life::count_entry(number, true);
    }
    fd
}

/// Adds a descriptor of a file of the overlay. Returns its number or −errno.
pub fn add_stored(number: usize, flags: u32) -> isize {
    let fd = add(Kind::Stored, number as i32);
    if let Ok(fd) = usize::try_from(fd) {
        change_file(fd, |file| file.flags = flags);
        overlay::held(number).change(|inode| inode.open += 1);
    }
    fd
}

/// Makes all open files that are this file of the disk (device, number) one of the overlay from now
/// on. What threads know of their descriptors is then out of date, as if somebody had closed and
/// opened them.
pub fn adopt(on_disk: (u64, u64), number: usize) {
    for k in 0..FILES {
        let file = table().look(|table| table.files[k]);
        let is_same = |stat: ::libc::stat| (stat.st_dev, stat.st_ino) == on_disk;
        if file.users == 0 || file.kind != Kind::Regular || !stat(file.kernel).is_some_and(is_same)
        {
            continue;
        }
        let kept = (::libc::O_ACCMODE | ::libc::O_APPEND) as u32;
        let flags = status_flags(file.kernel as usize) as u32 & kept;
        table().change(|table| {
            table.become_kind(k, Kind::Stored, number as i32, flags, !engine::active());
        });
        overlay::held(number).change(|inode| inode.open += 1);
    }
}

/// `close`.
///
/// The descriptor of a channel leaves the channel here, unless [`super::begin_close`] said that it has; what
/// that changes for other threads is the caller's business.
pub fn close(fd: usize) -> isize {
    let Some(file) = file(fd) else { return EBADF };
    let (kind, number, is_last) = (file.kind, file.kernel as usize, file.users == 1);
    let has_ranges = || file_number(fd as i32).is_some_and(overlay::locked_ranges::has_some);
    let is_locked = || file.lock != Lock::None || has_ranges();
    if is_last && kind == Kind::Stored && is_locked() {
        engine::unsupported("closing a locked file other than by close");
    }
    change_file(fd, |file| {
        file.users -= 1;
        if is_last {
            file.kind = Kind::Free;
        }
    });
    if kind == Kind::Channel {
        if !is_closing(fd as c_int) {
            let _ = channel::life::drop_end(number / 2, number % 2);
        }
        channel::life::count_entry(number / 2, false);
    }
    let fd = fd as c_int as usize;
    if is_last {
        channel::epoll_sets::forget(u32::from(entry(fd).file) - 1);
        match kind {
            Kind::Epoll => channel::epoll_sets::close(number),
            Kind::Stored => overlay::closed(number),
            _ => {}
        }
    }
    // Who has closed it knows: what it does with the number next is not what it did before.
    table().change(|table| {
        let opening = table.table[fd];
        table.table[fd].file = 0;
        table.closer[fd] = 0;
        table.forget(engine::thread(), fd, opening);
    });
    0
}

/// `dup` to the lowest free number that is at least `from`.
pub fn duplicate(fd: usize, from: usize) -> isize {
    if file(fd).is_none() {
        return EBADF;
    }
    match table().look(|table| table.lowest_free(from)) {
        Some(to) => duplicate_to(fd, to),
        None => EMFILE,
    }
}

/// `dup2`.
pub fn duplicate_to(fd: usize, to: usize) -> isize {
    let (fd, to) = (fd as c_int as usize, to as c_int as usize);
    if file(fd).is_none() || to >= DESCRIPTORS {
        return EBADF;
    }
    if fd != to {
        close(to);
        if let Some(file) = file(fd) {
            change_file(fd, |file| file.users += 1);
            if file.kind == Kind::Channel {
                let code = file.kernel as usize;
                channel::life::duplicate(code / 2, code % 2);
                channel::life::count_entry(code / 2, true);
            }
        }
        table().change(|table| table.enter(to, table.table[fd].file));
    }
    to as isize
}
