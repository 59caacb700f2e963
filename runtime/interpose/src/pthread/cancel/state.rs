//! What is known of a thread's cancellation: what others asked of it, what it allows, what it waits for.

use dpor_model::ObjectId;

/// State of one thread's cancellation: what others asked of it, and what it allows.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// Whether `pthread_cancel` was called for the thread.
    pub(super) requested: bool,
    /// Whether the request ended the thread's wait.
    pub(super) woken: bool,
    /// Whether the thread disabled cancellation (`PTHREAD_CANCEL_DISABLE`).
    pub disabled: bool,
    /// Whether the thread may be cancelled anywhere, not at cancellation points only
    /// (`PTHREAD_CANCEL_ASYNCHRONOUS`).
    pub asynchronous: bool,
    /// Whether the thread is leaving, so that nothing cancels it any more.
    pub leaving: bool,
    /// Whether the thread stands in a wait that a request would end.
    pub(super) blocked: bool,
    /// Whether the function of libc that the thread called last is a cancellation point.
    pub(super) in_point: bool,
    /// Whether the request came after another thread had given up waiting, which it did after this
    /// one had blocked.
    pub(super) late: bool,
    /// Number of time-outs in this execution when the thread blocked.
    pub(super) time_outs: u64,
    /// Address of the semaphore whose posts the thread wants to be told of; 0: of none.
    pub(in crate::pthread) semaphore: usize,
    pub(super) wait: Wait,
}

impl State {
    /// The state of a thread that begins: not asked to end, cancellable at cancellation points.
    pub const NEW: Self = State {
        requested: false,
        woken: false,
        disabled: false,
        asynchronous: false,
        leaving: false,
        blocked: false,
        in_point: false,
        late: false,
        time_outs: 0,
        semaphore: 0,
        wait: Wait::None,
    };
}

/// What a thread that can be cancelled waits for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Nothing that a request to end would end.
    None,
    /// A signal on this condition variable.
    Condvar(ObjectId),
    /// The end of a thread, or any other post on this semaphore, which it may find to be none of those
    /// it waits for.
    Post(ObjectId),
}
