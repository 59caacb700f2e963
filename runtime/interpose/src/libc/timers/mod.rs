//! Timers: `alarm`, `setitimer`, `timer_create`, `timerfd_create`.
//!
//! Time is virtual ([`super::time`]), so no moment comes at which a timer expires. It is like a call with a
//! time limit (docs/decisions/0025): it expires where no thread of the program can go on, or
//! early (`--timeouts`); with `--timeouts=all` at any moment, and one with an interval expires again where none can go on.
//!
//! Who sends the signal, or counts, is a thread of the runtime's own, one for each timer that is armed. It waits for
//! nothing, with a limit, so that it gives up where nothing else can go on. It ends when it finds its timer
//! disarmed, or the program over. Nobody can name it, it is no part of reports, and it blocks all signals.
//!
//! A signal that would only end the process is a watchdog's, and is not sent, as if time were short.
//!
//! | part | what |
//! |---|---|
//! | [`state`] | the timers |
//! | [`watching`] | the threads that wait for them |
//! | [`told`] | what a timer tells of itself |
//! | [`call`] | the system calls |
//! | [`descriptor`] | timers that are read |
//! | [`processor`] | timers of processor time |
//! | [`at_root`] | timers that were set before the root |
//!
//! Source: POSIX.1-2017 `alarm`, `setitimer`, `timer_create`, `timer_settime`.

pub mod at_root;
pub mod call;
mod descriptor;
pub mod processor;
pub mod state;
mod told;
pub mod watching;

pub use state::State;
pub use watching::{may_interrupt, signal_taken};
