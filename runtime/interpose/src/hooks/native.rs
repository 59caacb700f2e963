//! The accesses themselves, for when the program runs with real threads.

use crate::state::Kept;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};
use dpor_machine::sys;

/// An integer that the machine reads and writes atomically.
pub trait Word: Copy + PartialEq {
    /// # Safety
    /// `address` is valid for the access.
    unsafe fn load(address: *mut Self) -> Self;
    /// # Safety
    /// `address` is valid for the access.
    unsafe fn store(address: *mut Self, value: Self);
    /// Returns the old value.
    ///
    /// # Safety
    /// `address` is valid for the access.
    unsafe fn compare_exchange(address: *mut Self, expected: Self, desired: Self) -> Self;
    /// Returns the wrapping sum.
    fn add(self, other: Self) -> Self;
    /// Returns the wrapping difference.
    fn sub(self, other: Self) -> Self;
    /// Returns the bitwise and.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise or.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Returns the bitwise complement.
    fn not(self) -> Self;
    /// Returns the larger number.
    fn max(self, other: Self, signed: bool) -> Self;
    /// Returns the smaller number.
    fn min(self, other: Self, signed: bool) -> Self;
}

macro_rules! arithmetic {
    ($type:ty, $signed:ty) => {
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        fn sub(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        fn and(self, other: Self) -> Self {
            self & other
        }
        fn or(self, other: Self) -> Self {
            self | other
        }
        fn xor(self, other: Self) -> Self {
            self ^ other
        }
        fn not(self) -> Self {
            !self
        }
        fn max(self, other: Self, signed: bool) -> Self {
            let larger = if signed {
                self as $signed > other as $signed
            } else {
                self > other
            };
            if larger {
                self
            } else {
                other
            }
        }
        fn min(self, other: Self, signed: bool) -> Self {
            let smaller = if signed {
                (self as $signed) < other as $signed
            } else {
                self < other
            };
            if smaller {
                self
            } else {
                other
            }
        }
    };
}

macro_rules! word {
    ($type:ty, $signed:ty, $atomic:ty) => {
        impl Word for $type {
            unsafe fn load(address: *mut Self) -> Self {
                // SAFETY: `address` is valid for the access, as this function's caller guarantees,
                // and aligned, as the program's atomics are.
                unsafe { <$atomic>::from_ptr(address) }.load(Ordering::SeqCst)
            }
            unsafe fn store(address: *mut Self, value: Self) {
                // SAFETY: `address` is valid for the access, as this function's caller guarantees,
                // and aligned, as the program's atomics are.
                unsafe { <$atomic>::from_ptr(address) }.store(value, Ordering::SeqCst);
            }
            unsafe fn compare_exchange(address: *mut Self, expected: Self, desired: Self) -> Self {
                // SAFETY: `address` is valid for the access, as this function's caller guarantees,
                // and aligned, as the program's atomics are.
                unsafe { <$atomic>::from_ptr(address) }
                    .compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst)
                    .unwrap_or_else(|old| old)
            }
            arithmetic!($type, $signed);
        }
    };
}

word!(u8, i8, AtomicU8);
word!(u16, i16, AtomicU16);
word!(u32, i32, AtomicU32);
word!(u64, i64, AtomicU64);

impl Word for u128 {
    unsafe fn load(address: *mut Self) -> Self {
        // SAFETY: `address` is valid for the access, as this function's caller guarantees. A
        // compare-exchange of 0 with 0 changes nothing.
        unsafe { Self::compare_exchange(address, 0, 0) }
    }
    unsafe fn store(address: *mut Self, value: Self) {
        // SAFETY: `address` is valid for the access, as this function's caller guarantees.
        unsafe { update(address, |_| value) };
    }
    unsafe fn compare_exchange(address: *mut Self, expected: Self, desired: Self) -> Self {
        let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
        // SAFETY: `address` is valid for the access, as this function's caller guarantees;
        // x86-64-v2 has cmpxchg16b, and 16-byte atomics are aligned. rbx is the compiler's own, so
        // it is put back.
        unsafe {
            core::arch::asm!(
                "xchg {rbx}, rbx",
                "lock cmpxchg16b [{address}]",
                "mov rbx, {rbx}",
                rbx = inout(reg) desired as u64 => _,
                address = in(reg) address,
                inout("rax") low, inout("rdx") high,
                in("rcx") (desired >> 64) as u64,
                options(nostack),
            );
        }
        u128::from(low) | u128::from(high) << 64
    }
    arithmetic!(u128, i128);
}

/// Changes a value atomically, by compare-exchange; returns the old value.
///
/// # Safety
/// `address` is valid for the access.
pub unsafe fn update<T: Word>(address: *mut T, change: impl Fn(T) -> T) -> T {
    // SAFETY: `address` is valid for the access, as this function's caller guarantees.
    unsafe {
        let mut old = T::load(address);
        loop {
            let seen = T::compare_exchange(address, old, change(old));
            if seen == old {
                return old;
            }
            old = seen;
        }
    }
}

/// Held between the halves of a read-modify-write that the pass computes.
static HALF_DONE: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// First half. All such read-modify-writes of the process exclude each other; one that meets an
/// ordinary atomic access of another width or kind on the same address is not excluded from it,
/// which only matters for native runs (`off=1`).
///
/// # Safety
/// `address` is valid for the access; [`end`] follows.
pub unsafe fn begin<T: Word>(address: *mut T) -> T {
    while HALF_DONE.swap(true, Ordering::Acquire) {
        // SAFETY: the system call takes no arguments.
        unsafe { sys::call3(libc::SYS_sched_yield, 0, 0, 0) };
    }
    // SAFETY: `address` is valid for the access, as this function's caller guarantees.
    unsafe { T::load(address) }
}

/// Second half.
///
/// # Safety
/// `address` is valid for the access, and [`begin`] was called for it on this thread.
pub unsafe fn end<T: Word>(address: *mut T, new: T) {
    // SAFETY: `address` is valid for the access, as this function's caller guarantees.
    unsafe { T::store(address, new) };
    HALF_DONE.store(false, Ordering::Release);
}
