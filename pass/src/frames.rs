//! Functions and variables whose memory on the stack ends, where another thread may reach it.
//!
//! The runtime is told where the frame of such a function begins and where it ends, and the same of variables that
//! live for a part of their function only: those of inner scopes and of functions that were inlined, where the
//! compiler says so (`llvm.lifetime`, which clang leaves out without optimization), and arguments by value.
//!
//! The variables of `main` itself are left alive: who never joins its threads lets them use these until the process
//! ends.

use crate::llvm::{Attribute, Block, Location, Opcode, Predicate, Value};
use crate::rewriter::Rewriter;

/// Instructions between the end of a variable and that of its function that are looked at.
const STEPS_MAX: usize = 100;

/// The stack memory of a function that another thread may reach.
struct Frame {
    /// Variables that live as long as the function: address, and bytes.
    whole: Vec<(Value, Value)>,
    /// Variables that live for a part of it.
    scopes: Vec<Life>,
    /// Blocks whose size or number is not known before it runs.
    dynamic: Vec<Value>,
}

/// The life of a variable, in markers.
struct Life {
    variable: Value,
    starts: Vec<Value>,
    ends: Vec<Value>,
}

impl Life {
    /// Whether the variable's life ends where the function does, and nowhere else.
    fn is_whole(&self) -> bool {
        self.ends.iter().all(|&end| leads_to_return(end))
    }
}

/// Inserts the hooks that tell of the frame and of the variables of a function.
pub fn mark(rewriter: &mut Rewriter, function: Value) {
    if rewriter.only_counts() {
        return;
    }
    let is_main = function.name() == "main";
    let frame = frame(rewriter, function, is_main);
    let leaving = leaving(function);
    mark_scopes(rewriter, &frame);
    mark_dynamic(rewriter, function, &frame);
    if frame.whole.is_empty() && frame.dynamic.is_empty() || is_main {
        return;
    }
    mark_begin(rewriter, function, &frame.whole);
    for leaves in leaving {
        match leaves.location().map(in_function) {
            Some(location) => rewriter.stand_at(leaves, location),
            None => rewriter.stand_before(leaves),
        }
        if !frame.dynamic.is_empty() {
            let top = top(rewriter);
            rewriter.insert("__dpor_stack_end", 0, &[top], 0);
        } else {
            mark_all(
                rewriter,
                leaves,
                "__dpor_frame_end",
                "__dpor_scope_end",
                &frame.whole,
            );
        }
    }
}

fn frame(rewriter: &Rewriter, function: Value, is_main: bool) -> Frame {
    let mut frame = Frame {
        whole: reachable_arguments(rewriter, function),
        scopes: Vec::new(),
        dynamic: Vec::new(),
    };
    let entry = function.blocks()[0];
    let mut wholes = Vec::new();
    for variable in reachable_variables(rewriter, function) {
        let bytes = bytes(rewriter, variable).filter(|_| variable.block() == entry);
        let Some(bytes) = bytes else {
            frame.dynamic.push(variable);
            continue;
        };
        let life = life(variable, is_main);
        match life.is_whole() {
            true => {
                frame.whole.push((variable, bytes));
                wholes.push(life);
            }
            false => frame.scopes.push(life),
        }
    }
    if !frame.scopes.is_empty() {
        // They may begin where another one was.
        let begin_only = wholes.into_iter().map(|life| Life {
            ends: Vec::new(),
            ..life
        });
        frame.scopes.extend(begin_only);
    }
    frame
}

/// Where the function begins. Its variables stand in front of everything, as compilers have them; where others
/// follow, the block must not be split, or these would be blocks of unknown number.
fn mark_begin(rewriter: &mut Rewriter, function: Value, whole: &[(Value, Value)]) {
    let entry = function.blocks()[0];
    let is_variable = |i: &Value| i.opcode() == Some(Opcode::LLVMAlloca);
    let mut behind = entry.instructions().skip_while(is_variable);
    let begin = behind.next().expect("a block has an end");
    if behind.any(|i| is_variable(&i)) {
        for &(variable, bytes) in whole {
            let next = match is_variable(&variable) {
                true => variable.instructions_behind().next(),
                false => Some(begin),
            };
            if let Some(next) = next {
                rewriter.stand_before(next);
                rewriter.insert("__dpor_scope_begin", 0, &[variable, bytes], 0);
            }
        }
        return;
    }
    rewriter.stand_before(begin);
    mark_all(
        rewriter,
        begin,
        "__dpor_frame_begin",
        "__dpor_scope_begin",
        whole,
    );
}

/// Inserts `tell` for each of some variables, behind the question `ask` whether the frame is of interest. The rewriter
/// stands before the instruction.
fn mark_all(
    rewriter: &mut Rewriter,
    instruction: Value,
    ask: &'static str,
    tell: &'static str,
    variables: &[(Value, Value)],
) {
    if variables.len() > 1 {
        let top = top(rewriter);
        let answer = rewriter.insert(ask, 0, &[top], 0);
        let none = rewriter.word(0);
        let condition = rewriter
            .builder
            .compare(Predicate::UnsignedAbove, answer, none);
        rewriter.stand_aside(instruction, condition);
    }
    for &(variable, bytes) in variables {
        rewriter.insert(tell, 0, &[variable, bytes], 0);
    }
}

/// Inserts the hooks of blocks on the stack: each begins where it is made, and ends where the stack is cut back.
fn mark_dynamic(rewriter: &mut Rewriter, function: Value, frame: &Frame) {
    for &block in &frame.dynamic {
        if let Some(next) = block.instructions_behind().next() {
            rewriter.stand_before(next);
            let count = rewriter.length(block.operand(0));
            let one = rewriter.size(rewriter.module.store_bytes(block.allocated_type()));
            let bytes = rewriter.builder.binary(Opcode::LLVMMul, count, one);
            rewriter.insert("__dpor_scope_begin", 0, &[block, bytes], 0);
        }
    }
    if frame.dynamic.is_empty() {
        return;
    }
    let all: Vec<Value> = { function.blocks().into_iter() }
        .flat_map(Block::instructions)
        .filter(|&i| calls(i, "llvm.stackrestore"))
        .collect();
    for call in all {
        rewriter.stand_before(call);
        rewriter.insert("__dpor_stack_end", 0, &[call.operand(0)], 0);
    }
}

/// Returns the place in the function itself, wherever code was inlined from.
fn in_function(location: Location) -> Location {
    location.inlined_at().map_or(location, in_function)
}

/// The address of the return address: all that the function has on the stack lies below.
fn top(rewriter: &Rewriter) -> Value {
    let module = rewriter.module;
    let pointer = module.pointer_type();
    let function = module.intrinsic("llvm.addressofreturnaddress", &[pointer]);
    let ty = module.function_type(pointer, &[]);
    rewriter.builder.call(function, ty, &[])
}

fn reachable_variables(rewriter: &Rewriter, function: Value) -> Vec<Value> {
    let all = { function.blocks().into_iter() }.flat_map(Block::instructions);
    all.filter(|i| i.opcode() == Some(Opcode::LLVMAlloca))
        .filter(|&i| Rewriter::is_flat(i) && !i.is_swifterror() && !rewriter.is_private(i))
        .collect()
}

fn reachable_arguments(rewriter: &Rewriter, function: Value) -> Vec<(Value, Value)> {
    let byval = Attribute::named("byval");
    let all = (0..function.parameter_count()).filter_map(|index| {
        let ty = function.parameter_type_attribute(index, byval)?;
        let bytes = rewriter.size(rewriter.module.store_bytes(ty));
        Some((function.parameter(index), bytes))
    });
    all.filter(|&(argument, _)| !rewriter.is_private(argument))
        .collect()
}

/// The instructions that leave the function. A call in front of a return that may be a jump has no need of the frame.
fn leaving(function: Value) -> Vec<Value> {
    let end = |block: Block| {
        let end = block.end()?;
        match end.opcode()? {
            Opcode::LLVMResume => Some(end),
            Opcode::LLVMRet => {
                let before = block.instructions().filter(|&i| i != end);
                let last = before
                    .filter(|i| i.opcode() != Some(Opcode::LLVMBitCast))
                    .last();
                Some(last.filter(|call| call.may_be_jump()).unwrap_or(end))
            }
            _ => None,
        }
    };
    function.blocks().into_iter().filter_map(end).collect()
}

fn mark_scopes(rewriter: &mut Rewriter, frame: &Frame) {
    for life in &frame.scopes {
        let variable = life.variable;
        let Some(bytes) = bytes(rewriter, variable) else {
            continue;
        };
        for start in &life.starts {
            if let Some(next) = start.instructions_behind().next() {
                rewriter.stand_before(next);
                rewriter.insert("__dpor_scope_begin", 0, &[variable, bytes], 0);
            }
        }
        for &end in &life.ends {
            rewriter.stand_before(end);
            rewriter.insert("__dpor_scope_end", 0, &[variable, bytes], 0);
        }
    }
}

/// The markers of a variable. In `main`, ends of variables of functions that were inlined.
fn life(variable: Value, is_main: bool) -> Life {
    let named = |name: &str| {
        let users = variable.users().into_iter();
        users.filter(|&user| calls(user, name)).collect::<Vec<_>>()
    };
    let is_inlined = |i: &Value| i.location().is_some_and(|at| at.inlined_at().is_some());
    let ends = named("llvm.lifetime.end").into_iter();
    Life {
        variable,
        starts: named("llvm.lifetime.start"),
        ends: ends.filter(|end| !is_main || is_inlined(end)).collect(),
    }
}

/// Bytes of a variable, if they are known before the function runs.
fn bytes(rewriter: &Rewriter, variable: Value) -> Option<Value> {
    let count = u64::try_from(variable.operand(0).constant_integer()?).ok()?;
    let one = rewriter.module.store_bytes(variable.allocated_type());
    Some(rewriter.size(one * count))
}

/// Whether the function is left behind this instruction, without anything between that others could see.
fn leads_to_return(instruction: Value) -> bool {
    let mut behind = instruction.instructions_behind();
    for _ in 0..STEPS_MAX {
        let Some(next) = behind.next() else {
            return false;
        };
        match next.opcode() {
            Some(Opcode::LLVMRet | Opcode::LLVMResume) => return true,
            Some(Opcode::LLVMBr) => match next.block().successors()[..] {
                [only] => behind = only.instructions(),
                _ => return false,
            },
            Some(Opcode::LLVMPHI | Opcode::LLVMInsertValue) => {}
            Some(Opcode::LLVMCall) if calls(next, "llvm.lifetime.") => {}
            Some(Opcode::LLVMCall) if calls(next, "llvm.dbg.") => {}
            _ => return false,
        }
    }
    false
}

/// True for a call of a function whose name begins so.
fn calls(instruction: Value, name: &str) -> bool {
    instruction.opcode() == Some(Opcode::LLVMCall) && {
        let callee = instruction.callee();
        callee.is_function() && callee.name().starts_with(name)
    }
}
