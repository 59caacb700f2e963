//! What each thread knows of the table: a function of its own past, whatever others did meanwhile.

use super::file::{Opening, NOTHING};
use super::table::{closer, entry, index, me, table, State};
use crate::engine;
use crate::hooks::options::is_by_states;
use dpor_model::ThreadId;

/// Returns what the running thread knows the descriptor to be: a function of its own past.
pub fn known(fd: i32) -> Option<Opening> {
    let fd = index(fd)?;
    let thread = usize::from(engine::thread().0);
    table().look(|table| {
        let opening = match table.known[thread][fd] {
            NOTHING => table.root[fd],
            known => known,
        };
        (opening.file != 0 && opening != table.gone[thread][fd]).then_some(opening)
    })
}

/// Takes over what the descriptor is, after an event on the table. False if it is not open, or only
/// as the opening that the thread has seen closed.
pub fn learn(fd: i32) -> bool {
    let Some(fd) = index(fd) else { return false };
    let thread = usize::from(engine::thread().0);
    table().change(|table| {
        let opening = table.table[fd];
        if opening.file == 0 || opening == table.gone[thread][fd] {
            return false;
        }
        table.known[thread][fd] = opening;
        true
    })
}

/// Returns, after an event on the open file, whether nobody has closed the descriptor.
pub fn is_still(fd: i32, opening: Opening) -> bool {
    index(fd).is_some_and(|fd| entry(fd) == opening && [0, me()].contains(&closer(fd)))
}

/// Forgets what the thread knows of a descriptor, of which somebody closed this opening.
pub fn forget(fd: i32, opening: Opening) {
    if let Some(fd) = index(fd) {
        table().change(|table| table.forget(engine::thread(), fd, opening));
    }
}

impl State {
    /// Notes that a thread has seen this opening of a descriptor closed.
    pub(super) fn forget(&mut self, thread: ThreadId, fd: usize, opening: Opening) {
        let thread = usize::from(thread.0);
        // What no thread can meet again need not be remembered, and would make states differ.
        let is_over = self.table[fd] != opening && self.root[fd] == NOTHING;
        if is_by_states() && is_over {
            (self.known[thread][fd], self.gone[thread][fd]) = (NOTHING, NOTHING);
        } else {
            self.gone[thread][fd] = opening;
        }
    }
}

/// Notes that the running thread is about to close an open descriptor: nobody else can use it any
/// more.
pub fn begin_close(fd: i32) {
    if let Some(fd) = index(fd) {
        table().change(|table| table.closer[fd] = me());
    }
}

/// Returns whether the running thread is in the second half of closing a descriptor.
pub fn is_closing(fd: i32) -> bool {
    index(fd).is_some_and(|fd| closer(fd) == me())
}
