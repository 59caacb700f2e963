//! Where libc keeps the flags of a condition variable (`__wrefs`).
//!
//! glibc 2.41 took two words out of `pthread_cond_t`, and distributions take such changes into older versions, so
//! neither the version nor the headers say where they are: word 9 up to 2.40, word 7 from then on. libc itself is
//! asked, once: it initializes a condition variable whose time limits are on the monotonic clock, which is one bit.

use crate::state::Kept;
use ::libc::{pthread_cond_t, pthread_condattr_t, CLOCK_MONOTONIC};
use core::ffi::c_int;
use core::mem::zeroed;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Words of 4 bytes in a condition variable.
pub const WORDS: usize = 12;
/// Flag: the condition variable is shared between processes.
pub const SHARED: u32 = 1;
/// Time limits are on the monotonic clock.
pub const MONOTONIC: u32 = 2;
/// Flag: the condition variable is destroyed. glibc's `pthread_cond_destroy` sets the same one.
pub const DESTROYED: u32 = 4;

/// The word of the flags, plus 1; 0: not looked for yet.
static WORD: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Number of the word that holds the flags, from 0.
pub fn word() -> usize {
    match WORD.load(Ordering::Relaxed) {
        0 => look(),
        known => known - 1,
    }
}

/// Returns the address of the flags of a condition variable.
pub fn of(condvar: *mut pthread_cond_t) -> *mut u32 {
    condvar.cast::<u32>().wrapping_add(word())
}

#[cold]
fn look() -> usize {
    let init =
        real!(pthread_cond_init: fn(*mut pthread_cond_t, *const pthread_condattr_t) -> c_int);
    // SAFETY: numbers, for which zero is a value; attributes of zeros are what POSIX's initializer makes of
    // them in glibc, and are changed by libc's own function.
    let (mut condvar, mut attributes): (pthread_cond_t, pthread_condattr_t) =
        unsafe { (zeroed(), zeroed()) };
    // SAFETY: both are of this frame, which nobody else knows; libc writes into them and nowhere else.
    let words: [u32; WORDS] = unsafe {
        ::libc::pthread_condattr_init(&mut attributes);
        ::libc::pthread_condattr_setclock(&mut attributes, CLOCK_MONOTONIC);
        init(&mut condvar, &attributes);
        (&raw const condvar).cast::<[u32; WORDS]>().read_unaligned()
    };
    let found = words.iter().position(|&word| word == MONOTONIC);
    let Some(word) = found else {
        dpor_machine::sys::write_all(
            2,
            b"dpor: this libc keeps condition variables in a way that is not known\n",
        );
        // SAFETY: no precondition. Whatever was said of the program's condition variables would be wrong.
        unsafe { ::libc::_exit(2) }
    };
    WORD.store(word + 1, Ordering::Relaxed);
    word
}
