//! Leaves word of how far the running execution is, for whoever reads it after this process died.
//!
//! The layout is in [`dpor_abi::journal`]. The memory comes from the driver; without one it is our
//! own, so that a step need not ask. It is shared with processes forked to run one execution.
//! Whatever is overwritten here: nothing in this process relies on it but the search for the step at
//! which a known schedule dies (deaths.rs), and the kernel on [`SELECTOR`].

use core::sync::atomic::{AtomicU64, AtomicU8, Ordering};
use dpor_abi::journal::{self, Announced, Position};
use dpor_machine::state::PerStep;
use dpor_machine::sys;
use dpor_model::ThreadId;

/// Address at which the journal is mapped.
pub const START: usize = 0x0700_0000_0000;

/// Syscall User Dispatch: 0 lets system calls through, 1 sends them to us. It says at the same time
/// whether program code runs, so that this needs no store of its own.
pub static SELECTOR: PerStep<Selector> = PerStep::new(Selector);

/// A byte of the mapping.
pub struct Selector;

impl Selector {
    /// The address of the byte, for the kernel.
    pub fn as_ptr(&self) -> *mut u8 {
        (START + 8 * journal::RUNS) as *mut u8
    }

    /// Sets the byte.
    #[inline(always)]
    pub fn store(&self, value: u8, order: Ordering) {
        // SAFETY: the journal is mapped before exploration begins and never unmapped; the kernel and this thread access
        // the byte atomically.
        unsafe { AtomicU8::from_ptr(self.as_ptr()) }.store(value, order);
    }
}

/// Maps the journal: the driver's, if there is a descriptor. False if the address is taken.
pub fn map(descriptor: i32) -> bool {
    let (protection, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_FIXED_NOREPLACE,
    );
    let (shared, descriptor) = match descriptor {
        ..0 => (libc::MAP_SHARED | libc::MAP_ANONYMOUS, usize::MAX),
        _ => (libc::MAP_SHARED, descriptor as usize),
    };
    // SAFETY: a new mapping in a range that is ours; the descriptor is of no more use.
    let address = unsafe {
        let flags = (flags | shared | libc::MAP_NORESERVE) as usize;
        let (bytes, protection) = (journal::BYTES, protection as usize);
        let address = sys::call6(
            libc::SYS_mmap,
            START,
            bytes,
            protection,
            flags,
            descriptor,
            0,
        );
        if descriptor != usize::MAX {
            sys::call3(libc::SYS_close, descriptor, 0, 0);
        }
        address
    };
    address == START as isize
}

/// Maps memory for the journal of another process, which is going to be forked, and returns its address.
pub fn map_another() -> Option<usize> {
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    sys::map(0, journal::BYTES, flags).map(|start| start as usize)
}

/// The other process is gone.
pub fn unmap_another(start: usize) {
    // SAFETY: `start` is from `map_another`, and nobody uses the mapping any more.
    unsafe { sys::call3(libc::SYS_munmap, start, journal::BYTES, 0) };
}

/// This process, which was just forked, writes to the journal that was mapped for it.
pub fn become_own(start: usize) {
    let parents = word(journal::CLOCK) as *const AtomicU64;
    let (flags, bytes) = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, journal::BYTES);
    // SAFETY: both addresses are mapped with so many bytes; the mapping that was here stays with the parent.
    unsafe {
        // What the clocks showed at the root, and calls that are events.
        let texts = (journal::EVENTS - journal::CLOCK) * 8;
        let to = (start + 8 * journal::CLOCK) as *mut u8;
        to.copy_from_nonoverlapping(parents.cast(), texts);
        let names = START + 8 * journal::NAMED;
        let to = (start + 8 * journal::NAMED) as *mut u8;
        to.copy_from_nonoverlapping(names as *const u8, (1 + journal::NAMES_MAX) * 8);
        sys::call6(
            libc::SYS_mremap,
            start,
            bytes,
            bytes,
            flags as usize,
            START,
            0,
        );
    }
    set(0, journal::MAGIC);
}

/// What a process left that died is said in its place.
pub fn copy_from(start: usize) {
    // SAFETY: `start` is from `map_another`, and the process that wrote there is gone.
    let word_of = |index: usize| unsafe { *((start + 8 * index) as *const u64) };
    let events = journal::position(word_of(journal::POSITION)).events;
    let words = journal::EVENTS + 1 + events.min(journal::EVENTS_MAX);
    (0..words).for_each(|index| set(index, word_of(index)));
}

/// The addresses that the journal is mapped at, from the first byte to the one behind the last.
pub fn range() -> (usize, usize) {
    (START, START + journal::BYTES)
}

/// A word of the journal.
#[inline(always)]
fn word(index: usize) -> &'static AtomicU64 {
    debug_assert!(index * 8 < journal::BYTES);
    // SAFETY: the journal is mapped before exploration begins and never unmapped; the indices are within it.
    unsafe { AtomicU64::from_ptr((START + 8 * index) as *mut u64) }
}

#[inline(always)]
fn set(index: usize, value: u64) {
    word(index).store(value, Ordering::Relaxed);
}

/// Begins the journal at the root, with what the clocks show there.
pub fn begin(clock: &str) {
    text(journal::CLOCK, clock, journal::CLOCK_BYTES_MAX);
    set(0, journal::MAGIC);
}

/// The search, which begins, knows these calls to be events.
pub fn calls(known: &str) {
    text(journal::CALLS, known, journal::CALLS_BYTES_MAX);
}

/// A text that is too long is left out: its schedule is then not repeated.
fn text(at: usize, text: &str, most: usize) {
    let text = if text.len() > most { "?" } else { text };
    set(at, text.len() as u64);
    for (k, bytes) in text.as_bytes().chunks(8).enumerate() {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        set(at + 1 + k, u64::from_le_bytes(whole));
    }
}

/// The execution stands after so many events.
#[inline(always)]
pub fn stand(events: usize) {
    set(journal::POSITION, events as u64);
}

/// `thread` makes event number `events`, from 1.
#[inline(always)]
pub fn event(events: usize, thread: ThreadId, alternative: u32) {
    let thread = u64::from(thread.0);
    let decision = thread | u64::from(alternative) << 16;
    // More are more than a journal can have, and then it is refused.
    set(journal::EVENTS + events.min(journal::EVENTS_MAX), decision);
    set(journal::POSITION, events as u64 | thread << 52);
}

/// `thread` makes a passive step.
#[inline(always)]
pub fn passive(thread: ThreadId) {
    let before = word(journal::POSITION).load(Ordering::Relaxed) & 0x000f_ffff_ffff_ffff;
    set(
        journal::POSITION,
        (before + (1 << 32)) | u64::from(thread.0) << 52,
    );
}

/// An execution ended.
pub fn execution_ended(executions: u64) {
    set(journal::EXECUTIONS, executions);
}

/// The n-th thread number is that of this creator's child.
pub fn name(n: usize, creator: u16, nth: u16) {
    if n < journal::NAMES_MAX {
        set(
            journal::NAMES + n,
            u64::from(creator) << 16 | u64::from(nth),
        );
        set(journal::NAMED, n as u64 + 1);
    }
}

/// The process is about to die.
pub fn announce(how: Announced, address: usize, instruction: u64) {
    set(journal::ADDRESS, address as u64);
    set(journal::INSTRUCTION, instruction);
    set(journal::ANNOUNCED, how.to_word());
}

/// Whether a process that shares it said how it dies.
pub fn is_announced() -> bool {
    word(journal::ANNOUNCED).load(Ordering::Relaxed) != 0
}

/// Where the execution stands.
pub fn position() -> Position {
    journal::position(word(journal::POSITION).load(Ordering::Relaxed))
}

/// The decisions of the execution that is under way, or was when what is here was copied: thread and
/// alternative each.
pub fn decisions() -> Vec<(u16, u32)> {
    let events = journal::position(word(journal::POSITION).load(Ordering::Relaxed)).events;
    let made = (1..=events.min(journal::EVENTS_MAX))
        .map(|k| word(journal::EVENTS + k).load(Ordering::Relaxed));
    made.map(|made| ((made & 0xffff) as u16, (made >> 16) as u32))
        .collect()
}

/// Whether the running execution began with these decisions.
pub fn began_with(decisions: &[(u16, u32)]) -> bool {
    decisions
        .iter()
        .zip(1..)
        .all(|(&(thread, alternative), k)| {
            let made = word(journal::EVENTS + k).load(Ordering::Relaxed);
            made == u64::from(thread) | u64::from(alternative) << 16
        })
}
