//! The oracle: every interleaving, equivalent ones merged.
//!
//! It has its own model of locks and condition variables and its own conflict table, and knows
//! nothing of races, reversals, clocks or sleep sets. Two executions are merged if and only if
//! their canonical forms agree: for each object the sequence of maximal runs of commuting events,
//! each run a set. The form is kept as a sum of 128-bit hashes, so that it grows event by event.

mod barrier;
mod futex;
mod increments;
mod independence;
mod places;
pub mod preemptions;

use crate::interpreter::{
    answer, barrier_id, count_of, created, mutex_kind_of, mutexes, tells_serial, width_of,
    Deciding, Machine, Op, Plain, Threads, LEAVE, TIMED_BITS, WHOLE,
};
use barrier::Barrier;
use dpor_model::{mutex_kind, update, Counter, ObjectId, Test, TIMEOUT};
use std::collections::HashMap;
use std::rc::Rc;

const EPERM: i32 = 1;
const EAGAIN: i32 = 11;
const EBUSY: i32 = 16;
const EINVAL: i32 = 22;
const EDEADLK: i32 = 35;
const EOWNERDEAD: i32 = 130;
const ENOTRECOVERABLE: i32 = 131;

/// Names objects in canonical forms.
pub type Name = (u8, usize);
const EVERYTHING: Name = (0, 0);

/// How an event touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    Write,
    Read,
    Reader,
    Post,
    Arrive,
    /// Joins waiters that use this mutex.
    Join(usize),
    /// A read-modify-write without result: operator, bytes.
    Update(u64, (u8, u32)),
    /// A read-modify-write that is only asked one thing: what it is, which bytes, the answer.
    Count(Counter, (u8, u32), bool),
}

/// What an operation would do now.
struct Plan {
    touches: Vec<(Name, Touch)>,
    result: i32,
    misuse: bool,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Ending {
    Complete,
    Blocked,
    Deadlock,
    Exited,
    Misuse,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Lock {
    owner: Option<usize>,
    count: usize,
    destroyed: bool,
    kind: u64,
    in_doubt: bool,
    lost: bool,
}

/// The events of one object: earlier runs hashed, the last run's touch and sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Log {
    earlier: u128,
    touch: Touch,
    run: u128,
}

/// Barriers at which arrivals conflict.
#[derive(Clone, Debug)]
pub enum Crowded {
    Any,
    /// Barrier, width: more threads use it than complete a generation.
    These(Vec<(usize, u64)>),
}

impl Crowded {
    /// The barriers with too many users, by the explorer's names, each with its width.
    pub fn barriers(&self) -> Vec<(ObjectId, u64)> {
        match self {
            Crowded::Any => Vec::new(),
            Crowded::These(these) => { these.iter() }
                .map(|&(b, width)| (barrier_id(b), width))
                .collect(),
        }
    }
}

/// A state reached by some execution, and its canonical form.
#[derive(Clone, Debug)]
pub struct State {
    pub machine: Machine,
    is_created: Vec<bool>,
    mutexes: HashMap<usize, Lock>,
    /// Waiters and the mutex of each.
    conds: HashMap<usize, Vec<(usize, usize)>>,
    conds_destroyed: Vec<usize>,
    /// Writer, readers (sorted).
    rwlocks: HashMap<usize, (Option<usize>, Vec<usize>)>,
    rwlocks_destroyed: Vec<usize>,
    /// A lock is in here once for each writer that waits, sorted.
    rwlocks_awaited: Vec<usize>,
    /// `None`: destroyed.
    semaphores: HashMap<usize, Option<u64>>,
    barriers: HashMap<usize, Barrier>,
    futexes: futex::Futexes,
    /// How many threads gave up early.
    early: u64,
    pub crowded: Crowded,
    misused: bool,
    /// Changes commute with their like.
    commute: bool,
    counts: Vec<u64>,
    /// What threads are called in the canonical form.
    names: Vec<usize>,
    logs: HashMap<Name, Log>,
    pub form: u128,
    /// Bit x: some thread stood before a wait for a value of cell x.
    pub awaited: u64,
    /// By thread: what its operations saw and did, in order.
    seen: Vec<Vec<places::Seen>>,
    /// By thread: the conditions of which one must hold for it to go on, each a cell, bits, and the value that they
    /// must differ from. A cell may come more than once.
    gates: Vec<Vec<(usize, u64, u64)>>,
    /// The threads that go no further, as their last turn was in vain.
    parked: Vec<bool>,
    /// [`dpor_explorer::Reductions::turns`].
    pub turns: bool,
    /// [`dpor_explorer::Reductions::increments`].
    pub increments: bool,
    /// With `increments`: looks at a count commute as well.
    pub looks: bool,
    /// Which passive steps were taken: starts and joins conflict with nothing, so they are no part
    /// of the form, but states that differ in them are not merged.
    passive: u128,
    /// The steps so far, if they are wanted.
    history: Option<Option<Rc<Link>>>,
}

/// A step, and those before it.
#[derive(Debug)]
struct Link {
    step: Step,
    before: Option<Rc<Link>>,
}

/// A step of an execution, for tests with another equivalence than the oracle's.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: usize,
    /// Names it in every execution.
    pub word: u128,
    pub passive: bool,
    /// Conflicts with everything.
    pub everything: bool,
    /// May read anything.
    pub opaque: bool,
    pub touches: Vec<(Name, Touch)>,
    /// The cell, if the step's only access is a store to a whole cell.
    pub store: Option<usize>,
    /// Cells that its thread read afterwards without an event.
    pub read: Vec<ObjectId>,
    /// True if the step's thread may have read any cell after it, without an event.
    pub unseen: bool,
    /// A thread that starts with it, or that it joins.
    pub other: Option<usize>,
}

/// A strong enough mixing of 128 bits: two rounds of the 64-bit finalizer of MurmurHash3 in each
/// half, crossed.
fn mix(n: u128) -> u128 {
    let finish = |mut z: u64| {
        z = (z ^ (z >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        z = (z ^ (z >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        z ^ (z >> 33)
    };
    let (mut low, mut high) = (n as u64, (n >> 64) as u64);
    for round in 1..=3u64 {
        low = finish(low.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        high = finish(high ^ low.rotate_left(29));
        low ^= high.rotate_left(17);
    }
    u128::from(high) << 64 | u128::from(low)
}

pub fn mix_all(parts: &[u128]) -> u128 {
    parts.iter().fold(0x5bd1_e995, |hash, &part| {
        mix(hash.rotate_left(41) ^ mix(part))
    })
}

impl Touch {
    pub fn commutes(self, other: Touch) -> bool {
        self == other && self != Touch::Write
    }

    fn number(self) -> u128 {
        match self {
            Touch::Write => 0,
            Touch::Read => 1,
            Touch::Reader => 2,
            Touch::Post => 3,
            Touch::Arrive => 4,
            Touch::Join(m) => 5 + ((m as u128) << 1),
            Touch::Update(operator, (first, width)) => {
                6 + (u128::from(operator) << 32 | u128::from(first) << 16 | u128::from(width) << 1)
            }
            Touch::Count(counter, (first, width), answer) => {
                let word = [
                    counter.operator,
                    counter.operand as u8,
                    counter.test as u8,
                    counter.value as u8,
                    first,
                    width as u8,
                    u8::from(answer),
                    1,
                ];
                7 + (u128::from(u64::from_le_bytes(word)) << 32)
            }
        }
    }
}

fn log_hash(name: Name, log: &Log) -> u128 {
    mix_all(&[
        u128::from(name.0),
        name.1 as u128,
        log.earlier,
        log.touch.number(),
        log.run,
    ])
}

/// Compares two numbers of so many bits.
fn test_holds(test: Test, [a, b]: [u64; 2], bits: usize) -> bool {
    let signed = |n: u64| match n >> (bits - 1) {
        0 => i128::from(n),
        _ => i128::from(n) - (1 << bits),
    };
    match test {
        Test::Equal => a == b,
        Test::NotEqual => a != b,
        Test::Below => a < b,
        Test::AtMost => a <= b,
        Test::Above => a > b,
        Test::AtLeast => a >= b,
        Test::SignedBelow => signed(a) < signed(b),
        Test::SignedAtMost => signed(a) <= signed(b),
        Test::SignedAbove => signed(a) > signed(b),
        Test::SignedAtLeast => signed(a) >= signed(b),
    }
}

impl State {
    pub fn new(threads: &Threads) -> Self {
        State::with(threads, true)
    }

    /// `commute`: changes commute with their like.
    pub fn with(threads: &Threads, commute: bool) -> Self {
        let n = threads.len();
        let late = created(threads);
        State {
            machine: Machine::new(threads),
            is_created: (0..n).map(|t| !late[t]).collect(),
            mutexes: HashMap::new(),
            conds: HashMap::new(),
            conds_destroyed: Vec::new(),
            rwlocks: HashMap::new(),
            rwlocks_destroyed: Vec::new(),
            rwlocks_awaited: Vec::new(),
            semaphores: HashMap::new(),
            barriers: HashMap::new(),
            futexes: futex::Futexes::default(),
            early: 0,
            crowded: if commute {
                Crowded::These(vec![])
            } else {
                Crowded::Any
            },
            misused: false,
            commute,
            counts: vec![0; n],
            names: (0..n).collect(),
            logs: HashMap::new(),
            form: 0,
            awaited: 0,
            seen: vec![Vec::new(); n],
            gates: vec![Vec::new(); n],
            parked: vec![false; n],
            turns: false,
            increments: false,
            looks: false,
            passive: 0,
            history: None,
        }
    }

    fn key(&self) -> u128 {
        self.form.wrapping_add(mix(self.passive))
    }

    /// The state with arrivals that conflict at these barriers.
    pub fn crowding(self, crowded: &Crowded) -> Self {
        let crowded = crowded.clone();
        State { crowded, ..self }
    }

    /// The state with threads that go no further after a turn in vain, or that go on when a cell that they looked at
    /// changes.
    pub fn leaving_out(self, turns: bool) -> Self {
        State { turns, ..self }
    }

    /// The state with other names for the threads.
    pub fn renamed(self, names: Vec<usize>) -> Self {
        State { names, ..self }
    }

    fn lock(&self, m: usize) -> Lock {
        let free = Lock {
            owner: None,
            count: 0,
            destroyed: false,
            kind: mutex_kind_of(m),
            in_doubt: false,
            lost: false,
        };
        self.mutexes.get(&m).cloned().unwrap_or(free)
    }

    fn waiters(&self, c: usize) -> &[(usize, usize)] {
        self.conds.get(&c).map_or(&[], |w| w)
    }

    fn semaphore(&self, s: usize) -> Option<u64> {
        self.semaphores
            .get(&s)
            .copied()
            .unwrap_or(Some(count_of(s)))
    }

    fn barrier(&self, b: usize) -> Barrier {
        let found = self.barriers.get(&b).cloned();
        found.unwrap_or_else(|| Barrier::new(width_of(b)))
    }

    fn rwlock(&self, o: usize) -> (Option<usize>, Vec<usize>) {
        self.rwlocks.get(&o).cloned().unwrap_or_default()
    }

    fn waiting_writers(&self, o: usize) -> usize {
        self.rwlocks_awaited
            .iter()
            .filter(|&&other| other == o)
            .count()
    }

    /// The operation before which `t` stands. `None` also for the start of a created thread.
    fn op(&self, threads: &Threads, t: usize) -> Option<Op> {
        self.machine.op(threads, t)
    }

    fn is_pending(&self, threads: &Threads, t: usize) -> bool {
        let m = &self.machine;
        let over = m.ended || self.misused || m.dead[t] || !self.is_created[t];
        !over && (!m.begun[t] || m.pc[t] < threads[t].len())
    }

    fn is_finished(&self, threads: &Threads, t: usize) -> bool {
        self.is_created[t] && self.machine.is_finished(threads, t)
    }

    fn lock_passes(&self, m: usize, t: usize) -> bool {
        let lock = self.lock(m);
        let again = lock.owner == Some(t) && lock.kind != mutex_kind::NORMAL;
        lock.destroyed || lock.owner.is_none() || again
    }

    fn is_enabled(&self, threads: &Threads, t: usize) -> bool {
        if !self.is_pending(threads, t) {
            return false;
        }
        if !self.machine.begun[t] {
            return true;
        }
        if self.parked[t] || !self.gates[t].is_empty() {
            return !self.is_kept(t);
        }
        match self.op(threads, t).expect("pending") {
            Op::Lock(m) | Op::LockTold(m, _) | Op::TimedLock(m, _) => self.lock_passes(m, t),
            Op::LockAll(mask) => mutexes(mask).into_iter().all(|m| self.lock_passes(m, t)),
            Op::Wait(c, m) | Op::WaitOrLeave(c, m, ..) | Op::TimedWait(c, m, _)
                if self.machine.waiting[t] =>
            {
                let woken = self.waiters(c).iter().all(|w| w.0 != t);
                let lock = self.lock(m);
                let again = lock.owner == Some(t) && lock.kind != mutex_kind::NORMAL;
                woken && (lock.destroyed || lock.owner.is_none() || again)
            }
            Op::Reacquire(c, m) | Op::StayReacquire(c, m) => {
                self.waiters(c).iter().all(|w| w.0 != t) && self.lock_passes(m, t)
            }
            Op::RwRead(o) | Op::RwWrite(o) if self.rwlocks_destroyed.contains(&o) => true,
            Op::TimedRwRead(o, _)
            | Op::TimedRwWrite(o, _)
            | Op::RwWriteAnnounced(o)
            | Op::TimedRwWriteAnnounced(o, _)
            | Op::StayRwWrite(o)
                if self.rwlocks_destroyed.contains(&o) =>
            {
                true
            }
            Op::RwRead(o) | Op::TimedRwRead(o, _) => {
                self.rwlock(o).0.is_none() && self.waiting_writers(o) == 0
            }
            Op::RwWrite(o)
            | Op::TimedRwWrite(o, _)
            | Op::RwWriteAnnounced(o)
            | Op::TimedRwWriteAnnounced(o, _)
            | Op::StayRwWrite(o) => self.rwlock(o) == (None, vec![]),
            Op::SemWait(s) | Op::TimedSemWait(s, _) => self.semaphore(s) != Some(0),
            Op::Put(c, n) => {
                let channel = &self.machine.channels[c];
                channel.gone[0] || channel.room(c) >= n
            }
            Op::Take(c, ..) | Op::TimedTake(c, ..) => {
                let channel = &self.machine.channels[c];
                channel.gone[1] || !channel.tokens.is_empty()
            }
            Op::Ready(c) | Op::TimedReady(c, _) => {
                let channel = &self.machine.channels[c];
                let readable = channel.gone[1] || !channel.tokens.is_empty();
                readable || channel.gone[0] || channel.room(c) >= 1
            }
            Op::Barrier(b, _) | Op::StayBarrier(b) if self.machine.waiting[t] => {
                self.barrier(b).may_leave(b, t)
            }
            Op::LeaveBarrier(b) => self.barrier(b).may_leave(b, t),
            Op::Await(x, (first, width), test, (r, c), _) => {
                let cell = self.machine.memory[x].to_le_bytes();
                let value = self.machine.registers[t][r].wrapping_add(c).to_le_bytes();
                let mut parts = [[0; 8]; 2];
                let width = width as usize;
                parts[0][..width].copy_from_slice(&cell[usize::from(first)..][..width]);
                parts[1][..width].copy_from_slice(&value[..width]);
                test_holds(test, parts.map(u64::from_le_bytes), 8 * width)
            }
            Op::AwaitAdd(x, test, value, ..) => {
                test_holds(test, [self.machine.memory[x], value], 64)
            }
            Op::AwaitCas(x, old, _) => self.machine.memory[x] == old,
            Op::Join(other) | Op::TimedJoin(other, _) => self.is_finished(threads, other),
            Op::FutexWait(..) if self.machine.waiting[t] => !self.futexes.waits(t),
            Op::JoinAll => (0..threads.len())
                .all(|o| o == t || !self.is_created[o] || self.is_finished(threads, o)),
            _ => true,
        }
    }

    fn alternatives(&self, threads: &Threads, t: usize) -> Vec<u32> {
        if !self.machine.begun[t] {
            return vec![0];
        }
        match self.op(threads, t) {
            Some(Op::Choose(n, _)) => (0..n).collect(),
            Some(Op::Early(most, _)) => (0..=u32::from(self.early < most)).collect(),
            Some(Op::Signal(c)) if !self.waiters(c).is_empty() => {
                self.waiters(c).iter().map(|w| w.0 as u32).collect()
            }
            Some(Op::Signal(_)) => vec![u32::MAX],
            Some(Op::WaitOrLeave(_, m, ways, _)) if !self.machine.waiting[t] => {
                match self.lock(m).owner == Some(t) {
                    true if ways == LEAVE => vec![1],
                    true => (0..=ways).collect(),
                    false => vec![0],
                }
            }
            Some(Op::SignalTo(c, to)) => match self.waiters(c).iter().any(|w| w.0 == to) {
                true => vec![to as u32],
                false => vec![u32::MAX],
            },
            Some(op @ (Op::FutexWake(..) | Op::FutexRequeue(..) | Op::FutexChange(..))) => {
                let ways = self.futexes.ways(op, &self.machine.memory);
                (0..ways.len() as u32).collect()
            }
            Some(Op::Barrier(b, _)) if self.machine.waiting[t] => {
                self.barrier(b).serial_choices(b, t)
            }
            _ => vec![0],
        }
    }

    /// Everything that can happen now.
    pub fn moves(&self, threads: &Threads) -> Vec<(usize, u32)> {
        let enabled = (0..threads.len()).filter(|&t| self.is_enabled(threads, t));
        let moves: Vec<_> = enabled
            .flat_map(|t| {
                self.alternatives(threads, t)
                    .into_iter()
                    .map(move |a| (t, a))
            })
            .collect();
        if !moves.is_empty() || self.machine.dead.iter().any(|&dead| dead) {
            return moves;
        }
        let late = (0..threads.len()).filter(|&t| self.may_give_up(threads, t));
        late.map(|t| (t, TIMEOUT)).collect()
    }

    /// Who waits in vain with a time limit.
    pub fn waiting_timed(&self, threads: &Threads) -> Vec<usize> {
        let all = 0..threads.len();
        all.filter(|&t| !self.is_enabled(threads, t) && self.may_give_up(threads, t))
            .collect()
    }

    /// True if thread `t` waits with a time limit.
    fn may_give_up(&self, threads: &Threads, t: usize) -> bool {
        self.is_pending(threads, t)
            && match self.op(threads, t) {
                Some(Op::TimedWait(c, ..)) => {
                    self.machine.waiting[t] && self.waiters(c).iter().any(|w| w.0 == t)
                }
                Some(Op::StayBarrier(_)) => self.machine.waiting[t],
                Some(Op::FutexWait(.., bits, _)) => {
                    self.machine.waiting[t] && bits & TIMED_BITS != 0 && self.futexes.waits(t)
                }
                Some(
                    Op::TimedLock(..)
                    | Op::TimedSemWait(..)
                    | Op::TimedRwRead(..)
                    | Op::TimedRwWrite(..)
                    | Op::TimedRwWriteAnnounced(..)
                    | Op::TimedTake(..)
                    | Op::TimedReady(..)
                    | Op::TimedJoin(..)
                    | Op::StayReacquire(..)
                    | Op::StayRwWrite(..),
                ) => true,
                _ => false,
            }
    }

    fn is_passive(&self, threads: &Threads, t: usize) -> bool {
        let op = self.op(threads, t);
        match op {
            _ if !self.machine.begun[t] => true,
            Some(Op::Barrier(b, _)) => self.machine.waiting[t] && !tells_serial(b),
            Some(Op::StayBarrier(_)) => self.machine.waiting[t],
            Some(Op::LeaveBarrier(_)) => true,
            Some(Op::FutexWait(.., bits, _)) => self.machine.waiting[t] && bits & TIMED_BITS == 0,
            op => matches!(op, Some(Op::Join(_) | Op::TimedJoin(..) | Op::JoinAll)),
        }
    }

    /// Takes all passive steps that can be taken.
    pub fn settle(&mut self, threads: &Threads) {
        let ready = |s: &State| {
            (0..threads.len()).find(|&t| s.is_enabled(threads, t) && s.is_passive(threads, t))
        };
        while let Some(t) = ready(self) {
            self.step(threads, t, 0);
        }
    }

    /// Takes note of what threads wait for.
    fn note_awaited(&mut self, threads: &Threads) {
        for t in 0..threads.len() {
            let stands = self.is_pending(threads, t) && self.machine.begun[t];
            match self.op(threads, t) {
                Some(Op::Await(x, ..) | Op::AwaitAdd(x, ..) | Op::AwaitCas(x, ..)) if stands => {
                    self.awaited |= 1 << x;
                }
                _ => {}
            }
            for &(x, ..) in &self.gates[t] {
                self.awaited |= 1 << x;
            }
        }
    }

    /// Executes one step and extends the canonical form.
    pub fn step(&mut self, threads: &Threads, t: usize, alternative: u32) {
        self.note_awaited(threads);
        let before = self.before_step(t);
        let others = match alternative {
            TIMEOUT => self.waiting_timed(threads),
            _ => Vec::new(),
        };
        self.take(threads, t, alternative);
        if self.machine.most.is_some() {
            let again = others.into_iter().filter(|&other| other != t);
            again.for_each(|other| self.machine.deciding[other] = Deciding::Whether);
        }
        self.note_looks(threads, t, before);
        self.note_awaited(threads);
    }

    #[allow(clippy::too_many_lines, reason = "a case for each operation")]
    fn take(&mut self, threads: &Threads, t: usize, alternative: u32) {
        let start = !self.machine.begun[t];
        let op = self.op(threads, t);
        let woken = match op {
            Some(Op::Signal(_) | Op::SignalTo(..)) if !start => {
                self.names.get(alternative as usize).copied()
            }
            Some(op @ (Op::FutexWake(..) | Op::FutexRequeue(..) | Op::FutexChange(..)))
                if !start =>
            {
                let ways = self.futexes.ways(op, &self.machine.memory);
                Some(futex::named(ways[alternative as usize], &self.names))
            }
            _ => None,
        };
        let plan = match op {
            Some(op) if !start => self.apply(op, t, alternative),
            _ => Plan {
                touches: vec![],
                result: 0,
                misuse: false,
            },
        };
        let kind = if start {
            99
        } else {
            self.machine.pc[t] as u128
        };
        let second = u128::from(self.machine.waiting[t]);
        let word = mix_all(&[
            self.names[t] as u128,
            self.counts[t].into(),
            woken.map_or(alternative.into(), |name| name as u128),
            kind << 3 | (self.machine.deciding[t] as u128) << 1 | second,
            plan.misuse.into(),
        ]);
        self.counts[t] += 1;
        let other = match op {
            Some(Op::Create(u) | Op::Join(u) | Op::TimedJoin(u, _)) if !start => Some(u),
            _ => None,
        };
        let mut plain = Plain::default();
        let late = alternative == TIMEOUT;
        if self.is_passive(threads, t) && !late {
            self.passive = self.passive.wrapping_add(word);
            self.machine
                .perform(threads, t, alternative, plan.result, &mut plain);
            self.note_unseen(word, &plain);
            self.note(Step {
                thread: t,
                word,
                passive: true,
                everything: false,
                opaque: false,
                touches: vec![],
                store: None,
                read: plain.read,
                unseen: plain.unseen,
                other,
            });
            return;
        }
        let everything =
            plan.misuse || late || (!start && matches!(op, Some(Op::Opaque | Op::Exit)));
        let touch = if everything {
            Touch::Write
        } else {
            Touch::Read
        };
        self.record(EVERYTHING, touch, word);
        let mut touches = plan.touches;
        self.touch_gate(t, &mut touches);
        for (_, touch) in &mut touches {
            *touch = self.as_increment(*touch);
            let reduced = matches!(
                touch,
                Touch::Reader | Touch::Post | Touch::Arrive | Touch::Update(..) | Touch::Count(..)
            );
            if !self.commute && reduced {
                *touch = Touch::Write;
            }
        }
        for &(name, touch) in &touches {
            self.record(name, touch, word);
        }
        if plan.misuse {
            self.misused = true;
        } else {
            self.machine
                .perform(threads, t, alternative, plan.result, &mut plain);
        }
        self.note_unseen(word, &plain);
        self.note(Step {
            thread: t,
            word,
            passive: false,
            everything,
            opaque: everything && !self.misused && matches!(op, Some(Op::Opaque)),
            touches,
            store: match op {
                Some(Op::Store(x, _) | Op::StoreSum(x, ..)) => Some(x),
                _ => None,
            },
            read: plain.read,
            unseen: plain.unseen,
            other,
        });
    }

    /// What is read without a name may differ between executions that are otherwise equivalent.
    fn note_unseen(&mut self, word: u128, plain: &Plain) {
        if plain.unseen {
            self.form = { self.form }.wrapping_add(mix_all(&[98, word, plain.sum.into()]));
        }
    }

    fn note(&mut self, step: Step) {
        if let Some(before) = &mut self.history {
            let before = before.take();
            self.history = Some(Some(Rc::new(Link { step, before })));
        }
    }

    /// Remembers the steps from now on.
    pub fn remembering(mut self) -> Self {
        self.history = Some(None);
        self
    }

    /// The steps since [`State::remembering`].
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut link = self.history.as_ref().and_then(|link| link.as_ref());
        while let Some(step) = link {
            steps.push(step.step.clone());
            link = step.before.as_ref();
        }
        steps.reverse();
        steps
    }

    fn record(&mut self, name: Name, touch: Touch, word: u128) {
        let new = match self.logs.get(&name) {
            None => Log {
                earlier: 0,
                touch,
                run: word,
            },
            Some(old) => {
                self.form = self.form.wrapping_sub(log_hash(name, old));
                if old.touch.commutes(touch) {
                    Log {
                        run: old.run.wrapping_add(word),
                        ..*old
                    }
                } else {
                    Log {
                        earlier: log_hash(name, old),
                        touch,
                        run: word,
                    }
                }
            }
        };
        self.form = self.form.wrapping_add(log_hash(name, &new));
        self.logs.insert(name, new);
    }

    /// Changes the synchronization objects as `op` does and says what it touched.
    #[allow(clippy::too_many_lines, reason = "a case for each operation")]
    fn apply(&mut self, op: Op, t: usize, alternative: u32) -> Plan {
        let touch = |name, touch| Plan {
            touches: vec![(name, touch)],
            result: 0,
            misuse: false,
        };
        let both = |x, width, touch| Plan {
            touches: (x..x + width).map(|x| ((1, x), touch)).collect(),
            result: 0,
            misuse: false,
        };
        let nothing = || Plan {
            touches: vec![],
            result: 0,
            misuse: false,
        };
        let misuse = || Plan {
            touches: vec![],
            result: 0,
            misuse: true,
        };
        match op {
            Op::TimedWait(c, ..) if alternative == TIMEOUT => {
                let waiters = self.conds.entry(c).or_default();
                waiters.retain(|w| w.0 != t);
                touch((3, c), Touch::Write)
            }
            Op::TimedRwWriteAnnounced(o, _) if alternative == TIMEOUT => {
                self.stop_waiting(o);
                touch((4, o), Touch::Write)
            }
            Op::FutexWait(..) if alternative == TIMEOUT => {
                touch(self.futexes.give_up(t), Touch::Write)
            }
            _ if alternative == TIMEOUT => nothing(),
            Op::LockTold(m, _) => self.apply_mutex(Op::Lock(m), m, t),
            Op::LockAll(mask) => {
                let mut all = nothing();
                for m in mutexes(mask) {
                    let one = self.apply_mutex(Op::Lock(m), m, t);
                    if one.misuse {
                        return one;
                    }
                    all.touches.extend(one.touches);
                }
                all
            }
            Op::Abandon(m) | Op::Consistent(m, _) => self.apply_mutex(op, m, t),
            Op::TimedLock(m, _) => self.apply_mutex(Op::Lock(m), m, t),
            Op::TimedSemWait(s, _) => self.apply(Op::SemWait(s), t, alternative),
            Op::TimedRwRead(o, _) => self.apply(Op::RwRead(o), t, alternative),
            Op::TimedRwWrite(o, _) => self.apply(Op::RwWrite(o), t, alternative),
            Op::WaitOrLeave(_, m, ..) if alternative > 0 => self.apply_mutex(Op::Unlock(m), m, t),
            Op::WaitOrLeave(c, m, ..) | Op::TimedWait(c, m, _) => {
                self.apply(Op::Wait(c, m), t, alternative)
            }
            Op::Load(x, _) | Op::Await(x, ..) => touch((1, x), Touch::Read),
            Op::AwaitAdd(x, ..) | Op::AwaitCas(x, ..) => touch((1, x), Touch::Write),
            Op::Store(x, _) | Op::StoreSum(x, ..) | Op::FetchAdd(x, ..) => {
                touch((1, x), Touch::Write)
            }
            Op::Update(x, update::OTHER, ..) | Op::UpdateSum(x, update::OTHER, ..) => {
                touch((1, x), Touch::Write)
            }
            Op::Update(x, operator, bytes, _) => touch((1, x), Touch::Update(operator, bytes)),
            Op::UpdateSum(x, operator, ..) => touch((1, x), Touch::Update(operator, WHOLE)),
            Op::IsLast(x, bytes, _) => touch((1, x), self.as_look(x, bytes)),
            Op::Count(x, counter, bytes, _) => {
                let answer = answer(self.machine.memory[x], counter, bytes);
                touch((1, x), Touch::Count(counter, bytes, answer))
            }
            Op::Cas(x, old, ..) if self.machine.memory[x] == old => touch((1, x), Touch::Write),
            Op::Cas(x, ..) => touch((1, x), Touch::Read),
            Op::StoreWide(x, _) => both(x, 2, Touch::Write),
            Op::Fill(x, _) => both(x, 4, Touch::Write),
            Op::CasWide(x, old, ..) if self.machine.memory[x..x + 2] == [old, old] => {
                both(x, 2, Touch::Write)
            }
            Op::CasWide(x, ..) => both(x, 2, Touch::Read),
            Op::Lock(m) | Op::Trylock(m, _) | Op::Unlock(m) => self.apply_mutex(op, m, t),
            Op::MutexRemade(m) if !self.lock(m).destroyed => touch((2, m), Touch::Read),
            Op::MutexRemade(m) => {
                let mut lock = self.lock(m);
                (lock.destroyed, lock.kind) = (false, 0);
                self.mutexes.insert(m, lock);
                touch((2, m), Touch::Write)
            }
            Op::MutexInit(m) | Op::MutexInitAs(m, _) | Op::MutexDestroy(m) => {
                let mut lock = self.lock(m);
                let again = lock.destroyed && matches!(op, Op::MutexDestroy(_));
                if lock.owner.is_some() || again {
                    return misuse();
                }
                lock.destroyed = matches!(op, Op::MutexDestroy(_));
                if let Op::MutexInitAs(_, kind) = op {
                    lock.kind = kind;
                }
                self.mutexes.insert(m, lock);
                touch((2, m), Touch::Write)
            }
            Op::CondDestroy(c) => {
                if !self.waiters(c).is_empty() || self.conds_destroyed.contains(&c) {
                    return misuse();
                }
                self.conds_destroyed.push(c);
                touch((3, c), Touch::Write)
            }
            Op::Wait(c, m) if !self.machine.waiting[t] => self.enqueue(c, m, t),
            Op::Wait(_, m) | Op::Reacquire(_, m) | Op::StayReacquire(_, m) => {
                self.apply_mutex(Op::Lock(m), m, t)
            }
            Op::Enqueue(c, m) => self.enqueue(c, m, t),
            Op::SignalTo(c, _) if self.conds_destroyed.contains(&c) => touch((3, c), Touch::Read),
            Op::Signal(c) | Op::SignalTo(c, _) | Op::Broadcast(c) => {
                if self.conds_destroyed.contains(&c) {
                    return misuse();
                }
                let all = matches!(op, Op::Broadcast(_));
                let waiters = self.conds.entry(c).or_default();
                waiters.retain(|w| !all && w.0 as u32 != alternative);
                touch((3, c), Touch::Write)
            }
            Op::Create(other) => {
                self.is_created[other] = true;
                nothing()
            }
            Op::Put(c, _)
            | Op::Take(c, ..)
            | Op::TimedTake(c, ..)
            | Op::Ready(c)
            | Op::TimedReady(c, _)
            | Op::Hangup(c, _)
            | Op::Look(c, _) => touch((9, c), Touch::Write),
            Op::Early(..) if alternative == 0 => touch((10, 0), Touch::Read),
            Op::Early(..) => {
                self.early += 1;
                touch((10, 0), Touch::Write)
            }
            Op::SharedRead(o) => touch((5, o), Touch::Read),
            Op::SharedWrite(o) => touch((5, o), Touch::Write),
            Op::RwInit(o) | Op::RwDestroy(o) => {
                let destroyed = self.rwlocks_destroyed.contains(&o);
                let again = destroyed && matches!(op, Op::RwDestroy(_));
                if self.rwlock(o) != (None, vec![]) || again || self.waiting_writers(o) > 0 {
                    return misuse();
                }
                self.rwlocks_destroyed.retain(|&other| other != o);
                if matches!(op, Op::RwDestroy(_)) {
                    self.rwlocks_destroyed.push(o);
                    self.rwlocks_destroyed.sort_unstable();
                }
                touch((4, o), Touch::Write)
            }
            Op::RwRead(o)
            | Op::RwWrite(o)
            | Op::RwUnlock(o)
            | Op::RwAnnounce(o)
            | Op::RwWriteAnnounced(o)
            | Op::TimedRwWriteAnnounced(o, _)
            | Op::RwRetract(o)
            | Op::RwTryread(o, _)
            | Op::RwTrywrite(o, _)
                if self.rwlocks_destroyed.contains(&o) =>
            {
                misuse()
            }
            Op::RwRead(o) | Op::RwWrite(o) | Op::RwUnlock(o) => self.apply_rwlock(op, o, t),
            Op::RwAnnounce(o) => {
                self.rwlocks_awaited.push(o);
                self.rwlocks_awaited.sort_unstable();
                touch((4, o), Touch::Write)
            }
            Op::RwRetract(o) => {
                self.stop_waiting(o);
                touch((4, o), Touch::Write)
            }
            Op::RwWriteAnnounced(o) | Op::TimedRwWriteAnnounced(o, _) | Op::StayRwWrite(o) => {
                self.stop_waiting(o);
                self.apply_rwlock(Op::RwWrite(o), o, t)
            }
            Op::SemInit(s, _)
            | Op::SemDestroy(s)
            | Op::SemWait(s)
            | Op::SemTrywait(s, _)
            | Op::SemPost(s)
            | Op::SemGetvalue(s, _) => match self.apply_semaphore(op, s) {
                Some((touch, result)) => Plan {
                    touches: vec![((6, s), touch)],
                    result,
                    misuse: false,
                },
                None => misuse(),
            },
            Op::StayBarrier(b) => self.apply(Op::Barrier(b, 0), t, alternative),
            Op::LeaveBarrier(_) => nothing(),
            Op::BarrierInit(b, _) | Op::BarrierDestroy(b) | Op::Barrier(b, _) => {
                let waiting = self.machine.waiting[t];
                let mut barrier = self.barrier(b);
                let crowded = |width| match &self.crowded {
                    Crowded::Any => true,
                    Crowded::These(these) => these.contains(&(b, width)),
                };
                let done = barrier.apply(op, t, waiting, crowded, alternative);
                self.barriers.insert(b, barrier);
                match done {
                    Some((touch, result)) => Plan {
                        touches: touch.map(|touch| ((7, b), touch)).into_iter().collect(),
                        result,
                        misuse: false,
                    },
                    None => misuse(),
                }
            }
            Op::FutexWait(..) if self.machine.waiting[t] => nothing(),
            Op::FutexRetract(_) => {
                let (name, has_left) = self.futexes.leave(t);
                let (class, result) = match has_left {
                    true => (Touch::Write, 0),
                    false => (Touch::Read, EAGAIN),
                };
                Plan {
                    result,
                    ..touch(name, class)
                }
            }
            Op::FutexWait(..) | Op::FutexWake(..) | Op::FutexRequeue(..) | Op::FutexChange(..) => {
                let memory = &self.machine.memory;
                let (touches, result) = self.futexes.apply(op, t, alternative, memory);
                Plan {
                    touches,
                    result,
                    misuse: false,
                }
            }
            Op::RwTryread(o, _) => match self.rwlock(o).0 {
                None if self.waiting_writers(o) == 0 => self.apply_rwlock(Op::RwRead(o), o, t),
                _ => Plan {
                    result: EBUSY,
                    ..touch((4, o), Touch::Read)
                },
            },
            Op::RwTrywrite(o, _) => match self.rwlock(o) {
                (None, readers) if readers.is_empty() => self.apply_rwlock(Op::RwWrite(o), o, t),
                _ => Plan {
                    result: EBUSY,
                    ..touch((4, o), Touch::Read)
                },
            },
            _ => nothing(),
        }
    }

    fn stop_waiting(&mut self, o: usize) {
        let mine = self.rwlocks_awaited.iter().position(|&other| other == o);
        self.rwlocks_awaited.remove(mine.expect("it was announced"));
    }

    fn apply_mutex(&mut self, op: Op, m: usize, t: usize) -> Plan {
        let plan = |touch, result| Plan {
            touches: vec![((2, m), touch)],
            result,
            misuse: false,
        };
        let misuse = Plan {
            touches: vec![],
            result: 0,
            misuse: true,
        };
        let mut lock = self.lock(m);
        let mut result = 0;
        let own = lock.owner == Some(t);
        let kind = lock.kind;
        let waiting = self.machine.waiting[t];
        if lock.destroyed {
            return misuse;
        }
        match op {
            Op::Lock(_) if own && kind == mutex_kind::ERRORCHECK && !waiting => {
                return plan(Touch::Read, EDEADLK);
            }
            Op::Trylock(..) if lock.owner.is_some() && !(own && kind == mutex_kind::RECURSIVE) => {
                return plan(Touch::Read, EBUSY);
            }
            Op::Unlock(_) if !own && kind == mutex_kind::NORMAL => return misuse,
            Op::Unlock(_) if !own => return plan(Touch::Read, EPERM),
            Op::Unlock(_) => {
                lock.count -= 1;
                lock.owner = (lock.count > 0).then_some(t);
                if lock.count == 0 && lock.in_doubt {
                    (lock.in_doubt, lock.lost) = (false, true);
                }
            }
            Op::Abandon(_) if !own => return plan(Touch::Read, 0),
            Op::Abandon(_) => {
                (lock.owner, lock.count) = (None, 0);
                lock.in_doubt = true;
            }
            Op::Consistent(..) if !own || !lock.in_doubt => return plan(Touch::Read, EINVAL),
            Op::Consistent(..) => lock.in_doubt = false,
            _ if lock.lost => return plan(Touch::Read, ENOTRECOVERABLE),
            _ => {
                if lock.in_doubt && !own {
                    result = EOWNERDEAD;
                }
                lock.count += 1;
                lock.owner = Some(t);
            }
        }
        self.mutexes.insert(m, lock);
        plan(Touch::Write, result)
    }

    fn enqueue(&mut self, c: usize, m: usize, t: usize) -> Plan {
        let misuse = Plan {
            touches: vec![],
            result: 0,
            misuse: true,
        };
        let mismatch = || self.waiters(c).iter().any(|w| w.1 != m);
        let bad = || self.conds_destroyed.contains(&c) || mismatch();
        if self.lock(m).destroyed || (self.lock(m).owner == Some(t) && bad()) {
            return misuse;
        }
        let mut plan = self.apply_mutex(Op::Unlock(m), m, t);
        if !plan.misuse && plan.result == 0 {
            let waiters = self.conds.entry(c).or_default();
            waiters.push((t, m));
            waiters.sort_unstable();
            plan.touches.push(((3, c), Touch::Join(m)));
        }
        plan
    }

    /// How it touches the semaphore, and the result; `None`: a misuse.
    fn apply_semaphore(&mut self, op: Op, s: usize) -> Option<(Touch, i32)> {
        if let Op::SemInit(_, n) = op {
            self.semaphores.insert(s, Some(n));
            return Some((Touch::Write, 0));
        }
        let count = self.semaphore(s)?;
        let (after, touch, result) = match op {
            Op::SemDestroy(_) => (None, Touch::Write, 0),
            Op::SemPost(_) => (Some(count + 1), Touch::Post, 0),
            Op::SemGetvalue(..) => (Some(count), Touch::Read, count as i32),
            Op::SemTrywait(..) if count == 0 => (Some(0), Touch::Read, EAGAIN),
            _ => (Some(count - 1), Touch::Write, 0),
        };
        self.semaphores.insert(s, after);
        Some((touch, result))
    }

    fn apply_rwlock(&mut self, op: Op, o: usize, t: usize) -> Plan {
        let plan = |touch| Plan {
            touches: vec![((4, o), touch)],
            result: 0,
            misuse: false,
        };
        let (mut writer, mut readers) = self.rwlock(o);
        let touch = match op {
            Op::RwRead(_) => {
                readers.push(t);
                Touch::Reader
            }
            Op::RwWrite(_) => {
                writer = Some(t);
                Touch::Write
            }
            _ if writer == Some(t) => {
                writer = None;
                Touch::Write
            }
            _ => match readers.iter().position(|&r| r == t) {
                Some(at) => {
                    readers.remove(at);
                    Touch::Reader
                }
                None => {
                    return Plan {
                        misuse: true,
                        touches: vec![],
                        result: 0,
                    }
                }
            },
        };
        readers.sort_unstable();
        self.rwlocks.insert(o, (writer, readers));
        plan(touch)
    }

    pub fn ending(&self, threads: &Threads) -> Ending {
        if self.misused {
            Ending::Misuse
        } else if self.machine.ended {
            Ending::Exited
        } else if self.machine.dead.iter().any(|&d| d) || self.is_unsettled() {
            Ending::Blocked
        } else if (0..threads.len()).any(|t| self.is_pending(threads, t)) {
            Ending::Deadlock
        } else {
            Ending::Complete
        }
    }

    /// What two executions with one canonical form must agree on.
    fn same_as(&self, other: &State) -> bool {
        self.machine == other.machine
            && self.is_created == other.is_created
            && self.misused == other.misused
            && self.mutexes == other.mutexes
            && self.conds == other.conds
            && self.rwlocks == other.rwlocks
            && self.rwlocks_destroyed == other.rwlocks_destroyed
            && self.rwlocks_awaited == other.rwlocks_awaited
            && self.semaphores == other.semaphores
            && self.barriers == other.barriers
            && self.futexes == other.futexes
    }
}

/// Every maximal trace by its canonical form, or `None` if the program is too big.
pub fn traces(threads: &Threads, moves_max: usize) -> Option<HashMap<u128, State>> {
    traces_from(State::new(threads), threads, moves_max)
}

/// The traces from a state, which may have another idea of what commutes.
pub fn traces_from(
    start: State,
    threads: &Threads,
    moves_max: usize,
) -> Option<HashMap<u128, State>> {
    if !start.commute || !barrier::any(threads) {
        return enumerate(start, threads, moves_max, &mut |_| ());
    }
    // Conflicts are always right, and tell who uses which barrier.
    let mut users = HashMap::new();
    let mut note = |state: &State| {
        for (&b, barrier) in &state.barriers {
            barrier.note_users(b, &mut users);
        }
    };
    let conflicting = start.clone().crowding(&Crowded::Any);
    note(&conflicting);
    enumerate(conflicting, threads, 4 * moves_max, &mut note)?;
    let crowded = Crowded::These(barrier::crowded(&users));
    enumerate(start.crowding(&crowded), threads, moves_max, &mut |_| ())
}

/// The traces as [`traces_from`] has them, and whether it may be wrong that increments commute with drops that were told
/// "no". Of a program without barriers.
pub fn traces_with_increments(
    start: State,
    threads: &Threads,
    moves_max: usize,
) -> Option<(HashMap<u128, State>, bool)> {
    let mut miscounts = false;
    let mut note = |state: &State| miscounts |= state.may_miscount(threads);
    let traces = enumerate(start, threads, moves_max, &mut note)?;
    Some((traces, miscounts))
}

/// Checks in every state that the table of conflicts is right.
pub fn check_independence(threads: &Threads, crowded: &Crowded, moves_max: usize) {
    let start = State::new(threads).crowding(crowded);
    start.check_independence(threads);
    enumerate(start, threads, moves_max, &mut |state| {
        state.check_independence(threads);
    });
}

fn enumerate(
    start: State,
    threads: &Threads,
    moves_max: usize,
    note: &mut dyn FnMut(&State),
) -> Option<HashMap<u128, State>> {
    note(&start);
    let mut level = HashMap::from([(start.key(), start)]);
    let mut done = HashMap::new();
    let mut moves = 0;
    while !level.is_empty() {
        let mut next: HashMap<u128, State> = HashMap::new();
        for state in level.into_values() {
            let all = state.moves(threads);
            moves += all.len();
            if moves > moves_max {
                return None;
            }
            if all.is_empty() {
                done.insert(state.form, state);
                continue;
            }
            for (t, alternative) in all {
                let mut after = state.clone();
                after.step(threads, t, alternative);
                note(&after);
                match next.get(&after.key()) {
                    Some(other) => {
                        assert!(after.same_as(other), "one form, two states: {threads:?}");
                    }
                    None => drop(next.insert(after.key(), after)),
                }
            }
        }
        level = next;
    }
    Some(done)
}
