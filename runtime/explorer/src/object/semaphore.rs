//! Counting semaphores.
//!
//! State: the count in the low half; above it [`COUNTS_EXACTLY`] and [`INITIALIZED`]; or
//! [`DESTROYED`].
//!
//! Posts commute with posts, because the count forgets their order: which post let which wait pass
//! is not part of a trace. Only a post that would exceed the maximum fails, and there the order
//! does matter; a semaphore that begins above half of the maximum therefore has posts that
//! conflict, and the others would need a billion posts in one execution to get there.
//!
//! Source: POSIX.1-2017, `sem_init` to `sem_wait`.

use super::facts::BlockedBy;
use super::waiters::WaiterSets;
use super::{Act, Automaton, Effect, Facts, View, EAGAIN, EINVAL, EOVERFLOW};
use crate::conflict::{Class, Object};
use crate::end::{MisuseKind, Waiting};
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, Operation, ThreadId};

/// Semaphores of POSIX.
pub(crate) struct Semaphore;

impl Automaton for Semaphore {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::SemInit, Facts::new("sem-init").makes()),
        (Kind::SemDestroy, Facts::new("sem-destroy").destroys()),
        (
            Kind::SemWait,
            Facts::new("sem-wait")
                .blocked_by(BlockedBy::Object)
                .of_lock()
                .waits_for_commuting(),
        ),
        (
            Kind::SemTrywait,
            Facts::new("sem-trywait").of_lock().tries(Kind::SemWait),
        ),
        (Kind::SemPost, Facts::new("sem-post").of_lock()),
        (
            Kind::SemGetvalue,
            Facts::new("sem-getvalue").of_lock().only_reads(),
        ),
    ];

    fn effect(act: Act, view: &impl View) -> Effect {
        effect(&act.interned.operation, act.interned.object(), view)
    }

    fn lets_pass(interned: &Interned, _: ThreadId, value: u64) -> bool {
        lets_pass(&interned.operation, value)
    }

    fn with_one_more(_: Kind, _: ThreadId, value: u64, _: &WaiterSets) -> u64 {
        value + 1
    }

    fn describe_wait(_: &Waiting, _: &str, _: &Trace) -> String {
        "for a semaphore that counts 0".to_owned()
    }
}

const DESTROYED: u64 = u64::MAX;
/// In the state of a semaphore whose posts conflict with each other.
const COUNTS_EXACTLY: u64 = 1 << 32;
/// In the state of every semaphore that was initialized.
const INITIALIZED: u64 = 1 << 33;
/// `SEM_VALUE_MAX` of Linux.
const COUNT_MAX: u64 = i32::MAX as u64;

fn count(value: u64) -> u64 {
    value & 0xffff_ffff
}

/// True if a wait need not wait. What is no semaphore lets everyone pass, into a misuse.
fn lets_pass(op: &Operation, value: u64) -> bool {
    !is_initialized(op, value) || value == DESTROYED || count(value) > 0
}

/// True if the semaphore was initialized, or need not be.
fn is_initialized(op: &Operation, value: u64) -> bool {
    value & INITIALIZED != 0 || op.is_there()
}

/// Operations on `object`; waits only if they are enabled.
fn effect(op: &Operation, object: Object, view: &impl View) -> Effect {
    let value = view.value(object);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match op.kind {
        Kind::SemInit => initialize(op.count(), object),
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        _ if !is_initialized(op, value) => Effect::misuse(MisuseKind::UseBeforeInit),
        Kind::SemDestroy => write(DESTROYED),
        Kind::SemWait => write(value - 1),
        Kind::SemTrywait if count(value) > 0 => write(value - 1),
        Kind::SemTrywait => Effect::read(object, value, EAGAIN),
        Kind::SemGetvalue => Effect::read(object, value, count(value) as i32),
        Kind::SemPost if count(value) == COUNT_MAX => Effect::read(object, value, EOVERFLOW),
        Kind::SemPost => {
            let commutes = value & COUNTS_EXACTLY == 0 && view.commuting().posts();
            let class = if commutes { Class::POST } else { Class::WRITE };
            Effect::on(object, class, value + 1)
        }
        _ => unreachable!("not an operation on a semaphore: {op:?}"),
    }
}

fn initialize(initial: u64, object: Object) -> Effect {
    if initial > COUNT_MAX {
        return Effect {
            result: EINVAL,
            ..Effect::none()
        };
    }
    let exactly = initial > COUNT_MAX / 2;
    let flag = if exactly { COUNTS_EXACTLY } else { 0 };
    Effect::on(object, Class::WRITE, initial | flag | INITIALIZED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commuting::Commuting;
    use crate::config::Config;
    use crate::object::barrier::Generation;
    use dpor_model::SiteId;
    use dpor_model::{semaphore, Argument};

    /// All objects have this state.
    struct Everywhere(u64, Commuting);

    impl View for Everywhere {
        fn value(&self, _: Object) -> u64 {
            self.0
        }
        fn waiters_mutex(&self, _: Object, _: u64) -> Option<Object> {
            unreachable!("semaphores only")
        }
        fn waiters(&self) -> &crate::object::waiters::WaiterSets {
            unreachable!("semaphores only")
        }
        fn holds(&self, _: Object, _: ThreadId) -> bool {
            unreachable!("semaphores only")
        }
        fn last_wait(&self, _: ThreadId) -> Option<&Operation> {
            unreachable!("semaphores only")
        }
        fn queue(&self, _: Object, _: ThreadId) -> Object {
            unreachable!("semaphores only")
        }
        fn generation(&self, _: Object, _: ThreadId) -> Generation {
            unreachable!("semaphores only")
        }
        fn commuting(&self) -> &Commuting {
            &self.1
        }
    }

    /// Result, class, count afterwards.
    fn run(kind: Kind, argument: Argument, value: u64) -> (i32, Option<Class>, u64) {
        let operation = Operation {
            argument,
            ..Operation::new(kind, SiteId::UNKNOWN)
        };
        let view = Everywhere(value, Commuting::new(&Config::default()));
        let effect = effect(&operation, Object(1), &view);
        let class = effect.footprint.first().map(|access| access.class);
        (effect.result, class, effect.after[0])
    }

    #[test]
    fn posts_near_the_maximum_conflict() {
        let (_, _, full) = run(Kind::SemInit, Argument::count(COUNT_MAX - 1), 0);
        let (result, class, value) = run(Kind::SemPost, semaphore::MADE, full);
        assert_eq!((result, class), (0, Some(Class::WRITE)));
        let last = (EOVERFLOW, Some(Class::READ), value);
        assert_eq!(run(Kind::SemPost, semaphore::MADE, value), last);
        assert_eq!(run(Kind::SemGetvalue, semaphore::MADE, value).0, i32::MAX);
        assert_eq!(
            run(Kind::SemWait, semaphore::MADE, value),
            (0, Some(Class::WRITE), full)
        );
        assert_eq!(
            run(Kind::SemInit, Argument::count(COUNT_MAX + 1), 0).0,
            EINVAL
        );
        let five = INITIALIZED | 5;
        assert_eq!(
            run(Kind::SemPost, semaphore::MADE, five),
            (0, Some(Class::POST), five + 1)
        );
        let passes = |value| lets_pass(&Operation::new(Kind::SemWait, SiteId::UNKNOWN), value);
        assert!(!passes(INITIALIZED) && passes(five) && passes(full));
        assert!(passes(0) && passes(DESTROYED), "into a misuse");
        assert_eq!(run(Kind::SemPost, semaphore::THERE, 0).2, 1);
        let (_, _, exact) = run(Kind::SemInit, Argument::count(COUNT_MAX / 2 + 1), 0);
        assert!(
            !passes(exact - (COUNT_MAX / 2 + 1)),
            "count 0 with the flag"
        );
    }
}
