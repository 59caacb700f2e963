//! When the race detector judges, and where it goes back to.
//!
//! Its state follows from the calls that it is told of, and what is repeated after a restore are the same
//! calls. So it does not go back with the memory, to the checkpoint, but to where the repetition ends, and
//! is told of nothing until then:
//!
//! ```text
//!   memory     checkpoint ──repeated──► branch ──new──►
//!   detector                            branch ──new──►
//! ```
//!
//! For that it is marked before each event. What the program or a finding learns from the detector has to
//! be the same in a repetition: from the first time that somebody asks ([`Judging::ask`]), repeated events
//! are judged like others.

use crate::{Mark, Races};

/// The detector's marks along the present execution.
#[derive(Default)]
pub struct Judging {
    /// Whether the running step is judged.
    now: bool,
    /// Whether anything is (`--races`).
    wanted: bool,
    /// Whether what is repeated is, too.
    always: bool,
    /// The state at the root, before the first passive steps.
    root: Option<Mark>,
    /// `marks[k]`: the state before event `k`, after the passive steps before it.
    marks: Vec<Mark>,
    /// How many events are repeated after the next restore.
    repeats: usize,
}

impl Judging {
    /// Before the root. `wanted`: whether to judge at all.
    pub fn new(wanted: bool) -> Judging {
        Judging {
            now: wanted,
            wanted,
            ..Judging::default()
        }
    }

    /// This state is the root's.
    pub fn root_is_here(&mut self, races: &mut Races) {
        self.root = Some(races.mark());
    }

    /// Whether the detector is to be told of what happens.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.now
    }

    /// Somebody asked for what the detector knows, other than for a race that ends the check.
    #[inline]
    pub fn ask(&mut self) {
        self.always = true;
    }

    /// So many events will be repeated after the next restore.
    pub fn will_repeat(&mut self, events: usize) {
        self.repeats = events;
    }

    /// They have been.
    #[inline]
    pub fn repeated(&mut self) {
        self.now = self.wanted;
    }

    /// Event `depth` is about to be executed, or a checkpoint to be taken before it.
    #[inline]
    pub fn stand(&mut self, races: &mut Races, depth: usize) {
        if self.now && self.marks.len() == depth {
            self.marks.push(races.mark());
        }
    }

    /// The memory went back to a checkpoint before event `depth`, which is the root if so said.
    pub fn restore(&mut self, races: &mut Races, depth: usize, is_root: bool) {
        let repeats = std::mem::take(&mut self.repeats);
        let Some(root) = self.root.filter(|_| self.wanted) else {
            return;
        };
        let end = depth + repeats;
        if repeats > 0 && end < self.marks.len() && !self.always {
            races.rollback(self.marks[end]);
            self.marks.truncate(end + 1);
            self.now = false;
            return;
        }
        // At the root the passive steps before the first event are to be repeated, too.
        let kept = if is_root { 0 } else { depth + 1 };
        races.rollback(kept.checked_sub(1).map_or(root, |last| self.marks[last]));
        self.marks.truncate(kept);
        self.now = true;
    }
}
