//! Read-write locks, without preference or with one for writers.
//!
//! State: the number of read holds in the low half, writer + 1 in the 16 bits above it, and above
//! these the number of writers that wait, if the lock prefers writers. Readers commute
//! with each other, which is why a blocked writer has to look past all of them at once
//! (`crate::race`). Writers that wait do not commute with readers: waiting is an event.

use super::facts::BlockedBy;
use super::waiters::WaiterSets;
use super::{Act, Automaton, Effect, Facts, Present, View, EBUSY};
use crate::conflict::{Class, Object};
use crate::end::MisuseKind;
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Detail, Kind, ThreadId};

/// Read-write locks of POSIX.
pub(crate) struct Rwlock;

impl Automaton for Rwlock {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::RwlockInit, Facts::new("rwlock-init").makes()),
        (Kind::RwlockDestroy, Facts::new("rwlock-destroy").destroys()),
        (Kind::RwlockRead, lock("read-lock")),
        (Kind::RwlockAnnounce, Facts::new("write-wait")),
        (Kind::RwlockRetract, Facts::new("write-wait-over")),
        (Kind::RwlockWrite, lock("write-lock")),
        (
            Kind::RwlockTryread,
            Facts::new("read-trylock").of_lock().tries(Kind::RwlockRead),
        ),
        (
            Kind::RwlockTrywrite,
            Facts::new("write-trylock")
                .of_lock()
                .tries(Kind::RwlockWrite),
        ),
        (Kind::RwlockUnlock, Facts::new("rwlock-unlock").of_lock()),
    ];

    fn effect(act: Act, view: &impl View) -> Effect {
        effect(act.interned, act.thread, view)
    }

    fn lets_pass(interned: &Interned, _: ThreadId, value: u64) -> bool {
        lets_pass(interned.operation.kind, value)
    }

    fn blocked_class(interned: &Interned) -> Class {
        match interned.operation.kind {
            Kind::RwlockRead => interned.change,
            _ => Class::WRITE,
        }
    }

    /// The lock's value when a writer gives up that had announced itself.
    fn give_up(interned: &Interned, _: ThreadId, view: &impl View) -> Option<(Object, u64)> {
        let (operation, object) = (&interned.operation, interned.object());
        let announced = operation.is_announced();
        let is_over = announced && operation.detail != Detail::Stays;
        is_over.then(|| (object, given_up(view.value(object))))
    }

    fn holder(_: &Interned, value: u64) -> Option<ThreadId> {
        writer(value)
    }

    /// Who holds it for reading, and how often.
    fn canonical_rest(object: Object, trace: &Trace, _: &impl Present, into: &mut Vec<u64>) {
        let mut holds: Vec<(u16, i64)> = Vec::new();
        let log = trace.log(object).iter();
        for entry in log.filter(|entry| entry.class != Class::READ) {
            let change = trace.change_of_hold(entry.event as usize);
            match holds
                .iter_mut()
                .find(|(thread, _)| *thread == entry.thread.0)
            {
                Some((_, count)) => *count += change,
                None => holds.push((entry.thread.0, change)),
            }
        }
        holds.retain(|&(_, count)| count > 0);
        holds.sort_unstable();
        let words = holds.into_iter();
        into.extend(words.map(|(thread, count)| u64::from(thread) << 32 | count as u64));
    }

    fn with_one_more(kind: Kind, _: ThreadId, value: u64, _: &WaiterSets) -> u64 {
        match kind {
            Kind::RwlockRead | Kind::RwlockTryread => value + 1,
            Kind::RwlockUnlock => value - 1,
            _ => value,
        }
    }
}

/// A lock that waits. Readers commute, and a writer waits for all of them.
const fn lock(name: &'static str) -> Facts {
    let facts = Facts::new(name).blocked_by(BlockedBy::Object);
    facts.of_lock().waits_for_commuting()
}

/// Readers never get that many.
pub(crate) const DESTROYED: u64 = u64::MAX;

const WRITER_SHIFT: u32 = 32;
const WAITING_SHIFT: u32 = 48;
/// What one writer that waits adds to the lock's value.
const WAITING: u64 = 1 << WAITING_SHIFT;

/// The state without the writers that wait.
fn holds(value: u64) -> u64 {
    value & (WAITING - 1)
}

fn has_writer(value: u64) -> bool {
    holds(value) >> WRITER_SHIFT != 0
}

/// A writer waits no more.
pub(crate) fn given_up(value: u64) -> u64 {
    value - WAITING
}

/// True if a lock need not wait. A destroyed one lets everyone pass, into a misuse.
pub(crate) fn lets_pass(kind: Kind, value: u64) -> bool {
    match kind {
        _ if value == DESTROYED => true,
        Kind::RwlockRead => value >> WRITER_SHIFT == 0,
        _ => holds(value) == 0,
    }
}

fn held_by(thread: ThreadId) -> u64 {
    (u64::from(thread.0) + 1) << WRITER_SHIFT
}

/// The writer, if there is one.
pub(crate) fn writer(value: u64) -> Option<ThreadId> {
    let present = value != DESTROYED && has_writer(value);
    present.then(|| ThreadId(((holds(value) >> WRITER_SHIFT) - 1) as u16))
}

pub(crate) fn effect(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let (kind, object) = (interned.operation.kind, interned.object());
    let value = view.value(object);
    let reader = |after| Effect::on(object, interned.change, after);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match kind {
        Kind::RwlockInit if interned.operation.detail == Detail::Remade && value != DESTROYED => {
            Effect::read(object, value, EBUSY)
        }
        Kind::RwlockInit | Kind::RwlockDestroy if value != 0 && value != DESTROYED => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::RwlockInit => write(0),
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        Kind::RwlockDestroy => write(DESTROYED),
        Kind::RwlockTryread if value >> WRITER_SHIFT != 0 => Effect::read(object, value, EBUSY),
        Kind::RwlockTrywrite if holds(value) != 0 => Effect::read(object, value, EBUSY),
        Kind::RwlockRead | Kind::RwlockTryread => reader(value + 1),
        Kind::RwlockAnnounce => write(value + WAITING),
        Kind::RwlockRetract => write(given_up(value)),
        Kind::RwlockWrite if interned.operation.is_announced() => {
            write(given_up(value) | held_by(thread))
        }
        Kind::RwlockWrite | Kind::RwlockTrywrite => write(value | held_by(thread)),
        Kind::RwlockUnlock if holds(value) == held_by(thread) => write(value - holds(value)),
        Kind::RwlockUnlock if !has_writer(value) && view.holds(object, thread) => reader(value - 1),
        Kind::RwlockUnlock => Effect::misuse(MisuseKind::UnlockNotOwner),
        _ => unreachable!("not an operation on a read-write lock: {kind:?}"),
    }
}
