//! Walks of stacks that need not be made again.
//!
//! What a walk finds depends on the registers it begins with and on the words that it reads: return addresses, and what a
//! frame is found by. A walk that begins with the same registers and would read the same words finds the same.
//!
//! ```text
//!   first walk    rsp ──► frame ──► frame ──► …        calls, and the words that led there
//!   next one      rsp is the same, and so are the words: the same calls
//! ```

use crate::call_frames::KEPT_COUNT;
use crate::probe;
use crate::unwind::Registers;

/// What a walk has looked at so far.
#[derive(Clone, Debug)]
pub(crate) struct Looked {
    /// Where the present value of each register was read; `None`: the walk began with it.
    origins: [Option<u64>; KEPT_COUNT],
    /// Registers that the walk began with and that it looked at, by their places, with what they held.
    registers: Vec<(usize, u64)>,
    /// Addresses of words, with what they held.
    words: Vec<(u64, u64)>,
    /// False if a word could not be read: nobody knows when it can be.
    is_whole: bool,
}

impl Looked {
    pub(crate) fn nothing() -> Looked {
        Looked {
            origins: [None; KEPT_COUNT],
            registers: Vec::new(),
            words: Vec::new(),
            is_whole: true,
        }
    }

    /// A frame is found by this register.
    pub(crate) fn at_register(&mut self, index: usize, value: u64) {
        match self.origins[index] {
            None => self.registers.push((index, value)),
            Some(address) => self.words.push((address, value)),
        }
    }

    /// A register was read from memory, which matters if it is looked at.
    pub(crate) fn restored(&mut self, index: usize, address: u64) {
        self.origins[index] = Some(address);
    }

    /// Where the walk goes on is what memory holds there; `None`: it cannot be read.
    pub(crate) fn at_word(&mut self, address: u64, value: Option<u64>) {
        match value {
            Some(value) => self.words.push((address, value)),
            None => self.cut(),
        }
    }

    /// The walk ends since a word cannot be read.
    pub(crate) fn cut(&mut self) {
        self.is_whole = false;
    }
}

/// The number of pairs of walks that are remembered, a power of two (chosen: a program makes accesses at some hundred
/// places). They are pairs since an update is a read and a write at one place, each with a call of its own.
const ROOM: usize = 1 << 9;

struct Walk<T> {
    instruction: u64,
    stack: u64,
    looked: Looked,
    found: T,
}

impl<T> Walk<T> {
    /// Whether a walk that begins with these registers is this one.
    fn finds_the_same(&self, registers: &Registers) -> bool {
        let begins = self.instruction == registers.instruction && self.stack == registers.stack;
        let looked = &self.looked;
        let holds = |&(address, value): &(u64, u64)| probe::word(address as usize) == Some(value);
        begins
            && { looked.registers.iter() }.all(|&(index, value)| registers.kept[index] == value)
            && looked.words.iter().all(holds)
    }
}

/// Walks that were made, and what each found.
pub struct Walks<T> {
    /// Of each pair, the one that was made last comes first.
    walks: Vec<[Option<Walk<T>>; 2]>,
}

impl<T> Default for Walks<T> {
    fn default() -> Self {
        let walks = core::iter::repeat_with(|| [None, None]).take(ROOM);
        Walks {
            walks: walks.collect(),
        }
    }
}

impl<T: Copy> Walks<T> {
    /// What a walk with these registers finds, if one that would find the same is remembered. `hint`: walks with different
    /// ones are remembered in different places, if there is room.
    pub fn again(&self, hint: u64, registers: &Registers) -> Option<T> {
        let mut pair = self.walks[place(hint, registers)].iter().flatten();
        let walk = pair.find(|walk| walk.finds_the_same(registers))?;
        Some(walk.found)
    }

    /// Remembers what a walk found.
    pub(crate) fn remember(&mut self, hint: u64, registers: &Registers, looked: Looked, found: T) {
        if looked.is_whole {
            let pair = &mut self.walks[place(hint, registers)];
            pair.swap(0, 1);
            pair[0] = Some(Walk {
                instruction: registers.instruction,
                stack: registers.stack,
                looked,
                found,
            });
        }
    }
}

fn place(hint: u64, registers: &Registers) -> usize {
    // 2^64 / golden ratio; the high bits depend on all others.
    let mixed = (hint ^ registers.stack.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % ROOM
}
