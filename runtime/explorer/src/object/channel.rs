//! Channels: what passes from thread to thread through the kernel, as through a pipe.
//!
//! The data are the program's business; the search knows only how ready a channel is. State: four
//! *levels* of 16 bits, which the program tells after each event ([`dpor_model::Executed`]).
//! A channel that was never initialized has level 0 throughout.
//!
//! An operation waits until one of the levels is at least its *threshold*, the same four numbers.
//! Threshold 0 never waits, 65,535 is never reached. Every operation may change the levels and so
//! may keep every other one from passing: all have class `WRITE`, and the removal of one event is
//! enough for a race (`crate::race`).
//!
//! Source: POSIX.1-2017, `read`, `write`, `poll`: what makes a descriptor ready.

use super::facts::BlockedBy;
use super::{Act, Automaton, Effect, Facts, View};
use crate::conflict::Class;
use crate::operation::Interned;
use dpor_model::{Kind, ThreadId};

/// Pipes, socket pairs and event counters, and waiting for them.
pub(crate) struct Channel;

impl Automaton for Channel {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::ChannelInit, Facts::new("channel-init")),
        (
            Kind::Channel,
            Facts::new("channel").blocked_by(BlockedBy::Object),
        ),
    ];

    fn effect(act: Act, _: &impl View) -> Effect {
        let operation = &act.interned.operation;
        let after = match operation.kind {
            Kind::ChannelInit => operation.levels(),
            // The levels are known afterwards.
            _ => 0,
        };
        Effect::on(act.interned.object(), Class::WRITE, after)
    }

    fn lets_pass(interned: &Interned, _: ThreadId, value: u64) -> bool {
        lets_pass(interned.operation.levels(), value)
    }
}

/// Whether an operation with these thresholds passes.
fn lets_pass(thresholds: u64, levels: u64) -> bool {
    (0..4).any(|k| (levels >> (16 * k)) & 0xffff >= (thresholds >> (16 * k)) & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A threshold that no level reaches: levels are below.
    const NEVER: u64 = 0xffff;

    #[test]
    fn one_level_is_enough() {
        let only = |k: u64, threshold: u64| {
            (0..4).fold(0, |all, other| {
                let threshold = if other == k { threshold } else { NEVER };
                all | threshold << (16 * other)
            })
        };
        assert!(lets_pass(0, 0), "never waits");
        assert!(
            !lets_pass(u64::MAX, u64::MAX >> 1 & !0x8000_8000_8000),
            "never passes"
        );
        for k in 0..4 {
            assert!(!lets_pass(only(k, 2), 1 << (16 * k)));
            assert!(lets_pass(only(k, 2), 2 << (16 * k)));
            assert!(!lets_pass(only(k, 2), 5 << (16 * ((k + 1) % 4))));
        }
    }
}
