//! Plain and volatile accesses, told of before they are made.

use super::{note_stand, place_in, turns};
use crate::engine::{self, taken_for_atomic};
use crate::hooks::atomic::{
    __dpor_load1, __dpor_load16, __dpor_load2, __dpor_load4, __dpor_load8, __dpor_volatile_range,
};
use crate::hooks::options;
use crate::hooks::plain_hooks::*;
use core::arch::naked_asm;
use dpor_abi::order;
use dpor_model::SiteId;

/// Exports functions of an address: each goes on in a hook of an address and a place.
macro_rules! of_address {
    ($($name:ident => $hook:ident;)+) => {$(
        /// Tells of a plain access, as the pass's hook does that it goes on in.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access that it makes next.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name() {
            naked_asm!(place_in!("rsi"), "jmp {hook}", hook = sym $hook)
        }
    )+};
}

of_address! {
    __tsan_read1 => __dpor_read1; __tsan_write1 => __dpor_write1;
    __tsan_read2 => __dpor_read2; __tsan_write2 => __dpor_write2;
    __tsan_read4 => __dpor_read4; __tsan_write4 => __dpor_write4;
    __tsan_read8 => __dpor_read8; __tsan_write8 => __dpor_write8;
    __tsan_read16 => __dpor_read16; __tsan_write16 => __dpor_write16;
    __tsan_unaligned_read2 => __dpor_read2; __tsan_unaligned_write2 => __dpor_write2;
    __tsan_unaligned_read4 => __dpor_read4; __tsan_unaligned_write4 => __dpor_write4;
    __tsan_unaligned_read8 => __dpor_read8; __tsan_unaligned_write8 => __dpor_write8;
    __tsan_unaligned_read16 => __dpor_read16; __tsan_unaligned_write16 => __dpor_write16;
    __tsan_vptr_read => __dpor_read8;
    __tsan_read_write1 => update1; __tsan_read_write2 => update2; __tsan_read_write4 => update4;
    __tsan_read_write8 => update8; __tsan_read_write16 => update16;
    __tsan_unaligned_read_write2 => update2; __tsan_unaligned_read_write4 => update4;
    __tsan_unaligned_read_write8 => update8; __tsan_unaligned_read_write16 => update16;
}

/// Exports functions of an address and a place that is given.
macro_rules! of_given_place {
    ($($name:ident => $hook:ident;)+) => {$(
        /// Tells of a plain access at a place that is given.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access that it makes next.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name() {
            naked_asm!("bts rsi, 62", "jmp {hook}", hook = sym $hook)
        }
    )+};
}

of_given_place! {
    __tsan_read1_pc => __dpor_read1; __tsan_write1_pc => __dpor_write1;
    __tsan_read2_pc => __dpor_read2; __tsan_write2_pc => __dpor_write2;
    __tsan_read4_pc => __dpor_read4; __tsan_write4_pc => __dpor_write4;
    __tsan_read8_pc => __dpor_read8; __tsan_write8_pc => __dpor_write8;
    __tsan_read16_pc => __dpor_read16; __tsan_write16_pc => __dpor_write16;
}

macro_rules! updates {
    ($($name:ident $update:ident $write:ident;)+) => {$(
        /// Tells of a read, and of the write to the same bytes that comes next.
        extern "C" fn $name(address: u64, site: SiteId) {
            if $update(address, site, site) != 0 {
                $write(address, site);
            }
        }
    )+};
}

updates! {
    update1 __dpor_update1 __dpor_write1;
    update2 __dpor_update2 __dpor_write2;
    update4 __dpor_update4 __dpor_write4;
    update8 __dpor_update8 __dpor_write8;
    update16 __dpor_update16 __dpor_write16;
}

/// Exports functions of an address and a second argument, with the place as a third.
macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident => $hook:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by instrumented code only, for an access that it makes next.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name() {
            naked_asm!(place_in!("rdx"), "jmp {hook}", hook = sym $hook)
        }
    )+};
}

of_two! {
    /// Tells of a plain read of any length.
    __tsan_read_range => __dpor_read_range;
    /// Tells of a plain write of any length.
    __tsan_write_range => __dpor_write_range;
    /// Tells of a write of a virtual table pointer, which is given: a constructor or a destructor makes it.
    __tsan_vptr_update => __dpor_destructor_vptr;
}

/// Exports functions of a volatile access.
macro_rules! volatiles {
    ($($name:ident $bytes:literal $writes:literal;)+) => {$(
        /// Tells of a volatile access.
        ///
        /// # Safety
        /// Called by instrumented code only, for an access that it makes next.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                note_stand!(1),
                place_in!("rcx"),
                concat!("mov esi, ", $bytes),
                concat!("mov edx, ", $writes),
                "jmp {access}",
                active = sym engine::runtime::ACTIVE,
                visit = sym turns::visit,
                access = sym volatile,
            )
        }
    )+};
}

volatiles! {
    __tsan_volatile_read1 1 0; __tsan_volatile_write1 1 1;
    __tsan_volatile_read2 2 0; __tsan_volatile_write2 2 1;
    __tsan_volatile_read4 4 0; __tsan_volatile_write4 4 1;
    __tsan_volatile_read8 8 0; __tsan_volatile_write8 8 1;
    __tsan_volatile_read16 16 0; __tsan_volatile_write16 16 1;
    __tsan_unaligned_volatile_read2 2 0; __tsan_unaligned_volatile_write2 2 1;
    __tsan_unaligned_volatile_read4 4 0; __tsan_unaligned_volatile_write4 4 1;
    __tsan_unaligned_volatile_read8 8 0; __tsan_unaligned_volatile_write8 8 1;
    __tsan_unaligned_volatile_read16 16 0; __tsan_unaligned_volatile_write16 16 1;
}

extern "C" fn volatile(address: u64, bytes: u64, writes: u32, site: SiteId) {
    if !engine::active() || options::volatile_is_plain() {
        return __dpor_volatile_range(address, bytes, writes, site);
    }
    taken_for_atomic::note(address as usize, writes != 0, site);
    // A load is made here, too, so that it may wait; no other thread runs until the program makes it.
    // SAFETY: the program loads so many bytes there next.
    unsafe {
        match (writes, bytes) {
            (0, 1) => _ = __dpor_load1(address as *mut _, order::SEQ_CST, site),
            (0, 2) => _ = __dpor_load2(address as *mut _, order::SEQ_CST, site),
            (0, 4) => _ = __dpor_load4(address as *mut _, order::SEQ_CST, site),
            (0, 8) => _ = __dpor_load8(address as *mut _, order::SEQ_CST, site),
            (0, 16) => _ = __dpor_load16(address as *mut _, order::SEQ_CST, site),
            _ => __dpor_volatile_range(address, bytes, writes, site),
        }
    }
}
