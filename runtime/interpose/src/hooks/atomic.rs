//! Hooks of atomic accesses, which make them, and of volatile ones, which are atomic or plain as the options say.

use super::clean_entry::clean_entries;
use super::event::{event, explored, faulted};
use super::operator::{
    counter_of, is_increment, is_told_no, looked_at, note_operand, operate, update_of,
};
use super::options::volatile_is_plain;
use super::race::report;
use super::{awaiting, native, plain};
use crate::engine::accesses::cells::{note_after, note_before, note_exchange};
use crate::engine::accesses::faulting;
use crate::engine::{self, call_stacks, taken_for_atomic, weaker};
use dpor_abi::order;
use dpor_model::{update, Counter, Detail, Kind, SiteId};
use dpor_races::Look;

/// Makes the hooks that are exported, each with a clean entry.
macro_rules! atomic_hooks {
    ($($bytes:literal $type:ty, $load:ident $store:ident $rmw:ident $begin:ident $end:ident $cas:ident $vload:ident $vstore:ident;)+) => {
        clean_entries! {
            $($load, $store, $rmw, $begin, $end, $cas, $vload, $vstore),+
        }
        bodies! {
            $($bytes $type, $load $store $rmw $begin $end $cas $vload $vstore;)+
        }
    };
}

macro_rules! bodies {
    ($($bytes:literal $type:ty, $load:ident $store:ident $rmw:ident $begin:ident $end:ident $cas:ident $vload:ident $vstore:ident;)+) => {$(
        /// Hook of an atomic load, which it makes; returns the value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        pub unsafe extern "C" fn $load(address: *mut $type, order: u32, site: SiteId) -> $type {
            if plain::is_unjudged(address as u64, $bytes, false, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::load(address) };
            }
            let (order, counting) = order::parts(order);
            weaker::note(address as usize, order, site);
            let site = call_stacks::with_order(site, order);
            let waiting = awaiting::load(address as usize, $bytes);
            let count = match waiting {
                None => looked_at(counting, address as usize, $bytes),
                Some(_) => 0,
            };
            let detail = match count {
                0 => Detail::None,
                _ => Detail::Counter(Counter::LAST),
            };
            if count != 0 {
                // What it is told is derived in other places.
                note_exchange(address as usize, $bytes);
            }
            awaiting::arrive(waiting, address as usize, $bytes, Look::Load, order, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let value = unsafe { explored(Kind::Load, count.into(), address as usize, detail, site, waiting, |_| None) };
            if let Some((mut races, thread)) = engine::races() {
                awaiting::leave(waiting, &mut races, thread);
                report(match is_told_no(value as u64, count) {
                    true => races.atomic_look(thread, address as u64, ($bytes, count), order, site),
                    false => races.atomic_load(thread, address as u64, $bytes, order, site),
                });
            }
            value
        }

        /// Hook of an atomic store, which it makes.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        pub unsafe extern "C" fn $store(address: *mut $type, value: $type, order: u32, site: SiteId) {
            if plain::is_unjudged(address as u64, $bytes, true, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::store(address, value) };
            }
            weaker::note(address as usize, order, site);
            let site = call_stacks::with_order(site, order);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            unsafe { explored(Kind::Store, 0, address as usize, Detail::None, site, None, |_| Some(value)) };
            if let Some((mut races, thread)) = engine::races() {
                report(races.atomic_store(thread, address as u64, $bytes, order, site));
            }
        }

        /// Hook of an atomic read-modify-write, which it makes; returns the old value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is
        /// valid.
        pub unsafe extern "C" fn $rmw(address: *mut $type, value: $type, operator: u32, order: u32, used: u32, site: SiteId) -> $type {
            if plain::is_unjudged(address as u64, $bytes, true, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::update(address, |old| operate(operator, old, value)) };
            }
            weaker::note_update(address as usize, order, order::SEQ_CST, site);
            let site = call_stacks::with_order(site, order);
            let update = update_of(operator, used, address as usize, $bytes);
            let counter = counter_of(operator, used, value as u64, address as usize, $bytes);
            if counter.is_some() {
                // Its answer is derived in other places.
                note_exchange(address as usize, $bytes);
            }
            let waiting = awaiting::read_modify_write(address as usize, $bytes, operator, value as u64);
            awaiting::arrive(waiting, address as usize, $bytes, Look::Update, order, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let old = unsafe {
                let detail = counter.map_or(Detail::None, Detail::Counter);
                explored(Kind::ReadModifyWrite, update, address as usize, detail, site, waiting, |old| {
                    note_operand(operator, value as u64);
                    Some(operate(operator, old, value))
                })
            };
            if let Some((mut races, thread)) = engine::races() {
                awaiting::leave(waiting, &mut races, thread);
                // As the search takes it: one that waits for a value has that for its detail.
                let is_awaited = waiting.is_some_and(|waiting| waiting.is_for_value());
                report(match (update, counter.filter(|_| !is_awaited)) {
                    (_, Some(counter)) => {
                        let answer = counter.answer(old as u64, $bytes);
                        races.atomic_counter(thread, address as u64, $bytes, counter, answer, order, site)
                    }
                    (update, None) if is_increment(update, address as usize, $bytes) && !is_awaited => {
                        races.atomic_counter(thread, address as u64, $bytes, Counter::LAST, false, order, site)
                    }
                    (update::OTHER, None) => races.atomic_rmw(thread, address as u64, $bytes, order, site),
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
        pub unsafe extern "C" fn $begin(address: *mut $type, order: u32, _used: u32, site: SiteId) -> $type {
            if plain::is_unjudged(address as u64, $bytes, true, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::begin(address) };
            }
            weaker::note_update(address as usize, order, order::SEQ_CST, site);
            let site = call_stacks::with_order(site, order);
            loop {
                event(Kind::ReadModifyWrite, update::OTHER, address as usize, $bytes, Detail::None, site);
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
        pub unsafe extern "C" fn $end(address: *mut $type, new: $type, _order: u32, _site: SiteId) {
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
        pub unsafe extern "C" fn $cas(
            address: *mut $type, expected: $type, desired: $type, success: u32, failure: u32, _weak: u32, site: SiteId,
        ) -> $type {
            if plain::is_unjudged(address as u64, $bytes, true, site) {
                // SAFETY: `address` is what the program passed for an access of its own, which is
                // valid where that is.
                return unsafe { native::Word::compare_exchange(address, expected, desired) };
            }
            weaker::note_update(address as usize, success, failure, site);
            let site = call_stacks::with_order(site, success);
            note_exchange(address as usize, $bytes);
            let waiting = awaiting::compare_exchange(address as usize, $bytes, expected as u64);
            awaiting::arrive(waiting, address as usize, $bytes, Look::Load, failure, site);
            // SAFETY: `address` is what the program passed for an access of its own, which is valid
            // where that is.
            let old = unsafe {
                explored(Kind::CompareExchange, 0, address as usize, Detail::expects(expected as u128), site, waiting, |old| {
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
        pub unsafe extern "C" fn $vload(address: *mut $type, site: SiteId) -> $type {
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
        pub unsafe extern "C" fn $vstore(address: *mut $type, value: $type, site: SiteId) {
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

/// Volatile access of an odd width, about to be performed.
#[no_mangle]
pub extern "C" fn __dpor_volatile_range(address: u64, bytes: u64, is_write: u32, site: SiteId) {
    if plain::is_unjudged(address, bytes, is_write != 0, site) {
        return;
    }
    if volatile_is_plain() {
        return plain::access(address, bytes, is_write != 0, site);
    }
    let site = call_stacks::here(site);
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
