//! The locks that threads hold in a trace, and the signals that wake them.
//!
//! The trace does not name the mutex of a wait on a condition variable: that the waiting thread
//! gave one up is learnt when another takes it.

use dpor_report::Step;
use std::collections::{BTreeMap, HashMap};

/// An event that comes before another, and why.
pub type Source = (usize, &'static str);

/// An object of one kind: its name and its address (0 if it has none).
pub type Object = (String, u64);

/// A lock and the threads that have to do with it.
#[derive(Default)]
struct Lock {
    /// Number of times that each thread holds the lock, by thread.
    holders: BTreeMap<u32, u32>,
    /// True if the lock is held by one thread alone.
    exclusive: bool,
    /// The last release of each thread, by thread.
    releases: BTreeMap<u32, Release>,
}

#[derive(Clone, Copy)]
struct Release {
    at: usize,
    exclusive: bool,
    why: &'static str,
}

/// The locks that a thread holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Number of the thread.
    pub thread: u32,
    /// Names of the locks.
    pub locks: Vec<String>,
    /// True if the thread waits, and has given one of them up: the trace does not tell which.
    pub gives_one_up: bool,
}

/// All locks and condition variables.
#[derive(Default)]
pub struct Locks {
    locks: HashMap<Object, Lock>,
    /// Place and object of the wait of each thread that waits on a condition variable, by thread.
    waiting: BTreeMap<u32, (usize, Object)>,
    /// The event that woke each thread, by thread.
    woken: HashMap<u32, Source>,
    /// Objects that others took and that a waiting thread had held, by that thread.
    given_up: HashMap<u32, Vec<Object>>,
}

impl Locks {
    /// What comes before the event because of locks and signals.
    pub fn sources(&mut self, number: usize, step: &Step, object: &Object) -> Vec<Source> {
        let thread = step.thread;
        match step.operation.as_str() {
            "lock" | "lock-all" | "trylock" | "write-lock" | "write-trylock" => {
                self.take(thread, object, true)
            }
            "read-lock" | "read-trylock" => self.take(thread, object, false),
            "unlock" | "rwlock-unlock" => {
                self.release(number, thread, object);
                Vec::new()
            }
            "cond-wait" => {
                self.wait(number, thread, object);
                Vec::new()
            }
            "cond-signal" => {
                let woken = step.value.and_then(|woken| u32::try_from(woken).ok());
                self.woken
                    .extend(woken.map(|woken| (woken, (number, "signal"))));
                Vec::new()
            }
            "cond-broadcast" => {
                let waiting = self.waiting.iter().filter(|(_, (_, on))| on == object);
                let woken = waiting.map(|(waiting, _)| (*waiting, (number, "signal")));
                self.woken.extend(woken);
                Vec::new()
            }
            "cond-wake" => self.wake(thread),
            _ => Vec::new(),
        }
    }

    /// Takes a lock, unless others hold it: then the call failed.
    fn take(&mut self, thread: u32, object: &Object, exclusive: bool) -> Vec<Source> {
        let others = self.waiting.iter().filter(|(other, _)| **other != thread);
        let others: Vec<(u32, usize)> =
            others.map(|(other, (since, _))| (*other, *since)).collect();
        for (other, since) in others {
            self.give_up(other, since, object);
        }
        let lock = self.locks.entry(object.clone()).or_default();
        let others = lock.holders.keys().any(|holder| *holder != thread);
        if others && (exclusive || lock.exclusive) {
            return Vec::new();
        }
        lock.exclusive = exclusive;
        *lock.holders.entry(thread).or_default() += 1;
        lock.sources(exclusive)
    }

    /// What each thread holds now, in the order of threads and names.
    pub fn held(&self) -> Vec<Held> {
        let mut held: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for ((name, address), lock) in &self.locks {
            for thread in lock.holders.keys() {
                let name = match name.as_str() {
                    "" => format!("{address:#x}"),
                    name => name.to_owned(),
                };
                held.entry(*thread).or_default().push(name);
            }
        }
        let held = held.into_iter().map(|(thread, mut locks)| {
            locks.sort_unstable();
            let given_up = self.given_up.get(&thread);
            let gives_one_up = self.waiting.contains_key(&thread) && given_up.is_none();
            Held {
                thread,
                locks,
                gives_one_up,
            }
        });
        held.collect()
    }

    fn release(&mut self, at: usize, thread: u32, object: &Object) {
        let lock = self.locks.entry(object.clone()).or_default();
        let (exclusive, why) = (lock.exclusive, "unlock");
        lock.releases.insert(thread, Release { at, exclusive, why });
        match lock.holders.get_mut(&thread) {
            Some(times) if *times > 1 => *times -= 1,
            _ => drop(lock.holders.remove(&thread)),
        }
    }

    fn wait(&mut self, number: usize, thread: u32, condition: &Object) {
        self.waiting.insert(thread, (number, condition.clone()));
        let is_held = |(_, lock): &(&Object, &Lock)| lock.holders.contains_key(&thread);
        let mut held = self.locks.iter().filter(is_held).map(|(object, _)| object);
        if let (Some(only), None) = (held.next(), held.next()) {
            self.give_up(thread, number, &only.clone());
        }
    }

    /// A thread that waits since an event holds this lock no more, if it did.
    fn give_up(&mut self, thread: u32, since: usize, object: &Object) {
        let lock = self.locks.entry(object.clone()).or_default();
        if lock.holders.remove(&thread).is_none() {
            return;
        }
        let (at, exclusive, why) = (since, true, "wait");
        lock.releases.insert(thread, Release { at, exclusive, why });
        let given_up = self.given_up.entry(thread).or_default();
        given_up.push(object.clone());
    }

    /// A thread goes on after its wait: it was woken, and has its mutex again.
    fn wake(&mut self, thread: u32) -> Vec<Source> {
        self.waiting.remove(&thread);
        let mut sources: Vec<Source> = self.woken.remove(&thread).into_iter().collect();
        for object in self.given_up.remove(&thread).unwrap_or_default() {
            let lock = self.locks.entry(object).or_default();
            lock.exclusive = true;
            lock.holders.insert(thread, 1);
            sources.extend(lock.sources(true));
        }
        sources
    }
}

impl Lock {
    /// The releases that a hold comes after: a shared one only after exclusive ones.
    fn sources(&self, exclusive: bool) -> Vec<Source> {
        let releases = self.releases.values();
        let before = releases.filter(|release| exclusive || release.exclusive);
        before.map(|release| (release.at, release.why)).collect()
    }
}
