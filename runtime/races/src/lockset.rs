//! Which locks a thread holds, as one number.
//!
//! Locksets only explain a race, they never excuse one: order comes from the clocks. Each distinct
//! lockset gets a number once and for all, so that an access can remember its lockset in a few bits;
//! numbers are never undone, because giving one changes nothing that a program could see.

use crate::hash::Map;

/// The number of a distinct set of locks; 0 is the empty one.
pub(crate) type LocksetId = u32;

/// All locksets met so far.
///
/// *Shape:* `sets[id]` = names of the locks, sorted, one entry per nested acquisition.
pub(crate) struct Locksets {
    sets: Vec<Vec<u64>>,
    ids: Map<Vec<u64>, LocksetId>,
    /// (lockset, lock) → lockset with it; a shortcut only.
    with: Map<(LocksetId, u64), LocksetId>,
    without: Map<(LocksetId, u64), LocksetId>,
}

impl Locksets {
    pub(crate) fn new() -> Self {
        let mut ids = Map::default();
        ids.insert(Vec::new(), 0);
        Locksets {
            sets: vec![Vec::new()],
            ids,
            with: Map::default(),
            without: Map::default(),
        }
    }

    pub(crate) fn names(&self, id: LocksetId) -> &[u64] {
        &self.sets[id as usize]
    }

    /// The lockset `id` after one more acquisition of `lock`.
    pub(crate) fn add(&mut self, id: LocksetId, lock: u64) -> LocksetId {
        if let Some(&known) = self.with.get(&(id, lock)) {
            return known;
        }
        let mut names = self.sets[id as usize].clone();
        let place = names.partition_point(|&name| name < lock);
        names.insert(place, lock);
        let result = self.intern(names);
        self.with.insert((id, lock), result);
        result
    }

    /// The lockset `id` after one release of `lock`; a lock that is not held changes nothing.
    pub(crate) fn remove(&mut self, id: LocksetId, lock: u64) -> LocksetId {
        if let Some(&known) = self.without.get(&(id, lock)) {
            return known;
        }
        let mut names = self.sets[id as usize].clone();
        if let Ok(place) = names.binary_search(&lock) {
            names.remove(place);
        }
        let result = self.intern(names);
        self.without.insert((id, lock), result);
        result
    }

    fn intern(&mut self, names: Vec<u64>) -> LocksetId {
        if let Some(&id) = self.ids.get(&names) {
            return id;
        }
        let id = self.sets.len() as LocksetId;
        self.sets.push(names.clone());
        self.ids.insert(names, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::Locksets;

    #[test]
    fn order_of_acquisition_does_not_matter_but_nesting_does() {
        let mut locksets = Locksets::new();
        let a = locksets.add(0, 1);
        let ab = locksets.add(a, 2);
        let b = locksets.add(0, 2);
        assert_eq!(locksets.add(b, 1), ab);
        let aab = locksets.add(ab, 1);
        assert_eq!(locksets.names(aab), [1, 1, 2]);
        assert_eq!(locksets.remove(aab, 1), ab);
        assert_eq!(locksets.remove(ab, 1), b);
        assert_eq!(locksets.remove(b, 2), 0);
        assert_eq!(locksets.remove(0, 2), 0);
    }
}
