//! The engine: the search, alone or one of several, and the program that it drives.

use crate::native::Native;
use crate::runtime::Runtime;
use crate::spill;
use dpor_explorer::worker::Worker;
use dpor_explorer::{Counters, Execution, Explorer, Fault};
use std::ops::Deref;

/// The search of this process alone, or this process's part of one.
pub enum Searching {
    /// This process explores all of the search.
    Alone(Explorer),
    /// This process is a worker, and explores its part of the search.
    Together(Worker),
}

impl Deref for Searching {
    type Target = Explorer;

    fn deref(&self) -> &Explorer {
        match self {
            Searching::Alone(explorer) => explorer,
            Searching::Together(worker) => worker.explorer(),
        }
    }
}

impl Searching {
    /// Runs one execution. `None`: there is none, for a worker at present.
    pub fn run_one(&mut self, native: &mut Native) -> Result<Option<Execution>, Fault> {
        match self {
            Searching::Alone(explorer) => explorer.next(native),
            Searching::Together(worker) => worker.step(native),
        }
    }

    /// Events that have to be repeated before a checkpoint is worth it.
    pub fn set_checkpoint_after(&mut self, events: u32) {
        match self {
            Searching::Alone(explorer) => explorer.set_checkpoint_after(events),
            Searching::Together(worker) => worker.set_checkpoint_after(events),
        }
    }

    /// Gives up all checkpoints but the root's.
    pub fn give_up_checkpoints(&mut self, native: &mut Native) {
        match self {
            Searching::Alone(explorer) => explorer.give_up_checkpoints(native),
            Searching::Together(worker) => worker.give_up_checkpoints(native),
        }
    }

    /// Lets the search, which has not begun, put into a file what does not fit into so many bytes of memory.
    pub fn spill(&mut self, file: Option<i32>, bytes: u64) {
        if let (Some(fd), Searching::Alone(explorer)) = (file, self) {
            let limit = usize::try_from(bytes).unwrap_or(usize::MAX);
            explorer.spill_to(Box::new(spill::File::new(fd)), limit);
        }
    }

    /// What all workers executed, in the one that has the whole tree.
    pub fn total(&self) -> Option<Counters> {
        match self {
            Searching::Together(worker) if worker.is_finished() => Some(worker.total()),
            _ => None,
        }
    }
}

/// The engine, which runs the program's fibers, one step at a time.
pub struct Engine {
    /// The search. It is on the heap, which processes share that are forked for one execution; the engine's stack they
    /// do not share.
    pub search: Box<Searching>,
    /// The program and, between two steps, the runtime's knowledge.
    pub native: Native,
}

impl Engine {
    /// What the runtime knows.
    pub fn rt(&mut self) -> &mut Runtime {
        self.native.rt()
    }

    /// The runtime's knowledge and the search, to be changed.
    pub fn parts(&mut self) -> (&mut Runtime, &mut Searching) {
        (self.native.rt(), &mut self.search)
    }

    /// The runtime's knowledge and the search, to be read.
    pub fn look(&self) -> (&Runtime, &Searching) {
        (self.native.look(), &self.search)
    }
}
