//! The operators of atomic read-modify-writes: what they make of a value, and which of them commute.

use super::native;
use crate::engine;
use crate::engine::runtime::runtime;
use dpor_abi::{rmw, used};
use dpor_model::{update, Counter};

pub(super) fn operate<T: native::Word>(operator: u32, old: T, value: T) -> T {
    match operator {
        rmw::XCHG => value,
        rmw::ADD => old.add(value),
        rmw::SUB => old.sub(value),
        rmw::AND => old.and(value),
        rmw::NAND => old.and(value).not(),
        rmw::OR => old.or(value),
        rmw::XOR => old.xor(value),
        rmw::MAX => old.max(value, true),
        rmw::MIN => old.min(value, true),
        rmw::UMAX => old.max(value, false),
        rmw::UMIN => old.min(value, false),
        _ => engine::unsupported("an atomic operator that the pass should have expanded"),
    }
}

/// Returns what a read-modify-write is to the search: an [`update`] if nobody looks at its result
/// and the search lets those commute. Within an event there is nothing to search.
#[inline(always)]
pub(super) fn update_of(operator: u32, is_used: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let commute = unsafe { (*runtime()).commute };
    if is_used != 0 || !commute || (address & 7) as u32 + bytes > 8 || engine::is_inside_event() {
        return update::OTHER;
    }
    update_number(operator)
}

/// The [`update`] of an operator.
#[inline(always)]
fn update_number(operator: u32) -> u64 {
    match operator {
        rmw::ADD | rmw::SUB => update::ADD,
        rmw::AND => update::AND,
        rmw::OR => update::OR,
        rmw::XOR => update::XOR,
        rmw::MAX => update::MAX,
        rmw::MIN => update::MIN,
        rmw::UMAX => update::UMAX,
        rmw::UMIN => update::UMIN,
        _ => update::OTHER,
    }
}

/// Returns what a read-modify-write is to the search if its result is only compared once, and the search lets those
/// commute that have the same answer.
#[inline(always)]
pub(super) fn counter_of(
    operator: u32,
    used: u32,
    value: u64,
    address: usize,
    bytes: u32,
) -> Option<Counter> {
    let (test, constant) = used::comparison(used)?;
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let counters = unsafe { (*runtime()).counters };
    // The search knows counters by aligned bytes of a cell.
    let is_odd = bytes > 8 || !(address as u32).is_multiple_of(bytes);
    if !counters || is_odd || engine::is_inside_event() {
        return None;
    }
    let unused = 64 - 8 * bytes;
    let operand = ((value << unused) as i64) >> unused;
    let operand = match operator {
        rmw::SUB => operand.wrapping_neg(),
        _ => operand,
    };
    // One that may leave the value as it is may be a look of a loop that waits.
    if update_number(operator) != update::ADD || operand == 0 {
        return None;
    }
    Counter::of(update::ADD, operand, test, constant.into())
}

/// Returns whether the search lets an update of these bytes commute with counts of which it is told "no" that they were the
/// last: [`Counter::LAST`].
#[inline(always)]
pub(super) fn is_increment(update: u64, address: usize, bytes: u32) -> bool {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let increments = unsafe { (*runtime()).increments };
    update == update::ADD && increments && (address as u32).is_multiple_of(bytes)
}

/// Returns how many bytes of a load are a count of which the program only asks whether it is 1, if the search lets those that
/// are told "no" commute with drops that are; 0 otherwise. `counting`: what the pass says ([`dpor_abi::order::parts`]).
#[inline(always)]
pub(super) fn looked_at(counting: u32, address: usize, bytes: u32) -> u32 {
    if counting == 0 || !(address as u32).is_multiple_of(bytes) {
        return 0;
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    match unsafe { (*runtime()).looks } && !engine::is_inside_event() {
        true => counting,
        false => 0,
    }
}

/// Whether a look that found this count is told that it is not 1.
#[inline(always)]
pub(super) fn is_told_no(found: u64, count: u32) -> bool {
    count != 0 && !Counter::LAST.answer(found & (u64::MAX >> (64 - 8 * count)), count)
}

/// Remembers the operand of an update, for the search.
#[inline(always)]
pub(super) fn note_operand(operator: u32, value: u64) {
    let operand = match operator {
        rmw::SUB => value.wrapping_neg(),
        _ => value,
    };
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime()).operand = operand };
}
