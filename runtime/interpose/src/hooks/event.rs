//! The event of a memory access: published, waited for, performed, with the cells noted before and after.

use super::awaiting::{self, Waiting};
use super::native;
use super::race::report;
use crate::engine::accesses::cells::{note_after, note_before, note_store};
use crate::engine::accesses::faulting;
use crate::engine::runtime::runtime;
use crate::engine::{self, properties};
use crate::pthread::cancel;
use dpor_abi::order;
use dpor_model::{Argument, Detail, Iteration, Kind, Operation, SiteId, NO_OBJECT};

/// Publishes a memory operation and waits. `argument`: an [`dpor_model::update`].
#[inline(always)]
pub(super) fn event(
    kind: Kind,
    argument: u64,
    address: usize,
    bytes: u32,
    detail: Detail,
    site: SiteId,
) {
    event_or_wait(kind, argument, address, bytes, detail, site, None);
}

/// Performs the event of an access that may wait, as `waiting` says.
#[inline(always)]
pub(super) fn event_or_wait(
    kind: Kind,
    argument: u64,
    address: usize,
    bytes: u32,
    detail: Detail,
    site: SiteId,
    waiting: Option<Waiting>,
) {
    if engine::is_cancelled() {
        cancel::anywhere(site);
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let object = unsafe { (*runtime()).blocks.object(address as u64, u64::from(bytes)) };
    let (argument, waiting) = match kind {
        Kind::Store => {
            let argument = note_store(object, address as u64, u64::from(bytes));
            (argument, awaiting::store())
        }
        _ => (Argument::update(argument), waiting),
    };
    let operation = Operation {
        kind,
        offset: (address & 7) as u8,
        bytes,
        object,
        other: match kind {
            Kind::Load => NO_OBJECT,
            _ => properties::watched::object_of(address as u64, u64::from(bytes)),
        },
        argument,
        also: None,
        detail,
        site,
        timed: false,
        again: false,
        waits: false,
        iteration: Iteration::None,
    };
    awaiting::perform(operation, waiting);
}

/// Hands on a fault in the access of an event. It is judged like any other, but orders nothing.
#[cold]
pub(super) fn faulted(kind: Kind, argument: u64, address: usize, bytes: u32, site: SiteId) {
    if let Some((mut races, thread)) = engine::races() {
        let at = address as u64;
        report(match kind {
            Kind::Store => races.atomic_store(thread, at, bytes, order::RELAXED, site),
            Kind::ReadModifyWrite => races.atomic_rmw(thread, at, bytes, order::RELAXED, site),
            _ => races.atomic_load(thread, at, bytes, order::RELAXED, site),
        });
    }
    let first = address & !7;
    let cells = (address - first + bytes as usize).div_ceil(8);
    faulting::handle(argument, first, cells);
}

/// Performs one explored access of type `T` at `address`. `change`: returns what the access writes,
/// given the old value; `None`: nothing. `argument`: an [`dpor_model::update`].
///
/// # Safety
/// The program makes this access at this place: `address` is what it passed to the hook.
#[inline(always)]
pub(super) unsafe fn explored<T: native::Word>(
    kind: Kind,
    argument: u64,
    address: usize,
    detail: Detail,
    site: SiteId,
    waiting: Option<Waiting>,
    change: impl Fn(T) -> Option<T>,
) -> T {
    let bytes = size_of::<T>() as u32;
    loop {
        event_or_wait(kind, argument, address, bytes, detail, site, waiting);
        note_before(address, bytes);
        if !faulting::is_pending() {
            // SAFETY: the access is the program's, as this function's caller guarantees; between
            // two events one fiber runs.
            let old = unsafe { core::ptr::read_unaligned(address as *const T) };
            if let Some(new) = change(old) {
                // SAFETY: the access is the program's, as this function's caller guarantees; where
                // it may fault, that is noted.
                unsafe { faulting::write(address, new) };
            }
            if !faulting::is_pending() {
                note_after(address, bytes);
                return old;
            }
        }
        faulted(kind, argument, address, bytes, site);
    }
}
