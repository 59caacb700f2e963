//! The natural loops of a function, and what hooks in them remember.

use crate::llvm::{Block, Opcode, Value};
use crate::rewriter::Rewriter;
use std::collections::HashSet;

/// A loop that is entered at its head only.
#[derive(Clone)]
pub struct Loop {
    pub header: Block,
    /// All its blocks.
    pub body: HashSet<Block>,
}

impl Loop {
    /// The phis of its head.
    pub fn phis(&self) -> Vec<Value> {
        let all = self.header.instructions();
        all.take_while(|i| i.opcode() == Some(Opcode::LLVMPHI))
            .collect()
    }

    /// The first instruction of its head that is no phi.
    pub fn behind_phis(&self) -> Value {
        let mut all = self.header.instructions();
        all.find(|i| i.opcode() != Some(Opcode::LLVMPHI))
            .expect("a block has an end")
    }

    /// The blocks from which it goes back to its head.
    pub fn latches(&self) -> impl Iterator<Item = Block> + '_ {
        let all = self.header.predecessors().into_iter();
        all.filter(|block| self.body.contains(block))
    }

    /// Makes variables of so many words in the function, for a hook.
    pub fn variables(&self, rewriter: &mut Rewriter, words: u64) -> Value {
        let begin = self.header.function().blocks()[0].instructions().next();
        rewriter.stand_before(begin.expect("a block has an end"));
        rewriter.builder.variables(words)
    }

    /// Makes the first of such words 0 wherever the loop is entered.
    pub fn reset(&self, rewriter: &mut Rewriter, words: Value) {
        let all = self.header.predecessors().into_iter();
        for end in all
            .filter(|entry| !self.body.contains(entry))
            .filter_map(Block::end)
        {
            rewriter.stand_before(end);
            rewriter.builder.store(rewriter.size(0), words);
        }
    }
}

/// The loops of a function that are entered at their heads only.
pub fn all(function: Value) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    for (latch, header) in back_edges(function) {
        let mut body = HashSet::from([header]);
        let mut open = vec![latch];
        while let Some(block) = open.pop() {
            if body.insert(block) {
                open.extend(block.predecessors());
            }
        }
        match loops.iter_mut().find(|known| known.header == header) {
            Some(known) => known.body.extend(body),
            None => loops.push(Loop { header, body }),
        }
    }
    let first = function.blocks().first().copied();
    loops.retain(|Loop { header, body }| {
        let inside = |block: &Block| body.contains(block);
        let mut others = body.iter().filter(|&block| block != header);
        first.is_none_or(|first| !body.contains(&first))
            && others.all(|block| block.predecessors().iter().all(inside))
    });
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
