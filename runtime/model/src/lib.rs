//! What the search, the judgement of races and whoever runs a program say to each other of it.
//!
//! A program is a set of threads ([`ThreadId`]). Each live thread stands before one *pending operation*
//! ([`Operation`]), on objects ([`ObjectId`]), which it published; a step executes it as decided
//! ([`Decision`]) and lets the thread run to its next one ([`Executed`]). These are plain values: nobody here knows
//! what is enabled, what conflicts, or how a step is run.
#![forbid(unsafe_code)]

mod argument;
mod checkpoint;
mod condition;
mod counter;
mod detail;
mod kind;
mod object_id;
mod operation;
mod site_id;
mod step;
mod thread_id;
mod thread_set;

pub use argument::{mutex_kind, semaphore, several, store, update, Argument};
pub use checkpoint::{Checkpoint, ROOT};
pub use condition::{Change, Condition, Test};
pub use counter::Counter;
pub use detail::{Detail, Iteration};
pub use kind::{Kind, SERIAL_THREAD};
pub use object_id::{ObjectId, NO_OBJECT};
pub use operation::Operation;
pub use site_id::SiteId;
pub use step::{Decision, Executed, Next, AGAIN, NO_WAITER, TIMEOUT};
pub use thread_id::{ThreadId, THREADS_MAX};
pub use thread_set::{Members, ThreadSet};
