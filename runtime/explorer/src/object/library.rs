//! Objects of libc, as a stream or a hidden static: who only looks commutes with its like, and nothing else does.

use super::{Act, Automaton, Effect, Facts, View};
use crate::conflict::Class;
use dpor_model::Kind;

/// State of libc's that threads share.
pub(crate) struct Library;

impl Automaton for Library {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::SharedRead, Facts::new("libc-read").only_reads()),
        (Kind::SharedWrite, Facts::new("libc-write")),
    ];

    /// The program tells what is there.
    fn canonical_value(_: u64) -> u64 {
        0
    }

    fn effect(act: Act, _: &impl View) -> Effect {
        let class = match act.interned.operation.kind {
            Kind::SharedRead => Class::READ,
            _ => Class::WRITE,
        };
        Effect::on(act.interned.object(), class, 0)
    }
}
