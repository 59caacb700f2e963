//! What stands in for the kernel and for libc, as far as the engine asks.

use core::ffi::{c_int, c_void};
use dpor_machine::snapshot::Range;
use dpor_model::ThreadId;
use dpor_report::OpaqueCall;

/// What the engine asks of what stands in for the kernel.
pub trait System: Sync {
    /// Answers a system call of the program's, in the handler of SIGSYS.
    fn answer_system_call(&self, information: &libc::siginfo_t, context: *mut c_void);

    /// Whether a fault comes from an access that the runtime makes for a system call; the registers are then such that
    /// the call fails.
    fn catches_fault(&self, registers: &mut [i64; 23]) -> bool;

    /// The running fiber faulted. True: a handler of the program's takes the signal. `overflow`: its stack has no
    /// room for one.
    fn takes_fault(
        &self,
        signal: c_int,
        information: *const libc::siginfo_t,
        context: *mut c_void,
        overflow: bool,
    ) -> bool;

    /// Whether an address lies in a mapping of a file, on a page beyond the file's end.
    fn is_beyond_file(&self, address: usize) -> bool;

    /// The address at which the kernel is to leave the program's action for a signal as it is at the root; 0: nowhere.
    fn action_at_root(&self, signal: c_int) -> usize;

    /// The address at which the kernel is to leave thread 0's alternate signal stack as it is at the root.
    fn alternate_stack_at_root(&self) -> usize;

    /// The running thread's virtual time by `CLOCK_MONOTONIC`, in nanoseconds.
    fn now(&self) -> i64;

    /// The thread whose virtual time is kept at an address.
    fn has_clock_at(&self, address: usize) -> Option<ThreadId>;

    /// What a thread stands before: 1 + the number of the channel of its operation.
    fn standing(&self, thread: ThreadId) -> u16;

    /// The levels of what [`System::standing`] told, for the search, after the event.
    fn levels_of(&self, standing: u16) -> u64;

    /// Whether a timer is armed whose signal would be noticed. No fiber runs.
    fn may_interrupt(&self) -> bool;

    /// Whether the program mapped the byte at an address in this execution.
    fn is_mapped(&self, address: usize) -> bool;

    /// Ranges in which the program has mapped memory since the root, with holes.
    fn mappings(&self) -> Vec<Range>;

    /// Whether the memory for the bytes of files begins at this address.
    fn begins_files(&self, address: usize) -> bool;

    /// Keeps the files of the execution that has just ended, instead of those kept before.
    fn keep_files(&self);

    /// Writes the files that were kept to the disk.
    ///
    /// # Errors
    /// The first file that cannot be written or removed, in words.
    fn write_files(&self) -> Result<(), String>;

    /// All system calls that were made events, for the report.
    fn opaque_calls(&self) -> Vec<OpaqueCall>;
}
