//! THE place that says which two events conflict.
//!
//! An event touches objects, each with a *class*. Two events of different threads commute unless
//! they have a common object with different classes or with class [`Class::WRITE`]; the class is
//! that of the *outcome*: a failed compare-exchange or trylock only reads.
//!
//! An operation that conflicts with everything (a system call nobody modelled, the end of the
//! process) writes the object [`GLOBAL`], which every other event reads; the reads are not listed.
//!
//! An event of which only the answer of a comparison is seen ([`Class::counter`]) commutes with its like that had the
//! same answer, in an order that there is. Whether two that both stand before their threads' next steps may be swapped
//! depends on the state: the first may [turn](Class::turns) the answer of the second (docs/proof.md, 5.15).
//!
//! Source: the conflict tables of Optimal-DPOR's independence relation (Abdulla et al., J. ACM 2017),
//! extended by commuting classes.

use dpor_model::Counter;
use smallvec::SmallVec;

/// An object by its number in this search: dense, never reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Object(pub u32);

/// What [`Access`]es of operations that conflict with everything name.
pub const GLOBAL: Object = Object(0);

/// The highest two bits of the number of a [`Class::counter`].
const COUNTER: u32 = 3;

/// The lowest two bits of its number, which are no part of what commutes. 0: nothing is said.
const SORT: u32 = 3;

/// Those bits of what [`Class::turns`].
const TURNS: u32 = 1;

/// Those of a [`Class::increment`].
const INCREMENT: u32 = 2;

/// Those of a [`Class::look`].
const LOOK: u32 = 3;

/// How an event touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Class(u32);

impl Class {
    /// Conflicts with every class.
    pub const WRITE: Class = Class(0);
    /// Changes nothing: commutes with its like.
    pub const READ: Class = Class(1);
    /// A reader's lock or unlock of a read-write lock: commutes with its like.
    pub const READER: Class = Class(2);

    /// A post of a semaphore: commutes with its like.
    pub const POST: Class = Class(3);
    /// An arrival at a barrier with few users: commutes with its like.
    pub const ARRIVE: Class = Class(4);

    /// Joining the waiters of a futex: they form a set.
    pub const JOIN: Class = Class::enqueue(GLOBAL);

    /// Joining the waiters of a condition variable with this mutex. Waiters form a set, so joining
    /// commutes; with another mutex it does not, because the second of them is a misuse.
    pub const fn enqueue(mutex: Object) -> Class {
        Class(5 + mutex.0)
    }

    /// A read-modify-write whose result nobody looks at. Two commute if they have the same operator
    /// and touch the same bytes of the cell.
    pub const fn update(operator: u8, offset: u8, bytes: u8) -> Class {
        // Mutexes are never numbered up to here.
        Class(1 << 31 | (operator as u32) << 16 | (offset as u32) << 8 | bytes as u32)
    }

    /// A store to these bytes of a cell that nobody has read. Two commute (`crate::observers`).
    pub const fn store(offset: u8, bytes: u8) -> Class {
        Class(1 << 30 | (offset as u32) << 8 | bytes as u32)
    }

    /// A read-modify-write of which only the answer of one comparison is seen: what it is, which bytes, and the answer.
    /// Two that are the same and had the same answer commute. `turns`: behind it, the same operation would have the
    /// other answer. This depends on where the event stands among its like, and is no part of what commutes:
    /// [`Class::turns`].
    pub(crate) fn counter(
        counter: Counter,
        offset: u8,
        bytes: u32,
        answer: bool,
        turns: bool,
    ) -> Class {
        let place = place(offset, bytes);
        let all = counter.number() << 7 | place << 3 | u32::from(answer) << 2 | u32::from(turns);
        Class(COUNTER << 30 | all)
    }

    /// An addition whose result nobody looks at, to aligned bytes: commutes with its like, and with each [`Counter::LAST`]
    /// that had the answer "no", as far as these keep that in every order (`crate::increments`).
    pub(crate) fn increment(offset: u8, bytes: u32) -> Class {
        Class(Class::counter(Counter::LAST, offset, bytes, false, false).0 | INCREMENT)
    }

    /// A load of which only is seen whether these aligned bytes are 1, and they are not: commutes as [`Class::increment`] does.
    /// A drop may [turn](Class::turns) it.
    pub(crate) fn look(offset: u8, bytes: u32) -> Class {
        Class(Class::counter(Counter::LAST, offset, bytes, false, false).0 | LOOK)
    }

    /// True for [`Class::increment`].
    #[inline]
    pub const fn is_increment(self) -> bool {
        self.is_of_sort(INCREMENT)
    }

    /// True for [`Class::look`].
    #[inline]
    pub const fn is_look(self) -> bool {
        self.is_of_sort(LOOK)
    }

    /// True for a [`Class::counter`], but not for what commutes with it besides.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.is_counter() && !self.is_increment() && !self.is_look()
    }

    const fn is_of_sort(self, sort: u32) -> bool {
        self.0 & (COUNTER << 30 | SORT) == COUNTER << 30 | sort
    }

    /// True for [`Class::counter`], [`Class::increment`] and [`Class::look`].
    #[inline]
    pub const fn is_counter(self) -> bool {
        self.0 >> 30 == COUNTER
    }

    /// True for a [`Class::counter`] behind which its like have another answer.
    #[inline]
    pub const fn turns(self) -> bool {
        self.is_of_sort(TURNS)
    }

    /// The class of a [`Class::counter`] that stands elsewhere among its like.
    pub(crate) const fn turning(self, turns: bool) -> Class {
        debug_assert!(self.is_drop());
        Class(self.0 & !SORT | turns as u32)
    }

    /// What a [`Class::counter`] is, and its first byte and width. Of a
    /// [`Class::increment`] or [`Class::look`] that with which it commutes.
    pub(crate) fn as_counter(self) -> Option<(Counter, u8, u32)> {
        let counter = Counter::from_number(self.0 >> 7 & ((1 << Counter::BITS) - 1))?;
        let (offset, bytes) = bytes_at(self.0 >> 3 & 0xf);
        self.is_counter().then_some((counter, offset, bytes))
    }

    /// True for [`Class::store`].
    #[inline]
    pub const fn is_store(self) -> bool {
        self.0 >> 30 == 1
    }

    /// The class as a number, in this process.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The class with this [`Class::number`].
    pub(crate) fn from_number(number: u32) -> Class {
        Class(number)
    }

    /// The class as a number that means the same in every process, and the mutex it names.
    pub(crate) fn parts(self) -> (u32, Option<Object>) {
        let first = Class::enqueue(Object(0)).0;
        match self.0.checked_sub(first).filter(|_| self.0 >> 30 == 0) {
            Some(mutex) => (first, Some(Object(mutex))),
            None => (self.0, None),
        }
    }

    /// The class with these parts.
    pub(crate) fn from_parts(number: u32, mutex: Option<Object>) -> Class {
        mutex.map_or(Class(number), Class::enqueue)
    }

    /// True if two accesses of these classes to one object can be swapped.
    #[inline]
    pub fn commutes(self, other: Class) -> bool {
        (self.0 == other.0 && self.0 != Class::WRITE.0)
            || ((self.0 ^ other.0) & !SORT == 0 && self.is_counter())
    }
}

/// The number of `bytes` aligned bytes of a cell, from `offset` on: below 16.
fn place(offset: u8, bytes: u32) -> u32 {
    let size = bytes.trailing_zeros();
    [0, 8, 12, 14][size as usize] + (u32::from(offset) >> size)
}

/// The bytes with this [`place`]: the first one, and how many.
fn bytes_at(place: u32) -> (u8, u32) {
    let (first, size) = match place {
        0..8 => (0, 0),
        8..12 => (8, 1),
        12..14 => (12, 2),
        _ => (14, 3),
    };
    (((place - first) << size) as u8, 1 << size)
}

/// An access of an event to one object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Which object.
    pub object: Object,
    /// How it is touched.
    pub class: Class,
}

impl Access {
    /// True for a [`Class::look`] at the count that another access drops.
    #[inline]
    pub(crate) fn is_look_of(&self, drop: Access) -> bool {
        self.class.is_look() && self.object == drop.object && self.class.commutes(drop.class)
    }

    /// What makes an event conflict with every event of every other thread.
    pub const EVERYTHING: Access = Access {
        object: GLOBAL,
        class: Class::WRITE,
    };
}

/// The accesses of one event. [`Access::EVERYTHING`], if present, is the first.
pub type Footprint = SmallVec<[Access; 2]>;

/// True if the footprint conflicts with everything.
#[inline]
pub fn is_global(footprint: &[Access]) -> bool {
    footprint.first() == Some(&Access::EVERYTHING)
}

/// True if two events of *different* threads with these footprints cannot be swapped.
#[inline]
pub fn conflict(a: &[Access], b: &[Access]) -> bool {
    if is_global(a) || is_global(b) {
        return true;
    }
    a.iter().any(|x| {
        b.iter()
            .any(|y| x.object == y.object && !x.class.commutes(y.class))
    })
}

/// True if a step with footprint `asleep` wakes below an event of another thread: they conflict, or the event [turns].
#[inline]
pub fn wakes(asleep: &[Access], event: &[Access]) -> bool {
    if is_global(asleep) || is_global(event) {
        return true;
    }
    event.iter().any(|x| {
        let parts = |y: &Access| {
            let turns = x.class.turns() && !y.class.is_increment();
            x.object == y.object && (turns || !x.class.commutes(y.class))
        };
        asleep.iter().any(parts)
    })
}

/// True if the event with footprint `turning`, which commutes with that of `asleep`, makes the other have another
/// outcome: the answer of a comparison that both make.
#[inline]
pub fn turns(turning: &[Access], asleep: &[Access]) -> bool {
    turning.iter().any(|x| {
        let is_like = |y: &Access| {
            x.object == y.object && x.class.commutes(y.class) && !y.class.is_increment()
        };
        x.class.turns() && asleep.iter().any(is_like)
    })
}

/// True if the footprint has an access by a counter ([`Class::counter`]).
#[inline]
pub fn counts(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.class.is_counter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_model::Test;

    fn on(object: u32, class: Class) -> Access {
        Access {
            object: Object(object),
            class,
        }
    }

    #[test]
    fn table() {
        let (r, w, s) = (Class::READ, Class::WRITE, Class::READER);
        let check = |a: Access, b: Access, expect: bool| {
            assert_eq!(conflict(&[a], &[b]), expect, "{a:?} {b:?}");
            assert_eq!(conflict(&[b], &[a]), expect, "{b:?} {a:?}");
        };
        check(on(1, r), on(1, r), false);
        check(on(1, r), on(1, w), true);
        check(on(1, w), on(1, w), true);
        check(on(1, w), on(2, w), false);
        check(on(1, s), on(1, s), false);
        check(on(1, s), on(1, r), true);
        let (p, a) = (Class::POST, Class::ARRIVE);
        check(on(1, p), on(1, p), false);
        check(on(1, p), on(1, r), true);
        check(on(1, p), on(1, w), true);
        check(on(1, a), on(1, a), false);
        check(on(1, a), on(1, w), true);
        check(
            on(1, Class::enqueue(Object(5))),
            on(1, Class::enqueue(Object(5))),
            false,
        );
        check(
            on(1, Class::enqueue(Object(5))),
            on(1, Class::enqueue(Object(6))),
            true,
        );
        let add = Class::update(1, 0, 4);
        check(on(1, add), on(1, add), false);
        for other in [r, w, s, Class::update(2, 0, 4), Class::update(1, 4, 4)] {
            check(on(1, add), on(1, other), true);
        }
        check(on(1, add), on(1, Class::update(1, 0, 8)), true);
        check(Access::EVERYTHING, on(7, r), true);
        assert!(
            conflict(&[Access::EVERYTHING], &[]),
            "events without objects too"
        );
        assert!(!conflict(&[], &[on(1, w)]));
    }

    #[test]
    fn counters() {
        let check = |a: Access, b: Access, expect: bool| {
            assert_eq!(conflict(&[a], &[b]), expect, "{a:?} {b:?}");
            assert_eq!(conflict(&[b], &[a]), expect, "{b:?} {a:?}");
        };
        let (r, w, add) = (Class::READ, Class::WRITE, Class::update(1, 0, 4));
        let drop = Counter {
            operator: 1,
            operand: -1,
            test: Test::Equal,
            value: 1,
        };
        let class = |answer, turns| Class::counter(drop, 0, 8, answer, turns);
        check(on(1, class(false, false)), on(1, class(false, true)), false);
        check(on(1, class(false, true)), on(1, class(true, true)), true);
        for other in [r, w, add, Class::store(0, 8)] {
            check(on(1, class(false, false)), on(1, other), true);
        }
        let more = Counter {
            operand: -2,
            ..drop
        };
        check(
            on(1, class(false, false)),
            on(1, Class::counter(more, 0, 8, false, false)),
            true,
        );
        let asleep = [on(1, class(false, false))];
        assert!(turns(&[on(1, class(false, true))], &asleep));
        assert!(!turns(&asleep, &[on(1, class(false, true))]));
        assert!(!turns(&[on(2, class(false, true))], &asleep));
        assert!(!class(false, true).is_store() && class(false, true).parts().1.is_none());
        for counter in [drop, more] {
            let class = Class::counter(counter, 4, 2, true, false);
            assert_eq!(class.as_counter(), Some((counter, 4, 2)));
        }
        assert_eq!(add.as_counter(), None);
        let take = Class::increment(0, 8);
        for (other, expect) in [
            (take, false),
            (class(false, false), false),
            (class(false, true), false),
            (class(true, false), true),
            (Class::increment(0, 4), true),
            (Class::counter(more, 0, 8, false, false), true),
            (add, true),
            (r, true),
        ] {
            check(on(1, take), on(1, other), expect);
        }
        assert!(!turns(&[on(1, class(false, true))], &[on(1, take)]));
        assert!(!wakes(&[on(1, take)], &[on(1, class(false, true))]));
        assert!(wakes(&asleep, &[on(1, class(false, true))]));
        check(on(1, class(false, false)), on(1, w), true);
    }

    #[test]
    fn places_come_back() {
        let sizes = [1, 2, 4, 8].into_iter();
        let all = sizes.flat_map(|bytes| (0..8).step_by(bytes as usize).map(move |at| (at, bytes)));
        let mut numbers = Vec::new();
        for (offset, bytes) in all {
            assert_eq!(bytes_at(place(offset, bytes)), (offset, bytes));
            numbers.push(place(offset, bytes));
        }
        assert_eq!(numbers, (0..15).collect::<Vec<_>>());
    }

    #[test]
    fn parts() {
        for class in [Class::READ, Class::WRITE, Class::READER] {
            assert_eq!(class.parts().1, None);
        }
        assert_eq!(Class::enqueue(Object(7)).parts().1, Some(Object(7)));
        let all = [Class::WRITE, Class::READER, Class::enqueue(Object(7))];
        for class in all {
            let (number, mutex) = class.parts();
            assert_eq!(Class::from_parts(number, mutex), class);
        }
    }
}
