//! With what stores and read-modify-writes commute.

use crate::conflict::Class;
use crate::mutation::{Mutation, Seeded};
use dpor_model::{update, Operation};

/// The class of a read-modify-write. One that reaches into a second cell does not commute: which
/// part of its operand goes where would have to be known.
pub(crate) fn update_class(operation: &Operation, mutation: Seeded) -> Class {
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
