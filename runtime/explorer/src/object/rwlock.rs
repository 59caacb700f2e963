//! Read-write locks without preference.
//!
//! State: the number of read holds in the low half, writer + 1 in the high half. Readers commute
//! with each other, which is why a blocked writer has to look past all of them at once
//! (`crate::race`).

use super::{Effect, View, EBUSY};
use crate::conflict::Class;
use crate::end::MisuseKind;
use crate::operation::Interned;
use crate::program::{Kind, ThreadId};

/// Readers never get that many.
pub(crate) const DESTROYED: u64 = u64::MAX;

fn has_writer(value: u64) -> bool {
    value >> 32 != 0
}

/// True if a lock need not wait. A destroyed one lets everyone pass, into a misuse.
pub(crate) fn lets_pass(kind: Kind, value: u64) -> bool {
    match kind {
        _ if value == DESTROYED => true,
        Kind::RwlockRead => !has_writer(value),
        _ => value == 0,
    }
}

fn held_by(thread: ThreadId) -> u64 {
    (u64::from(thread.0) + 1) << 32
}

/// The writer, if there is one.
pub(crate) fn writer(value: u64) -> Option<ThreadId> {
    (value != DESTROYED && has_writer(value)).then(|| ThreadId(((value >> 32) - 1) as u16))
}

pub(crate) fn effect(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let (kind, object) = (interned.operation.kind, interned.object());
    let value = view.value(object);
    let reader = |after| Effect::on(object, interned.change, after);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match kind {
        Kind::RwlockInit | Kind::RwlockDestroy if value != 0 && value != DESTROYED => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::RwlockInit => write(0),
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        Kind::RwlockDestroy => write(DESTROYED),
        Kind::RwlockTryread if has_writer(value) => Effect::read(object, value, EBUSY),
        Kind::RwlockTrywrite if value != 0 => Effect::read(object, value, EBUSY),
        Kind::RwlockRead | Kind::RwlockTryread => reader(value + 1),
        Kind::RwlockWrite | Kind::RwlockTrywrite => write(held_by(thread)),
        Kind::RwlockUnlock if value == held_by(thread) => write(0),
        Kind::RwlockUnlock if !has_writer(value) && view.holds(object, thread) => reader(value - 1),
        Kind::RwlockUnlock => Effect::misuse(MisuseKind::UnlockNotOwner),
        _ => unreachable!("not an operation on a read-write lock: {kind:?}"),
    }
}
