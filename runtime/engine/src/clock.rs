//! The time of the machine, which the program does not see: for limits and measurements of the runtime's own.

use dpor_machine::sys;

/// Lets other processes run for a moment.
pub fn pause() {
    let moment = libc::timespec {
        tv_sec: 0,
        tv_nsec: 200_000,
    };
    // SAFETY: `moment` is a local variable with a valid time, which the kernel only reads.
    unsafe { sys::call3(libc::SYS_nanosleep, &raw const moment as usize, 0, 0) };
}

/// CLOCK_MONOTONIC in nanoseconds, asked of the kernel directly.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a local variable that the kernel writes, and nobody else knows.
    unsafe {
        sys::call3(
            libc::SYS_clock_gettime,
            libc::CLOCK_MONOTONIC as usize,
            &raw mut now as usize,
            0,
        )
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
