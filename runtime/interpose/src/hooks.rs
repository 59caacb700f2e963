//! What the pass inserts calls to: memory accesses (see `dpor_abi::hook` for the table).
//!
//! Atomic and volatile accesses are events: publish, wait, perform, note the cells before and
//! after. Plain ones are judged by the race detector and are no scheduling points, unless
//! `--plain=explore`. Outside exploration every hook is the access itself.

use crate::engine;
use crate::engine::runtime::{runtime, CALL_SITE};
use crate::engine::{taken_for_atomic, weaker};
use crate::pthread::cancel;
use awaiting::Waiting;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};
use dpor_abi::options::{Plain, Volatile};
use dpor_abi::{order, rmw};
use dpor_explorer::program::{update, Detail, Iteration, Kind, Operation, NO_OBJECT};
use dpor_races::Look;

pub(crate) mod awaiting;
pub(crate) mod faulting;
mod frames;
pub(crate) mod futex_word;
pub(crate) mod library_calls;
pub(crate) mod missing_return;
mod native;
pub(crate) mod plain;
pub(crate) mod repeated;
mod rounds;
pub(crate) mod uninstrumented;

/// Publishes a memory operation and waits. `argument`: an [`update`].
#[inline(always)]
fn event(kind: Kind, argument: u64, address: usize, bytes: u32, expected: u128, site: u64) {
    event_or_wait(kind, argument, address, bytes, expected, site, None);
}

/// Performs the event of an access that may wait, as `waiting` says.
#[inline(always)]
fn event_or_wait(
    kind: Kind,
    argument: u64,
    address: usize,
    bytes: u32,
    expected: u128,
    site: u64,
    waiting: Option<Waiting>,
) {
    if engine::is_cancelled() {
        cancel::anywhere(site);
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let object = unsafe { (*runtime()).blocks.object(address as u64, u64::from(bytes)) };
    let (argument, waiting) = match kind {
        Kind::Store => {
            let argument = plain::note_store(object, address as u64, u64::from(bytes));
            (argument, awaiting::store())
        }
        _ => (argument, waiting),
    };
    let operation = Operation {
        kind,
        offset: (address & 7) as u8,
        bytes,
        object,
        other: NO_OBJECT,
        argument,
        also: None,
        detail: match kind {
            Kind::CompareExchange => Detail::expects(expected),
            _ => Detail::None,
        },
        site,
        timed: false,
        again: false,
        waits: false,
        iteration: Iteration::None,
    };
    awaiting::perform(operation, waiting);
}

/// Reads the (up to three) cells that an access touches.
#[inline(always)]
fn cells(address: usize, bytes: u32) -> [u64; 3] {
    let first = address & !7;
    let count = (address - first + bytes as usize).div_ceil(8);
    let mut values = [0; 3];
    for (k, value) in values.iter_mut().enumerate().take(count) {
        // SAFETY: an aligned word that holds at least one byte of an access that is about to
        // happen: mapped, or the fault is the program's.
        *value = unsafe { faulting::read_word(first + 8 * k) };
    }
    values
}

#[inline(always)]
fn note_before(address: usize, bytes: u32) {
    let values = cells(address, bytes);
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime()).executed.before = values };
}

#[inline(always)]
fn note_after(address: usize, bytes: u32) {
    // SAFETY: a fiber runs, so the runtime exists, and the event that this is called for is the
    // current one.
    unsafe {
        (*runtime()).executed.after = cells(address, bytes);
        if engine::is_inside_event() {
            plain::note_write(address, u64::from(bytes));
        }
    }
}

/// Hands on a fault in the access of an event. It is judged like any other, but orders nothing.
#[cold]
fn faulted(kind: Kind, argument: u64, address: usize, bytes: u32, site: u64) {
    if let Some((mut races, thread)) = engine::races() {
        let at = address as u64;
        report(match kind {
            Kind::Store => races.atomic_store(thread, at, bytes, order::RELAXED, site),
            Kind::ReadModifyWrite => races.atomic_rmw(thread, at, bytes, order::RELAXED, site),
            _ => races.atomic_load(thread, at, bytes, order::RELAXED, site),
        });
    }
    let first = address & !7;
    let cells = (address - first + bytes as usize).div_ceil(8);
    faulting::handle(argument, first, cells);
}

/// Remembers that a compare-exchange touches these cells: plain writes to them matter for
/// predicting its outcome.
#[inline(always)]
pub(crate) fn note_exchange(address: usize, bytes: u32) {
    // SAFETY: a fiber runs, so the runtime exists; nothing else borrows the set, and no event is
    // made while it is borrowed.
    let known = unsafe { &mut (*runtime()).exchange_cells };
    for cell in address as u64 >> 3..=(address as u64 + u64::from(bytes) - 1) >> 3 {
        if !known.contains(&cell) {
            known.insert(cell);
            plain::remember_exchange(cell);
        }
    }
}

fn report(race: Option<dpor_races::Race>) {
    if let Some(race) = race {
        engine::race(race);
    }
}

fn operate<T: native::Word>(operator: u32, old: T, value: T) -> T {
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
fn update_of(operator: u32, is_used: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let commute = unsafe { (*runtime()).commute };
    if is_used != 0 || !commute || (address & 7) as u32 + bytes > 8 || engine::is_inside_event() {
        return update::OTHER;
    }
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

/// Remembers the operand of an update, for the search.
#[inline(always)]
fn note_operand(operator: u32, value: u64) {
    let operand = match operator {
        rmw::SUB => value.wrapping_neg(),
        _ => value,
    };
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime()).operand = operand };
}

/// Performs one explored access of type `T` at `address`. `change`: returns what the access writes,
/// given the old value; `None`: nothing. `argument`: an [`update`].
///
/// # Safety
/// The program makes this access at this place: `address` is what it passed to the hook.
#[inline(always)]
unsafe fn explored<T: native::Word>(
    kind: Kind,
    argument: u64,
    address: usize,
    expected: u128,
    site: u64,
    waiting: Option<Waiting>,
    change: impl Fn(T) -> Option<T>,
) -> T {
    let bytes = size_of::<T>() as u32;
    loop {
        event_or_wait(kind, argument, address, bytes, expected, site, waiting);
        note_before(address, bytes);
        if !faulting::is_pending() {
            // SAFETY: the access is the program's, as this function's caller guarantees; between
            // two events one fiber runs.
            let old = unsafe { core::ptr::read_unaligned(address as *const T) };
            if let Some(new) = change(old) {
                // SAFETY: the access is the program's, as this function's caller guarantees; where
                // it may fault, that is noted.
                unsafe { faulting::write(address, new) };
            }
            if !faulting::is_pending() {
                note_after(address, bytes);
                return old;
            }
        }
        faulted(kind, argument, address, bytes, site);
    }
}

macro_rules! atomic_hooks {
    ($($bytes:literal $type:ty, $load:ident $store:ident $rmw:ident $begin:ident $end:ident $cas:ident $vload:ident $vstore:ident;)+) => {$(
        /// Hook of an atomic load, which it makes; returns the value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $load(address: *mut $type, order: u32, site: u64) -> $type {
            if plain::is_unjudged(address as u64, $bytes, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::load(address) };
            }
            weaker::note(address as usize, order, site);
            let waiting = awaiting::load(address as usize, $bytes);
            awaiting::arrive(waiting, address as usize, $bytes, Look::Load, order, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let value = unsafe { explored(Kind::Load, 0, address as usize, 0, site, waiting, |_| None) };
            if let Some((mut races, thread)) = engine::races() {
                awaiting::leave(waiting, &mut races, thread);
                report(races.atomic_load(thread, address as u64, $bytes, order, site));
            }
            value
        }

        /// Hook of an atomic store, which it makes.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $store(address: *mut $type, value: $type, order: u32, site: u64) {
            if plain::is_unjudged(address as u64, $bytes, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::store(address, value) };
            }
            weaker::note(address as usize, order, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            unsafe { explored(Kind::Store, 0, address as usize, 0, site, None, |_| Some(value)) };
            if let Some((mut races, thread)) = engine::races() {
                report(races.atomic_store(thread, address as u64, $bytes, order, site));
            }
        }

        /// Hook of an atomic read-modify-write, which it makes; returns the old value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $rmw(address: *mut $type, value: $type, operator: u32, order: u32, used: u32, site: u64) -> $type {
            if plain::is_unjudged(address as u64, $bytes, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::update(address, |old| operate(operator, old, value)) };
            }
            weaker::note_update(address as usize, order, order::SEQ_CST, site);
            let update = update_of(operator, used, address as usize, $bytes);
            let waiting = awaiting::read_modify_write(address as usize, $bytes, operator, value as u64);
            awaiting::arrive(waiting, address as usize, $bytes, Look::Update, order, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let old = unsafe {
                explored(Kind::ReadModifyWrite, update, address as usize, 0, site, waiting, |old| {
                    note_operand(operator, value as u64);
                    Some(operate(operator, old, value))
                })
            };
            if let Some((mut races, thread)) = engine::races() {
                awaiting::leave(waiting, &mut races, thread);
                report(match update {
                    update::OTHER => races.atomic_rmw(thread, address as u64, $bytes, order, site),
                    _ => races.atomic_update(thread, address as u64, $bytes, update as u8, order, site),
                });
            }
            old
        }

        /// First half of a read-modify-write that the pass computes itself; returns the old value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $begin(address: *mut $type, order: u32, _used: u32, site: u64) -> $type {
            if plain::is_unjudged(address as u64, $bytes, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::begin(address) };
            }
            weaker::note_update(address as usize, order, order::SEQ_CST, site);
            loop {
                event(Kind::ReadModifyWrite, update::OTHER, address as usize, $bytes, 0, site);
                note_before(address as usize, $bytes);
                if !faulting::is_pending() {
                    break;
                }
                faulted(Kind::ReadModifyWrite, update::OTHER, address as usize, $bytes, site);
            }
            if let Some((mut races, thread)) = engine::races() {
                report(races.atomic_rmw(thread, address as u64, $bytes, order, site));
            }
            // SAFETY: the program's own access; no other fiber runs before the second half.
            unsafe { address.read_unaligned() }
        }

        /// Second half: stores the new value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $end(address: *mut $type, new: $type, _order: u32, _site: u64) {
            if !engine::active() {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::end(address, new) };
            }
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            unsafe { address.write_unaligned(new) };
            note_after(address as usize, $bytes);
        }

        /// Hook of an atomic compare-exchange, which it makes; returns the old value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $cas(
            address: *mut $type, expected: $type, desired: $type, success: u32, failure: u32, _weak: u32, site: u64,
        ) -> $type {
            if plain::is_unjudged(address as u64, $bytes, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::compare_exchange(address, expected, desired) };
            }
            weaker::note_update(address as usize, success, failure, site);
            note_exchange(address as usize, $bytes);
            let waiting = awaiting::compare_exchange(address as usize, $bytes, expected as u64);
            awaiting::arrive(waiting, address as usize, $bytes, Look::Load, failure, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let old = unsafe {
                explored(Kind::CompareExchange, 0, address as usize, expected as u128, site, waiting, |old| {
                    (old == expected).then_some(desired)
                })
            };
            if let Some((mut races, thread)) = engine::races() {
                awaiting::leave(waiting, &mut races, thread);
                report(if old == expected {
                    races.atomic_rmw(thread, address as u64, $bytes, success, site)
                } else {
                    races.atomic_load(thread, address as u64, $bytes, failure, site)
                });
            }
            old
        }

        /// Hook of a volatile load, which it makes; returns the value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $vload(address: *mut $type, site: u64) -> $type {
            if volatile_is_plain() {
                plain::access(address as u64, $bytes, false, site);
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { address.read_unaligned() };
            }
            taken_for_atomic::note(address as usize, false, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            unsafe { $load(address, order::SEQ_CST, site) }
        }

        /// Hook of a volatile store, which it makes.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        #[no_mangle]
        pub unsafe extern "C" fn $vstore(address: *mut $type, value: $type, site: u64) {
            if volatile_is_plain() {
                plain::access(address as u64, $bytes, true, site);
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { address.write_unaligned(value) };
            }
            taken_for_atomic::note(address as usize, true, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            unsafe { $store(address, value, order::SEQ_CST, site) }
        }
    )+};
}

atomic_hooks! {
    1 u8, __dpor_load1 __dpor_store1 __dpor_rmw1 __dpor_rmw_begin1 __dpor_rmw_end1 __dpor_cas1 __dpor_volatile_load1 __dpor_volatile_store1;
    2 u16, __dpor_load2 __dpor_store2 __dpor_rmw2 __dpor_rmw_begin2 __dpor_rmw_end2 __dpor_cas2 __dpor_volatile_load2 __dpor_volatile_store2;
    4 u32, __dpor_load4 __dpor_store4 __dpor_rmw4 __dpor_rmw_begin4 __dpor_rmw_end4 __dpor_cas4 __dpor_volatile_load4 __dpor_volatile_store4;
    8 u64, __dpor_load8 __dpor_store8 __dpor_rmw8 __dpor_rmw_begin8 __dpor_rmw_end8 __dpor_cas8 __dpor_volatile_load8 __dpor_volatile_store8;
    16 u128, __dpor_load16 __dpor_store16 __dpor_rmw16 __dpor_rmw_begin16 __dpor_rmw_end16 __dpor_cas16 __dpor_volatile_load16 __dpor_volatile_store16;
}

/// Returns whether a volatile access is judged like a plain one; outside exploration it is just
/// performed.
fn volatile_is_plain() -> bool {
    // SAFETY: `active` has found that the runtime exists; its options never change.
    !engine::active() || unsafe { (*runtime()).options.volatile == Volatile::Plain }
}

/// Volatile access of an odd width, about to be performed.
#[no_mangle]
pub extern "C" fn __dpor_volatile_range(address: u64, bytes: u64, is_write: u32, site: u64) {
    if plain::is_unjudged(address, bytes, site) {
        return;
    }
    if volatile_is_plain() {
        return plain::access(address, bytes, is_write != 0, site);
    }
    plain::explore(address, bytes, is_write != 0, site);
    if let Some((mut races, thread)) = engine::races() {
        for (at, width) in plain::pieces(address, bytes) {
            report(match is_write {
                0 => races.atomic_load(thread, at, width, order::SEQ_CST, site),
                _ => races.atomic_store(thread, at, width, order::SEQ_CST, site),
            });
        }
    }
}

/// Fence: no event under sequential consistency, but it orders what the race detector judges.
#[no_mangle]
pub extern "C" fn __dpor_fence(order: u32, single_thread: u32, _site: u64) {
    if single_thread != 0 {
        return core::sync::atomic::compiler_fence(Ordering::SeqCst);
    }
    if !engine::active() {
        return core::sync::atomic::fence(Ordering::SeqCst);
    }
    if let Some((mut races, thread)) = engine::races() {
        races.fence(thread, order);
    }
}

/// Ends the execution: a lock that is held for a few instructions was found taken. The execution in
/// which this thread comes after the unlock is another one, so this one ends here.
#[no_mangle]
pub extern "C" fn __dpor_spin() {
    if engine::active() && !engine::is_inside_event() {
        engine::dead();
    }
    let native = real!(sched_yield: fn() -> core::ffi::c_int);
    // SAFETY: libc's function takes no arguments.
    unsafe { native() };
}

/// Tells of a memory operand of inline assembly, about to be used: a sequentially consistent
/// read-modify-write.
#[no_mangle]
pub extern "C" fn __dpor_assembly_access(address: u64, bytes: u64, site: u64) {
    if plain::is_unjudged(address, bytes, site) {
        return;
    }
    plain::explore_both(address, bytes, site);
    if let Some((mut races, thread)) = engine::races() {
        for (at, width) in plain::pieces(address, bytes) {
            report(races.atomic_rmw(thread, at, width, order::SEQ_CST, site));
        }
    }
}

/// Inline assembly that reaches memory in a way that cannot be seen.
#[no_mangle]
pub extern "C" fn __dpor_assembly_unknown(site: u64) {
    if engine::active() && engine::has_company() {
        CALL_SITE.store(site, Ordering::Relaxed);
        engine::unsupported("inline assembly");
    }
    uninstrumented::reads_anything();
}

/// Takes note of an instrumented module that was loaded.
#[no_mangle]
pub extern "C" fn __dpor_module(module: *const c_void) {
    // SAFETY: called by the constructor that the pass emitted, with its own record.
    unsafe { crate::start::module_loaded(module.cast()) };
}

/// Returns whether plain accesses are events (`--plain=explore`).
pub(crate) fn plain_is_explored() -> bool {
    // SAFETY: the caller runs while a program is explored, so the runtime exists; its options never
    // change.
    unsafe { (*runtime()).options.plain == Plain::Explore }
}
