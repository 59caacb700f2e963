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

pub(crate) fn has_writer(value: u64) -> bool {
    value >> 32 != 0
}

fn held_by(thread: ThreadId) -> u64 {
    (u64::from(thread.0) + 1) << 32
}

/// The writer, if there is one.
pub(crate) fn writer(value: u64) -> Option<ThreadId> {
    has_writer(value).then(|| ThreadId(((value >> 32) - 1) as u16))
}

pub(crate) fn effect(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let (kind, object) = (interned.operation.kind, interned.object());
    let value = view.value(object);
    let reader = |after| Effect::on(object, interned.change, after);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match kind {
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
