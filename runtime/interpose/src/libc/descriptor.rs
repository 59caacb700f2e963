//! The program's table of descriptors, kept here instead of in the kernel.
//!
//! A descriptor names an open file; an open file has a kernel descriptor behind it and an offset.
//! Numbers and offsets are rolled back with the program; the kernel's are never used (`pread` instead
//! of `read`), so nothing has to be put right in the kernel. A file that was opened once stays open
//! ([`Opened`]) and serves every later open of the same path, in this execution and in others.

use super::{channel, overlay, state};
use crate::engine::{self, object};
use crate::scoped_cell::ScopedCell;
use crate::state::{Kept, Plain};
use crate::world::THREADS_MAX;
use core::ffi::c_int;
use core::sync::atomic::{AtomicI64, Ordering};
use dpor_explorer::program::ObjectId;
use dpor_machine::sys;

/// Descriptors are below this.
pub const DESCRIPTORS: usize = 256;
const FILES: usize = 128;

/// The sort of thing that is behind a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// Nothing: a free entry. (The state is all-zero at first.)
    Free = 0,
    /// Descriptor 1 or 2 of the start: what is written there is captured.
    Output,
    /// Descriptor 0 of the start.
    Input,
    /// A regular file, for reading.
    Regular,
    /// A directory of the disk.
    Directory,
    /// `/dev/null` and `/dev/zero`.
    Null,
    /// `/dev/random` and `/dev/urandom`.
    Random,
    /// Opened before the root, and none of these.
    Other,
    /// An end of a pipe, socket pair or event counter ([`super::channel`]).
    Channel,
    /// Returns whether a set of `epoll` was opened.
    Epoll,
    /// A file of the overlay ([`super::overlay`]).
    Stored,
}

/// What an open file excludes others from (`flock`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Lock {
    /// The open file has no lock.
    None = 0,
    /// A shared lock, which excludes an exclusive one.
    Shared,
    /// An exclusive lock, which excludes any other.
    Exclusive,
}

/// One open file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct File {
    /// The sort of the file; [`Kind::Free`]: the entry is unused.
    pub kind: Kind,
    /// Number of descriptors that name the file.
    users: u32,
    /// The kernel's descriptor. A channel: twice its number, and the end. A set of `epoll`, a
    /// file of the overlay: its number.
    pub kernel: i32,
    /// Status flags and access mode, of channels, files of the overlay, and what is captured.
    pub flags: u32,
    /// The lock that the open file has, if it is one of the overlay.
    pub lock: Lock,
    /// Position of the next read or write, in bytes.
    pub offset: i64,
}

/// One opening of a descriptor: number of the file plus 1 (0: none), the end of a channel that it
/// is, and which opening of the descriptor it is (modulo 65,536).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Opening {
    file: u8,
    /// 1 + twice the channel's number + the end; 0: none; [`INODE`] and above; [`EPOLL`].
    channel: u8,
    serial: u16,
}

const NOTHING: Opening = Opening {
    file: 0,
    channel: 0,
    serial: 0,
};

/// Value of [`Opening::channel`]: a set of `epoll`.
const EPOLL: u8 = u8::MAX;
/// Value of [`Opening::channel`] for inode 0 of the overlay; the others follow.
const INODE: u8 = 1 + 2 * channel::CHANNELS as u8;
const _: () = assert!(INODE as usize + overlay::INODES < EPOLL as usize);

impl Opening {
    /// Returns the channel and the end of it that was opened, if it was one.
    pub fn channel_end(self) -> Option<(usize, usize)> {
        let code = usize::from(self.channel).checked_sub(1)?;
        (self.channel < INODE).then_some((code / 2, code % 2))
    }

    /// Returns the number of the file of the overlay that was opened, if it was one.
    pub fn inode(self) -> Option<usize> {
        let is_inode = (INODE..EPOLL).contains(&self.channel);
        is_inode.then(|| usize::from(self.channel - INODE))
    }

    /// Returns whether a set of `epoll` was opened.
    pub fn is_epoll(self) -> bool {
        self.channel == EPOLL
    }
}

/// The table: what each descriptor is; the files; and what each thread knows of the table.
#[repr(C)]
pub struct State {
    table: [Opening; DESCRIPTORS],
    /// The thread that is about to empty the entry, + 1; or 0.
    closer: [u16; DESCRIPTORS],
    /// The table as it was at the root; all threads know it.
    root: [Opening; DESCRIPTORS],
    files: [File; FILES],
    /// By thread: the opening of each descriptor that it knows, and one that it has seen closed.
    known: [[Opening; DESCRIPTORS]; THREADS_MAX],
    gone: [[Opening; DESCRIPTORS]; THREADS_MAX],
}

const EBADF: isize = -(::libc::EBADF as isize);
const EMFILE: isize = -(::libc::EMFILE as isize);

fn table() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // only.
    unsafe { ScopedCell::at(&raw mut (*state()).descriptors) }
}

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

/// Kernel descriptors that are looked at after a fork: more than a program opens here ([`FILES`]).
const KERNEL_DESCRIPTORS: usize = 1024;

/// Gives this process, which was just forked, directories with positions of their own: the kernel knows no
/// way to read one at a given position, and an open file that is inherited is shared with the parent. False
/// if the kernel does not allow it.
pub fn reopen_directories() -> bool {
    (0..KERNEL_DESCRIPTORS as i32).all(|fd| {
        let format = stat(fd).map_or(0, |stat| stat.st_mode & ::libc::S_IFMT);
        if format != ::libc::S_IFDIR {
            return true;
        }
        let path = format!("/proc/self/fd/{fd}\0");
        let flags = (::libc::O_RDONLY | ::libc::O_DIRECTORY | ::libc::O_CLOEXEC) as usize;
        let (at, path) = (::libc::AT_FDCWD as usize, path.as_ptr() as usize);
        // SAFETY: the path ends with a zero; the descriptors are the runtime's.
        unsafe {
            let new = sys::call6(::libc::SYS_openat, at, path, flags, 0, 0, 0);
            if new < 0 {
                return false;
            }
            let moved = sys::call3(::libc::SYS_dup3, new as usize, fd as usize, 0);
            sys::call3(::libc::SYS_close, new as usize, 0, 0);
            moved >= 0
        }
    })
}

fn kernel_offset(fd: i32) -> i64 {
    // SAFETY: a seek by 0 from where the file stands takes no pointer and changes nothing.
    (unsafe { sys::call3(::libc::SYS_lseek, fd as usize, 0, ::libc::SEEK_CUR as usize) }) as i64
}

/// Returns whether two kernel descriptors share an offset. Where the kernel does not tell: whether
/// they are the same file, which is true more often.
fn same_file(one: i32, other: i32) -> bool {
    if let Some(same) = compared(one, other) {
        return same;
    }
    match (stat(one), stat(other)) {
        (Some(one), Some(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}

/// Returns whether two kernel descriptors are the same open file; `None`: the kernel does not tell.
fn compared(one: i32, other: i32) -> Option<bool> {
    const KCMP_FILE: usize = 0;
    // SAFETY: these system calls take no pointers and change nothing.
    unsafe {
        let me = sys::call3(::libc::SYS_getpid, 0, 0, 0) as usize;
        let (one, other) = (one as usize, other as usize);
        let result = sys::call6(::libc::SYS_kcmp, me, me, KCMP_FILE, one, other, 0);
        (result >= 0).then_some(result == 0)
    }
}

/// Returns what the kernel says of a descriptor of its own.
pub fn stat(fd: i32) -> Option<::libc::stat> {
    // SAFETY: the structure is plain numbers, for which zero is a value; the kernel fills it.
    unsafe {
        let mut stat: ::libc::stat = core::mem::zeroed();
        let result = sys::call3(::libc::SYS_fstat, fd as usize, &raw mut stat as usize, 0);
        (result == 0).then_some(stat)
    }
}

/// Returns what a kernel descriptor is, if the program may have it open for reading.
fn kind_of(fd: i32) -> Option<Kind> {
    kind_of_stat(&stat(fd)?)
}

/// Returns the sort of a file with these attributes; `None`: a pipe, a socket, or a device that is
/// not known.
pub fn kind_of_stat(stat: &::libc::stat) -> Option<Kind> {
    let device = (::libc::major(stat.st_rdev), ::libc::minor(stat.st_rdev));
    match (stat.st_mode & ::libc::S_IFMT, device) {
        (::libc::S_IFREG, _) => Some(Kind::Regular),
        (::libc::S_IFDIR, _) => Some(Kind::Directory),
        (::libc::S_IFCHR, (1, 3 | 5)) => Some(Kind::Null),
        (::libc::S_IFCHR, (1, 8 | 9)) => Some(Kind::Random),
        _ => None,
    }
}

impl State {
    fn add_at(&mut self, fd: usize, kind: Kind, kernel: i32, offset: i64) -> bool {
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
    fn enter(&mut self, fd: usize, file: u8) {
        self.table[fd] = Opening {
            file,
            channel: code_of(&self.files[usize::from(file) - 1]),
            serial: self.table[fd].serial.wrapping_add(1),
        };
        self.closer[fd] = 0;
        if engine::active() {
            let thread = usize::from(engine::thread().0);
            self.known[thread][fd] = self.table[fd];
            self.gone[thread][fd] = NOTHING;
        }
    }

    /// Makes an open file something else from now on, `at_root`: also as the root has it. Returns
    /// how many descriptors it has.
    fn become_kind(
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

    fn lowest_free(&self, from: usize) -> Option<usize> {
        (from..DESCRIPTORS).find(|&fd| self.table[fd].file == 0)
    }
}

/// Returns what [`Opening`] tells of an open file.
fn code_of(file: &File) -> u8 {
    match file.kind {
        Kind::Channel => file.kernel as u8 + 1,
        Kind::Epoll => EPOLL,
        Kind::Stored => INODE + file.kernel as u8,
        _ => 0,
    }
}

/// Returns what a descriptor names.
fn entry(fd: usize) -> Opening {
    table().look(|table| table.table[fd])
}

/// Returns 1 + the thread that is about to empty an entry, or 0, see [`State::closer`].
fn closer(fd: usize) -> u16 {
    table().look(|table| table.closer[fd])
}

/// Returns the running thread's number plus 1.
fn me() -> u16 {
    engine::thread().0 + 1
}

fn index(fd: i32) -> Option<usize> {
    usize::try_from(fd).ok().filter(|&fd| fd < DESCRIPTORS)
}

/// Returns what the running thread knows the descriptor to be: a function of its own past.
pub fn known(fd: i32) -> Option<Opening> {
    let fd = index(fd)?;
    let thread = usize::from(engine::thread().0);
    table().look(|table| {
        let opening = match table.known[thread][fd] {
            NOTHING => table.root[fd],
            known => known,
        };
        (opening.file != 0 && opening != table.gone[thread][fd]).then_some(opening)
    })
}

/// Takes over what the descriptor is, after an event on the table. False if it is not open, or only
/// as the opening that the thread has seen closed.
pub fn learn(fd: i32) -> bool {
    let Some(fd) = index(fd) else { return false };
    let thread = usize::from(engine::thread().0);
    table().change(|table| {
        let opening = table.table[fd];
        if opening.file == 0 || opening == table.gone[thread][fd] {
            return false;
        }
        table.known[thread][fd] = opening;
        true
    })
}

/// Returns, after an event on the open file, whether nobody has closed the descriptor.
pub fn is_still(fd: i32, opening: Opening) -> bool {
    index(fd).is_some_and(|fd| entry(fd) == opening && [0, me()].contains(&closer(fd)))
}

/// Forgets what the thread knows of a descriptor, of which somebody closed this opening.
pub fn forget(fd: i32, opening: Opening) {
    if let Some(fd) = index(fd) {
        let thread = usize::from(engine::thread().0);
        table().change(|table| table.gone[thread][fd] = opening);
    }
}

/// Returns whether the running thread is in the second half of closing a descriptor.
pub fn is_closing(fd: i32) -> bool {
    index(fd).is_some_and(|fd| closer(fd) == me())
}

/// Returns the number of a descriptor's open file.
pub fn file_number(fd: i32) -> Option<u32> {
    let number = entry(index(fd)?).file;
    u32::from(number).checked_sub(1)
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

/// Adds a descriptor of an end of a channel. Returns its number or −errno.
pub fn add_channel(number: usize, end: usize, flags: u32) -> isize {
    let fd = add(Kind::Channel, (2 * number + end) as i32);
    if let Ok(fd) = usize::try_from(fd) {
        change_file(fd, |file| file.flags = flags);
        channel::open::count_entry(number, true);
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

fn status_flags(kernel: usize) -> isize {
    // SAFETY: the command takes no pointer: the kernel only reads its table.
    unsafe { sys::call3(::libc::SYS_fcntl, kernel, ::libc::F_GETFL as usize, 0) }
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

/// Returns the open file of a descriptor that is the only one.
pub fn file_of_last(fd: i32) -> Option<File> {
    file(fd as usize).filter(|file| file.users == 1)
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

/// Returns whether two kernel descriptors are the same open file, if the kernel tells.
pub fn is_same_file(one: i32, other: i32) -> bool {
    compared(one, other) == Some(true)
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

/// Returns the object that calls on an opening share: the open file, or the inode of the overlay.
pub fn object_of(opening: Opening) -> ObjectId {
    if (INODE..EPOLL).contains(&opening.channel) {
        return object::inode(opening.channel - INODE);
    }
    object::descriptor(i32::from(opening.file) - 1)
}

/// Notes that the running thread is about to close an open descriptor: nobody else can use it any
/// more.
pub fn begin_close(fd: i32) {
    if let Some(fd) = index(fd) {
        table().change(|table| table.closer[fd] = me());
    }
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

/// Returns the object of a FILE's or a directory stream's descriptor: its open file. As long as the
/// stream is open, nobody but the stream closes it.
pub fn object(fd: i32) -> ObjectId {
    match index(fd).map(entry) {
        Some(opening) if opening.file > 0 => object_of(opening),
        _ => object::descriptor(i32::MIN | fd),
    }
}

/// Adds a descriptor for a kernel descriptor. Returns its number or −errno.
pub fn add(kind: Kind, kernel: i32) -> isize {
    table().change(|table| match table.lowest_free(0) {
        Some(fd) if table.add_at(fd, kind, kernel, 0) => fd as isize,
        _ => EMFILE,
    })
}

/// `close`.
///
/// The descriptor of a channel leaves the channel here, unless [`begin_close`] said that it has; what
/// that changes for other threads is the caller's business.
pub fn close(fd: usize) -> isize {
    let Some(file) = file(fd) else { return EBADF };
    let (kind, number, is_last) = (file.kind, file.kernel as usize, file.users == 1);
    let has_ranges = || file_number(fd as i32).is_some_and(overlay::ranges::has_some);
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
            let _ = channel::open::drop_end(number / 2, number % 2);
        }
        channel::open::count_entry(number / 2, false);
    }
    let fd = fd as c_int as usize;
    if is_last {
        channel::epoll::forget(u32::from(entry(fd).file) - 1);
        match kind {
            Kind::Epoll => channel::epoll::close(number),
            Kind::Stored => overlay::closed(number),
            _ => {}
        }
    }
    // Who has closed it knows: what it does with the number next is not what it did before.
    table().change(|table| {
        table.gone[engine::thread().0 as usize][fd] = table.table[fd];
        table.table[fd].file = 0;
        table.closer[fd] = 0;
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
                channel::open::duplicate(code / 2, code % 2);
                channel::open::count_entry(code / 2, true);
            }
        }
        table().change(|table| table.enter(to, table.table[fd].file));
    }
    to as isize
}

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
