//! The use of a channel by a descriptor: which end it is, after the event that makes its use possible.

use super::waiting::{wait_within, Terms, Waited};
use crate::engine::{self, object};
use crate::libc::descriptor::{self, Opening};
use dpor_abi::libc_call::Hidden;
use dpor_model::Kind as Event;

/// Returns −`errno`, as system calls do.
pub(super) const fn error(errno: i32) -> isize {
    -(errno as isize)
}

/// An end of a channel, after the event that makes its use possible.
pub struct End {
    /// Number of the channel.
    pub number: usize,
    /// Which of its ends.
    pub end: usize,
    /// The descriptor does not block (`O_NONBLOCK`).
    pub nonblocking: bool,
}

/// Returns what the running thread knows a descriptor to be, after an event on the table if it
/// knows nothing.
pub fn look_up(fd: i32) -> Option<Opening> {
    if descriptor::known(fd).is_none() {
        let mut operation = engine::operation(Event::SharedRead);
        operation.object = object::hidden(Hidden::Descriptors as u32);
        engine::perform(operation);
        if !descriptor::learn(fd) {
            return None;
        }
    }
    descriptor::known(fd)
}

/// Performs the event of a use of a descriptor, and returns the end that it is. `thresholds`: what
/// it waits for, by the end and whether it may block.
///
/// # Errors
/// `-EBADF`, `-EINTR`.
pub fn enter(fd: i32, thresholds: impl Fn(&End) -> u64) -> Result<End, isize> {
    enter_within(fd, Terms::BEGIN, thresholds).map(|(end, _)| end)
}

/// Looks a descriptor up as [`enter`] does, within `terms`; tells also whether the thread gave up.
///
/// # Errors
/// `-EBADF`, `-EINTR`.
pub fn enter_within(
    fd: i32,
    terms: Terms,
    thresholds: impl Fn(&End) -> u64,
) -> Result<(End, bool), isize> {
    loop {
        let known = look_up(fd).ok_or(error(::libc::EBADF))?;
        let Some((number, end)) = known.channel_end() else {
            engine::unsupported("a descriptor that is closed and opened again while it is used");
        };
        let flags = descriptor::file(fd as usize).map_or(0, |file| file.flags);
        let end = End {
            number,
            end,
            nonblocking: flags & ::libc::O_NONBLOCK as u32 != 0,
        };
        let waited = wait_within(number, thresholds(&end), terms);
        if waited == Waited::Interrupted {
            return Err(error(::libc::EINTR));
        }
        if descriptor::is_still(fd, known) {
            return Ok((end, waited == Waited::GaveUp));
        }
        descriptor::forget(fd, known);
    }
}
