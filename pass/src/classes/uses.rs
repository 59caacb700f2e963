//! The uses of a value: the comparisons that it is used in, if there are no other uses.

use super::is_call;
use crate::llvm::{Opcode, Value};
use crate::waits::turn::is_nothing;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Places that are looked at, and steps on the way to one of them, at most.
const PLACES_MAX: usize = 400;
const STEPS_MAX: usize = 6;

/// A computation that a value goes through before it is compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// An extension from so many bits to so many, by the sign.
    SignExtend(u32, u32),
    ZeroExtend(u32, u32),
    /// An addition of this number, modulo the number of bits that the value has.
    Add(u64),
}

/// A comparison of what the steps make of the value with one or several constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Test {
    pub steps: Vec<Step>,
    pub with: Constants,
}

/// The constants that a value is compared with, and how.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constants {
    /// A comparison with the constant that is the second number, by LLVM's number of the predicate; the value is on its
    /// left.
    One(u32, u64),
    /// A `switch` over these constants: each with the number of the way that control goes then, 0 being that for all
    /// others.
    Several(Vec<(u64, u64)>),
}

/// A place in which the value is, after the steps.
type Place = (Value, Vec<Step>);

/// All comparisons of what a call returns; `None`: it is used otherwise, too.
pub fn tests_of(call: Value) -> Option<Vec<Test>> {
    let mut follow = Follow::default();
    follow.add(call, Vec::new());
    while let Some((value, steps)) = follow.open.pop() {
        for user in value.users() {
            follow.look(value, &steps, user)?;
        }
        if follow.seen.len() > PLACES_MAX {
            return None;
        }
    }
    Some(follow.tests)
}

#[derive(Default)]
struct Follow {
    seen: HashSet<Place>,
    open: Vec<Place>,
    tests: Vec<Test>,
}

impl Follow {
    fn add(&mut self, value: Value, steps: Vec<Step>) {
        if self.seen.insert((value, steps.clone())) {
            self.open.push((value, steps));
        }
    }

    fn test(&mut self, steps: &[Step], with: Constants) {
        let test = Test {
            steps: steps.to_vec(),
            with,
        };
        if !self.tests.contains(&test) {
            self.tests.push(test);
        }
    }

    /// Follows the value into one user. `None`: the user does something else than to hand it on or to compare it.
    fn look(&mut self, value: Value, steps: &[Step], user: Value) -> Option<()> {
        let with = |step: Step| {
            let all: Vec<Step> = steps.iter().copied().chain([step]).collect();
            (all.len() <= STEPS_MAX).then_some(all)
        };
        match user.opcode()? {
            Opcode::LLVMICmp => {
                let (left, right) = (user.operand(0), user.operand(1));
                let constant = if left == value { right } else { left };
                let constant = constant.constant_integer()? as u64;
                let predicate = match left == value {
                    true => user.comparison(),
                    false => swapped(user.comparison())?,
                };
                self.test(steps, Constants::One(predicate, constant));
            }
            Opcode::LLVMSwitch => {
                self.test(steps, Constants::Several(cases(user)?));
            }
            // A Boolean, by itself.
            Opcode::LLVMBr => self.test(steps, Constants::Several(vec![(0, 1)])),
            Opcode::LLVMSelect => {
                if user.operand(0) == value {
                    self.test(steps, Constants::Several(vec![(0, 1)]));
                }
                if user.operand(1) == value || user.operand(2) == value {
                    self.add(user, steps.to_vec());
                }
            }
            Opcode::LLVMPHI | Opcode::LLVMFreeze => self.add(user, steps.to_vec()),
            Opcode::LLVMSExt => self.add(user, with(Step::SignExtend(bits(value), bits(user)))?),
            Opcode::LLVMZExt => self.add(user, with(Step::ZeroExtend(bits(value), bits(user)))?),
            Opcode::LLVMTrunc => self.add(user, truncated(steps, bits(user))?),
            Opcode::LLVMAdd => {
                let other = if user.operand(0) == value { 1 } else { 0 };
                let by = user.operand(other).constant_integer()?;
                self.add(user, with(Step::Add(by as u64))?);
            }
            Opcode::LLVMSub if user.operand(0) == value => {
                let by = user.operand(1).constant_integer()?;
                self.add(user, with(Step::Add(by.wrapping_neg() as u64))?);
            }
            // In one bit the two are the same.
            Opcode::LLVMXor if bits(user) == 1 => {
                let other = if user.operand(0) == value { 1 } else { 0 };
                let by = user.operand(other).constant_integer()?;
                self.add(user, with(Step::Add(by as u64))?);
            }
            Opcode::LLVMStore => {
                for load in loads_of(user, value)? {
                    self.add(load, steps.to_vec());
                }
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.look_in_callee(value, steps, user)?,
            Opcode::LLVMRet => self.look_at_callers(steps, user)?,
            _ => return None,
        }
        Some(())
    }

    /// Follows the value into the function that is called with it. `None`: the function's body is not at hand, or is not
    /// certain to be the one that is called.
    fn look_in_callee(&mut self, value: Value, steps: &[Step], call: Value) -> Option<()> {
        let callee = call.callee();
        for n in 0..call.argument_count() {
            if call.operand(n) == value {
                let is_known = callee.is_function()
                    && !callee.is_declaration()
                    && (callee.is_local() || callee.is_strong_definition())
                    && n < callee.parameter_count();
                let parameter = is_known.then(|| callee.parameter(n))?;
                self.add(parameter, steps.to_vec());
            }
        }
        (callee != value).then_some(())
    }

    /// Follows the value that a function returns to those who call it. `None`: not all of them are known.
    fn look_at_callers(&mut self, steps: &[Step], end: Value) -> Option<()> {
        let function = end.block().function();
        let calls = function.users();
        let is_direct = |call: &Value| {
            is_call(*call)
                && call.callee() == function
                && (0..call.argument_count()).all(|n| call.operand(n) != function)
        };
        (function.is_local() && calls.iter().all(is_direct)).then_some(())?;
        for call in calls {
            self.add(call, steps.to_vec());
        }
        Some(())
    }
}

/// The cases of a `switch`.
fn cases(switch: Value) -> Option<Vec<(u64, u64)>> {
    let ways = switch.block().successors();
    let way = |n: usize| ways.iter().position(|way| *way == ways[n]);
    (1..ways.len())
        .map(|n| {
            let constant = switch.switch_case(n as u32 - 1).constant_integer()?;
            Some((constant as u64, way(n)? as u64))
        })
        .collect()
}

fn bits(value: Value) -> u32 {
    value.ty().integer_bits()
}

/// The steps of a value that is cut to so many bits, as far as those are what a step before extended.
fn truncated(steps: &[Step], to: u32) -> Option<Vec<Step>> {
    let (last, before) = steps.split_last()?;
    let (from, again): (u32, fn(u32, u32) -> Step) = match *last {
        Step::SignExtend(from, _) => (from, Step::SignExtend),
        Step::ZeroExtend(from, _) => (from, Step::ZeroExtend),
        Step::Add(_) => return None,
    };
    match to.cmp(&from) {
        Ordering::Less => None,
        Ordering::Equal => Some(before.to_vec()),
        Ordering::Greater => Some([before, &[again(from, to)]].concat()),
    }
}

/// The loads of a local variable that the value is stored to and that nobody else knows.
fn loads_of(store: Value, value: Value) -> Option<Vec<Value>> {
    let local = store.operand(1);
    let is_plain = |access: Value| !access.is_volatile() && access.ordering() == 0;
    let is_whole = local.opcode() == Some(Opcode::LLVMAlloca)
        && local.allocated_type() == value.ty()
        && store.operand(0) == value
        && is_plain(store);
    is_whole.then_some(())?;
    let mut loads = Vec::new();
    for user in local.users() {
        match user.opcode()? {
            Opcode::LLVMLoad if is_plain(user) && user.ty() == value.ty() => loads.push(user),
            Opcode::LLVMStore if user.operand(0) != local && is_plain(user) => {}
            Opcode::LLVMCall if is_nothing(user) => {}
            _ => return None,
        }
    }
    Some(loads)
}

/// The predicate of a comparison whose sides are exchanged.
fn swapped(predicate: u32) -> Option<u32> {
    Some(match predicate {
        predicate::EQUAL | predicate::NOT_EQUAL => predicate,
        predicate::ABOVE => predicate::BELOW,
        predicate::BELOW => predicate::ABOVE,
        predicate::AT_LEAST => predicate::AT_MOST,
        predicate::AT_MOST => predicate::AT_LEAST,
        predicate::SIGNED_ABOVE => predicate::SIGNED_BELOW,
        predicate::SIGNED_BELOW => predicate::SIGNED_ABOVE,
        predicate::SIGNED_AT_LEAST => predicate::SIGNED_AT_MOST,
        predicate::SIGNED_AT_MOST => predicate::SIGNED_AT_LEAST,
        _ => return None,
    })
}

/// LLVM's numbers of the predicates of `icmp`.
pub mod predicate {
    pub const EQUAL: u32 = 32;
    pub const NOT_EQUAL: u32 = 33;
    pub const ABOVE: u32 = 34;
    pub const AT_LEAST: u32 = 35;
    pub const BELOW: u32 = 36;
    pub const AT_MOST: u32 = 37;
    pub const SIGNED_ABOVE: u32 = 38;
    pub const SIGNED_AT_LEAST: u32 = 39;
    pub const SIGNED_BELOW: u32 = 40;
    pub const SIGNED_AT_MOST: u32 = 41;
}
