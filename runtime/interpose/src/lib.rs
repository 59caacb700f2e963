//! libdpor_rt.so
// Documented in full with the engine.
#[macro_use]
pub mod real;
pub mod engine;
pub mod heap;
pub mod libc;
pub mod pthread;
/// Pages whose changes are taken back.
pub mod snapshot {
    /// Makes the pages of a range writable for the kernel, and counts them as changed.
    pub fn touch(address: usize, bytes: usize) {
        let _ = (address, bytes);
    }
}
pub mod sys;
pub mod world;
