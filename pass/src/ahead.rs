//! Loads that the optimizer may have made ahead of their condition: `if (c) r = x;` becomes a load of `x` and a
//! choice. Only where programs are compared ([`Rewriter::is_compared`]); elsewhere the optimizer is told
//! not to ([`crate::early`]).
//!
//! LLVM does not record which loads it has moved. What can be told is which ones it may move, and where the value of
//! one is used: there a hook says so, if the conditions hold under which the value gets there. A load whose
//! value is used behind it in its block under no condition is an ordinary one.

use crate::access;
use crate::llvm::{Block, Opcode, Predicate, TypeKind, Value};
use crate::rewriter::Rewriter;
use std::collections::HashMap;

/// More uses of a value than these are not looked at: then it counts as used (chosen: far more than there are).
const USES_MAX: usize = 64;
/// Nor is a value followed through more instructions.
const STEPS_MAX: usize = 32;

/// A condition, and what it has to be. Of vectors one lane has to be it.
type Guard = (Value, bool);

/// A place where the value is used.
struct Use {
    before: Value,
    /// The one nearest to the load first: one may be poison unless all behind it hold.
    guards: Vec<Guard>,
}

/// Inserts the hooks that say that a value is used. The token of each load of the function that may be ahead of its
/// condition.
pub fn announce(
    rewriter: &mut Rewriter,
    loads: impl Iterator<Item = Value>,
) -> HashMap<Value, Value> {
    if !rewriter.is_compared() || rewriter.only_counts() {
        return HashMap::new();
    }
    let may_be_ahead = |load: &Value| {
        let pointer = load.operand(0);
        let is_plain = load.ordering() == 0 && !load.is_volatile();
        is_plain
            && Rewriter::is_flat(pointer)
            && !pointer.is_swifterror()
            && !rewriter.is_private(pointer)
            && load.may_be_speculated()
    };
    let loads: Vec<(Value, Vec<Use>)> = loads
        .filter(may_be_ahead)
        .filter_map(|load| Some((load, uses(load)?)))
        .collect();
    let mut tokens = HashMap::new();
    for (load, uses) in loads {
        let begin = load.block().function().blocks()[0].instructions().next();
        rewriter.stand_before(begin.expect("a block has an end"));
        let token = rewriter.builder.variables(1);
        for one in uses {
            mark(rewriter, token, &one);
        }
        tokens.insert(load, token);
    }
    tokens
}

/// The load's own hook.
pub fn load(rewriter: &mut Rewriter, load: Value, token: Value) {
    if !rewriter.meet(load.operand(0)) {
        return;
    }
    let address = rewriter.builder.to_flat_pointer(load.operand(0));
    let bytes = access::bytes(rewriter, load.ty());
    rewriter.insert("__dpor_read_ahead", 0, &[address, bytes, token], 0);
}

fn mark(rewriter: &mut Rewriter, token: Value, place: &Use) {
    rewriter.stand_before(place.before);
    let no = rewriter.module.integer(1, 0);
    let mut all = rewriter.module.integer(1, 1);
    for &(condition, wanted) in &place.guards {
        if let Some(holds) = holds(rewriter, condition, wanted) {
            all = rewriter.builder.select(holds, all, no);
        }
    }
    let is_used = rewriter.builder.to_integer(all, 32);
    let hook = rewriter.hook("__dpor_used_ahead");
    rewriter.inserted = true;
    rewriter
        .builder
        .call(hook.function, hook.ty, &[token, is_used]);
}

/// Whether a guard holds, as an `i1`; none for a vector that cannot be asked: then it may.
fn holds(rewriter: &Rewriter, condition: Value, wanted: bool) -> Option<Value> {
    let (module, builder) = (rewriter.module, &rewriter.builder);
    match condition.ty().kind() {
        TypeKind::Integer if wanted => Some(condition),
        TypeKind::Integer => {
            Some(builder.select(condition, module.integer(1, 0), module.integer(1, 1)))
        }
        TypeKind::Vector => {
            let lanes = condition.ty().lanes();
            if lanes > 64 {
                return None;
            }
            let bits = builder.to_integer(condition, lanes);
            let (low, high) = match wanted {
                true => (module.integer(lanes, 0), bits),
                false => (bits, module.integer(lanes, u64::MAX)),
            };
            Some(builder.compare(Predicate::UnsignedAbove, high, low))
        }
        _ => None,
    }
}

/// Where the load's value is used; none if it is used for sure, or nowhere at all.
fn uses(load: Value) -> Option<Vec<Use>> {
    let mut uses = Vec::new();
    follow(load, &mut Vec::new(), &mut uses, 0)?;
    let is_sure = |one: &Use| one.guards.is_empty() && one.before.block() == load.block();
    (!uses.is_empty() && !uses.iter().any(is_sure)).then_some(uses)
}

/// Collects what uses a value that gets here if the guards hold; none if there is too much.
fn follow(value: Value, guards: &mut Vec<Guard>, uses: &mut Vec<Use>, steps: usize) -> Option<()> {
    let mut users = value.users();
    users.dedup();
    for user in users {
        if uses.len() >= USES_MAX || steps >= STEPS_MAX {
            return None;
        }
        let guard = guard(user, value);
        let kept = guards.len();
        guards.extend(guard);
        match user.opcode() {
            Some(Opcode::LLVMPHI) => enter(user, value, guards, uses),
            Some(Opcode::LLVMSelect) => follow(user, guards, uses, steps + 1)?,
            Some(_) if user.only_computes() => follow(user, guards, uses, steps + 1)?,
            _ => uses.push(Use {
                before: user,
                guards: guards.clone(),
            }),
        }
        guards.truncate(kept);
    }
    Some(())
}

/// When the value matters to what an instruction computes; none: always.
fn guard(user: Value, value: Value) -> Option<Guard> {
    let is = |index: u32| user.operand(index) == value;
    match user.opcode()? {
        Opcode::LLVMSelect if !is(0) && is(1) != is(2) => Some((user.operand(0), is(1))),
        Opcode::LLVMAnd | Opcode::LLVMOr if is_bit(user) && is(0) != is(1) => {
            let other = user.operand(u32::from(is(0)));
            Some((other, user.opcode() == Some(Opcode::LLVMAnd)))
        }
        _ => None,
    }
}

fn is_bit(value: Value) -> bool {
    value.ty().integer_bits() == 1
}

/// A phi takes the value where control comes from a block of its own.
fn enter(phi: Value, value: Value, guards: &[Guard], uses: &mut Vec<Use>) {
    let from = phi.block().predecessors().into_iter();
    for block in from.filter(|&block| phi.incoming(block) == Some(value)) {
        let Some(end) = block.end() else { continue };
        let mut guards = guards.to_vec();
        guards.extend(way(block, phi.block()));
        uses.push(Use {
            before: end,
            guards,
        });
    }
}

/// The condition under which a block goes on with another; none: always, or it is no branch of two ways.
fn way(from: Block, to: Block) -> Option<Guard> {
    let condition = from.end()?.branch_condition()?;
    match from.successors()[..] {
        [yes, no] if yes != no => Some((condition, yes == to)),
        _ => None,
    }
}
