//! The sets of `epoll`, in the world.

use crate::libc::descriptor;
use crate::scoped_cell::ScopedCell;
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back};
use dpor_model::ThreadId;

/// Number of sets at once, at most.
pub(super) const SETS: usize = 8;
/// Descriptors of a set.
pub(super) const ITEMS: usize = 64;

/// One descriptor of a set of `epoll`, with what is reported of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Item {
    pub(super) fd: i32,
    /// Number of the open file, plus 1; 0: the item is free.
    pub(super) file: u32,
    /// Events as `epoll_ctl` was given them; 0 also after a report with `EPOLLONESHOT`.
    pub(super) events: u32,
    pub(super) is_new: bool,
    pub(super) data: u64,
    /// [`super::Channel::activity`] when the item was reported last, of an item of edges.
    pub(super) seen: [u32; 2],
}

/// A set of descriptors.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Set {
    pub(super) is_used: bool,
    /// Index of the item at which the next look begins.
    pub(super) next: u16,
    pub(super) pollers: ThreadMask,
    pub(super) items: [Item; ITEMS],
}

/// State of the sets that a restore takes back.
#[repr(C)]
pub struct State {
    pub(super) sets: [Set; SETS],
}

rolled_back!(static STATE: RolledBack<State> = world::EPOLL);

/// Returns a set, by number, to be changed.
pub(super) fn set(number: usize) -> ScopedCell<Set> {
    // SAFETY: the state lies in the world, and is reached through this function and `channels`
    // only; the array checks the index.
    unsafe { ScopedCell::at(&raw mut (*STATE.get()).sets[number]) }
}

/// Says what lies at an address, in words, if it is a set.
pub fn describe_place(address: usize) -> Option<String> {
    let offset = address.checked_sub(STATE.get() as usize)?;
    (offset < size_of::<State>()).then(|| "a set of epoll".to_owned())
}

/// Returns an item of a set, as it is now.
pub(super) fn item(number: usize, k: usize) -> Item {
    set(number).look(|set| set.items[k])
}

/// Forgets an open file whose last descriptor is gone, in an event on the table.
pub fn forget(file: u32) {
    // SAFETY: the state lies in the world, which is mapped, and nothing else borrows it meanwhile.
    unsafe { ScopedCell::at(STATE.get()) }.change(|all| {
        let items = all.sets.iter_mut().flat_map(|set| &mut set.items);
        let gone = items.filter(|item| item.file == file + 1);
        gone.for_each(|item| item.file = 0);
    });
}

/// Returns whether an item remembers this number of an end's reading or writing ([`super::Channel::activity`]).
pub(super) fn remembers(of: (usize, usize), way: usize, activity: u32) -> bool {
    // SAFETY: the state lies in the world, which is mapped, and nothing else borrows it meanwhile.
    unsafe { ScopedCell::at(STATE.get()) }.look(|all| {
        let used = all.sets.iter().filter(|set| set.is_used);
        let items = used.flat_map(|set| &set.items);
        { items }.any(|item| {
            let is_edge = item.events & ::libc::EPOLLET as u32 != 0;
            item.file != 0
                && is_edge
                && item.seen[way] == activity
                && descriptor::channel_of_file(item.file - 1) == Some(of)
        })
    })
}

/// Frees a set whose last descriptor is gone.
pub fn close(number: usize) {
    set(number).change(|set| set.is_used = false);
}

/// Returns whether a thread other than this one waits, or has waited, for a set that the channel is
/// in. In an event that conflicts with everything.
pub(super) fn is_awaited_by_others(number: usize, thread: ThreadId) -> bool {
    let has = |item: &Item| {
        let end = (item.file != 0).then(|| descriptor::channel_of_file(item.file - 1));
        end.flatten().is_some_and(|(found, _)| found == number)
    };
    (0..SETS).any(|number| {
        let (is_used, pollers) = set(number).look(|set| (set.is_used, set.pollers));
        let is_awaited = is_used && !pollers.minus(&ThreadMask::of(thread)).is_empty();
        is_awaited && (0..ITEMS).any(|k| has(&item(number, k)))
    })
}
