//! Words of memory that the kernel reads and changes in operations on futexes: as atomic accesses of the
//! thread that called it.

use super::race::report;
use crate::engine;
use crate::engine::accesses::cells::{note_after, note_before, note_exchange};
use dpor_abi::order;
use dpor_model::{Decision, Kind, Operation};

const BYTES: u32 = 4;

/// Publishes an operation about a word of so many bytes, which says what else it is.
fn perform(address: usize, bytes: u32, operation: Operation) -> Decision {
    note_exchange(address, bytes);
    // Of a requeue, and of a wake-up that changes the word, the object is the futex.
    let object = match operation.kind {
        Kind::FutexWait | Kind::Load | Kind::ReadModifyWrite => {
            engine::memory_object(address, bytes.into())
        }
        _ => operation.object,
    };
    engine::perform(Operation {
        object,
        offset: (address & 7) as u8,
        bytes,
        ..operation
    })
}

/// Reads atomically, as [`compare`] does, a value of 1, 2, 4 or 8 bytes, which lies in one group of
/// eight.
///
/// # Safety
/// `bytes` bytes at `address` are readable.
pub(crate) unsafe fn compare_value(
    address: usize,
    bytes: u32,
    operation: Operation,
) -> (u64, Decision) {
    let decision = perform(address, bytes, operation);
    note_before(address, bytes);
    // SAFETY: `bytes` bytes at `address` are readable, as this function's caller guarantees; no
    // other fiber runs since the event.
    let value = unsafe {
        match bytes {
            1 => core::ptr::read_volatile(address as *const u8).into(),
            2 => core::ptr::read_volatile(address as *const u16).into(),
            4 => core::ptr::read_volatile(address as *const u32).into(),
            _ => core::ptr::read_volatile(address as *const u64),
        }
    };
    note_after(address, bytes);
    if let Some((mut races, thread)) = engine::races() {
        let site = operation.site;
        report(races.atomic_load(thread, address as u64, bytes, order::RELAXED, site));
    }
    (value, decision)
}

/// Reads a word of memory atomically, in an event. Returns the word and what was decided. It orders
/// nothing.
///
/// # Safety
/// Four bytes at `address` are readable.
pub(crate) unsafe fn compare(address: usize, operation: Operation) -> (u32, Decision) {
    // SAFETY: four bytes at `address` are readable, as this function's caller guarantees.
    let (word, decision) = unsafe { compare_value(address, BYTES, operation) };
    (word as u32, decision)
}

/// Changes a word of memory atomically, in an event. Returns what was decided. Kernels do it with
/// the instructions of a sequentially consistent read-modify-write, and it is there to unlock a
/// lock and wake who waits for it: it acquires and releases.
///
/// # Safety
/// Four bytes at `address` are writable.
pub(crate) unsafe fn change(
    address: usize,
    operation: Operation,
    change: impl FnOnce(u32) -> u32,
) -> Decision {
    let decision = perform(address, BYTES, operation);
    note_before(address, BYTES);
    let word = address as *mut u32;
    // SAFETY: four bytes at `address` are writable, as this function's caller guarantees; between
    // two events one fiber runs.
    unsafe { word.write_volatile(change(word.read_volatile())) };
    note_after(address, BYTES);
    if let Some((mut races, thread)) = engine::races() {
        let site = operation.site;
        report(races.atomic_rmw(thread, address as u64, BYTES, order::ACQ_REL, site));
    }
    decision
}
