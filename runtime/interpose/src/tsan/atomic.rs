//! Atomic accesses, which are made here, and fences.

use super::{note_stand, place_in, turns, with_place};
use crate::hooks::__dpor_fence;
use crate::hooks::atomic::*;
use crate::hooks::clean_entry::clear_below;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicU64, Ordering};
use dpor_abi::{order, rmw};
use dpor_machine::state::PerStep;
use dpor_model::SiteId;

/// The order that C numbers so. gcc sets further bits, for lock elision and for its old functions (`__sync_*`).
fn order_of(c: u32) -> u32 {
    match c & 7 {
        0 => order::RELAXED,
        1 | 2 => order::ACQUIRE,
        3 => order::RELEASE,
        4 => order::ACQ_REL,
        _ => order::SEQ_CST,
    }
}

/// The order of a compare-exchange that fails, which does not store: of one that only releases, nothing is left.
fn failure_of(c: u32) -> u32 {
    match order_of(c) {
        order::RELEASE => order::RELAXED,
        order::ACQ_REL => order::ACQUIRE,
        other => other,
    }
}

/// Place of the access of 16 bytes that begins: its function has more arguments than registers.
static WIDE_PLACE: PerStep<AtomicU64> = PerStep::new(AtomicU64::new(0));

/// As [`with_place`], with the place in [`WIDE_PLACE`].
macro_rules! with_kept_place {
    ($($name:ident)+) => {$(
        const _: () = {
            use self::$name as body;

            /// See its body.
            ///
            /// # Safety
            /// As of its body.
            #[unsafe(naked)]
            #[no_mangle]
            unsafe extern "C" fn $name() {
                naked_asm!(
                    clear_below!(),
                    note_stand!(6),
                    place_in!("rax"),
                    "mov [rip + {place}], rax",
                    "jmp {body}",
                    clears = sym crate::hooks::clean_entry::CLEARS,
                    begin = sym crate::hooks::clean_entry::begin,
                    active = sym crate::engine::runtime::ACTIVE,
                    visit = sym turns::visit,
                    place = sym WIDE_PLACE,
                    body = sym body,
                )
            }
        };
    )+};
}

macro_rules! loads {
    ($($type:ty, $load:ident $hook:ident, $store:ident $store_hook:ident;)+) => {$(
        /// Makes an atomic load.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is valid.
        pub unsafe extern "C" fn $load(address: *mut $type, order: u32, site: SiteId) -> $type {
            // SAFETY: the access is the program's, as the caller guarantees.
            unsafe { $hook(address, order_of(order), site) }
        }

        /// Makes an atomic store.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is valid.
        pub unsafe extern "C" fn $store(address: *mut $type, value: $type, order: u32, site: SiteId) {
            // SAFETY: the access is the program's, as the caller guarantees.
            unsafe { $store_hook(address, value, order_of(order), site) };
        }
    )+};
}

loads! {
    u8, __tsan_atomic8_load __dpor_load1, __tsan_atomic8_store __dpor_store1;
    u16, __tsan_atomic16_load __dpor_load2, __tsan_atomic16_store __dpor_store2;
    u32, __tsan_atomic32_load __dpor_load4, __tsan_atomic32_store __dpor_store4;
    u64, __tsan_atomic64_load __dpor_load8, __tsan_atomic64_store __dpor_store8;
    u128, __tsan_atomic128_load __dpor_load16, __tsan_atomic128_store __dpor_store16;
}

with_place!("rdx", stands 2: __tsan_atomic8_load __tsan_atomic16_load __tsan_atomic32_load __tsan_atomic64_load __tsan_atomic128_load);
with_place!("rcx", stands 3: __tsan_atomic8_store __tsan_atomic16_store __tsan_atomic32_store __tsan_atomic64_store);
with_place!("r8", stands 4: __tsan_atomic128_store);

/// Read-modify-writes. Their results count as used: no such call says whether.
macro_rules! updates {
    ($place:literal, $arguments:literal, $type:ty, $hook:ident: $($name:ident $operator:ident;)+) => {
        $(
            /// Makes an atomic read-modify-write; returns the old value.
            ///
            /// # Safety
            /// Called by instrumented code only, for an access of its own, for which `address` is valid.
            pub unsafe extern "C" fn $name(address: *mut $type, value: $type, order: u32, site: SiteId) -> $type {
                // SAFETY: the access is the program's, as the caller guarantees.
                unsafe { $hook(address, value, rmw::$operator, order_of(order), 1, site) }
            }
        )+
        with_place!($place, stands $arguments: $($name)+);
    };
}

updates! { "rcx", 3, u8, __dpor_rmw1:
    __tsan_atomic8_exchange XCHG; __tsan_atomic8_fetch_add ADD; __tsan_atomic8_fetch_sub SUB;
    __tsan_atomic8_fetch_and AND; __tsan_atomic8_fetch_or OR; __tsan_atomic8_fetch_xor XOR;
    __tsan_atomic8_fetch_nand NAND;
}
updates! { "rcx", 3, u16, __dpor_rmw2:
    __tsan_atomic16_exchange XCHG; __tsan_atomic16_fetch_add ADD; __tsan_atomic16_fetch_sub SUB;
    __tsan_atomic16_fetch_and AND; __tsan_atomic16_fetch_or OR; __tsan_atomic16_fetch_xor XOR;
    __tsan_atomic16_fetch_nand NAND;
}
updates! { "rcx", 3, u32, __dpor_rmw4:
    __tsan_atomic32_exchange XCHG; __tsan_atomic32_fetch_add ADD; __tsan_atomic32_fetch_sub SUB;
    __tsan_atomic32_fetch_and AND; __tsan_atomic32_fetch_or OR; __tsan_atomic32_fetch_xor XOR;
    __tsan_atomic32_fetch_nand NAND;
}
updates! { "rcx", 3, u64, __dpor_rmw8:
    __tsan_atomic64_exchange XCHG; __tsan_atomic64_fetch_add ADD; __tsan_atomic64_fetch_sub SUB;
    __tsan_atomic64_fetch_and AND; __tsan_atomic64_fetch_or OR; __tsan_atomic64_fetch_xor XOR;
    __tsan_atomic64_fetch_nand NAND;
}
updates! { "r8", 4, u128, __dpor_rmw16:
    __tsan_atomic128_exchange XCHG; __tsan_atomic128_fetch_add ADD; __tsan_atomic128_fetch_sub SUB;
    __tsan_atomic128_fetch_and AND; __tsan_atomic128_fetch_or OR; __tsan_atomic128_fetch_xor XOR;
    __tsan_atomic128_fetch_nand NAND;
}

macro_rules! exchanges {
    ($($type:ty, $hook:ident: $strong:ident $weak:ident $value:ident;)+) => {$(
        exchanges!(one $type, $hook, $strong, 0);
        exchanges!(one $type, $hook, $weak, 1);

        /// Makes an atomic compare-exchange; returns the old value.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is valid.
        pub unsafe extern "C" fn $value(
            address: *mut $type, expected: $type, desired: $type, success: u32, failure: u32, site: SiteId,
        ) -> $type {
            // SAFETY: the access is the program's, as the caller guarantees.
            unsafe { $hook(address, expected, desired, order_of(success), failure_of(failure), 0, site) }
        }
    )+};
    (one $type:ty, $hook:ident, $name:ident, $weak:literal) => {
        /// Makes an atomic compare-exchange; returns whether it stored, and puts the old value where the expected one was
        /// if it did not.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is valid, as `expected` is.
        pub unsafe extern "C" fn $name(
            address: *mut $type, expected: *mut $type, desired: $type, success: u32, failure: u32, site: SiteId,
        ) -> u32 {
            // SAFETY: the access is the program's, as the caller guarantees, who owns what is expected.
            unsafe {
                let wanted = expected.read_unaligned();
                let old = $hook(address, wanted, desired, order_of(success), failure_of(failure), $weak, site);
                if old != wanted {
                    turns::stored(expected as usize);
                    expected.write_unaligned(old);
                }
                (old == wanted).into()
            }
        }
    };
}

exchanges! {
    u8, __dpor_cas1:
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val;
    u16, __dpor_cas2:
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val;
    u32, __dpor_cas4:
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val;
    u64, __dpor_cas8:
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val;
}

with_place!("r9", stands 5:
    __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val
    __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val
    __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val
    __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val
);

fn wide_place() -> SiteId {
    SiteId(WIDE_PLACE.load(Ordering::Relaxed))
}

macro_rules! wide_exchanges {
    ($($name:ident $weak:literal;)+) => {$(
        /// Makes an atomic compare-exchange of 16 bytes; returns whether it stored, and puts the old value where the
        /// expected one was if it did not.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access of its own, for which `address` is valid, as `expected` is.
        pub unsafe extern "C" fn $name(
            address: *mut u128, expected: *mut u128, desired: u128, success: u32, failure: u32,
        ) -> u32 {
            let site = wide_place();
            // SAFETY: the access is the program's, as the caller guarantees, who owns what is expected.
            unsafe {
                let wanted = expected.read_unaligned();
                let old = __dpor_cas16(address, wanted, desired, order_of(success), failure_of(failure), $weak, site);
                if old != wanted {
                    turns::stored(expected as usize);
                    expected.write_unaligned(old);
                }
                (old == wanted).into()
            }
        }
    )+};
}

wide_exchanges! {
    __tsan_atomic128_compare_exchange_strong 0;
    __tsan_atomic128_compare_exchange_weak 1;
}

/// Makes an atomic compare-exchange of 16 bytes; returns the old value.
///
/// # Safety
/// Called by instrumented code only, for an access of its own, for which `address` is valid.
pub unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    address: *mut u128,
    expected: u128,
    desired: u128,
    success: u32,
    failure: u32,
) -> u128 {
    let (site, success) = (wide_place(), order_of(success));
    // SAFETY: the access is the program's, as the caller guarantees.
    unsafe {
        __dpor_cas16(
            address,
            expected,
            desired,
            success,
            failure_of(failure),
            0,
            site,
        )
    }
}

with_kept_place!(
    __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak
    __tsan_atomic128_compare_exchange_val
);

/// Fence between threads.
pub extern "C" fn __tsan_atomic_thread_fence(order: u32, site: SiteId) {
    __dpor_fence(order_of(order), 0, site);
}

/// Fence between a thread and its signal handlers.
pub extern "C" fn __tsan_atomic_signal_fence(order: u32, site: SiteId) {
    __dpor_fence(order_of(order), 1, site);
}

with_place!("rsi": __tsan_atomic_thread_fence __tsan_atomic_signal_fence);
