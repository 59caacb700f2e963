//! What the runtime knows that no rollback takes back, as data: the types of the fields of [`Runtime`](crate::runtime::Runtime).
//!
//! The engine's files of the same names say what is done with them.

pub mod announced;
pub mod auto_checkpoint;
pub mod begun_anew;
pub mod deaths;
pub mod find_one;
pub mod findings;
pub mod first_end;
pub mod forked;
pub mod guide;
pub mod layout;
pub mod mutexes_together;
pub mod orders;
pub mod properties;
pub mod rounds;
pub mod states;
pub mod sums;
pub mod volatiles;
pub mod watch;
pub mod watched;
pub mod weaker;
pub mod worker;
