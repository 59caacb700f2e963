//! Barriers.
//!
//! State, from the lowest bit: how many threads have arrived in the present generation (12 bits),
//! how many complete one (12, [`WIDTH_MAX`] for more), whether it is destroyed (1), and the number
//! of the generation, which goes on counting through destruction and initialization, so that a
//! thread that is slow to leave is never taken for one of a later generation.
//!
//! A wait is two events. `BarrierArrive` never blocks. `BarrierLeave` touches no object: it is
//! enabled once the generation in which its thread arrived is complete, stays so, and happens after
//! the arrivals of that generation ([`crate::generation`]).
//!
//! **Arrivals commute as long as no more threads use the barrier than complete it**: then the
//! generation of an arrival is how often its thread arrived before, whatever the others do. With
//! more threads it depends on the order, and arrivals conflict. Nobody tells the search how many
//! threads will use a barrier. It assumes that few do, remembers all users it ever saw
//! ([`crate::commuting`]), and begins anew when it was wrong.
//!
//! **Who is told that it is the serial thread is a choice** among the threads of the generation,
//! made when the lowest of those leaves that look at what they are told; the others that look leave after
//! it. No execution is lost by this order: leaving touches nothing, and nothing can keep it from leaving.
//! Threads that do not look are all the same: one of them stands for them.
//!
//! Source: POSIX.1-2017, `pthread_barrier_init` to `pthread_barrier_wait`.

use super::facts::BlockedBy;
use super::waiters::WaiterSets;
use super::{
    Act, Alternatives, Automaton, Effect, Facts, Present, View, EINVAL, OK, SERIAL_THREAD,
};
use crate::conflict::{Class, Object};
use crate::end::{MisuseKind, Waiting};
use crate::mutation::Mutation;
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, Operation, ThreadId, ThreadSet, THREADS_MAX};

/// Barriers of POSIX: threads arrive, and leave together.
pub(crate) struct Barrier;

impl Automaton for Barrier {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::BarrierInit, Facts::new("barrier-init").makes()),
        (
            Kind::BarrierDestroy,
            Facts::new("barrier-destroy").destroys(),
        ),
        (Kind::BarrierArrive, Facts::new("barrier-wait")),
        (
            Kind::BarrierLeave,
            Facts::new("barrier-leave")
                .blocked_by(BlockedBy::Threads)
                .chooses(),
        ),
    ];

    fn effect(act: Act, view: &impl View) -> Effect {
        let (operation, object) = (&act.interned.operation, act.interned.object());
        effect(operation, object, act.thread, act.alternative, view)
    }

    fn alternatives(
        interned: &Interned,
        thread: ThreadId,
        _: bool,
        view: &impl View,
    ) -> Alternatives {
        serial_choice(&interned.operation, interned.object(), thread, view)
    }

    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        now.may_leave(interned, thread)
    }

    /// The value without the number of the generation.
    fn canonical_value(value: u64) -> u64 {
        value & ((1 << GENERATION_SHIFT) - 1)
    }

    /// Of each thread that is to leave: whether it can, who arrived with it, who of them looks at the result, and who is
    /// the serial one, if that was decided.
    fn canonical_rest(object: Object, trace: &Trace, now: &impl Present, into: &mut Vec<u64>) {
        for (thread, operation) in trace.pending_threads() {
            let interned = trace.table.get(operation);
            if interned.operation.kind != Kind::BarrierLeave || interned.object() != object {
                continue;
            }
            let generation = now.generation(object, thread);
            into.extend([u64::from(thread.0), now.may_leave(interned, thread).into()]);
            for set in [&generation.members, &generation.lookers] {
                into.push(set.len().into());
                into.extend(set.iter().map(|thread| u64::from(thread.0)));
            }
            into.push(generation.serial.map_or(u64::MAX, |thread| thread.0.into()));
        }
    }

    fn with_one_more(_: Kind, _: ThreadId, value: u64, _: &WaiterSets) -> u64 {
        with_arrival(value)
    }

    fn describe_wait(waiting: &Waiting, _: &str, trace: &Trace) -> String {
        match trace.arrived(waiting.operation.object) {
            Some((arrived, width)) => {
                format!("at a barrier at which {arrived} of {width} threads have arrived")
            }
            None => "at a barrier for more threads".to_owned(),
        }
    }
}

/// Blocked threads stay alive, so that a wider barrier than this never lets anyone pass.
const WIDTH_MAX: u64 = (1 << WIDTH_SHIFT) - 1;
const _: () = assert!(THREADS_MAX < WIDTH_MAX as usize);

const WIDTH_SHIFT: u32 = 12;
const DESTROYED: u64 = 1 << (2 * WIDTH_SHIFT);
const GENERATION_SHIFT: u32 = 2 * WIDTH_SHIFT + 1;

/// How many threads have arrived in the present generation.
pub(crate) fn arrived(value: u64) -> u64 {
    value & WIDTH_MAX
}

/// How many threads complete a generation; 0 before initialization.
pub(crate) fn width(value: u64) -> u64 {
    value >> WIDTH_SHIFT & WIDTH_MAX
}

/// Number of the generation whose arrivals are being collected.
pub(crate) fn generation(value: u64) -> u64 {
    value >> GENERATION_SHIFT
}

fn fresh(generation: u64, width: u64) -> u64 {
    generation << GENERATION_SHIFT | width << WIDTH_SHIFT
}

/// A barrier's value after one arrival more.
fn with_arrival(value: u64) -> u64 {
    match arrived(value) + 1 < width(value) {
        true => value + 1,
        false => fresh(generation(value) + 1, width(value)),
    }
}

/// The threads of a generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Generation {
    /// All of them.
    pub members: ThreadSet,
    /// The threads that look whether they are the serial thread.
    pub lookers: ThreadSet,
    /// Who was told that it is the serial thread, once that was decided.
    pub serial: Option<ThreadId>,
}

impl Generation {
    /// The thread that decides who is the serial one, if anybody looks.
    pub fn decider(&self) -> Option<ThreadId> {
        self.lookers.first()
    }

    /// Whom somebody who looks can tell apart.
    fn candidates(&self) -> ThreadSet {
        let others = self.members.minus(&self.lookers);
        let mut candidates = self.lookers.clone();
        others
            .first()
            .into_iter()
            .for_each(|one| candidates.insert(one));
        candidates
    }
}

/// True if somebody may look at the result of a leave; of an arrival, at that of the leave that follows.
pub(crate) fn tells(op: &Operation) -> bool {
    op.tells()
}

/// Whom a leave of `thread` can make the serial thread.
fn serial_choice(
    op: &Operation,
    object: Object,
    thread: ThreadId,
    view: &impl View,
) -> Alternatives {
    let generation = view.generation(object, thread);
    let decides = tells(op) && generation.decider() == Some(thread);
    match decides {
        true if view.commuting().mutation.is(Mutation::SerialIsLowest) => {
            Alternatives::One(thread.0.into())
        }
        true => {
            let waiters = view.waiters();
            waiters.alternatives(waiters.state(generation.candidates()))
        }
        false => Alternatives::One(0),
    }
}

fn effect(
    op: &Operation,
    object: Object,
    thread: ThreadId,
    alternative: u32,
    view: &impl View,
) -> Effect {
    let value = view.value(object);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match op.kind {
        Kind::BarrierLeave => leave(op, object, thread, alternative, view),
        Kind::BarrierInit if op.count() == 0 => Effect {
            result: EINVAL,
            ..Effect::none()
        },
        Kind::BarrierInit | Kind::BarrierDestroy if arrived(value) > 0 => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::BarrierInit => write(fresh(generation(value), op.count().min(WIDTH_MAX))),
        _ if value & DESTROYED != 0 => Effect::misuse(MisuseKind::UseAfterDestroy),
        _ if width(value) == 0 => Effect::misuse(MisuseKind::UseBeforeInit),
        Kind::BarrierDestroy => write(value | DESTROYED),
        Kind::BarrierArrive => {
            let commutes = view.commuting().arrivals(object, width(value));
            let class = if commutes {
                Class::ARRIVE
            } else {
                Class::WRITE
            };
            Effect::on(object, class, with_arrival(value))
        }
        _ => unreachable!("not an operation on a barrier: {op:?}"),
    }
}

fn leave(
    op: &Operation,
    object: Object,
    thread: ThreadId,
    alternative: u32,
    view: &impl View,
) -> Effect {
    let generation = view.generation(object, thread);
    let serial = match tells(op) {
        false => None,
        true if generation.decider() == Some(thread) => Some(ThreadId(alternative as u16)),
        true => generation.serial,
    };
    Effect {
        result: if serial == Some(thread) {
            SERIAL_THREAD
        } else {
            OK
        },
        ..Effect::none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_look_is_one_of_many() {
        let candidates = |members, lookers| {
            let (members, lookers) = (ThreadSet::of_word(members), ThreadSet::of_word(lookers));
            let serial = None;
            Generation {
                members,
                lookers,
                serial,
            }
            .candidates()
            .low()
        };
        assert_eq!(candidates(0b1111, 0b1111), 0b1111);
        assert_eq!(candidates(0b1111, 0b0100), 0b0101);
        assert_eq!(candidates(0b1110, 0b0010), 0b0110);
    }

    #[test]
    fn generations_are_counted() {
        let mut value = fresh(0, 3);
        let mut seen = Vec::new();
        for _ in 0..7 {
            seen.push((generation(value), arrived(value)));
            value = with_arrival(value);
        }
        let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)];
        assert_eq!(seen, expected);
        assert_eq!(width(value), 3);
        let one = fresh(5, 1);
        assert_eq!(generation(with_arrival(one)), 6, "alone");
    }
}
