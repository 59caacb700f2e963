//! Values during one iteration of a loop, in terms of what was there before it and of what the access found.

use crate::llvm::{Opcode, Type, TypeKind, Value};
use dpor_abi::wait;

/// A value during one iteration of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A value from outside of the iteration.
    Value(Value),
    /// The value of this local variable when the iteration began.
    Initially(Value),
    /// The value that the access found, of so many bits.
    Found(u32),
    /// The number 0.
    Zero,
    /// The bit that says whether the compare-exchange stored.
    Succeeded,
    /// The pair of value and bit that a compare-exchange returns.
    Pair,
    /// The result of a computation.
    Computed(Box<Computation>),
}

/// An instruction that computes something, without its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Computation {
    pub opcode: Opcode,
    /// The type of the result; of an address, the type of which it indexes elements.
    pub ty: Type,
    /// LLVM's number of the predicate for a comparison, otherwise 0.
    pub predicate: u32,
    pub operands: Vec<Expression>,
}

use Expression::{Computed, Found, Initially, Pair, Succeeded, Zero};

impl Expression {
    /// True if the value depends on what the access found.
    pub fn is_of_found(&self) -> bool {
        match self {
            Expression::Value(_) | Initially(_) | Zero => false,
            Found(_) | Succeeded | Pair => true,
            Computed(computation) => computation.operands.iter().any(Expression::is_of_found),
        }
    }

    /// The value of an integer constant.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Expression::Value(value) => value.constant_integer(),
            _ => None,
        }
    }

    fn computed(&self, opcode: Opcode) -> Option<&Computation> {
        match self {
            Computed(computation) if computation.opcode == opcode => Some(computation),
            _ => None,
        }
    }
}

/// The test that decides whether a loop goes round.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// The test whether the compare-exchange stored.
    Succeeded,
    /// A comparison of what was found with something.
    Compared(Comparison),
}

/// A comparison of the kind `test` of [`wait`]: of the bits of `mask` in what was found with `with`, in the lowest
/// `bits` bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub test: u32,
    pub bits: u32,
    pub mask: u64,
    pub with: Expression,
}

impl Comparison {
    /// A comparison that fails whatever is found: it looks at none of the bits.
    pub fn never() -> Comparison {
        Comparison {
            test: wait::NOT_EQUAL,
            bits: 64,
            mask: 0,
            with: Expression::Zero,
        }
    }

    /// The comparison that holds where this one does not.
    pub fn negated(self) -> Comparison {
        let test = match self.test {
            wait::EQUAL => wait::NOT_EQUAL,
            wait::NOT_EQUAL => wait::EQUAL,
            wait::BELOW => wait::AT_LEAST,
            wait::AT_LEAST => wait::BELOW,
            wait::ABOVE => wait::AT_MOST,
            wait::AT_MOST => wait::ABOVE,
            wait::SIGNED_BELOW => wait::SIGNED_AT_LEAST,
            wait::SIGNED_AT_LEAST => wait::SIGNED_BELOW,
            wait::SIGNED_ABOVE => wait::SIGNED_AT_MOST,
            _ => wait::SIGNED_ABOVE,
        };
        Comparison { test, ..self }
    }
}

/// LLVM's number of an integer predicate (`LLVMIntPredicate`), and of the one with its operands exchanged.
pub fn test(predicate: u32, exchanged: bool) -> Option<u32> {
    const FIRST: u32 = 32;
    let pair = match predicate.checked_sub(FIRST)? {
        0 => [wait::EQUAL; 2],
        1 => [wait::NOT_EQUAL; 2],
        2 => [wait::ABOVE, wait::BELOW],
        3 => [wait::AT_LEAST, wait::AT_MOST],
        4 => [wait::BELOW, wait::ABOVE],
        5 => [wait::AT_MOST, wait::AT_LEAST],
        6 => [wait::SIGNED_ABOVE, wait::SIGNED_BELOW],
        7 => [wait::SIGNED_AT_LEAST, wait::SIGNED_AT_MOST],
        8 => [wait::SIGNED_BELOW, wait::SIGNED_ABOVE],
        9 => [wait::SIGNED_AT_MOST, wait::SIGNED_AT_LEAST],
        _ => return None,
    };
    Some(pair[usize::from(exchanged)])
}

/// Bits of an integer or pointer of at most 64 bits.
fn bits(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::Pointer => Some(64),
        TypeKind::Integer if ty.integer_bits() <= 64 => Some(ty.integer_bits()),
        _ => None,
    }
}

fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// The bits of what was found that `value` consists of, in their places, if it is nothing else.
fn part(value: &Expression) -> Option<u64> {
    let computation = match value {
        Found(bits) => return Some(ones(*bits)),
        Computed(computation) => computation,
        _ => return None,
    };
    let operands = &computation.operands;
    match computation.opcode {
        Opcode::LLVMZExt
        | Opcode::LLVMFreeze
        | Opcode::LLVMPtrToInt
        | Opcode::LLVMIntToPtr
        | Opcode::LLVMBitCast => part(&operands[0]),
        Opcode::LLVMTrunc => Some(part(&operands[0])? & ones(bits(computation.ty)?)),
        Opcode::LLVMAnd => {
            let (a, b) = (&operands[0], &operands[1]);
            match (a.constant(), b.constant()) {
                (None, Some(mask)) => Some(part(a)? & mask as u64 & ones(bits(computation.ty)?)),
                (Some(mask), None) => Some(part(b)? & mask as u64 & ones(bits(computation.ty)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What makes a value of one bit true: a test, and whether it has to hold.
pub fn boolean(value: &Expression) -> Option<(Test, bool)> {
    let computation = match value {
        Succeeded => return Some((Test::Succeeded, true)),
        Computed(computation) => computation,
        _ => return None,
    };
    let operands = &computation.operands;
    match computation.opcode {
        Opcode::LLVMXor if operands[1].constant().is_some_and(|c| c & 1 == 1) => {
            let (test, holds) = boolean(&operands[0])?;
            Some((test, !holds))
        }
        Opcode::LLVMFreeze => boolean(&operands[0]),
        Opcode::LLVMTrunc if computation.ty.integer_bits() == 1 => {
            if let Some(known) = widened(&operands[0]) {
                return Some(known);
            }
            let comparison = Comparison {
                test: wait::NOT_EQUAL,
                bits: 1,
                mask: part(&operands[0])? & 1,
                with: Zero,
            };
            Some((Test::Compared(comparison), true))
        }
        Opcode::LLVMICmp => compared(computation),
        _ => None,
    }
}

/// The test that a number stands for which is 1 if a value of one bit is true and 0 otherwise, and whether it has to
/// hold.
fn widened(value: &Expression) -> Option<(Test, bool)> {
    if let Some(wide) = value.computed(Opcode::LLVMZExt) {
        return boolean(&wide.operands[0]).or_else(|| widened(&wide.operands[0]));
    }
    let narrow = value.computed(Opcode::LLVMTrunc)?;
    (narrow.ty.integer_bits() > 1).then(|| widened(&narrow.operands[0]))?
}

fn compared(comparison: &Computation) -> Option<(Test, bool)> {
    let [a, b] = &comparison.operands[..] else {
        return None;
    };
    if let (Some((known, holds)), Some(c @ (0 | 1))) = (widened(a), b.constant()) {
        return match test(comparison.predicate, false)? {
            wait::EQUAL => Some((known, holds == (c == 1))),
            wait::NOT_EQUAL => Some((known, holds == (c == 0))),
            _ => None,
        };
    }
    let exchanged = b.is_of_found();
    let (found, with) = if exchanged { (b, a) } else { (a, b) };
    if with.is_of_found() {
        return None;
    }
    let test = test(comparison.predicate, exchanged)?;
    let (mask, bits) = match found.computed(Opcode::LLVMSExt) {
        Some(wide) => sign_extended(wide, with)?,
        None => (part(found)?, width(found)?),
    };
    let with = with.clone();
    let compared = Comparison {
        test,
        bits,
        mask,
        with,
    };
    Some((Test::Compared(compared), true))
}

/// A comparison of a sign-extended part with a constant that the part can have is one of the part.
fn sign_extended(wide: &Computation, with: &Expression) -> Option<(u64, u32)> {
    let narrow = &wide.operands[0];
    let (mask, bits) = (part(narrow)?, width(narrow)?);
    let constant = with.constant()?;
    let unused = 64 - bits;
    (constant << unused >> unused == constant).then_some((mask, bits))
}

/// Bits of an expression that [`part`] knows.
fn width(value: &Expression) -> Option<u32> {
    match value {
        Found(bits) => Some(*bits),
        Computed(computation) => bits(computation.ty),
        _ => None,
    }
}
