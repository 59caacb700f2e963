//! An iteration of a loop, followed instruction by instruction.

use super::expression::{boolean, Comparison, Computation, Expression, Test};
use crate::assembly;
use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::turns::functions::sleeps;
use std::collections::HashMap;

/// Blocks that a turn may go through.
const BLOCKS_MAX: usize = 24;

/// Functions that change nothing: hints to the scheduler. What they return, if anything, is 0.
const HINTS: [&str; 5] = [
    "sched_yield",
    "__sched_yield",
    "pthread_yield",
    "thrd_yield",
    "dpor_yield",
];

/// Intrinsics that change nothing.
const NOTHINGS: [&str; 4] = [
    "llvm.x86.sse2.pause",
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.donothing",
];

/// Texts of inline assembly that change nothing.
const PAUSES: [&str; 5] = ["", "pause", "rep nop", "rep; nop", "rep;nop"];

/// The state of an iteration that is followed.
#[derive(Clone, Default)]
pub struct Turn {
    /// Values of the instructions met.
    pub known: HashMap<Value, Expression>,
    /// Values of local variables, where they are not what they were when the iteration began.
    pub locals: HashMap<Value, Expression>,
    /// The blocks gone through, in order.
    pub blocks: Vec<Block>,
    /// True if time may pass in the iteration.
    pub may_sleep: bool,
}

/// The decision whether a loop goes round, and its place.
#[derive(Clone)]
pub struct Decision {
    pub test: Test,
    /// The outcome of the test with which the loop ends.
    pub holds: bool,
    /// The block of the branch, and where it goes if the loop ends.
    pub branch: Block,
    pub exit: Block,
}

impl Decision {
    /// The test that holds exactly if the loop ends, in so far as it is a comparison; otherwise the test with its
    /// outcome.
    pub fn ends(&self) -> (Test, bool) {
        match &self.test {
            Test::Succeeded => (Test::Succeeded, self.holds),
            Test::Compared(comparison) if self.holds => (Test::Compared(comparison.clone()), true),
            Test::Compared(comparison) => (Test::Compared(comparison.clone().negated()), true),
        }
    }
}

/// A local variable that is only loaded and stored whole, by the instructions of its function; it may be volatile.
pub fn is_plain_local(pointer: Value) -> bool {
    pointer.opcode() == Some(Opcode::LLVMAlloca) && {
        let kind = pointer.allocated_type().kind();
        let whole = |value: Value| {
            let ty = value.ty();
            let both = [pointer.allocated_type(), ty].map(|t| match t.kind() {
                TypeKind::Pointer => 64,
                _ => t.integer_bits(),
            });
            both[0] == both[1] && both[0] > 0
        };
        matches!(kind, TypeKind::Integer | TypeKind::Pointer)
            && pointer.users().into_iter().all(|user| match user.opcode() {
                Some(Opcode::LLVMLoad) => user.ordering() == 0 && whole(user),
                Some(Opcode::LLVMStore) => {
                    user.ordering() == 0
                        && user.operand(1) == pointer
                        && user.operand(0) != pointer
                        && whole(user.operand(0))
                }
                Some(Opcode::LLVMCall) => is_nothing(user),
                _ => false,
            })
    }
}

fn is_quiet(access: Value) -> bool {
    access.ordering() == 0 && !access.is_volatile()
}

/// True for a call that changes nothing and of which nobody looks at a result that is not always the same.
pub fn is_nothing(call: Value) -> bool {
    let callee = call.callee();
    if callee.is_function() && callee.is_declaration() {
        let name = callee.name();
        return HINTS.contains(&name.as_str())
            || call.users().is_empty() && NOTHINGS.iter().any(|begin| name.starts_with(begin));
    }
    callee.is_assembly() && call.users().is_empty() && {
        let text = callee.assembly_text();
        let constraints = callee.assembly_constraints();
        let mut all = constraints.split(',');
        let is_alone = all.all(|c| c.is_empty() || c.starts_with('~'));
        is_alone && (PAUSES.contains(&text.trim()) || assembly::is_full_fence(&text))
    }
}

impl Turn {
    /// A turn of which nothing is known. An access with its own condition is told from one that looks again after some
    /// time (`crate::turns`); of calls there is no more than the first.
    pub fn around(access: Value) -> Turn {
        let may_sleep = access.opcode() == Some(Opcode::LLVMCall);
        Turn {
            may_sleep,
            ..Turn::default()
        }
    }

    /// The expression for a value.
    pub fn expression(&self, value: Value) -> Expression {
        let known = self.known.get(&value).cloned();
        known.unwrap_or(Expression::Value(value))
    }

    /// The expression for what a local variable holds.
    pub fn local(&self, local: Value) -> Expression {
        let held = self.locals.get(&local).cloned();
        held.unwrap_or(Expression::Initially(local))
    }

    /// Goes over an instruction that is no branch. `None`: it has an effect, or is not understood.
    pub fn step(&mut self, instruction: Value) -> Option<()> {
        let opcode = instruction.opcode()?;
        let expression = match opcode {
            Opcode::LLVMLoad => {
                let local = instruction.operand(0);
                let plain = is_quiet(instruction) && is_plain_local(local);
                plain.then(|| self.local(local))?
            }
            Opcode::LLVMStore => {
                let (value, local) = (instruction.operand(0), instruction.operand(1));
                if !is_quiet(instruction) || !is_plain_local(local) {
                    return None;
                }
                let value = self.expression(value);
                self.locals.insert(local, value);
                return Some(());
            }
            Opcode::LLVMCall => {
                let sleeps = self.may_sleep && sleeps(instruction);
                let passes = is_nothing(instruction) || sleeps && instruction.users().is_empty();
                passes.then_some(())?;
                Expression::Zero
            }
            // It orders, and changes nothing.
            Opcode::LLVMFence => return Some(()),
            Opcode::LLVMExtractValue => {
                let bits = super::found_bits(instruction.operand(0))?;
                match (
                    self.expression(instruction.operand(0)),
                    instruction.field()?,
                ) {
                    (Expression::Pair, 0) => Expression::Found(bits),
                    (Expression::Pair, 1) => Expression::Succeeded,
                    _ => return None,
                }
            }
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMFreeze
            | Opcode::LLVMICmp
            | Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMGetElementPtr => self.computed(instruction, opcode),
            _ => return None,
        };
        self.known.insert(instruction, expression);
        Some(())
    }

    fn computed(&self, instruction: Value, opcode: Opcode) -> Expression {
        let operands = (0..instruction.operand_count()).map(|i| instruction.operand(i));
        let is_address = opcode == Opcode::LLVMGetElementPtr;
        let is_comparison = opcode == Opcode::LLVMICmp;
        Expression::Computed(Box::new(Computation {
            opcode,
            ty: match is_address {
                true => instruction.element_type_of_address(),
                false => instruction.ty(),
            },
            predicate: if is_comparison {
                instruction.comparison()
            } else {
                0
            },
            operands: operands.map(|value| self.expression(value)).collect(),
        }))
    }

    /// Goes into a block from another: its phis are what they are then.
    fn enter(&mut self, block: Block, from: Block) -> Option<()> {
        let phis = { block.instructions() }.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI));
        let phis: Vec<Value> = phis.collect();
        let values: Option<Vec<Expression>> = { phis.iter() }
            .map(|phi| Some(self.expression(phi.incoming(from)?)))
            .collect();
        self.known.extend(phis.into_iter().zip(values?));
        Some(())
    }

    /// Goes over the instructions of a block before `end`, but its phis.
    pub fn go_to(&mut self, block: Block, end: Value) -> Option<()> {
        let all = block.instructions().take_while(|&i| i != end);
        for instruction in all.filter(|i| i.opcode() != Some(Opcode::LLVMPHI)) {
            self.step(instruction)?;
        }
        Some(())
    }

    /// Goes on behind `access` until control enters a block that is `wanted`, with the assumption that the first
    /// decision by what was found `came_out` so. The block from which it came there, the block itself, and the
    /// decision, which ends the loop if it comes out otherwise. Without one the loop has no end.
    pub fn go_round(
        &mut self,
        access: Value,
        came_out: bool,
        wanted: impl Fn(Block) -> bool,
    ) -> Option<(Block, Block, Decision)> {
        let mut block = access.block();
        let mut decision: Option<Decision> = None;
        let mut rest = block.instructions();
        rest.find(|&i| i == access)?;
        let mut rest: Vec<Value> = rest.collect();
        for _ in 0..BLOCKS_MAX {
            self.blocks.push(block);
            let branch = rest.pop()?;
            for instruction in rest {
                if instruction.opcode() != Some(Opcode::LLVMPHI) {
                    self.step(instruction)?;
                }
            }
            if branch.opcode() != Some(Opcode::LLVMBr) {
                return None;
            }
            let next = match (branch.branch_condition(), &block.successors()[..]) {
                (None, &[next]) => next,
                (Some(condition), &[yes, no]) => {
                    let (test, holds) = boolean(&self.expression(condition))?;
                    let known = decision.get_or_insert_with(|| Decision {
                        test: test.clone(),
                        holds: !came_out,
                        branch: block,
                        exit: if holds == came_out { no } else { yes },
                    });
                    if known.test != test {
                        return None;
                    }
                    if holds == came_out {
                        yes
                    } else {
                        no
                    }
                }
                _ => return None,
            };
            if wanted(next) {
                let decision = decision.unwrap_or(Decision {
                    test: Test::Compared(Comparison::never()),
                    holds: true,
                    branch: block,
                    exit: next,
                });
                return Some((block, next, decision));
            }
            if self.blocks.contains(&next) {
                return None;
            }
            self.enter(next, block)?;
            block = next;
            rest = block.instructions().collect();
        }
        None
    }
}
