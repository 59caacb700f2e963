//! Accesses in loops that only wait (`__dpor_await`): they are events that block until what they find lets the
//! loop end. Where that cannot be, they are ordinary ones and the loop goes round.

use super::{cells, faulty, note_exchange};
use crate::engine;
use crate::engine::runtime::runtime;
use dpor_abi::{rmw, wait};
use dpor_explorer::program::{Kind, Operation};
use dpor_explorer::{Change, Condition};

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

/// `None`: the access faults, and does not wait.
fn waiting(condition: Condition, address: usize, bytes: u32, succeeds: bool) -> Option<Waiting> {
    note_exchange(address, bytes);
    let found = cells(address, bytes)[0] >> (8 * (address & 7)) & ones(bytes);
    let waiting = Waiting {
        condition,
        succeeds,
        looks_in_vain: !condition.holds(found),
    };
    (!faulty::give_up()).then_some(waiting)
}

fn ones(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Whether a load waits.
#[inline(always)]
pub fn load(address: usize, bytes: u32) -> Option<Waiting> {
    let condition = announced(address, bytes)?.condition?;
    waiting(condition, address, bytes, false)
}

/// Whether a compare-exchange waits.
#[inline(always)]
pub fn compare_exchange(address: usize, bytes: u32, expected: u64) -> Option<Waiting> {
    if announced(address, bytes)?.condition.is_some() {
        return None;
    }
    let condition = Condition::equal(8 * bytes, expected);
    waiting(condition, address, bytes, true)
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
    let change = match operator {
        rmw::ADD | rmw::SUB | rmw::OR | rmw::XOR if operand == 0 => Change::Nothing,
        rmw::AND if operand == ones(bytes) => Change::Nothing,
        rmw::XCHG => Change::To(operand),
        rmw::OR => Change::SetBits(operand),
        _ => return None,
    };
    let condition = ends.unless_in_vain(change, bytes)?;
    waiting(condition, address, bytes, false)
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
