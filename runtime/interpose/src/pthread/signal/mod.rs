//! Signals that the program sends to itself.
//!
//! What is pending for a thread is an object of its own: sending writes it, the thread looks at it
//! before each of its operations ([`deliver::look`]). Handlers run there, on the thread's stack. So these
//! events are there only for threads that were seen to be sent a signal ([`crate::engine::learned_events::learn_signalled`]).
//! A signal to the process goes to one of the threads that do not block it, whichever the explorer
//! chooses ([`send`]); if all block it, it is pending for the process.
//!
//! A thread that blocks in an operation does not look. Whatever a handler could do meanwhile it could
//! have done before the thread blocked, too, in an execution of its own. Only if nothing else ever
//! lets the thread go on is the execution no possible one ([`is_stuck`]): it counts as blocked, not as a
//! deadlock. Waits for signals ([`wait`]) are ended by a post. What only a time-out led to cannot have come before:
//! [`late`].
//!
//! *Deviations*: handlers run on the thread's own stack, `SA_ONSTACK` or not; what they learn of the
//! interrupted context is zero but for the mask; several pending signals are delivered one after the
//! other, the lowest number first (after those that faults have); `pthread_exit` and cancellation in a handler are unsupported. Which
//! waits a handler ends: [`interrupt`].
//!
//! Source: POSIX.1-2017, XSH 2.4.

pub mod deliver;
pub mod interrupt;
pub mod late;
pub mod read;
pub mod send;
mod state;
pub mod wait;

pub(super) use state::inherit;
pub(crate) use state::{at_root, Sent};
pub use state::{has_wasted, is_in_handler, is_mask_free, is_stuck};
