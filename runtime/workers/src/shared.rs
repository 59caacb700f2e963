//! The memory that the processes of one search share: flags, and rings of bytes for their messages.
//!
//! It is mapped before the workers are forked, so that all see it at one address. A ring has one
//! writer and one reader, who tell each other how far they are; nobody ever waits for a lock, so a
//! process that dies leaves nothing behind that another would wait for.
//!
//! Source: Lamport, "Proving the correctness of multiprocess programs" (1977): the queue of one
//! producer and one consumer.

mod guess;
mod numbers;

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use dpor_abi::options::Cluster;
use dpor_engine::clock;
use dpor_engine::world::THREADS_MAX;
use dpor_explorer::worker::WorkerId;
use dpor_machine::sys;
use guess::Guess;
use serde::{Deserialize, Serialize};

/// Workers of one search.
pub const WORKERS_MAX: usize = 64;

/// Bits of a [`WorkerId`] that name a worker of its rank; those above name the rank.
const WORKER_BITS: u32 = WORKERS_MAX.trailing_zeros();

/// Bytes under way from one process to another (chosen: some hundred messages).
pub const RING_BYTES: usize = 1 << 16;

/// The reason for the workers to end, if they are to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u32)]
pub enum Stop {
    /// The workers go on.
    No = 0,
    /// Everything was explored.
    Done = 1,
    /// A worker found enough, reached a limit or cannot go on.
    Enough = 2,
    /// A worker learnt what a search has to know from its beginning.
    Learnt = 3,
    /// No more executions may be begun; those that were begun are run to their end, and count.
    UsedUp = 4,
}

impl From<u32> for Stop {
    fn from(word: u32) -> Stop {
        match word {
            0 => Stop::No,
            1 => Stop::Done,
            2 => Stop::Enough,
            4 => Stop::UsedUp,
            _ => Stop::Learnt,
        }
    }
}

/// The order that workers are to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Order {
    /// Workers explore.
    Run = 0,
    /// Execute nothing, and go on reading messages.
    Rest = 1,
    /// Execute nothing, and write down what is left and what was found.
    Write = 2,
}

/// Stands in place of a worker's number for none.
const NOBODY: u32 = u32::MAX;

/// A word on a line of its own, which no two processes write to.
#[repr(C, align(64))]
pub struct Line(pub AtomicU64);

/// The mailbox of one process: who wrote to it, and whether it sleeps.
#[repr(C, align(64))]
struct Inbox {
    /// A set of workers: bit k says that worker k wrote to its ring.
    written: AtomicU64,
    /// A count of what was written, which a sleeping process waits on as a futex.
    bell: AtomicU32,
    /// 1 while the process sleeps until the bell changes.
    sleeps: AtomicU32,
}

#[repr(C)]
struct Ring {
    /// Bytes written so far, by the writer.
    written: Line,
    /// Bytes taken so far, by the reader.
    taken: Line,
    bytes: UnsafeCell<[u8; RING_BYTES]>,
}

/// The memory that the processes of one search share.
#[repr(C)]
pub struct Shared {
    stop: AtomicU32,
    /// Goes up now and then: workers tell what they learnt.
    pub round: AtomicU32,
    workers: u64,
    /// The rank of these processes, and how many ranks there are: 0 of 1 without a cluster.
    pub rank: u32,
    pub ranks: u32,
    /// Descriptor that wakes the coordinator, in a cluster.
    alarm: i32,
    /// 1 if no thread can have a number any more, in a cluster.
    are_numbered: AtomicU32,
    /// Workers that have memory of their own.
    pub apart: AtomicU32,
    /// Who writes the reported execution's files: its rank + 1, [`NOBODY`], or 0 as long as that is not
    /// known.
    committer: AtomicU32,
    /// An [`Order`], and how often the workers were to rest, times four.
    order: AtomicU32,
    /// 1 while the executions allowed are used up, where the check then waits.
    used_up: AtomicU32,
    /// The last order to rest that a worker follows.
    resting: [Line; WORKERS_MAX],
    /// Messages to other workers, sent and received.
    sent: [Line; WORKERS_MAX],
    received: [Line; WORKERS_MAX],
    /// A set of workers: bit k says that worker k has something to do.
    pub busy: Line,
    /// Executions that may be begun, where their number is limited.
    tickets: Line,
    /// In a cluster, for each worker, the thread for which it wants a number, as in `names`.
    unnamed: [AtomicU32; WORKERS_MAX],
    /// Executions ended, by worker.
    pub executions: [Line; WORKERS_MAX],
    /// For each worker, its estimate of its executions.
    estimates: [Guess; WORKERS_MAX],
    /// Thread numbers given: `creator << 16 | n-th of its children`, + 1; 0 where there is none yet.
    names: [AtomicU32; THREADS_MAX],
    /// The mailboxes of the workers, and of the coordinator, who comes last.
    inboxes: [Inbox; WORKERS_MAX + 1],
}

// SAFETY: the bytes of a ring are written by one process and read by another, in turns that
// `written` and `taken` decide.
unsafe impl Sync for Ring {}

impl Shared {
    /// Maps the memory for so many workers, which may begin so many executions; `None` if there is no memory.
    pub fn map(
        (workers, tickets): (usize, u64),
        names: &[(u16, u16)],
        cluster: Option<Cluster>,
    ) -> Option<&'static Shared> {
        let bytes = Self::bytes(workers);
        let start = sys::map(0, bytes, libc::MAP_SHARED | libc::MAP_NORESERVE)?;
        let shared = start.cast::<Shared>();
        // SAFETY: fresh zeros, which are valid for every field; nobody else knows them yet.
        unsafe {
            (*shared).workers = workers as u64;
            (*shared).rank = cluster.map_or(0, |cluster| cluster.rank);
            (*shared).ranks = cluster.map_or(1, |cluster| cluster.size);
            (*shared).alarm = cluster.map_or(-1, |cluster| cluster.alarm);
            (*shared).tickets.0.store(tickets, Ordering::Relaxed);
            for (slot, name) in (*shared).names.iter().zip(names) {
                slot.store(numbers::encode(*name), Ordering::Relaxed);
            }
            Some(&*shared)
        }
    }

    fn bytes(workers: usize) -> usize {
        size_of::<Shared>().next_multiple_of(64) + (workers + 1).pow(2) * size_of::<Ring>()
    }

    /// Unmaps the memory.
    ///
    /// # Safety
    /// Nobody in this process uses it any more.
    pub unsafe fn unmap(&'static self) {
        let bytes = Self::bytes(self.workers());
        // SAFETY: the memory was mapped with this size by `map`, and by the caller's promise nobody in this process
        // uses it any more.
        unsafe {
            sys::call3(
                libc::SYS_munmap,
                core::ptr::from_ref(self) as usize,
                bytes,
                0,
            )
        };
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        self.workers as usize
    }

    /// The coordinator, as a reader and a writer of rings. It writes in a cluster, whose ranks have fewer
    /// than [`WORKERS_MAX`] workers.
    pub fn coordinator(&self) -> usize {
        self.workers()
    }

    fn ring(&self, reader: usize, writer: usize) -> &Ring {
        let index = reader * (self.workers() + 1) + writer;
        debug_assert!(reader <= self.workers() && writer <= self.workers());
        let start = core::ptr::from_ref(self) as usize + size_of::<Shared>().next_multiple_of(64);
        // SAFETY: the memory was mapped with so many rings behind the flags, and zeros are valid for them.
        unsafe { &*(start as *const Ring).add(index) }
    }

    /// The number by which all ranks call a worker of this one.
    pub fn id(&self, worker: usize) -> WorkerId {
        WorkerId(self.rank << WORKER_BITS | worker as u32)
    }

    /// The rank that a worker belongs to, and which one it is there.
    pub fn place(WorkerId(id): WorkerId) -> (u32, usize) {
        (id >> WORKER_BITS, id as usize % WORKERS_MAX)
    }

    /// Whether the workers are to end, and why.
    pub fn stop(&self) -> Stop {
        Stop::from(self.stop.load(Ordering::Acquire))
    }

    /// Makes all workers end. The first reason counts.
    pub fn end(&self, why: Stop) {
        let (no, why) = (Stop::No as u32, why as u32);
        let _ = { &self.stop }.compare_exchange(no, why, Ordering::AcqRel, Ordering::Acquire);
        (0..=self.workers()).for_each(|who| self.ring_bell(who));
    }

    /// Tells the workers what to do.
    pub fn order(&self, order: Order) {
        let times = self.order.load(Ordering::Relaxed) >> 2;
        let times = times + u32::from(order == Order::Rest);
        self.order_word(times << 2 | order as u32);
    }

    /// Stores the order that another rank's [`Shared::ordered_word`] gave.
    pub fn order_word(&self, word: u32) {
        self.order.store(word, Ordering::SeqCst);
        (0..self.workers()).for_each(|who| self.ring_bell(who));
    }

    /// The present order as a word, for [`Shared::order_word`] of another rank.
    pub fn ordered_word(&self) -> u32 {
        self.order.load(Ordering::Acquire)
    }

    /// What the workers are to do, and how often they were to rest.
    #[inline]
    pub fn ordered(&self) -> (Order, u64) {
        let word = self.order.load(Ordering::Acquire);
        let order = match word & 3 {
            0 => Order::Run,
            1 => Order::Rest,
            _ => Order::Write,
        };
        (order, u64::from(word >> 2))
    }

    /// Worker `rank` rests, for the `times`th time.
    pub fn rest(&self, rank: usize, times: u64) {
        self.resting[rank].0.store(times, Ordering::Release);
        self.ring_bell(self.coordinator());
    }

    /// Worker `rank` has sent and received so many messages. What it sends because of one it received is
    /// counted before that.
    pub fn count(&self, rank: usize, sent: u64, received: u64) {
        self.sent[rank].0.store(sent, Ordering::Release);
        self.received[rank].0.store(received, Ordering::Release);
    }

    /// Whether all workers rest and no message is under way.
    pub fn is_quiet(&self) -> bool {
        self.all_rest() && {
            let received = self.received();
            received == self.sent()
        }
    }

    /// Whether all workers rest, as they were told to last.
    pub fn all_rest(&self) -> bool {
        let (_, times) = self.ordered();
        let mut resting = self.resting[..self.workers()].iter();
        resting.all(|line| line.0.load(Ordering::Acquire) == times)
    }

    /// Messages that the workers have received.
    pub fn received(&self) -> u64 {
        self.sum(&self.received)
    }

    /// Messages that the workers have sent.
    pub fn sent(&self) -> u64 {
        self.sum(&self.sent)
    }

    fn sum(&self, lines: &[Line]) -> u64 {
        let lines = lines[..self.workers()].iter();
        lines.map(|line| line.0.load(Ordering::Acquire)).sum()
    }

    /// Begins one more execution if the limit allows it, and returns whether it does.
    pub fn take_ticket(&self) -> bool {
        let tickets = &self.tickets.0;
        let (order, less) = (Ordering::Relaxed, |left: u64| left.checked_sub(1));
        tickets.fetch_update(order, order, less).is_ok()
    }

    /// Allows so many more executions to be begun.
    pub fn grant(&self, tickets: u64) {
        self.tickets.0.fetch_add(tickets, Ordering::Relaxed);
        self.used_up.store(0, Ordering::Release);
        (0..self.workers()).for_each(|who| self.ring_bell(who));
    }

    /// Takes back the executions that were allowed and not begun, and returns their number.
    pub fn withdraw(&self) -> u64 {
        self.tickets.0.swap(0, Ordering::Relaxed)
    }

    /// The executions allowed are used up.
    pub fn use_up(&self) {
        self.used_up.store(1, Ordering::Release);
        self.ring_bell(self.coordinator());
    }

    /// Whether the executions allowed are used up ([`Shared::use_up`]).
    pub fn is_used_up(&self) -> bool {
        self.used_up.load(Ordering::Acquire) != 0
    }

    /// Waits until it is known who writes the files of the reported execution, if anybody does.
    pub fn await_committer(&self) -> Option<usize> {
        loop {
            match self.committer.load(Ordering::Acquire) {
                0 => clock::pause(),
                NOBODY => return None,
                rank => return Some(rank as usize - 1),
            }
        }
    }

    /// Worker `rank` writes the files, or nobody.
    pub fn let_commit(&self, rank: Option<usize>) {
        let committer = rank.map_or(NOBODY, |rank| rank as u32 + 1);
        self.committer.store(committer, Ordering::Release);
    }

    fn ring_bell(&self, who: usize) {
        let inbox = &self.inboxes[who];
        inbox.bell.fetch_add(1, Ordering::SeqCst);
        if inbox.sleeps.load(Ordering::SeqCst) != 0 {
            let word = inbox.bell.as_ptr() as usize;
            // SAFETY: `word` is the address of a bell in the shared memory, which the kernel only looks up.
            unsafe { sys::call3(libc::SYS_futex, word, libc::FUTEX_WAKE as usize, 1) };
            if who == self.coordinator() && self.alarm >= 0 {
                let one = 1u64.to_ne_bytes();
                sys::write_all(self.alarm, &one);
            }
        }
    }

    /// Tells whether the coordinator waits for its alarm. True, before it waits: it need not.
    pub fn coordinator_sleeps(&self, sleeps: bool) -> bool {
        let inbox = &self.inboxes[self.coordinator()];
        inbox.sleeps.store(u32::from(sleeps), Ordering::SeqCst);
        sleeps && inbox.written.load(Ordering::SeqCst) != 0
    }

    /// Whether something was written for a process since it last looked.
    #[inline]
    pub fn has_mail(&self, reader: usize) -> bool {
        self.inboxes[reader].written.load(Ordering::Relaxed) != 0
    }

    /// Waits until something is written for a process, all are to end, or so many milliseconds are over.
    pub fn sleep(&self, reader: usize, milliseconds: u64) {
        let inbox = &self.inboxes[reader];
        let bell = inbox.bell.load(Ordering::SeqCst);
        inbox.sleeps.store(1, Ordering::SeqCst);
        if inbox.written.load(Ordering::SeqCst) == 0
            && (self.stop() == Stop::No || reader == self.coordinator())
        {
            let limit = libc::timespec {
                tv_sec: (milliseconds / 1000) as i64,
                tv_nsec: (milliseconds % 1000) as i64 * 1_000_000,
            };
            let (word, limit) = (inbox.bell.as_ptr() as usize, &raw const limit as usize);
            let wait = libc::FUTEX_WAIT as usize;
            // SAFETY: `word` is the address of a bell in the shared memory, and the limit a local variable. The futex
            // is not private: the processes differ.
            unsafe { sys::call6(libc::SYS_futex, word, wait, bell as usize, limit, 0, 0) };
        }
        inbox.sleeps.store(0, Ordering::SeqCst);
    }

    /// Writes what there is room for of `bytes`; how many that were.
    pub fn write(&self, reader: usize, writer: usize, bytes: &[u8]) -> usize {
        let ring = self.ring(reader, writer);
        let written = ring.written.0.load(Ordering::Relaxed);
        let taken = ring.taken.0.load(Ordering::Acquire);
        let room = RING_BYTES - (written - taken) as usize;
        let n = bytes.len().min(room);
        if n == 0 {
            return 0;
        }
        let at = written as usize % RING_BYTES;
        let first = n.min(RING_BYTES - at);
        let start = ring.bytes.get().cast::<u8>();
        // SAFETY: the reader leaves these bytes alone until `written` says that they are there.
        unsafe {
            start
                .add(at)
                .copy_from_nonoverlapping(bytes.as_ptr(), first);
            start.copy_from_nonoverlapping(bytes.as_ptr().add(first), n - first);
        }
        ring.written.0.store(written + n as u64, Ordering::Release);
        let inbox = &self.inboxes[reader];
        inbox.written.fetch_or(1 << writer, Ordering::SeqCst);
        self.ring_bell(reader);
        n
    }

    /// Takes what was written for `reader`: calls `each` with a writer and bytes.
    pub fn take(&self, reader: usize, mut each: impl FnMut(usize, &[u8])) {
        let mut writers = self.inboxes[reader].written.swap(0, Ordering::SeqCst);
        while writers != 0 {
            let writer = writers.trailing_zeros() as usize;
            writers &= writers - 1;
            let ring = self.ring(reader, writer);
            let taken = ring.taken.0.load(Ordering::Relaxed);
            let written = ring.written.0.load(Ordering::Acquire);
            let n = (written - taken) as usize;
            let at = taken as usize % RING_BYTES;
            let first = n.min(RING_BYTES - at);
            let start = ring.bytes.get().cast::<u8>();
            // SAFETY: the writer leaves these bytes alone until `taken` says that they are not needed.
            unsafe {
                each(writer, core::slice::from_raw_parts(start.add(at), first));
                each(writer, core::slice::from_raw_parts(start, n - first));
            }
            ring.taken.0.store(written, Ordering::Release);
        }
    }
}
