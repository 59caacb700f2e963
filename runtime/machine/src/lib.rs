//! What the runtime makes of one process of the system: the ground that it stands on, and that knows nothing of
//! threads of POSIX, of a search, or of what is explored.
//!
//! ```text
//!   sys ◄── probe ◄── snapshot      fiber      heap ──► thread_limit
//!    ▲                                │         │
//!    └────────── arena ◄──────────────┴─────────┘   (each makes its system calls by sys)
//! ```
//!
//! - [`sys`], [`probe`]: system calls made inline, and reads of memory that may not be there.
//! - [`arena`]: the runtime's own memory, which no rollback touches.
//! - [`fiber`]: stacks and thread-local storage that fibers borrow of real threads, and the switch between them.
//! - [`snapshot`]: the program's memory, saved and taken back.
//! - [`state`]: the homes of what the runtime remembers, as types.
//! - [`call_frames`]: call frame information of loaded objects; [`unwind`]: the calls on a stack, for reports;
//!   [`walks`]: those that need not be found again.
//! - [`stack_text`]: text for whoever must not allocate.
//! - [`heap`], [`thread_limit`]: the blocks that the program's `malloc` gives out, and the address space of each thread.
//!
//! The crate exports no function under a name of libc's, so it can be tested like any other. What it has to ask
//! of those above (libc's `pthread_create`, how to refuse, whose snapshots hear an announcement) they hand down.

pub mod arena;
pub mod call_frames;
pub mod fiber;
pub mod heap;
pub mod probe;
pub mod snapshot;
pub mod stack_text;
pub mod state;
pub mod sys;
pub mod thread_limit;
pub mod unwind;
pub mod walks;
