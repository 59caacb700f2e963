//! `dpor.h`, and the names that other verifiers use.
//!
//! What needs more than one execution (`dpor_choose`, an assume or assert that fails) begins the
//! exploration. With `off=1` each does what its documentation says under "Native".

#![allow(non_snake_case, reason = "the names of SV-COMP's functions")]

use crate::engine;
use crate::engine::accesses::repeated;
use crate::engine::call_order;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::properties::look::Write;
use crate::hooks::plain;
use crate::pthread::failure::{bytes_of, fail_abort};
use crate::pthread::{me, yielding};
use crate::state::PerStep;
use core::ffi::{c_char, c_int, c_void};
use core::fmt;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use dpor_machine::stack_text::Text;
use dpor_model::{Argument, Kind};
use dpor_report::FindingKind;

crate::hooks::clean_entry::clean_entries! {
    dpor_assume, dpor_assert, dpor_unsupported, dpor_choose, dpor_observe, dpor_step, dpor_atomic_begin, dpor_atomic_end, dpor_yield,
    __VERIFIER_assume, __VERIFIER_assert, __VERIFIER_error, reach_error, __VERIFIER_atomic_begin,
    __VERIFIER_atomic_end, __VERIFIER_nondet_bool, __VERIFIER_nondet_float, __VERIFIER_nondet_double,
    __VERIFIER_nondet_pointer, __VERIFIER_nondet_pchar
}

/// Begins the exploration here, if it can. Returns whether it runs.
pub(crate) fn explore() -> bool {
    if !engine::active() {
        engine::begin();
    }
    engine::active()
}

/// Goes no further in this execution if `condition` is 0: it counts as blocked. Native: the process
/// ends with code 0.
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

/// Reports a finding of kind `assertion` if `condition` is 0. Native: abort.
pub extern "C" fn dpor_assert(condition: c_int) {
    if condition == 0 {
        fail("dpor_assert: the condition does not hold");
    }
}

/// Ends the check with the verdict `unsupported`: the program did `what`. Native: says so, and the process ends with
/// code 4.
///
/// # Safety
/// `what` is null or a NUL-terminated string.
pub unsafe extern "C" fn dpor_unsupported(what: *const c_char) {
    // SAFETY: see above.
    let what = Text::new(format_args!("{}", unsafe { bytes_of(what) }.escape_ascii()));
    if explore() {
        engine::unsupported(what.as_str());
    }
    let line = Text::new(format_args!("unsupported: {}\n", what.as_str()));
    // SAFETY: a string's bytes; then the process ends in the ordinary way.
    unsafe {
        ::libc::write(2, line.as_str().as_ptr().cast(), line.as_str().len());
        ::libc::exit(4)
    }
}

fn fail(message: &str) -> ! {
    if explore() {
        engine::fail(FindingKind::Assertion, message);
    }
    fail_abort(message)
}

/// Returns any of `0..n`, each in some execution. `n` must be positive. Native: 0.
pub extern "C" fn dpor_choose(n: c_int) -> c_int {
    if n < 1 {
        fail("dpor_choose: the number of choices is not positive");
    }
    choose(n as u64) as c_int
}

/// Lets the search choose one of `0..count`. Native: 0.
fn choose(count: u64) -> u64 {
    if count == 1 || !explore() {
        return 0;
    }
    let mut operation = engine::operation(Kind::Choose);
    operation.argument = Argument::choices(count);
    u64::from(engine::perform(operation).alternative)
}

/// Records a value for the outcome of the execution. Native, and before the exploration: nothing.
///
/// # Safety
/// `name` is null or a NUL-terminated string.
pub unsafe extern "C" fn dpor_observe(name: *const c_char, value: i64) {
    if engine::active() {
        // SAFETY: `name` is null or the program's NUL-terminated string, which is copied before any
        // other fiber runs.
        engine::observe(unsafe { bytes_of(name) }, value);
    }
}

/// Leaves so many bytes out of states (`--states`): they decide nothing. Native, and without `--states`: nothing.
#[no_mangle]
pub extern "C" fn dpor_unmatched(address: *const c_void, bytes: usize) {
    if engine::active() || engine::before_root() {
        engine::by_states::unmatched::add(address as usize, bytes);
    }
}

/// With `--states`: the bytes that `write` writes tell states apart, instead of the program's memory. Native, and without
/// `--states`: nothing.
#[no_mangle]
pub extern "C" fn dpor_abstraction(bytes: usize, write: Option<Write>) {
    abstract_by(bytes, write, false);
}

/// As [`dpor_abstraction`], and nothing else tells states apart: neither objects nor where threads stand.
#[no_mangle]
pub extern "C" fn dpor_abstraction_all(bytes: usize, write: Option<Write>) {
    abstract_by(bytes, write, true);
}

fn abstract_by(bytes: usize, write: Option<Write>, is_all: bool) {
    let Some(write) = write.filter(|_| engine::active() || engine::before_root()) else {
        return;
    };
    if !engine::by_states::abstraction::add(bytes, write, is_all, engine::site()) {
        engine::process::refuse("dpor_abstraction: more than 65,536 bytes tell states apart");
    }
}

/// What follows, in code without instrumentation, looks at these bytes, or looks at them and changes them (`writes`): an
/// event (the One Page Model Checker's `hook`). `address` null: an event that conflicts with all others. Native, and before
/// the exploration: nothing.
pub extern "C" fn dpor_step(address: *const c_void, bytes: usize, writes: c_int) {
    if !engine::active() {
        return;
    }
    let (at, length, site) = (address as u64, bytes.max(1) as u64, engine::site());
    match (address.is_null(), writes) {
        (true, _) => {
            engine::perform(engine::operation(Kind::Opaque));
        }
        (false, 0) => plain::explore(at, length, false, site),
        (false, _) => plain::explore_both(at, length, site),
    }
}

/// Begins a sequence in which no other thread runs, until [`dpor_atomic_end`]. Native, and before
/// the exploration: nothing.
pub extern "C" fn dpor_atomic_begin() {
    if engine::active() {
        engine::atomic_begin();
    }
}

/// Ends what [`dpor_atomic_begin`] began: other threads may run again.
pub extern "C" fn dpor_atomic_end() {
    if engine::active() {
        engine::atomic_end();
    }
}

/// Gives way, as `sched_yield` does.
pub extern "C" fn dpor_yield() {
    yielding::sched_yield();
}

/// Returns whether the running thread's plain accesses are to be left unchecked.
#[inline]
pub fn ignoring() -> bool {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).ignoring > 0 }
}

/// Until [`dpor_ignore_end`], plain accesses of the calling thread are not checked for races. Nests.
/// Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_ignore_begin() {
    if engine::active() || engine::before_root() {
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        unsafe { (*me()).ignoring = (*me()).ignoring.saturating_add(1) };
        repeated::forget_all();
        call_order::accesses_are_ignored();
    }
}

/// Ends what [`dpor_ignore_begin`] began, one level of it.
#[no_mangle]
pub extern "C" fn dpor_ignore_end() {
    if engine::active() || engine::before_root() {
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        unsafe { (*me()).ignoring = (*me()).ignoring.saturating_sub(1) };
    }
}

/// 1 under the checker, also before the exploration begins. Native: 0.
#[no_mangle]
pub extern "C" fn dpor_checking() -> c_int {
    (engine::active() || engine::before_root()).into()
}

/// Ends the execution if the condition does not hold, as [`dpor_assume`] does.
pub extern "C" fn __VERIFIER_assume(condition: c_int) {
    dpor_assume(condition);
}

/// Reports a failed assertion if the condition does not hold.
pub extern "C" fn __VERIFIER_assert(condition: c_int) {
    if condition == 0 {
        fail("__VERIFIER_assert: the condition does not hold");
    }
}

/// Reports a failed assertion. Native: abort.
pub extern "C" fn __VERIFIER_error() -> ! {
    fail("__VERIFIER_error was called")
}

/// Reports a failed assertion. Native: abort.
pub extern "C" fn reach_error() -> ! {
    fail("reach_error was called")
}

/// Begins a sequence in which no other thread runs, as [`dpor_atomic_begin`] does.
pub extern "C" fn __VERIFIER_atomic_begin() {
    dpor_atomic_begin();
}

/// Ends what [`__VERIFIER_atomic_begin`] began.
pub extern "C" fn __VERIFIER_atomic_end() {
    dpor_atomic_end();
}

/// Accepts a mark of a loop that other tools need.
#[no_mangle]
pub extern "C" fn __VERIFIER_loop_begin() {}

/// Accepts a mark of a spin loop that other tools need.
#[no_mangle]
pub extern "C" fn __VERIFIER_spin_start() {}

/// Accepts the end of a loop that waits, see [`__VERIFIER_spin_start`].
#[no_mangle]
pub extern "C" fn __VERIFIER_spin_end(_done: c_int) {}

/// The call whose classes of values were announced last, and these. No event comes between the two, so that nothing of
/// it has to be taken back, and one thread at a time uses it.
struct Announced {
    name: AtomicPtr<c_char>,
    values: AtomicPtr<u64>,
    count: AtomicUsize,
}

static ANNOUNCED: PerStep<Announced> = PerStep::new(Announced {
    name: AtomicPtr::new(core::ptr::null_mut()),
    values: AtomicPtr::new(core::ptr::null_mut()),
    count: AtomicUsize::new(0),
});

/// Announces that the result of the next call, which is of the function with this name, is only
/// compared with constants: these values, 0 first, stand for all.
///
/// # Safety
/// Called by instrumented code only, with a string and `count` values that last.
#[no_mangle]
pub unsafe extern "C" fn __dpor_classes(name: *const c_char, values: *const u64, count: u32) {
    if engine::active() || engine::before_root() {
        ANNOUNCED.name.store(name.cast_mut(), Relaxed);
        ANNOUNCED.values.store(values.cast_mut(), Relaxed);
        ANNOUNCED.count.store(count as usize, Relaxed);
    }
}

/// Returns the classes of values that were announced for this call, if they were.
fn take_classes(name: &str) -> Option<&'static [u64]> {
    let announced = ANNOUNCED.name.swap(core::ptr::null_mut(), Relaxed);
    if announced.is_null() {
        return None;
    }
    // SAFETY: the announcement's, which is of a constant of the program's.
    let (announced, values) = unsafe {
        let first = ANNOUNCED.values.load(Relaxed);
        let count = ANNOUNCED.count.load(Relaxed);
        (
            bytes_of(announced),
            core::slice::from_raw_parts(first, count),
        )
    };
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::OneClass) {
        return Some(&values[..1]);
    }
    // A function of the program's may have this name, and call another one.
    (announced == name.as_bytes()).then_some(values)
}

/// What values a type has.
enum Range {
    Bits(u32),
    SignedBits(u32),
    Other(&'static str),
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Range::Bits(bits) => write!(f, "0 to {}", u128::MAX >> (128 - bits)),
            Range::SignedBits(bits) => {
                write!(
                    f,
                    "{} to {}",
                    i128::MIN >> (128 - bits),
                    i128::MAX >> (128 - bits)
                )
            }
            Range::Other(what) => f.write_str(what),
        }
    }
}

/// Lets the search choose a value of a type: of each class that was announced, or all if they are
/// few. Native: 0.
fn nondet(name: &str, range: Range) -> u64 {
    if let Some(values) = take_classes(name) {
        return values[choose(values.len() as u64) as usize];
    }
    if let Range::Bits(bits @ ..=8) | Range::SignedBits(bits @ ..=8) = range {
        return choose(1 << bits);
    }
    if explore() {
        let message = Text::new(format_args!(
            "{name} (it would take {range}, and what it returns is not only compared with constants; \
             use dpor_choose(n))"
        ));
        engine::unsupported(message.as_str());
    }
    0
}

macro_rules! nondets {
    ($range:ident: $($name:ident: $type:ty;)*) => {$(
        /// Returns any value of the type, each in some execution, if there are at most 256 or if it
        /// is only compared with constants; otherwise `unsupported`. Native: 0.
        pub extern "C" fn $name() -> $type {
            nondet(stringify!($name), Range::$range(<$type>::BITS)) as $type
        }

        crate::hooks::clean_entry::clean_entries! {
            $name
        }
    )*};
}

nondets! {
    SignedBits:
    __VERIFIER_nondet_char: i8;
    __VERIFIER_nondet_short: i16;
    __VERIFIER_nondet_int: i32;
    __VERIFIER_nondet_long: i64;
    __VERIFIER_nondet_longlong: i64;
    __VERIFIER_nondet_loff_t: i64;
    __VERIFIER_nondet_int128: i128;
}

nondets! {
    Bits:
    __VERIFIER_nondet_uchar: u8;
    __VERIFIER_nondet_u8: u8;
    __VERIFIER_nondet_ushort: u16;
    __VERIFIER_nondet_u16: u16;
    __VERIFIER_nondet_uint: u32;
    __VERIFIER_nondet_u32: u32;
    __VERIFIER_nondet_unsigned: u32;
    __VERIFIER_nondet_ulong: u64;
    __VERIFIER_nondet_ulonglong: u64;
    __VERIFIER_nondet_size_t: usize;
    __VERIFIER_nondet_pthread_t: u64;
    __VERIFIER_nondet_uint128: u128;
}

/// Both values. Native: false.
pub extern "C" fn __VERIFIER_nondet_bool() -> bool {
    nondet("__VERIFIER_nondet_bool", Range::Bits(1)) != 0
}

/// `unsupported`. Native: 0.
pub extern "C" fn __VERIFIER_nondet_float() -> f32 {
    nondet("__VERIFIER_nondet_float", Range::Other("any float")) as f32
}

/// `unsupported`. Native: 0.
pub extern "C" fn __VERIFIER_nondet_double() -> f64 {
    nondet("__VERIFIER_nondet_double", Range::Other("any double")) as f64
}

/// `unsupported`. Native: null.
pub extern "C" fn __VERIFIER_nondet_pointer() -> *mut c_void {
    nondet("__VERIFIER_nondet_pointer", Range::Other("any address")) as *mut c_void
}

/// `unsupported`. Native: null.
pub extern "C" fn __VERIFIER_nondet_pchar() -> *mut c_char {
    nondet("__VERIFIER_nondet_pchar", Range::Other("any address")) as *mut c_char
}
