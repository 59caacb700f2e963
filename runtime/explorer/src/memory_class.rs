//! With what stores and read-modify-writes commute.

use crate::cell_bytes::Bytes;
use crate::conflict::Class;
use crate::mutation::{Mutation, Seeded};
use dpor_model::{update, Counter, Detail, Operation};

/// The class of a read-modify-write. One that reaches into a second cell does not commute: which
/// part of its operand goes where would have to be known. `increments`: additions commute with counters that are dropped.
pub(crate) fn update_class(operation: &Operation, increments: bool, mutation: Seeded) -> Class {
    let (operator, offset) = (operation.update(), operation.offset);
    let fits = u32::from(offset) + operation.bytes <= 8;
    match fits {
        true if mutation.is(Mutation::ExchangeCommutes) => {
            Class::update(1, offset, operation.bytes as u8)
        }
        true if mutation.is(Mutation::WidthsCommute) && operator != update::OTHER => {
            Class::update(operator as u8, 0, 0)
        }
        _ if !fits || operator == update::OTHER => Class::WRITE,
        _ if increments && operator == update::ADD && is_aligned(operation) => {
            Class::increment(offset, operation.bytes)
        }
        _ => Class::update(operator as u8, offset, operation.bytes as u8),
    }
}

/// The class of a store. One that reaches into a second cell is never taken apart.
pub(crate) fn store_class(operation: &Operation) -> Class {
    match u32::from(operation.offset) + operation.bytes {
        0..=8 => Class::store(operation.offset, operation.bytes as u8),
        _ => Class::WRITE,
    }
}

/// Whether an operation is on aligned bytes of one cell.
fn is_aligned(operation: &Operation) -> bool {
    let (offset, bytes) = (u32::from(operation.offset), operation.bytes);
    bytes.is_power_of_two() && offset + bytes <= 8 && offset % bytes == 0
}

/// What a read-modify-write is whose result is compared once and used for nothing else, if it is aligned.
pub(crate) fn counter(operation: &Operation, mutation: Seeded) -> Option<Counter> {
    match operation.detail {
        Detail::Counter(counter) if is_aligned(operation) => Some(Counter {
            operand: match mutation.is(Mutation::OperandsIgnored) {
                true => -1,
                false => counter.operand,
            },
            value: match mutation.is(Mutation::AnswersIgnored) {
                true => i8::MAX,
                false => counter.value,
            },
            ..counter
        }),
        _ => None,
    }
}

/// The count that a load asks for being 1, and nothing else, if there is one: its first byte and how many, aligned.
pub(crate) fn looked_at(operation: &Operation) -> Option<(u8, u32)> {
    let bytes = operation.counting();
    let is_whole = is_aligned(operation) && bytes.is_power_of_two() && bytes <= operation.bytes;
    is_whole.then_some((operation.offset, bytes))
}

/// The class of a load that asks for a count being 1 and finds this cell. Only with "no" it commutes with anything but reads.
pub(crate) fn look_class((offset, bytes): (u8, u32), cell: u64) -> Class {
    let look = Class::look(offset, bytes);
    match counter_class(Counter::LAST, offset, bytes, cell).commutes(look) {
        true => look,
        false => Class::READ,
    }
}

/// The cell behind a counter that found this one in these bytes of it.
fn behind(counter: Counter, offset: u8, bytes: u32, cell: u64) -> u64 {
    let bits = Bytes { offset, bytes };
    bits.updated(
        counter.operator.into(),
        i64::from(counter.operand) as u64,
        cell,
    )
}

/// The class of a counter on these bytes that finds this cell.
pub(crate) fn counter_class(counter: Counter, offset: u8, bytes: u32, cell: u64) -> Class {
    let mask = u64::MAX >> (64 - 8 * bytes);
    let found = |cell: u64| cell >> (8 * u32::from(offset)) & mask;
    let answer = |cell| counter.answer(found(cell), bytes);
    let (now, next) = (answer(cell), answer(behind(counter, offset, bytes, cell)));
    Class::counter(counter, offset, bytes, now, now != next)
}

/// The class of a [`Class::counter`] that keeps its answer and finds this cell.
pub(crate) fn at_cell(class: Class, cell: u64) -> Class {
    match class.as_counter() {
        Some((counter, offset, bytes)) if class.is_drop() => {
            let there = counter_class(counter, offset, bytes, cell);
            debug_assert!(
                there.commutes(class),
                "in a plan it has its answer: {class:?} {cell}"
            );
            class.turning(there.turns())
        }
        _ => class,
    }
}

/// The cell behind a [`Class::counter`] that found this one, or behind a [`Class::increment`] by one: of others, searches
/// with counters take none to commute (`crate::increments`).
pub(crate) fn cell_behind(class: Class, cell: u64) -> u64 {
    let counter = class.as_counter().filter(|_| !class.is_look());
    counter.map_or(cell, |(counter, offset, bytes)| {
        let operand = match class.is_increment() {
            true => 1,
            false => counter.operand,
        };
        behind(Counter { operand, ..counter }, offset, bytes, cell)
    })
}

/// Whether a [`Class::counter`] would have another answer behind an event of the class `first`, which finds this cell.
pub(crate) fn is_turned_by(class: Class, first: Class, cell: u64) -> bool {
    is_answered_otherwise(class, cell_behind(first, cell))
}

/// Whether a [`Class::counter`] would have another answer if it found this cell.
pub(crate) fn is_answered_otherwise(class: Class, cell: u64) -> bool {
    let counter = class.as_counter().filter(|_| !class.is_increment());
    counter.is_some_and(|(counter, offset, bytes)| {
        !counter_class(counter, offset, bytes, cell).commutes(class)
    })
}
