//! Leaves what a build with `-Cprofile-generate` counted.
//!
//! Its own way, a handler of `exit`, would run in every execution: the profiler leaves it out where
//! somebody else defines [`__llvm_profile_runtime`].
//!
//! Source: Clang's documentation of source-based code coverage, "Using the profiling runtime without
//! static initializers".

use dpor_machine::sys;

/// Defined, so that the profiler's initializer is not linked.
#[no_mangle]
static __llvm_profile_runtime: i32 = 0;

extern "C" {
    fn __llvm_profile_initialize_file();
    fn __llvm_profile_write_file() -> i32;
}

/// Leaves this process's counters in the folder that the flag names. On the engine's context, at the end.
pub fn leave_counters() {
    // SAFETY: of the profiler's runtime, which such a build links; no fiber runs any more.
    let failed = unsafe {
        __llvm_profile_initialize_file();
        __llvm_profile_write_file() != 0
    };
    if failed {
        sys::write_all(2, b"dpor: cannot write what was counted\n");
    }
}
