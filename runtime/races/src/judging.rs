//! When the race detector judges, and which of its marks a restore goes back to.
//!
//! The detector's state follows from the calls that it is told of, and what is repeated after a restore are the same
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
//!
//! **Long executions.** Each mark keeps alive what changed up to the next one: gigabytes, where events have
//! tens of thousands of accesses between them and there are thousands of events. Once more than
//! [`LOGGED_MAX`] changes are remembered, every second mark is given up, then every second of the rest, and
//! so on. Where a mark is missing, the detector goes back to the one before it, and is told of what is
//! repeated from there on:
//!
//! ```text
//!   memory     checkpoint ──repeated──────────────► branch ──new──►
//!   detector                  mark ──repeated─────► branch ──new──►
//! ```
//!
//! Before an event with a checkpoint there is always a mark ([`Judging::pin`]): memory cannot go back
//! further than the detector. docs/decisions/0057 has the figures.

use crate::{Mark, Races};

/// Number of changes of shadow memory that are remembered before marks are given up (chosen: 16 MB).
const LOGGED_MAX: usize = 1 << 20;

/// The detector's mark before one event, if there still is one.
#[derive(Clone, Copy)]
struct Place {
    /// The mark; `None` once it is given up.
    mark: Option<Mark>,
    /// True if there is or was a checkpoint before this event.
    is_pinned: bool,
}

/// The detector's marks along the present execution.
pub struct Judging {
    /// True while the running step is judged.
    now: bool,
    /// True if anything is to be judged (`--races`).
    wanted: bool,
    /// True if repeated events are judged, too, from [`Judging::ask`] on.
    always: bool,
    /// The state at the root, before the first passive steps.
    root: Option<Mark>,
    /// The states before the events: `places[k]` is the one before event `k`, after the passive steps before it.
    places: Vec<Place>,
    /// Number of events that are repeated after the next restore.
    repeats: usize,
    /// The event before which the detector stands while nothing is judged.
    stands: usize,
    /// Of `stride` consecutive places without a checkpoint one keeps its mark, as does the last place.
    stride: usize,
    /// Changes remembered from which on marks are given up.
    limit: usize,
    /// The least that `limit` can be.
    limit_min: usize,
}

impl Judging {
    /// The state before the root. `wanted`: whether to judge at all.
    pub fn new(wanted: bool) -> Judging {
        Judging {
            now: wanted,
            wanted,
            always: false,
            root: None,
            places: Vec::new(),
            repeats: 0,
            stands: 0,
            stride: 1,
            limit: LOGGED_MAX,
            limit_min: LOGGED_MAX,
        }
    }

    /// Sets the number of changes of shadow memory from which on marks are given up; for tests of that.
    pub fn set_logged_max(&mut self, changes: usize) {
        (self.limit, self.limit_min) = (changes, changes);
    }

    /// Marks the present state as the root's.
    pub fn root_is_here(&mut self, races: &mut Races) {
        self.root = Some(races.mark());
    }

    /// Whether the detector is to be told of what happens.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.now
    }

    /// Tells that somebody asked for what the detector knows, other than for a race that ends the check.
    #[inline]
    pub fn ask(&mut self) {
        self.always = true;
    }

    /// Tells how many events will be repeated after the next restore.
    pub fn will_repeat(&mut self, events: usize) {
        self.repeats = events;
    }

    /// Tells that the events of [`Judging::will_repeat`] have been repeated: what comes now is new, and judged.
    #[inline]
    pub fn repeated(&mut self) {
        self.now = self.wanted;
    }

    /// Event `depth` is about to be executed, or a checkpoint to be taken before it.
    #[inline]
    pub fn stand(&mut self, races: &mut Races, depth: usize) {
        if !self.now && self.wanted && depth == self.stands {
            self.now = true;
        }
        if self.now {
            races.stand(depth as u32);
        }
        if self.now && self.places.len() == depth {
            self.places.push(Place {
                mark: Some(races.mark()),
                is_pinned: false,
            });
            if races.logged() > self.limit {
                self.give_up_marks(races);
            }
        }
    }

    /// A checkpoint is to be taken before event `depth`, where [`Judging::stand`] was said. False: it cannot
    /// be, as the detector could not go back to it.
    pub fn pin(&mut self, depth: usize) -> bool {
        if !self.wanted {
            return true;
        }
        let place = self.places.get_mut(depth);
        let Some(place) = place.filter(|place| place.mark.is_some()) else {
            return false;
        };
        place.is_pinned = true;
        true
    }

    /// Gives up marks until half the limit is free, or there is nothing more to give up.
    #[cold]
    fn give_up_marks(&mut self, races: &mut Races) {
        let last = self.places.len() - 1;
        loop {
            self.stride = (2 * self.stride).min(self.places.len().next_power_of_two());
            let mut kept = Vec::from_iter(self.root);
            for (event, place) in self.places.iter_mut().enumerate() {
                if !place.is_pinned && event % self.stride != 0 && event != last {
                    place.mark = None;
                }
                kept.extend(place.mark);
            }
            let mut kept = kept.into_iter().peekable();
            races.keep_marks(|mark| kept.next_if_eq(&mark).is_some());
            if 2 * races.logged() <= self.limit || self.stride > last {
                break;
            }
        }
        self.limit = self.limit_min.max(2 * races.logged());
    }

    /// The memory went back to a checkpoint before event `depth`, which is the root if so said.
    pub fn restore(&mut self, races: &mut Races, depth: usize, is_root: bool) {
        let repeats = std::mem::take(&mut self.repeats);
        let Some(root) = self.root.filter(|_| self.wanted) else {
            return;
        };
        let end = depth + repeats;
        let mut mark = None;
        if repeats > 0 && end < self.places.len() && !self.always {
            let marks = (depth..=end).rev();
            mark = marks
                .filter_map(|at| Some((at, self.places[at].mark?)))
                .next();
        }
        if let Some((at, mark)) = mark {
            races.rollback(mark);
            self.places.truncate(at + 1);
            self.stands = at;
            self.now = false;
        } else {
            // At the root the passive steps before the first event are to be repeated, too.
            let kept = if is_root { 0 } else { depth + 1 };
            let last = kept.checked_sub(1).map(|last| self.places[last].mark);
            races.rollback(last.map_or(root, |mark| {
                mark.expect("[dpor internal bug] a checkpoint without a mark of the detector")
            }));
            self.places.truncate(kept);
            self.now = true;
        }
        if races.logged() <= self.limit_min {
            self.stride = 1;
        }
        self.limit = self.limit_min.max(2 * races.logged());
    }
}
