//! The table of channels: what each is and who waits for it, in the world, which a rollback takes back.

use super::ring::Ring;
use crate::engine;
use crate::scoped_cell::ScopedCell;
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back, THREADS_MAX};
use dpor_model::Operation;

/// Number of channels at once, at most.
pub const CHANNELS: usize = 64;
/// Directions of channels at once, each with room for [`super::ring::BYTES`].
const RINGS: usize = 64;

/// What a channel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// None. (The state is all-zero at first.)
    Free = 0,
    /// A pipe.
    Pipe,
    /// A pair of `SOCK_STREAM` sockets.
    Stream,
    /// A pair of `SOCK_SEQPACKET` sockets.
    Packet,
    /// A pair of `SOCK_DGRAM` sockets.
    Datagram,
    /// `eventfd`.
    Counter,
    /// `signalfd`.
    Signals,
}

/// One channel, by number in [`State`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Channel {
    /// What the channel is, see [`Kind`]; [`Kind::Free`]: the entry is unused.
    pub kind: Kind,
    /// Whether each read of a counter takes 1 (`EFD_SEMAPHORE`).
    pub semaphore: bool,
    /// Counter: the timer that counts, or 0.
    pub timer: u8,
    /// By end: whether it writes no more (`shutdown` with `SHUT_WR`).
    pub shut_write: [bool; 2],
    /// By end: whether it reads no more (`shutdown` with `SHUT_RD`).
    pub shut_read: [bool; 2],
    /// By end: whether the next read fails with `ECONNRESET`.
    pub reset: [bool; 2],
    /// By end: 1 + number of the ring that it reads from, or 0.
    pub(super) rings: [u8; 2],
    /// Entries of the table of descriptors; changes in events on the table only.
    pub entries: u16,
    /// By end: number of descriptors that are not closed.
    pub open: [u16; 2],
    /// Threads that wait for a change.
    pub pollers: ThreadMask,
    /// By end, for reading and for writing: another number each time that it became ready (again), see
    /// [`super::activity`].
    pub activity: [[u32; 2]; 2],
    /// Counter: its value. Signals: which are read, as the kernel has sets.
    pub count: u64,
}

/// State of the channels that a restore takes back.
#[repr(C)]
pub struct State {
    pub(super) channels: [Channel; CHANNELS],
    /// Number of the channel at which the search for a free one begins.
    pub(super) next: u16,
    /// By thread: 1 + number of the channel that it uses or waits for; numbers from [`CHANNELS`] on
    /// are bells.
    pub(super) standing: [u16; THREADS_MAX],
    /// Threads whose bells ring.
    pub(super) ringing: ThreadMask,
    pub(super) rings: [Ring; RINGS],
}

rolled_back!(static STATE: RolledBack<State> = world::CHANNELS);

/// Returns the state of all channels.
pub(super) fn channels() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function
    // and its like only.
    unsafe { ScopedCell::at(STATE.get()) }
}

/// Says what lies at an address, in words, if it is what channels hold.
pub fn describe_place(address: usize) -> Option<String> {
    let start = STATE.get() as usize;
    let offset = address.checked_sub(start)?;
    if offset >= size_of::<State>() {
        return None;
    }
    let is_of_rings = offset >= core::mem::offset_of!(State, rings);
    Some(if is_of_rings { IN_RING } else { OF_CHANNELS }.to_owned())
}

/// What a user calls the memory of rings, and of all else.
const IN_RING: &str = "bytes in a pipe or socket";
const OF_CHANNELS: &str = "the state of pipes, sockets and event counters";

/// Returns a channel by its number, as it is now.
pub fn channel(number: usize) -> Channel {
    held(number).get()
}

/// Returns a channel, by number, to be changed.
pub fn held(number: usize) -> ScopedCell<Channel> {
    // SAFETY: as `channels`; the index is checked by the array.
    unsafe { ScopedCell::at(&raw mut (*STATE.get()).channels[number]) }
}

/// Returns the ring that an end reads from.
pub(super) fn ring(number: usize, end: usize) -> ScopedCell<Ring> {
    let ring = channel(number).rings[end];
    // SAFETY: the state lies in the world, which is mapped; a channel that is used has a ring,
    // whose number is one too large.
    unsafe { ScopedCell::at(&raw mut (*STATE.get()).rings[usize::from(ring) - 1]) }
}

/// Takes the threads that wait for a change of a channel, and which wait no more.
pub(super) fn take_pollers(number: usize) -> ThreadMask {
    let none = ThreadMask::EMPTY;
    held(number).change(|channel| core::mem::replace(&mut channel.pollers, none))
}

/// Notes that the running thread waits for a change of a channel.
pub(super) fn add_poller(number: usize) {
    held(number).change(|channel| channel.pollers.insert(engine::thread()));
}

/// Returns whether a blocked thread waits for what another has closed. No fiber runs.
pub fn is_closed(operation: &Operation) -> bool {
    let number = operation.object.0 as u32 as usize;
    number < CHANNELS && channel(number).kind == Kind::Free
}

/// Returns the channel of a timer.
pub fn of_timer(number: usize) -> Option<usize> {
    let is_its =
        |channel: &Channel| channel.kind != Kind::Free && usize::from(channel.timer) == number;
    channels().look(|all| all.channels.iter().position(is_its))
}
