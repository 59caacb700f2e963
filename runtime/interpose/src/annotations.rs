//! `dpor.h`, and the names that other verifiers use.
//!
//! What needs more than one execution (`dpor_choose`, an assume or assert that fails) begins the
//! exploration. With `off=1` each does what its documentation says under "Native".

use crate::engine;
use crate::hooks::repeated;
use crate::pthread::failure::{bytes_of, fail_abort, Text};
use crate::pthread::{hint, me};
use core::ffi::{c_char, c_int, c_void};
use dpor_explorer::program::Kind;
use dpor_report::FindingKind;

/// Choices of a `__VERIFIER_nondet_*` beyond which the range counts as wide: all values of a byte.
const CHOICES_MAX: u64 = 256;

/// The exploration begins here, if it can. Whether it runs.
fn explore() -> bool {
    if !engine::active() {
        engine::begin();
    }
    engine::active()
}

/// The execution goes no further if `condition` is 0: it counts as blocked.
/// Native: the process ends with code 0.
#[no_mangle]
pub extern "C" fn dpor_assume(condition: c_int) {
    if condition != 0 {
        return;
    }
    if explore() {
        engine::dead();
    }
    // SAFETY: ends the process in the ordinary way.
    unsafe { ::libc::exit(0) }
}

/// A finding of kind `assertion` if `condition` is 0. Native: abort.
#[no_mangle]
pub extern "C" fn dpor_assert(condition: c_int) {
    if condition == 0 {
        fail("dpor_assert: the condition does not hold");
    }
}

fn fail(message: &str) -> ! {
    if explore() {
        engine::fail(FindingKind::Assertion, message);
    }
    fail_abort(message)
}

/// Any of `0..n`, each in some execution. `n` must be positive. Native: 0.
#[no_mangle]
pub extern "C" fn dpor_choose(n: c_int) -> c_int {
    if n < 1 {
        fail("dpor_choose: the number of choices is not positive");
    }
    choose(n as u64) as c_int
}

/// One of `0..count`. Native: 0.
fn choose(count: u64) -> u64 {
    if count == 1 || !explore() {
        return 0;
    }
    let mut operation = engine::operation(Kind::Choose);
    operation.argument = count;
    u64::from(engine::perform(operation).alternative)
}

/// Records a value for the outcome of the execution. Native, and before the exploration: nothing.
///
/// # Safety
/// `name` is a string.
#[no_mangle]
pub unsafe extern "C" fn dpor_observe(name: *const c_char, value: i64) {
    if engine::active() {
        // SAFETY: the caller's string.
        engine::observe(unsafe { bytes_of(name) }, value);
    }
}

/// Not yet: `unsupported`. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_invariant(_holds: *const c_void) {
    if explore() {
        engine::unsupported("dpor_invariant (not yet)");
    }
}

/// Until [`dpor_atomic_end`], no other thread runs. Native, and before the exploration: nothing.
#[no_mangle]
pub extern "C" fn dpor_atomic_begin() {
    if engine::active() {
        engine::atomic_begin();
    }
}

/// See [`dpor_atomic_begin`].
#[no_mangle]
pub extern "C" fn dpor_atomic_end() {
    if engine::active() {
        engine::atomic_end();
    }
}

/// As `sched_yield`.
#[no_mangle]
pub extern "C" fn dpor_yield() {
    hint::sched_yield();
}

/// Whether the running thread's plain accesses are to be left unchecked.
#[inline]
pub fn ignoring() -> bool {
    // SAFETY: the running thread's own entry.
    unsafe { (*me()).ignoring > 0 }
}

/// Until [`dpor_ignore_end`], plain accesses of the calling thread are not checked for races. Nests.
/// Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_ignore_begin() {
    if engine::active() || engine::before_root() {
        // SAFETY: the running thread's own entry.
        unsafe { (*me()).ignoring = (*me()).ignoring.saturating_add(1) };
        repeated::forget_all();
    }
}

/// See [`dpor_ignore_begin`].
#[no_mangle]
pub extern "C" fn dpor_ignore_end() {
    if engine::active() || engine::before_root() {
        // SAFETY: the running thread's own entry.
        unsafe { (*me()).ignoring = (*me()).ignoring.saturating_sub(1) };
    }
}

/// 1 under the checker, also before the exploration begins. Native: 0.
#[no_mangle]
pub extern "C" fn dpor_checking() -> c_int {
    (engine::active() || engine::before_root()).into()
}

/// As [`dpor_assume`].
#[no_mangle]
pub extern "C" fn __VERIFIER_assume(condition: c_int) {
    dpor_assume(condition);
}

/// As [`dpor_assert`].
#[no_mangle]
pub extern "C" fn __VERIFIER_assert(condition: c_int) {
    if condition == 0 {
        fail("__VERIFIER_assert: the condition does not hold");
    }
}

/// A failed assertion. Native: abort.
#[no_mangle]
pub extern "C" fn __VERIFIER_error() -> ! {
    fail("__VERIFIER_error was called")
}

/// A failed assertion. Native: abort.
#[no_mangle]
pub extern "C" fn reach_error() -> ! {
    fail("reach_error was called")
}

/// As [`dpor_atomic_begin`].
#[no_mangle]
pub extern "C" fn __VERIFIER_atomic_begin() {
    dpor_atomic_begin();
}

/// As [`dpor_atomic_end`].
#[no_mangle]
pub extern "C" fn __VERIFIER_atomic_end() {
    dpor_atomic_end();
}

/// Accepted: a mark of a loop that other tools need.
#[no_mangle]
pub extern "C" fn __VERIFIER_loop_begin() {}

/// Accepted: a mark of a spin loop that other tools need.
#[no_mangle]
pub extern "C" fn __VERIFIER_spin_start() {}

/// Accepted: see [`__VERIFIER_spin_start`].
#[no_mangle]
pub extern "C" fn __VERIFIER_spin_end(_done: c_int) {}

/// A value of a type with `bits` bits, if there are few. Native: 0.
fn nondet(name: &str, bits: u32) -> u64 {
    if bits < 64 && 1 << bits <= CHOICES_MAX {
        return choose(1 << bits);
    }
    if explore() {
        let message = Text::new(format_args!(
            "{name} (its {bits}-bit range is too wide to try every value; use dpor_choose(n))"
        ));
        engine::unsupported(message.as_str());
    }
    0
}

macro_rules! nondets {
    ($($name:ident: $type:ty;)*) => {$(
        /// Any value of the type, each in some execution, if there are at most 256; otherwise
        /// `unsupported`. Native: 0.
        #[no_mangle]
        pub extern "C" fn $name() -> $type {
            nondet(stringify!($name), <$type>::BITS) as $type
        }
    )*};
}

nondets! {
    __VERIFIER_nondet_char: i8;
    __VERIFIER_nondet_uchar: u8;
    __VERIFIER_nondet_u8: u8;
    __VERIFIER_nondet_short: i16;
    __VERIFIER_nondet_ushort: u16;
    __VERIFIER_nondet_u16: u16;
    __VERIFIER_nondet_int: i32;
    __VERIFIER_nondet_uint: u32;
    __VERIFIER_nondet_u32: u32;
    __VERIFIER_nondet_unsigned: u32;
    __VERIFIER_nondet_long: i64;
    __VERIFIER_nondet_ulong: u64;
    __VERIFIER_nondet_longlong: i64;
    __VERIFIER_nondet_ulonglong: u64;
    __VERIFIER_nondet_size_t: usize;
    __VERIFIER_nondet_loff_t: i64;
    __VERIFIER_nondet_pthread_t: u64;
    __VERIFIER_nondet_int128: i128;
    __VERIFIER_nondet_uint128: u128;
}

/// Both values. Native: false.
#[no_mangle]
pub extern "C" fn __VERIFIER_nondet_bool() -> bool {
    choose(2) != 0
}

/// `unsupported`. Native: 0.
#[no_mangle]
pub extern "C" fn __VERIFIER_nondet_float() -> f32 {
    nondet("__VERIFIER_nondet_float", 32) as f32
}

/// `unsupported`. Native: 0.
#[no_mangle]
pub extern "C" fn __VERIFIER_nondet_double() -> f64 {
    nondet("__VERIFIER_nondet_double", 64) as f64
}

/// `unsupported`. Native: null.
#[no_mangle]
pub extern "C" fn __VERIFIER_nondet_pointer() -> *mut c_void {
    nondet("__VERIFIER_nondet_pointer", 64) as *mut c_void
}

/// `unsupported`. Native: null.
#[no_mangle]
pub extern "C" fn __VERIFIER_nondet_pchar() -> *mut c_char {
    nondet("__VERIFIER_nondet_pchar", 64) as *mut c_char
}
