//! What a thread's own stack held before the stores of its present turn.

/// Words of eight bytes of which one turn keeps what they held. (A `lock_guard` needs one, a `std::optional` two.)
const WORDS: usize = 32;

/// Words of one store: what stores more is taken for a change.
const WORDS_OF_STORE: u64 = 4;

/// Stores of one thread in its present turn; a restore takes them back.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OwnStackStores {
    /// Loop in whose turn the words are kept: the address of the variable in which it is recorded.
    pub(super) of: u64,
    /// Number of words kept; [`NOT_KEPT`]: none are.
    pub(super) count: u32,
    /// Address of each word, and what it held before the turn's first store.
    pub(super) words: [(u64, u64); WORDS],
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
    pub(super) fn keep(&mut self, address: u64, bytes: u64) -> bool {
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
    pub(super) fn changed(&self, of: u64, above: u64, again: bool) -> bool {
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
