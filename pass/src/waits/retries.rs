//! Loops that try a compare-exchange again with what it found: `do n->next = t; while (!compare_exchange(&top, &t, n));`
//! behind `t = load(&top)`.
//!
//! A compare-exchange that fails leaves its thread as if the load had come as late as that and had found the same. So
//! turns that fail can be left out of any execution: the one in which the load comes later is another one, which is
//! explored, too. The compare-exchange waits until it succeeds; where it never does, the execution is blocked.
//!
//! The pass goes from the load to the compare-exchange, and from a compare-exchange that failed to the next one, and
//! compares what is there then, in terms of what was found: values, local variables, what the loop stores without an atomic
//! access, and what control went by on the way. On neither way is anything else done that
//! somebody else could notice. The argument is in docs/decisions/0097.

use super::expression::{boolean, Comparison, Computation, Expression, Test};
use super::turn::{is_plain_local, Turn};
use super::{found_bits, is_dead_from, is_plain};
use crate::llvm::{Block, Opcode, Value};
use std::collections::HashSet;

/// Blocks on a way.
const BLOCKS_MAX: usize = 24;
/// Ways that are tried where a branch can go either way.
const WAYS_MAX: usize = 8;

/// What control went by at a branch.
#[derive(Clone, PartialEq)]
enum Condition {
    Compared(Comparison),
    Other(Expression),
}

/// A branch that could have gone elsewhere.
#[derive(Clone)]
struct Decision {
    condition: Condition,
    /// The outcome with which control went on.
    holds: bool,
    branch: Block,
    /// Where it would have gone otherwise.
    exit: Block,
    /// What was known there.
    state: State,
}

/// The values on a way.
#[derive(Clone, Default)]
struct State {
    turn: Turn,
    /// The places that were stored to, the last one last: their bits, and what was stored.
    stored: Vec<(Expression, u32, Expression)>,
    /// True for the way to which a failure is compared: what it loads is not what is loaded behind the failure.
    is_earlier: bool,
    /// Whether the last compare-exchange succeeded.
    succeeded: bool,
}

/// A way to a compare-exchange.
#[derive(Clone, Default)]
struct Way {
    state: State,
    /// The blocks gone through, but the one in which it began.
    blocks: Vec<Block>,
    decisions: Vec<Decision>,
}

/// True if a compare-exchange is one that is tried again until it succeeds.
pub fn is_retried(exchange: Value) -> bool {
    let is_exchange = exchange.opcode() == Some(Opcode::LLVMAtomicCmpXchg);
    is_exchange
        && !exchange.is_volatile()
        && first_looks(exchange).any(|look| is_like(look, exchange))
}

/// The loads in the blocks before the loop that may be around a compare-exchange, the nearest first.
fn first_looks(exchange: Value) -> impl Iterator<Item = Value> {
    let mut seen = vec![exchange.block()];
    let mut before = exchange.block().predecessors();
    // Up to where the loop begins.
    while let [only] = before[..] {
        if seen.contains(&only) || seen.len() > BLOCKS_MAX {
            break;
        }
        seen.push(only);
        before = only.predecessors();
    }
    let mut looks = Vec::new();
    for entry in before {
        let mut block = entry;
        for _ in 0..BLOCKS_MAX {
            let all = block.instructions().filter(|&i| is_look(i, exchange));
            looks.extend(all.collect::<Vec<Value>>().into_iter().rev());
            match block.predecessors()[..] {
                [only] if only != block => block = only,
                _ => break,
            }
        }
    }
    looks.into_iter()
}

/// True for an atomic load that orders no more than the compare-exchange does if it fails. (Another compare-exchange will
/// not do: it might succeed where the failure was.)
fn is_look(access: Value, exchange: Value) -> bool {
    access.opcode() == Some(Opcode::LLVMLoad)
        && access.ordering() != 0
        && access.ordering() <= exchange.failure_ordering()
        && !access.is_volatile()
        && found_bits(access) == found_bits(exchange)
}

/// True if a failure of the compare-exchange is like a later `look`.
fn is_like(look: Value, exchange: Value) -> bool {
    compare(look, exchange).is_some()
}

fn compare(look: Value, exchange: Value) -> Option<()> {
    // With what the look found, and with anything, of which the compare-exchange makes what it found itself.
    let mut before = State::default();
    for instruction in look.block().instructions().take_while(|&i| i != look) {
        // What comes before the look is what it is, as far as it is not understood.
        if instruction.opcode() != Some(Opcode::LLVMPHI)
            && before.clone().step(instruction).is_some()
        {
            before.step(instruction)?;
        } else {
            before = State::default();
        }
    }
    before.stored.clear();
    let place = before.turn.expression(look.operand(0));
    let result = super::result(look)?;
    before.turn.known.insert(look, result);
    let first = before.clone().way().onward(look, exchange)?;
    before.is_earlier = true;
    let any = before.way().onward(look, exchange)?;
    if first.state.turn.expression(exchange.operand(0)) != place
        || place != any.state.turn.expression(exchange.operand(0))
        || !is_fixed(&place)
    {
        return None;
    }
    // What the look found is not what the failure finds.
    let mut failed = any.state.with_older(look);
    failed.turn.known.insert(exchange, Expression::Pair);
    let mut succeeded = failed.clone();
    succeeded.succeeded = true;
    let again = failed.way().onward(exchange, exchange)?;

    // The loop begins where the two ways meet, and nowhere else does control come into them.
    let head = first.blocks.iter().position(|b| again.blocks.contains(b))?;
    let turn = again.blocks.iter().position(|&b| b == first.blocks[head])?;
    let (entry, inside) = first.blocks.split_at(head);
    let (latches, same) = again.blocks.split_at(turn);
    if inside != same {
        return None;
    }
    let last = |blocks: &[Block], begin: Value| blocks.last().copied().unwrap_or(begin.block());
    let comes_from = [last(entry, look), last(latches, exchange)];
    let only = |block: Block, from: &[Block]| block.predecessors().iter().all(|p| from.contains(p));
    let behind = |blocks: &[Block], begin: Block| {
        let befores = std::iter::once(&begin).chain(blocks);
        blocks
            .iter()
            .zip(befores)
            .all(|(&block, &before)| only(block, &[before]))
    };
    if !only(inside[0], &comes_from)
        || !behind(entry, look.block())
        || !behind(&inside[1..], inside[0])
    {
        return None;
    }
    let within: Vec<Block> = inside.iter().chain(latches).copied().collect();
    let is_exit = |from: &Block, to: &Block| {
        again
            .decisions
            .iter()
            .any(|d| (d.branch, d.exit) == (*from, *to))
    };
    let comes_late = |block: &Block| {
        let is_known = |from: &Block| {
            *from == exchange.block() || latches.contains(from) || is_exit(from, block)
        };
        block
            .predecessors()
            .iter()
            .all(|from| within.contains(from) && is_known(from))
    };
    if !latches.iter().all(comes_late) {
        return None;
    }
    // One that succeeded does not try again with what it expected before.
    succeeded.leave_block(exchange, latches, inside[0])?;

    // What is there is the same.
    let ways = [&first.state, &again.state];
    let is_dead = |local| super::is_dead_behind(exchange, local);
    if !is_same(ways, inside, exchange, is_dead) || first.decisions.len() != again.decisions.len() {
        return None;
    }
    let mut exits = HashSet::new();
    for (a, b) in first.decisions.iter().zip(&again.decisions) {
        let is_same_branch = a.branch == b.branch;
        let fits = is_same_branch || !inside.contains(&a.branch) && !inside.contains(&b.branch);
        if a.condition != b.condition || a.holds != b.holds || !fits {
            return None;
        }
        let begins = inside[0];
        let (from_a, exit_a, state_a) = a.state.clone().leave(a.branch, a.exit, latches, begins)?;
        let (from_b, exit_b, state_b) = b.state.clone().leave(b.branch, b.exit, latches, begins)?;
        let dead = |local| is_dead_from(exit_a, local);
        let met = inside.iter().position(|&block| block == a.branch);
        let known = &inside[..met.map_or(0, |last| last + 1)];
        let until = a.branch.end()?;
        if exit_a != exit_b || !is_same([&state_a, &state_b], known, until, dead) {
            return None;
        }
        for phi in phis(exit_a) {
            let value =
                |state: &State, from| Some(a.given(state.turn.expression(phi.incoming(from)?)));
            if value(&state_a, from_a)? != value(&state_b, from_b)? {
                return None;
            }
        }
        exits.insert(exit_a);
    }

    // Nobody else knows what the first look found, nor what was loaded between it and the loop.
    let met = |user: &Value| {
        let block = user.block();
        let is_phi = user.opcode() == Some(Opcode::LLVMPHI);
        block == look.block()
            || entry.contains(&block)
            || is_phi && (block == inside[0] || exits.contains(&block))
    };
    let mut behind = look.block().instructions();
    behind.find(|&i| i == look)?;
    let late = entry.iter().flat_map(|block| block.instructions());
    let mut of_look = std::iter::once(look)
        .chain(behind)
        .chain(late)
        .filter(|&value| {
            let expression = first.state.turn.expression(value);
            expression.is_of_found() || is_loaded(&expression)
        });
    of_look
        .all(|value| value.users().iter().all(met))
        .then_some(())
}

/// True if two states are the same: what instructions of these blocks before `until` made, local variables but those
/// that are dead, and what was stored.
fn is_same(
    [a, b]: [&State; 2],
    blocks: &[Block],
    until: Value,
    is_dead: impl Fn(Value) -> bool,
) -> bool {
    let made = blocks
        .iter()
        .flat_map(|block| block.instructions().take_while(|&i| i != until));
    let mut locals: HashSet<Value> = a.turn.locals.keys().copied().collect();
    locals.extend(b.turn.locals.keys());
    let is_alike = |x: Expression, y: Expression| plain(x) == plain(y);
    { made }.all(|value| is_alike(a.turn.expression(value), b.turn.expression(value)))
        && { locals.into_iter() }
            .all(|local| is_alike(a.turn.local(local), b.turn.local(local)) || is_dead(local))
        && a.stored == b.stored
}

fn phis(block: Block) -> Vec<Value> {
    let all = block.instructions();
    all.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI))
        .collect()
}

/// The expression with one form for each zero.
fn plain(expression: Expression) -> Expression {
    match expression {
        Expression::Value(value) if is_zero(value) => Expression::Zero,
        Expression::Computed(mut computation) => {
            let operands = std::mem::take(&mut computation.operands);
            computation.operands = operands.into_iter().map(plain).collect();
            Expression::Computed(computation)
        }
        other => other,
    }
}

fn is_zero(value: Value) -> bool {
    value.is_constant() && value.is_null()
}

/// True if the value depends on what was loaded from memory that others know, too.
fn is_loaded(expression: &Expression) -> bool {
    match expression {
        Expression::Computed(computation) => {
            computation.opcode == Opcode::LLVMLoad || computation.operands.iter().any(is_loaded)
        }
        _ => false,
    }
}

/// Replaces what was found by `look`'s result, of which nothing is known.
fn make_older(expression: &mut Expression, look: Value) {
    match expression {
        Expression::Found(_) => *expression = Expression::Value(look),
        Expression::Computed(computation) => {
            computation
                .operands
                .iter_mut()
                .for_each(|operand| make_older(operand, look));
        }
        _ => {}
    }
}

/// What was found, if the expression is that as another type of as many bits.
fn is_found(expression: &Expression) -> bool {
    match expression {
        Expression::Found(_) => true,
        Expression::Computed(computation) => {
            let casts = [
                Opcode::LLVMIntToPtr,
                Opcode::LLVMPtrToInt,
                Opcode::LLVMBitCast,
                Opcode::LLVMFreeze,
            ];
            casts.contains(&computation.opcode) && is_found(&computation.operands[0])
        }
        _ => false,
    }
}

impl Decision {
    /// The expression, as far as its value follows from how control came here instead of going on.
    fn given(&self, expression: Expression) -> Expression {
        let is_zero = match &self.condition {
            Condition::Compared(comparison) => {
                let is_whole = comparison.mask == u64::MAX >> (64 - comparison.bits.clamp(1, 64));
                let equal = match comparison.test {
                    dpor_abi::wait::EQUAL => !self.holds,
                    dpor_abi::wait::NOT_EQUAL => self.holds,
                    _ => false,
                };
                is_whole && equal && comparison.with == Expression::Zero
            }
            Condition::Other(_) => false,
        };
        match is_zero && is_found(&expression) {
            true => Expression::Zero,
            false => plain(expression),
        }
    }
}

impl State {
    fn way(self) -> Way {
        Way {
            state: self,
            ..Way::default()
        }
    }

    /// The state, if what was found in it was found by `look`, and something else is found from now on.
    fn with_older(mut self, look: Value) -> State {
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
    fn outcome(&self, condition: Value) -> Option<bool> {
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
    fn leave(
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
    fn leave_block(mut self, behind: Value, latches: &[Block], head: Block) -> Option<()> {
        let mut rest = behind.block().instructions();
        rest.find(|&i| i == behind)?;
        let next = self.go_through(behind.block(), rest.collect())?;
        self.leave(behind.block(), next, latches, head).map(|_| ())
    }

    /// Goes through the rest of a block, and returns the block to which control goes.
    fn go_through(&mut self, block: Block, rest: Vec<Value>) -> Option<Block> {
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
    fn step(&mut self, instruction: Value) -> Option<()> {
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
    fn loaded(&self, load: Value) -> Option<Expression> {
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
    fn store(&mut self, store: Value) -> Option<()> {
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
    fn enter(&mut self, block: Block, from: Block) -> Option<()> {
        let value = |phi: &Value| Some((*phi, self.turn.expression(phi.incoming(from)?)));
        let values: Option<Vec<(Value, Expression)>> = phis(block).iter().map(value).collect();
        self.turn.known.extend(values?);
        Some(())
    }
}

/// True for a place that is the same in each turn.
fn is_fixed(place: &Expression) -> bool {
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
    fn onward(self, begin: Value, exchange: Value) -> Option<Way> {
        let mut rest = begin.block().instructions();
        rest.find(|&i| i == begin)?;
        let mut ways = WAYS_MAX;
        self.go(begin.block(), rest.collect(), exchange, &mut ways)
    }

    fn go(
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

    fn into(mut self, next: Block, from: Block, exchange: Value, ways: &mut usize) -> Option<Way> {
        if self.blocks.contains(&next) || self.blocks.len() > BLOCKS_MAX {
            return None;
        }
        self.blocks.push(next);
        self.state.enter(next, from)?;
        self.go(next, next.instructions().collect(), exchange, ways)
    }
}
