//! When an end of a channel became ready (again), for sets of `epoll` that report edges.
//!
//! A set remembers the number that the end had when it reported the end, and compares. So a number says nothing but
//! whether it is the one that a set remembers: where states are remembered, which have to come back, the next number is
//! the lowest that none does, even if it is the same.

use super::epoll_sets::remembers;
use super::table::{channel, held};
use crate::hooks::options::is_by_states;

/// Index in [`super::Channel::activity`] of an end's reading.
pub(super) const READING: usize = 0;
/// Index in [`super::Channel::activity`] of an end's writing.
pub(super) const WRITING: usize = 1;

/// Notes that an end of a channel became ready (again), in an event that conflicts with all that look at it.
pub(super) fn is_active(number: usize, end: usize, way: usize) {
    let now = channel(number).activity[end][way];
    let is_free = |next: &u32| !remembers((number, end), way, *next);
    let next = match is_by_states() {
        false => now + 1,
        true => (0..).find(is_free).unwrap_or(now + 1),
    };
    held(number).change(|channel| channel.activity[end][way] = next);
}
