//! Who reads a signal from a descriptor, when it is sent.

use super::change::Change;
use super::epoll_sets::is_awaited_by_others;
use super::table::{channel, held, Kind, CHANNELS};
use crate::engine;
use crate::thread_mask::ThreadMask;
use dpor_model::ThreadId;

/// Returns the numbers of the channels that signals are read from.
fn all() -> impl Iterator<Item = usize> {
    (0..CHANNELS).filter(|&number| channel(number).kind == Kind::Signals)
}

fn reads(number: usize, signal: i32) -> bool {
    channel(number).count >> (signal - 1) & 1 == 1
}

/// Returns whether a signal is read from any of these channels, in an event that conflicts with
/// everything.
pub fn is_read(signal: i32) -> bool {
    all().any(|number| reads(number, signal))
}

/// Notes that a signal is pending, for a thread or for the process: rings for those that wait to
/// read it. After an event that conflicts with everything.
pub fn sent(signal: i32, to: Option<ThreadId>) {
    let whose = to.map_or(ThreadMask::ALL, ThreadMask::of);
    let mut pollers = ThreadMask::EMPTY;
    for number in all().filter(|&number| reads(number, signal)) {
        if to.is_some_and(|thread| is_awaited_by_others(number, thread)) {
            for_another();
        }
        held(number).change(|channel| {
            pollers.add(&channel.pollers.and(&whose));
            channel.pollers = channel.pollers.minus(&whose);
        });
    }
    Change { pollers }.tell();
}

/// Ends the execution as unsupported: a set of `epoll` tells a thread what is pending for itself, and forgets to ask for
/// others.
pub fn for_another() -> ! {
    engine::unsupported("epoll of a signalfd while a signal for another thread is pending");
}
