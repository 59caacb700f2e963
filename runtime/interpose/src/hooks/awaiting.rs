//! Accesses in loops that only wait (`__dpor_await`): they are events that block until what they find lets the
//! loop end. Where that cannot be, they are ordinary ones and the loop goes round.

use super::options::{is_by_states, plain_is_explored, volatile_is_plain};
use super::race::report;
use crate::engine::accesses::cells::{cells, note_exchange};
use crate::engine::accesses::faulting;
use crate::engine::knowledge::announced::{Access, Announced};
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::runtime::runtime;
use crate::engine::{self, sites};
use crate::own_stack_stores;
use crate::pthread::me;
use dpor_abi::{rmw, site_flag, turn, wait};
use dpor_model::{Change, Condition, Decision, Iteration, Kind, Operation, SiteId, ThreadId};
use dpor_races::{Look, Races};

/// An access that waits, and the turn that it begins.
#[derive(Clone, Copy)]
pub struct Waiting {
    what: What,
    turn: Option<u32>,
}

impl Waiting {
    /// True if the access blocks until its own place has a value that it waits for.
    pub fn is_for_value(&self) -> bool {
        !matches!(self.what, What::Nothing)
    }
}

#[derive(Clone, Copy)]
enum What {
    Condition(Condition),
    /// The access is a compare-exchange, which says itself what it waits for. `retries`: it would be tried again.
    Success {
        retries: bool,
    },
    /// The access does not wait for its own place.
    Nothing,
}

/// Announces that the next access, to this address, is the only thing that a loop does; it ends
/// when what is found there passes the test.
#[no_mangle]
pub extern "C" fn __dpor_await(
    address: u64,
    test: u32,
    bits: u32,
    mask: u64,
    value: u64,
    site: SiteId,
) {
    if !engine::active() || is_no_event(site) {
        return;
    }
    let condition = Condition::test(test).map(|test| Condition {
        test,
        bits: bits.clamp(1, 64),
        mask,
        value,
    });
    let retries = test == wait::RETRY;
    if condition.is_none() && test != wait::SUCCESS && !retries {
        return;
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    if retries && !rt.retries_wait {
        return;
    }
    rt.announced = Some(Announced {
        access: Access {
            address,
            condition,
            retries,
        },
        thread: engine::thread(),
    });
}

/// Announces the head of a loop whose turns do nothing to memory that is no event and has no hook,
/// but to what `now` shows: `count` words, which are all that its next turn depends on besides
/// memory that others know. `record` is of the loop as it is gone through this time: 0, or 1; the
/// number of events when it was here last, and the progress that the thread had made; what `now`
/// was then. `count` has bits of [`mod@turn`] besides.
///
/// # Safety
/// Called by instrumented code only, with `2 + count` and `count` words.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_turn(record: *mut u64, now: *const u64, count: u32, site: SiteId) {
    // With where the frame of the loop's function begins, as a fifth argument.
    core::arch::naked_asm!("lea r8, [rsp + 8]", "jmp {}", sym turn)
}

/// Does what [`__dpor_turn`] announces. `above`: memory below this address is no part of the stack.
unsafe extern "C" fn turn(record: *mut u64, now: *const u64, count: u32, site: SiteId, above: u64) {
    if volatile_is_plain() || is_no_event(site) || is_by_states() {
        return;
    }
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::NoTurns) {
        return;
    }
    if count & turn::LEFT != 0 {
        engine::forget_turn();
        return;
    }
    let (may, count) = (count & !turn::WORDS, (count & turn::WORDS) as usize);
    // SAFETY: `record` and `now` are variables of the function that the loop is in, as this
    // function's caller guarantees; nobody else knows them.
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
    let of = record.as_ptr() as u64;
    let (head, before) = record.split_at_mut(2);
    if may & turn::WRITES != 0 && own_stack_stores::turn_ends(of, above, head[0] == 1) {
        engine::changed_in_turn();
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let rt = unsafe { &mut *runtime() };
    // The first time it may be that of a loop around this one that begins.
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let progress = unsafe { &mut (*me()).progress };
    if head[0] == 1 {
        progress.turn_ends(head[1], rt.depth);
        let since = head[1] as u32;
        let wrote = may & turn::WRITES != 0 && engine::wrote_since(since);
        match before == now && !wrote {
            true => {
                rt.turns = true;
                engine::set_turn(since, may & turn::READS != 0);
            }
            false => engine::forget_turn(),
        }
    }
    head.copy_from_slice(&[1, progress.at_head(rt.depth)]);
    before.copy_from_slice(now);
    if may & turn::WRITES != 0 {
        own_stack_stores::turn_begins(of);
    }
}

/// Returns whether a wait is for plain accesses that are no events.
fn is_no_event(site: SiteId) -> bool {
    !plain_is_explored() && sites::flags(site) & site_flag::PLAIN != 0
}

/// Takes what was announced for the access to these bytes, which is about to happen: what it may
/// wait for, and the turn that it begins.
#[inline(always)]
fn announced(address: usize, bytes: u32) -> Option<Fitting> {
    // SAFETY: a fiber runs, so the runtime exists, and no event is made while it is borrowed.
    let rt = unsafe { &mut *runtime() };
    match (rt.announced, rt.turns) {
        (None, false) => None,
        _ => fitting(rt.announced.take(), address, bytes),
    }
}

/// `None`: there is no condition that the access may wait for.
type Fitting = (Option<Access>, Option<u32>);

#[cold]
fn fitting(announced: Option<Announced>, address: usize, bytes: u32) -> Option<Fitting> {
    let turn = engine::take_turn();
    let announced = announced.filter(|announced| announced.thread == engine::thread());
    let is_some = announced.is_some() || turn.is_some();
    let alone = is_some && !engine::is_inside_event() && !engine::is_cancelled();
    let fits = (address & 7) as u32 + bytes <= 8;
    let own = |access: &Access| access.address == address as u64 && fits;
    let access = announced.map(|announced| announced.access);
    alone.then_some((access.filter(own), turn))
}

/// Returns the access as one that waits, if the announced loop waits for its own place.
fn waiting(
    condition: Option<Condition>,
    address: usize,
    bytes: u32,
    turn: Option<u32>,
) -> Option<Waiting> {
    let Some(condition) = condition else {
        let what = What::Nothing;
        return turn.map(|_| Waiting { what, turn });
    };
    note_exchange(address, bytes);
    cells(address, bytes);
    let what = What::Condition(condition);
    // An access that faults does not wait.
    (!faulting::give_up()).then_some(Waiting { what, turn })
}

fn ones(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Returns what a load waits for, if it waits.
#[inline(always)]
pub fn load(address: usize, bytes: u32) -> Option<Waiting> {
    let (access, turn) = announced(address, bytes)?;
    let condition = access.and_then(|access| access.condition);
    waiting(condition, address, bytes, turn)
}

/// Returns what a store waits for, if it waits, which it does only as the first access of a turn.
#[inline(always)]
pub fn store() -> Option<Waiting> {
    // SAFETY: a fiber runs, so the runtime exists; this is a plain read.
    match unsafe { (*runtime()).turns } {
        false => None,
        true => store_of_turn(),
    }
}

#[cold]
fn store_of_turn() -> Option<Waiting> {
    let turn = engine::take_turn()?;
    let alone = !engine::is_inside_event() && !engine::is_cancelled();
    alone.then_some(Waiting {
        what: What::Nothing,
        turn: Some(turn),
    })
}

/// Returns what a compare-exchange waits for, if it waits.
#[inline(always)]
pub fn compare_exchange(address: usize, bytes: u32, expected: u64) -> Option<Waiting> {
    let (access, turn) = announced(address, bytes)?;
    let succeeds = access.is_some_and(|access| access.condition.is_none());
    let condition = succeeds.then(|| Condition::equal(8 * bytes, expected));
    let waiting = waiting(condition, address, bytes, turn)?;
    let what = if succeeds {
        let retries = access.is_some_and(|access| access.retries);
        What::Success { retries }
    } else {
        waiting.what
    };
    Some(Waiting { what, ..waiting })
}

/// Returns what a read-modify-write waits for, if it waits.
#[inline(always)]
pub fn read_modify_write(
    address: usize,
    bytes: u32,
    operator: u32,
    operand: u64,
) -> Option<Waiting> {
    let (access, turn) = announced(address, bytes)?;
    let ends = access.and_then(|access| access.condition);
    let change = match operator {
        rmw::ADD | rmw::SUB | rmw::OR | rmw::XOR if operand == 0 => Some(Change::Nothing),
        rmw::AND if operand == ones(bytes) => Some(Change::Nothing),
        rmw::XCHG => Some(Change::To(operand)),
        rmw::OR => Some(Change::SetBits(operand)),
        _ => None,
    };
    let condition = change.and_then(|change| ends?.unless_in_vain(change, bytes));
    waiting(condition, address, bytes, turn)
}

/// Tells the race detector that the thread came to these bytes, for which it may wait: it can look
/// there until it goes on, and is judged for that. `order`: how it looks.
#[inline(always)]
pub fn arrive(
    waiting: Option<Waiting>,
    address: usize,
    bytes: u32,
    look: Look,
    order: u32,
    site: SiteId,
) {
    if waiting.is_some() {
        judge_arrival((address as u64, bytes), look, order, site);
    }
}

#[cold]
fn judge_arrival(place: (u64, u32), look: Look, order: u32, site: SiteId) {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::NoLooks) {
        return;
    }
    let Some((mut races, thread)) = engine::races() else {
        return;
    };
    let arrival = races.arrive(thread, place, look, order, site);
    report(arrival.race);
    if let Some(doubt) = arrival.doubt {
        // SAFETY: a fiber runs, so the runtime exists; nothing else borrows the list.
        unsafe { (*runtime()).doubts.push((engine::thread(), doubt)) };
    }
}

/// Tells the race detector that the thread goes on, which may have waited.
#[inline(always)]
pub fn leave(waiting: Option<Waiting>, races: &mut Races, thread: ThreadId) {
    if waiting.is_some() {
        races.leave(thread);
    }
}

/// Publishes the operation as it waits.
#[inline(always)]
pub fn perform(operation: Operation, waiting: Option<Waiting>) {
    match waiting {
        None => engine::perform(operation),
        Some(waiting) => perform_waiting(operation, waiting),
    };
}

#[cold]
fn perform_waiting(operation: Operation, waiting: Waiting) -> Decision {
    let operation = match waiting.what {
        What::Condition(condition) => condition.of(operation),
        What::Success { retries } => Operation {
            waits: operation.kind == Kind::CompareExchange,
            iteration: match retries {
                true => Iteration::Retries,
                false => operation.iteration,
            },
            ..operation
        },
        What::Nothing => operation,
    };
    match waiting.turn {
        Some(since) => engine::perform_again(operation, since),
        None => engine::perform(operation),
    }
}
