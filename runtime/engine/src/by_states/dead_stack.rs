//! Stack memory that calls which are over left behind, made zeros where states are remembered.
//!
//! Frames have bytes that their function does not write, or not before it stands before an operation. They hold what an
//! earlier call left there, and are matched. What the *program* left depends on what it did, and comes back with it; what
//! the *runtime* left tells of the way here (clocks of the race detector, numbers of events), and never comes back. So
//! what lies below the stack pointer is forgotten
//! - of a thread before each of its steps,
//! - where a call of libc's comes into the runtime, and where it leaves it to go on in libc,
//! - where a call comes back from the race detector, and from what told it of something ([`behind`]).
//!
//! Registers are no better: a function of the program's pushes those that it only keeps.

use crate::runtime::runtime;
use dpor_machine::state::{Kept, Plain};
use dpor_model::ThreadId;
use std::arch::asm;

/// Bytes that are forgotten at once: calls of the runtime's are rarely deeper (measured: 3.5 KB with the frame of a
/// signal).
const BYTES: usize = 8192;

/// Forgets what lies below the stack pointer of a fiber that is suspended.
pub(crate) fn forget_of(thread: ThreadId, stack_pointer: usize) {
    let (low, bytes) = crate::stack_of(thread);
    if (low..low + bytes).contains(&stack_pointer) {
        // SAFETY: no frame of the fiber lies below its stack pointer, and it switched in a call, so that there is no red
        // zone; the range lies in its stack.
        unsafe { clear_below(stack_pointer & !15, low) };
    }
}

/// What is dead is taken to end where so many bytes are zero (chosen: a page; below lies what the last call did not reach,
/// or what lies behind a larger array that it did not write).
const ZEROS: usize = 4096;

/// Bytes that are looked at at once.
const BLOCK: usize = 256;

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

/// Bytes that the race detector's calls take at most where they find no race.
const DETECTOR_BYTES: usize = 2048;

/// Forgets what lies below the running fiber's stack pointer, if states are remembered.
#[inline]
pub fn forget() {
    if is_by_states() {
        forget_below::<BYTES>();
    }
}

/// Forgets what a call of the race detector left behind, if states are remembered.
#[inline(always)]
pub(crate) fn forget_detector() {
    if is_by_states() {
        forget_below::<DETECTOR_BYTES>();
    }
}

/// Does something in frames of its own, which are forgotten if states are remembered.
#[inline(always)]
pub fn behind<T>(what: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn own<T>(what: impl FnOnce() -> T) -> T {
        what()
    }
    let result = own(what);
    forget_detector();
    result
}

#[inline(always)]
fn is_by_states() -> bool {
    // SAFETY: the runtime is installed before anything of the program is explored; its options never change.
    unsafe { (*runtime()).options.is_by_states() }
}

/// Makes so many bytes below the stack pointer zeros, and registers.
#[inline(never)]
fn forget_below<const BYTES: usize>() {
    let here = 0_u8;
    let (low, bytes) = crate::stack_of(crate::thread());
    let here = (&raw const here) as usize;
    if !(low + 2 * BYTES..low + bytes).contains(&here) {
        return;
    }
    // SAFETY: this function's frame is the last one on the stack, and below the stack pointer it has nothing: the block
    // is not told that it leaves the stack alone. There is as much room.
    unsafe {
        asm!(
            "lea rdi, [rsp - {bytes}]",
            "xor eax, eax",
            "rep stosq",
            bytes = const BYTES,
            inout("rcx") BYTES / 8 => _,
            out("rax") _,
            out("rdi") _,
        );
    }
    forget_registers();
}

/// Makes zeros of what registers hold that no call has to preserve.
#[inline(always)]
fn forget_registers() {
    // SAFETY: registers are written only that the block says it writes.
    unsafe {
        asm!(
            "xor eax, eax",
            "xor ecx, ecx",
            "xor edx, edx",
            "xor esi, esi",
            "xor edi, edi",
            "xor r8d, r8d",
            "xor r9d, r9d",
            "xor r10d, r10d",
            "xor r11d, r11d",
            "pxor xmm0, xmm0",
            "pxor xmm1, xmm1",
            "pxor xmm2, xmm2",
            "pxor xmm3, xmm3",
            "pxor xmm4, xmm4",
            "pxor xmm5, xmm5",
            "pxor xmm6, xmm6",
            "pxor xmm7, xmm7",
            "pxor xmm8, xmm8",
            "pxor xmm9, xmm9",
            "pxor xmm10, xmm10",
            "pxor xmm11, xmm11",
            "pxor xmm12, xmm12",
            "pxor xmm13, xmm13",
            "pxor xmm14, xmm14",
            "pxor xmm15, xmm15",
            out("rax") _,
            out("rcx") _,
            out("rdx") _,
            out("rsi") _,
            out("rdi") _,
            out("r8") _,
            out("r9") _,
            out("r10") _,
            out("r11") _,
            out("xmm0") _,
            out("xmm1") _,
            out("xmm2") _,
            out("xmm3") _,
            out("xmm4") _,
            out("xmm5") _,
            out("xmm6") _,
            out("xmm7") _,
            out("xmm8") _,
            out("xmm9") _,
            out("xmm10") _,
            out("xmm11") _,
            out("xmm12") _,
            out("xmm13") _,
            out("xmm14") _,
            out("xmm15") _,
            options(nomem, nostack),
        );
    }
}

/// Makes zeros of scratch registers, after a look at the race detector or at what it was told that is too quick for anything
/// else: always, as that takes less than to ask whether states are remembered.
#[inline(always)]
pub fn forget_scratch() {
    // SAFETY: registers are written only that the block says it writes.
    unsafe {
        asm!(
            "xor ecx, ecx",
            "xor edx, edx",
            "xor r8d, r8d",
            "xor r9d, r9d",
            "xor r10d, r10d",
            "xor r11d, r11d",
            out("rcx") _,
            out("rdx") _,
            out("r8") _,
            out("r9") _,
            out("r10") _,
            out("r11") _,
            options(nomem, nostack),
        );
    }
}

/// State components 1, 2 and 5 to 7 of XSAVE: SSE, AVX, AVX-512 (Intel SDM volume 1, 13.1).
const VECTORS: u32 = 0xe6;

/// Bytes of an area of XSAVE with these components in their standard places: the last ends at 2,688 (Intel SDM volume 1,
/// 13.4.3 and CPUID leaf 13). XRSTOR touches the places of components, too, that the header says are as at first.
const AREA_BYTES: usize = 4096;

/// What XRSTOR reads: 512 bytes, in which MXCSR is what counts, and a header that says of all components that they are as
/// at first.
#[repr(align(4096))]
struct AtFirst(Plain<[u8; AREA_BYTES]>);

static AT_FIRST: Kept<AtFirst> = Kept::new(AtFirst(Plain::new([0; AREA_BYTES])));

/// Makes zeros of all vector registers, on the engine's context: memory is copied with those that SSE does not have.
#[inline(always)]
pub(crate) fn forget_vectors() {
    // SAFETY: the area is the engine's, on whose context nothing else uses it; registers are written only that a call
    // need not preserve, and MXCSR as it is.
    unsafe {
        asm!(
            "stmxcsr [{area} + 24]",
            "xor edx, edx",
            "xrstor64 [{area}]",
            area = in(reg) AT_FIRST.0.get(),
            inout("eax") VECTORS => _,
            out("edx") _,
            clobber_abi("C"),
        );
    }
    forget_registers();
}
