//! Program threads as fibers on one OS thread.
//!
//! Each fiber but thread 0's borrows the stack, the thread-local storage and the thread descriptor
//! of a real thread that was created once, told us where they are, and sleeps for ever. So `errno`,
//! `pthread_self`, stack protectors and `thread_local`s work unchanged. One area, from low to high:
//!
//! ```text
//! area.start                     live.start         stack_top   tls_low     thread pointer   area.end
//! | guard |    unused stack      | frames of the fiber |  ...  |   TLS   |   descriptor    |
//! ```
//!
//! A suspended fiber's whole state is `live.start..area.end`. `stack_top` is the begin of a page:
//! from there on the area is saved as pages are, below as a stack (snapshot/). Thread 0 keeps the
//! process's own stack and thread-local storage.

pub mod borrow;
pub mod x86_64;

/// Where a borrowed thread's things are.
#[derive(Clone, Debug)]
pub struct Area {
    /// Lowest address of the stack mapping (guard page included).
    pub start: usize,
    /// One past the mapping.
    pub end: usize,
    /// First byte of the thread-local storage.
    pub tls_low: usize,
    /// The thread pointer, which is also the `pthread_t`.
    pub thread_pointer: usize,
    /// Where a fiber's first frame may begin: a page's first byte.
    pub stack_top: usize,
    /// `tls_low..end` as the real thread left it.
    pub birth: Vec<u8>,
}

impl Area {
    /// Puts thread-local storage and descriptor back as they were when the thread was created.
    pub fn reset(&self) {
        // SAFETY: the range is this area's own and no fiber runs in it (it is being created).
        let storage =
            unsafe { core::slice::from_raw_parts_mut(self.tls_low as *mut u8, self.birth.len()) };
        // Its pages are written only if they were before.
        if *storage != self.birth[..] {
            storage.copy_from_slice(&self.birth);
        }
    }
}
