//! Loops that may wait for several places: `__dpor_turn` at their heads.
//!
//! A turn of such a loop does nothing to memory but atomic and volatile accesses, which are events, and to local
//! variables, some of which it may lend to functions. So where it begins, all that it depends on are the phis of the
//! head and the local variables that live on there. The runtime compares them with those of the turn before; if they are the same and the events of the turn
//! changed nothing, the turn can be left out, and the thread waits (docs/decisions/0047).
//!
//! Plain loads are events where plain accesses are explored; loops that only have such are marked if they keep nothing
//! from turn to turn, and all of them for comparisons ([`Rewriter::is_compared`]).
//!
//! Which place a loop waits for, and when it ends, need not be understood; nor need it wait at all.

mod effects;
pub mod functions;
mod idle;
mod lent;
pub(crate) mod quiet;
mod region;

use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::loops::Loop;
use crate::rewriter::Rewriter;
use crate::waits::turn::is_plain_local;
use dpor_abi::{site_flag, turn};
use effects::Effects;
use lent::Base;
use quiet::Quiet;
use std::collections::HashSet;

/// Words that a turn may depend on.
const WORDS_MAX: usize = 32;

/// A loop that may wait.
pub struct Waiting {
    found: Loop,
    /// The phis of its head that a turn depends on.
    phis: Vec<Value>,
    /// Atomic and volatile accesses in it, and calls that make some.
    looks: Vec<Value>,
    /// Local variables that a turn may change, and that live on.
    locals: Vec<Value>,
    /// Local variables that a turn may change as memory, perhaps in functions that it calls.
    lent: Vec<Value>,
    /// Flags for the site: [`site_flag::PLAIN`] if all its looks are plain loads.
    flags: u32,
    /// Bits for the hook's count: [`turn::WRITES`] and [`turn::READS`].
    may: u32,
    /// True if an iteration may end before it made an event, by something that others may have changed.
    may_end_unseen: bool,
}

/// The loops that may wait. `plain` takes plain loads for events: a loop that waits only then is marked so, if it keeps
/// nothing from iteration to iteration; with `all`, whatever it keeps.
pub fn find(quiet: &Quiet, plain: &Quiet, all: bool, loops: &[Loop]) -> Vec<Waiting> {
    let find = |found: &Loop| match understand(quiet, found) {
        None => understand(plain, found)
            .filter(|waiting| all || waiting.keeps_nothing())
            .map(|waiting| Waiting {
                flags: site_flag::PLAIN,
                ..waiting
            }),
        waiting => waiting,
    };
    loops.iter().filter_map(find).collect()
}

impl Waiting {
    /// True if a turn depends on nothing of the thread's own. So it is for loops that only wait, and not for those that
    /// go through something, for which the hook would only cost.
    fn keeps_nothing(&self) -> bool {
        self.phis.is_empty() && self.locals.is_empty() && self.lent.is_empty()
    }
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

fn understand(quiet: &Quiet, found: &Loop) -> Option<Waiting> {
    let (header, body) = (found.header, &found.body);
    let mut looks = Vec::new();
    let mut changed: HashSet<Value> = HashSet::new();
    let mut all_effects = Effects::default();
    for instruction in body.iter().flat_map(|block| block.instructions()) {
        let effects = quiet.effects(instruction)?;
        if effects.looks {
            looks.push(instruction);
        }
        all_effects.add(effects);
        let stores = instruction.opcode() == Some(Opcode::LLVMStore);
        if stores && instruction.ordering() == 0 && is_plain_local(instruction.operand(1)) {
            changed.insert(instruction.operand(1));
        }
    }
    if looks.is_empty() {
        return None;
    }
    for base in all_effects.writes.clone() {
        let is_lent = matches!(base, Base::Local(local) if quiet.is_lent(local));
        if !is_lent {
            all_effects.give_up(base)?;
        }
    }
    let written = all_effects.writes.iter().filter_map(|base| match base {
        Base::Local(local) => Some(*local),
        Base::Parameter(_) => None,
    });
    let written: HashSet<Value> = written.collect();
    // In the order of the function.
    let blocks = header.function().blocks();
    let all = blocks.iter().flat_map(|block| block.instructions());
    let (mut locals, mut lent) = (Vec::new(), Vec::new());
    for local in all {
        let lives = || !region::is_dead_at(header, local);
        if changed.contains(&local) && lives() {
            locals.push(local);
        }
        if written.contains(&local) && lives() {
            lent.push(local);
        }
    }
    let mut phis = found.phis();
    let idle = idle::all(quiet, found, &phis, &locals);
    phis.retain(|phi| !idle.contains(phi));
    locals.retain(|local| !idle.contains(local));
    if !phis.iter().all(|&phi| is_word(phi) && !counts(phi, body)) {
        return None;
    }
    let lent_words: Option<Vec<u64>> = lent.iter().map(|&local| quiet.words(local)).collect();
    let words = phis.len() + locals.len() + lent_words?.iter().sum::<u64>() as usize;
    let whole = |local: &Value| {
        let ty = local.allocated_type();
        ty.kind() == TypeKind::Pointer || ty.integer_bits() <= 64
    };
    (words <= WORDS_MAX && locals.iter().all(whole)).then(|| Waiting {
        found: found.clone(),
        phis,
        looks,
        locals,
        lent,
        flags: 0,
        may: if all_effects.stores { turn::WRITES } else { 0 }
            | if all_effects.reads { turn::READS } else { 0 },
        may_end_unseen: region::may_end_unseen(quiet, header, body),
    })
}

/// Marks the loops, but those of which all that looks has been announced to wait by itself.
pub fn mark(rewriter: &mut Rewriter, loops: Vec<Waiting>, announced: &[Value]) {
    for waiting in loops {
        if !waiting.looks.iter().all(|look| announced.contains(look)) {
            insert(rewriter, &waiting);
        }
    }
}

fn insert(rewriter: &mut Rewriter, waiting: &Waiting) {
    let Waiting {
        found,
        phis,
        locals,
        lent,
        flags,
        may,
        ..
    } = waiting;
    let pieces: Vec<(Value, u64, u32)> = { lent.iter() }
        .flat_map(|&local| {
            let pieces = lent::pieces(rewriter.module.store_bytes(local.allocated_type()));
            pieces.into_iter().map(move |(at, bits)| (local, at, bits))
        })
        .collect();
    let words = (phis.len() + locals.len() + pieces.len()) as u64;
    let record = found.variables(rewriter, 2 + words);
    let now = found.variables(rewriter, words.max(1));
    found.reset(rewriter, record);
    rewriter.stand_before(found.behind_phis());
    let mut loaded: Vec<Value> = { locals.iter() }
        .map(|local| rewriter.builder.load(local.allocated_type(), *local))
        .collect();
    loaded.extend(pieces.into_iter().map(|(local, at, bits)| {
        let piece = rewriter.builder.offset(local, at);
        let ty = rewriter.module.integer_type(bits);
        rewriter.builder.load_unaligned(ty, piece)
    }));
    for (nth, value) in phis.iter().copied().chain(loaded).enumerate() {
        let word = rewriter.builder.to_integer(value, 64);
        let place = rewriter.builder.offset(now, 8 * nth as u64);
        rewriter.builder.store(word, place);
    }
    let count = rewriter.word(words as u32 | may);
    rewriter.insert("__dpor_turn", 0, &[record, now, count], *flags);
    if waiting.may_end_unseen {
        let count = rewriter.word(turn::LEFT);
        for exit in exits(found) {
            rewriter.stand_before(exit);
            rewriter.insert("__dpor_turn", 0, &[record, now, count], *flags);
        }
    }
}

/// Where control comes to when it leaves the loop, but by an exception.
fn exits(found: &Loop) -> Vec<Value> {
    let mut seen = HashSet::new();
    let next = found.body.iter().flat_map(|block| block.successors());
    let outside = next.filter(|block| !found.body.contains(block) && seen.insert(*block));
    let first = outside.filter_map(|block| {
        let mut all = block.instructions();
        all.find(|i| i.opcode() != Some(Opcode::LLVMPHI))
    });
    let is_pad = |first: &Value| first.opcode() == Some(Opcode::LLVMLandingPad);
    first.filter(|first| !is_pad(first)).collect()
}
