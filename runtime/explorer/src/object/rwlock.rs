//! Read-write locks, without preference or with one for writers.
//!
//! State: the number of read holds in the low half, writer + 1 in the 16 bits above it, and above
//! these the number of writers that wait, if the lock prefers writers. Readers commute
//! with each other, which is why a blocked writer has to look past all of them at once
//! (`crate::race`). Writers that wait do not commute with readers: waiting is an event.

use super::{Effect, View, EBUSY};
use crate::conflict::Class;
use crate::end::MisuseKind;
use crate::operation::Interned;
use crate::program::{Kind, ThreadId, REMADE};

/// Readers never get that many.
pub(crate) const DESTROYED: u64 = u64::MAX;

const WRITER_SHIFT: u32 = 32;
const WAITING_SHIFT: u32 = 48;
/// One writer that waits.
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
        Kind::RwlockInit if interned.operation.expected == REMADE && value != DESTROYED => {
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
        Kind::RwlockWrite if interned.operation.argument == 1 => {
            write(given_up(value) | held_by(thread))
        }
        Kind::RwlockWrite | Kind::RwlockTrywrite => write(value | held_by(thread)),
        Kind::RwlockUnlock if holds(value) == held_by(thread) => write(value - holds(value)),
        Kind::RwlockUnlock if !has_writer(value) && view.holds(object, thread) => reader(value - 1),
        Kind::RwlockUnlock => Effect::misuse(MisuseKind::UnlockNotOwner),
        _ => unreachable!("not an operation on a read-write lock: {kind:?}"),
    }
}
