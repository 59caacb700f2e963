//! Functions that try to lock, or to take one of what there is, and never block.

use super::expression::Expression;
use crate::llvm::{Opcode, Value};
use dpor_abi::wait;

/// `EBUSY` of Linux.
const EBUSY: i64 = 16;
/// `thrd_busy` of glibc's <threads.h>.
const THRD_BUSY: i64 = 1;

/// Functions that try, and what each returns where it would have to block. Success is 0.
const TRIES: [(&str, i64); 6] = [
    ("pthread_mutex_trylock", EBUSY),
    ("pthread_spin_trylock", EBUSY),
    ("pthread_rwlock_tryrdlock", EBUSY),
    ("pthread_rwlock_trywrlock", EBUSY),
    ("sem_trywait", -1),
    ("mtx_trylock", THRD_BUSY),
];

/// The result of a call that tries in vain; `None`: the call does not try.
pub fn failure(call: Value) -> Option<i64> {
    if call.opcode() != Some(Opcode::LLVMCall) {
        return None;
    }
    let callee = call.callee();
    let outside = callee.is_function() && callee.is_declaration();
    let name = outside.then(|| callee.name())?;
    let known = TRIES.iter().find(|(function, _)| *function == name)?;
    (call.ty().integer_bits() == 32).then_some(known.1)
}

/// True if a loop that ends when `result & mask` passes a test ends with success, and goes round if the function tried in
/// vain.
pub fn ends_with_success(test: u32, mask: u64, with: &Expression, failure: i64) -> bool {
    let with = match with {
        Expression::Zero => Some(0),
        Expression::Value(value) => value.constant_integer(),
        _ => None,
    };
    let with = with.map(|with| with as i32);
    let passes = |result: i64| {
        let found = (result as u64 & mask) as i32;
        with.and_then(|with| passes(test, found, with))
    };
    passes(0) == Some(true) && passes(failure) == Some(false)
}

fn passes(test: u32, found: i32, with: i32) -> Option<bool> {
    Some(match test {
        wait::EQUAL => found == with,
        wait::NOT_EQUAL => found != with,
        wait::SIGNED_BELOW => found < with,
        wait::SIGNED_AT_MOST => found <= with,
        wait::SIGNED_ABOVE => found > with,
        wait::SIGNED_AT_LEAST => found >= with,
        _ => return None,
    })
}
