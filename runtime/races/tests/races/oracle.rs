//! The detector against happens-before written down naively: a graph over all events of an execution,
//! closed transitively, and byte sets. It shares no code and no idea (clocks, epochs, masks) with the
//! detector.

use crate::program::{apply, Generator, Op, Random};
use dpor_abi::order::{ACQUIRE, ACQ_REL, RELEASE, SEQ_CST};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Race, Races};
use std::collections::{BTreeSet, HashMap};

/// One event; `past` is all that happens before it.
struct Event {
    /// The thread, distinct also where a number is used again.
    life: usize,
    thread: ThreadId,
    op: Op,
    past: BTreeSet<usize>,
    locks: Vec<u64>,
    /// The lock that the call takes of whose memory this is a use. It may be told as held.
    takes: Option<u64>,
}

/// A lock's call is two events: the use of its memory, and what the lock orders.
fn halves(op: Op) -> (Op, Option<(u64, Op)>) {
    match op {
        Op::LockObject {
            thread,
            lock,
            address,
            bytes,
            site,
        } => {
            let of_memory = Op::Use {
                thread,
                address,
                bytes,
                site,
            };
            (of_memory, Some((lock, Op::Lock { thread, lock })))
        }
        _ => (op, None),
    }
}

#[derive(Default)]
struct Oracle {
    events: Vec<Event>,
    /// Thread number → its current life.
    lives: HashMap<ThreadId, usize>,
    lives_made: usize,
    locks: HashMap<ThreadId, Vec<u64>>,
    /// Edges to the next event of a life, from creations and wake-ups.
    waiting: HashMap<usize, Vec<usize>>,
    all_seq_cst: bool,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    address: u64,
    bytes: u64,
    site: SiteId,
    write: bool,
    atomic: bool,
}

impl Access {
    fn has(&self, byte: u64) -> bool {
        self.address <= byte && byte < self.address + self.bytes
    }

    fn conflicts(&self, other: &Access) -> bool {
        (self.write || other.write) && !(self.atomic && other.atomic)
    }
}

fn access_of(op: Op) -> Option<Access> {
    let (address, bytes, site, write, atomic) = match op {
        Op::Read {
            address,
            bytes,
            site,
            ..
        } => (address, bytes, site, false, false),
        Op::Write {
            address,
            bytes,
            site,
            ..
        }
        | Op::Free {
            address,
            bytes,
            site,
            ..
        } => (address, bytes, site, true, false),
        Op::Load {
            address,
            bytes,
            site,
            ..
        } => (address, bytes.into(), site, false, true),
        Op::Use {
            address,
            bytes,
            site,
            ..
        } => (address, bytes, site, false, true),
        Op::Store {
            address,
            bytes,
            site,
            ..
        }
        | Op::Rmw {
            address,
            bytes,
            site,
            ..
        } => (address, bytes.into(), site, true, true),
        _ => return None,
    };
    Some(Access {
        address,
        bytes,
        site,
        write,
        atomic,
    })
}

fn thread_of(op: Op) -> ThreadId {
    match op {
        Op::Read { thread, .. }
        | Op::Write { thread, .. }
        | Op::Free { thread, .. }
        | Op::Allocate { thread, .. }
        | Op::Load { thread, .. }
        | Op::Store { thread, .. }
        | Op::Rmw { thread, .. }
        | Op::Use { thread, .. }
        | Op::LockObject { thread, .. }
        | Op::Fence { thread, .. }
        | Op::Acquire { thread, .. }
        | Op::Release { thread, .. }
        | Op::ReleaseStore { thread, .. }
        | Op::Lock { thread, .. }
        | Op::Unlock { thread, .. }
        | Op::Edge { thread, .. }
        | Op::Create { thread, .. }
        | Op::Finish { thread }
        | Op::Sleep { thread, .. }
        | Op::Join { thread, .. } => thread,
    }
}

impl Oracle {
    fn order_of(&self, op: Op) -> Option<u32> {
        match op {
            Op::Load { order, .. }
            | Op::Store { order, .. }
            | Op::Rmw { order, .. }
            | Op::Fence { order, .. } => Some(if self.all_seq_cst { SEQ_CST } else { order }),
            _ => None,
        }
    }

    fn is_release(&self, event: usize) -> bool {
        let op = self.events[event].op;
        let order = self.order_of(op);
        !matches!(op, Op::Load { .. }) && matches!(order, Some(RELEASE | ACQ_REL | SEQ_CST))
    }

    fn is_acquire(&self, event: usize) -> bool {
        let op = self.events[event].op;
        let order = self.order_of(op);
        !matches!(op, Op::Store { .. }) && matches!(order, Some(ACQUIRE | ACQ_REL | SEQ_CST))
    }

    /// Adds the event and everything that orders it.
    fn push(&mut self, op: Op) -> usize {
        let thread = thread_of(op);
        let life = *self.lives.entry(thread).or_insert_with(|| {
            self.lives_made += 1;
            self.lives_made
        });
        let event = self.events.len();
        let locks = self.locks.entry(thread).or_default().clone();
        self.events.push(Event {
            life,
            thread,
            op,
            past: BTreeSet::new(),
            locks,
            takes: None,
        });
        let mut before: Vec<usize> = self.waiting.remove(&life).unwrap_or_default();
        before.extend(
            (0..event)
                .rev()
                .find(|&other| self.events[other].life == life),
        );
        before.extend(self.synchronizes(event));
        let mut past = BTreeSet::new();
        for other in before {
            past.extend(self.events[other].past.iter().copied());
            past.insert(other);
        }
        self.events[event].past = past;
        self.after(event);
        event
    }

    /// Bookkeeping that an event causes for later ones.
    fn after(&mut self, event: usize) {
        match self.events[event].op {
            Op::Create { child, .. } => {
                self.lives_made += 1;
                self.lives.insert(child, self.lives_made);
                self.locks.insert(child, Vec::new());
                self.waiting.insert(self.lives_made, vec![event]);
            }
            Op::Edge { to, .. } => {
                let life = self.lives[&to];
                self.waiting.entry(life).or_default().push(event);
            }
            Op::Lock { thread, lock } => {
                let held = self.locks.get_mut(&thread).expect("it has an event");
                held.push(lock);
                held.sort_unstable();
            }
            Op::Unlock { thread, lock } => {
                let held = self.locks.get_mut(&thread).expect("it has an event");
                let place = held.iter().position(|&name| name == lock).expect("held");
                held.remove(place);
            }
            _ => {}
        }
    }

    /// Earlier events that synchronize with `event`.
    fn synchronizes(&self, event: usize) -> Vec<usize> {
        match self.events[event].op {
            Op::Join { child, .. } => {
                let life = self.lives[&child];
                let last = (0..event)
                    .rev()
                    .find(|&other| self.events[other].life == life);
                last.into_iter().collect()
            }
            Op::Acquire { object, .. } | Op::Lock { lock: object, .. } => {
                self.released_to(object, event)
            }
            Op::Fence { .. } if self.is_acquire(event) => {
                let life = self.events[event].life;
                let loads = (0..event).filter(|&load| self.events[load].life == life);
                loads.flat_map(|load| self.published_to(load)).collect()
            }
            _ if self.is_acquire(event) => self.published_to(event),
            _ => Vec::new(),
        }
    }

    fn released_to(&self, object: u64, event: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for other in (0..event).rev() {
            match self.events[other].op {
                Op::Release { object: name, .. } | Op::Unlock { lock: name, .. }
                    if name == object =>
                {
                    found.push(other);
                }
                Op::ReleaseStore { object: name, .. } if name == object => {
                    found.push(other);
                    break;
                }
                _ => {}
            }
        }
        found
    }

    /// Release operations that an acquire at the load (or read-modify-write) `load` synchronizes with.
    fn published_to(&self, load: usize) -> Vec<usize> {
        if !matches!(self.events[load].op, Op::Load { .. } | Op::Rmw { .. }) {
            return Vec::new();
        }
        let access = access_of(self.events[load].op).expect("a load is an access");
        let bytes = access.address..access.address + access.bytes;
        bytes
            .flat_map(|byte| self.published_to_byte(load, byte))
            .collect()
    }

    fn published_to_byte(&self, load: usize, byte: u64) -> Vec<usize> {
        let mut found = Vec::new();
        for write in (0..load).rev() {
            let op = self.events[write].op;
            if let Op::Allocate { address, bytes, .. } = op {
                if address <= byte && byte < address + bytes {
                    break;
                }
            }
            let Some(access) = access_of(op).filter(|access| access.has(byte) && access.write)
            else {
                continue;
            };
            if !access.atomic {
                break;
            }
            // `write` is in the (hypothetical) release sequence that is read from, as its head or as
            // a read-modify-write.
            if self.is_release(write) {
                found.push(write);
            }
            let life = self.events[write].life;
            found.extend((0..write).filter(|&fence| {
                matches!(self.events[fence].op, Op::Fence { .. })
                    && self.events[fence].life == life
                    && self.is_release(fence)
            }));
            if !matches!(op, Op::Rmw { .. }) {
                break;
            }
        }
        found
    }

    /// Earlier accesses to `byte` since it was allocated, newest first, other than `event`.
    fn earlier(&self, event: usize, byte: u64) -> Vec<(usize, Access)> {
        let mut found = Vec::new();
        for other in (0..event).rev() {
            if let Op::Allocate { address, bytes, .. } = self.events[other].op {
                if address <= byte && byte < address + bytes {
                    break;
                }
            }
            if let Some(access) = access_of(self.events[other].op).filter(|access| access.has(byte))
            {
                found.push((other, access));
            }
        }
        found
    }

    /// Earlier accesses that race with `event` on `byte`.
    fn races(&self, event: usize, byte: u64) -> Vec<(usize, Access)> {
        let Some(mine) = access_of(self.events[event].op).filter(|access| access.has(byte)) else {
            return Vec::new();
        };
        let mut all = self.earlier(event, byte);
        all.retain(|(other, access)| {
            access.conflicts(&mine) && !self.events[event].past.contains(other)
        });
        all
    }

    /// Earlier frees of `byte` that happen before `event`, which uses it.
    fn freed(&self, event: usize, byte: u64) -> Vec<(usize, Access)> {
        let is_free = |event: usize| matches!(self.events[event].op, Op::Free { .. });
        if is_free(event) {
            return Vec::new();
        }
        let mut all = self.earlier(event, byte);
        all.retain(|&(other, _)| is_free(other) && self.events[event].past.contains(&other));
        all
    }

    /// Whether the life of `event` made, and released nothing since, an access to `byte` that conflicts
    /// with at least as much, and that does not happen before one of these frees.
    fn is_repetition(&self, event: usize, byte: u64, frees: &[(usize, Access)]) -> bool {
        let mine = access_of(self.events[event].op).expect("an access");
        let life = self.events[event].life;
        let everything = [(false, false), (false, true), (true, false), (true, true)];
        self.earlier(event, byte).iter().any(|&(other, access)| {
            let covers = everything.iter().all(|&(write, atomic)| {
                let probe = Access {
                    write,
                    atomic,
                    ..mine
                };
                !probe.conflicts(&mine) || probe.conflicts(&access)
            });
            let is_use = |&(free, _): &(usize, Access)| {
                free != other && !self.events[free].past.contains(&other)
            };
            covers
                && frees.iter().all(is_use)
                && self.events[other].life == life
                && !(other..event).any(|between| {
                    self.events[between].life == life && self.releases_anything(between)
                })
        })
    }

    fn releases_anything(&self, event: usize) -> bool {
        match self.events[event].op {
            Op::Create { .. }
            | Op::Release { .. }
            | Op::ReleaseStore { .. }
            | Op::Unlock { .. }
            | Op::Edge { .. } => true,
            _ => self.is_release(event),
        }
    }

    /// Whether an event's thread may be said to have held these locks.
    fn may_hold(&self, event: usize, told: &[u64]) -> bool {
        let Event { locks, takes, .. } = &self.events[event];
        let mut with: Vec<u64> = locks.iter().copied().chain(*takes).collect();
        with.sort_unstable();
        told == locks || told == with
    }

    /// The reported pair is one of the oracle's.
    fn check_report(&self, event: usize, race: &Race) {
        let mine = access_of(self.events[event].op).expect("only accesses race");
        let later = &race.later;
        assert_eq!(
            (later.thread, later.site, later.write, later.atomic),
            (
                self.events[event].thread,
                mine.site,
                mine.write,
                mine.atomic
            )
        );
        assert_eq!(later.locks, self.events[event].locks);
        assert!(race.bytes > 0);
        let partners = |byte: u64| -> BTreeSet<usize> {
            let candidates = match race.after_free {
                true => self.freed(event, byte),
                false => self.races(event, byte),
            };
            let matching = candidates.into_iter().filter(|&(other, access)| {
                let earlier = &race.earlier;
                earlier.thread == self.events[other].thread
                    && earlier.site == access.site
                    && earlier.write == access.write
                    && earlier.atomic == access.atomic
                    && self.may_hold(other, &earlier.locks)
            });
            matching.map(|(other, _)| other).collect()
        };
        for byte in race.address..race.address + race.bytes {
            assert!(
                !partners(byte).is_empty(),
                "no such race on {byte:#x}: {race:?}"
            );
        }
    }

    /// The latest moment until which somebody slept before `event`, that included.
    fn slept(&self, event: usize) -> u32 {
        let before = self.events[event].past.iter().chain([&event]);
        let moments = before.map(|&before| match self.events[before].op {
            Op::Sleep { milliseconds, .. } => milliseconds,
            _ => 0,
        });
        moments.max().unwrap_or(0)
    }
}

/// What random executions turned out to be.
#[derive(Default, Debug)]
struct Tally {
    executions: usize,
    racy: usize,
    reports: usize,
    skipped: usize,
    ordered_conflicts: usize,
    uses_of_freed: usize,
    /// Events before which somebody slept.
    heard: usize,
}

/// Runs one random execution through both.
fn compare(seed: u64, judgement: Judgement, tally: &mut Tally) {
    let mut random = Random(seed);
    let mut generator = Generator::new(&mut random);
    let mut oracle = Oracle {
        all_seq_cst: judgement == Judgement::Sc,
        ..Oracle::default()
    };
    let mut races = Races::new(judgement);
    let mut racy_bytes = BTreeSet::new();
    let length = 10 + random.below(70);
    for _ in 0..length {
        let call = generator.next(&mut random);
        let (op, then) = halves(call);
        let event = oracle.push(op);
        let report = apply(&mut races, call);
        if let Some((lock, order)) = then {
            oracle.events[event].takes = Some(lock);
            oracle.push(order);
        }
        let slept = races.slept(thread_of(call));
        assert_eq!(slept, oracle.slept(oracle.events.len() - 1), "seed {seed}");
        tally.heard += usize::from(slept > 0);
        if let Some(race) = &report {
            oracle.check_report(event, race);
            tally.reports += 1;
        }
        let Some(access) = access_of(op) else {
            continue;
        };
        for byte in access.address..access.address + access.bytes {
            let freed = oracle.freed(event, byte);
            if !freed.is_empty() {
                tally.uses_of_freed += 1;
                let is_within = access.address / 8 == (access.address + access.bytes - 1) / 8;
                // Of memory that was freed twice, the last free alone may be known.
                let races = oracle.races(event, byte);
                let is_free = |&(e, _): &(usize, _)| matches!(oracle.events[e].op, Op::Free { .. });
                let is_freed_again = races.iter().any(is_free);
                let is_told = match &report {
                    Some(race) => race.after_free || !is_within || is_freed_again,
                    None => false,
                };
                assert!(
                    is_told || oracle.is_repetition(event, byte, &freed),
                    "seed {seed}: missed a use of freed memory at {byte:#x}, event {event} {op:?}"
                );
            }
            let raced = oracle.races(event, byte);
            if raced.is_empty() {
                let before = oracle.earlier(event, byte);
                let conflict = |(_, other): &(usize, Access)| other.conflicts(&access);
                tally.ordered_conflicts += usize::from(before.iter().any(conflict));
                continue;
            }
            let first = racy_bytes.insert(byte);
            if report.is_none() {
                let history = || {
                    oracle
                        .events
                        .iter()
                        .map(|event| event.op)
                        .collect::<Vec<_>>()
                };
                assert!(
                    !first,
                    "seed {seed}: missed a first race on {byte:#x}: {:#?}",
                    history()
                );
                assert!(
                    oracle.is_repetition(event, byte, &[]),
                    "seed {seed}: missed a race on {byte:#x}, event {event} {op:?} with {raced:?}"
                );
                tally.skipped += 1;
            }
        }
    }
    tally.executions += 1;
    tally.racy += usize::from(!racy_bytes.is_empty());
}

fn compare_many(seeds: std::ops::Range<u64>, judgement: Judgement) {
    let mut tally = Tally::default();
    for seed in seeds {
        compare(seed, judgement, &mut tally);
    }
    println!("{judgement:?}: {tally:?}");
    // The executions must be worth comparing: with and without races, with conflicts in order.
    assert!(
        tally.racy > tally.executions / 4 && tally.racy < tally.executions * 19 / 20,
        "{tally:?}"
    );
    assert!(tally.ordered_conflicts > tally.executions, "{tally:?}");
    assert!(tally.uses_of_freed > tally.executions / 4, "{tally:?}");
    assert!(tally.heard > tally.executions, "{tally:?}");
    assert!(tally.skipped > 0 && tally.reports > tally.racy, "{tally:?}");
}

#[test]
fn random_executions_c11() {
    compare_many(0..6_000, Judgement::C11);
}

#[test]
fn random_executions_sc() {
    compare_many(1_000_000..1_002_000, Judgement::Sc);
}

/// For nights: `cargo test --release -p dpor-races --test races oracle:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn many_random_executions() {
    compare_many(2_000_000..2_300_000, Judgement::C11);
    compare_many(3_000_000..3_100_000, Judgement::Sc);
}
