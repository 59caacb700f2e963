//! What threads do that touches no object, and what join waits for.
//!
//! Creation and end of a thread are edges of happens-before that no schedule can turn round, so
//! they are no accesses to objects and never race.

use super::facts::BlockedBy;
use super::{Act, Alternatives, Automaton, Effect, Facts, Present, View};
use crate::end::Waiting;
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId};

/// What a thread does that touches no object.
pub(crate) struct Thread;

impl Automaton for Thread {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::Start, Facts::new("thread-start")),
        (Kind::Create, Facts::new("thread-create")),
        (Kind::Join, wait("thread-join")),
        (Kind::JoinAll, wait("join-all")),
        (Kind::MainReturn, Facts::new("main-return")),
        (Kind::ProcessEnd, wait("process-end")),
        (Kind::Mark, Facts::new("mark")),
        (Kind::Choose, Facts::new("choose").chooses()),
        (Kind::Pause, Facts::new("yield")),
    ];

    #[inline]
    fn effect(_: Act, _: &impl View) -> Effect {
        Effect::none()
    }

    fn alternatives(interned: &Interned, _: ThreadId, _: bool, _: &impl View) -> Alternatives {
        Alternatives::Below((interned.operation.choices() as u32).max(1))
    }

    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        match interned.operation.kind {
            Kind::Join => now.has_finished(interned.operation.thread()),
            _ => now.is_alone(thread),
        }
    }

    fn describe_wait(waiting: &Waiting, _: &str, _: &Trace) -> String {
        match waiting.operation.kind {
            Kind::Join => format!("for the end of thread {}", waiting.operation.thread().0),
            _ => "for the end of the other threads".to_owned(),
        }
    }
}

const fn wait(name: &'static str) -> Facts {
    Facts::new(name).blocked_by(BlockedBy::Threads)
}
