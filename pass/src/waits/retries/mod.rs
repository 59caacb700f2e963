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

mod way;

use super::expression::{boolean, Comparison, Computation, Expression, Test};
use super::turn::{is_plain_local, Turn};
use super::{found_bits, is_dead_from, is_plain};
use crate::llvm::{Block, Opcode, Value};
use crate::rewriter::Rewriter;
use dpor_abi::wait;
use std::collections::HashSet;
use way::is_fixed;

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

/// Inserts the announcement in front of a compare-exchange that is tried until it succeeds.
pub fn insert(rewriter: &mut Rewriter, exchange: Value) {
    rewriter.stand_before(exchange);
    let address = rewriter.builder.to_flat_pointer(exchange.operand(0));
    let [none, no_value] = [rewriter.size(0), rewriter.size(0)];
    let test = rewriter.word(wait::RETRY);
    let arguments = [address, test, rewriter.word(0), none, no_value];
    rewriter.insert("__dpor_await", 0, &arguments, 0);
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

    // If the look comes later, so does what is between it and the loop: it must not hear of more for that.
    let mut between = look.block().instructions();
    between.find(|&i| i == look)?;
    let all = entry.iter().flat_map(|block| block.instructions());
    if between.chain(all).any(acquires) {
        return None;
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

/// True for what may order what comes behind it after something that another thread did: a load that acquires, and every
/// fence.
fn acquires(instruction: Value) -> bool {
    const RELAXED: u32 = 2;
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => instruction.ordering() > RELAXED,
        Some(Opcode::LLVMFence) => true,
        Some(Opcode::LLVMCall) => instruction.callee().is_assembly(),
        _ => false,
    }
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
