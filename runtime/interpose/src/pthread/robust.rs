//! The robust mutexes that a thread holds, for its end.

use crate::engine;

/// Robust mutexes held at once by one thread.
const MUTEXES_MAX: usize = 16;

/// Addresses, in the order in which they were locked. All zero at first.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Robust {
    addresses: [usize; MUTEXES_MAX],
    count: usize,
}

impl Robust {
    /// No mutexes: those of a thread that begins.
    pub const NONE: Robust = Robust {
        addresses: [0; MUTEXES_MAX],
        count: 0,
    };

    /// Adds the mutex at `address`, which the thread locked once more.
    pub fn add(&mut self, address: usize) {
        if self.count == MUTEXES_MAX {
            engine::unsupported("more than 16 robust mutexes held by one thread");
        }
        self.addresses[self.count] = address;
        self.count += 1;
    }

    /// Takes away the mutex at `address`, which the thread unlocked once.
    pub fn remove(&mut self, address: usize) {
        let held = &self.addresses[..self.count];
        if let Some(at) = held.iter().rposition(|&other| other == address) {
            self.addresses.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
    }

    /// Takes away the mutex at `address`, however often the thread locked it.
    pub fn forget(&mut self, address: usize) {
        while self.addresses[..self.count].contains(&address) {
            self.remove(address);
        }
    }

    /// Returns the address of the mutex that was locked last.
    pub fn last(&self) -> Option<usize> {
        self.addresses[..self.count].last().copied()
    }
}
