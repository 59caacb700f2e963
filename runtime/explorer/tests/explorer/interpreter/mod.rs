//! A tiny language of threads, and the machine that runs it for the explorer.
//!
//! The machine knows program counters, registers and memory. It knows nothing of mutexes or of
//! what is enabled: that is the explorer's business here, and the oracle's in `brute`.

use dpor_explorer::Program;
use dpor_model::*;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

pub type Register = usize;
pub const REGISTERS: usize = 4;
pub const CELLS: usize = 24;

/// An operation of a thread of an interpreted program. Numbers name objects; see [`mutex_kind_of`] for mutexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Load(usize, Register),
    Store(usize, u64),
    /// Stores register + constant.
    StoreSum(usize, Register, u64),
    FetchAdd(usize, u64, Register),
    /// A read-modify-write without result: cell, [`update`] (`OTHER`: an exchange), first byte and
    /// width, operand.
    Update(usize, u64, (u8, u32), u64),
    /// An [`Op::Update`] of the whole cell with register + constant as its operand.
    UpdateSum(usize, u64, Register, u64),
    /// A read-modify-write, and in the register only how a comparison of what it found turned out: cell, what, first byte
    /// and width.
    Count(usize, Counter, (u8, u32), Register),
    /// A load, and in the register only whether a count is 1, its first so many bytes, and what is behind them, in the cell,
    /// is 1, too, as far as there is anything.
    IsLast(usize, u32, Register),
    /// Cell, expected, new, register for the value found.
    Cas(usize, u64, u64, Register),
    /// Waits until these bytes of the cell pass the test with register + constant; register for the cell.
    Await(usize, (u8, u32), Test, (Register, u64), Register),
    /// Waits until the whole cell passes the test, then adds the constant to it, in the same step.
    AwaitAdd(usize, Test, u64, u64, Register),
    /// Waits until the cell is the first value, and makes it the second.
    AwaitCas(usize, u64, u64),
    /// Stores the value into two neighbouring cells.
    StoreWide(usize, u64),
    /// Both cells, expected, new, register for the value found in the first.
    CasWide(usize, u64, u64, Register),
    /// Stores the value into four cells: more than 16 bytes.
    Fill(usize, u64),
    Lock(usize),
    /// Several mutexes at once, a bit each; [`BACKWARDS`].
    LockAll(u32),
    /// Register: 1 if it succeeded.
    Trylock(usize, Register),
    /// Register: the result.
    LockTold(usize, Register),
    /// The owner ends, as far as the mutex knows.
    Abandon(usize),
    /// Register: the result.
    Consistent(usize, Register),
    Unlock(usize),
    /// Condition variable, mutex.
    Wait(usize, usize),
    /// Condition variable, mutex, in how many ways it may end by itself, or [`LEAVE`]; register: in which it did,
    /// or 0.
    WaitOrLeave(usize, usize, u32, Register),
    /// With a time limit. Register: 1 unless it was reached.
    TimedWait(usize, usize, Register),
    TimedLock(usize, Register),
    TimedSemWait(usize, Register),
    TimedRwRead(usize, Register),
    TimedRwWrite(usize, Register),
    TimedJoin(usize, Register),
    Signal(usize),
    /// Wakes this thread, if it waits.
    SignalTo(usize, usize),
    Broadcast(usize),
    Create(usize),
    Join(usize),
    JoinAll,
    /// The last step of the process: it ends unless all other threads have ended.
    ProcessEnd,
    Choose(u32, Register),
    /// Whether the thread gives up early, of which so many may in an execution; register: 1 if it does.
    Early(u64, Register),
    SharedRead(usize),
    SharedWrite(usize),
    Opaque,
    Pause,
    Exit,
    RwRead(usize),
    RwWrite(usize),
    RwTryread(usize, Register),
    RwTrywrite(usize, Register),
    RwUnlock(usize),
    /// Waits to write; the next operation is one of the two below.
    RwAnnounce(usize),
    RwWriteAnnounced(usize),
    TimedRwWriteAnnounced(usize, Register),
    /// Waits to write no more.
    RwRetract(usize),
    MutexInit(usize),
    /// With another kind than its number says.
    MutexInitAs(usize, u64),
    /// What comes before the first use of a mutex that may have been made again by assignment.
    MutexRemade(usize),
    MutexDestroy(usize),
    CondDestroy(usize),
    RwInit(usize),
    RwDestroy(usize),
    /// Semaphore, count.
    SemInit(usize, u64),
    SemDestroy(usize),
    SemWait(usize),
    /// Register: 1 if it succeeded.
    SemTrywait(usize, Register),
    SemPost(usize),
    /// Register: the count.
    SemGetvalue(usize, Register),
    /// Barrier, width.
    BarrierInit(usize, u64),
    BarrierDestroy(usize),
    /// Register: 1 if this is the serial thread.
    Barrier(usize, Register),
    /// Waits if the lower half of the cell is the value. Bits ([`TIMED_BITS`] too); register: 1 if it
    /// did not wait.
    FutexWait(usize, u32, u32, Register),
    /// Wakes waiters of the cell: how many at most, bits; register: how many.
    FutexWake(usize, u32, u32, Register),
    /// The thread, which waits, leaves the waiters whom it joined as one of the cell's.
    FutexRetract(usize),
    /// Cell, how many to wake and to move, where to, what the cell has to be, if it matters.
    /// Register: how many; 9 if the cell is something else.
    FutexRequeue(usize, (u32, u32), usize, Option<u32>, Register),
    /// Changes the lower half of a cell, and wakes waiters of two: cell whose waiters come first, how many of
    /// each, the cell that is changed and whose waiters come second if its old value passes, how both are
    /// encoded (`val3` of futex(2)). Register: how many.
    FutexChange(usize, (u32, u32), usize, u32, Register),
    /// Channel, how many tokens: waits for room for all of them, or for the reader to be gone.
    Put(usize, u64),
    /// Channel, how many at most, register for what they were: waits for one, or for the writer to
    /// be gone.
    Take(usize, u64, Register),
    /// Waits for either: a token, or room for one.
    Ready(usize),
    /// The halves of a wait, for other operations between them. If the first fails, it and the two
    /// operations after it are all there is.
    Enqueue(usize, usize),
    Reacquire(usize, usize),
    /// Second halves that the thread may give up where nothing else can go on, and stay among those that wait. The
    /// two operations after them, the second of them the same without that, come only if it did.
    StayReacquire(usize, usize),
    StayRwWrite(usize),
    /// An arrival at a barrier that the thread may give up as in [`Op::StayReacquire`]; the second of the two
    /// operations after it is a `LeaveBarrier`.
    StayBarrier(usize),
    LeaveBarrier(usize),
    /// With a time limit; register: [`GAVE_UP`] if the thread gave up.
    TimedTake(usize, u64, Register),
    /// Register: 1 unless the thread gave up.
    TimedReady(usize, Register),
    /// Channel, end: 0 is the reader, 1 the writer.
    Hangup(usize, usize),
    /// Register: how many tokens are there. Never waits.
    Look(usize, Register),
    /// If the register differs from the value, skip so many operations. No event.
    SkipUnless(Register, u64, usize),
    /// The head of a loop. What its turns leave in the last two registers is forgotten.
    Head,
    /// Back to the [`Op::Head`] that is so many operations above. Nothing if there is none.
    Again(usize),
    /// Goes on only if the register has the value. No event.
    Assume(Register, u64),
    /// A plain write, without an event, right after the operation before it.
    Plain(usize, u64),
    /// A plain read.
    PlainLoad(usize, Register),
    /// Code of which nobody knows what it reads: the sum of all cells, each times its number + 1.
    Unseen(Register),
}

/// The plain accesses of a step, in order.
#[derive(Clone, Default, Debug)]
pub struct Plain {
    pub written: Vec<(ObjectId, u64)>,
    pub read: Vec<ObjectId>,
    /// Anything may have been read.
    pub unseen: bool,
    /// Tells what was read so from what else might have been.
    pub sum: u64,
}

pub type Threads = Vec<Vec<Op>>;

/// In the number of an [`Op::Early`]: where nobody else can go on it is no choice, as in programs.
pub const ALONE_TOO: u64 = 100;
/// A wait that ends by itself, in one way.
pub const LEAVE: u32 = u32::MAX;
/// Among the bits of a wait: it has a time-out.
pub const TIMED_BITS: u32 = 1 << 31;
pub const CHANNELS: usize = 2;

/// A channel with tokens that tell who put them there. Channel `c` holds `c + 1` of them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Channel {
    pub tokens: Vec<u64>,
    pub gone: [bool; 2],
}

impl Channel {
    pub fn room(&self, c: usize) -> u64 {
        c as u64 + 1 - self.tokens.len() as u64
    }

    /// Tokens to read, or 1000 at the end; room, or 1000 if nobody reads.
    fn levels(&self, c: usize) -> u64 {
        let or = |gone, level| if gone { 1000 } else { level };
        let read = match self.tokens.len() as u64 {
            0 => or(self.gone[1], 0),
            n => n,
        };
        read | or(self.gone[0], self.room(c)) << 16
    }
}

/// Mutexes 0..10 are normal, 10..20 recursive, 20.. error-checking.
pub fn mutex_kind_of(mutex: usize) -> u64 {
    match mutex {
        0..10 => mutex_kind::NORMAL,
        10..20 => mutex_kind::RECURSIVE,
        _ => mutex_kind::ERRORCHECK,
    }
}

/// Flag of an [`Op::LockAll`]: its mutexes are told from the last to the first.
pub const BACKWARDS: u32 = 1 << 31;

/// The mutexes of an [`Op::LockAll`].
pub fn mutexes(mask: u32) -> Vec<usize> {
    let mut all: Vec<usize> = (0..31).filter(|m| mask >> m & 1 == 1).collect();
    if mask & BACKWARDS != 0 {
        all.reverse();
    }
    all
}

/// All but the first, kept for ever, once for each mask.
fn others(mask: u32) -> &'static several::Several {
    static KNOWN: Mutex<BTreeMap<u32, &'static several::Several>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("nobody panics meanwhile");
    known.entry(mask).or_insert_with(|| {
        let others = mutexes(mask).into_iter().skip(1);
        let others = others.map(|m| ObjectId(2000 + m as u64)).collect();
        Box::leak(Box::new(several::Several(others)))
    })
}

/// Count of a semaphore at the root.
pub fn count_of(semaphore: usize) -> u64 {
    (semaphore / 10) as u64
}

/// Width of a barrier at the root; 0: not initialized.
pub fn width_of(barrier: usize) -> u64 {
    (barrier / 10 % 10) as u64
}

pub fn barrier_id(barrier: usize) -> ObjectId {
    ObjectId(7000 + barrier as u64)
}

/// True if the result of a wait on the barrier counts.
pub fn tells_serial(barrier: usize) -> bool {
    barrier >= 100
}

impl Op {
    /// True if it waits with a time limit.
    pub fn is_timed(self) -> bool {
        if let Op::FutexWait(.., bits, _) = self {
            return bits & TIMED_BITS != 0;
        }
        matches!(
            self,
            Op::TimedWait(..)
                | Op::TimedLock(..)
                | Op::TimedSemWait(..)
                | Op::TimedRwRead(..)
                | Op::TimedRwWrite(..)
                | Op::TimedRwWriteAnnounced(..)
                | Op::TimedJoin(..)
                | Op::TimedTake(..)
                | Op::TimedReady(..)
                | Op::StayReacquire(..)
                | Op::StayRwWrite(..)
                | Op::StayBarrier(..)
        )
    }
}

/// What a word becomes by an operation of futex(2): bits 28 to 30 say which, 12 to 23, signed, with what
/// (two to the power of that, if bit 31 is set).
pub fn changed(encoded: u32, old: u32) -> u32 {
    let number = (encoded << 8) as i32 >> 20;
    let operand = if encoded >> 31 == 1 {
        1u32 << (number & 31)
    } else {
        number as u32
    };
    match encoded >> 28 & 7 {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old | operand,
        3 => old & !operand,
        4 => old ^ operand,
        other => panic!("{other} is no operation"),
    }
}

/// See [`Op::TimedTake`]: no token.
pub const GAVE_UP: u64 = 7;

/// For each thread, whether another one creates it; the others are there from the start.
pub fn created(threads: &Threads) -> Vec<bool> {
    let mut created = vec![false; threads.len()];
    for op in threads.iter().flatten() {
        if let Op::Create(t) = op {
            created[*t] = true;
        }
    }
    created
}

/// See [`Machine::left`].
pub const LATE: u64 = 99;

/// Where the threads are, and memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    pub pc: Vec<usize>,
    /// In the second half of a wait on a condition variable or barrier.
    pub waiting: Vec<bool>,
    /// In the second half of one that ended by itself: how; [`LATE`]: with the time limit.
    pub left: Vec<u64>,
    /// Created, and not before its start.
    pub begun: Vec<bool>,
    pub dead: Vec<bool>,
    pub ended: bool,
    pub registers: Vec<[u64; REGISTERS]>,
    /// Kinds of mutexes initialized with another one. Threads look here when they *publish* an
    /// operation, as pthread_mutex_lock does.
    pub kinds: Vec<(usize, u64)>,
    pub memory: [u64; CELLS],
    pub channels: [Channel; CHANNELS],
    /// By thread: the loops that it is in or was in.
    pub heads: Vec<Vec<Head>>,
    /// The turn that ended where it began, if the thread did nothing since.
    pub turned: Vec<Option<Head>>,
    /// How many operations each thread performed.
    pub performed: Vec<usize>,
    /// Number of events, if somebody counts.
    pub depth: u32,
    /// How often threads may give up early, if they can: those that wait with a limit then decide again.
    pub most: Option<u64>,
    pub deciding: Vec<Deciding>,
}

/// How far a thread is that decides again whether it gives up early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deciding {
    /// The thread does not decide again.
    No,
    /// The thread decides whether it gives up.
    Whether,
    /// The thread gives up, and leaves the waiters.
    Leaves,
}

/// Where a thread was at the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    pc: usize,
    registers: [u64; REGISTERS],
    /// [`Machine::performed`] and [`Machine::depth`] then.
    pub performed: usize,
    pub depth: u32,
}

impl Machine {
    /// A number for all that decides how the program goes on; how it came here does not.
    pub fn fingerprint(&self) -> u128 {
        let threads = (
            &self.pc,
            &self.waiting,
            &self.left,
            &self.begun,
            &self.dead,
            &self.ended,
        );
        let memory = (
            &self.registers,
            &self.kinds,
            &self.memory,
            &self.channels,
            &self.deciding,
        );
        let text = format!("{threads:?} {memory:?}");
        let half = |salt: u8| {
            let mut hasher = std::hash::DefaultHasher::new();
            (salt, &text).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }

    pub fn new(threads: &Threads) -> Self {
        let n = threads.len();
        let late = created(threads);
        let mut machine = Machine {
            pc: vec![0; n],
            waiting: vec![false; n],
            left: vec![0; n],
            begun: (0..n).map(|t| !late[t]).collect(),
            dead: vec![false; n],
            ended: false,
            registers: vec![[0; REGISTERS]; n],
            kinds: Vec::new(),
            memory: [0; CELLS],
            channels: Default::default(),
            heads: vec![Vec::new(); n],
            turned: vec![None; n],
            performed: vec![0; n],
            depth: 0,
            most: threads.iter().flatten().find_map(|op| match *op {
                Op::Early(most, _) => Some(most),
                _ => None,
            }),
            deciding: vec![Deciding::No; n],
        };
        for t in 0..n {
            if machine.begun[t] {
                machine.settle(threads, t, &mut Plain::default());
            }
        }
        machine
    }

    /// Runs thread `t` up to its next visible operation.
    pub fn settle(&mut self, threads: &Threads, t: usize, plain: &mut Plain) {
        while let Some(op) = threads[t].get(self.pc[t]) {
            match *op {
                Op::SkipUnless(r, value, count) => {
                    self.pc[t] += 1 + if self.registers[t][r] != value {
                        count
                    } else {
                        0
                    };
                }
                Op::Head => {
                    self.heads[t].retain(|head| head.pc != self.pc[t]);
                    self.begin_turn(t);
                }
                Op::Again(count) => match self.pc[t].checked_sub(count) {
                    Some(head) if threads[t][head] == Op::Head => {
                        self.pc[t] = head;
                        self.begin_turn(t);
                    }
                    _ => self.pc[t] += 1,
                },
                Op::Assume(r, value) if self.registers[t][r] == value => self.pc[t] += 1,
                Op::Assume(..) => {
                    self.dead[t] = true;
                    return;
                }
                Op::Plain(x, value) => {
                    self.memory[x] = value;
                    plain.written.push((cell(x), value));
                    self.pc[t] += 1;
                }
                Op::PlainLoad(x, r) => {
                    self.registers[t][r] = self.memory[x];
                    plain.read.push(cell(x));
                    self.pc[t] += 1;
                }
                Op::Unseen(r) => {
                    let all = self.memory.iter().zip(1..);
                    self.registers[t][r] = all.fold(0, |sum, (&value, factor): (&u64, u64)| {
                        sum.wrapping_add(value.wrapping_mul(factor))
                    });
                    plain.unseen = true;
                    plain.read.push(NO_OBJECT);
                    plain.sum = plain
                        .sum
                        .wrapping_mul(31)
                        .wrapping_add(self.registers[t][r]);
                    self.pc[t] += 1;
                }
                _ => return,
            }
        }
    }

    /// The thread stands at the head of a loop.
    fn begin_turn(&mut self, t: usize) {
        self.registers[t][REGISTERS - 2..].fill(0);
        let now = Head {
            pc: self.pc[t],
            registers: self.registers[t],
            performed: self.performed[t],
            depth: self.depth,
        };
        let before = self.heads[t].iter().find(|head| head.pc == now.pc);
        let same = before.filter(|head| head.registers == now.registers);
        if let Some(&same) = same {
            self.turned[t] = Some(same);
        }
        self.heads[t].retain(|head| head.pc != now.pc);
        self.heads[t].push(now);
        self.pc[t] += 1;
    }

    pub fn is_finished(&self, threads: &Threads, t: usize) -> bool {
        self.begun[t] && !self.dead[t] && self.pc[t] >= threads[t].len()
    }

    /// The operation before which thread `t` stands, if it has begun.
    pub fn op(&self, threads: &Threads, t: usize) -> Option<Op> {
        let op = threads[t].get(self.pc[t]).copied();
        match self.deciding[t] {
            Deciding::No => op,
            // Of those that decide again, no register is used.
            Deciding::Whether => self.most.map(|most| Op::Early(most, 0)),
            Deciding::Leaves => op.and_then(|op| leaving(op, t)),
        }
    }

    /// What a thread that decides again does. How it gave up, if it did and need not leave anything now.
    fn decide(&mut self, wait: Op, t: usize, alternative: u32, result: i32) -> Option<u32> {
        let leaves = leaving(wait, t).is_some();
        let (next, gave_up) = match self.deciding[t] {
            Deciding::Whether if alternative == 1 && leaves => (Deciding::Leaves, false),
            Deciding::Whether => (Deciding::No, alternative == 1),
            Deciding::Leaves => (
                Deciding::No,
                match wait {
                    Op::TimedWait(..) => alternative == t as u32,
                    _ => result == 0,
                },
            ),
            Deciding::No => return None,
        };
        self.deciding[t] = next;
        gave_up.then_some(TIMEOUT)
    }

    /// Performs the visible operation of thread `t`, which is allowed to.
    #[allow(clippy::too_many_lines, reason = "a case for each operation")]
    pub fn perform(
        &mut self,
        threads: &Threads,
        t: usize,
        alternative: u32,
        result: i32,
        plain: &mut Plain,
    ) {
        if !self.begun[t] {
            self.begun[t] = true;
            return self.settle(threads, t, plain);
        }
        self.performed[t] += 1;
        self.turned[t] = None;
        let mut alternative = alternative;
        if alternative == AGAIN {
            self.deciding[t] = Deciding::Whether;
            return;
        }
        if self.deciding[t] != Deciding::No {
            match self.decide(threads[t][self.pc[t]], t, alternative, result) {
                Some(gave_up) => alternative = gave_up,
                None => return,
            }
        }
        let registers = &mut self.registers[t];
        match threads[t][self.pc[t]] {
            Op::Load(x, r) | Op::Await(x, .., r) => registers[r] = self.memory[x],
            Op::AwaitAdd(x, _, _, c, r) => {
                registers[r] = self.memory[x];
                self.memory[x] = self.memory[x].wrapping_add(c);
            }
            // Nobody lets it go on otherwise.
            Op::AwaitCas(x, _, new) => self.memory[x] = new,
            Op::Store(x, value) => self.memory[x] = value,
            Op::StoreSum(x, r, c) => self.memory[x] = registers[r].wrapping_add(c),
            Op::FetchAdd(x, c, r) => {
                registers[r] = self.memory[x];
                self.memory[x] = self.memory[x].wrapping_add(c);
            }
            Op::Update(x, operator, bytes, operand) => {
                self.memory[x] = updated(self.memory[x], operator, bytes, operand);
            }
            Op::Count(x, counter, bytes, r) => {
                registers[r] = u64::from(answer(self.memory[x], counter, bytes));
                let operand = i64::from(counter.operand) as u64;
                self.memory[x] = updated(self.memory[x], counter.operator.into(), bytes, operand);
            }
            Op::IsLast(x, bytes, r) => {
                registers[r] = u64::from(self.memory[x] == last_of(bytes));
            }
            Op::UpdateSum(x, operator, r, c) => {
                let operand = registers[r].wrapping_add(c);
                self.memory[x] = updated(self.memory[x], operator, WHOLE, operand);
            }
            Op::Cas(x, old, new, r) => {
                registers[r] = self.memory[x];
                if self.memory[x] == old {
                    self.memory[x] = new;
                }
            }
            Op::StoreWide(x, value) => self.memory[x..x + 2].fill(value),
            Op::Fill(x, value) => self.memory[x..x + 4].fill(value),
            Op::CasWide(x, old, new, r) => {
                registers[r] = self.memory[x];
                if self.memory[x..x + 2] == [old, old] {
                    self.memory[x..x + 2].fill(new);
                }
            }
            Op::Create(other) => {
                // A number may be used again after a join.
                self.begun[other] = false;
                self.pc[other] = 0;
                self.registers[other] = [0; REGISTERS];
            }
            Op::Trylock(_, r) | Op::RwTryread(_, r) | Op::RwTrywrite(_, r) => {
                registers[r] = u64::from(result == 0);
            }
            Op::LockTold(_, r) | Op::Consistent(_, r) => registers[r] = result as u64,
            Op::SemTrywait(_, r) => registers[r] = u64::from(result == 0),
            Op::SemGetvalue(_, r) => registers[r] = result as u64,
            Op::Barrier(..) | Op::StayBarrier(..) if !self.waiting[t] => {
                self.waiting[t] = true;
                return;
            }
            Op::Barrier(_, r) => registers[r] = u64::from(result == SERIAL_THREAD),
            Op::MutexRemade(m) if result == 0 => self.kinds.retain(|&(other, _)| other != m),
            Op::MutexInitAs(m, kind) => {
                self.kinds.retain(|&(other, _)| other != m);
                self.kinds.push((m, kind));
                self.kinds.sort_unstable();
            }
            Op::Choose(_, r) | Op::Early(_, r) => registers[r] = alternative.into(),
            Op::Put(c, n) if !self.channels[c].gone[0] => {
                let token = 100 * t as u64 + self.pc[t] as u64 + 1;
                (0..n).for_each(|_| self.channels[c].tokens.push(token));
            }
            Op::Enqueue(..) if result != 0 => self.pc[t] += 2,
            Op::StayReacquire(..) | Op::StayRwWrite(..) | Op::StayBarrier(..)
                if alternative != TIMEOUT =>
            {
                self.pc[t] += 2;
            }
            Op::TimedTake(_, _, r) if alternative == TIMEOUT => registers[r] = GAVE_UP,
            Op::Take(c, n, r) | Op::TimedTake(c, n, r) => {
                let tokens = &mut self.channels[c].tokens;
                let n = tokens.len().min(n as usize);
                registers[r] = tokens.drain(..n).fold(0, |all, token| all * 1000 + token);
            }
            Op::Hangup(c, end) => self.channels[c].gone[end] = true,
            Op::Look(c, r) => registers[r] = self.channels[c].tokens.len() as u64,
            Op::FutexWait(_, _, _, r) if self.waiting[t] => {
                registers[r] = if alternative == TIMEOUT { 2 } else { 0 };
            }
            Op::FutexWait(x, value, ..) if self.memory[x] as u32 == value => {
                self.waiting[t] = true;
                return;
            }
            Op::FutexWait(.., r) => registers[r] = 1,
            Op::FutexWake(.., r) => registers[r] = result as u64,
            Op::FutexRequeue(.., r) if result < 0 => registers[r] = 9,
            Op::FutexRequeue(.., r) => registers[r] = result as u64,
            Op::FutexChange(_, _, x, encoded, r) => {
                let old = self.memory[x] as u32;
                self.memory[x] = self.memory[x] >> 32 << 32 | u64::from(changed(encoded, old));
                registers[r] = result as u64;
            }
            Op::Exit => self.ended = true,
            Op::ProcessEnd => {
                let mut others = (0..threads.len()).filter(|&o| o != t);
                // Who was created has begun.
                self.ended = others.any(|o| self.begun[o] && !self.is_finished(threads, o));
            }
            Op::Wait(..) | Op::WaitOrLeave(..) | Op::TimedWait(..)
                if !self.waiting[t] && result == 0 =>
            {
                self.waiting[t] = true;
                self.left[t] = alternative.into();
                return;
            }
            Op::TimedWait(..) if alternative == TIMEOUT => {
                self.left[t] = LATE;
                return;
            }
            Op::WaitOrLeave(.., r) => registers[r] = std::mem::take(&mut self.left[t]),
            Op::TimedWait(.., r) => {
                registers[r] = u64::from(std::mem::take(&mut self.left[t]) == 0);
            }
            Op::TimedLock(_, r)
            | Op::TimedSemWait(_, r)
            | Op::TimedRwRead(_, r)
            | Op::TimedRwWrite(_, r)
            | Op::TimedRwWriteAnnounced(_, r)
            | Op::TimedReady(_, r)
            | Op::TimedJoin(_, r) => registers[r] = u64::from(alternative != TIMEOUT),
            _ => {}
        }
        self.waiting[t] = false;
        self.pc[t] += 1;
        if !self.ended {
            self.settle(threads, t, plain);
        }
    }
}

/// How thread `t` leaves those that wait, if its wait with a limit has any.
fn leaving(wait: Op, t: usize) -> Option<Op> {
    match wait {
        Op::TimedWait(c, ..) => Some(Op::SignalTo(c, t)),
        Op::TimedRwWriteAnnounced(o, _) => Some(Op::RwRetract(o)),
        Op::FutexWait(x, ..) => Some(Op::FutexRetract(x)),
        _ => None,
    }
}

/// First byte and width of a whole cell.
pub const WHOLE: (u8, u32) = (0, 8);

/// The cell after a read-modify-write of some of its bytes.
pub fn updated(cell: u64, operator: u64, (first, width): (u8, u32), operand: u64) -> u64 {
    let mut bytes = cell.to_le_bytes();
    let part = &mut bytes[usize::from(first)..][..width as usize];
    macro_rules! apply {
        ($unsigned:ty, $signed:ty) => {{
            let old = <$unsigned>::from_le_bytes((&*part).try_into().expect("its width"));
            let with = operand as $unsigned;
            let new = match operator {
                update::ADD => old.wrapping_add(with),
                update::AND => old & with,
                update::OR => old | with,
                update::XOR => old ^ with,
                update::MAX => (old as $signed).max(with as $signed) as $unsigned,
                update::MIN => (old as $signed).min(with as $signed) as $unsigned,
                update::UMAX => old.max(with),
                update::UMIN => old.min(with),
                _ => with,
            };
            part.copy_from_slice(&new.to_le_bytes());
        }};
    }
    match width {
        1 => apply!(u8, i8),
        2 => apply!(u16, i16),
        4 => apply!(u32, i32),
        _ => apply!(u64, i64),
    }
    u64::from_le_bytes(bytes)
}

/// The cell with which [`Op::IsLast`] is told "yes".
pub fn last_of(bytes: u32) -> u64 {
    match bytes {
        4 => 1 << 32 | 1,
        _ => 1,
    }
}

/// How the comparison of a counter that finds this cell turns out.
pub fn answer(cell: u64, counter: Counter, (first, width): (u8, u32)) -> bool {
    let bits = 8 * width;
    let found = i128::from(cell >> (8 * first) & (u64::MAX >> (64 - bits)));
    let constant = i128::from(counter.value);
    let signed = |n: i128| match n >> (bits - 1) & 1 {
        0 => n,
        _ => n - (1 << bits),
    };
    let unsigned = |n: i128| n.rem_euclid(1 << bits);
    let (s, u) = (
        (signed(found), signed(unsigned(constant))),
        (found, unsigned(constant)),
    );
    match counter.test {
        Test::Equal => u.0 == u.1,
        Test::NotEqual => u.0 != u.1,
        Test::Below => u.0 < u.1,
        Test::AtMost => u.0 <= u.1,
        Test::Above => u.0 > u.1,
        Test::AtLeast => u.0 >= u.1,
        Test::SignedBelow => s.0 < s.1,
        Test::SignedAtMost => s.0 <= s.1,
        Test::SignedAbove => s.0 > s.1,
        Test::SignedAtLeast => s.0 >= s.1,
    }
}

/// Address of the first cell.
const MEMORY: u64 = 8000;

pub fn cell(x: usize) -> ObjectId {
    ObjectId(MEMORY + 8 * x as u64)
}

/// The operation as the explorer sees it. `second`: the second half of a wait.
#[allow(clippy::too_many_lines, reason = "a case for each operation")]
pub fn operation(op: Op, second: bool, site: SiteId) -> Operation {
    let object = |kind, base: u64, n: usize| Operation {
        object: ObjectId(base + n as u64),
        ..Operation::new(kind, site)
    };
    let memory = |kind, x| Operation {
        bytes: 8,
        object: cell(x),
        ..Operation::new(kind, site)
    };
    let mutex = |kind, m| Operation {
        argument: Argument::mutex(mutex_kind_of(m)),
        ..object(kind, 2000, m)
    };
    let timed = |op| Operation {
        timed: true,
        ..operation(op, second, site)
    };
    let with = |kind, argument| Operation {
        argument,
        ..Operation::new(kind, site)
    };
    let channel = |c, thresholds: u64| Operation {
        argument: Argument::levels(match thresholds {
            0 => 0,
            _ => thresholds | 0xffff_ffff << 32,
        }),
        ..object(Kind::Channel, 9500, c)
    };
    match op {
        Op::Load(x, _) => memory(Kind::Load, x),
        Op::Await(x, (offset, bytes), test, (_, value), _) => {
            let condition = Condition {
                test,
                bits: 8 * bytes,
                mask: u64::MAX,
                value,
            };
            condition.of(Operation {
                offset,
                bytes,
                ..memory(Kind::Load, x)
            })
        }
        Op::AwaitAdd(x, test, value, ..) => {
            let load = operation(Op::Await(x, WHOLE, test, (0, value), 0), second, site);
            Operation {
                kind: Kind::ReadModifyWrite,
                ..load
            }
        }
        Op::AwaitCas(x, old, _) => Operation {
            detail: Detail::expects(old.into()),
            waits: true,
            ..memory(Kind::CompareExchange, x)
        },
        Op::Store(x, _) | Op::StoreSum(x, ..) => memory(Kind::Store, x),
        Op::FetchAdd(x, ..) => memory(Kind::ReadModifyWrite, x),
        Op::Update(x, operator, (offset, bytes), _) => Operation {
            argument: Argument::update(operator),
            offset,
            bytes,
            ..memory(Kind::ReadModifyWrite, x)
        },
        Op::Count(x, counter, (offset, bytes), _) => Operation {
            detail: Detail::Counter(counter),
            offset,
            bytes,
            ..memory(Kind::ReadModifyWrite, x)
        },
        Op::IsLast(x, bytes, _) => Operation {
            detail: Detail::Counter(Counter::LAST),
            argument: Argument::counting(bytes),
            ..memory(Kind::Load, x)
        },
        Op::UpdateSum(x, operator, ..) => Operation {
            argument: Argument::update(operator),
            ..memory(Kind::ReadModifyWrite, x)
        },
        Op::Cas(x, old, ..) => Operation {
            detail: Detail::expects(old.into()),
            ..memory(Kind::CompareExchange, x)
        },
        Op::StoreWide(x, _) => Operation {
            bytes: 16,
            ..memory(Kind::Store, x)
        },
        Op::Fill(x, _) => Operation {
            bytes: 32,
            ..memory(Kind::Store, x)
        },
        Op::CasWide(x, old, ..) => Operation {
            bytes: 16,
            detail: Detail::expects(u128::from(old) << 64 | u128::from(old)),
            ..memory(Kind::CompareExchange, x)
        },
        Op::Lock(m) | Op::LockTold(m, _) => mutex(Kind::MutexLock, m),
        Op::LockAll(mask) => {
            let all = mutexes(mask);
            Operation {
                also: Some(others(mask)),
                argument: Argument::mutexes(all.iter().map(|&m| mutex_kind_of(m))),
                ..object(Kind::MutexLockAll, 2000, all[0])
            }
        }
        Op::Abandon(m) => mutex(Kind::MutexAbandon, m),
        Op::Consistent(m, _) => mutex(Kind::MutexConsistent, m),
        Op::Trylock(m, _) => mutex(Kind::MutexTrylock, m),
        Op::Unlock(m) => mutex(Kind::MutexUnlock, m),
        Op::MutexInit(m) => mutex(Kind::MutexInit, m),
        Op::MutexInitAs(m, kind) => Operation {
            argument: Argument::mutex(kind),
            ..mutex(Kind::MutexInit, m)
        },
        Op::MutexRemade(m) => Operation {
            detail: Detail::Remade,
            ..mutex(Kind::MutexInit, m)
        },
        Op::MutexDestroy(m) => mutex(Kind::MutexDestroy, m),
        Op::CondDestroy(c) => object(Kind::CondDestroy, 3000, c),
        Op::Wait(c, m) => Operation {
            other: ObjectId(2000 + m as u64),
            argument: Argument::mutex(mutex_kind_of(m)),
            ..object(
                if second {
                    Kind::CondReacquire
                } else {
                    Kind::CondEnqueue
                },
                3000,
                c,
            )
        },
        Op::Enqueue(c, m) => operation(Op::Wait(c, m), false, site),
        Op::Reacquire(c, m) => operation(Op::Wait(c, m), true, site),
        Op::StayReacquire(c, m) => Operation {
            timed: true,
            detail: Detail::Stays,
            ..operation(Op::Reacquire(c, m), true, site)
        },
        Op::StayRwWrite(o) => Operation {
            detail: Detail::Stays,
            ..timed(Op::RwWriteAnnounced(o))
        },
        Op::WaitOrLeave(c, m, n, _) => Operation {
            detail: match n {
                _ if second => Detail::None,
                LEAVE => Detail::Leaves,
                n => Detail::ways_to_end(n),
            },
            ..operation(Op::Wait(c, m), second, site)
        },
        Op::TimedWait(c, m, _) => Operation {
            timed: second,
            ..operation(Op::Wait(c, m), second, site)
        },
        Op::TimedLock(m, _) => timed(Op::Lock(m)),
        Op::TimedSemWait(s, _) => timed(Op::SemWait(s)),
        Op::TimedRwRead(o, _) => timed(Op::RwRead(o)),
        Op::TimedRwWrite(o, _) => timed(Op::RwWrite(o)),
        Op::TimedJoin(t, _) => timed(Op::Join(t)),
        Op::TimedTake(c, n, r) => timed(Op::Take(c, n, r)),
        Op::TimedReady(c, _) => timed(Op::Ready(c)),
        Op::Signal(c) => object(Kind::CondSignal, 3000, c),
        Op::SignalTo(c, t) => Operation {
            argument: Argument::only(ThreadId(t as u16)),
            ..object(Kind::CondSignal, 3000, c)
        },
        Op::Broadcast(c) => object(Kind::CondBroadcast, 3000, c),
        Op::Create(t) => with(Kind::Create, Argument::thread(ThreadId(t as u16))),
        Op::Join(t) => with(Kind::Join, Argument::thread(ThreadId(t as u16))),
        Op::JoinAll => with(Kind::JoinAll, Argument::NONE),
        Op::ProcessEnd => with(Kind::ProcessEnd, Argument::NONE),
        Op::Choose(n, _) => with(Kind::Choose, Argument::choices(n.into())),
        Op::Early(most, _) => Operation {
            argument: Argument::at_most(most % ALONE_TOO),
            detail: if most < ALONE_TOO {
                Detail::Alone
            } else {
                Detail::None
            },
            // That of a wait on a condition variable, which it releases.
            other: if most < ALONE_TOO {
                NO_OBJECT
            } else {
                ObjectId(2001)
            },
            ..object(Kind::Early, 12_000, 0)
        },
        Op::SharedRead(o) => object(Kind::SharedRead, 5000, o),
        Op::SharedWrite(o) => object(Kind::SharedWrite, 5000, o),
        Op::Opaque => with(Kind::Opaque, Argument::NONE),
        Op::Pause => with(Kind::Pause, Argument::NONE),
        Op::Exit => with(Kind::Exit, Argument::NONE),
        Op::RwRead(o) => object(Kind::RwlockRead, 4000, o),
        Op::RwWrite(o) => object(Kind::RwlockWrite, 4000, o),
        Op::RwTryread(o, _) => object(Kind::RwlockTryread, 4000, o),
        Op::RwTrywrite(o, _) => object(Kind::RwlockTrywrite, 4000, o),
        Op::RwUnlock(o) => object(Kind::RwlockUnlock, 4000, o),
        Op::RwAnnounce(o) => object(Kind::RwlockAnnounce, 4000, o),
        Op::RwRetract(o) => object(Kind::RwlockRetract, 4000, o),
        Op::RwWriteAnnounced(o) => Operation {
            argument: Argument::ANNOUNCED,
            ..object(Kind::RwlockWrite, 4000, o)
        },
        Op::TimedRwWriteAnnounced(o, _) => timed(Op::RwWriteAnnounced(o)),
        Op::RwInit(o) => object(Kind::RwlockInit, 4000, o),
        Op::RwDestroy(o) => object(Kind::RwlockDestroy, 4000, o),
        Op::SemInit(s, n) => Operation {
            argument: Argument::count(n),
            ..object(Kind::SemInit, 6000, s)
        },
        Op::SemDestroy(s) => object(Kind::SemDestroy, 6000, s),
        Op::SemWait(s) => object(Kind::SemWait, 6000, s),
        Op::SemTrywait(s, _) => object(Kind::SemTrywait, 6000, s),
        Op::SemPost(s) => object(Kind::SemPost, 6000, s),
        Op::SemGetvalue(s, _) => object(Kind::SemGetvalue, 6000, s),
        Op::BarrierInit(b, n) => Operation {
            argument: Argument::count(n),
            ..object(Kind::BarrierInit, 7000, b)
        },
        Op::BarrierDestroy(b) => object(Kind::BarrierDestroy, 7000, b),
        Op::Barrier(b, _) if second => Operation {
            argument: Argument::tells(tells_serial(b)),
            ..object(Kind::BarrierLeave, 7000, b)
        },
        Op::StayBarrier(b) if second => timed(Op::LeaveBarrier(b)),
        Op::Barrier(b, _) => Operation {
            argument: Argument::tells(tells_serial(b)),
            ..object(Kind::BarrierArrive, 7000, b)
        },
        Op::StayBarrier(b) => object(Kind::BarrierArrive, 7000, b),
        Op::LeaveBarrier(b) => object(Kind::BarrierLeave, 7000, b),
        Op::FutexWait(x, value, bits, _) => {
            let argument = Argument::waiting(bits, bits & TIMED_BITS != 0);
            match second {
                true => Operation {
                    argument,
                    timed: bits & TIMED_BITS != 0,
                    ..object(Kind::FutexWoken, 9000, x)
                },
                false => Operation {
                    bytes: 4,
                    other: ObjectId(9000 + x as u64),
                    detail: Detail::expects(value.into()),
                    argument,
                    ..memory(Kind::FutexWait, x)
                },
            }
        }
        Op::FutexWake(x, count, bits, _) => Operation {
            argument: Argument::waking(count, bits),
            ..object(Kind::FutexWake, 9000, x)
        },
        Op::FutexRetract(x) => object(Kind::FutexRetract, 9000, x),
        Op::FutexRequeue(x, (wake, moved), to, value, _) => Operation {
            bytes: if value.is_some() { 4 } else { 0 },
            other: ObjectId(9000 + to as u64),
            detail: value.map_or(Detail::None, |value| Detail::Comparison {
                cell: cell(x),
                value,
            }),
            argument: Argument::requeueing(wake, moved),
            ..object(Kind::FutexRequeue, 9000, x)
        },
        Op::FutexChange(x, (first, second), to, encoded, _) => Operation {
            bytes: 4,
            other: ObjectId(9000 + to as u64),
            detail: Detail::Comparison {
                cell: cell(to),
                value: encoded,
            },
            argument: Argument::requeueing(first, second),
            ..object(Kind::FutexWakeOp, 9000, x)
        },
        Op::Put(c, n) => channel(c, 0xffff | n << 16),
        Op::Take(c, ..) => channel(c, 1 | 0xffff << 16),
        Op::Ready(c) => channel(c, 1 | 1 << 16),
        Op::Hangup(c, _) | Op::Look(c, _) => channel(c, 0),
        Op::SkipUnless(..)
        | Op::Head
        | Op::Again(_)
        | Op::Assume(..)
        | Op::Plain(..)
        | Op::PlainLoad(..)
        | Op::Unseen(_) => unreachable!("{op:?} is no event"),
    }
}

/// A program for the explorer, with checkpoints.
pub struct Interpreter {
    pub threads: Threads,
    pub machine: Machine,
    checkpoints: Vec<Option<Machine>>,
    plain: Plain,
    /// Whether joins of what ended are passed at once; otherwise they are steps of their own.
    passes_joins: bool,
    passed: Vec<Operation>,
    executed: Executed,
    /// When the turn began that the last step ended.
    began: u32,
    /// A mistake: says that threads are alike whatever they do.
    pub all_alike: bool,
    /// What its threads do in loops is progress.
    pub progresses: bool,
    /// The operand of the last update.
    operand: u64,
    /// Stop taking checkpoints when so many are alive.
    pub checkpoints_max: usize,
    /// Number of checkpoints besides the root's beyond which there are too many.
    pub checkpoints_wanted: usize,
}

impl Interpreter {
    pub fn new(threads: &Threads) -> Self {
        let machine = Machine::new(threads);
        Interpreter {
            threads: threads.clone(),
            checkpoints: vec![Some(machine.clone())],
            machine,
            plain: Plain::default(),
            // Both in one half of random programs each.
            passes_joins: threads.iter().map(Vec::len).sum::<usize>() % 2 == 0,
            passed: Vec::new(),
            executed: Executed::nothing(),
            began: 0,
            progresses: false,
            all_alike: false,
            operand: 0,
            checkpoints_max: 100,
            checkpoints_wanted: 100,
        }
    }

    fn next_of(&self, t: usize) -> Next {
        let m = &self.machine;
        match m.op(&self.threads, t) {
            _ if m.ended => Next::Ended,
            _ if m.dead[t] => Next::Dead,
            None => Next::Finished,
            Some(op) => {
                // Threads that do the same have the same code.
                let code = self
                    .threads
                    .iter()
                    .position(|body| *body == self.threads[t]);
                let site = (code.expect("its own") * 100 + m.pc[t]) as u64;
                let op = match op {
                    Op::Await(x, part, test, (from, c), r) => {
                        let value = m.registers[t][from].wrapping_add(c);
                        Op::Await(x, part, test, (from, value), r)
                    }
                    op => op,
                };
                let mut operation = operation(op, m.waiting[t], SiteId(site));
                // What is left is the mutex.
                operation.timed &= m.left[t] == 0;
                operation.again = operation.timed && m.most.is_some();
                let before = m.pc[t].checked_sub(1).map(|pc| self.threads[t][pc]);
                match (op, before) {
                    (Op::Create(o), Some(Op::Create(p))) if self.are_alike(o, p) => {
                        operation.detail = Detail::elder(Some(ThreadId(p as u16)));
                    }
                    (Op::Join(_) | Op::JoinAll, Some(Op::Plain(..))) => {
                        operation.detail = Detail::Joining {
                            wrote: true,
                            looks: false,
                        };
                    }
                    (
                        Op::Lock(x)
                        | Op::LockTold(x, _)
                        | Op::Abandon(x)
                        | Op::Consistent(x, _)
                        | Op::Trylock(x, _)
                        | Op::Unlock(x)
                        | Op::Wait(_, x)
                        | Op::Enqueue(_, x)
                        | Op::Reacquire(_, x)
                        | Op::StayReacquire(_, x)
                        | Op::WaitOrLeave(_, x, ..)
                        | Op::TimedWait(_, x, _)
                        | Op::TimedLock(x, _),
                        _,
                    ) => {
                        let told = m.kinds.iter().find(|(other, _)| *other == x);
                        operation.argument =
                            told.map_or(operation.argument, |told| Argument::mutex(told.1));
                    }
                    _ => {}
                }
                // These change memory, so that they cannot look in vain.
                let changes = matches!(op, Op::AwaitAdd(..) | Op::AwaitCas(..));
                let memory = matches!(
                    operation.kind,
                    Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange
                );
                let locks = matches!(op, Op::Lock(_) | Op::Trylock(..) | Op::Unlock(_));
                if (memory && !changes || locks) && m.turned[t].is_some() {
                    operation.iteration = Iteration::MayRepeat;
                }
                Next::Operation(operation)
            }
        }
    }

    /// Passes the joins before which thread `t` stands, as far as what they wait for ended.
    fn pass_joins(&mut self, t: usize) {
        while self.plain.written.is_empty() && self.plain.read.is_empty() {
            let finished = |o: usize| self.machine.is_finished(&self.threads, o);
            let ended = match self.threads[t].get(self.machine.pc[t]) {
                Some(&Op::Join(o)) => finished(o),
                Some(&Op::JoinAll) => (0..self.threads.len()).all(|o| o == t || finished(o)),
                _ => false,
            };
            let Next::Operation(join) = self.next_of(t) else {
                return;
            };
            if !ended {
                return;
            }
            self.passed.push(join);
            self.machine
                .perform(&self.threads, t, 0, 0, &mut self.plain);
        }
    }

    /// What the program says of two threads created one after the other.
    fn are_alike(&self, a: usize, b: usize) -> bool {
        self.all_alike || self.threads[a] == self.threads[b]
    }

    /// What the last step did.
    pub fn step_executed(&self) -> &Executed {
        &self.executed
    }

    pub fn checkpoints_alive(&self) -> usize {
        self.checkpoints.iter().flatten().count()
    }
}

impl Interpreter {
    /// Notes the operand of the update that the thread is about to make.
    fn note_operand(&mut self, t: usize) {
        match self.threads[t].get(self.machine.pc[t]) {
            Some(&Op::Update(.., operand)) => self.operand = operand,
            Some(&Op::Count(_, counter, ..)) => self.operand = i64::from(counter.operand) as u64,
            Some(&Op::UpdateSum(_, _, r, c)) => {
                self.operand = self.machine.registers[t][r].wrapping_add(c);
            }
            _ => {}
        }
    }
}

impl Program for Interpreter {
    fn fingerprint(&mut self) -> Option<u128> {
        Some(self.machine.fingerprint())
    }

    fn place(&mut self, thread: ThreadId) -> u64 {
        self.machine
            .pc
            .get(usize::from(thread.0))
            .map_or(0, |&pc| pc as u64)
    }

    fn restore(&mut self, checkpoint: Checkpoint) {
        let saved = self.checkpoints[checkpoint.0 as usize].as_ref();
        self.machine
            .clone_from(saved.expect("the checkpoint was discarded"));
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        if self.checkpoints_alive() >= self.checkpoints_max {
            return None;
        }
        self.checkpoints.push(Some(self.machine.clone()));
        Some(Checkpoint(self.checkpoints.len() as u32 - 1))
    }

    fn discard(&mut self, checkpoint: Checkpoint) {
        assert_ne!(checkpoint, ROOT, "the root is never discarded");
        let discarded = self.checkpoints[checkpoint.0 as usize].take();
        assert!(discarded.is_some(), "discarded twice");
    }

    fn checkpoints_exceed(&self) -> bool {
        self.checkpoints_alive() > self.checkpoints_wanted + 1
    }

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        let there = (0..self.threads.len()).filter(|&t| self.machine.begun[t]);
        there
            .map(|t| (ThreadId(t as u16), self.next_of(t)))
            .collect()
    }

    fn initialized_at_root(&mut self) -> Vec<Operation> {
        let ops = self.threads.iter().flatten();
        let init = |op: &Op| match *op {
            Op::SemWait(s)
            | Op::TimedSemWait(s, _)
            | Op::SemTrywait(s, _)
            | Op::SemPost(s)
            | Op::SemGetvalue(s, _)
            | Op::SemDestroy(s) => Some(Op::SemInit(s, count_of(s))),
            Op::Barrier(b, _) | Op::StayBarrier(b) | Op::BarrierDestroy(b) if width_of(b) > 0 => {
                Some(Op::BarrierInit(b, width_of(b)))
            }
            _ => None,
        };
        let channels = (0..CHANNELS).map(|c| Operation {
            object: ObjectId(9500 + c as u64),
            argument: Argument::levels(Channel::default().levels(c)),
            ..Operation::new(Kind::ChannelInit, SiteId::UNKNOWN)
        });
        ops.filter_map(init)
            .map(|op| operation(op, false, SiteId::UNKNOWN))
            .chain(channels)
            .collect()
    }

    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed {
        let t = usize::from(thread.0);
        // What is not memory touches no cell; three are always shown.
        let first = match self.threads[t].get(self.machine.pc[t]) {
            Some(
                &(Op::Load(x, _)
                | Op::Await(x, ..)
                | Op::AwaitAdd(x, ..)
                | Op::AwaitCas(x, ..)
                | Op::Store(x, _)
                | Op::StoreSum(x, ..)
                | Op::FetchAdd(x, ..)
                | Op::Update(x, ..)
                | Op::UpdateSum(x, ..)
                | Op::Count(x, ..)
                | Op::IsLast(x, ..)
                | Op::Cas(x, ..)
                | Op::StoreWide(x, _)
                | Op::CasWide(x, ..)
                | Op::FutexWait(x, ..)
                | Op::FutexRequeue(x, ..)
                | Op::FutexChange(_, _, x, ..)),
            ) if self.machine.begun[t] => x,
            _ => CELLS,
        };
        let channel = match self.threads[t].get(self.machine.pc[t]) {
            Some(
                &(Op::Put(c, _)
                | Op::Take(c, ..)
                | Op::TimedTake(c, ..)
                | Op::Ready(c)
                | Op::TimedReady(c, _)
                | Op::Hangup(c, _)
                | Op::Look(c, _)),
            ) if self.machine.begun[t] => Some(c),
            _ => None,
        };
        let cells = |m: &Machine| [0, 1, 2].map(|i| m.memory.get(first + i).copied().unwrap_or(0));
        let before = cells(&self.machine);
        self.plain.written.clear();
        self.plain.read.clear();
        self.plain.unseen = false;
        self.plain.sum = 0;
        let plain_from = self.machine.memory;
        self.note_operand(t);
        let (alternative, result) = (decision.alternative, decision.result);
        // What a thread does before its first operation is no event.
        let pending = match self.machine.begun[t].then(|| self.next_of(t)) {
            Some(Next::Operation(operation)) => Some(operation),
            _ => None,
        };
        let is_event = pending.is_some_and(|o| !o.is_passive() || alternative == TIMEOUT)
            && alternative != AGAIN;
        self.machine.depth += u32::from(is_event);
        self.machine
            .perform(&self.threads, t, alternative, result, &mut self.plain);
        self.passed.clear();
        if self.passes_joins {
            self.pass_joins(t);
        }
        // Plain writes come after the access.
        let mut after = cells(&self.machine);
        for &(cell, _) in &self.plain.written {
            let x = ((cell.0 - MEMORY) / 8) as usize;
            if (first..first + 3).contains(&x) {
                after[x - first] = plain_from[x];
            }
        }
        if let Some(c) = channel {
            after[0] = self.machine.channels[c].levels(c);
        }
        self.began = self.machine.turned[t].map_or(0, |turn| turn.depth);
        self.executed = Executed {
            before,
            after,
            next: self.next_of(t),
        };
        &self.executed
    }

    fn passed(&self) -> &[Operation] {
        &self.passed
    }

    fn trailing_writes(&self) -> &[(ObjectId, u64)] {
        &self.plain.written
    }

    fn trailing_reads(&self) -> &[ObjectId] {
        &self.plain.read
    }

    fn operand(&mut self) -> u64 {
        self.operand
    }

    fn turn_began(&mut self) -> u32 {
        self.began
    }

    fn makes_progress(&mut self, _thread: ThreadId, _since: usize) -> bool {
        self.progresses
    }

    fn peek(&mut self, cell: ObjectId) -> Option<u64> {
        Some(self.machine.memory[((cell.0 - MEMORY) / 8) as usize])
    }
}
