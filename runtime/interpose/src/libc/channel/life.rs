//! How channels come and go, as far as descriptors are counted.

use super::activity::{is_active, READING, WRITING};
use super::change::{change, Change};
use super::event::wait;
use super::order::release;
use super::ring::Ring;
use super::table::{channel, channels, held, ring, Channel, Kind, State, CHANNELS};
use super::waiting::is_used_by_others;
use crate::hooks::options::is_by_states;
use crate::libc::timers;
use crate::thread_mask::ThreadMask;

/// Takes a channel that is free, in an event on the table.
pub(super) fn allocate(kind: Kind, ends: usize) -> Option<usize> {
    // Numbers of channels that are no more are given again as late as possible: somebody may wait for one still. Where
    // states are remembered, which have to come back, the lowest is given for which nobody does.
    let lowest = || {
        let is_free = |k: &usize| channel(*k).kind == Kind::Free && !is_used_by_others(*k);
        (0..CHANNELS).find(is_free)
    };
    let first = if is_by_states() {
        lowest()?
    } else {
        usize::from(channels().look(|state| state.next))
    };
    channels().change(|state| allocate_in(state, first, kind, ends))
}

/// Takes the first free channel from this number on.
fn allocate_in(state: &mut State, from: usize, kind: Kind, ends: usize) -> Option<usize> {
    let number = (from..from + CHANNELS)
        .map(|k| k % CHANNELS)
        .find(|&k| state.channels[k].kind == Kind::Free)?;
    let directions: &[usize] = match kind {
        Kind::Counter | Kind::Signals | Kind::Free => &[],
        Kind::Pipe => &[0],
        _ => &[0, 1],
    };
    let mut rings = [0; 2];
    for &end in directions {
        let free = state.rings.iter().position(|ring| !ring.is_used())?;
        state.rings[free].begin(matches!(kind, Kind::Packet | Kind::Datagram));
        rings[end] = free as u8 + 1;
    }
    if !is_by_states() {
        state.next = ((number + 1) % CHANNELS) as u16;
    }
    state.channels[number] = Channel {
        kind,
        semaphore: false,
        timer: 0,
        shut_write: [false; 2],
        shut_read: [false; 2],
        reset: [false; 2],
        rings,
        entries: 0,
        open: [u16::from(ends > 0), u16::from(ends > 1)],
        pollers: ThreadMask::EMPTY,
        activity: [[0; 2]; 2],
        count: 0,
    };
    Some(number)
}

/// Counts that one more entry of the table names the channel, or one less. In an event on the
/// table.
pub fn count_entry(number: usize, comes: bool) {
    if comes {
        return held(number).change(|channel| channel.entries += 1);
    }
    held(number).change(|channel| channel.entries -= 1);
    let was = channel(number);
    if was.entries > 0 {
        return;
    }
    if was.timer != 0 {
        timers::state::is_free(was.timer);
    }
    channels().change(|state| {
        for end in was.rings.into_iter().filter(|&end| end > 0) {
            state.rings[usize::from(end) - 1].end();
        }
        (state.channels[number].kind, state.channels[number].rings) = (Kind::Free, [0; 2]);
    });
}

/// Counts one more descriptor of an end. In an event that conflicts with everything.
pub fn duplicate(number: usize, end: usize) {
    held(number).change(|channel| channel.open[end] += 1);
}

/// Counts that a descriptor of an end is gone, in an event on the channel, or one that conflicts
/// with everything.
pub fn drop_end(number: usize, end: usize) -> Change {
    release(number);
    let unread = match channel(number).kind {
        Kind::Stream | Kind::Packet => ring(number, end).look(Ring::stored) > 0,
        _ => false,
    };
    let ((), change) = change(number, || {
        held(number).change(|channel| {
            channel.open[end] -= 1;
            if channel.open[end] == 0 {
                channel.reset[1 - end] |= unread;
            }
        });
        let now = channel(number);
        if now.open[end] == 0 {
            is_active(number, 1 - end, READING);
            is_active(number, 1 - end, WRITING);
        }
        if now.open[end] == 0 && now.timer != 0 {
            timers::state::was_closed(now.timer);
        }
    });
    change
}

/// Tells the search of the channel of a descriptor that was just made, or changed in an event that
/// conflicts with everything.
pub fn publish(number: usize) {
    wait(number, 0);
}
