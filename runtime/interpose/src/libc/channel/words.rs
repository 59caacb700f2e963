//! Channels in the words of reports.

use super::epoll_sets;
use super::event::LOCKS;
use super::level::GONE;
use super::table::{self, CHANNELS};
use crate::libc::overlay::locked_ranges;
use dpor_model::Operation;

/// Returns what a blocked thread waits for, in words. No fiber runs.
pub fn describe_wait(operation: &Operation) -> &'static str {
    let number = operation.object.0 as u32 as usize;
    if number >= LOCKS {
        return "for the lock of a file";
    }
    if number >= CHANNELS {
        return match locked_ranges::waits(number - CHANNELS) {
            true => "for the lock of a range of a file",
            false => "for a descriptor to be ready",
        };
    }
    let waits_for = |k: u32| (operation.levels() >> (16 * k)) & 0xffff < GONE;
    match (waits_for(0) || waits_for(2), waits_for(1) || waits_for(3)) {
        (true, false) => "for something to read",
        (false, true) => "for room to write",
        _ => "for a descriptor to be ready",
    }
}

/// Returns the name of a channel in reports.
pub fn name(number: usize) -> String {
    if let Some(file) = number.checked_sub(LOCKS) {
        return format!("lock of file {file}");
    }
    match number.checked_sub(CHANNELS) {
        None => format!("channel {number}"),
        Some(thread) => format!("descriptors that thread {thread} waits for"),
    }
}

/// Says what lies at an address, in words, if it is what channels hold, or a set of `epoll`.
pub fn describe_place(address: usize) -> Option<String> {
    table::describe_place(address).or_else(|| epoll_sets::describe_place(address))
}
