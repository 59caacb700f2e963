//! Stores of a thread to its own stack, in a turn of a loop that may be as the last.
//!
//! A turn that stores to memory that others know is none in vain (docs/decisions/0067). In code without optimization
//! much is stored that is gone, or what it was, when the turn ends: a `std::lock_guard` in the loop, or in a
//! function that the loop calls, keeps a pointer to its mutex. So what the thread's own stack held before a turn's first
//! store to a word of it is kept, and compared when the turn ends. Memory that is no longer part of the stack then,
//! below the frame of the loop, does not matter.

use crate::engine;
use crate::hooks;
use crate::pthread::me;

/// Words of eight bytes of which one turn keeps what they held. (A `lock_guard` needs one, a `std::optional` two.)
const WORDS: usize = 32;

/// Words of one store: what stores more is taken for a change.
const WORDS_OF_STORE: u64 = 4;

/// Stores of one thread in its present turn; a restore takes them back.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OwnStackStores {
    /// Loop in whose turn the words are kept: the address of the variable in which it is recorded.
    of: u64,
    /// Number of words kept; [`NOT_KEPT`]: none are.
    count: u32,
    /// Address of each word, and what it held before the turn's first store.
    words: [(u64, u64); WORDS],
}

/// Value of [`OwnStackStores::count`]: no loop wants the words, or they are too many.
const NOT_KEPT: u32 = u32::MAX;

impl OwnStackStores {
    /// Stores of a thread that is in no such turn.
    pub const NONE: OwnStackStores = OwnStackStores {
        of: 0,
        count: NOT_KEPT,
        words: [(0, 0); WORDS],
    };

    /// Keeps what is in the place of a store to the thread's own stack, which is about to happen.
    /// False: what was there is not kept.
    fn keep(&mut self, address: u64, bytes: u64) -> bool {
        let (first, last) = (address >> 3, (address + bytes - 1) >> 3);
        if self.count == NOT_KEPT || last - first >= WORDS_OF_STORE {
            return false;
        }
        for word in (first..=last).map(|word| word << 3) {
            let kept = &self.words[..self.count as usize];
            if kept.iter().any(|&(address, _)| address == word) {
                continue;
            }
            if kept.len() == WORDS {
                self.count = NOT_KEPT;
                return false;
            }
            self.words[self.count as usize] = (word, read(word));
            self.count += 1;
        }
        true
    }

    /// Returns, at the head of the loop `of`, whose frame and those that called it are `above` this
    /// address, whether the turn that ends changed something there, as far as that is kept.
    /// `again`: the loop was at its head before.
    fn changed(&self, of: u64, above: u64, again: bool) -> bool {
        let kept = match self.count {
            NOT_KEPT => return false,
            count => &self.words[..count as usize],
        };
        let lasts = |&&(address, _): &&(u64, u64)| address >= above;
        let differs = |&(address, before): &(u64, u64)| read(address) != before;
        match again && self.of == of {
            true => kept.iter().filter(lasts).any(differs),
            // Of a turn of a loop around this one, or left before.
            false => !kept.is_empty(),
        }
    }
}

fn read(word: u64) -> u64 {
    // SAFETY: an aligned word of the running thread's stack, or of one that it was part of: mapped, and of this thread.
    unsafe { core::ptr::with_exposed_provenance::<u64>(word as usize).read_volatile() }
}

/// Keeps what is in the place of a store that the running thread is about to make. False: perhaps
/// it is a change that lasts.
#[cold]
pub fn keep(address: u64, bytes: u64) -> bool {
    let (low, size) = engine::stack_of(engine::thread());
    let (low, high) = (low as u64, (low + size) as u64);
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let own = unsafe { &mut (*me()).own_stack_stores };
    low <= address && bytes <= high - low && address <= high - bytes && own.keep(address, bytes)
}

/// Returns whether the turn that ends changed something that lasts, at the head of a loop; see
/// [`OwnStackStores::changed`].
pub fn turn_ends(of: u64, above: u64, again: bool) -> bool {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).own_stack_stores.changed(of, above, again) }
}

/// Notes that a turn of this loop begins.
pub fn turn_begins(of: u64) {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let own = unsafe { &mut (*me()).own_stack_stores };
    (own.of, own.count) = (of, 0);
    // What it stored before it stores anew.
    hooks::repeated::forget_all();
}
