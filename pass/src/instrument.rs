//! The pass: finds the instructions of interest, has each rewritten, records the module.

use crate::access::{self, Direction};
use crate::call::{self, Callees};
use crate::escape::Privacy;
use crate::llvm::{Attribute, Module, Opcode, Value};
use crate::loops::Loop;
use crate::rewriter::Rewriter;
use crate::turns::{quiet::Quiet, Waiting};
use crate::update::Updates;
use crate::{
    ahead, assertions, atomic, conventions, destructor, frames, initializer, keep, loops,
    plain_assembly, reach, returns, rounds, skip, turns, uninstrumented, waits,
};
use dpor_abi::initializer::flag;
use dpor_abi::{site_flag, ABI_VERSION, MODULE_MAGIC, MODULE_SECTION};
use std::collections::HashSet;

/// Attributes that promise less than a function with hooks does: it reads and writes memory,
/// synchronizes with other threads, and may not return (the runtime ends a thread).
const BROKEN_PROMISES: [&str; 13] = [
    "memory",
    "readnone",
    "readonly",
    "writeonly",
    "argmemonly",
    "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly",
    "nosync",
    "nofree",
    "norecurse",
    "nocallback",
    "willreturn",
    "speculatable",
];

/// Major version of the LLVM this plugin is built for.
const LLVM_MAJOR: &str = env!("DPOR_LLVM_MAJOR");

/// What the environment asks for.
struct Options {
    shared_all: bool,
    verbose: bool,
}

impl Options {
    fn from_environment() -> Options {
        let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|v| v == value);
        Options {
            shared_all: is("DPOR_PASS", "shared-all"),
            verbose: is("DPOR_PASS_VERBOSE", "1"),
        }
    }
}

/// Instruments the module: once, which [`crate::stage`] sees to.
pub fn run(module: Module) {
    keep::forget(module);
    let options = Options::from_environment();
    let skipped = skip::skipped(module);
    let functions: Vec<Value> = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration())
        .collect();
    plain_assembly::to_loads(module, &functions, &skipped);
    let privacy = match options.shared_all {
        true => Privacy::everything_shared(),
        false => Privacy::analyse(module, skipped.clone()),
    };
    let initializers = initializer::flags(module);
    let site_flags = match initializers {
        flag::MARKED => site_flag::MARKED,
        _ => 0,
    };
    let mut rewriter = Rewriter::new(module, privacy, site_flags);
    let loops = understand_loops(&rewriter, &functions, &skipped);
    let promises = BROKEN_PROMISES.map(Attribute::named);
    let for_callees = skipped.clone();
    let mut callees = Callees::new(move |function| for_callees.contains(&function));
    for (&function, loops) in functions.iter().zip(loops) {
        rewriter.enter(function, skipped.contains(&function));
        instrument_function(&mut rewriter, function, loops, &mut callees, &promises);
    }
    weaken_calls(&functions, &skipped, &promises);
    let functions = uninstrumented::functions(&functions, &skipped);
    let info = record(&mut rewriter, &functions, initializers);
    rewriter.list();
    reach::record(module, info);
    if options.verbose {
        let counts = rewriter.counts;
        eprintln!(
            "dpor: {}: {} accesses seen, {} instrumented, {} private",
            module.source_name(),
            counts.seen,
            counts.instrumented,
            counts.private
        );
    }
}

/// The loops of a function that get hooks of their own.
#[derive(Default)]
struct Loops {
    waiting: Vec<Waiting>,
    counted: Vec<Loop>,
}

/// The loops of each function, before any is rewritten: what a loop does, functions that it calls may do for it.
fn understand_loops(
    rewriter: &Rewriter,
    functions: &[Value],
    skipped: &HashSet<Value>,
) -> Vec<Loops> {
    let quiet = Quiet::new(rewriter, skipped, false);
    let plain = Quiet::new(rewriter, skipped, true);
    let all_plain = rewriter.is_compared();
    let understand = |&function: &Value| {
        if skipped.contains(&function) {
            return Loops::default();
        }
        let all = loops::all(function);
        Loops {
            waiting: turns::find(&quiet, &plain, all_plain, &all),
            counted: rounds::find(&quiet, &all),
        }
    };
    functions.iter().map(understand).collect()
}

/// Collects first: rewriting changes the block.
fn instrument_function(
    rewriter: &mut Rewriter,
    function: Value,
    loops: Loops,
    callees: &mut Callees,
    promises: &[Attribute],
) {
    let interesting: Vec<(Value, Opcode)> = function
        .blocks()
        .into_iter()
        .flat_map(|block| block.instructions())
        .filter_map(|instruction| Some((instruction, instruction.opcode()?)))
        .filter(|&(_, opcode)| is_interesting(opcode))
        .collect();
    let announced = waits::announce(rewriter, function);
    turns::mark(rewriter, loops.waiting, &announced);
    rounds::mark(rewriter, loops.counted);
    let loads = interesting
        .iter()
        .filter(|(_, opcode)| *opcode == Opcode::LLVMLoad);
    let loads = loads.map(|&(load, _)| load);
    let mut updates = Updates::find(rewriter, loads.clone());
    let ahead = ahead::announce(rewriter, loads);
    for (instruction, opcode) in interesting {
        rewriter.stand_before(instruction);
        match ahead.get(&instruction) {
            Some(&token) => ahead::load(rewriter, instruction, token),
            None if updates.tell(rewriter, instruction) => {}
            None => rewrite(rewriter, instruction, opcode, callees),
        }
    }
    frames::mark(rewriter, function);
    if rewriter.inserted {
        for &promise in promises {
            function.remove_attribute(promise);
        }
    }
}

fn is_interesting(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMLoad
            | Opcode::LLVMStore
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMFence
            | Opcode::LLVMCall
            | Opcode::LLVMInvoke
            | Opcode::LLVMCallBr
            | Opcode::LLVMVAArg
            | Opcode::LLVMRet
    )
}

fn rewrite(rewriter: &mut Rewriter, instruction: Value, opcode: Opcode, callees: &mut Callees) {
    match opcode {
        Opcode::LLVMLoad if instruction.ordering() != 0 => atomic::load(rewriter, instruction),
        Opcode::LLVMLoad if instruction.is_volatile() => {
            access::volatile_load(rewriter, instruction);
        }
        Opcode::LLVMLoad => {
            let (pointer, ty) = (instruction.operand(0), instruction.ty());
            access::plain(rewriter, Direction::Read, pointer, ty);
        }
        Opcode::LLVMStore if instruction.ordering() != 0 => atomic::store(rewriter, instruction),
        Opcode::LLVMStore if instruction.is_volatile() => {
            access::volatile_store(rewriter, instruction);
        }
        Opcode::LLVMStore if destructor::is_vptr_write(instruction) => {
            destructor::vptr_write(rewriter, instruction);
        }
        Opcode::LLVMStore => {
            let (pointer, ty) = (instruction.operand(1), instruction.operand(0).ty());
            access::plain(rewriter, Direction::Write, pointer, ty);
        }
        Opcode::LLVMAtomicCmpXchg => atomic::compare_exchange(rewriter, instruction),
        Opcode::LLVMAtomicRMW => atomic::read_modify_write(rewriter, instruction),
        Opcode::LLVMFence => atomic::fence(rewriter, instruction),
        Opcode::LLVMVAArg => call::variable_argument(rewriter, instruction),
        Opcode::LLVMRet => returns::mark(rewriter, instruction),
        _ => call::instrument(rewriter, instruction, callees),
    }
}

/// Calls of functions that have hooks now make no promises either; neither do indirect ones.
fn weaken_calls(functions: &[Value], skipped: &HashSet<Value>, promises: &[Attribute]) {
    let calls = functions
        .iter()
        .filter(|f| !skipped.contains(f))
        .flat_map(|f| f.blocks())
        .flat_map(|block| block.instructions())
        .filter(|i| {
            matches!(
                i.opcode(),
                Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
            )
        });
    for call in calls {
        let callee = call.callee();
        let outside = callee.is_function() && callee.is_declaration();
        if !callee.is_assembly() && !outside {
            for &promise in promises {
                call.remove_call_attribute(promise);
            }
        }
    }
}

/// Emits the [`dpor_abi::ModuleInfo`], which it returns, and the constructor that hands it to the runtime.
fn record(rewriter: &mut Rewriter, functions: &[Value], initializers: u32) -> Value {
    let module = rewriter.module;
    let name = rewriter.text(module.source_name());
    let counts = rewriter.counts;
    let version = LLVM_MAJOR.parse().expect("build.rs writes a number");
    let word = |value: u32| module.integer(32, u64::from(value));
    let variables = match initializers {
        flag::MARKED => initializer::variables(module),
        _ => module.null(),
    };
    let contents = module.constant_struct(&[
        word(MODULE_MAGIC),
        word(ABI_VERSION),
        name,
        word(counts.seen),
        word(counts.instrumented),
        word(counts.private),
        word(version),
        module.private_list("dpor.functions", functions),
        variables,
        word(initializers),
        word(assertions::flags(module) | conventions::flags(module)),
    ]);
    let info = module.section_variable("dpor.module", MODULE_SECTION, contents);
    let hook = rewriter.hook("__dpor_module");
    module.add_constructor("dpor.constructor", hook.function, hook.ty, info);
    info
}
