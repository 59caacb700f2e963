//! The kernel's table is taken over, as it is where exploration begins.

use super::file::Kind;
use super::kernel::{kernel_offset, kind_of, same_file, status_flags};
use super::table::{change_file, entry, file, table, State, DESCRIPTORS};
use crate::state::Kept;
use core::sync::atomic::{AtomicI64, Ordering};
use dpor_machine::sys;

/// Offset of descriptor 0 at the root, or −errno.
static INPUT_OFFSET: Kept<AtomicI64> = Kept::new(AtomicI64::new(0));

/// Returns [`INPUT_OFFSET`]: the offset of descriptor 0 at the root, or −errno.
pub fn input_offset() -> i64 {
    INPUT_OFFSET.load(Ordering::Relaxed)
}

/// Takes the kernel's table over, but for the runtime's own descriptors.
pub fn at_root(hidden: &[i32]) {
    for fd in 0..DESCRIPTORS as i32 {
        // SAFETY: the command takes no pointer: the kernel only reads its table.
        let open =
            unsafe { sys::call3(::libc::SYS_fcntl, fd as usize, ::libc::F_GETFD as usize, 0) };
        if open < 0 || hidden.contains(&fd) {
            continue;
        }
        let same = (3..fd).find(|&other| entry(other as usize).file != 0 && same_file(other, fd));
        if let Some(other) = same.filter(|_| fd > 2) {
            table().change(|table| {
                let file = table.table[other as usize].file;
                table.enter(fd as usize, file);
                table.files[usize::from(file) - 1].users += 1;
            });
            continue;
        }
        let kind = match fd {
            0 => Kind::Input,
            1 | 2 => Kind::Output,
            _ => kind_of(fd).unwrap_or(Kind::Other),
        };
        let offset = kernel_offset(fd).max(0);
        table().change(|table| table.add_at(fd as usize, kind, fd, offset));
        if kind == Kind::Output {
            let flags = status_flags(fd as usize) as u32;
            change_file(fd as usize, |file| file.flags = flags);
        }
    }
    table().change(|table| table.root = table.table);
    INPUT_OFFSET.store(kernel_offset(0), Ordering::Relaxed);
}

/// Returns the descriptors of files of the disk that are open for writing. At the root.
pub fn open_for_writing() -> impl Iterator<Item = usize> {
    (0..DESCRIPTORS).filter(|&fd| {
        file(fd).is_some_and(|file| {
            let access = status_flags(file.kernel as usize) & ::libc::O_ACCMODE as isize;
            file.kind == Kind::Regular && access != ::libc::O_RDONLY as isize
        })
    })
}

/// Returns the descriptors that are neither files nor standard input or output, one for each open
/// file. At the root.
pub fn foreign() -> impl Iterator<Item = i32> {
    let is_first = |table: &State, fd: usize| {
        let number = table.table[fd].file;
        let first = table
            .table
            .iter()
            .position(|opening| opening.file == number);
        let file = table.files.get(usize::from(number).checked_sub(1)?)?;
        (file.kind == Kind::Other && first == Some(fd)).then_some(fd as i32)
    };
    (0..DESCRIPTORS).filter_map(move |fd| table().look(|table| is_first(table, fd)))
}

/// Makes the open file of a descriptor an end of a channel. Returns how many descriptors it has. At
/// the root.
pub fn become_channel(fd: i32, number: usize, end: usize, flags: u32) -> u16 {
    become_kind(fd, Kind::Channel, (2 * number + end) as i32, flags)
}

/// Makes the open file of a descriptor a set of `epoll`. At the root.
pub fn become_epoll(fd: i32, number: usize) {
    become_kind(fd, Kind::Epoll, number as i32, 0);
}

fn become_kind(fd: i32, kind: Kind, kernel: i32, flags: u32) -> u16 {
    table().change(|table| {
        let file = usize::from(table.table[fd as usize].file) - 1;
        table.become_kind(file, kind, kernel, flags, true)
    })
}
