//! Plain accesses: judged by happens-before, or events of their own with `--plain=explore`.

use super::awaiting;
use super::event::{event, event_or_wait, faulted};
use super::options::plain_is_explored;
use super::race::report;
use crate::engine::accesses::cells::{note_before, note_read, note_write};
use crate::engine::accesses::faulting;
use crate::engine::properties::watched::is_watched;
use crate::engine::runtime::{runtime, CHANGED, WRITTEN};
use crate::engine::{self, call_stacks, long_step, properties};
use crate::malloc::alone;
use crate::{annotations, own_stack_stores};
use core::sync::atomic::Ordering;
use dpor_abi::options::Races;
use dpor_abi::order;
use dpor_model::{Detail, Kind, SiteId};
use dpor_races::Look;

/// Returns whether an access is the program's own affair: nothing is explored, nor does that begin
/// with it. Of the function of a property, which runs between two steps, it is noted.
#[inline(always)]
pub fn is_unjudged(address: u64, bytes: u64, is_write: bool, site: SiteId) -> bool {
    !engine::active() && is_unjudged_now(address, bytes, is_write, site)
}

#[inline]
fn is_unjudged_now(address: u64, bytes: u64, is_write: bool, site: SiteId) -> bool {
    if properties::look::is_on() {
        properties::look::note(address, bytes, is_write);
        return true;
    }
    !alone::begins(address, bytes, site)
}

/// Tells of a plain access that is about to happen.
#[inline(always)]
pub fn access(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    if bytes == 0 || is_unjudged(address, bytes, is_write, site) {
        return;
    }
    let (ignored, explored) = (annotations::ignoring(), plain_is_explored());
    if is_write && !explored && is_watched(address, bytes) {
        // A property sees it: the step ends here.
        explore(address, bytes, is_write, site);
        if ignored {
            return note_written(address, bytes);
        }
        return tell(address, bytes, is_write, site);
    }
    if !ignored && !explored {
        // The step may end here: what is noted behind it is of the one in which the access is made.
        long_step::count_plain_access(site);
    }
    note_read(address, bytes);
    if ignored {
        if is_write {
            note_written(address, bytes);
        }
        return;
    }
    if explored {
        explore(address, bytes, is_write, site);
        return tell_explored(address, bytes, is_write, site);
    }
    tell(address, bytes, is_write, site);
}

/// Tells of a plain access by a function of libc that is about to happen, or happened in this step,
/// and is no event.
pub fn judge(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    if bytes == 0 {
        return;
    }
    note_read(address, bytes);
    if is_write {
        // What was there may be gone.
        CHANGED.store(true, Ordering::Relaxed);
    }
    if annotations::ignoring() {
        return;
    }
    match plain_is_explored() {
        true => tell_explored(address, bytes, is_write, site),
        false => tell(address, bytes, is_write, site),
    }
}

/// Tells of a system call of the program's that takes away, replaces or protects private memory:
/// whoever uses it unordered with that may fault in another order. For the race detector all bytes
/// are written, however many: where nobody accessed them yet, it costs no shadow memory.
pub fn replace(address: usize, bytes: usize, site: SiteId) {
    if !engine::active() || bytes == 0 || annotations::ignoring() {
        return;
    }
    note_written(address as u64, bytes as u64);
    note_write(address, bytes as u64);
    if let Some((mut races, thread)) = engine::races() {
        let site = call_stacks::at_this_moment(site);
        report(races.replace(thread, address as u64, bytes as u64, site));
    }
}

/// Notes that the running thread is about to store without an event.
#[inline(always)]
fn note_written(address: u64, bytes: u64) {
    WRITTEN.store(true, Ordering::Relaxed);
    if !CHANGED.load(Ordering::Relaxed) && !own_stack_stores::keep(address, bytes) {
        CHANGED.store(true, Ordering::Relaxed);
    }
}

/// Tells the search of a plain access that the race detector knows.
#[inline(always)]
pub(super) fn note(address: u64, bytes: u64, is_write: bool) {
    if is_write {
        note_written(address, bytes);
        note_write(address as usize, bytes);
    }
}

/// Tells the search and the race detector what a plain access means to them.
#[inline(always)]
pub(super) fn tell(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    note(address, bytes, is_write);
    if let Some((mut races, thread)) = engine::races_of_access() {
        let site = call_stacks::of_plain_access(site);
        // With --plain=explore every access is an event, but still no synchronization.
        report(if is_write {
            races.write(thread, address, bytes, site)
        } else {
            races.read(thread, address, bytes, site)
        });
    }
}

/// Tells of a plain access, as [`tell`], with `--plain=explore`. Without looking for races,
/// accesses order what comes behind them as atomic ones do: then what is not ordered may come in
/// both orders, and what is found is no race but memory whose life may have ended.
pub(super) fn tell_explored(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    // SAFETY: called while active; the options stay as they are.
    if unsafe { (*runtime()).options.races } != Races::Off {
        return tell(address, bytes, is_write, site);
    }
    if is_write {
        note_written(address, bytes);
        note_write(address as usize, bytes);
    }
    if let Some((mut races, thread)) = engine::races() {
        let site = call_stacks::here(site);
        for (at, width) in pieces(address, bytes) {
            report(match is_write {
                true => races.atomic_store(thread, at, width, order::SEQ_CST, site),
                false => races.atomic_load(thread, at, width, order::SEQ_CST, site),
            });
        }
    }
}

/// Makes an event of an access that is about to happen.
pub fn explore(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    explore_as(
        if is_write { Kind::Store } else { Kind::Load },
        address,
        bytes,
        site,
    );
}

/// Makes an access that may both read and write an event, as [`explore`] does.
pub fn explore_both(address: u64, bytes: u64, site: SiteId) {
    explore_as(Kind::ReadModifyWrite, address, bytes, site);
}

fn explore_as(kind: Kind, address: u64, bytes: u64, site: SiteId) {
    let width = bytes.min(u64::from(u32::MAX)) as u32;
    let waiting = match kind {
        Kind::Load => awaiting::load(address as usize, width),
        _ => None,
    };
    awaiting::arrive(waiting, address as usize, width, Look::Plain, 0, site);
    event_or_wait(
        kind,
        0,
        address as usize,
        width,
        Detail::None,
        site,
        waiting,
    );
    if bytes <= 16 {
        while faults(kind, address as usize, width) {
            faulted(kind, 0, address as usize, width, site);
            event(kind, 0, address as usize, width, Detail::None, site);
        }
        // SAFETY: a fiber runs. The access follows the hook; a later value of a cell that matters
        // is noted as a trailing write.
        unsafe { (*runtime()).executed.after = (*runtime()).executed.before };
    }
    match kind {
        Kind::Load => {}
        _ if bytes <= 16 => note_explored(address, bytes),
        _ => note_write(address as usize, bytes),
    }
}

/// Notes a write that is an event: what it leaves is told in any case. Somebody may wait for its
/// cell later, in this process or in one that goes on from here, and ask what was there.
fn note_explored(address: u64, bytes: u64) {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    let end = address + bytes.max(1);
    for cell in address >> 3..=(end - 1) >> 3 {
        let first = address.max(cell << 3);
        let behind = end.min((cell + 1) << 3);
        rt.trailing_cells.push((first, behind - first));
    }
}

/// Notes the cells before an access; whether it will fault, as far as reads and stores go.
fn faults(kind: Kind, address: usize, bytes: u32) -> bool {
    note_before(address, bytes);
    if kind == Kind::Store && !faulting::is_pending() {
        for at in [address, address + bytes.max(1) as usize - 1] {
            // SAFETY: the program is about to write there; nothing else runs.
            unsafe { faulting::write(at, (at as *const u8).read_volatile()) };
        }
    }
    faulting::is_pending()
}

/// Cuts an access into pieces of at most 16 bytes that do not cross a 16-byte boundary.
pub fn pieces(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u32)> {
    let mut at = address;
    core::iter::from_fn(move || {
        let left = (address + bytes).saturating_sub(at);
        if left == 0 {
            return None;
        }
        let width = left.min(16 - at % 16);
        at += width;
        Some((at - width, width as u32))
    })
}
