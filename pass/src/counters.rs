//! Read-modify-writes whose result is compared once with a constant, and used for nothing else.
//!
//! `fetch_sub(1) == 1` asks whether a count is the last one. The runtime is told the comparison together with the
//! access: then two that are told the same need not be explored in both orders (docs/decisions/0093).

use crate::classes::{tests_of, Constants, Step};
use crate::llvm::{TypeKind, Value};
use crate::waits::expression;
use dpor_abi::{used, wait};

/// What `__dpor_rmw*` is told of the result of an instruction that somebody looks at.
pub fn used_by(instruction: Value) -> u32 {
    match compared(instruction) {
        Some((test, constant)) => used::compared(test, constant),
        None => used::SOMEHOW,
    }
}

/// The comparison, as one of the kinds of [`wait`], and the constant.
fn compared(instruction: Value) -> Option<(u32, i8)> {
    let ty = instruction.ty();
    let bits = (ty.kind() == TypeKind::Integer).then(|| ty.integer_bits())?;
    if bits > 64 {
        return None;
    }
    let tests = tests_of(instruction)?;
    let [test] = &tests[..] else { return None };
    let Constants::One(predicate, constant) = test.with else {
        return None;
    };
    let kind = expression::test(predicate, false)?;
    let is_equality = kind == wait::EQUAL || kind == wait::NOT_EQUAL;
    if !test.steps.is_empty() && !is_equality {
        return None;
    }
    let added = test.steps.iter().try_fold(0u64, |sum, step| match step {
        Step::Add(number) => Some(sum.wrapping_add(*number)),
        Step::SignExtend(..) | Step::ZeroExtend(..) => None,
    })?;
    // In so many bits, by the sign.
    let constant = constant.wrapping_sub(added) << (64 - bits);
    let constant = (constant as i64) >> (64 - bits);
    Some((kind, i8::try_from(constant).ok()?))
}
