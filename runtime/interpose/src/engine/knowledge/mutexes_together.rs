//! Mutexes that `std::lock` was called for, and those that somebody tried.

use crate::engine::object;
use dpor_explorer::program::several::Several;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Mutexes that `std::lock` was called for, and those that somebody tried. Never taken back: what was seen
/// in one execution counts in all.
#[derive(Default)]
pub struct Seen {
    pub(crate) together: Objects,
    pub(crate) tried: Objects,
    /// The one that was tried last.
    pub(crate) tried_last: u64,
    /// Mutexes of calls, each kept for ever.
    pub(crate) lists: HashSet<&'static Several, BuildHasherDefault<DefaultHasher>>,
    /// Mutexes after the first three of the call that is being announced.
    pub(crate) more: Vec<usize>,
    pub(crate) more_of: usize,
}

/// Without `RandomState`, which uses thread-local storage.
pub(crate) type Objects = HashSet<u64, BuildHasherDefault<DefaultHasher>>;

impl Seen {
    /// Returns the list of these mutexes.
    pub(crate) fn list(&mut self, mutexes: &[usize]) -> &'static Several {
        let objects = mutexes.iter().map(|&m| object::mutex(m)).collect();
        let list = Several(objects);
        if let Some(known) = self.lists.get(&list) {
            return known;
        }
        let list: &'static Several = Box::leak(Box::new(list));
        self.lists.insert(list);
        list
    }
}
