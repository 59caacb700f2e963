//! What the engine must forget when the program goes back in time.

use dpor_explorer::program::ThreadId;

/// Part of the [`crate::world`]; all-zero bytes are its first value (but see [`State::begin`]).
#[repr(C)]
pub struct State {
    /// Bit t: thread t exists and has not finished.
    pub live: u64,
    /// Bit t: thread t is to end the process with a finding; [`Fiber::doom`] says which.
    pub doomed: u64,
    /// Bit t: thread t stands at the head of a loop that went round often enough ([`Fiber::site`] is the
    /// loop's).
    pub cut: u64,
    /// Bit t: signals are pending for thread t.
    pub signals: u64,
    /// How often a thread gave up waiting because no other could go on.
    pub time_outs: u64,
    /// How many calls with a limit gave up early. Who looks has just decided whether it does, or is to decide again.
    pub early: u32,
    /// Bit t: thread t wrote to memory after its last operation, and ended.
    pub wrote_last: u64,
    /// Bit t: thread t has ended when the process does, and nobody joined or detached it.
    pub abandoned: u64,
    /// Main returned: what is left on its stack means nothing.
    pub main_returned: bool,
    /// How thread 0 ends the process.
    pub exit: crate::exit::Exit,
}

/// One thread's part of it.
#[repr(C)]
pub struct Fiber {
    /// Its suspended context.
    pub stack_pointer: usize,
    /// Site of the pending operation.
    pub site: u64,
    /// Argument of the pending operation.
    pub argument: u64,
    /// Numbers that came back from joined children, for its next ones.
    pub returned: u64,
    /// Stack pointer at the call of code without instrumentation that it is inside; 0: none.
    pub inside: usize,
    /// Depth of atomic sections.
    pub atomic: u32,
    /// Index into the runtime's list of endings.
    pub doom: u32,
    /// It begins a turn of a loop that may be as the last, which began before the event with this number less 1; 0: it
    /// does not.
    pub turn: u32,
    /// Whether that loop may read what others know without an event.
    pub turn_reads: bool,
    /// 1 + the number of events when its last step ended in which it stored without an event to what others know; 0: none did.
    pub wrote: u32,
    /// How many numbers were made for its children.
    pub children: u16,
    /// Kind of the pending operation (`Kind as u8`).
    pub pending: u8,
    /// It is at the head of a loop that it went round often ([`super::rounds`]).
    pub round: bool,
    /// How often in succession it was set aside ([`super::long_step`]), up to where that makes no difference.
    pub set_aside: u8,
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
