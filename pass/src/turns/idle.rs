//! Values that decide for how long a thread sleeps or pauses, and nothing else: counters of a back-off.
//!
//! What such a value is makes no difference to anybody. So a turn that differs from the last in nothing else is as
//! the last.

use super::quiet::Quiet;
use crate::llvm::{Block, Opcode, Value};
use crate::loops::Loop;
use crate::waits::turn::is_plain_local;
use std::collections::HashSet;

/// The values of a loop that are idle if one of them, the start, is.
struct Idle<'a> {
    quiet: &'a Quiet<'a>,
    found: &'a Loop,
    values: HashSet<Value>,
    open: Vec<Value>,
}

/// The values and local variables of a loop that are idle if `start` is, a phi of its head or a local variable; `None`: it
/// is not.
fn with(quiet: &Quiet, found: &Loop, start: Value) -> Option<HashSet<Value>> {
    let mut idle = Idle {
        quiet,
        found,
        values: HashSet::new(),
        open: Vec::new(),
    };
    idle.add(start);
    while let Some(value) = idle.open.pop() {
        for user in value.users() {
            idle.follow(value, user)?;
        }
    }
    Some(idle.values)
}

impl Idle<'_> {
    fn add(&mut self, value: Value) {
        if self.values.insert(value) {
            self.open.push(value);
        }
    }

    /// What `user` makes of a value is idle as well; `None`: somebody may tell.
    fn follow(&mut self, value: Value, user: Value) -> Option<()> {
        if value.opcode() == Some(Opcode::LLVMAlloca) {
            return self.follow_local(value, user);
        }
        if !self.found.body.contains(&user.block()) {
            return None;
        }
        match user.opcode()? {
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMFreeze
            | Opcode::LLVMICmp
            | Opcode::LLVMSelect
            | Opcode::LLVMPHI => self.add(user),
            Opcode::LLVMCall => self.look_at_call(user)?,
            Opcode::LLVMStore => {
                let local = user.operand(1);
                (user.operand(0) == value && is_plain_local(local)).then(|| self.add(local))?;
            }
            Opcode::LLVMBr => self.follow_branch(user.block())?,
            _ => return None,
        }
        Some(())
    }

    fn follow_local(&mut self, local: Value, user: Value) -> Option<()> {
        let is_inside = self.found.body.contains(&user.block());
        match user.opcode()? {
            Opcode::LLVMLoad if is_inside && is_plain_local(local) => self.add(user),
            // What it is at first, or something that stays.
            Opcode::LLVMStore => {}
            Opcode::LLVMCall if self.quiet.looks(user) == Some(false) => {}
            _ => return None,
        }
        Some(())
    }

    /// Follows a call that makes no event and leaves nothing behind but what it returns, which is idle then.
    fn look_at_call(&mut self, call: Value) -> Option<()> {
        (self.quiet.looks(call) == Some(false)).then(|| self.add(call))
    }

    /// A branch is idle if nothing happens until its ways meet again. What they compute differently is idle then.
    fn follow_branch(&mut self, branch: Block) -> Option<()> {
        let (between, meet) = self.between(branch)?;
        for instruction in between.iter().flat_map(|block| block.instructions()) {
            self.look(instruction)?;
        }
        let from: Vec<Block> = { meet.predecessors().into_iter() }
            .filter(|block| *block == branch || between.contains(block))
            .collect();
        for phi in meet
            .instructions()
            .take_while(|i| i.opcode() == Some(Opcode::LLVMPHI))
        {
            let first = phi.incoming(*from.first()?);
            if from.iter().any(|&block| phi.incoming(block) != first) {
                self.add(phi);
            }
        }
        Some(())
    }

    /// An instruction of which it depends on something idle whether it is executed.
    fn look(&mut self, instruction: Value) -> Option<()> {
        match instruction.opcode()? {
            Opcode::LLVMBr => {}
            Opcode::LLVMLoad if is_plain_local(instruction.operand(0)) => self.add(instruction),
            Opcode::LLVMStore => {
                let local = instruction.operand(1);
                is_plain_local(local).then(|| self.add(local))?;
            }
            Opcode::LLVMCall => self.look_at_call(instruction)?,
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMICmp
            | Opcode::LLVMSelect
            | Opcode::LLVMPHI => self.add(instruction),
            _ => return None,
        }
        Some(())
    }

    /// The blocks between a branch and where its ways meet, and that place: the nearest there is in the loop.
    fn between(&self, branch: Block) -> Option<(HashSet<Block>, Block)> {
        let meets = self.found.body.iter().filter_map(|&meet| {
            let mut seen = HashSet::new();
            let mut open = branch.successors();
            while let Some(block) = open.pop() {
                if block == meet || !seen.insert(block) {
                    continue;
                }
                if !self.found.body.contains(&block) || block == self.found.header {
                    return None;
                }
                open.extend(block.successors());
            }
            Some((seen, meet))
        });
        meets.min_by_key(|(between, _)| between.len())
    }
}

/// The phis and local variables of a loop that are idle: all of them together.
pub fn all(quiet: &Quiet, found: &Loop, phis: &[Value], locals: &[Value]) -> HashSet<Value> {
    let starts = phis.iter().chain(locals);
    starts
        .filter_map(|&start| with(quiet, found, start))
        .flatten()
        .collect()
}
