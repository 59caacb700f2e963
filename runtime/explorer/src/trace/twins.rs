//! Which events of each thread are those of the thread it may be exchanged with ([`crate::symmetry`] compares them).

use crate::config::Config;
use crate::mutation::Mutation;
use dpor_model::THREADS_MAX;

/// The events of each thread that are twins of its elder's.
pub(crate) struct Symmetry {
    pub on: bool,
    pub any_event: bool,
    pub own: Vec<Vec<Own>>,
}

/// An event of a thread, as symmetry knows it.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    /// Position in the trace.
    pub position: u32,
    /// True if this event and all events of the thread before it are twins of the elder's.
    pub alike: bool,
}

impl Symmetry {
    pub fn new(config: &Config) -> Self {
        let threads = if config.reductions.symmetry {
            THREADS_MAX
        } else {
            0
        };
        Symmetry {
            on: config.reductions.symmetry,
            any_event: config.mutation.is(Mutation::OrderedTwins),
            own: vec![Vec::new(); threads],
        }
    }

    /// True if the reduction is asked for.
    pub fn is_active(&self) -> bool {
        self.on
    }
}
