//! The program's table of descriptors, kept here instead of in the kernel.
//!
//! A descriptor names an open file; an open file has a kernel descriptor behind it and an offset.
//! Numbers and offsets are rolled back with the program; the kernel's are never used (`pread` instead
//! of `read`), so nothing has to be put right in the kernel. A file that was opened once stays open
//! ([`opened()`]) and serves every later open of the same path, in this execution and in others.
//!
//! | file | what |
//! |---|---|
//! | [`table`] | what each descriptor names, and the open files |
//! | [`file`](mod@file) | the types of its entries |
//! | [`knowledge`] | what each thread knows of it |
//! | [`entries`] | what opens, duplicates and closes descriptors |
//! | [`at_root`](mod@at_root) | the kernel's table, taken over |
//! | [`kernel`], [`opened`](mod@opened) | the kernel's descriptors behind it |

mod at_root;
mod entries;
mod file;
mod kernel;
mod knowledge;
mod opened;
mod table;

pub use at_root::{at_root, become_channel, become_epoll, foreign, input_offset, open_for_writing};
pub use entries::{add, add_channel, add_stored, adopt, close, duplicate, duplicate_to};
pub use file::{File, Kind, Lock, Opening};
pub use kernel::{is_same_file, kind_of_stat, reopen_directories, stat};
pub use knowledge::{begin_close, forget, is_closing, is_still, known, learn};
pub use opened::opened;
pub use table::{
    are_locks, change_file, channel_of_file, file, file_number, file_of_last, is_channel, object,
    object_of, set_offset, set_output_flags, State, DESCRIPTORS,
};
