//! Memory cells of 8 bytes. The program performs the accesses; here is only what the search has
//! to know: which cells, written or read, and whether a compare-exchange succeeds.

use super::facts::BlockedBy;
use super::{futex, Act, Automaton, Effect, Facts, Present, View};
use crate::cell_bytes::Bytes;
use crate::conflict::{Access, Class, Footprint, Object};
use crate::memory_class;
use crate::operation::Interned;
use dpor_model::{Condition, Kind, Operation, ThreadId};

/// Cells an access of at most 16 bytes can touch.
pub(crate) const CELLS_MAX: usize = 3;

/// Bytes of memory, as atomic and explored plain accesses see them.
pub(crate) struct Memory;

impl Automaton for Memory {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::Load, access("atomic-load").only_reads()),
        (Kind::Store, access("atomic-store")),
        (Kind::ReadModifyWrite, access("atomic-rmw")),
        (Kind::CompareExchange, access("compare-exchange")),
    ];

    #[inline]
    /// The program tells what is there.
    fn canonical_value(_: u64) -> u64 {
        0
    }

    fn effect(act: Act, view: &impl View) -> Effect {
        Effect {
            footprint: match act.interned.counter {
                Some(_) => counted(act.interned, view.value(act.interned.object())),
                None => footprint(act.interned, act.succeeds),
            },
            ..Effect::none()
        }
    }

    #[inline]
    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        !interned.awaits || now.finds_awaited(thread)
    }

    #[inline]
    fn passes(interned: &Interned, thread: ThreadId, mut value: impl FnMut(Object) -> u64) -> bool {
        match &interned.gate {
            Some(gate) => gate.differs(value),
            None if !interned.awaits => true,
            None => Self::lets_pass(interned, thread, value(interned.object())),
        }
    }

    fn lets_pass(interned: &Interned, _: ThreadId, value: u64) -> bool {
        let found = || Condition::found(&interned.operation, value);
        let condition = interned.condition.as_ref();
        condition.is_none_or(|condition| condition.holds(found()))
    }

    fn blocked_class(interned: &Interned) -> Class {
        match interned.operation.kind {
            Kind::Load => Class::READ,
            _ => Class::WRITE,
        }
    }
}

const fn access(name: &'static str) -> Facts {
    Facts::new(name).blocked_by(BlockedBy::Memory)
}

/// The cells that can block an access that waits.
#[cold]
pub(crate) fn awaited_objects(interned: &Interned) -> &[Object] {
    match &interned.gate {
        Some(gate) => &gate.cells,
        None => &interned.objects[..1],
    }
}

/// The accesses of a counter, or of a load that asks for a count, that finds this cell.
pub(crate) fn counted(interned: &Interned, cell: u64) -> Footprint {
    let counter = interned.counter.expect("a counter");
    let object = interned.object();
    let (offset, bytes) = (interned.operation.offset, interned.operation.bytes);
    let class = match memory_class::looked_at(&interned.operation) {
        Some(count) => memory_class::look_class(count, cell),
        None => memory_class::counter_class(counter, offset, bytes, cell),
    };
    Footprint::from_buf_and_len([Access { object, class }; 2], 1)
}

/// The accesses of a memory operation; a compare-exchange writes if it `succeeds`.
#[inline]
pub(crate) fn footprint(interned: &Interned, succeeds: bool) -> Footprint {
    let class = match interned.operation.kind {
        Kind::Load => Class::READ,
        Kind::CompareExchange if !succeeds && interned.condition.is_none() => Class::READ,
        Kind::ReadModifyWrite | Kind::Store => interned.change,
        _ => Class::WRITE,
    };
    let access = |&object: &Object| Access { object, class };
    if let Some(property) = interned.other {
        return seen_by_property(interned, class, property);
    }
    match &interned.objects[..] {
        [object] => Footprint::from_buf_and_len([access(object); 2], 1),
        _ => {
            let own = interned.own();
            let others = interned.objects[own.len()..].iter();
            let read = |&object: &Object| Access {
                object,
                class: Class::READ,
            };
            own.iter().map(access).chain(others.map(read)).collect()
        }
    }
}

/// The accesses of an operation on memory that properties read: one that writes has an object in common with all that
/// they see.
#[cold]
fn seen_by_property(interned: &Interned, class: Class, property: Object) -> Footprint {
    let own = interned.own();
    let read = |&object: &Object| Access {
        object,
        class: Class::READ,
    };
    let others = interned.objects[own.len()..].iter().map(read);
    let all = own.iter().map(|&object| Access { object, class });
    let seen = (class != Class::READ).then_some(Access {
        object: property,
        class: Class::WRITE,
    });
    all.chain(others).chain(seen).collect()
}

/// True if an operation that compares finds what it expects in its cells.
pub(crate) fn succeeds(operation: &Operation, cells: [u64; CELLS_MAX]) -> bool {
    if operation.kind == Kind::FutexWakeOp {
        let word = (cells[0] >> (8 * u32::from(operation.offset))) as u32;
        return futex::passes(operation.detail.expected() as u32, word);
    }
    let mut bytes = [0; 8 * CELLS_MAX];
    for (i, cell) in cells.iter().enumerate() {
        bytes[8 * i..8 * i + 8].copy_from_slice(&cell.to_le_bytes());
    }
    let first = usize::from(operation.offset);
    let width = (operation.bytes as usize).min(16);
    bytes[first..first + width] == operation.detail.expected().to_le_bytes()[..width]
}

/// The cell after an update with this operand, given the cell before it.
pub(crate) fn updated(interned: &Interned, operand: u64, cell: u64) -> u64 {
    let operation = &interned.operation;
    let operator = match interned.counter {
        Some(counter) => counter.operator.into(),
        None => operation.update(),
    };
    Bytes::of(operation).updated(operator, operand, cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_model::SiteId;
    use dpor_model::{update, Detail};

    #[test]
    fn compares_the_bytes_named() {
        let check = |offset, bytes, expected, cells, expect| {
            let mut op = Operation::new(Kind::CompareExchange, SiteId::UNKNOWN);
            (op.offset, op.bytes, op.detail) = (offset, bytes, Detail::expects(expected));
            assert_eq!(succeeds(&op, cells), expect, "{op:?} {cells:x?}");
        };
        check(0, 8, 7, [7, 1, 1], true);
        check(0, 8, 7, [8, 0, 0], false);
        check(4, 4, 0xdead_beef, [0xdead_beef_0000_0001, 0, 0], true);
        check(6, 4, 0x4433_2211, [0x2211 << 48, 0x4433, 0], true);
        check(1, 1, 0x100, [0, 0, 0], true); // Bytes beyond the width do not count.
        check(
            7,
            16,
            u128::MAX,
            [0xff << 56, u64::MAX, u64::MAX >> 8],
            true,
        );
        check(
            7,
            16,
            u128::MAX,
            [0xff << 56, u64::MAX, u64::MAX >> 9],
            false,
        );
    }

    #[test]
    fn updates_only_its_own_bytes() {
        let check = |operator, offset, bytes, operand, cell, expect| {
            let mut op = Operation::new(Kind::ReadModifyWrite, SiteId::UNKNOWN);
            (op.offset, op.bytes) = (offset, bytes);
            let after = Bytes::of(&op).updated(operator, operand, cell);
            assert_eq!(after, expect, "{op:?} {cell:x}");
        };
        check(update::ADD, 0, 8, u64::MAX, 0, u64::MAX);
        check(update::ADD, 0, 4, 1, 0x7_ffff_ffff, 0x7_0000_0000);
        check(update::ADD, 4, 4, u64::MAX, 5, 0xffff_ffff_0000_0005);
        check(update::AND, 2, 1, 0x0f, 0xabcd_ef01, 0xab0d_ef01);
        check(update::OR, 1, 1, 0xf00, 0x1234, 0x1234);
        check(update::XOR, 0, 2, 0xffff, 0x1_1234, 0x1_edcb);
        check(update::MAX, 0, 1, 0xff, 0x01, 0x01);
        check(update::MIN, 0, 1, 0xff, 0x01, 0xff);
        check(update::UMAX, 0, 1, 0xff, 0x01, 0xff);
        check(update::UMIN, 0, 1, 0x1ff, 0x01, 0x01);
    }
}
