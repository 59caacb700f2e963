//! Loops that may wait for several places: `__dpor_turn` at their heads.
//!
//! A turn of such a loop does nothing to memory but atomic and volatile accesses, which are events, and to local
//! variables. So where it begins, all that it depends on are the phis of the head and the local variables that live on
//! there. The runtime compares them with those of the turn before; if they are the same and the events of the turn
//! changed nothing, the turn can be left out, and the thread waits (docs/decisions/0047).
//!
//! Which place a loop waits for, and when it ends, need not be understood; nor need it wait at all.

mod quiet;
mod region;

use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::rewriter::Rewriter;
use crate::waits::turn::is_plain_local;
use quiet::Quiet;
use std::collections::HashSet;

/// Words that a turn may depend on.
const WORDS_MAX: usize = 32;

/// A loop that may wait.
pub struct Loop {
    header: Block,
    body: HashSet<Block>,
    /// Atomic and volatile accesses in it, and calls that make some.
    looks: Vec<Value>,
    /// Local variables that a turn may change, and that live on.
    locals: Vec<Value>,
}

/// The loops of a function that may wait. Functions that are `skipped` are not instrumented.
pub fn find(rewriter: &Rewriter, function: Value, skipped: &HashSet<Value>) -> Vec<Loop> {
    if rewriter.only_counts() {
        return Vec::new();
    }
    let quiet = Quiet::new(rewriter, skipped);
    let all = bodies(function).into_iter();
    all.filter_map(|(header, body)| understand(&quiet, header, body))
        .collect()
}

/// The natural loops of a function: the head, and all blocks.
fn bodies(function: Value) -> Vec<(Block, HashSet<Block>)> {
    let mut loops: Vec<(Block, HashSet<Block>)> = Vec::new();
    for (latch, header) in back_edges(function) {
        let mut body = HashSet::from([header]);
        let mut open = vec![latch];
        while let Some(block) = open.pop() {
            if body.insert(block) {
                open.extend(block.predecessors());
            }
        }
        match loops.iter_mut().find(|known| known.0 == header) {
            Some(known) => known.1.extend(body),
            None => loops.push((header, body)),
        }
    }
    let first = function.blocks().first().copied();
    loops.retain(|(_, body)| first.is_none_or(|first| !body.contains(&first)));
    loops
}

/// Edges to a block that control came through, as a walk over the function meets them.
fn back_edges(function: Value) -> Vec<(Block, Block)> {
    let Some(&first) = function.blocks().first() else {
        return Vec::new();
    };
    let (mut edges, mut seen) = (Vec::new(), HashSet::from([first]));
    let mut path: Vec<(Block, Vec<Block>)> = vec![(first, first.successors())];
    let mut on_path = HashSet::from([first]);
    while let Some((block, rest)) = path.last_mut() {
        let block = *block;
        match rest.pop() {
            Some(next) if on_path.contains(&next) => edges.push((block, next)),
            Some(next) if seen.insert(next) => {
                on_path.insert(next);
                path.push((next, next.successors()));
            }
            Some(_) => {}
            None => {
                on_path.remove(&block);
                path.pop();
            }
        }
    }
    edges
}

fn phis(block: Block) -> Vec<Value> {
    let all = block.instructions();
    all.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)).collect()
}

/// A value that fits into a word.
fn is_word(value: Value) -> bool {
    match value.ty().kind() {
        TypeKind::Pointer => true,
        TypeKind::Integer => value.ty().integer_bits() <= 64,
        _ => false,
    }
}

/// True if a phi is something else in each turn.
fn counts(phi: Value, body: &HashSet<Block>) -> bool {
    let latches = phi.block().predecessors().into_iter();
    let mut latches = latches.filter(|block| body.contains(block));
    latches.any(|latch| {
        phi.incoming(latch).is_some_and(|next| {
            let steps = matches!(next.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub));
            steps
                && next.operand(0) == phi
                && next.operand(1).constant_integer().is_some_and(|n| n != 0)
        })
    })
}

fn understand(quiet: &Quiet, header: Block, body: HashSet<Block>) -> Option<Loop> {
    // It is entered at its head only.
    let inside = |block: &Block| body.contains(block);
    let mut others = body.iter().filter(|&&block| block != header);
    if !others.all(|block| block.predecessors().iter().all(inside)) {
        return None;
    }
    let mut looks = Vec::new();
    let mut changed: HashSet<Value> = HashSet::new();
    for instruction in body.iter().flat_map(|block| block.instructions()) {
        if quiet.looks(instruction)? {
            looks.push(instruction);
        }
        if instruction.opcode() == Some(Opcode::LLVMStore) && instruction.ordering() == 0 {
            changed.insert(instruction.operand(1));
        }
    }
    let phis = phis(header);
    let words = phis.iter().all(|&phi| is_word(phi) && !counts(phi, &body));
    if looks.is_empty() || !words || region::may_end_unseen(quiet, header, &body) {
        return None;
    }
    // In the order of the function.
    let blocks = header.function().blocks();
    let all = blocks.iter().flat_map(|block| block.instructions());
    let locals = all.filter(|local| changed.contains(local) && !region::is_dead_at(header, *local));
    let locals: Vec<Value> = locals.collect();
    let few = phis.len() + locals.len() <= WORDS_MAX;
    let whole = |&local: &Value| {
        let ty = local.allocated_type();
        is_plain_local(local) && (ty.kind() == TypeKind::Pointer || ty.integer_bits() <= 64)
    };
    (few && locals.iter().all(whole)).then_some(Loop {
        header,
        body,
        looks,
        locals,
    })
}

/// Marks the loops, but those of which all that looks has been announced to wait by itself.
pub fn mark(rewriter: &mut Rewriter, loops: Vec<Loop>, announced: &[Value]) {
    for found in loops {
        if !found.looks.iter().all(|look| announced.contains(look)) {
            insert(rewriter, &found);
        }
    }
}

fn insert(rewriter: &mut Rewriter, found: &Loop) {
    let header = found.header;
    let function = header.function();
    let phis = phis(header);
    let words = (phis.len() + found.locals.len()) as u64;
    let begin = function.blocks()[0].instructions().next();
    rewriter.stand_before(begin.expect("a block has an end"));
    let record = rewriter.builder.variables(2 + words);
    let now = rewriter.builder.variables(words.max(1));
    for entry in header.predecessors() {
        if !found.body.contains(&entry) {
            let end = entry.instructions().last().expect("a block has an end");
            rewriter.stand_before(end);
            rewriter.builder.store(rewriter.size(0), record);
        }
    }
    let first = header.instructions().nth(phis.len());
    rewriter.stand_before(first.expect("a block has an end"));
    let loaded: Vec<Value> = { found.locals.iter() }
        .map(|local| rewriter.builder.load(local.allocated_type(), *local))
        .collect();
    for (nth, value) in phis.into_iter().chain(loaded).enumerate() {
        let word = rewriter.builder.to_integer(value, 64);
        let place = rewriter.builder.offset(now, 8 * nth as u64);
        rewriter.builder.store(word, place);
    }
    let count = rewriter.word(words as u32);
    rewriter.insert("__dpor_turn", 0, &[record, now, count], 0);
}
