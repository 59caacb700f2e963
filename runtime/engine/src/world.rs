//! What the runtime knows about the program and must forget when the program goes back in time.
//!
//! One plain structure at a fixed address, saved and restored like the program's own pages
//! ([`dpor_machine::snapshot`]). It holds no pointer into the runtime's own memory that a rollback could make stale,
//! and all-zero bytes are its first value. Everything else the runtime knows (the search, findings,
//! captured images) lives in the arena and is never taken back.
//!
//! The world knows what the engine has in it, and of the concerns above the engine only the bytes that each one takes: a
//! room. Its owner says what lies in it:
//!
//! ```text
//! rolled_back!(static KEYS: RolledBack<Keys> = world::KEYS);        // does not compile unless Keys takes the bytes of the room
//! ```

use core::mem::offset_of;
use dpor_machine::state::RolledBack;
use dpor_model::ThreadId;

pub use dpor_model::THREADS_MAX;

const _: () = assert!(THREADS_MAX == dpor_abi::options::MANY_THREADS);

/// Where it is mapped.
pub const ADDRESS: usize = 0x1000_0000_0000;

static WORLD: RolledBack<World> = RolledBack::at(ADDRESS);

/// The rolled-back part of each concern.
#[repr(C)]
pub struct World {
    /// Fibers: which exist.
    pub engine: crate::State,
    /// Threads.
    pub threads: [Thread; THREADS_MAX],
    /// What the concerns above the engine know.
    rooms: Rooms,
    /// By thread number: 1 + the thread to which it came back when its owner was joined; 0: none.
    pub returned: [u16; THREADS_MAX],
}

/// What nearly every step of a thread writes, all of it together: with few threads on one page, which
/// every restore copies.
#[repr(C)]
pub struct Thread {
    /// What it stands before.
    pub fiber: crate::Fiber,
    /// The thread as POSIX sees it: the room of `pthread::state::Thread`.
    posix: OfThread<POSIX_BYTES>,
}

/// Bytes of what POSIX's functions know of one thread.
pub const POSIX_BYTES: usize = 1168;

/// So many bytes, aligned as what a thread has.
#[repr(C, align(8))]
struct OfThread<const BYTES: usize>([u8; BYTES]);

/// So many bytes, as aligned as anything that lies in the world.
#[repr(C, align(16))]
pub struct Bytes<const BYTES: usize>([u8; BYTES]);

/// The bytes of the world that belong to one concern.
#[derive(Clone, Copy)]
pub struct Room {
    /// Where they begin.
    pub address: usize,
    /// How many they are.
    pub bytes: usize,
}

/// Lays out the rooms, in this order, and makes a constant of each.
macro_rules! rooms {
    ($($(#[$doc:meta])* $name:ident, $field:ident: $bytes:expr;)+) => {
        #[repr(C)]
        struct Rooms {
            $($field: Bytes<{ $bytes }>,)+
        }

        $($(#[$doc])*
        pub const $name: Room = Room {
            address: ADDRESS + offset_of!(World, rooms) + offset_of!(Rooms, $field),
            bytes: $bytes,
        };)+
    };
}

// What changes often comes first among those of `libc`, so that it shares a page.
rooms! {
    /// Names and scheduling attributes of threads (pthread/attributes.rs).
    ATTRIBUTES, attributes: 155804;
    /// Keys that exist, and their destructors (pthread/key.rs).
    KEYS, keys: 8200;
    /// Objects that no longer exist (pthread/destroyed.rs).
    DESTROYED, destroyed: 589832;
    /// Locks that thread 0 took before the root (pthread/locks_at_root.rs).
    LOCKS_AT_ROOT, locks_at_root: 6160;
    /// Objects that calls initialized (pthread/live_objects.rs).
    LIVE_OBJECTS, live_objects: 14352;
    /// Semaphores and barriers of before the root, and destroyed objects (pthread/objects_at_root.rs).
    OBJECTS_AT_ROOT, objects_at_root: 16400;
    /// Semaphores with names (pthread/semaphore_names.rs).
    NAMED_SEMAPHORES, named_semaphores: 3584;
    /// Exception objects of threads that are leaving (pthread/leave.rs).
    EXCEPTIONS, exceptions: 32800;
    /// Signals that are pending (pthread/signal/state.rs).
    PENDING_SIGNALS, pending_signals: 582720;
    /// Mutexes of zeros that were used (pthread/uninitialized_mutexes/).
    UNINITIALIZED_MUTEXES, uninitialized_mutexes: 6152;
    /// Finished `pthread_once` controls that threads know (pthread/once.rs).
    ONCE_COMPLETED, once_completed: 278800;
    /// What each thread's clocks show (libc/time.rs).
    TIME, time: 8200;
    /// How many random numbers each thread drew (libc/random.rs).
    RANDOM, random: 8200;
    /// How much of descriptor 0 was read (libc/input.rs).
    INPUT, input: 8;
    /// The table of descriptors (libc/descriptor/table.rs).
    DESCRIPTORS, descriptors: 2105856;
    /// Memory that threads mapped and unmapped (libc/mapping.rs).
    MAPPINGS, mappings: 8208;
    /// Actions, masks and stacks of signals (libc/signals.rs).
    SIGNAL_ACTIONS, signal_actions: 34880;
    /// Pipes, socket pairs and event counters (libc/channel/table.rs).
    CHANNELS, channels: 4209296;
    /// `epoll` (libc/channel/epoll_sets.rs).
    EPOLL, epoll: 17536;
    /// Files that differ from the disk (libc/overlay/state.rs).
    OVERLAY, overlay: 59024;
    /// Locks of byte ranges of files (libc/overlay/locked_ranges.rs).
    RANGES, ranges: 16392;
    /// What functions of libc's stand before (libc/access/).
    ACCESS, access: 8336;
    /// Where the next `strtok` goes on (libc/access/token.rs).
    TOKEN, token: 8;
    /// Timers that send signals (libc/timers/state.rs).
    TIMERS, timers: 1008;
    /// Blocks that other threads freed than those whose they are (malloc/freed_elsewhere.rs).
    FREED_ELSEWHERE, freed_elsewhere: 8184;
}

/// Declares a static in a room of the world: `rolled_back!(static KEYS: RolledBack<Keys> = world::KEYS);`.
///
/// `KEYS.get()` is the address of the value. It does not compile unless the type takes the bytes of the room: the
/// compiler's message has both numbers.
#[macro_export]
macro_rules! rolled_back {
    ($(#[$doc:meta])* $visibility:vis static $name:ident: RolledBack<$held:ty> = $room:path) => {
        const _: [(); $room.bytes] = [(); size_of::<$held>()];
        const _: () = assert!(align_of::<$held>() <= align_of::<$crate::world::Bytes<0>>());
        $(#[$doc])*
        $visibility static $name: ::dpor_machine::state::RolledBack<$held> = ::dpor_machine::state::RolledBack::at($room.address);
    };
}
pub use crate::rolled_back;

/// The world. Valid once `start` has mapped it, which is before any program code runs.
///
/// Raw on purpose: fibers switch between any two accesses, so a reference must never be held
/// across [`fn@crate::perform`].
#[inline(always)]
pub fn world() -> *mut World {
    WORLD.get()
}

/// Where the world lies, `start..end`.
pub fn range() -> (usize, usize) {
    (ADDRESS, ADDRESS + size_of::<World>())
}

/// The room of what POSIX's functions know of `thread`, which is checked.
#[inline(always)]
pub fn posix_of(thread: ThreadId) -> *mut u8 {
    // SAFETY: only an address in the world is computed, whose index the array checks.
    unsafe { (&raw mut (*world()).threads[usize::from(thread.0)].posix).cast() }
}
