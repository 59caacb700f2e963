//! Numbers of threads: the same in all processes of a search, whoever creates a thread first.

use crate::shared::Shared;
use core::sync::atomic::Ordering;
use dpor_machine::thread_limit;

impl Shared {
    /// Gives the thread that is the `nth` child of `creator` a number that it has in every process of a
    /// cluster: asks for it if there is none. False as long as there is none; `None`: there are too many.
    pub fn number_by_all(&self, worker: usize, creator: u16, nth: u16) -> Option<bool> {
        if self.rank == 0 {
            return self.number(creator, nth).map(|_| true);
        }
        let name = encode((creator, nth));
        let mut known = self.names.iter().map(|slot| slot.load(Ordering::Acquire));
        if known.any(|known| known == name) {
            return Some(true);
        }
        if self.are_numbered.load(Ordering::Acquire) != 0 {
            return None;
        }
        self.unnamed[worker].store(name, Ordering::Release);
        self.ring_bell(self.coordinator());
        Some(false)
    }

    /// Threads for which workers want numbers.
    pub fn unnamed(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        let unnamed = self.unnamed[..self.workers()].iter();
        unnamed.filter_map(|slot| match slot.load(Ordering::Relaxed) {
            0 => None,
            _ => decode(slot.swap(0, Ordering::AcqRel)),
        })
    }

    /// Takes over numbers that rank 0 gave, which begin with those that are known. `None`: it cannot give
    /// more.
    pub fn know(&self, names: Option<&[(u16, u16)]>) {
        match names {
            None => self.are_numbered.store(1, Ordering::Release),
            Some(names) => {
                for (slot, &name) in self.names.iter().zip(names) {
                    slot.store(encode(name), Ordering::Release);
                }
            }
        }
    }

    /// The number of the thread that is the `nth` child of `creator`, from 1: the one it has in every
    /// process, or the next. `None`: there are too many.
    pub fn number(&self, creator: u16, nth: u16) -> Option<u16> {
        let name = encode((creator, nth));
        // Thread 0 needs none, so that the last slot is not used.
        for (slot, number) in self.names.iter().zip(1..thread_limit::get() as u16) {
            let order = Ordering::AcqRel;
            match slot.compare_exchange(0, name, order, Ordering::Acquire) {
                Ok(_) => return Some(number),
                Err(other) if other == name => return Some(number),
                Err(_) => {}
            }
        }
        None
    }

    /// The threads that have a number, in the order of the numbers.
    pub fn names(&self) -> Vec<(u16, u16)> {
        let names = self.names.iter().map(|slot| slot.load(Ordering::Acquire));
        names.map_while(decode).collect()
    }
}

/// The word that stands for a child in the table; 0 stands for nobody.
pub fn encode((creator, nth): (u16, u16)) -> u32 {
    (u32::from(creator) << 16 | u32::from(nth)) + 1
}

fn decode(name: u32) -> Option<(u16, u16)> {
    let name = name.checked_sub(1)?;
    Some(((name >> 16) as u16, name as u16))
}
