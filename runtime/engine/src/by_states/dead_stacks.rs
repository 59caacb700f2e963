//! What lies below the stack pointer of a suspended thread is dead, and cleared: then what a later call finds in the parts
//! of its frame that it does not write is the same, however the program came to this state. Otherwise two states with the
//! same live bytes would go on with other dead ones, which count as soon as a frame covers them: a loop would come back
//! later than it has to, or to no state that was there.

use crate::runtime::Runtime;
use crate::threads::stack_of;
use crate::world::world;
use dpor_model::ThreadId;

/// The dead part is taken to end where so many bytes are zero (chosen: a page; what lies below was not reached by the last
/// call, or by one with a larger array that it did not write).
const ZEROS: usize = 4096;

/// Bytes that are looked at at once.
const BLOCK: usize = 256;

/// Clears what is dead of the stack of one thread.
pub fn clear(thread: ThreadId) {
    // SAFETY: the world is mapped from the root on, and the array checks the index; no fiber runs.
    let pointer = unsafe { (*world()).threads[usize::from(thread.0)].fiber.stack_pointer };
    let (low, bytes) = stack_of(thread);
    if (low..=low + bytes).contains(&pointer) {
        // SAFETY: memory of the thread's stack below its stack pointer is readable and writable, and dead, as no fiber
        // runs and the frame that was suspended has no red zone.
        unsafe { clear_below(pointer & !15, low) };
    }
}

/// Clears what is dead of the stacks of all live threads.
pub fn clear_all() {
    // SAFETY: the world is mapped from the root on; no fiber runs.
    let live = unsafe { (*world()).engine.live };
    live.iter().for_each(clear);
}

/// The program was taken back, or a thread ran: clears what is dead, if states are remembered.
#[inline(always)]
pub fn changed(rt: &Runtime, of: Option<ThreadId>) {
    if rt.options.is_by_states() {
        of.map_or_else(clear_all, clear);
    }
}

/// # Safety
/// The memory from `low` to `top`, a multiple of 16, is a stack's, and nobody uses it.
unsafe fn clear_below(top: usize, low: usize) {
    let (mut at, mut zeros) = (top, 0);
    while zeros < ZEROS && at >= low + BLOCK {
        at -= BLOCK;
        // SAFETY: by the caller's promise; `at` is a multiple of 16.
        let block = unsafe { &mut *(at as *mut [u128; BLOCK / 16]) };
        let is_zero = block.iter().fold(0, |bits, word| bits | word) == 0;
        if is_zero {
            zeros += BLOCK;
        } else {
            block.fill(0);
            zeros = 0;
        }
    }
}
