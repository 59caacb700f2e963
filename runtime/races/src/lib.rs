//! Data races on plain accesses, judged by C11 happens-before.
//!
//! The runtime tells a [`Races`] what the threads do, in the order of the execution; each access is
//! answered with a race, if it makes one. The whole state can go back to a mark, as the program does.
//!
//! ```
//! use dpor_model::{SiteId, ThreadId};
//! use dpor_races::{Judgement, Races};
//! let (main, other) = (ThreadId::MAIN, ThreadId(1));
//! let mut races = Races::new(Judgement::C11);
//! races.create(main, other);
//! assert!(races.write(main, 0x1000, 4, SiteId(10)).is_none());
//! let race = races.read(other, 0x1002, 1, SiteId(20)).expect("nothing orders the two");
//! assert_eq!((race.address, race.bytes), (0x1002, 1));
//! assert_eq!((race.earlier.site, race.later.site), (SiteId(10), SiteId(20)));
//! ```
//!
//! # What is guaranteed
//!
//! *Nothing false:* every reported pair is two accesses that were made, to the reported bytes,
//! conflicting, and unordered by the happens-before of this execution.
//!
//! *Nothing missed:* for every byte, the first access of this execution that races with any earlier one
//! on this byte is answered with a race; so an execution with a race reports one, and does so at the
//! first moment at which there is one. An access that races with several earlier ones is answered with
//! one of them, chosen by what they are: two orders of independent calls give the same answers. Beyond that, every racing access is answered except a mere repetition: the thread has
//! released nothing since an access of its own that covers these bytes and conflicts with as much.
//!
//! # Happens-before
//!
//! *Source:* C11 5.1.2.4 and 7.17.3, with the release sequences of C++20 (\[intro.races\], P0982).
//! An execution is one sequentially consistent interleaving: an atomic load reads the last write.
//!
//! - Relaxed accesses order nothing. An acquire load that reads the value of a release store, or of a
//!   read-modify-write in the release sequence behind it, is ordered after it; so is one that reads
//!   what was stored after a release fence; an acquire fence does the same for relaxed loads before
//!   it. A seq_cst access is acquire, release, or both; a seq_cst fence is both.
//! - **Release sequences.** In C11, a relaxed store by the thread that made the release store continues
//!   its release sequence; since C++20 only read-modify-writes do. We take C++20's: less is ordered, so
//!   no race of either standard is missed. The price: a program that relies on the older rule is
//!   reported though C11 excuses it. Compilers follow C++20, for which it has a race.
//! - A store, atomic or plain, otherwise ends what was published before it, also by other threads.
//! - A plain access and an atomic one that are unordered race if one of them writes. Two atomic
//!   accesses never do.
//! - Atomic accesses of mixed width, which neither standard has, are judged byte by byte.
//! - Freeing a block writes all its bytes; allocating makes its bytes new.
//! - An access to a freed block that is not ordered with the free races with it, whichever comes first.
//!   One that is ordered behind it is answered as a use of freed memory ([`Race::after_free`]). Which of
//!   the two it is does not depend on the order in which unordered accesses come.
//! - The end of a function frees its frame for all threads but its own ([`Races::end_frame`]). Uses are answered like
//!   those of freed blocks ([`Race::returned`], [`Race::returns`]).
//! - An access to bytes next to a block ([`Races::guard`]) is answered, whoever makes it ([`Race::outside`]).
//! - A read whose value may not be used ([`Races::read_ahead`]) is none until it is used; then it is one of the
//!   moment it was made.
//! - A thread that waits for a value may look at any moment ([`Races::arrive`]).
//! - [`Judgement::Sc`] takes every atomic access and fence as seq_cst.
//!
//! # What the caller sees to
//!
//! - An access is told in the order of the execution, a failed compare-exchange as a load with its
//!   failure order, a volatile access that counts as atomic as a seq_cst one.
//! - Memory that a new owner uses afresh is told by [`Races::allocate`]: heap blocks, but also the stack
//!   and thread-local block of a new thread, new mappings, and what an unseen library initialized.
//! - An object that is initialized (again) is told by [`Races::reset`], or the order made by its
//!   predecessor of the same name stays and can hide races.
//! - Marks are taken and gone back to together with the program's.
//!
//! # Limits
//!
//! As many thread numbers as [`Races::with_threads`] is told, up to [`THREADS_MAX`], and twice as many, up to 2^11, of
//! (thread number × unordered reuse), see [`Races::can_create`]; 2^21 - 1
//! release operations per thread and 2^33 bytes of touched memory, beyond which it stops with a
//! message rather than guess; 2^20 distinct (site, lockset) pairs, beyond which earlier sites are
//! reported as 0.

#![forbid(unsafe_code)]

mod ahead;
mod blocks;
mod check;
mod clock;
mod context;
mod disturbed;
mod entry;
mod frees;
mod hash;
mod initial_heap;
mod judging;
mod knowledge;
mod lockset;
mod log;
mod looks;
mod messages;
mod objects;
mod plain;
mod race;
mod shadow;
mod stacks;
mod synchronize;
mod threads;
mod time_travel;
mod undo;
mod update;
mod uses;
mod watched;
mod whole;

pub use blocks::Block;
pub use initial_heap::InitialBlock;
pub use judging::Judging;
pub use looks::{Arrival, Doubt, Look};
pub use race::{Access, Race};
pub use shadow::PAGE_BYTES;
pub use stacks::Position;
pub use time_travel::Mark;

/// Threads that there can be.
pub const THREADS_MAX: usize = 2048;

/// Which atomic operations synchronize.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The operations that C11 lets synchronize, by their memory order.
    C11,
    /// Every operation, as if each were seq_cst.
    Sc,
}

/// The race detector's state at one moment of an execution.
///
/// Threads are numbers; thread 0 exists from the start. Times are those of the calls: the
/// calls come in the order of the execution.
pub struct Races {
    judgement: Judgement,
    clocks: clock::Clocks,
    threads: threads::Threads,
    objects: objects::Objects,
    messages: messages::Messages,
    shadow: shadow::Shadow,
    stacks: stacks::Stacks,
    blocks: blocks::Blocks,
    locksets: lockset::Locksets,
    contexts: context::Contexts,
    ahead: ahead::Ahead,
    looks: looks::Looks,
    plain: knowledge::Plain,
    watched: watched::Watched,
    disturbed: disturbed::Disturbed,
    /// The number of the event that is executed.
    event: u32,
    marks: Vec<time_travel::Point>,
    marks_made: u64,
    forgetful: bool,
    sequential_runs: bool,
}

impl Races {
    /// Thread 0 has begun, nothing has been accessed. There are 64 threads at most.
    pub fn new(judgement: Judgement) -> Self {
        Races::with_threads(judgement, 64)
    }

    /// A detector as [`Races::new`] makes it, for up to `threads` threads; each clock has memory for twice as many.
    ///
    /// # Panics
    /// If there are more than [`THREADS_MAX`].
    pub fn with_threads(judgement: Judgement, threads: usize) -> Self {
        assert!(
            threads <= THREADS_MAX,
            "[dpor internal bug] {threads} threads"
        );
        let mut clocks = clock::Clocks::new((2 * threads).min(clock::SLOTS_MAX));
        Races {
            judgement,
            threads: threads::Threads::new(&mut clocks, threads),
            looks: looks::Looks::new(&mut clocks, threads),
            plain: knowledge::Plain::default(),
            watched: watched::Watched::default(),
            disturbed: disturbed::Disturbed::default(),
            event: 0,
            clocks,
            objects: objects::Objects::new(),
            messages: messages::Messages::new(),
            shadow: shadow::Shadow::new(),
            stacks: stacks::Stacks::default(),
            blocks: blocks::Blocks::new(),
            locksets: lockset::Locksets::new(),
            contexts: context::Contexts::new(),
            ahead: ahead::Ahead::new(),
            marks: Vec::new(),
            marks_made: 0,
            forgetful: false,
            sequential_runs: false,
        }
    }
}
