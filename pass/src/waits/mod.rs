//! Loops that only wait: they access one place of memory again and again, until they like what they find.
//!
//! The access is announced to the runtime (`__dpor_await`), which may let the thread stand before it until what
//! is there passes. The loop stays as it is.
//!
//! A loop waits if a turn in which the access finds what does not pass leads back to the same access with
//! everything as it was: nothing is written but local variables that are dead, or hold what they held; nothing is
//! called but hints; and the access has the same operands again. So the turn can be left out: what comes after the
//! loop cannot tell. Whether it passes is one comparison of what was found with something that no turn changes.
//!
//! The optimizer puts a copy of the first look before the loop. That look waits too if what follows upon it does
//! not pass is the loop, what passes goes where the loop ends, and nobody can tell there which of the two it
//! was.
//!
//! A call that tries to lock waits in the same way: what it finds is its result.
//!
//! Loops that look at several places are left alone. The argument is in docs/decisions/0035.

pub mod expression;
mod retries;
mod tries;
pub mod turn;

use crate::access::scalar_width;
use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::{site_flag, wait};
use expression::{Computation, Expression, Test};
use std::collections::{HashMap, HashSet};
use turn::{is_plain_local, Decision, Turn};

/// Blocks between the beginning of a loop and its access.
const PREFIX_MAX: usize = 8;

/// An access that waits, and the loop that it waits in.
#[derive(Clone)]
struct Wait {
    access: Value,
    /// The block with which the loop begins, and those from there to the access.
    prefix: Vec<Block>,
    decision: Decision,
    /// The state of an iteration in vain, when it has come back to the access.
    turn: Turn,
}

/// Announces the accesses of the function that wait, and returns them.
pub fn announce(rewriter: &mut Rewriter, function: Value) -> Vec<Value> {
    if rewriter.only_counts() {
        return Vec::new();
    }
    let blocks = function.blocks();
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    let accesses: Vec<Value> = instructions.filter(|&i| may_wait(rewriter, i)).collect();
    let loops: Vec<Wait> = accesses.iter().filter_map(|&access| find(access)).collect();
    let mut all: Vec<(Value, Decision)> = Vec::new();
    for &access in &accesses {
        let own = loops.iter().find(|w| w.access == access);
        let decision = own.map(|w| w.decision.clone());
        if let Some(decision) = decision.or_else(|| find_first_look(access, &loops)) {
            all.push((access, decision));
        }
    }
    let announced: Vec<Value> = all.iter().map(|(access, _)| *access).collect();
    for (access, decision) in all {
        insert(rewriter, access, decision);
    }
    let retried = accesses
        .iter()
        .filter(|&&access| retries::is_retried(access));
    let retried: Vec<Value> = retried
        .copied()
        .filter(|access| !announced.contains(access))
        .collect();
    for access in retried {
        retries::insert(rewriter, access);
    }
    announced
}

/// True for a load that is neither atomic nor volatile.
fn is_plain(access: Value) -> bool {
    let is_load = access.opcode() == Some(Opcode::LLVMLoad);
    is_load && access.ordering() == 0 && !access.is_volatile()
}

/// True for an access with a hook that can wait.
fn may_wait(rewriter: &Rewriter, instruction: Value) -> bool {
    let looks = match instruction.opcode() {
        Some(Opcode::LLVMLoad) => !is_plain(instruction) || rewriter.is_compared(),
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall) => return tries::failure(instruction).is_some(),
        _ => false,
    };
    if !looks {
        return false;
    }
    let pointer = instruction.operand(0);
    let value = match instruction.opcode() {
        Some(Opcode::LLVMLoad) => instruction,
        _ => instruction.operand(1),
    };
    let narrow = scalar_width(rewriter, value.ty()).is_some_and(|width| width <= 8);
    let whole =
        value.ty().kind() != TypeKind::Float && found_bits(instruction).is_some_and(|b| b % 8 == 0);
    narrow && whole && Rewriter::is_flat(pointer) && !rewriter.is_private(pointer)
}

/// Bits of what an access finds.
fn found_bits(access: Value) -> Option<u32> {
    let ty = match access.opcode()? {
        Opcode::LLVMLoad | Opcode::LLVMCall => access.ty(),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => access.operand(1).ty(),
        _ => return None,
    };
    match ty.kind() {
        TypeKind::Pointer => Some(64),
        TypeKind::Integer => Some(ty.integer_bits()),
        _ => None,
    }
}

/// The expression for the result of the access.
fn result(access: Value) -> Option<Expression> {
    Some(match access.opcode()? {
        Opcode::LLVMAtomicCmpXchg => Expression::Pair,
        _ => Expression::Found(found_bits(access)?),
    })
}

fn operands(turn: &Turn, access: Value) -> Vec<Expression> {
    let all = (0..access.operand_count()).map(|i| access.operand(i));
    all.map(|value| turn.expression(value)).collect()
}

/// The blocks from the beginning of the loop that may be around the access to its own.
fn prefix(access: Value) -> Vec<Block> {
    let mut blocks = vec![access.block()];
    while blocks.len() < PREFIX_MAX {
        let [before] = blocks[0].predecessors()[..] else {
            break;
        };
        if before.successors().len() != 1 || blocks.contains(&before) {
            break;
        }
        blocks.insert(0, before);
    }
    blocks
}

/// Goes from the beginning of a loop to its access.
fn go_through(turn: &mut Turn, prefix: &[Block], access: Value) -> Option<()> {
    let mut before: Option<Block> = None;
    for &block in prefix {
        if let Some(before) = before {
            for phi in { block.instructions() }.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI))
            {
                let value = turn.expression(phi.incoming(before)?);
                turn.known.insert(phi, value);
            }
        }
        let last = block.instructions().last()?;
        let end = if Some(&block) == prefix.last() {
            access
        } else {
            last
        };
        turn.go_to(block, end)?;
        before = Some(block);
    }
    Some(())
}

/// Finds the loop in which an access waits.
fn find(access: Value) -> Option<Wait> {
    // Where the blocks before the access are no part of the loop, it begins further down.
    let mut prefix = prefix(access);
    while let Some(header) = prefix.first() {
        for latch in header.predecessors() {
            let outcomes = [true, false].into_iter();
            let mut found = outcomes.filter_map(|out| find_with(access, &prefix, latch, out));
            if let Some(found) = found.next() {
                return Some(found);
            }
        }
        prefix.remove(0);
    }
    None
}

/// Finds the wait of an access in a loop that begins with `prefix`, ends with `latch`, and goes round if its test comes
/// out so.
fn find_with(access: Value, prefix: &[Block], latch: Block, came_out: bool) -> Option<Wait> {
    let header = *prefix.first()?;
    let alone = at_entry(header, latch);
    let found = find_from(access, prefix, (latch, came_out), alone.clone());
    let inside =
        |block: &Block, wait: &Wait| prefix.contains(block) || wait.turn.blocks.contains(block);
    let entered = |wait: &Wait| {
        let all = prefix.iter().chain(&wait.turn.blocks);
        let mut others = all.filter(|&&block| block != header);
        others.any(|block| !block.predecessors().iter().all(|b| inside(b, wait)))
    };
    match found {
        // A loop around this one goes round through the same blocks, with other local variables: it tries an exchange. Other
        // loops around it are one with it, and left to `crate::turns`.
        Some(wait) if entered(&wait) => {
            let changes = |i: Value| {
                let exchanges = [Opcode::LLVMAtomicRMW, Opcode::LLVMAtomicCmpXchg];
                i.opcode().is_some_and(|opcode| exchanges.contains(&opcode))
            };
            let exit = wait.decision.exit;
            let next = exit.successors();
            let comes_back = { next.iter() }.any(|b| *b == header || wait.turn.blocks.contains(b));
            let goes_on = comes_back && exit.instructions().any(changes);
            let again = || find_from(access, prefix, (latch, came_out), HashMap::new());
            goes_on.then(again)?
        }
        found => found,
    }
}

/// Like [`find_with`], where these local variables hold constants when the loop is entered.
fn find_from(
    access: Value,
    prefix: &[Block],
    (latch, came_out): (Block, bool),
    locals: HashMap<Value, Expression>,
) -> Option<Wait> {
    let header = *prefix.first()?;
    let mut before = Turn {
        locals,
        ..Turn::around(access)
    };
    go_through(&mut before, prefix, access)?;
    let mut turn = before.clone();
    turn.known.insert(access, result(access)?);
    let (last, _, decision) = turn.go_round(access, came_out, |block| block == header)?;
    if last != latch {
        return None;
    }
    // The next turn begins as this one did.
    let mut again = turn.clone();
    for phi in { header.instructions() }.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)) {
        if turn.expression(phi.incoming(latch)?) != before.expression(phi) {
            return None;
        }
        again.known.insert(phi, before.expression(phi));
    }
    go_through(&mut again, prefix, access)?;
    let same = |(value, known): (&Value, &Expression)| again.known.get(value) == Some(known);
    if !before.known.iter().all(same) || operands(&before, access) != operands(&again, access) {
        return None;
    }
    let changed = again
        .locals
        .keys()
        .filter(|l| again.local(**l) != before.local(**l));
    if !changed
        .into_iter()
        .all(|&local| is_dead_behind(access, local))
    {
        return None;
    }
    let can_be_told = match &decision.test {
        Test::Succeeded => true,
        Test::Compared(comparison) => can_make(&comparison.with, &before),
    };
    can_be_told.then(|| Wait {
        access,
        prefix: prefix.to_vec(),
        decision,
        turn,
    })
}

/// Constants that local variables hold when the loop is entered, as far as that is easily seen.
fn at_entry(header: Block, latch: Block) -> HashMap<Value, Expression> {
    let mut known = HashMap::new();
    let outside = header.predecessors().into_iter().filter(|&p| p != latch);
    let outside: Vec<Block> = outside.collect();
    let [entry] = outside[..] else {
        return known;
    };
    for instruction in entry.instructions() {
        if instruction.opcode() == Some(Opcode::LLVMStore) && is_plain_local(instruction.operand(1))
        {
            let (value, local) = (instruction.operand(0), instruction.operand(1));
            match value.constant_integer() {
                Some(_) => known.insert(local, Expression::Value(value)),
                None => known.remove(&local),
            };
        }
    }
    known
}

/// True if a local variable is stored to before it is loaded, wherever control goes from the access.
fn is_dead_behind(access: Value, local: Value) -> bool {
    let mut rest = access.block().instructions();
    rest.find(|&i| i == access);
    is_dead_in(rest.collect(), access.block(), local)
}

/// Like [`is_dead_behind`], from the beginning of a block.
fn is_dead_from(block: Block, local: Value) -> bool {
    is_dead_in(block.instructions().collect(), block, local)
}

fn is_dead_in(mut instructions: Vec<Value>, mut block: Block, local: Value) -> bool {
    let mut seen: HashSet<Block> = HashSet::new();
    let mut open: Vec<Block> = Vec::new();
    loop {
        let mut stored = false;
        for instruction in instructions {
            match instruction.opcode() {
                Some(Opcode::LLVMLoad) if instruction.operand(0) == local => return false,
                Some(Opcode::LLVMStore) if instruction.operand(1) == local => {
                    stored = true;
                    break;
                }
                _ => {}
            }
        }
        if !stored {
            open.extend(
                block
                    .successors()
                    .into_iter()
                    .filter(|&next| seen.insert(next)),
            );
        }
        let Some(next) = open.pop() else {
            return true;
        };
        block = next;
        instructions = block.instructions().collect();
    }
}

/// True if the expression can be computed right before the access.
fn can_make(expression: &Expression, before: &Turn) -> bool {
    match expression {
        Expression::Value(_) | Expression::Zero => true,
        Expression::Initially(local) => before.local(*local) == *expression,
        Expression::Computed(computation) => {
            is_makeable(computation) && computation.operands.iter().all(|o| can_make(o, before))
        }
        _ => false,
    }
}

fn is_makeable(computation: &Computation) -> bool {
    matches!(
        computation.opcode,
        Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
    )
}

/// Inserts instructions that compute the expression, where the rewriter stands.
fn make(rewriter: &Rewriter, expression: &Expression) -> Value {
    match expression {
        Expression::Value(value) => *value,
        Expression::Initially(local) => rewriter.builder.load(local.allocated_type(), *local),
        Expression::Computed(computation) => {
            let operands: Vec<Value> = { computation.operands.iter() }
                .map(|operand| make(rewriter, operand))
                .collect();
            match operands[..] {
                [a, b] => rewriter.builder.binary(computation.opcode, a, b),
                _ => {
                    let (opcode, ty) = (computation.opcode, computation.ty);
                    rewriter.builder.repeat_cast(opcode, operands[0], ty)
                }
            }
        }
        _ => rewriter.size(0),
    }
}

/// Finds the loop of which an access is the first look.
fn find_first_look(access: Value, loops: &[Wait]) -> Option<Decision> {
    let find = |came_out| first_look_of(access, loops, came_out);
    [true, false].into_iter().find_map(find)
}

fn first_look_of(access: Value, loops: &[Wait], came_out: bool) -> Option<Decision> {
    let mut turn = Turn::around(access);
    turn.known.insert(access, result(access)?);
    let begins = |block| loops.iter().any(|w| w.prefix[0] == block);
    let (latch, header, decision) = turn.go_round(access, came_out, begins)?;
    let met: Vec<Value> = turn.known.keys().copied().collect();
    if !turn.locals.is_empty() {
        return None;
    }
    let like = |w: &&Wait| {
        w.prefix[0] == header
            && w.access.opcode() == access.opcode()
            && w.decision.ends() == decision.ends()
            && w.decision.exit == decision.exit
            && is_alike(w.access, access)
    };
    let found = loops.iter().find(like)?;
    let mut first = turn.clone();
    for phi in { header.instructions() }.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)) {
        let value = first.expression(phi.incoming(latch)?);
        first.known.insert(phi, value);
    }
    go_through(&mut first, &found.prefix, found.access)?;
    let same = operands(&first, found.access) == operands(&turn, access);
    if !same || operands(&found.turn, found.access) != operands(&turn, access) {
        return None;
    }
    // Where both end, nobody can tell them apart.
    let exit = decision.exit;
    let phis = { exit.instructions() }.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI));
    let phis: Vec<Value> = phis.collect();
    for phi in &phis {
        let (a, b) = (
            phi.incoming(decision.branch)?,
            phi.incoming(found.decision.branch)?,
        );
        if turn.expression(a) != found.turn.expression(b) {
            return None;
        }
    }
    let of_found = met.iter().filter(|v| turn.expression(**v).is_of_found());
    let others: Vec<Block> = { exit.predecessors().into_iter() }
        .filter(|&p| p != decision.branch)
        .collect();
    let hidden = |value: &Value| {
        let merged = |phi: &Value| {
            phis.contains(phi) && others.iter().all(|&p| phi.incoming(p) != Some(*value))
        };
        let known = |user: &Value| met.contains(user) || is_branch(*user) || merged(user);
        value.users().iter().all(known)
    };
    { of_found }.all(hidden).then_some(decision)
}

fn is_branch(user: Value) -> bool {
    user.opcode() == Some(Opcode::LLVMBr)
}

/// True if two accesses of one kind and with the same operands do the same.
fn is_alike(a: Value, b: Value) -> bool {
    if a.opcode() == Some(Opcode::LLVMCall) {
        return true; // The function is an operand.
    }
    let operator = a.opcode() != Some(Opcode::LLVMAtomicRMW) || a.rmw_name() == b.rmw_name();
    operator && a.ordering() == b.ordering() && a.is_volatile() == b.is_volatile()
}

/// Inserts the announcement in front of an access.
fn insert(rewriter: &mut Rewriter, access: Value, decision: Decision) {
    rewriter.stand_before(access);
    let (test, bits, mask, with) = match decision.ends() {
        (Test::Succeeded, true) => (wait::SUCCESS, 0, 0, Expression::Zero),
        (Test::Succeeded, false) => return,
        (Test::Compared(ends), _) => (ends.test, ends.bits, ends.mask, ends.with),
    };
    if let Some(failure) = tries::failure(access) {
        if tries::ends_with_success(test, mask, &with, failure) {
            rewriter.insert("__dpor_tries_again", 0, &[], 0);
        }
        return;
    }
    let address = rewriter.builder.to_flat_pointer(access.operand(0));
    let value = make(rewriter, &with);
    let value = rewriter.builder.to_integer(value, 64);
    let arguments = [
        address,
        rewriter.word(test),
        rewriter.word(bits),
        rewriter.size(mask),
        value,
    ];
    let flags = if is_plain(access) {
        site_flag::PLAIN
    } else {
        0
    };
    rewriter.insert("__dpor_await", 0, &arguments, flags);
}
