//! What can hold of every operation of one kind, whatever its object's state.

use dpor_model::Kind;

/// The kinds of objects, each a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum ObjectKind {
    Memory,
    Mutex,
    Condvar,
    Rwlock,
    Semaphore,
    Barrier,
    Futex,
    Channel,
    Early,
    Library,
    Thread,
    Process,
}

/// What can keep an operation of a kind from being executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockedBy {
    /// Nothing blocks the operation.
    Nothing,
    /// The state of its object.
    Object,
    /// The states of all its objects.
    Objects,
    /// The state of the mutex of its wait, and what its object's module says.
    Mutex,
    /// What is in memory, if the operation waits for that.
    Memory,
    /// What another thread has not done yet; no object's state tells.
    Threads,
}

/// What an operation that succeeds does to the life of its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Life {
    /// The object is there before and after it.
    Uses,
    /// The operation initializes the object.
    Makes,
    /// The operation destroys the object.
    Destroys,
}

/// What holds of every operation of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// The object whose module answers for it.
    pub of: ObjectKind,
    /// What can block it.
    pub blocked_by: BlockedBy,
    /// Whether an operation of this kind can have other alternatives than 0.
    pub chooses: bool,
    /// Whether an operation of this kind changes no object, whatever it finds.
    pub only_reads: bool,
    /// A turn of a loop that goes round in vain may contain it: what it does to a lock can be taken back.
    pub is_of_lock: bool,
    /// The events that let it pass may commute with each other, so that several may have to go for it to block.
    pub waits_for_commuting: bool,
    /// What it does to the life of its object.
    pub life: Life,
    /// An operation that tries: the kind that waits instead of failing.
    pub waits_as: Option<Kind>,
    /// The word for it in reports.
    pub name: &'static str,
}

impl Facts {
    /// An operation that never blocks, and of which nothing else is special.
    pub const fn new(name: &'static str) -> Facts {
        Facts {
            of: ObjectKind::Thread,
            blocked_by: BlockedBy::Nothing,
            chooses: false,
            only_reads: false,
            is_of_lock: false,
            waits_for_commuting: false,
            life: Life::Uses,
            waits_as: None,
            name,
        }
    }

    /// The facts with what can block an operation of the kind.
    pub const fn blocked_by(self, blocked_by: BlockedBy) -> Facts {
        Facts { blocked_by, ..self }
    }

    /// The facts of a kind that [`Facts::chooses`].
    pub const fn chooses(self) -> Facts {
        Facts {
            chooses: true,
            ..self
        }
    }

    /// The facts of a kind that [`Facts::only_reads`].
    pub const fn only_reads(self) -> Facts {
        Facts {
            only_reads: true,
            ..self
        }
    }

    /// The facts of a kind that [`Facts::is_of_lock`].
    pub const fn of_lock(self) -> Facts {
        Facts {
            is_of_lock: true,
            ..self
        }
    }

    /// The facts of a kind that [`Facts::waits_for_commuting`].
    pub const fn waits_for_commuting(self) -> Facts {
        Facts {
            waits_for_commuting: true,
            ..self
        }
    }

    /// The facts of a kind that initializes its object.
    pub const fn makes(self) -> Facts {
        Facts {
            life: Life::Makes,
            ..self
        }
    }

    /// The facts of a kind that destroys its object.
    pub const fn destroys(self) -> Facts {
        Facts {
            life: Life::Destroys,
            ..self
        }
    }

    /// The facts of a kind that tries what `waits` waits for.
    pub const fn tries(self, waits: Kind) -> Facts {
        Facts {
            waits_as: Some(waits),
            ..self
        }
    }
}
