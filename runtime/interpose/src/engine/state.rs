//! What the engine must forget when the program goes back in time.

use dpor_explorer::program::{ThreadId, THREADS_MAX};

/// Part of the [`crate::world`]; all-zero bytes are its first value (but see [`State::begin`]).
#[repr(C)]
pub struct State {
    /// Bit t: thread t exists and has not finished.
    pub live: u64,
    /// Bit t: thread t is to end the process with a finding; `doom[t]` says which.
    pub doomed: u64,
    /// Bit t: signals are pending for thread t.
    pub signals: u64,
    /// Suspended context of each fiber.
    pub stack_pointer: [usize; THREADS_MAX],
    /// Kind of the pending operation (`Kind as u8`).
    pub pending: [u8; THREADS_MAX],
    /// Its site.
    pub site: [u64; THREADS_MAX],
    /// Its argument.
    pub argument: [u64; THREADS_MAX],
    /// Depth of atomic sections.
    pub atomic: [u32; THREADS_MAX],
    /// Index into the runtime's list of endings.
    pub doom: [u32; THREADS_MAX],
    /// Numbers that came back from joined children, for this thread's next ones.
    pub returned: [u64; THREADS_MAX],
    /// Stack pointer at the call of code without instrumentation that a thread is inside; 0: none.
    pub inside: [usize; THREADS_MAX],
    /// How many numbers were made for this thread's children.
    pub children: [u16; THREADS_MAX],
}

impl State {
    /// Thread 0 exists.
    pub fn begin(&mut self) {
        self.live = 1;
    }

    /// Whether a thread exists and has not finished.
    pub fn is_live(&self, thread: ThreadId) -> bool {
        self.live >> thread.0 & 1 == 1
    }
}
