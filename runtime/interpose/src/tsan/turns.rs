//! Turns of loops that may be as the last, found where they make an event.
//!
//! The pass marks the head of a loop that may wait and shows what its next turn depends on (`__dpor_turn`). Here nothing is
//! marked. So each atomic or volatile access is taken for the head of a loop, and all that the thread will do depends on
//! what the calling convention keeps over the call: six registers, the stack pointer, and the bytes of its stack above it,
//! besides memory that has hooks and what is passed to the access itself.
//!
//! ```text
//!   while (!flag) {}     call __tsan_atomic32_load ── same place, registers, stack; nothing stored, no call between ──►
//!                                                     the turn since then may have been in vain
//! ```
//!
//! If all of that is as it was when the thread last stood here, and it stored nothing meanwhile without an event, and
//! called nothing that could keep something elsewhere, the turn led to where it began. The rest is as for the pass's loops
//! (docs/decisions/0047): the search finds out whether its events changed anything. A loop with a counter, in a register or
//! in memory, is in another state in each turn: it goes round as it is.
//!
//! *Fingerprints.* Of registers and stack, 128 bits are kept (XXH3), in the world, so that a rollback takes them back: two
//! states that differ are taken for one with a chance of 2^-128 for each pair.

use crate::engine;
use crate::engine::runtime::runtime;
use crate::hooks::options::{is_by_states, volatile_is_plain};
use crate::own_stack_stores;
use crate::pthread::me;
use core::arch::naked_asm;
use xxhash_rust::xxh3::xxh3_128;

/// Places at which a thread was lately (chosen: a loop that looks at more places in a turn is found in none).
const PLACES: usize = 8;

/// What is kept of a thread's last stand at a place.
#[derive(Clone, Copy)]
#[repr(C)]
struct Visit {
    /// The place, a return address; 0: none.
    place: u64,
    /// The thread's progress, and in it the number of events ([`crate::progress::Progress::at_head`]).
    head: u64,
    /// The fingerprint of registers and stack.
    state: [u64; 2],
}

/// The places at which a thread was lately.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Visits {
    /// The latest one first.
    places: [Visit; PLACES],
}

impl Visits {
    /// Those of a thread that made no event yet.
    pub const NONE: Visits = Visits {
        places: [Visit {
            place: 0,
            head: 0,
            state: [0; 2],
        }; PLACES],
    };

    /// Puts a visit in front; returns the one at the same place, if it is kept.
    fn exchange(&mut self, visit: Visit) -> Option<Visit> {
        let known = { self.places.iter() }.position(|known| known.place == visit.place);
        let last = known.map(|at| self.places[at]);
        self.places[..=known.unwrap_or(PLACES - 1)].rotate_right(1);
        self.places[0] = visit;
        last
    }
}

/// Registers at the call of an access, as [`visit`] saves them.
#[repr(C)]
struct Registers {
    /// rbx, rbp, r12 to r15.
    kept: [u64; 6],
    /// rdi, rsi, rdx, rcx, r8, r9.
    arguments: [u64; 6],
    /// Return address of [`visit`].
    inner: u64,
    /// Return address of the access.
    place: u64,
}

/// The thread stands before an access with as many arguments as r11 says. Called by functions that are called as the
/// access, before they change anything; keeps the registers of arguments.
///
/// # Safety
/// Only called from naked functions whose return address is on the stack.
#[unsafe(naked)]
pub unsafe extern "C" fn visit() {
    naked_asm!(
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push rbp",
        "push rbx",
        "mov rdi, rsp",
        "mov esi, r11d",
        "call {stand}",
        "add rsp, 48",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "ret",
        stand = sym stand,
    )
}

extern "C" fn stand(registers: &Registers, arguments: u32) {
    if volatile_is_plain() || is_by_states() {
        return;
    }
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between two events.
    let (visits, progress) = unsafe { (&mut (*me()).visits, &mut (*me()).progress) };
    if engine::is_inside_event() || engine::is_interruptible() {
        *visits = Visits::NONE;
        return;
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see `runtime`).
    let rt = unsafe { &mut *runtime() };
    let Some(state) = state(registers, arguments as usize, rt.live_stack_of_running(0).1) else {
        *visits = Visits::NONE;
        return;
    };
    let place = registers.place;
    let head = progress.at_head(rt.depth);
    let last = visits.exchange(Visit { place, head, state });
    engine::forget_turn();
    if let Some(last) = last {
        progress.turn_ends(last.head, rt.depth);
        let since = last.head as u32;
        if last.state == state && !engine::wrote_since(since) {
            // Only one place of a loop is its head.
            visits.places[1..].fill(Visits::NONE.places[0]);
            rt.turns = true;
            engine::set_turn(since, true);
        }
    }
    // What the thread stores to its own stack is compared here.
    own_stack_stores::turn_begins(place);
}

/// The fingerprint of what a thread keeps over a call; `None` if it is on another stack than its own, which ends at `end`.
fn state(registers: &Registers, arguments: usize, end: usize) -> Option<[u64; 2]> {
    let begin = core::ptr::from_ref(registers) as usize + size_of::<Registers>();
    let (low, bytes) = engine::stack_of(engine::thread());
    if !(low..low + bytes).contains(&begin) || begin > end {
        return None;
    }
    // SAFETY: the stack that the thread is on, from its stack pointer to its end.
    let stack = unsafe { core::slice::from_raw_parts(begin as *const u8, end - begin) };
    let stack = xxh3_128(stack);
    let mut words = [0u64; 15];
    words[..6].copy_from_slice(&registers.kept);
    words[6..6 + arguments].copy_from_slice(&registers.arguments[..arguments]);
    words[12..].copy_from_slice(&[begin as u64, stack as u64, (stack >> 64) as u64]);
    let mut bytes = [0u8; 15 * 8];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let state = xxh3_128(&bytes);
    Some([state as u64, (state >> 64) as u64])
}

/// A function that is called may keep something where no hook tells of it.
pub fn calls_something() {
    if engine::active() {
        engine::changed_in_turn();
    }
}

/// Something was stored without a hook, unless it is on the thread's own stack.
pub fn stored(address: usize) {
    if !engine::active() {
        return;
    }
    let (low, bytes) = engine::stack_of(engine::thread());
    if !(low..low + bytes).contains(&address) {
        engine::changed_in_turn();
    }
}
