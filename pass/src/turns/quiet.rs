//! Effects of instructions in a loop, and whether they show how often the loop went round.

use super::effects::Effects;
use super::functions::{self, does_nothing, fills, sleeps};
use super::lent::{self, Base};
use crate::llvm::{Block, Opcode, Value};
use crate::rewriter::Rewriter;
use crate::waits::turn::{is_nothing, is_plain_local};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Depth of calls that are looked into, at most.
const DEPTH_MAX: usize = 32;

/// Tells of instructions and functions what effects they have.
pub struct Quiet<'a> {
    rewriter: &'a Rewriter,
    /// The functions in which accesses are no events.
    skipped: &'a HashSet<Value>,
    /// True if plain loads are events.
    plain: bool,
    /// The effects of functions whose calls were looked into; `None` as well while a function is being looked into.
    known: RefCell<HashMap<Value, Option<Effects>>>,
    /// Functions that were asked whether they make an event in any case; false as well while one is being asked.
    always: RefCell<HashMap<Value, bool>>,
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

/// Where control goes from a block. What is called throws nothing, so that the second way of an invoke is never taken.
pub fn ways(block: Block) -> impl Iterator<Item = Block> {
    let invokes = block.end().and_then(Value::opcode) == Some(Opcode::LLVMInvoke);
    let ways = if invokes { 1 } else { usize::MAX };
    block.successors().into_iter().take(ways)
}

/// True for a call behind which there is nothing: it ends the thread's work here, by an exception or otherwise.
fn comes_not_back(call: Value) -> bool {
    let end = call.block().end();
    let is_call = call.opcode() == Some(Opcode::LLVMCall);
    is_call && end.and_then(Value::opcode) == Some(Opcode::LLVMUnreachable)
}

/// True if an exception from this call leaves the function, whatever is done on the way.
fn leads_out(call: Value) -> bool {
    if call.opcode() != Some(Opcode::LLVMInvoke) {
        return true;
    }
    let mut open: Vec<Block> = call.block().successors().into_iter().skip(1).collect();
    let mut seen: HashSet<Block> = open.iter().copied().collect();
    while let Some(block) = open.pop() {
        match block.end().and_then(Value::opcode) {
            Some(Opcode::LLVMResume | Opcode::LLVMUnreachable) => {}
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMInvoke) => {
                let next = block.successors().into_iter();
                open.extend(next.filter(|&block| seen.insert(block)));
            }
            _ => return false,
        }
    }
    true
}

/// The blocks of a function that control may reach.
fn reached(function: Value) -> Vec<Block> {
    let mut open: Vec<Block> = function.blocks().first().copied().into_iter().collect();
    let mut seen: HashSet<Block> = open.iter().copied().collect();
    let mut reached = Vec::new();
    while let Some(block) = open.pop() {
        reached.push(block);
        open.extend(ways(block).filter(|&block| seen.insert(block)));
    }
    reached
}

impl<'a> Quiet<'a> {
    /// `plain`: plain loads of shared memory are events too.
    pub fn new(rewriter: &'a Rewriter, skipped: &'a HashSet<Value>, plain: bool) -> Quiet<'a> {
        Quiet {
            rewriter,
            skipped,
            plain,
            known: RefCell::default(),
            always: RefCell::default(),
        }
    }

    /// True if only one thread can reach what the pointer leads to.
    pub fn is_private(&self, pointer: Value) -> bool {
        self.rewriter.is_private(pointer)
    }

    /// Whether the instruction is an event, or makes some. `None`: it may do what is no event and what others, or later
    /// turns, can tell.
    pub fn looks(&self, instruction: Value) -> Option<bool> {
        let effects = self.effects(instruction)?;
        let writes = effects.stores || !effects.writes.is_empty();
        (!writes).then_some(effects.looks)
    }

    /// The effects of the instruction; `None`: others, or later iterations, may tell what is no event.
    pub fn effects(&self, instruction: Value) -> Option<Effects> {
        self.effects_within(instruction, DEPTH_MAX)
    }

    /// True if the address of a local variable, or of what a parameter points to, is known to functions that run only
    /// while the variable's does, and to no other thread.
    pub fn is_lent(&self, address: Value) -> bool {
        !lent::is_kept(address, |function| self.is_certain(function))
    }

    /// The words that hold a local variable, if the function has it only once.
    pub fn words(&self, local: Value) -> Option<u64> {
        let entry = local.block().function().blocks()[0];
        let is_one = local.block() == entry && local.operand(0).constant_integer() == Some(1);
        let bytes = self.rewriter.module.store_bytes(local.allocated_type());
        is_one.then(|| lent::pieces(bytes).len() as u64)
    }

    fn effects_within(&self, instruction: Value, depth: usize) -> Option<Effects> {
        let is_atomic = |i: Value| i.ordering() != 0;
        Some(Effects::looking(match instruction.opcode()? {
            Opcode::LLVMLoad => {
                let is_event = is_atomic(instruction) || instruction.is_volatile();
                if !is_event && !self.plain {
                    return Some(Effects {
                        reads: self.is_shared(instruction.operand(0)) != Some(false),
                        ..Effects::default()
                    });
                }
                self.is_shared(instruction.operand(0))?
            }
            Opcode::LLVMStore if is_atomic(instruction) => {
                self.is_shared(instruction.operand(1))?.then_some(true)?
            }
            Opcode::LLVMStore => return self.effects_of_store(instruction),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                self.is_shared(instruction.operand(0))?.then_some(true)?
            }
            // What is looked into throws nothing.
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                return self.effects_of_call(instruction, depth)
            }
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
        }))
    }

    fn effects_of_store(&self, store: Value) -> Option<Effects> {
        let pointer = store.operand(1);
        if store.is_volatile() && self.is_shared(pointer)? {
            return Some(Effects::looking(true));
        }
        match is_plain_local(pointer) || is_sleeping_time(pointer) {
            true => Some(Effects::default()),
            false => self.effects_of_filling(pointer),
        }
    }

    /// The effects of a store through this pointer that is no event.
    fn effects_of_filling(&self, pointer: Value) -> Option<Effects> {
        let is_hooked = self.is_shared(pointer) == Some(true);
        match lent::base(pointer) {
            Some(base) => Some(Effects::writing(base, is_hooked)),
            None => is_hooked.then(Effects::storing),
        }
    }

    /// Whether an access has a hook; `None`: it cannot have one.
    fn is_shared(&self, pointer: Value) -> Option<bool> {
        Rewriter::is_flat(pointer).then(|| !self.rewriter.is_private(pointer))
    }

    fn effects_of_call(&self, call: Value, depth: usize) -> Option<Effects> {
        let callee = call.callee();
        if is_nothing(call) {
            return Some(Effects::default());
        }
        if callee.is_function() && callee.is_declaration() {
            let name = callee.name();
            return match fills(call) {
                Some(filled) if !is_sleeping_time(filled) => self.effects_of_filling(filled),
                Some(_) => Some(Effects::default()),
                None if functions::locks(&name) => Some(Effects::looking(true)),
                None if does_nothing(call) => Some(Effects::default()),
                None if functions::reads(&name) => Some(Effects {
                    reads: true,
                    ..Effects::default()
                }),
                None if functions::reads_string(&name) => Some(Effects {
                    reads: true,
                    throws: true,
                    ..Effects::default()
                }),
                // A change of which the runtime knows. An `operator new` may throw.
                None if functions::allocates_or_frees(&name) => Some(Effects {
                    throws: true,
                    ..Effects::storing()
                }),
                None => comes_not_back(call).then(|| Effects {
                    throws: true,
                    ..Effects::default()
                }),
            };
        }
        let mut effects = self.effects_of_function(callee, depth)?;
        let in_callee = core::mem::take(&mut effects.writes);
        let unseen = core::mem::take(&mut effects.unseen);
        for base in in_callee {
            let is_hooked = !unseen.contains(&base);
            effects.add(match lent::at_call(call, base) {
                Some(here) => Effects::writing(here, is_hooked),
                None => is_hooked.then(Effects::storing)?,
            });
        }
        let is_caught = effects.throws && !leads_out(call);
        (!is_caught).then_some(effects)
    }

    /// True for a function whose body is at hand, is the one that is called, and has hooks.
    fn is_certain(&self, callee: Value) -> bool {
        callee.is_function()
            && (callee.is_droppable() || callee.is_strong_definition())
            && !self.skipped.contains(&callee)
    }

    fn effects_of_function(&self, callee: Value, depth: usize) -> Option<Effects> {
        if !self.is_certain(callee) {
            return None;
        }
        let known = self.known.borrow().get(&callee).cloned();
        known.unwrap_or_else(|| {
            self.known.borrow_mut().insert(callee, None);
            let found = self.effects_of_body(callee, depth.checked_sub(1)?);
            self.known.borrow_mut().insert(callee, found.clone());
            found
        })
    }

    /// The effects of a function's body: what is left of its local variables is gone with it.
    fn effects_of_body(&self, function: Value, depth: usize) -> Option<Effects> {
        let mut effects = Effects::default();
        let blocks = reached(function).into_iter();
        for instruction in blocks.flat_map(|block| block.instructions()) {
            match instruction.opcode()? {
                Opcode::LLVMRet | Opcode::LLVMAlloca => {}
                _ => effects.add(self.effects_within(instruction, depth)?),
            }
        }
        for base in effects.writes.clone() {
            let is_lent = match base {
                Base::Local(local) => self.is_lent(local),
                Base::Parameter(index) => self.is_lent(function.parameter(index)),
            };
            if !is_lent {
                effects.give_up(base)?;
            }
        }
        let stays = |base: &Base| matches!(base, Base::Parameter(_));
        effects.writes.retain(stays);
        effects.unseen.retain(stays);
        Some(effects)
    }

    /// True for a call that makes an event, whatever way control takes in the function.
    pub fn always_looks(&self, call: Value) -> bool {
        let callee = call.callee();
        if callee.is_function() && callee.is_declaration() {
            return functions::locks(&callee.name());
        }
        if !self.is_certain(callee) {
            return false;
        }
        let known = self.always.borrow().get(&callee).copied();
        known.unwrap_or_else(|| {
            self.always.borrow_mut().insert(callee, false);
            let always = self.always_looks_in(callee);
            self.always.borrow_mut().insert(callee, always);
            always
        })
    }

    fn always_looks_in(&self, function: Value) -> bool {
        let Some(&first) = function.blocks().first() else {
            return false;
        };
        let (mut open, mut seen) = (vec![first], HashSet::from([first]));
        while let Some(block) = open.pop() {
            if block.instructions().any(|i| self.is_event(i)) {
                continue;
            }
            if block.end().and_then(Value::opcode) == Some(Opcode::LLVMRet) {
                return false;
            }
            open.extend(ways(block).filter(|&block| seen.insert(block)));
        }
        true
    }

    /// True for an instruction that is an event for sure, or makes one.
    pub fn is_event(&self, instruction: Value) -> bool {
        match instruction.opcode() {
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => self.always_looks(instruction),
            _ => self.looks(instruction) == Some(true),
        }
    }
}
