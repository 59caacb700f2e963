//! Loops whose turns may be events: `__dpor_round` at their heads, which counts them.
//!
//! Two kinds of loops have nothing that `--loop-bound` would have to bound: those that make no event, since however
//! often they go round the execution is the same one; and those that count to a number that they do not change, as
//! loops over threads do, since they end by themselves.

use crate::endless;
use crate::llvm::{Block, Opcode, Value};
use crate::loops::Loop;
use crate::rewriter::Rewriter;
use crate::turns::quiet::Quiet;
use crate::waits::turn::is_plain_local;

/// The loops of the function that are counted.
pub fn find(quiet: &Quiet, loops: &[Loop]) -> Vec<Loop> {
    let counted = loops.iter().filter(|found| {
        let all = found.body.iter().flat_map(|block| block.instructions());
        { all }.any(|instruction| may_be_event(quiet, instruction)) && !counts(found)
    });
    counted.cloned().collect()
}

/// True for what may be an event of the thread, or make some.
fn may_be_event(quiet: &Quiet, instruction: Value) -> bool {
    let is_ordered = || instruction.ordering() != 0 || instruction.is_volatile();
    let pointer = match instruction.opcode() {
        Some(Opcode::LLVMLoad) if is_ordered() => 0,
        Some(Opcode::LLVMStore) if is_ordered() => 1,
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => 0,
        Some(Opcode::LLVMCall) => {
            let callee = instruction.callee();
            return match callee.is_function() && callee.is_declaration() {
                true => !callee.name().starts_with("llvm.") && callee.name() != endless::HOOK,
                false => quiet
                    .effects(instruction)
                    .is_none_or(|effects| effects.looks),
            };
        }
        Some(Opcode::LLVMInvoke | Opcode::LLVMCallBr) => return true,
        _ => return false,
    };
    !quiet.is_private(instruction.operand(pointer))
}

/// True if each turn compares a number that is one step further with one that stays, and the loop may end by that.
fn counts(found: &Loop) -> bool {
    let latches: Vec<Block> = found.latches().collect();
    let every_turn = match latches[..] {
        [latch] => vec![found.header, latch],
        _ => vec![found.header],
    };
    let counting = Counting {
        found,
        latches: &latches,
        every_turn: &every_turn,
    };
    let ends = every_turn.iter().filter(|block| {
        let mut next = block.successors().into_iter();
        next.any(|next| !found.body.contains(&next))
    });
    let conditions = ends.filter_map(|block| block.end()?.branch_condition());
    { conditions.filter(|c| c.opcode() == Some(Opcode::LLVMICmp)) }.any(|comparison| {
        let (a, b) = (comparison.operand(0), comparison.operand(1));
        (counting.steps(a) && counting.stays(b)) || (counting.stays(a) && counting.steps(b))
    })
}

struct Counting<'a> {
    found: &'a Loop,
    latches: &'a [Block],
    /// Blocks that every turn goes through.
    every_turn: &'a [Block],
}

impl Counting<'_> {
    fn is_inside(&self, instruction: Value) -> bool {
        self.found.body.contains(&instruction.block())
    }

    /// Stores to a local variable in the loop.
    fn stores(&self, local: Value) -> Vec<Value> {
        let all = local.users().into_iter();
        let stores = all.filter(|user| user.opcode() == Some(Opcode::LLVMStore));
        stores.filter(|&store| self.is_inside(store)).collect()
    }

    /// True for a value that is the same in all turns.
    fn stays(&self, value: Value) -> bool {
        let Some(opcode) = value.opcode() else {
            return true; // A constant, an argument, a global's address.
        };
        if !self.is_inside(value) {
            return true;
        }
        let operands = || (0..value.operand_count()).map(|n| value.operand(n));
        match opcode {
            Opcode::LLVMLoad => {
                let local = value.operand(0);
                is_plain_local(local) && self.stores(local).is_empty()
            }
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc => { operands() }.all(|operand| self.stays(operand)),
            _ => false,
        }
    }

    /// True for a value that is one step further in each turn.
    fn steps(&self, value: Value) -> bool {
        match value.opcode() {
            Some(Opcode::LLVMZExt | Opcode::LLVMSExt) => self.steps(value.operand(0)),
            Some(Opcode::LLVMPHI) => self.is_stepping_phi(value),
            Some(Opcode::LLVMLoad) => self.is_stepping_local(value.operand(0)),
            _ => step(value).is_some_and(|(from, _)| match from.opcode() {
                Some(Opcode::LLVMPHI) => self.is_stepping_phi(from),
                Some(Opcode::LLVMLoad) => self.is_stepping_local(from.operand(0)),
                _ => false,
            }),
        }
    }

    fn is_stepping_phi(&self, phi: Value) -> bool {
        let mut steps = self.latches.iter().map(|&latch| {
            let (from, by) = step(phi.incoming(latch)?)?;
            (from == phi).then_some(by)
        });
        let first = steps.next().flatten();
        phi.block() == self.found.header && first.is_some() && steps.all(|by| by == first)
    }

    fn is_stepping_local(&self, local: Value) -> bool {
        let [store] = (match is_plain_local(local) {
            true => self.stores(local),
            false => return false,
        })[..] else {
            return false;
        };
        let is_own = |from: Value| {
            let loads = from.opcode() == Some(Opcode::LLVMLoad);
            loads && from.operand(0) == local && from.block() == store.block()
        };
        self.every_turn.contains(&store.block())
            && step(store.operand(0)).is_some_and(|(from, _)| is_own(from))
    }
}

/// The value that another is one constant step from, and the step.
fn step(value: Value) -> Option<(Value, i64)> {
    let by = match value.opcode()? {
        Opcode::LLVMAdd | Opcode::LLVMSub => value.operand(1).constant_integer(),
        Opcode::LLVMGetElementPtr if value.operand_count() == 2 => {
            value.operand(1).constant_integer()
        }
        _ => None,
    };
    by.filter(|&by| by != 0).map(|by| (value.operand(0), by))
}

/// Inserts the hook that counts iterations at the head of each loop.
pub fn mark(rewriter: &mut Rewriter, loops: Vec<Loop>) {
    for found in loops {
        let count = found.variables(rewriter, 1);
        found.reset(rewriter, count);
        stand_at_head(rewriter, &found);
        rewriter.insert("__dpor_round", 0, &[count], 0);
    }
}

/// Stands behind the phis of the head, at the place in the source that clang says the loop has.
fn stand_at_head(rewriter: &mut Rewriter, found: &Loop) {
    let first = found.behind_phis();
    rewriter.stand_before(first);
    let mut ends = found.latches().filter_map(Block::end);
    if let Some(place) = ends.find_map(Value::loop_location) {
        rewriter.stand_at(first, place);
    }
}
