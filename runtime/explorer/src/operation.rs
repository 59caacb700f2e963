//! Interned operations and objects: each gets a small number, kept for the whole search.
//!
//! Threads publish the same few operations again and again, so an event stores a number, and a
//! replayed prefix is verified by comparing with the operation behind it. The operation that
//! followed another one last time is guessed first, which saves most look-ups.

use crate::config::{Config, SearchKind};
use crate::conflict::{Class, Object};
use crate::gate::{Gate, Look};
use crate::memory_class;
use crate::mutation::Seeded;
use crate::object::facts::Facts;
use crate::references::References;
use dpor_model::{
    store, Condition, Counter, Detail, Iteration, Kind, ObjectId, Operation, NO_OBJECT,
};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Multiplies and rotates: keys are addresses and small numbers chosen by nobody hostile, and the
/// standard hasher would cost more than the rest of a step.
#[derive(Default, Clone, Copy)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_u64(&mut self, n: u64) {
        // The golden ratio times 2^64, made odd: Fibonacci hashing (Knuth, volume 3, 6.4).
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Width of accesses whose cells the program shows in [`dpor_model::Executed`].
const EXECUTED_BYTES_MAX: u32 = 16;

type Map<K> = HashMap<K, u32, BuildHasherDefault<Mix>>;

/// An operation by its number in this search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OperationIndex(pub u32);

/// An operation and what the search knows of it.
#[derive(Clone, Debug)]
pub(crate) struct Interned {
    /// The operation as the program published it.
    pub operation: Operation,
    /// What holds of every operation of its kind.
    pub facts: &'static Facts,
    /// Memory: the cells touched. `MutexLockAll`: the mutexes. Otherwise the object, if any, and what [`Interned::compared`] says.
    pub objects: SmallVec<[Object; 3]>,
    /// The class of an outcome that changes the object: [`Class::WRITE`] if it does not commute with
    /// its like.
    pub change: Class,
    /// What it is if only the answer of one comparison is seen of it.
    pub counter: Option<Counter>,
    /// The mutex of a wait.
    pub other: Option<Object>,
    /// Whether the operation is no event: [`Kind::is_passive`].
    pub passive: bool,
    /// What it waits for.
    pub condition: Option<Condition>,
    /// The cells for one of which the operation waits, if it waits for several.
    pub gate: Option<Box<Gate>>,
    /// Whether the operation waits for what is in memory: there is a condition or a gate.
    pub awaits: bool,
    /// Whether the operation's thread is set aside while others can go on: it yields, or ended a turn of a loop in the state in which that
    /// began, so that it may go round for ever.
    pub yields: bool,
    /// The program does not show all cells it touches in `Executed`.
    pub peeks: bool,
    /// The operation that came after it last time.
    follower: OperationIndex,
}

impl Interned {
    /// The object of an operation that has one.
    #[inline]
    pub fn object(&self) -> Object {
        self.objects[0]
    }

    /// The cells on whose value the outcome depends, if it does.
    #[inline]
    pub fn compared(&self) -> &[Object] {
        match self.operation.kind {
            Kind::CompareExchange | Kind::FutexWait => self.own(),
            Kind::FutexRequeue | Kind::FutexWakeOp => &self.objects[1..],
            _ => &[],
        }
    }

    /// The objects without those that it only waits for.
    #[inline]
    pub fn own(&self) -> &[Object] {
        match &self.gate {
            None => &self.objects,
            Some(gate) => &self.objects[..gate.own],
        }
    }

    /// The mutex of a wait.
    #[inline]
    pub fn mutex(&self) -> Object {
        self.other.expect("a wait names its mutex")
    }
}

/// All operations and objects met so far.
pub(crate) struct Table {
    /// What holds of each kind of operations.
    facts: fn(Kind) -> &'static Facts,
    operations: Vec<Interned>,
    by_operation: Map<Key>,
    objects: Vec<ObjectId>,
    by_name: Vec<Object>,
    by_object: Map<ObjectId>,
    by_gate: Map<(OperationIndex, Vec<Look>)>,
    /// Some changes commute with their like.
    commute: bool,
    /// Counters with the same answer commute.
    counters: bool,
    /// Counts of references.
    pub references: References,
    /// Stores that nobody reads commute.
    pub observers: bool,
    /// Preemptions are counted: only who yields is set aside.
    bounded: bool,
    /// Number of events from which on threads are parked ([`crate::parked`]): not in samples, which end with some probability
    /// anyhow, and not where it is said how the execution goes on.
    pub parks_from: usize,
    /// What a thread does depends on the state alone: no turn of a loop is left out, and what happened before an
    /// operation does not tell whether its thread gives up early.
    pub by_states: bool,
    /// [`Config::turns_again`].
    pub turns_again: bool,
    /// True if threads go no further after a turn that looked in vain ([`crate::Reductions::turns`]).
    pub turns: bool,
    /// There are such stores.
    pub stores: bool,
    /// There are counters whose order may not matter.
    pub counts: bool,
    /// There are looks at counts that may commute with drops.
    pub looks: bool,
    /// There are operations that compare and whose alternatives depend on it.
    pub comparisons: bool,
    /// There are accesses to memory that wait.
    pub waits: bool,
    /// Cells in which somebody waits for a value, with `observers`: stores to them conflict.
    awaited: Vec<Object>,
    /// Others search too, with tables of their own.
    pub is_shared: bool,
    /// A cell that turned out to be awaited when stores to it may have been taken to commute.
    wrong: Option<Object>,
    pub mutation: Seeded,
}

/// An [`Operation`] as a key.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(Operation);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let o = &self.0;
        state.write_u64(o.object.0 ^ o.other.0.rotate_left(32));
        state.write_u64(o.site.0);
        let flags = u64::from(o.kind as u8) << 56 | u64::from(o.waits) << 63;
        state.write_u64(o.argument.hashed() ^ flags ^ (u64::from(o.bytes) << 32));
        let place = u64::from(o.offset) ^ (o.iteration as u64) << 8;
        state.write_u64(o.detail.hashed() ^ place);
    }
}

impl Table {
    /// A table without operations. `facts` says what holds of a kind.
    pub fn new(config: &Config, facts: fn(Kind) -> &'static Facts) -> Self {
        let mut table = Table {
            facts,
            operations: Vec::new(),
            by_operation: Map::default(),
            // Number 0 is `conflict::GLOBAL`.
            objects: vec![NO_OBJECT],
            by_name: Vec::new(),
            by_object: Map::default(),
            by_gate: Map::default(),
            stores: false,
            counts: false,
            looks: false,
            comparisons: false,
            waits: false,
            awaited: Vec::new(),
            is_shared: false,
            wrong: None,
            commute: config.reductions.commute,
            counters: config.reductions.counters
                && !config.reductions.symmetry
                && !config.is_bounded()
                && config.search == SearchKind::Optimal,
            references: References::default(),
            observers: config.reductions.observers
                && !config.reductions.symmetry
                && config.search == SearchKind::Optimal,
            bounded: config.bound.is_some() || config.search == SearchKind::Icb,
            parks_from: match &config.search {
                SearchKind::Sample(_) | SearchKind::Guided | SearchKind::States => usize::MAX,
                SearchKind::Replay(schedule) => schedule.len(),
                _ => 0,
            },
            by_states: config.search == SearchKind::States,
            turns_again: config.turns_again,
            turns: config.reductions.turns && config.search == SearchKind::Optimal,
            mutation: config.mutation,
        };
        table.references.increments =
            table.counters && table.commute && config.reductions.increments;
        table
    }

    #[inline]
    pub fn get(&self, index: OperationIndex) -> &Interned {
        &self.operations[index.0 as usize]
    }

    /// True if preemptions are counted.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// The program's name of an object.
    pub fn object_id(&self, object: Object) -> ObjectId {
        self.objects[object.0 as usize]
    }

    /// Number of objects met, [`crate::conflict::GLOBAL`] included.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    pub fn find_object(&self, id: ObjectId) -> Option<Object> {
        self.by_object.get(&id).map(|&n| Object(n))
    }

    /// The number of an object, which may be new.
    pub fn object(&mut self, id: ObjectId) -> Object {
        let next = self.objects.len() as u32;
        let n = *self.by_object.entry(id).or_insert(next);
        if n == next {
            self.objects.push(id);
        }
        Object(n)
    }

    /// All objects but [`crate::conflict::GLOBAL`] in an order that is the same in every process, once
    /// [`Table::sort_objects`] was called.
    pub fn by_name(&self) -> &[Object] {
        &self.by_name
    }

    /// Puts the objects into the order of their names ([`Table::by_name`]).
    pub fn sort_objects(&mut self) {
        let known = self.by_name.len() as u32 + 1;
        let all = self.objects.len() as u32;
        if known < all {
            self.by_name.extend((known..all).map(Object));
            let names = &self.objects;
            self.by_name.sort_unstable_by_key(|o| names[o.0 as usize]);
        }
    }

    /// Takes note that somebody waits for a value of a cell: whoever waits sees what others store though it
    /// reads nothing, so that no store to it goes unread.
    pub fn await_in(&mut self, cell: Object) {
        self.references.await_in(cell);
        if !self.observers || self.awaited.contains(&cell) {
            return;
        }
        self.awaited.push(cell);
        let mut wrong = self.is_shared;
        for interned in &mut self.operations {
            if interned.change.is_store() && interned.objects[0] == cell {
                interned.change = Class::WRITE;
                wrong = true;
            }
        }
        if wrong {
            self.wrong = Some(cell);
        }
    }

    /// Cells in which somebody waits for a value.
    pub fn awaited(&self) -> &[Object] {
        &self.awaited
    }

    /// Whether there is a cell to which stores may have been taken to commute that do not ([`Table::take_wrong`]).
    pub fn was_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    /// True if increments were taken to commute with drops that do not: from now on none is.
    pub fn take_miscounted(&mut self) -> bool {
        if !self.references.give_up() {
            return false;
        }
        self.looks = false;
        for interned in &mut self.operations {
            if interned.operation.kind == Kind::Load {
                interned.counter = None;
            }
            if interned.change.is_increment() {
                let operation = &interned.operation;
                interned.change = memory_class::update_class(operation, false, self.mutation);
            }
        }
        true
    }

    /// A cell to which stores may have been taken to commute that do not. Forgets it.
    pub fn take_wrong(&mut self) -> Option<Object> {
        self.wrong.take()
    }

    /// Interns the operation that a thread published after operation `before`.
    #[inline]
    pub fn follow(&mut self, before: OperationIndex, operation: &Operation) -> OperationIndex {
        let guess = self.get(before).follower;
        if self.get(guess).operation == *operation {
            return guess;
        }
        let found = self.intern(operation);
        self.operations[before.0 as usize].follower = found;
        found
    }

    pub fn intern(&mut self, operation: &Operation) -> OperationIndex {
        if let Some(&n) = self.by_operation.get(&Key(*operation)) {
            return OperationIndex(n);
        }
        let objects: SmallVec<[Object; 3]> = match operation.kind {
            Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange => {
                let cells = (u64::from(operation.offset) + u64::from(operation.bytes)).div_ceil(8);
                let first = operation.object.0;
                (0..cells.max(1))
                    .map(|i| match i {
                        0 => self.object(operation.object),
                        _ => self.object(ObjectId((first & !7) + 8 * i)),
                    })
                    .collect()
            }
            Kind::FutexRequeue | Kind::FutexWakeOp => {
                let cell = match operation.detail {
                    Detail::Comparison { cell, .. } => Some(cell),
                    _ => None,
                };
                self.comparisons |= cell.is_some();
                let both = std::iter::once(operation.object).chain(cell);
                both.map(|id| self.object(id)).collect()
            }
            Kind::MutexLockAll => operation.all().map(|id| self.object(id)).collect(),
            _ if operation.object == NO_OBJECT => SmallVec::new(),
            _ => std::iter::once(self.object(operation.object)).collect(),
        };
        let other = operation.other != NO_OBJECT;
        let other = other.then(|| self.object(operation.other));
        self.waits |= operation.iteration == Iteration::MayRepeat;
        let index = OperationIndex(self.operations.len() as u32);
        let change = match operation.kind {
            Kind::Store if self.observers && operation.argument == store::SHARED => {
                let class = match self.awaited.contains(&objects[0]) {
                    true => Class::WRITE,
                    false => memory_class::store_class(operation),
                };
                self.stores |= class.is_store();
                class
            }
            _ if !self.commute || operation.waits => Class::WRITE,
            Kind::ReadModifyWrite => {
                memory_class::update_class(operation, self.references.increments, self.mutation)
            }
            Kind::RwlockRead | Kind::RwlockTryread | Kind::RwlockUnlock => Class::READER,
            _ => Class::WRITE,
        };
        let counter = match other {
            None => self.counter_of(operation),
            Some(_) => None,
        };
        self.counts |= counter.is_some();
        let looks = counter.is_some() && operation.kind == Kind::Load;
        self.looks |= looks;
        if counter == Some(Counter::LAST) {
            self.references.note(objects[0], looks);
        }
        let condition = Condition::awaited(operation);
        if condition.is_some() {
            self.waits = true;
            self.await_in(objects[0]);
        }
        self.operations.push(Interned {
            operation: *operation,
            facts: (self.facts)(operation.kind),
            awaits: condition.is_some(),
            condition,
            gate: None,
            yields: operation.kind == Kind::Pause
                || (operation.iteration != Iteration::None && !self.bounded),
            peeks: operation.bytes > EXECUTED_BYTES_MAX,
            objects,
            change,
            counter,
            other,
            passive: operation.is_passive(),
            follower: index,
        });
        self.by_operation.insert(Key(*operation), index.0);
        index
    }

    /// What of an operation's result is seen, if that is an answer, and operations that are told the same commute.
    fn counter_of(&self, operation: &Operation) -> Option<Counter> {
        match operation.kind {
            _ if operation.waits => None,
            Kind::ReadModifyWrite if self.counters => {
                memory_class::counter(operation, self.mutation)
            }
            // One that ends a turn of a loop may be a look of a loop that waits.
            Kind::Load if operation.iteration == Iteration::None => {
                let commutes = self.references.increments && !self.is_shared;
                let looked = memory_class::looked_at(operation).filter(|_| commutes);
                looked.map(|_| Counter::LAST)
            }
            _ => None,
        }
    }

    /// An operation of memory that waits until one of these places is not what was seen there. True if it is new.
    #[cold]
    pub fn gated(&mut self, ungated: OperationIndex, looks: Vec<Look>) -> (OperationIndex, bool) {
        let key = (ungated, looks);
        if let Some(&found) = self.by_gate.get(&key) {
            return (OperationIndex(found), false);
        }
        let gate = Gate::new(&key.1, self.get(ungated).objects.len());
        let mut interned = self.get(ungated).clone();
        for &cell in &gate.cells {
            self.await_in(cell);
            if !interned.objects.contains(&cell) {
                interned.objects.push(cell);
            }
        }
        (interned.awaits, interned.peeks, self.waits) = (true, true, true);
        interned.change = Class::WRITE;
        interned.counter = None;
        interned.yields = false;
        // It looks once, perhaps in vain.
        interned.condition = None;
        interned.gate = Some(Box::new(gate));
        let index = OperationIndex(self.operations.len() as u32);
        // What a thread publishes has no gate yet.
        interned.follower = ungated;
        self.operations.push(interned);
        self.by_gate.insert(key, index.0);
        (index, true)
    }
}
