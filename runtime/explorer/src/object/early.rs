//! How many calls with a time limit gave up early, that is, although others might have gone on.
//!
//! State: how many in this execution. Who gives up is counted, a write; who could but does not looks at the count,
//! a read, because whether there was a choice depends on it. So two that give up conflict, and what an execution may
//! still do is the same in all orders of events that do not conflict.

use super::{Act, Alternatives, Automaton, Effect, Facts, View};
use crate::conflict::{Class, Object};
use crate::mutation::Mutation;
use crate::operation::Interned;
use dpor_model::{Kind, Operation, ThreadId};

/// The number of timed calls that gave up early, as an object.
pub(crate) struct Early;

impl Automaton for Early {
    const KINDS: &'static [(Kind, Facts)] = &[(Kind::Early, Facts::new("early-timeout").chooses())];

    fn effect(act: Act, view: &impl View) -> Effect {
        effect(act.interned.object(), act.alternative, view)
    }

    fn alternatives(interned: &Interned, _: ThreadId, _: bool, view: &impl View) -> Alternatives {
        ways(&interned.operation, view.value(interned.object()))
    }
}

/// What can be decided where so many gave up.
fn ways(op: &Operation, count: u64) -> Alternatives {
    match count < op.at_most() {
        true => Alternatives::Below(2),
        false => Alternatives::One(0),
    }
}

fn effect(object: Object, alternative: u32, view: &impl View) -> Effect {
    let count = view.value(object);
    match alternative {
        0 if view.commuting().mutation.is(Mutation::EarlyUnread) => Effect::none(),
        1 if view.commuting().mutation.is(Mutation::EarlyUncounted) => {
            Effect::on(object, Class::WRITE, count)
        }
        0 => Effect::on(object, Class::READ, count),
        _ => Effect::on(object, Class::WRITE, count + 1),
    }
}
