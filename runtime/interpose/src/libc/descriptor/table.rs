//! The table itself: what each descriptor names, and the open files.

use super::file::{code_of, File, Kind, Lock, Opening, EPOLL, INODE, NOTHING};
use super::kernel::is_same_file;
use crate::engine::{self, object};
use crate::hooks::options::is_by_states;
use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back, THREADS_MAX};
use core::ffi::c_int;
use dpor_model::ObjectId;

/// Descriptors are below this.
pub const DESCRIPTORS: usize = 256;

pub(super) const FILES: usize = 128;

/// The table: what each descriptor is; the files; and what each thread knows of the table.
#[repr(C)]
pub struct State {
    pub(super) table: [Opening; DESCRIPTORS],
    /// The thread that is about to empty the entry, + 1; or 0.
    pub(super) closer: [u16; DESCRIPTORS],
    /// The table as it was at the root; all threads know it.
    pub(super) root: [Opening; DESCRIPTORS],
    pub(super) files: [File; FILES],
    /// By thread: the opening of each descriptor that it knows, and one that it has seen closed.
    pub(super) known: [[Opening; DESCRIPTORS]; THREADS_MAX],
    pub(super) gone: [[Opening; DESCRIPTORS]; THREADS_MAX],
}

rolled_back!(static STATE: RolledBack<State> = world::DESCRIPTORS);

pub(super) fn table() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // only.
    unsafe { ScopedCell::at(STATE.get()) }
}

impl State {
    pub(super) fn add_at(&mut self, fd: usize, kind: Kind, kernel: i32, offset: i64) -> bool {
        let Some(free) = self.files.iter().position(|file| file.users == 0) else {
            return false;
        };
        self.files[free] = File {
            kind,
            users: 1,
            kernel,
            flags: 0,
            lock: Lock::None,
            offset,
        };
        self.enter(fd, free as u8 + 1);
        true
    }

    /// Fills an entry, for the running thread.
    pub(super) fn enter(&mut self, fd: usize, file: u8) {
        self.table[fd] = Opening {
            file,
            channel: code_of(&self.files[usize::from(file) - 1]),
            serial: self.next_serial(fd),
        };
        self.closer[fd] = 0;
        if engine::active() {
            let thread = usize::from(engine::thread().0);
            self.known[thread][fd] = self.table[fd];
            self.gone[thread][fd] = NOTHING;
        }
    }

    /// Tells the next opening of a descriptor from all before it. A number says nothing but whether two openings are the
    /// same one: where states are remembered, which have to come back, it is the lowest that nobody knows.
    fn next_serial(&self, fd: usize) -> u16 {
        let next = self.table[fd].serial.wrapping_add(1);
        if !engine::active() || !is_by_states() {
            return next;
        }
        let is_known = |serial: &u16| {
            let mut by_threads = self.known.iter().chain(&self.gone);
            by_threads.any(|openings| openings[fd].serial == *serial)
        };
        let is_new = |serial: &u16| *serial != self.root[fd].serial && !is_known(serial);
        (1..u16::MAX).find(is_new).unwrap_or(next)
    }

    /// Makes an open file something else from now on, `at_root`: also as the root has it. Returns
    /// how many descriptors it has.
    pub(super) fn become_kind(
        &mut self,
        file: usize,
        kind: Kind,
        kernel: i32,
        flags: u32,
        at_root: bool,
    ) -> u16 {
        let its = &mut self.files[file];
        (its.kind, its.kernel, its.flags) = (kind, kernel, flags);
        let (users, code) = (its.users, code_of(its));
        let root = self.root.iter_mut().filter(|_| at_root);
        let entries = self.table.iter_mut().chain(root);
        for opening in entries.filter(|opening| usize::from(opening.file) == file + 1) {
            opening.channel = code;
        }
        users as u16
    }

    pub(super) fn lowest_free(&self, from: usize) -> Option<usize> {
        (from..DESCRIPTORS).find(|&fd| self.table[fd].file == 0)
    }
}

/// Returns what a descriptor names.
pub(super) fn entry(fd: usize) -> Opening {
    table().look(|table| table.table[fd])
}

/// Returns 1 + the thread that is about to empty an entry, or 0, see [`State::closer`].
pub(super) fn closer(fd: usize) -> u16 {
    table().look(|table| table.closer[fd])
}

/// Returns the running thread's number plus 1.
pub(super) fn me() -> u16 {
    engine::thread().0 + 1
}

pub(super) fn index(fd: i32) -> Option<usize> {
    usize::try_from(fd).ok().filter(|&fd| fd < DESCRIPTORS)
}

/// Returns the open file of a descriptor, unless another thread closes it.
pub fn file(fd: usize) -> Option<File> {
    let number = number_of(fd)?;
    table().look(|table| table.files.get(number).copied())
}

/// Changes it, if it is there.
pub fn change_file(fd: usize, change: impl FnOnce(&mut File)) {
    if let Some(number) = number_of(fd) {
        table().change(|table| change(&mut table.files[number]));
    }
}

/// Lets the next read or write of an open file begin at an offset.
pub fn set_offset(fd: usize, offset: i64) {
    change_file(fd, |file| file.offset = offset);
}

fn number_of(fd: usize) -> Option<usize> {
    let fd = index(fd as c_int)?;
    if ![0, me()].contains(&closer(fd)) {
        return None;
    }
    usize::from(entry(fd).file).checked_sub(1)
}

/// Returns the number of a descriptor's open file.
pub fn file_number(fd: i32) -> Option<u32> {
    let number = entry(index(fd)?).file;
    u32::from(number).checked_sub(1)
}

/// Returns the open file of a descriptor that is the only one.
pub fn file_of_last(fd: i32) -> Option<File> {
    file(fd as usize).filter(|file| file.users == 1)
}

/// Returns whether an open descriptor is a channel's.
pub fn is_channel(fd: i32) -> bool {
    index(fd).is_some_and(|fd| entry(fd).channel_end().is_some())
}

/// Returns the channel's end that an open file is.
pub fn channel_of_file(file: u32) -> Option<(usize, usize)> {
    let file = table().look(|table| table.files[file as usize]);
    let code = file.kernel as usize;
    (file.kind == Kind::Channel).then_some((code / 2, code % 2))
}

/// Returns whether all locks on a file of the overlay are such, one for each open file.
pub fn are_locks(number: usize, such: impl Fn(Lock) -> bool) -> bool {
    let is_its = |file: &&File| {
        file.users > 0 && file.kind == Kind::Stored && file.kernel as usize == number
    };
    table().look(|table| {
        table
            .files
            .iter()
            .filter(is_its)
            .all(|file| such(file.lock))
    })
}

/// Changes the status flags of the captured output that is this descriptor of the kernel's; 1 and 2 are
/// often one open file. False if it is the input, too.
pub fn set_output_flags(kernel: i32, flags: u32) -> bool {
    if is_same_file(0, kernel) {
        return false;
    }
    let is_same = |other: i32| other == kernel || is_same_file(other, kernel);
    for k in 0..FILES {
        let file = table().look(|table| table.files[k]);
        if file.users > 0 && file.kind == Kind::Output && is_same(file.kernel) {
            table().change(|table| table.files[k].flags = flags);
        }
    }
    true
}

/// Returns the object that calls on an opening share: the open file, or the inode of the overlay.
pub fn object_of(opening: Opening) -> ObjectId {
    if (INODE..EPOLL).contains(&opening.channel) {
        return object::inode(opening.channel - INODE);
    }
    object::descriptor(i32::from(opening.file) - 1)
}

/// Returns the object of a FILE's or a directory stream's descriptor: its open file. As long as the
/// stream is open, nobody but the stream closes it.
pub fn object(fd: i32) -> ObjectId {
    match index(fd).map(entry) {
        Some(opening) if opening.file > 0 => object_of(opening),
        _ => object::descriptor(i32::MIN | fd),
    }
}
