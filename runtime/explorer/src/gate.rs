//! What a thread waits for that begins a turn of a loop after a turn in vain ([`crate::loop_iteration`]).

use crate::conflict::Object;

/// What was seen of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Look {
    pub cell: Object,
    /// The bits that were seen.
    pub mask: u64,
    /// What they were; the others are 0.
    pub value: u64,
}

impl Look {
    pub fn differs(&self, value: u64) -> bool {
        (value ^ self.value) & self.mask != 0
    }
}

/// The cells that a turn in vain looked at.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub looks: Vec<Look>,
    /// Each once.
    pub cells: Vec<Object>,
    /// So many of the operation's objects it touches itself.
    pub own: usize,
}

impl Gate {
    pub fn new(looks: &[Look], own: usize) -> Gate {
        Gate {
            looks: looks.to_vec(),
            cells: looks.iter().map(|look| look.cell).collect(),
            own,
        }
    }

    /// True if some cell is not what it was.
    pub fn differs(&self, mut value: impl FnMut(Object) -> u64) -> bool {
        self.looks.iter().any(|look| look.differs(value(look.cell)))
    }

    pub fn differs_at(&self, cell: Object, value: u64) -> bool {
        let mut here = self.looks.iter().filter(|look| look.cell == cell);
        here.any(|look| look.differs(value))
    }
}
