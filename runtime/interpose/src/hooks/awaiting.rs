//! Accesses in loops that only wait (`__dpor_await`): they are events that block until what they find lets the
//! loop end. Where that cannot be, they are ordinary ones and the loop goes round.

use super::{cells, note_exchange};
use crate::engine;
use crate::engine::runtime::runtime;
use dpor_abi::{rmw, wait};
use dpor_explorer::program::{Decision, Kind, Operation};
use dpor_explorer::{Change, Condition};

/// What the next access may wait for.
#[derive(Clone, Copy, Debug)]
pub enum Announced {
    /// At this address.
    Access {
        address: u64,
        /// `None`: a compare-exchange that succeeds.
        condition: Option<Condition>,
    },
    /// It begins a turn of a loop that may be as the last, which began before this event.
    Turn { since: u32 },
}

/// A waiting access.
#[derive(Clone, Copy)]
pub struct Waiting {
    what: What,
    /// The thread may look in vain: right now the condition does not hold.
    pub looks_in_vain: bool,
}

#[derive(Clone, Copy)]
enum What {
    Condition(Condition),
    /// It is a compare-exchange, which says itself what it waits for.
    Success,
    /// One of the places that the turn from this event on looked at.
    Turn(u32),
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
    unsafe { (*runtime()).announced = Some(Announced::Access { address, condition }) };
}

/// The head of a loop whose turns do nothing to memory that is not an event, but to what `now` shows: `count` words,
/// which are all that its next turn depends on. `record` is of the loop as it is gone through this time: 0, or 1; the
/// number of events when it was here last; what `now` was then.
///
/// # Safety
/// Called by instrumented code only, with `2 + count` and `count` words.
#[no_mangle]
pub unsafe extern "C" fn __dpor_turn(record: *mut u64, now: *const u64, count: u32, _site: u64) {
    if super::volatile_is_plain() {
        return;
    }
    let count = count as usize;
    // SAFETY: the caller's; they are variables of the function that the loop is in.
    let (record, now) = unsafe {
        (
            core::slice::from_raw_parts_mut(record, 2 + count),
            core::slice::from_raw_parts(now, count),
        )
    };
    if engine::is_inside_event() || engine::is_interruptible() {
        record[0] = 0;
        return;
    }
    let (head, before) = record.split_at_mut(2);
    // SAFETY: a fiber runs; see `runtime`.
    let rt = unsafe { &mut *runtime() };
    if head[0] == 1 && before == now {
        let since = head[1] as u32;
        rt.announced = Some(Announced::Turn { since });
    }
    head.copy_from_slice(&[1, rt.depth as u64]);
    before.copy_from_slice(now);
}

/// What was announced for the access to these bytes, which is about to happen: a condition, if it is no
/// compare-exchange.
#[inline(always)]
fn announced(address: usize, bytes: u32) -> Option<Result<Option<Condition>, Waiting>> {
    // SAFETY: as above.
    let announced = unsafe { (*runtime()).announced.take() }?;
    fitting(announced, address, bytes)
}

#[cold]
fn fitting(
    announced: Announced,
    address: usize,
    bytes: u32,
) -> Option<Result<Option<Condition>, Waiting>> {
    if engine::is_inside_event() || engine::is_cancelled() {
        return None;
    }
    match announced {
        Announced::Turn { since } => Some(Err(Waiting {
            what: What::Turn(since),
            looks_in_vain: false,
        })),
        Announced::Access {
            address: of,
            condition,
        } => {
            let fits = (address & 7) as u32 + bytes <= 8;
            (of == address as u64 && fits).then_some(Ok(condition))
        }
    }
}

fn waiting(condition: Condition, address: usize, bytes: u32, succeeds: bool) -> Waiting {
    note_exchange(address, bytes);
    let found = cells(address, bytes)[0] >> (8 * (address & 7)) & ones(bytes);
    Waiting {
        what: match succeeds {
            true => What::Success,
            false => What::Condition(condition),
        },
        looks_in_vain: !condition.holds(found),
    }
}

fn ones(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Whether a load waits.
#[inline(always)]
pub fn load(address: usize, bytes: u32) -> Option<Waiting> {
    match announced(address, bytes)? {
        Ok(condition) => Some(waiting(condition?, address, bytes, false)),
        Err(turn) => Some(turn),
    }
}

/// Whether a compare-exchange waits.
#[inline(always)]
pub fn compare_exchange(address: usize, bytes: u32, expected: u64) -> Option<Waiting> {
    match announced(address, bytes)? {
        Ok(None) => {}
        Ok(Some(_)) => return None,
        Err(turn) => return Some(turn),
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
    let ends = match announced(address, bytes)? {
        Ok(condition) => condition?,
        Err(turn) => return Some(turn),
    };
    let change = match operator {
        rmw::ADD | rmw::SUB | rmw::OR | rmw::XOR if operand == 0 => Change::Nothing,
        rmw::AND if operand == ones(bytes) => Change::Nothing,
        rmw::XCHG => Change::To(operand),
        rmw::OR => Change::SetBits(operand),
        _ => return None,
    };
    let condition = ends.unless_in_vain(change, bytes)?;
    Some(waiting(condition, address, bytes, false))
}

/// Publishes the operation as it waits.
#[inline(always)]
pub fn perform(operation: Operation, waiting: Option<Waiting>) {
    match waiting {
        None => engine::perform(operation),
        Some(waiting) => perform_waiting(operation, waiting.what),
    };
}

#[cold]
fn perform_waiting(operation: Operation, what: What) -> Decision {
    match what {
        What::Condition(condition) => engine::perform(condition.of(operation)),
        What::Success => engine::perform(Operation {
            waits: operation.kind == Kind::CompareExchange,
            ..operation
        }),
        What::Turn(since) => engine::perform_again(operation, since),
    }
}
