//! Random executions, as sequences of calls.
//!
//! The generator keeps only what makes calls legal: which thread numbers live, who can be joined,
//! which locks are free. It knows nothing of happens-before.

use dpor_abi::order::{ACQUIRE, ACQ_REL, RELAXED, RELEASE, SEQ_CST};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Race, Races};

/// The region crosses a page of the shadow memory, so that pages appear during an execution.
pub const BASE: u64 = 0x0FF0;
pub const REGION: u64 = 40;

/// A call of the detector's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Op {
    Read { thread: ThreadId, address: u64, bytes: u64, site: SiteId },
    Write { thread: ThreadId, address: u64, bytes: u64, site: SiteId },
    Free { thread: ThreadId, address: u64, bytes: u64, site: SiteId },
    Allocate { thread: ThreadId, address: u64, bytes: u64, site: SiteId },
    Load { thread: ThreadId, address: u64, bytes: u32, order: u32, site: SiteId },
    Store { thread: ThreadId, address: u64, bytes: u32, order: u32, site: SiteId },
    Rmw { thread: ThreadId, address: u64, bytes: u32, order: u32, site: SiteId },
    Use { thread: ThreadId, address: u64, bytes: u64, site: SiteId },
    LockObject { thread: ThreadId, lock: u64, address: u64, bytes: u64, site: SiteId },
    Fence { thread: ThreadId, order: u32 },
    Acquire { thread: ThreadId, object: u64 },
    Release { thread: ThreadId, object: u64 },
    ReleaseStore { thread: ThreadId, object: u64 },
    Lock { thread: ThreadId, lock: u64 },
    Unlock { thread: ThreadId, lock: u64 },
    Edge { thread: ThreadId, to: ThreadId },
    Create { thread: ThreadId, child: ThreadId },
    Finish { thread: ThreadId },
    Join { thread: ThreadId, child: ThreadId },
    Sleep { thread: ThreadId, milliseconds: u32 },
}

/// Makes the call.
pub fn apply(races: &mut Races, op: Op) -> Option<Race> {
    match op {
        Op::Read {
            thread,
            address,
            bytes,
            site,
        } => return races.read(thread, address, bytes, site),
        Op::Write {
            thread,
            address,
            bytes,
            site,
        } => return races.write(thread, address, bytes, site),
        Op::Free {
            thread,
            address,
            bytes,
            site,
        } => return races.free(thread, address, bytes, site),
        Op::Load {
            thread,
            address,
            bytes,
            order,
            site,
        } => return races.atomic_load(thread, address, bytes, order, site),
        Op::Store {
            thread,
            address,
            bytes,
            order,
            site,
        } => return races.atomic_store(thread, address, bytes, order, site),
        Op::Rmw {
            thread,
            address,
            bytes,
            order,
            site,
        } => return races.atomic_rmw(thread, address, bytes, order, site),
        Op::Use {
            thread,
            address,
            bytes,
            site,
        } => return races.use_object(thread, address, bytes, site),
        Op::LockObject {
            thread,
            lock,
            address,
            bytes,
            site,
        } => return races.lock_object(thread, lock, (address, bytes), site),
        Op::Allocate {
            thread,
            address,
            bytes,
            site,
        } => races.allocate(thread, address, bytes, site),
        Op::Fence { thread, order } => races.fence(thread, order),
        Op::Acquire { thread, object } => races.acquire(thread, object),
        Op::Release { thread, object } => races.release(thread, object),
        Op::ReleaseStore { thread, object } => races.release_store(thread, object),
        Op::Lock { thread, lock } => races.lock(thread, lock),
        Op::Unlock { thread, lock } => races.unlock(thread, lock),
        Op::Edge { thread, to } => races.fork_edge(thread, to),
        Op::Create { thread, child } => races.create(thread, child),
        Op::Finish { thread } => races.finish(thread),
        Op::Join { thread, child } => races.join(thread, child),
        Op::Sleep {
            thread,
            milliseconds,
        } => races.sleep(thread, milliseconds),
    }
    None
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A plain access of the region's, at a place that stands for its place there in memory from `base` on, where each byte of the
/// region has `spread` bytes: as wide as it was somewhere in them, or as many times wider.
#[allow(dead_code, reason = "the tests of one file only spread")]
pub fn spread(random: &mut Random, base: u64, spread: u64, op: Op) -> Op {
    let mut op = op;
    if let Op::Read { address, bytes, .. } | Op::Write { address, bytes, .. } = &mut op {
        let low = base + (*address - BASE) * spread;
        (*address, *bytes) = match *bytes > 9 || random.one_in(12) {
            true => (low, *bytes * spread),
            false => (low + random.below(spread - 9), *bytes),
        };
    }
    op
}

/// What makes the next call legal. Part of a rollback, hence `Clone`.
#[derive(Clone)]
pub struct Generator {
    alive: Vec<ThreadId>,
    ended: Vec<ThreadId>,
    unused: Vec<ThreadId>,
    /// (lock, holder)
    held: Vec<(u64, ThreadId)>,
    calls: u64,
    /// How the program is: weights of the kinds of calls.
    plain: u64,
    atomic: u64,
    order: u64,
    manage: u64,
    sites: u64,
    /// Each thread prefers bytes of its own with this weight, so that races come late.
    disjoint: u64,
    /// Each thread keeps to bytes of its own, to bytes under a lock and to atomics, nearly always.
    tame: bool,
}

/// In a tame program the bytes are the threads' own, three each, then those of lock 0, then atomics.
const OWN: u64 = 3;
const SHARED: u64 = 15;
const ATOMICS: u64 = REGION - 16;

const LOCKS: u64 = 3;

impl Generator {
    pub fn new(random: &mut Random) -> Self {
        let threads = 2 + random.below(4) as u16;
        Generator {
            alive: vec![ThreadId::MAIN],
            ended: Vec::new(),
            unused: (1..threads).map(ThreadId).collect(),
            held: Vec::new(),
            calls: 0,
            plain: 1 + random.below(8),
            atomic: random.below(8),
            order: random.below(8),
            manage: 1 + random.below(3),
            sites: random.pick(&[1, 3, u64::MAX]),
            disjoint: random.below(6),
            tame: random.one_in(2),
        }
    }

    pub fn next(&mut self, random: &mut Random) -> Op {
        self.calls += 1;
        if self.alive.len() == 1 && !self.unused.is_empty() && self.calls < 3 {
            return self.create(random);
        }
        let thread = random.pick(&self.alive);
        let kind = random.below(self.plain + self.atomic + self.order + self.manage);
        if kind < self.plain {
            self.plain(random, thread)
        } else if kind < self.plain + self.atomic {
            self.atomic(random, thread)
        } else if kind < self.plain + self.atomic + self.order {
            self.order(random, thread)
        } else {
            self.manage(random, thread)
        }
    }

    /// A thread that lives.
    #[allow(dead_code, reason = "the tests of one file only ask")]
    pub fn any_alive(&self, random: &mut Random) -> ThreadId {
        random.pick(&self.alive)
    }

    fn site(&self) -> u64 {
        1 + self.calls % self.sites
    }

    fn plain(&mut self, random: &mut Random, thread: ThreadId) -> Op {
        let site = self.site();
        if self.tame && !random.one_in(300) {
            let (from, to) = if self.held.contains(&(0, thread)) {
                (SHARED, ATOMICS)
            } else {
                (u64::from(thread.0) * OWN, u64::from(thread.0 + 1) * OWN)
            };
            let bytes = 1 + random.below(to - from);
            let address = BASE + from + random.below(to - from - bytes + 1);
            return if random.one_in(2) {
                Op::Read {
                    thread,
                    address,
                    bytes,
                    site: SiteId(site),
                }
            } else {
                Op::Write {
                    thread,
                    address,
                    bytes,
                    site: SiteId(site),
                }
            };
        }
        let bytes = if random.one_in(12) {
            random.below(REGION)
        } else {
            1 + random.below(9)
        };
        let address = BASE + self.offset(random, thread, bytes);
        if random.one_in(2) {
            Op::Read {
                thread,
                address,
                bytes,
                site: SiteId(site),
            }
        } else {
            Op::Write {
                thread,
                address,
                bytes,
                site: SiteId(site),
            }
        }
    }

    fn offset(&self, random: &mut Random, thread: ThreadId, bytes: u64) -> u64 {
        if bytes <= 6 && random.below(6) < self.disjoint {
            return (u64::from(thread.0) * 6 + random.below(7 - bytes)).min(REGION - bytes);
        }
        random.below(REGION - bytes + 1)
    }

    fn atomic(&mut self, random: &mut Random, thread: ThreadId) -> Op {
        let site = self.site();
        let bytes = random.pick(&[1u32, 2, 4, 4, 8, 8, 16]);
        let any = random.below(REGION - u64::from(bytes) + 1);
        let aligned = any / u64::from(bytes) * u64::from(bytes);
        // The last quarter is used by atomics more than the rest, so that messages get through.
        let late = (REGION - 16) / u64::from(bytes) * u64::from(bytes);
        let late = BASE + late;
        let address = match self.tame {
            true => late,
            false => random.pick(&[BASE + any, BASE + aligned, late, late, late]),
        };
        let loads = [RELAXED, ACQUIRE, ACQUIRE, SEQ_CST];
        let stores = [RELAXED, RELEASE, RELEASE, SEQ_CST];
        let both = [RELAXED, RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST];
        match random.below(3) {
            0 => Op::Load {
                thread,
                address,
                bytes,
                order: random.pick(&loads),
                site: SiteId(site),
            },
            1 => Op::Store {
                thread,
                address,
                bytes,
                order: random.pick(&stores),
                site: SiteId(site),
            },
            _ => Op::Rmw {
                thread,
                address,
                bytes,
                order: random.pick(&both),
                site: SiteId(site),
            },
        }
    }

    fn order(&mut self, random: &mut Random, thread: ThreadId) -> Op {
        let object = 100 + random.below(2);
        match random.below(11) {
            0 | 1 => Op::Fence {
                thread,
                order: random.pick(&[ACQUIRE, RELEASE, ACQ_REL, SEQ_CST]),
            },
            6 => Op::Sleep {
                thread,
                milliseconds: random.below(1000) as u32,
            },
            2 => Op::Acquire { thread, object },
            3 => Op::Release { thread, object },
            4 => Op::ReleaseStore { thread, object },
            5 => Op::Edge {
                thread,
                to: random.pick(&self.alive),
            },
            _ => self.lock(random, thread),
        }
    }

    /// Takes a lock that is free or the thread's own, or gives one up.
    fn lock(&mut self, random: &mut Random, thread: ThreadId) -> Op {
        let mine = self.held.iter().position(|&(_, holder)| holder == thread);
        let lock = random.below(LOCKS);
        let free = self
            .held
            .iter()
            .all(|&(other, holder)| other != lock || holder == thread);
        match mine {
            Some(place) if !free || random.one_in(2) => {
                let (lock, _) = self.held.remove(place);
                Op::Unlock { thread, lock }
            }
            Some(_) if random.one_in(4) => {
                let (address, bytes) = self.place(random, lock);
                Op::Use {
                    thread,
                    address,
                    bytes,
                    site: SiteId(self.site()),
                }
            }
            _ if free => {
                self.held.push((lock, thread));
                if random.one_in(3) {
                    return Op::Lock { thread, lock };
                }
                let (address, bytes) = self.place(random, lock);
                Op::LockObject {
                    thread,
                    lock,
                    address,
                    bytes,
                    site: SiteId(self.site()),
                }
            }
            _ => Op::Acquire {
                thread,
                object: 100,
            },
        }
    }

    /// Where a lock's first bytes are: mostly a place of its own.
    fn place(&self, random: &mut Random, lock: u64) -> (u64, u64) {
        match self.tame {
            true => (BASE + ATOMICS + lock * 4, 4),
            false if random.one_in(8) => (BASE + random.below(REGION - 8), 1 + random.below(8)),
            false => (BASE + lock * 8, 8),
        }
    }

    fn manage(&mut self, random: &mut Random, thread: ThreadId) -> Op {
        let site = self.site();
        match random.below(if self.tame { 4 } else { 6 }) {
            0 | 1 => self.create(random),
            2 => self.finish(random),
            3 => match self.ended.len() {
                0 => Op::Fence {
                    thread,
                    order: SEQ_CST,
                },
                count => {
                    let child = self.ended.remove(random.below(count as u64) as usize);
                    self.unused.push(child);
                    Op::Join { thread, child }
                }
            },
            4 => {
                let (address, bytes) = Self::block(random);
                Op::Allocate {
                    thread,
                    address,
                    bytes,
                    site: SiteId(site),
                }
            }
            _ => {
                let (address, bytes) = Self::block(random);
                Op::Free {
                    thread,
                    address,
                    bytes,
                    site: SiteId(site),
                }
            }
        }
    }

    fn block(random: &mut Random) -> (u64, u64) {
        if random.one_in(4) {
            // Whole pages of the shadow memory, touched or not.
            return (0x0C00 + random.below(4), 0x1400);
        }
        let bytes = random.below(REGION);
        (BASE + random.below(REGION - bytes + 1), bytes)
    }

    /// Creates a thread, also with a number whose last owner nobody joined.
    fn create(&mut self, random: &mut Random) -> Op {
        let thread = random.pick(&self.alive);
        let from = if !self.tame && random.one_in(4) && !self.ended.is_empty() {
            &mut self.ended
        } else {
            &mut self.unused
        };
        if from.is_empty() {
            return Op::Release {
                thread,
                object: 100,
            };
        }
        let child = from.remove(random.below(from.len() as u64) as usize);
        self.alive.push(child);
        Op::Create { thread, child }
    }

    fn finish(&mut self, random: &mut Random) -> Op {
        let place = random.below(self.alive.len() as u64) as usize;
        let thread = self.alive[place];
        if self.alive.len() < 3 || thread == ThreadId::MAIN {
            return Op::Acquire {
                thread,
                object: 101,
            };
        }
        self.alive.remove(place);
        self.ended.push(thread);
        self.held.retain(|&(_, holder)| holder != thread);
        Op::Finish { thread }
    }
}
