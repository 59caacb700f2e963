//! Plain accesses: judged by happens-before, or events of their own with `--plain=explore`.

use super::{awaiting, event, event_or_wait, faulting, plain_is_explored, repeated, report};
use crate::annotations;
use crate::engine::runtime::{runtime, CHANGED, WRITTEN};
use crate::engine::{self, long_step};
use crate::malloc::alone;
use crate::own_stack_stores;
use crate::state::Kept;
use core::sync::atomic::{AtomicU64, Ordering};
use dpor_abi::options::Races;
use dpor_abi::order;
use dpor_explorer::program::{store, Kind, ObjectId};
use dpor_races::Look;

/// Bit k: some cell c with c mod 64 = k is touched by a compare-exchange. Never rolled back.
static EXCHANGED: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Remembers that a compare-exchange touched a cell for the first time.
pub fn remember_exchange(cell: u64) {
    EXCHANGED.fetch_or(1 << (cell & 63), Ordering::Relaxed);
    repeated::forget_all();
}

/// Bit k: some cell c with c mod 64 = k was written by an atomic store whose order matters only if
/// it is read. Never rolled back.
static STORED: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Remembers that such a store wrote a cell.
#[inline(always)]
pub fn remember_store(cell: u64) {
    STORED.fetch_or(1 << (cell & 63), Ordering::Relaxed);
    repeated::forget_all();
}

/// Notes that the running thread is about to store atomically to this object. Returns a [`store`].
#[inline(always)]
pub fn note_store(object: ObjectId, address: u64, bytes: u64) -> u64 {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    if !rt.observers {
        return store::SHARED;
    }
    if (address & 7) + bytes <= 8 && rt.store_ownership.is_own(object, rt.current) {
        return store::OWN;
    }
    for cell in address >> 3..=(address + bytes.max(1) - 1) >> 3 {
        remember_store(cell);
        if !rt.stored_cells.contains(&cell) {
            rt.stored_cells.insert(cell);
        }
    }
    store::SHARED
}

/// Notes that the running thread accesses memory without an event: it observes the last store to
/// it. A write counts too, because what libc is said to write it may read as well.
#[inline(always)]
pub fn note_read(address: u64, bytes: u64) {
    let stored = STORED.load(Ordering::Relaxed);
    if stored != 0 && (bytes > 8 || stored.rotate_right((address >> 3 & 63) as u32) & 3 != 0) {
        note_read_of_stored(address, bytes);
    }
}

#[cold]
fn note_read_of_stored(address: u64, bytes: u64) {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    let cells = address >> 3..=(address + bytes.max(1) - 1) >> 3;
    let known = rt.stored_cells.range(cells).next().is_some();
    if known && !rt.read.contains(&(address, bytes)) {
        rt.read.push((address, bytes));
    }
}

/// Notes that the running thread may read anything without an event.
#[cold]
pub fn note_unseen() {
    if !engine::active() {
        return;
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    if !rt.read.contains(&ANYTHING) {
        rt.read.push(ANYTHING);
    }
}

/// Among the reads of a step: no address at all.
pub const ANYTHING: (u64, u64) = (0, 0);

/// Notes that the running thread writes without an event; matters for cells that a compare-exchange
/// touches.
#[inline(always)]
pub fn note_write(address: usize, bytes: u64) {
    if EXCHANGED.load(Ordering::Relaxed) != 0 {
        note_cells(address as u64, bytes);
    }
}

#[cold]
fn note_cells(address: u64, bytes: u64) {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    let end = address + bytes.max(1);
    for cell in rt.exchange_cells.range(address >> 3..=(end - 1) >> 3) {
        let first = address.max(cell << 3);
        let behind = end.min((cell + 1) << 3);
        rt.trailing_cells.push((first, behind - first));
    }
}

/// Returns whether an access is the program's own affair: nothing is explored, nor does that begin
/// with it.
#[inline(always)]
pub fn is_unjudged(address: u64, bytes: u64, site: u64) -> bool {
    !engine::active() && !alone::begins(address, bytes, site)
}

/// Tells of a plain access that is about to happen.
#[inline(always)]
pub fn access(address: u64, bytes: u64, is_write: bool, site: u64) {
    if bytes == 0 || is_unjudged(address, bytes, site) {
        return;
    }
    let (ignored, explored) = (annotations::ignoring(), plain_is_explored());
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
pub fn judge(address: u64, bytes: u64, is_write: bool, site: u64) {
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
pub fn replace(address: usize, bytes: usize, site: u64) {
    if !engine::active() || bytes == 0 || annotations::ignoring() {
        return;
    }
    note_written(address as u64, bytes as u64);
    note_write(address, bytes as u64);
    if let Some((mut races, thread)) = engine::races() {
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

/// Tells the search and the race detector what a plain access means to them.
#[inline(always)]
fn tell(address: u64, bytes: u64, is_write: bool, site: u64) {
    if is_write {
        note_written(address, bytes);
        note_write(address as usize, bytes);
    }
    if let Some((mut races, thread)) = engine::races_of_access() {
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
fn tell_explored(address: u64, bytes: u64, is_write: bool, site: u64) {
    // SAFETY: called while active; the options stay as they are.
    if unsafe { (*runtime()).options.races } != Races::Off {
        return tell(address, bytes, is_write, site);
    }
    if is_write {
        note_written(address, bytes);
        note_write(address as usize, bytes);
    }
    if let Some((mut races, thread)) = engine::races() {
        for (at, width) in pieces(address, bytes) {
            report(match is_write {
                true => races.atomic_store(thread, at, width, order::SEQ_CST, site),
                false => races.atomic_load(thread, at, width, order::SEQ_CST, site),
            });
        }
    }
}

/// Makes an event of an access that is about to happen.
pub fn explore(address: u64, bytes: u64, is_write: bool, site: u64) {
    explore_as(
        if is_write { Kind::Store } else { Kind::Load },
        address,
        bytes,
        site,
    );
}

/// Makes an access that may both read and write an event, as [`explore`] does.
pub fn explore_both(address: u64, bytes: u64, site: u64) {
    explore_as(Kind::ReadModifyWrite, address, bytes, site);
}

fn explore_as(kind: Kind, address: u64, bytes: u64, site: u64) {
    let width = bytes.min(u64::from(u32::MAX)) as u32;
    let waiting = match kind {
        Kind::Load => awaiting::load(address as usize, width),
        _ => None,
    };
    awaiting::arrive(waiting, address as usize, width, Look::Plain, 0, site);
    event_or_wait(kind, 0, address as usize, width, 0, site, waiting);
    if bytes <= 16 {
        while faults(kind, address as usize, width) {
            super::faulted(kind, 0, address as usize, width, site);
            event(kind, 0, address as usize, width, 0, site);
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
    super::note_before(address, bytes);
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

/// Tells of a plain access of `1 << SIZE` bytes that is about to happen.
#[inline(always)]
fn access_once<const SIZE: u32, const WRITES: bool>(address: u64, site: u64) {
    if !repeated::is_known(address, SIZE, WRITES) || !long_step::has_counted_plain_access() {
        access_again::<SIZE, WRITES>(address, site);
    }
}

/// Tells of an access that is not among the known ones. Apart from [`access_once`], so that known
/// ones need no stack.
#[inline(never)]
fn access_again<const SIZE: u32, const WRITES: bool>(address: u64, site: u64) {
    // What holds for one access of this step holds for all: see `access_first`.
    if !repeated::is_any_known() || !engine::active() {
        return access_first(address, SIZE, WRITES, site);
    }
    long_step::count_plain_access(site);
    note_read(address, 1 << SIZE);
    tell(address, 1 << SIZE, WRITES, site);
    repeated::remember(address, SIZE, WRITES);
}

/// Tells of an access as [`access`] does, and remembers it: what follows in this step need not be
/// asked whether it is to be judged, if this one is.
#[cold]
fn access_first(address: u64, size: u32, is_write: bool, site: u64) {
    access(address, 1 << size, is_write, site);
    if engine::active() && !plain_is_explored() && !annotations::ignoring() {
        repeated::remember(address, size, is_write);
    }
}

/// Tells of a plain read of `1 << SIZE` bytes that is about to happen, and a write to them next, as
/// one access of a step: two are told of. Returns whether the write has to be told of where it
/// happens.
#[inline(always)]
fn update_once<const SIZE: u32>(address: u64, write_site: u64, read_site: u64) -> u32 {
    if repeated::is_known(address, SIZE, true) && long_step::has_counted_plain_access() {
        return 0;
    }
    update_again::<SIZE>(address, write_site, read_site)
}

/// Tells of an access that reads and then may write, which is not among the known ones.
#[inline(never)]
fn update_again<const SIZE: u32>(address: u64, write_site: u64, read_site: u64) -> u32 {
    if !repeated::is_any_known() || !engine::active() {
        return update_first(address, SIZE, write_site, read_site);
    }
    long_step::count_plain_access(read_site);
    note_read(address, 1 << SIZE);
    tell(address, 1 << SIZE, false, read_site);
    tell(address, 1 << SIZE, true, write_site);
    repeated::remember(address, SIZE, true);
    0
}

/// Tells of the read of an access that reads and then may write, and of both if they are no events.
/// Returns whether the write is still to be told.
#[cold]
fn update_first(address: u64, size: u32, write_site: u64, read_site: u64) -> u32 {
    access(address, 1 << size, false, read_site);
    if !engine::active() || annotations::ignoring() {
        return 0;
    }
    if plain_is_explored() {
        return 1;
    }
    tell(address, 1 << size, true, write_site);
    repeated::remember(address, size, true);
    0
}

macro_rules! plain_hooks {
    ($($read:ident $write:ident $update:ident $size:literal;)+) => {$(
        /// Hook of a plain read, to be told before it is made.
        #[no_mangle]
        pub extern "C" fn $read(address: u64, site: u64) {
            access_once::<$size, false>(address, site);
        }
        /// Hook of a plain write, to be told before it is made.
        #[no_mangle]
        pub extern "C" fn $write(address: u64, site: u64) {
            access_once::<$size, true>(address, site);
        }
        /// Plain read and then write, by one thread in one step. 1: the write is still to be told of.
        #[no_mangle]
        pub extern "C" fn $update(address: u64, write_site: u64, read_site: u64) -> u32 {
            update_once::<$size>(address, write_site, read_site)
        }
    )+};
}

plain_hooks! {
    __dpor_read1 __dpor_write1 __dpor_update1 0;
    __dpor_read2 __dpor_write2 __dpor_update2 1;
    __dpor_read4 __dpor_write4 __dpor_update4 2;
    __dpor_read8 __dpor_write8 __dpor_update8 3;
    __dpor_read16 __dpor_write16 __dpor_update16 4;
}

/// Tells of a destructor's write of its class's virtual table pointer. In C++ there is no such
/// write: a destructor begins with the pointer that the constructor left, and others may still call
/// virtual functions until it waits for them. Where it changes the pointer it is a write.
#[no_mangle]
pub extern "C" fn __dpor_destructor_vptr(address: u64, value: u64, site: u64) {
    // SAFETY: the program stores eight bytes there next, so they are readable.
    if unsafe { (address as *const u64).read_unaligned() } != value {
        __dpor_write8(address, site);
    }
}

/// Plain read of any length.
#[no_mangle]
pub extern "C" fn __dpor_read_range(address: u64, bytes: u64, site: u64) {
    access(address, bytes, false, site);
}

/// Plain read that may be ahead of its condition: whether its value is used is said by
/// [`__dpor_used_ahead`]. `token` is the read's own in the running call of its function.
#[no_mangle]
pub extern "C" fn __dpor_read_ahead(address: u64, bytes: u64, token: u64, site: u64) {
    if is_unjudged(address, bytes, site) {
        return;
    }
    let mut judged = bytes;
    if annotations::ignoring() {
        judged = 0;
    } else if !plain_is_explored() {
        long_step::count_plain_access(site);
    }
    note_read(address, bytes);
    if judged != 0 && plain_is_explored() {
        explore(address, bytes, false, site);
        // SAFETY: the caller runs while a program is explored, so the runtime exists; its options
        // never change.
        if unsafe { (*runtime()).options.races } == Races::Off {
            return tell_explored(address, bytes, false, site);
        }
    }
    if let Some((mut races, thread)) = engine::races_of_access() {
        races.read_ahead(thread, address, judged, token, site);
    }
}

/// Tells whether the value of a read is used.
#[no_mangle]
pub extern "C" fn __dpor_used_ahead(token: u64, is_used: u32) {
    if is_used == 0 || !engine::active() {
        return;
    }
    if let Some((mut races, thread)) = engine::races_of_access() {
        report(races.used_ahead(thread, token));
    }
}

/// Plain write of any length.
#[no_mangle]
pub extern "C" fn __dpor_write_range(address: u64, bytes: u64, site: u64) {
    access(address, bytes, true, site);
}

/// Calls `access` for each active lane.
fn lanes(address: u64, lane_bytes: u32, count: u32, mask: u64, is_write: bool, site: u64) {
    for lane in (0..count.min(64)).filter(|lane| mask >> lane & 1 == 1) {
        access(
            address + u64::from(lane * lane_bytes),
            u64::from(lane_bytes),
            is_write,
            site,
        );
    }
}

/// Hook of a masked vector read, to be told before it is made.
#[no_mangle]
pub extern "C" fn __dpor_read_masked(
    address: u64,
    lane_bytes: u32,
    count: u32,
    mask: u64,
    site: u64,
) {
    lanes(address, lane_bytes, count, mask, false, site);
}

/// Hook of a masked vector write, to be told before it is made.
#[no_mangle]
pub extern "C" fn __dpor_write_masked(
    address: u64,
    lane_bytes: u32,
    count: u32,
    mask: u64,
    site: u64,
) {
    lanes(address, lane_bytes, count, mask, true, site);
}
