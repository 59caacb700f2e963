//! What the check took of the machine: processor time, and memory.

use dpor_machine::sys;

/// Processor time of this process.
pub fn own_seconds() -> f64 {
    seconds(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Seconds of processor time of the thread that runs. The kernel knows them to the nanosecond; those of the process it
/// may only know to the last tick.
pub fn thread_seconds() -> f64 {
    seconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn seconds(clock: libc::clockid_t) -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a local variable that the kernel writes, and nobody else knows.
    unsafe {
        sys::call3(
            libc::SYS_clock_gettime,
            clock as usize,
            &raw mut now as usize,
            0,
        );
    }
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Processor time of the processes that ended and were waited for.
pub fn seconds_of_children() -> f64 {
    let mut used = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    let who = libc::RUSAGE_CHILDREN as usize;
    // SAFETY: `used` is a local variable that the kernel writes, and zeros are valid for it.
    let used = unsafe {
        sys::call3(libc::SYS_getrusage, who, used.as_mut_ptr() as usize, 0);
        used.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(used.ru_utime) + seconds(used.ru_stime)
}

/// The most memory that this process ever had.
pub fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("");
    line.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<u64>()
        .unwrap_or(0)
        * 1024
}
