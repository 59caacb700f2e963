//! How a thread stands at a state, as far as the search asks.

use super::column::ByWords;
use super::futures::{Futures, PlaceIndex};
use crate::conflict::Footprint;
use dpor_model::ThreadId;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Where a thread is, as a number: any function of the thread's own state. What the thread may do later is learned by
/// place, so a coarser one makes the search expand more, and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place(pub u64);

/// Who has to move before a thread can.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// Nobody: the thread is enabled.
    Enabled,
    /// The owner of what it waits for, or the thread whose end it waits for, which is there. If that is the thread itself,
    /// nobody lets it go.
    Thread(ThreadId),
    /// Somebody who writes one of the objects of the pending operation.
    Writers,
    /// Anybody: it goes on where nobody else can, or who lets it go is not known.
    Everybody,
    /// The thread has ended, or has not begun.
    Ended,
}

/// How one thread stands at a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    /// Where it is.
    pub place: Place,
    /// What the pending operation would touch here, over all its alternatives; of a thread that waits, what it would
    /// touch if it could go on. Empty if it has ended.
    pub next: Footprint,
    /// Who has to move before it.
    pub wait: Wait,
    /// The thread for whose end it waits or would wait here.
    pub joins: Option<ThreadId>,
    /// It stands before an operation for which it may have to wait until others let it: a lock, or a place that is to
    /// change. Not for the end of a thread, or a signal that nobody owes it.
    pub waits_its_turn: bool,
    /// It stands before an operation with which it lets others go first: to leave it there is no preemption.
    pub pauses: bool,
    /// The alternatives of the pending operation.
    pub alternatives: SmallVec<[u32; 2]>,
}

/// A standing that the search has met.
pub(super) struct Met {
    pub standing: Standing,
    pub place: PlaceIndex,
}

/// All standings of all threads that were met, each once.
#[derive(Default)]
pub(super) struct Standings {
    all: Vec<Met>,
    numbers: HashMap<Standing, u32, ByWords>,
}

impl Standings {
    /// The number of a standing. What the thread would look at there is learned.
    pub fn number(&mut self, standing: &Standing, futures: &mut Futures) -> u32 {
        if let Some(&number) = self.numbers.get(standing) {
            return number;
        }
        let number = self.all.len() as u32;
        let place = futures.meet(standing);
        self.numbers.insert(standing.clone(), number);
        self.all.push(Met {
            standing: standing.clone(),
            place,
        });
        number
    }

    /// The standing with this number.
    #[inline]
    pub fn get(&self, number: u32) -> &Met {
        &self.all[number as usize]
    }

    /// The threads that are enabled where all stand so, in ascending order.
    pub fn enabled<'a>(&'a self, all: &'a [u32]) -> impl Iterator<Item = ThreadId> + 'a {
        let enabled = move |&number: &u32| self.get(number).standing.wait == Wait::Enabled;
        let threads = all.iter().enumerate();
        threads
            .filter(move |(_, number)| enabled(number))
            .map(|(thread, _)| ThreadId(thread as u16))
    }
}
