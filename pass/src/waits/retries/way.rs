//! A way from one access to another, followed instruction by instruction.

use super::*;

impl State {
    pub(super) fn way(self) -> Way {
        Way {
            state: self,
            ..Way::default()
        }
    }

    /// The state, if what was found in it was found by `look`, and something else is found from now on.
    pub(super) fn with_older(mut self, look: Value) -> State {
        let values = self
            .turn
            .known
            .values_mut()
            .chain(self.turn.locals.values_mut());
        let stored = self.stored.iter_mut().map(|(_, _, value)| value);
        values
            .chain(stored)
            .for_each(|value| make_older(value, look));
        self.is_earlier = false;
        self
    }

    /// The outcome of a condition, where it is known.
    pub(super) fn outcome(&self, condition: Value) -> Option<bool> {
        match self.turn.expression(condition) {
            Expression::Value(value) => Some(value.constant_integer()? & 1 == 1),
            Expression::Zero => Some(false),
            expression => match boolean(&expression)? {
                (Test::Succeeded, holds) => Some(holds == self.succeeded),
                _ => None,
            },
        }
    }

    /// Follows a way on which the loop ends, as long as it goes through blocks behind the compare-exchange: the last of
    /// these, where it comes out, and what is known there. `None`: it may come back to the loop.
    pub(super) fn leave(
        mut self,
        mut from: Block,
        mut to: Block,
        latches: &[Block],
        head: Block,
    ) -> Option<(Block, Block, State)> {
        for _ in 0..=latches.len() {
            if to == head {
                return None;
            }
            if !latches.contains(&to) {
                return Some((from, to, self));
            }
            self.enter(to, from)?;
            let next = self.go_through(to, to.instructions().collect())?;
            (from, to) = (to, next);
        }
        None
    }

    /// Like [`State::leave`], from behind an instruction.
    pub(super) fn leave_block(
        mut self,
        behind: Value,
        latches: &[Block],
        head: Block,
    ) -> Option<()> {
        let mut rest = behind.block().instructions();
        rest.find(|&i| i == behind)?;
        let next = self.go_through(behind.block(), rest.collect())?;
        self.leave(behind.block(), next, latches, head).map(|_| ())
    }

    /// Goes through the rest of a block, and returns the block to which control goes.
    pub(super) fn go_through(&mut self, block: Block, rest: Vec<Value>) -> Option<Block> {
        let (branch, before) = rest.split_last()?;
        for &instruction in before {
            if instruction.opcode() != Some(Opcode::LLVMPHI) {
                self.step(instruction)?;
            }
        }
        match (
            branch.opcode(),
            branch.branch_condition(),
            &block.successors()[..],
        ) {
            (Some(Opcode::LLVMBr), None, &[next]) => Some(next),
            (Some(Opcode::LLVMBr), Some(condition), &[yes, no]) => {
                Some(if self.outcome(condition)? { yes } else { no })
            }
            _ => None,
        }
    }

    /// Goes over an instruction that is neither phi nor branch. `None`: somebody may notice it, or it is not understood.
    pub(super) fn step(&mut self, instruction: Value) -> Option<()> {
        let expression = match instruction.opcode()? {
            Opcode::LLVMSelect => {
                let [condition, yes, no] =
                    [0, 1, 2].map(|k| self.turn.expression(instruction.operand(k)));
                match boolean(&condition)? {
                    (Test::Succeeded, holds) if holds == self.succeeded => yes,
                    (Test::Succeeded, _) => no,
                    _ => return None,
                }
            }
            Opcode::LLVMLoad if !is_plain_local(instruction.operand(0)) => {
                if instruction.is_volatile() {
                    return None;
                }
                self.loaded(instruction)?
            }
            Opcode::LLVMStore if !is_plain_local(instruction.operand(1)) => {
                return self.store(instruction)
            }
            _ => return self.turn.step(instruction),
        };
        self.turn.known.insert(instruction, expression);
        Some(())
    }

    /// What is loaded from memory that others know, too.
    pub(super) fn loaded(&self, load: Value) -> Option<Expression> {
        let place = self.turn.expression(load.operand(0));
        match self.stored.last() {
            // What another one of the places is, nobody can say: they may be the same.
            Some((stored, bits, value)) if is_plain(load) => {
                (*stored == place && Some(*bits) == found_bits(load)).then(|| value.clone())
            }
            // An atomic access beside plain ones to one place would be a race.
            _ => Some(Expression::Computed(Box::new(Computation {
                opcode: Opcode::LLVMLoad,
                ty: load.ty(),
                predicate: load.ordering() << 1 | u32::from(self.is_earlier),
                operands: vec![place],
            }))),
        }
    }

    /// Notes a plain store. Each turn stores to the same places, in one order, before anybody else may know of it: what the
    /// last one stored is what is there, also where two places are one.
    pub(super) fn store(&mut self, store: Value) -> Option<()> {
        let (value, place) = (store.operand(0), self.turn.expression(store.operand(1)));
        let bits = match value.ty().kind() {
            crate::llvm::TypeKind::Pointer => 64,
            crate::llvm::TypeKind::Integer => value.ty().integer_bits(),
            _ => return None,
        };
        if store.ordering() != 0 || store.is_volatile() || !is_fixed(&place) {
            return None;
        }
        let value = plain(self.turn.expression(value));
        let known = self.stored.iter().position(|(stored, ..)| *stored == place);
        if let Some(known) = known {
            let (_, before, _) = self.stored.remove(known);
            (before == bits).then_some(())?;
        }
        self.stored.push((place, bits, value));
        Some(())
    }

    /// Goes into a block from another: its phis are what they are then.
    pub(super) fn enter(&mut self, block: Block, from: Block) -> Option<()> {
        let value = |phi: &Value| Some((*phi, self.turn.expression(phi.incoming(from)?)));
        let values: Option<Vec<(Value, Expression)>> = phis(block).iter().map(value).collect();
        self.turn.known.extend(values?);
        Some(())
    }
}

/// True for a place that is the same in each turn.
pub(super) fn is_fixed(place: &Expression) -> bool {
    match place {
        // One that the loop makes anew is no `Value`.
        Expression::Value(_) | Expression::Initially(_) => true,
        Expression::Computed(computation) => {
            computation.opcode == Opcode::LLVMGetElementPtr
                && computation.operands.iter().all(is_fixed)
        }
        _ => false,
    }
}

impl Way {
    /// Goes on behind `begin` up to `exchange`, which fails if it is where the way begins.
    pub(super) fn onward(self, begin: Value, exchange: Value) -> Option<Way> {
        let mut rest = begin.block().instructions();
        rest.find(|&i| i == begin)?;
        let mut ways = WAYS_MAX;
        self.go(begin.block(), rest.collect(), exchange, &mut ways)
    }

    pub(super) fn go(
        mut self,
        block: Block,
        rest: Vec<Value>,
        exchange: Value,
        ways: &mut usize,
    ) -> Option<Way> {
        let (branch, before) = rest.split_last()?;
        for &instruction in before {
            if instruction == exchange {
                return Some(self);
            }
            if instruction.opcode() != Some(Opcode::LLVMPHI) {
                self.state.step(instruction)?;
            }
        }
        if branch.opcode() != Some(Opcode::LLVMBr) {
            return None;
        }
        let (condition, yes, no) = match (branch.branch_condition(), &block.successors()[..]) {
            (None, &[next]) => return self.into(next, block, exchange, ways),
            (Some(condition), &[yes, no]) if yes != no => (condition, yes, no),
            _ => return None,
        };
        if let Some(is) = self.state.outcome(condition) {
            return self.into(if is { yes } else { no }, block, exchange, ways);
        }
        let expression = self.state.turn.expression(condition);
        let (condition, holds) = match boolean(&expression) {
            Some((Test::Compared(comparison), holds)) => {
                let with = plain(comparison.with);
                (
                    Condition::Compared(Comparison { with, ..comparison }),
                    holds,
                )
            }
            _ => (Condition::Other(plain(expression)), true),
        };
        *ways = ways.checked_sub(1)?;
        let mut found =
            [(true, yes, no), (false, no, yes)]
                .into_iter()
                .filter_map(|(is, next, exit)| {
                    let mut way = self.clone();
                    way.decisions.push(Decision {
                        condition: condition.clone(),
                        holds: holds == is,
                        branch: block,
                        exit,
                        state: way.state.clone(),
                    });
                    way.into(next, block, exchange, ways)
                });
        let way = found.next()?;
        found.next().is_none().then_some(way)
    }

    pub(super) fn into(
        mut self,
        next: Block,
        from: Block,
        exchange: Value,
        ways: &mut usize,
    ) -> Option<Way> {
        if self.blocks.contains(&next) || self.blocks.len() > BLOCKS_MAX {
            return None;
        }
        self.blocks.push(next);
        self.state.enter(next, from)?;
        self.go(next, next.instructions().collect(), exchange, ways)
    }
}
