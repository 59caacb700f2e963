//! Loops that a function never leaves, as servers have: the pass says so of them in each turn (`__dpor_endless`), so that
//! going round in them for ever is no livelock.
//!
//! What is read is the text of one function: labels, jumps, returns. A jump to somewhere else, or one that is computed,
//! leaves. A loop counts if nothing that leaves can be reached from its head, and it calls functions.

use super::calls;
use std::collections::{HashMap, HashSet};

/// The helper that tells of a turn and keeps all registers: at a label, any may be in use.
pub const HELPER: &str = ".Ldpor_endless";

/// A piece of a function without a jump into its middle.
#[derive(Default)]
struct Block<'a> {
    /// Line of its label.
    line: usize,
    next: Vec<&'a str>,
    falls_through: bool,
    leaves: bool,
    calls: bool,
    /// Lines of its jumps, and where they lead.
    jumps: Vec<(usize, &'a str)>,
}

/// Numbers of the lines with the labels of such loops' heads.
pub fn heads(text: &str) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut typed = HashSet::new();
    let mut blocks: Option<Vec<(&str, Block)>> = None;
    let mut is_inline = false;
    for (number, line) in text.lines().enumerate() {
        let bare = line.trim();
        match bare {
            "#APP" => is_inline = true,
            "#NO_APP" => is_inline = false,
            _ if is_inline => {}
            _ if bare.starts_with(".type") => {
                let name = bare
                    .strip_prefix(".type")
                    .and_then(|rest| rest.split_once(','));
                typed.extend(name.map(|(name, _)| name.trim()));
            }
            _ if bare.starts_with(".size") => {
                found.extend(blocks.take().iter().flat_map(|blocks| of_function(blocks)));
            }
            _ => match bare.strip_suffix(':') {
                Some(label) if typed.contains(label) => {
                    blocks = Some(vec![(label, new_block(number))]);
                }
                Some(label) => {
                    if let Some(blocks) = &mut blocks {
                        blocks.push((label, new_block(number)));
                    }
                }
                None => {
                    let last = blocks.as_mut().and_then(|blocks| blocks.last_mut());
                    if let Some((_, block)) = last {
                        block.read(number, bare);
                    }
                }
            },
        }
    }
    found
}

fn new_block<'a>(line: usize) -> Block<'a> {
    Block {
        line,
        falls_through: true,
        ..Block::default()
    }
}

impl<'a> Block<'a> {
    fn read(&mut self, number: usize, line: &'a str) {
        if line.starts_with(['.', '#']) || !self.falls_through {
            return;
        }
        if let Some(callee) = calls::callee(line) {
            self.calls |= !callee.starts_with("__tsan_");
            return;
        }
        let line = line.strip_prefix("notrack").map_or(line, str::trim_start);
        let (name, target) = line.split_once(['\t', ' ']).unwrap_or((line, ""));
        let target = target.trim();
        if name.starts_with('j') {
            self.falls_through = name != "jmp";
            match target.starts_with(".L") {
                true => {
                    self.next.push(target);
                    self.jumps.push((number, target));
                }
                false => self.leaves = true,
            }
        } else if matches!(name, "ret" | "rep" | "ud2" | "hlt") {
            self.leaves = true;
            self.falls_through = false;
        }
    }
}

fn of_function(blocks: &[(&str, Block)]) -> Vec<usize> {
    let places: HashMap<&str, usize> = { blocks.iter().enumerate() }
        .map(|(at, (label, _))| (*label, at))
        .collect();
    let after = |at: usize| -> Vec<Option<usize>> {
        let (_, block) = &blocks[at];
        let jumps = block.next.iter().map(|label| places.get(label).copied());
        let through = block.falls_through.then_some(at + 1);
        let through = through.map(|next| (next < blocks.len()).then_some(next));
        jumps.chain(through).collect()
    };
    // Where a way leads out of the text, it leaves.
    let mut leaves: Vec<bool> = (0..blocks.len())
        .map(|at| blocks[at].1.leaves || after(at).contains(&None))
        .collect();
    loop {
        let more: Vec<usize> = (0..blocks.len())
            .filter(|&at| !leaves[at])
            .filter(|&at| after(at).into_iter().flatten().any(|next| leaves[next]))
            .collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|at| leaves[at] = true);
    }
    let endless = || blocks.iter().zip(&leaves).filter(|(_, leaves)| !**leaves);
    if !endless().any(|((_, block), _)| block.calls) {
        return Vec::new();
    }
    let jumps = endless().flat_map(|((_, block), _)| &block.jumps);
    let heads = jumps.filter_map(|(line, target)| {
        let head = &blocks[*places.get(target)?].1;
        (head.line < *line).then_some(head.line)
    });
    heads.collect()
}

/// The text of [`HELPER`].
pub fn helper() -> String {
    let general = ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"];
    let saves: String = general.map(|name| format!("\tpushq\t%{name}\n")).concat();
    let general_back = general.iter().rev();
    let restores: String = general_back
        .map(|name| format!("\tpopq\t%{name}\n"))
        .collect();
    let vector = |from_stack: bool| -> String {
        let line = |k: usize| match from_stack {
            false => format!("\tmovaps\t%xmm{k}, {}(%rsp)\n", 16 * k),
            true => format!("\tmovaps\t{}(%rsp), %xmm{k}\n", 16 * k),
        };
        (0..16).map(line).collect()
    };
    format!(
        "\t.text\n{HELPER}:\n\tpushfq\n{saves}\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tsubq\t$256, %rsp\n\tandq\t$-16, %rsp\n\
         {}\tcall\t*__dpor_endless@GOTPCREL(%rip)\n{}\tmovq\t%rbp, %rsp\n\tpopq\t%rbp\n{restores}\tpopfq\n\tret\n",
        vector(false),
        vector(true)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads_of(body: &str) -> usize {
        let text = format!("\t.type\tf, @function\nf:\n{body}\t.size\tf, .-f\n");
        heads(&text).len()
    }

    #[test]
    fn loops_without_an_end() {
        let call = "\tcall\tg@PLT\n";
        assert_eq!(heads_of(&format!(".L2:\n{call}\tjmp\t.L2\n")), 1);
        assert_eq!(heads_of(".L2:\n\tcall\t__tsan_read4@PLT\n\tjmp\t.L2\n"), 0);
        assert_eq!(
            heads_of(&format!(
                ".L2:\n{call}\ttestl\t%eax, %eax\n\tje\t.L2\n\tret\n"
            )),
            0
        );
        assert_eq!(
            heads_of(&format!(
                ".L2:\n{call}\tje\t.L3\n\tjmp\t.L2\n.L3:\n\tjmp\t.L2\n"
            )),
            1
        );
        assert_eq!(heads_of(&format!(".L2:\n{call}\tje\t.L9\n\tjmp\t.L2\n")), 0);
        assert_eq!(heads_of(&format!(".L2:\n{call}\tjmp\t*%rax\n")), 0);
    }
}
