//! Cells (aligned words of eight bytes) that accesses touch, as far as the search must know them: those of
//! compare-exchanges and of stores whose order matters only if they are read, and what is in the cells of an event
//! before it and after it.

use crate::accesses::{faulting, repeated};
use crate::knowledge::watched;
use crate::runtime::{runtime, CHANGED, WRITTEN};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use dpor_machine::state::Kept;
use dpor_model::{store, Argument, ObjectId};

/// Bit k: some cell c with c mod 64 = k is touched by a compare-exchange. Never rolled back; what other processes
/// learned is added when an execution begins ([`execution_begins`]).
static EXCHANGED: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Remembers that a compare-exchange touched a cell for the first time.
pub fn remember_exchange(cell: u64) {
    EXCHANGED.fetch_or(1 << (cell & 63), Ordering::Relaxed);
    repeated::forget_all();
}

/// Bit k: some cell c with c mod 64 = k was written by an atomic store whose order matters only if
/// it is read. Never rolled back; what other processes learned is added as for [`EXCHANGED`].
static STORED: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Numbers of cells of which these bits were made last, of compare-exchanges and of stores.
static SUMMARIZED: Kept<[AtomicUsize; 2]> = Kept::new([const { AtomicUsize::new(0) }; 2]);

/// An execution begins, or goes on in a process that was forked before other executions met further cells: these are in
/// the arena, which all share, and the bits are this process's own.
pub fn execution_begins() {
    // SAFETY: the runtime is installed before the first execution; no fiber runs, and the engine holds no reference while
    // it tells that an execution begins.
    let (exchanged, stored) = unsafe {
        let rt = runtime();
        (
            &raw const (*rt).exchange_cells,
            &raw const (*rt).stored_cells,
        )
    };
    let kinds = [(exchanged, &EXCHANGED), (stored, &STORED)];
    for ((cells, bits), summarized) in kinds.into_iter().zip(SUMMARIZED.iter()) {
        // SAFETY: as above.
        let cells = unsafe { &*cells };
        if summarized.swap(cells.len(), Ordering::Relaxed) != cells.len() {
            let all = cells.iter().fold(0, |all, cell| all | 1 << (cell & 63));
            bits.fetch_or(all, Ordering::Relaxed);
        }
    }
}

/// Remembers that such a store wrote a cell.
#[inline(always)]
pub fn remember_store(cell: u64) {
    STORED.fetch_or(1 << (cell & 63), Ordering::Relaxed);
    repeated::forget_all();
}

/// Notes that the running thread is about to store atomically to this object. Returns a [`store`].
#[inline(always)]
pub fn note_store(object: ObjectId, address: u64, bytes: u64) -> Argument {
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

/// Whether nothing has to be noted of further plain accesses of this step to the eight bytes around `address`.
#[inline(always)]
pub fn are_unnoted(address: u64, writes: bool) -> bool {
    let stored = STORED.load(Ordering::Relaxed);
    let reads_are = stored.rotate_right((address >> 3 & 63) as u32) & 3 == 0;
    reads_are && (!writes || are_writes_unnoted())
}

/// Whether nothing has to be noted of further plain accesses of this step, wherever they are.
#[inline(always)]
pub fn is_nothing_noted(writes: bool) -> bool {
    STORED.load(Ordering::Relaxed) == 0 && (!writes || are_writes_unnoted())
}

/// Whether nothing has to be noted of further plain writes of this step but what they may read.
#[inline(always)]
fn are_writes_unnoted() -> bool {
    EXCHANGED.load(Ordering::Relaxed) == 0
        && WRITTEN.load(Ordering::Relaxed)
        && CHANGED.load(Ordering::Relaxed)
        && !watched::is_any()
}

/// Tells [`repeated`] if nothing has to be noted of further plain accesses of this step, wherever they are. The running
/// thread's accesses of this step are judged.
#[inline(always)]
pub fn note_nothing() {
    if STORED.load(Ordering::Relaxed) == 0 {
        repeated::nothing_is_noted(are_writes_unnoted());
    }
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
    if !crate::active() {
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

/// Reads the (up to three) cells that an access touches.
#[inline(always)]
pub fn cells(address: usize, bytes: u32) -> [u64; 3] {
    let first = address & !7;
    let count = (address - first + bytes as usize).div_ceil(8);
    let mut values = [0; 3];
    for (k, value) in values.iter_mut().enumerate().take(count) {
        // SAFETY: an aligned word that holds at least one byte of an access that is about to
        // happen: mapped, or the fault is the program's.
        *value = unsafe { faulting::read_word(first + 8 * k) };
    }
    values
}

/// Notes what is in the cells of an access, which is the running event, before it.
#[inline(always)]
pub fn note_before(address: usize, bytes: u32) {
    let values = cells(address, bytes);
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime()).executed.before = values };
}

/// Notes what is in the cells of an access, which is the running event, after it.
#[inline(always)]
pub fn note_after(address: usize, bytes: u32) {
    // SAFETY: a fiber runs, so the runtime exists, and the event that this is called for is the
    // current one.
    unsafe {
        (*runtime()).executed.after = cells(address, bytes);
        if crate::is_inside_event() {
            note_write(address, u64::from(bytes));
        }
    }
}

/// Remembers that a compare-exchange touches these cells: plain writes to them matter for
/// predicting its outcome.
#[inline(always)]
pub fn note_exchange(address: usize, bytes: u32) {
    // SAFETY: a fiber runs, so the runtime exists; nothing else borrows the set, and no event is
    // made while it is borrowed.
    let known = unsafe { &mut (*runtime()).exchange_cells };
    for cell in address as u64 >> 3..=(address as u64 + u64::from(bytes) - 1) >> 3 {
        if !known.contains(&cell) {
            known.insert(cell);
            remember_exchange(cell);
        }
    }
}
