//! What threads may still do, learned from what they were seen to do.
//!
//! Each step that was executed in any execution of a search leads from a place to the next one, with a footprint. The
//! *future* of a place is all that the steps reachable from there touch, and what the operations that are pending there
//! look at, even if they were never performed. It is less than the truth as long as not everything was seen; when the
//! search has ended and no state's set was too small for what is known then, nothing was missed (docs/proof-of-states.md).

use super::column::ByWords;
use super::components::{components, Arrows};
use super::standing::{Place, Standing, Wait};
use crate::conflict::{Access, Class, Footprint};
use crate::mutation::{Mutation, Seeded};
use dpor_model::ThreadId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A place by its number in this search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PlaceIndex(pub u32);

/// The threads for whose end the operations at a place were seen to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Joins {
    None,
    One(ThreadId),
    /// Different ones: nothing is concluded from who has not ended.
    Several,
}

/// A place and what was seen there.
struct Known {
    /// What pending operations look at: reads, sorted.
    looks: Vec<Access>,
    joins: Joins,
    /// The steps from here: number of the footprint, place behind it.
    steps: Vec<(u32, PlaceIndex)>,
}

/// The futures of all places, as they are known.
#[derive(Clone, PartialEq, Eq, Default)]
struct Reach {
    /// The entry of each place in `all`.
    of: Vec<u32>,
    /// Accesses, sorted by object.
    all: Vec<Vec<Access>>,
}

impl Reach {
    fn get(&self, place: PlaceIndex) -> &[Access] {
        let number = self.of.get(place.0 as usize);
        number.map_or(&[], |&number| &self.all[number as usize])
    }

    /// True if each of the places has the same future here and there.
    fn is_same(&self, other: &Reach, places: usize) -> bool {
        let mut all = (0..places as u32).map(PlaceIndex);
        all.all(|place| self.get(place) == other.get(place))
    }
}

/// All that was seen so far, and the futures that follow from what had been seen when [`Futures::learn`] was called.
pub(super) struct Futures {
    places: Vec<Known>,
    by_place: HashMap<Place, PlaceIndex, ByWords>,
    footprints: Vec<Footprint>,
    by_footprint: HashMap<Footprint, u32, ByWords>,
    seen: HashSet<(PlaceIndex, u32, PlaceIndex), ByWords>,
    /// The futures without going through a join.
    whole: Reach,
    /// The futures without what comes after a join of a thread, by the thread.
    before: HashMap<ThreadId, Reach>,
    mutation: Seeded,
}

impl Futures {
    pub fn new(mutation: Seeded) -> Self {
        Futures {
            places: Vec::new(),
            by_place: HashMap::default(),
            footprints: Vec::new(),
            by_footprint: HashMap::default(),
            seen: HashSet::default(),
            whole: Reach::default(),
            before: HashMap::new(),
            mutation,
        }
    }

    /// Takes note that a thread stood so, and returns the number of its place.
    pub fn meet(&mut self, standing: &Standing) -> PlaceIndex {
        let next = PlaceIndex(self.places.len() as u32);
        let place = *self.by_place.entry(standing.place).or_insert(next);
        if place == next {
            self.places.push(Known {
                looks: Vec::new(),
                joins: Joins::None,
                steps: Vec::new(),
            });
        }
        let known = &mut self.places[place.0 as usize];
        let is_pending =
            standing.wait != Wait::Ended && !self.mutation.is(Mutation::LooksForgotten);
        for access in standing.next.iter().filter(|_| is_pending) {
            let look = Access {
                object: access.object,
                class: Class::READ,
            };
            if let Err(at) = known.looks.binary_search_by_key(&key(&look), key) {
                known.looks.insert(at, look);
            }
        }
        known.joins = match (known.joins, standing.joins) {
            (joins, None) => joins,
            (Joins::None, Some(thread)) => Joins::One(thread),
            (Joins::One(before), Some(thread)) if before == thread => Joins::One(thread),
            _ => Joins::Several,
        };
        place
    }

    /// Takes note of a step: what it touched, and where its thread, or a thread that it created, stood then.
    pub fn see(&mut self, place: PlaceIndex, footprint: &Footprint, next: PlaceIndex) {
        let number = match self.by_footprint.get(footprint) {
            Some(&number) => number,
            None => {
                let number = self.footprints.len() as u32;
                self.by_footprint.insert(footprint.clone(), number);
                self.footprints.push(footprint.clone());
                number
            }
        };
        if self.seen.insert((place, number, next)) {
            self.places[place.0 as usize].steps.push((number, next));
        }
    }

    /// Computes the futures from all that was seen. True if one of them is another than before.
    pub fn learn(&mut self) -> bool {
        let places = self.places.len();
        let targets: BTreeSet<u16> = { self.places.iter() }
            .filter_map(|known| match known.joins {
                Joins::One(thread) => Some(thread.0),
                _ => None,
            })
            .collect();
        let whole = self.reach(None);
        let mut changed = !whole.is_same(&self.whole, places);
        let mut before = HashMap::new();
        for thread in targets.into_iter().map(ThreadId) {
            let reach = self.reach(Some(thread));
            let known = self.before.get(&thread);
            changed |= known.is_none_or(|known| !reach.is_same(known, places));
            before.insert(thread, reach);
        }
        (self.whole, self.before) = (whole, before);
        changed
    }

    /// What a thread may do that is at this place, until thread `unless` moves.
    pub fn of(&self, place: PlaceIndex, unless: Option<ThreadId>) -> &[Access] {
        let cut = unless.and_then(|thread| self.before.get(&thread));
        cut.unwrap_or(&self.whole).get(place)
    }

    /// The futures, not going through a join of `cut`.
    fn reach(&self, cut: Option<ThreadId>) -> Reach {
        let goes_on = |known: &Known| cut.is_none_or(|thread| known.joins != Joins::One(thread));
        let steps = self.places.iter().enumerate().flat_map(|(place, known)| {
            let steps = known.steps.iter().filter(move |_| goes_on(known));
            steps.map(move |&(_, next)| (place as u32, next.0))
        });
        let arrows = Arrows::new(self.places.len(), steps);
        let components = components(&arrows);
        let mut all: Vec<Vec<Access>> = Vec::new();
        for members in components.iter() {
            let mut union: Vec<Access> = Vec::new();
            for &member in members {
                let known = &self.places[member as usize];
                union.extend(&known.looks);
                for &(footprint, next) in known.steps.iter().filter(|_| goes_on(known)) {
                    union.extend(&self.footprints[footprint as usize]);
                    // What is in this component is joined anyway.
                    let behind = all.get(components.of[next.0 as usize] as usize);
                    union.extend(behind.into_iter().flatten());
                }
                union.sort_unstable_by_key(key);
                union.dedup();
            }
            all.push(union);
        }
        Reach {
            of: components.of,
            all,
        }
    }
}

/// The order of accesses in a future: what conflicts with everything comes first.
fn key(access: &Access) -> (u32, Class) {
    (access.object.0, access.class)
}

/// True if a step with this footprint conflicts with something of a future.
pub(super) fn clashes(footprint: &[Access], future: &[Access]) -> bool {
    let everything = |accesses: &[Access]| accesses.first() == Some(&Access::EVERYTHING);
    if everything(footprint) || everything(future) {
        return true;
    }
    footprint.iter().any(|access| {
        let first = future.partition_point(|other| other.object < access.object);
        let mut same = { future[first..].iter() }.take_while(|other| other.object == access.object);
        same.any(|other| !other.class.commutes(access.class))
    })
}

/// True if something of a future writes an object of these accesses, so that whoever waits for that object may go on.
pub(super) fn writes_any(future: &[Access], awaited: &[Access]) -> bool {
    let everything = future.first() == Some(&Access::EVERYTHING);
    let writes = |object| {
        let first = future.partition_point(|other| other.object < object);
        let mut same = { future[first..].iter() }.take_while(|other| other.object == object);
        same.any(|other| other.class != Class::READ)
    };
    everything || awaited.iter().any(|access| writes(access.object))
}
