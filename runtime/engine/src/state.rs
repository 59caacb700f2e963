//! The part of the engine's state that goes back in time with the program.

use crate::thread_mask::ThreadMask;
use dpor_model::{Argument, SiteId, ThreadId};

/// Part of the [`crate::world`]; all-zero bytes are its first value (but see [`State::begin`]).
#[repr(C)]
pub struct State {
    /// Threads that exist and have not finished.
    pub live: ThreadMask,
    /// Threads that are to end the process with a finding; [`Fiber::doom`] says which.
    pub doomed: ThreadMask,
    /// Threads that stand at the head of a loop that went round often enough ([`Fiber::site`] is the loop's).
    pub cut: ThreadMask,
    /// Threads for which signals are pending.
    pub signals: ThreadMask,
    /// Number of times that a thread gave up waiting because no other could go on.
    pub time_outs: u64,
    /// Number of calls with a limit that gave up early. Who looks has just decided whether it does, or is to decide
    /// again.
    pub early: u32,
    /// Threads that wrote to memory after their last operation, and ended.
    pub wrote_last: ThreadMask,
    /// Threads that have ended when the process does, and that nobody joined or detached.
    pub abandoned: ThreadMask,
    /// True once main returned: what is left on its stack means nothing.
    pub main_returned: bool,
    /// Bit `p`: property `p` is an invariant that a thread asked for ([`crate::properties::begin_invariant`]).
    pub invariants: u64,
    /// Bit `p`: invariant `p` did not hold after the last step.
    pub broken: u64,
    /// Threads of the runtime's own, of which the program knows nothing: they wait for timers.
    pub watchers: ThreadMask,
    /// The way in which thread 0 ends the process.
    pub exit: crate::exit_state::Exit,
}

/// One thread's part of that state.
#[repr(C)]
pub struct Fiber {
    /// Stack pointer of the thread's suspended context.
    pub stack_pointer: usize,
    /// Site of the pending operation.
    pub site: SiteId,
    /// Argument of the pending operation.
    pub argument: Argument,
    /// Number of thread numbers that came back from joined children, for its next ones
    /// ([`crate::world::World::returned`]).
    pub returned: u16,
    /// Stack pointer at the call of code without instrumentation that the thread is inside; 0: it is inside none.
    pub inside: usize,
    /// Depth of atomic sections.
    pub atomic: u32,
    /// Index into the runtime's list of endings.
    pub doom: u32,
    /// One more than the number of the event before which the last iteration began of a loop of which the thread begins
    /// another that may be as the last; 0: it begins none.
    pub turn: u32,
    /// True if that loop may read what others know without an event.
    pub turn_reads: bool,
    /// 1 + the number of events when its last step ended in which it stored without an event to what others know; 0: none did.
    pub wrote: u32,
    /// Number of thread numbers made for its children.
    pub children: u16,
    /// Kind of the pending operation (`Kind as u8`).
    pub pending: u8,
    /// True if the thread is at the head of a loop that it went round often ([`crate::rounds`]).
    pub round: bool,
    /// Number of times in succession that the thread was set aside ([`crate::long_step`]), up to where that makes no
    /// difference.
    pub set_aside: u8,
}

impl State {
    /// Thread 0 exists.
    pub fn begin(&mut self) {
        self.live.insert(ThreadId::MAIN);
    }

    /// Whether a thread exists and has not finished.
    pub fn is_live(&self, thread: ThreadId) -> bool {
        self.live.contains(thread)
    }
}
