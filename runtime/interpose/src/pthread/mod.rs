//! Threads and synchronization objects, as POSIX sees them.
//!
//! One file per object. A function here reads its arguments, publishes an operation
//! ([`fn@crate::engine::perform`]), tells the race detector what the granted operation orders
//! ([`happens_before`]) and returns the result the object model decided. What is enabled, who owns
//! what and which errno a call returns is the explorer's business, not ours.
//!
//! Three situations, in this order in every function:
//!
//! 1. *Exploring* ([`crate::engine::active`]): publish.
//! 2. *Before the root* ([`crate::engine::before_root`]): one thread, so libc's function does the work; what
//!    the model must know of it later (locks held, cleanup handlers, keys) is recorded, and
//!    [`at_root`] turns it into events. A misuse makes the root ([`misuse_before_root`]).
//! 3. *Otherwise* (the runtime's own contexts, `off=1`): libc's function and nothing else.
//!
//! Memory of mutexes and condition variables stays as their initializer left it while the program
//! is explored. Which functions exist, and what becomes of those without a model, is the table
//! [`dpor_abi::thread_api`].
//!
//! Source: POSIX.1-2017, XSH; layouts marked so are glibc's for x86-64.

pub mod attributes;
pub mod barrier;
pub mod c11;
pub mod cancel;
mod cancel_flags;
mod cancellation_points;
mod cleanup;
pub mod condvar;
mod condvar_flags;
pub mod destroyed;
mod existing;
pub mod failure;
pub mod file_lock;
pub mod first_locks;
pub mod happens_before;
pub mod join;
pub mod key;
mod late_cancellation;
pub mod leave;
pub mod live_objects;
pub mod locks_at_root;
pub mod memory;
mod misuse_before_root;
pub mod mutex;
pub mod named_semaphore;
pub mod objects_at_root;
mod old_names;
pub mod once;
pub mod possible_end;
mod robust;
pub mod rwlock;
pub mod scheduling;
pub mod semaphore;
mod semaphore_names;
pub mod signal;
pub mod spin;
mod state;
pub mod thread;
pub mod time_out;
pub mod timed;
mod trylock_loops;
pub mod uninitialized_mutexes;
mod unsupported;
pub mod unwind;
pub mod unwinder;
pub(crate) mod unwinder_locks;
mod valid;
pub mod yielding;

pub use state::at_root;
pub(crate) use state::{entry, me, unmatched};

/// Old names of functions, of which each does what its newer one does.
macro_rules! same {
    ($($old:ident = $new:ident($($name:ident: $type:ty),*);)*) => {$(
        crate::hooks::clean_entry::clean_entries! {
            $old
        }

        unsafe extern "C" fn $old($($name: $type),*) -> c_int {
            // SAFETY: `$new` takes the same arguments, which are the program's; it asks no more of
            // them than `$old`.
            unsafe { $new($($name),*) }
        }
    )*};
}
use same;
