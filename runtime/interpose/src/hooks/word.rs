//! Words of memory that the kernel reads and changes in operations on futexes: as atomic accesses of the
//! thread that called it.

use super::{note_after, note_before, note_exchange, report};
use crate::engine;
use dpor_abi::order;
use dpor_explorer::program::{Decision, Kind, Operation};

const BYTES: u32 = 4;

/// Publishes an operation about the word, which says what else it is.
fn perform(address: usize, operation: Operation) -> Decision {
    note_exchange(address, BYTES);
    // Of a requeue, and of a wake-up that changes the word, the object is the futex.
    let object = match operation.kind {
        Kind::FutexWait | Kind::Load | Kind::ReadModifyWrite => {
            engine::memory_object(address, BYTES.into())
        }
        _ => operation.object,
    };
    engine::perform(Operation {
        object,
        offset: (address & 7) as u8,
        bytes: BYTES,
        ..operation
    })
}

/// The atomic read of a word of memory. Returns the word and what was decided. It orders nothing.
///
/// # Safety
/// The word is readable.
pub(crate) unsafe fn compare(address: usize, operation: Operation) -> (u32, Decision) {
    let decision = perform(address, operation);
    note_before(address, BYTES);
    // SAFETY: the caller's.
    let word = unsafe { core::ptr::read_volatile(address as *const u32) };
    note_after(address, BYTES);
    if let Some((mut races, thread)) = engine::races() {
        let site = operation.site;
        report(races.atomic_load(thread, address as u64, BYTES, order::RELAXED, site));
    }
    (word, decision)
}

/// The atomic change of a word of memory. Returns what was decided. Kernels do it with the instructions of a
/// sequentially consistent read-modify-write, and it is there to unlock a lock and wake who waits for it:
/// it acquires and releases.
///
/// # Safety
/// The word is writable.
pub(crate) unsafe fn change(
    address: usize,
    operation: Operation,
    change: impl FnOnce(u32) -> u32,
) -> Decision {
    let decision = perform(address, operation);
    note_before(address, BYTES);
    let word = address as *mut u32;
    // SAFETY: the caller's; between events one fiber runs.
    unsafe { word.write_volatile(change(word.read_volatile())) };
    note_after(address, BYTES);
    if let Some((mut races, thread)) = engine::races() {
        let site = operation.site;
        report(races.atomic_rmw(thread, address as u64, BYTES, order::ACQ_REL, site));
    }
    decision
}
