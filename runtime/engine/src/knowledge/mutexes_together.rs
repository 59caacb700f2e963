//! Mutexes that `std::lock` was called for, and those that somebody tried.

use dpor_model::several::Several;
use dpor_model::ObjectId;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Mutexes that `std::lock` was called for, and those that somebody tried. Never taken back: what was seen
/// in one execution counts in all.
#[derive(Default)]
pub struct Seen {
    /// Mutexes that were locked together with others, by their objects.
    pub together: Objects,
    /// Mutexes that were tried, by their objects.
    pub tried: Objects,
    /// The one that was tried last.
    pub tried_last: u64,
    /// Mutexes of calls, each kept for ever.
    pub lists: HashSet<&'static Several, BuildHasherDefault<DefaultHasher>>,
    /// Mutexes after the first three of the call that is being announced.
    pub more: Vec<usize>,
    /// The thread whose call that is.
    pub more_of: usize,
}

/// Without `RandomState`, which uses thread-local storage.
pub type Objects = HashSet<u64, BuildHasherDefault<DefaultHasher>>;

impl Seen {
    /// Returns the list of these mutexes: the same one each time.
    pub fn list(&mut self, mutexes: Box<[ObjectId]>) -> &'static Several {
        let list = Several(mutexes);
        if let Some(known) = self.lists.get(&list) {
            return known;
        }
        let list: &'static Several = Box::leak(Box::new(list));
        self.lists.insert(list);
        list
    }
}
