//! A process that explores its part of a search, as what the engine asks of it.

use std::any::Any;

/// A process that explores its part of a search, together with others.
pub trait WorkerProcess: Any {
    /// Whether the process is to end, in the midst of whatever it does.
    fn is_told_to_end(&self) -> bool;

    /// Tells all workers to end: this one learnt what the search has to know from its beginning.
    fn ends_for_what_it_learnt(&self);

    /// Gives a thread, the `nth` child of `creator`, its number in all processes, and returns the (creator, n) of all
    /// numbers given. `None`: there are too many.
    fn number(&self, creator: u16, nth: u16) -> Option<Vec<(u16, u16)>>;
}
