//! `epoll`: sets of descriptors that are kept between calls.
//!
//! Every call is an event that conflicts with everything: what it looks at is the state of all its
//! channels at once. An item is reported if its channel is ready; edge-triggered, if the channel also
//! became ready (again) since the item was reported last or set. Reporting begins after the item
//! that was reported last, so that all get their turn.
//!
//! An item goes when the open file that it names does, and not before (epoll(7)).
//!
//! Source: epoll(7), epoll_ctl(2), epoll_wait(2).

use super::change::Change;
use super::enter::error;
use super::epoll_sets::{close, item, set, Item, Set, ITEMS, SETS};
use super::order::acquire;
use super::ready::{events_of, Patience};
use super::table::{add_poller, channel, Channel, Kind as Of};
use super::waiting::{wait_for_bell, would_hang, Waited};
use crate::engine::{self, early};
use crate::libc::descriptor::{self, Kind};
use crate::libc::syscalls::touch;
use crate::pthread::signal::read;
use crate::thread_mask::ThreadMask;
use ::libc::epoll_event;
use dpor_model::Kind as Event;

fn everything() {
    engine::perform(engine::operation(Event::Opaque));
}

/// `epoll_create1`, after the event on the table.
pub fn create(flags: i32) -> isize {
    if flags & !::libc::EPOLL_CLOEXEC != 0 {
        return error(::libc::EINVAL);
    }
    let is_used = |number: usize| set(number).look(|set| set.is_used);
    let Some(number) = (0..SETS).find(|&number| !is_used(number)) else {
        engine::unsupported("more than 8 descriptors of epoll at once");
    };
    set(number).change(|set| {
        set.is_used = true;
        set.next = 0;
        set.pollers = ThreadMask::EMPTY;
        set.items.iter_mut().for_each(|item| item.file = 0);
    });
    let fd = descriptor::add(Kind::Epoll, number as i32);
    if fd < 0 {
        close(number);
    }
    fd
}

fn set_of(fd: i32) -> Result<usize, isize> {
    match descriptor::file(fd as usize) {
        None => Err(error(::libc::EBADF)),
        Some(file) if file.kind != Kind::Epoll => Err(error(::libc::EINVAL)),
        Some(file) => Ok(file.kernel as usize),
    }
}

/// `epoll_ctl`.
///
/// # Safety
/// `event` is null or points to an `epoll_event` of the program's.
pub unsafe fn control(epoll: i32, operation: i32, fd: i32, event: usize) -> isize {
    everything();
    let number = match set_of(epoll) {
        Ok(number) => number,
        Err(errno) => return errno,
    };
    let Some(kind) = descriptor::file(fd as usize).map(|file| file.kind) else {
        return error(::libc::EBADF);
    };
    match kind {
        Kind::Channel => {}
        Kind::Regular | Kind::Directory => return error(::libc::EPERM),
        Kind::Epoll if fd == epoll => return error(::libc::EINVAL),
        _ => engine::unsupported("epoll of anything but pipes, socket pairs and event counters"),
    }
    // SAFETY: `event` is not 0 here, so it points to the program's `epoll_event`, which may be
    // unaligned.
    let wanted = (event != 0).then(|| unsafe { (event as *const epoll_event).read_unaligned() });
    let Some(file) = descriptor::file_number(fd) else {
        return error(::libc::EBADF);
    };
    if let (Some((looked, _)), Some(wanted)) = (descriptor::channel_of_file(file), wanted) {
        check_signals(&channel(looked), wanted.events);
    }
    let found = set(number).change(|set| set.control(operation, (fd, file), wanted));
    match found {
        Err(::libc::ENOMEM) => engine::unsupported("more than 64 descriptors in a set of epoll"),
        Err(errno) => error(errno),
        Ok(pollers) => {
            Change { pollers }.tell();
            0
        }
    }
}

impl Set {
    /// `epoll_ctl` of a descriptor and the number of its open file. Tells who waits for the set.
    ///
    /// # Errors
    /// As the system call; `ENOMEM`: there is no room.
    fn control(
        &mut self,
        operation: i32,
        (fd, file): (i32, u32),
        wanted: Option<epoll_event>,
    ) -> Result<ThreadMask, i32> {
        let mut items = self.items.iter_mut();
        let found = items.find(|item| item.file == file + 1 && item.fd == fd);
        match (operation, found, wanted) {
            (::libc::EPOLL_CTL_DEL, Some(item), _) => item.file = 0,
            (::libc::EPOLL_CTL_DEL | ::libc::EPOLL_CTL_MOD, None, _) => return Err(::libc::ENOENT),
            (::libc::EPOLL_CTL_ADD, Some(_), _) => return Err(::libc::EEXIST),
            (::libc::EPOLL_CTL_ADD | ::libc::EPOLL_CTL_MOD, _, None) => return Err(::libc::EFAULT),
            (::libc::EPOLL_CTL_MOD, Some(item), Some(wanted)) => {
                (item.events, item.data, item.is_new) = (wanted.events, wanted.u64, true);
            }
            (::libc::EPOLL_CTL_ADD, None, Some(wanted)) => {
                let free = self.items.iter_mut().find(|item| item.file == 0);
                *free.ok_or(::libc::ENOMEM)? = Item {
                    fd,
                    file: file + 1,
                    events: wanted.events,
                    is_new: true,
                    data: wanted.u64,
                    seen: [0; 2],
                };
            }
            _ => return Err(::libc::EINVAL),
        }
        Ok(core::mem::replace(&mut self.pollers, ThreadMask::EMPTY))
    }
}

/// Refuses what the kernel tells of signals otherwise than of all else. In an event that conflicts
/// with everything.
fn check_signals(channel: &Channel, events: u32) {
    if channel.kind != Of::Signals {
        return;
    }
    if events & ::libc::EPOLLET as u32 != 0 {
        engine::unsupported("epoll of a signalfd with EPOLLET");
    }
    read::check_for_epoll(channel.count);
}

/// Flags of an item that are no events.
const FLAGS: u32 =
    (::libc::EPOLLET | ::libc::EPOLLONESHOT | ::libc::EPOLLEXCLUSIVE | ::libc::EPOLLWAKEUP) as u32;

/// `epoll_wait`.
///
/// # Safety
/// `to` is writable for `count` events of the program's.
pub unsafe fn wait(epoll: i32, to: usize, count: i32, patience: Patience) -> isize {
    if count <= 0 {
        return error(::libc::EINVAL);
    }
    let mut gives_up = !patience.waits();
    let mut waited = false;
    let mut may_be_early = patience.may_be_early();
    loop {
        everything();
        let number = match set_of(epoll) {
            Ok(number) => number,
            Err(errno) => return errno,
        };
        // SAFETY: `to` is writable for `count` events, as this function's caller guarantees.
        let found = unsafe { report(number, to, count as usize) };
        if found > 0 {
            return found as isize;
        }
        if gives_up {
            return patience.is_over(waited);
        }
        if engine::is_inside_event() {
            would_hang();
        }
        set(number).change(|set| set.pollers.insert(engine::thread()));
        for item in (0..ITEMS).map(|k| item(number, k)) {
            let end = (item.file != 0).then(|| descriptor::channel_of_file(item.file - 1));
            if let Some((channel_number, _)) = end.flatten() {
                add_poller(channel_number);
            }
        }
        // Others were told in the event that looked, and ring also if nobody waits any more.
        if core::mem::take(&mut may_be_early) && early::happens() {
            return patience.is_over(false);
        }
        match wait_for_bell(patience.is_limited()) {
            Waited::Ready => {}
            Waited::GaveUp => (gives_up, waited) = (true, true),
            Waited::Interrupted => return error(::libc::EINTR),
        }
    }
}

/// Tells what is ready in a set; returns how many items are.
///
/// # Safety
/// `to` is writable for `count` events of the program's.
unsafe fn report(number: usize, to: usize, count: usize) -> usize {
    let first = usize::from(set(number).look(|set| set.next));
    let mut found = 0;
    for k in (0..ITEMS).map(|k| (first + k) % ITEMS) {
        let mut item = item(number, k);
        let end = (item.file != 0).then(|| descriptor::channel_of_file(item.file - 1));
        let Some((channel_number, end)) = end.flatten() else {
            continue;
        };
        check_signals(&channel(channel_number), item.events);
        let wanted = match item.events & !FLAGS {
            0 if item.events & ::libc::EPOLLONESHOT as u32 != 0 => 0,
            events => events | (::libc::EPOLLERR | ::libc::EPOLLHUP) as u32,
        };
        let events = u32::from(events_of(channel_number, end) as u16) & wanted;
        let activity = channel(channel_number).activity[end];
        let is_edge = item.events & ::libc::EPOLLET as u32 != 0;
        if events == 0 || is_edge && !item.is_new && activity == item.seen {
            continue;
        }
        // Nobody asks what an item of levels remembers.
        item.seen = if is_edge { activity } else { [0; 2] };
        item.is_new = false;
        if item.events & ::libc::EPOLLONESHOT as u32 != 0 {
            item.events &= FLAGS;
        }
        set(number).change(|set| set.items[k] = item);
        let told = epoll_event {
            events,
            u64: item.data,
        };
        let at = to + found * size_of::<epoll_event>();
        touch(at, size_of::<epoll_event>());
        // SAFETY: fewer than `count` events were written, so `at` is inside of the program's array.
        unsafe { (at as *mut epoll_event).write_unaligned(told) };
        acquire(channel_number);
        set(number).change(|set| set.next = ((k + 1) % ITEMS) as u16);
        found += 1;
        if found == count {
            break;
        }
    }
    found
}

/// Sets that the program made before the root.
pub fn take_over() {
    let all: Vec<i32> = descriptor::foreign().collect();
    let sets = all
        .into_iter()
        .filter(|&fd| super::kernel::link(fd) == "anon_inode:[eventpoll]");
    for (number, fd) in sets.take(SETS).enumerate() {
        let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
        let items: Vec<&str> = told
            .lines()
            .filter(|line| line.starts_with("tfd:"))
            .collect();
        let mut known: Vec<Item> = items.iter().filter_map(|line| item_of(line)).collect();
        // The kernel tells them by where its own structures lie, which differs from run to run; the search has to be the
        // same in each.
        known.sort_by_key(|item| (item.fd, item.events, item.data));
        // Otherwise it stays the kernel's, and its use is unsupported.
        if known.len() == items.len() && known.len() <= ITEMS {
            set(number).change(|set| {
                set.is_used = true;
                set.items[..known.len()].copy_from_slice(&known);
            });
            descriptor::become_epoll(fd, number);
        }
    }
}

/// `tfd: 5 events: 19 data: 5 …` (proc(5)): a number in decimal, two in hexadecimal. Whether an
/// edge was reported already is not told; it is reported again.
fn item_of(line: &str) -> Option<Item> {
    let mut words = line.split_whitespace();
    let mut after = |key: &str| words.find(|word| *word == key).and_then(|_| words.next());
    let fd: i32 = after("tfd:")?.parse().ok()?;
    let events = u32::from_str_radix(after("events:")?, 16).ok()?;
    let data = u64::from_str_radix(after("data:")?, 16).ok()?;
    let is_channel = descriptor::file(fd as usize)?.kind == Kind::Channel;
    let file = descriptor::file_number(fd)? + 1;
    is_channel.then_some(Item {
        fd,
        file,
        events,
        is_new: true,
        data,
        seen: [0; 2],
    })
}
