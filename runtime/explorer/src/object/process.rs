//! The process as a whole: what conflicts with every event of every other thread.

use super::{Act, Automaton, Effect, Facts, View};
use dpor_model::Kind;

/// The process: its threads, and its end.
pub(crate) struct Process;

impl Automaton for Process {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::Opaque, Facts::new("opaque")),
        (Kind::Exit, Facts::new("exit")),
    ];

    fn effect(_: Act, _: &impl View) -> Effect {
        Effect::everything()
    }
}
