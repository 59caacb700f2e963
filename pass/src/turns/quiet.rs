//! What an instruction in a loop may do so that nobody can tell how often the loop went round.

use crate::llvm::{Opcode, Value};
use crate::rewriter::Rewriter;
use crate::waits::turn::{is_nothing, is_plain_local};
use std::collections::HashSet;

/// So deep may calls be.
const DEPTH_MAX: usize = 6;

/// Functions that let time pass, and have no other effect unless a signal or a request to end interrupts them: then the
/// runtime asks of no turn whether it was in vain.
const SLEEPS: [&str; 5] = [
    "usleep",
    "sleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
];

/// Functions that tell the thread where something is that is its own.
const OWN: [&str; 1] = ["__errno_location"];

/// Intrinsics that compute something from their arguments alone.
const PURE: [&str; 13] = [
    "llvm.umin.",
    "llvm.umax.",
    "llvm.smin.",
    "llvm.smax.",
    "llvm.abs.",
    "llvm.ctpop.",
    "llvm.cttz.",
    "llvm.ctlz.",
    "llvm.fshl.",
    "llvm.fshr.",
    "llvm.assume",
    "llvm.expect.",
    "llvm.experimental.noalias.scope.decl",
];

/// Asks of instructions.
pub struct Quiet<'a> {
    rewriter: &'a Rewriter,
    /// Functions in which accesses are no events.
    skipped: &'a HashSet<Value>,
}

/// True for a call that only lets time pass.
pub fn sleeps(call: Value) -> bool {
    let callee = call.callee();
    callee.is_function() && SLEEPS.contains(&callee.name().as_str())
}

/// The memory that a call of an intrinsic fills, and that is all it does.
fn fills(call: Value) -> Option<Value> {
    let name = call.callee().name();
    let is_filling = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memset.");
    is_filling.then(|| call.operand(0))
}

/// True for a part of a local variable that nobody reads but functions that sleep: what it holds makes no difference.
fn is_sleeping_time(mut pointer: Value) -> bool {
    while pointer.opcode() == Some(Opcode::LLVMGetElementPtr) {
        pointer = pointer.operand(0);
    }
    pointer.opcode() == Some(Opcode::LLVMAlloca) && is_read_asleep_only(pointer)
}

fn is_read_asleep_only(pointer: Value) -> bool {
    pointer.users().into_iter().all(|user| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => is_read_asleep_only(user),
        Some(Opcode::LLVMStore) => user.operand(0) != pointer,
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            sleeps(user) || is_nothing(user) || fills(user) == Some(pointer)
        }
        _ => false,
    })
}

impl<'a> Quiet<'a> {
    pub fn new(rewriter: &'a Rewriter, skipped: &'a HashSet<Value>) -> Quiet<'a> {
        Quiet { rewriter, skipped }
    }

    /// Whether the instruction is an event, or makes some. `None`: it may do what is no event and what others, or later
    /// turns, can tell.
    pub fn looks(&self, instruction: Value) -> Option<bool> {
        self.looks_within(instruction, DEPTH_MAX)
    }

    fn looks_within(&self, instruction: Value, depth: usize) -> Option<bool> {
        let is_atomic = |i: Value| i.ordering() != 0;
        Some(match instruction.opcode()? {
            Opcode::LLVMLoad => {
                let is_event = is_atomic(instruction) || instruction.is_volatile();
                is_event && self.is_shared(instruction.operand(0))?
            }
            Opcode::LLVMStore if is_atomic(instruction) => {
                self.is_shared(instruction.operand(1))?.then_some(true)?
            }
            Opcode::LLVMStore => {
                let pointer = instruction.operand(1);
                let is_local = || is_plain_local(pointer) || is_sleeping_time(pointer);
                let is_no_event = !instruction.is_volatile() || self.rewriter.is_private(pointer);
                (is_no_event && is_local()).then_some(false)?
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                self.is_shared(instruction.operand(0))?.then_some(true)?
            }
            // What is looked into throws nothing.
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.looks_in_call(instruction, depth)?,
            Opcode::LLVMFence
            | Opcode::LLVMBr
            | Opcode::LLVMSwitch
            | Opcode::LLVMUnreachable
            | Opcode::LLVMPHI
            | Opcode::LLVMICmp
            | Opcode::LLVMFCmp
            | Opcode::LLVMSelect
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMExtractValue
            | Opcode::LLVMInsertValue
            | Opcode::LLVMFreeze
            | Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMUDiv
            | Opcode::LLVMSDiv
            | Opcode::LLVMURem
            | Opcode::LLVMSRem
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr => false,
            _ => return None,
        })
    }

    /// Whether an access has a hook; `None`: it cannot have one.
    fn is_shared(&self, pointer: Value) -> Option<bool> {
        Rewriter::is_flat(pointer).then(|| !self.rewriter.is_private(pointer))
    }

    fn looks_in_call(&self, call: Value, depth: usize) -> Option<bool> {
        let callee = call.callee();
        if is_nothing(call) {
            return Some(false);
        }
        if callee.is_function() && callee.is_declaration() {
            let name = callee.name();
            let is_quiet = sleeps(call)
                || OWN.contains(&name.as_str())
                || { PURE.iter() }.any(|begin| name.starts_with(begin))
                || fills(call).is_some_and(is_sleeping_time);
            return is_quiet.then_some(false);
        }
        let instructions = self.body_of(callee)?;
        let depth = depth.checked_sub(1)?;
        let mut looks = false;
        for instruction in instructions {
            looks |= match instruction.opcode()? {
                Opcode::LLVMRet | Opcode::LLVMAlloca => false,
                _ => self.looks_within(instruction, depth)?,
            };
        }
        Some(looks)
    }

    /// The instructions of a function that is called for sure and has hooks.
    fn body_of(&self, callee: Value) -> Option<Vec<Value>> {
        let known = callee.is_function()
            && (callee.is_droppable() || callee.is_strong_definition())
            && !self.skipped.contains(&callee);
        let blocks = known.then(|| callee.blocks())?;
        Some(
            blocks
                .iter()
                .flat_map(|block| block.instructions())
                .collect(),
        )
    }

    /// True if whatever way control takes from the first block of a called function, it meets an event.
    pub fn always_looks(&self, call: Value) -> bool {
        let callee = call.callee();
        let first = callee.is_function().then(|| callee.blocks());
        let Some(&first) = first.as_ref().and_then(|blocks| blocks.first()) else {
            return false;
        };
        let (mut open, mut seen) = (vec![first], HashSet::from([first]));
        while let Some(block) = open.pop() {
            if block.instructions().any(|i| self.is_event(i)) {
                continue;
            }
            let next = block.successors();
            let ends = block.instructions().last();
            if ends.is_some_and(|end| end.opcode() == Some(Opcode::LLVMRet)) {
                return false;
            }
            open.extend(next.into_iter().filter(|&block| seen.insert(block)));
        }
        true
    }

    /// True for an instruction that is an event for sure.
    pub fn is_event(&self, instruction: Value) -> bool {
        match instruction.opcode() {
            // A call is no event but what it calls for sure, which is not followed further.
            Some(Opcode::LLVMCall) => false,
            _ => self.looks(instruction) == Some(true),
        }
    }
}
