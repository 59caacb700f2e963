//! What an instruction or a function in a loop does that can be told once it is done.

use super::lent::Base;
use std::collections::HashSet;

/// The effects of an instruction or a function that can be told once it is done.
#[derive(Clone, Default, PartialEq)]
pub struct Effects {
    /// True if the instruction is an event, or makes some.
    pub looks: bool,
    /// The variables that may have been stored to, besides plain local ones, where nobody else can tell.
    pub writes: HashSet<Base>,
    /// The variables of `writes` to which some store has no hook.
    pub unseen: HashSet<Base>,
    /// True if the instruction may store to memory that others know, with a hook and without an event.
    pub stores: bool,
    /// True if the instruction may read memory that others know without an event.
    pub reads: bool,
    /// True if the instruction may leave the function by an exception.
    pub throws: bool,
}

impl Effects {
    /// Returns the effects of what may be an event and has no other effect.
    pub fn looking(looks: bool) -> Effects {
        Effects {
            looks,
            ..Effects::default()
        }
    }

    /// Returns the effects of a store to a variable that nobody else can tell.
    pub fn writing(base: Base, is_hooked: bool) -> Effects {
        let writes = HashSet::from([base]);
        let unseen = if is_hooked {
            HashSet::new()
        } else {
            writes.clone()
        };
        Effects {
            writes,
            unseen,
            ..Effects::default()
        }
    }

    /// Returns the effects of a store with a hook to memory that others know.
    pub fn storing() -> Effects {
        Effects {
            stores: true,
            ..Effects::default()
        }
    }

    /// Takes a store to this for one that others may see, if it has a hook.
    pub fn give_up(&mut self, base: Base) -> Option<()> {
        self.writes.remove(&base);
        self.stores = true;
        (!self.unseen.remove(&base)).then_some(())
    }

    /// Adds the effects of what is done as well.
    pub fn add(&mut self, other: Effects) {
        self.looks |= other.looks;
        self.stores |= other.stores;
        self.reads |= other.reads;
        self.throws |= other.throws;
        self.writes.extend(other.writes);
        self.unseen.extend(other.unseen);
    }
}
