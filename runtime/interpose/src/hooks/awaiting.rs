//! Accesses in loops that only wait (`__dpor_await`): they are events that block until what they find lets the
//! loop end. Where that cannot be, they are ordinary ones and the loop goes round.

use super::{cells, note_exchange};
use crate::engine;
use crate::engine::runtime::runtime;
use dpor_abi::{rmw, wait};
use dpor_explorer::program::{Kind, Operation};
use dpor_explorer::{Condition, Test};

/// What the next access may wait for.
#[derive(Clone, Copy, Debug)]
pub struct Announced {
    address: u64,
    /// `None`: a compare-exchange that succeeds.
    condition: Option<Condition>,
}

/// A waiting access.
#[derive(Clone, Copy)]
pub struct Waiting {
    condition: Condition,
    /// It is a compare-exchange, which says itself what it waits for.
    succeeds: bool,
    /// The thread may look in vain: right now the condition does not hold.
    pub looks_in_vain: bool,
}

/// The next access, to this address, is the only thing that a loop does; it ends when what is found
/// there passes the test.
#[no_mangle]
pub extern "C" fn __dpor_await(
    address: u64,
    test: u32,
    bits: u32,
    mask: u64,
    value: u64,
    _site: u64,
) {
    if !engine::active() {
        return;
    }
    let condition = Condition::test(test).map(|test| Condition {
        test,
        bits: bits.clamp(1, 64),
        mask,
        value,
    });
    if condition.is_none() && test != wait::SUCCESS {
        return;
    }
    // SAFETY: a fiber runs; see `runtime`.
    unsafe { (*runtime()).announced = Some(Announced { address, condition }) };
}

/// What was announced for the access to these bytes, which is about to happen.
#[inline(always)]
fn announced(address: usize, bytes: u32) -> Option<Announced> {
    // SAFETY: as above.
    let announced = unsafe { (*runtime()).announced.take() }?;
    let alone = !engine::is_inside_event() && !engine::is_cancelled();
    let fits = (address & 7) as u32 + bytes <= 8;
    (announced.address == address as u64 && alone && fits).then_some(announced)
}

fn waiting(condition: Condition, address: usize, bytes: u32, succeeds: bool) -> Waiting {
    note_exchange(address, bytes);
    let found = cells(address, bytes)[0] >> (8 * (address & 7)) & ones(bytes);
    Waiting {
        condition,
        succeeds,
        looks_in_vain: !condition.holds(found),
    }
}

fn ones(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Whether a load waits.
#[inline(always)]
pub fn load(address: usize, bytes: u32) -> Option<Waiting> {
    let condition = announced(address, bytes)?.condition?;
    Some(waiting(condition, address, bytes, false))
}

/// Whether a compare-exchange waits.
#[inline(always)]
pub fn compare_exchange(address: usize, bytes: u32, expected: u64) -> Option<Waiting> {
    if announced(address, bytes)?.condition.is_some() {
        return None;
    }
    let condition = Condition::equal(8 * bytes, expected);
    Some(waiting(condition, address, bytes, true))
}

/// Whether a read-modify-write waits.
#[inline(always)]
pub fn read_modify_write(
    address: usize,
    bytes: u32,
    operator: u32,
    operand: u64,
) -> Option<Waiting> {
    let ends = announced(address, bytes)?.condition?;
    let condition = unless_in_vain(ends, operator, operand, bytes)?;
    Some(waiting(condition, address, bytes, false))
}

/// When a read-modify-write does something: the loop ends, or memory is changed. `None`: always, or not known.
fn unless_in_vain(ends: Condition, operator: u32, operand: u64, bytes: u32) -> Option<Condition> {
    let differs = |mask| Condition {
        test: Test::NotEqual,
        bits: 64,
        mask,
        value: operand & mask,
    };
    match operator {
        rmw::ADD | rmw::SUB | rmw::OR | rmw::XOR if operand == 0 => Some(ends),
        rmw::AND if operand == ones(bytes) => Some(ends),
        // What an exchange does not change is what it stores.
        rmw::XCHG if !ends.holds(operand) => Some(differs(ones(bytes))),
        // Nothing changes if all these bits are there. No others count.
        rmw::OR if ends.mask == operand && !ends.holds(operand) => Some(differs(operand)),
        _ => None,
    }
}

/// The operation as it waits.
#[inline(always)]
pub fn publish(operation: Operation, waiting: Option<Waiting>) -> Operation {
    match waiting {
        None => operation,
        Some(waiting) if waiting.succeeds => Operation {
            waits: operation.kind == Kind::CompareExchange,
            ..operation
        },
        Some(waiting) => waiting.condition.of(operation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(test: Test, mask: u64, value: u64) -> Condition {
        Condition {
            test,
            bits: 32,
            mask,
            value,
        }
    }

    /// For every value of a byte: the access waits if and only if it would change nothing and the loop would go on.
    #[test]
    fn waits_where_nothing_would_happen() {
        let operators: [(u32, fn(u64, u64) -> u64); 6] = [
            (rmw::XCHG, |_, b| b),
            (rmw::ADD, |a, b| (a + b) & 0xff),
            (rmw::SUB, |a, b| a.wrapping_sub(b) & 0xff),
            (rmw::AND, |a, b| a & b),
            (rmw::OR, |a, b| a | b),
            (rmw::XOR, |a, b| a ^ b),
        ];
        let conditions = [
            ends(Test::Equal, u64::MAX, 0),
            ends(Test::NotEqual, u64::MAX, 1),
            ends(Test::Equal, 4, 0),
            ends(Test::NotEqual, 6, 6),
            ends(Test::Below, u64::MAX, 3),
        ];
        let mut waiting = 0;
        for (operator, apply) in operators {
            for condition in conditions {
                for operand in [0, 1, 2, 4, 6, 0xff] {
                    let Some(passes) = unless_in_vain(condition, operator, operand, 1) else {
                        continue;
                    };
                    waiting += 1;
                    for found in 0..=0xff {
                        let in_vain = apply(found, operand) == found && !condition.holds(found);
                        assert_eq!(
                            passes.holds(found),
                            !in_vain,
                            "{condition:?} {operator} {operand} {found}"
                        );
                    }
                }
            }
        }
        assert!(waiting > 40, "{waiting}");
        let lock = ends(Test::Equal, u64::MAX, 0);
        assert!(unless_in_vain(lock, rmw::XCHG, 1, 1).is_some());
        assert!(unless_in_vain(ends(Test::Equal, 4, 0), rmw::OR, 4, 1).is_some());
    }
}
