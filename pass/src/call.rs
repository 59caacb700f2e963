//! Calls: memory intrinsics and functions, byval arguments, and calls that leave the module.

use crate::access::{range, Direction};
use crate::atomic::is_observed;
use crate::llvm::{Attribute, Value};
use crate::rewriter::Rewriter;
use crate::{assembly, masked, member_call, memory_call, missing_return, uninstrumented};
use dpor_abi::cxx_library;
use dpor_abi::uninstrumented::{reads, Reads};

/// Intrinsics that have effects on memory in LLVM's eyes only: markers, bookkeeping of the
/// compiler, and what stays within the calling thread's registers and stack.
const HARMLESS: [&str; 41] = [
    "llvm.annotation",
    "llvm.assume",
    "llvm.call.preallocated",
    "llvm.clear_cache",
    "llvm.codeview",
    "llvm.coro.",
    "llvm.dbg.",
    "llvm.debugtrap",
    "llvm.donothing",
    "llvm.eh.",
    "llvm.experimental.constrained.",
    "llvm.experimental.noalias.scope.decl",
    "llvm.fake.use",
    "llvm.frameaddress",
    "llvm.init.trampoline",
    "llvm.instrprof",
    "llvm.invariant.",
    "llvm.launder.invariant.group",
    "llvm.lifetime.",
    "llvm.localescape",
    "llvm.prefetch",
    "llvm.pseudoprobe",
    "llvm.ptr.annotation",
    "llvm.readcyclecounter",
    "llvm.returnaddress",
    "llvm.set.rounding",
    "llvm.sideeffect",
    "llvm.stackrestore",
    "llvm.stacksave",
    "llvm.strip.invariant.group",
    "llvm.trap",
    "llvm.ubsantrap",
    "llvm.var.annotation",
    // x86: clocks, random numbers, flags and caches; LLVM does not say that no memory changes.
    "llvm.x86.clflushopt",
    "llvm.x86.clwb",
    "llvm.x86.flags.",
    "llvm.x86.mmx.emms",
    "llvm.x86.rd",
    "llvm.x86.sse2.clflush",
    "llvm.x86.sse2.pause",
    "llvm.x86.xgetbv",
];

/// Bytes of a `va_list` on x86-64 (System V ABI, 3.5.7).
const VA_LIST_BYTES: u64 = 24;

/// Bytes of the SSE control register.
const MXCSR_BYTES: u64 = 4;

/// Inserts what belongs before a call, invoke or callbr.
pub fn instrument(rewriter: &mut Rewriter, call: Value, known: &mut Callees) {
    let callee = call.callee();
    if callee.is_assembly() {
        return assembly::instrument(rewriter, call);
    }
    byval_arguments(rewriter, call, known);
    let callee = known.get(callee);
    match callee {
        Callee::Defined => {}
        Callee::Leaves(reads) => {
            if !call.callee().is_function() {
                member_call::virtual_call(rewriter, call);
            }
            uninstrumented::leaves(rewriter, call, reads);
            if is_serial_choice(call) && !is_observed(call) && !rewriter.only_counts() {
                rewriter.insert("__dpor_result_ignored", 0, &[], 0);
            }
        }
        Callee::Member(what, reads) => {
            member_call::direct(rewriter, call, what);
            uninstrumented::leaves(rewriter, call, reads);
        }
        Callee::MemoryFunction(name) => {
            if !memory_call::instrument(rewriter, call, &name) {
                uninstrumented::leaves(rewriter, call, Reads::Anything);
            }
        }
        Callee::Intrinsic(name) => intrinsic(rewriter, call, &name),
        Callee::Trap => missing_return::mark(rewriter, call),
        Callee::Harmless => {}
    }
}

/// True for a call of `pthread_barrier_wait`, which returns `PTHREAD_BARRIER_SERIAL_THREAD` to one thread of each
/// generation.
fn is_serial_choice(call: Value) -> bool {
    let callee = call.callee();
    callee.is_function() && callee.name() == "pthread_barrier_wait"
}

/// The caller copies a byval argument at the call, so it reads it there.
fn byval_arguments(rewriter: &mut Rewriter, call: Value, known: &Callees) {
    for index in 0..call.argument_count() {
        if let Some(ty) = call.argument_type_attribute(index, known.byval) {
            let bytes = rewriter.size(rewriter.module.store_bytes(ty));
            range(rewriter, Direction::Read, call.operand(index), bytes, false);
        }
    }
}

/// An intrinsic that is not harmless.
fn intrinsic(rewriter: &mut Rewriter, call: Value, name: &str) {
    if memory_call::instrument(rewriter, call, name) || masked::instrument(rewriter, call, name) {
        return;
    }
    match name {
        "llvm.va_start" | "llvm.va_start.p0" | "llvm.va_end" | "llvm.va_end.p0" => {
            let bytes = rewriter.size(VA_LIST_BYTES);
            range(rewriter, Direction::Write, call.operand(0), bytes, false);
        }
        "llvm.va_copy" | "llvm.va_copy.p0" => {
            let bytes = rewriter.size(VA_LIST_BYTES);
            range(rewriter, Direction::Read, call.operand(1), bytes, false);
            range(rewriter, Direction::Write, call.operand(0), bytes, false);
        }
        "llvm.x86.sse2.mfence" | "llvm.x86.sse2.lfence" | "llvm.x86.sse.sfence" => {
            rewriter.insert_full_fence(0);
        }
        "llvm.x86.sse.ldmxcsr" | "llvm.x86.sse.stmxcsr" => {
            let direction = match name.ends_with("ldmxcsr") {
                true => Direction::Read,
                false => Direction::Write,
            };
            let bytes = rewriter.size(MXCSR_BYTES);
            range(rewriter, direction, call.operand(0), bytes, false);
        }
        // Something that reads or writes memory in a way this pass has no rule for.
        _ if call.call_reaches_memory() => {
            rewriter.counts.seen += 1;
            if !rewriter.only_counts() {
                rewriter.counts.instrumented += 1;
                rewriter.insert_unknown();
            }
        }
        _ => {}
    }
}

/// A `va_arg` instruction, which walks the `va_list` and reads the argument from the own stack.
pub fn variable_argument(rewriter: &mut Rewriter, instruction: Value) {
    let bytes = rewriter.size(VA_LIST_BYTES);
    range(
        rewriter,
        Direction::Write,
        instruction.operand(0),
        bytes,
        false,
    );
}

/// The kind of a called value.
#[derive(Clone, Debug)]
enum Callee {
    /// A function whose instrumented body stands in this module.
    Defined,
    /// Anything that may run code outside the module, and what that may read.
    Leaves(Reads),
    /// A function outside of C++'s library, what it does to the object it is called on, and what else it may read.
    Member(cxx_library::Call, Reads),
    /// A libc function that [`memory_call`] may know.
    MemoryFunction(String),
    /// An intrinsic to look at.
    Intrinsic(String),
    /// The intrinsic `llvm.trap`.
    Trap,
    /// An intrinsic, or a hook, that needs nothing.
    Harmless,
}

/// The kinds of the functions called so far.
pub struct Callees {
    known: std::collections::HashMap<Value, Callee>,
    byval: Attribute,
    is_skipped: Box<dyn Fn(Value) -> bool>,
}

impl Callees {
    /// `is_skipped` tells the functions with a body that is not instrumented.
    pub fn new(is_skipped: impl Fn(Value) -> bool + 'static) -> Callees {
        Callees {
            known: std::collections::HashMap::new(),
            byval: Attribute::named("byval"),
            is_skipped: Box::new(is_skipped),
        }
    }

    fn get(&mut self, callee: Value) -> Callee {
        let is_skipped = &self.is_skipped;
        self.known
            .entry(callee)
            .or_insert_with(|| classify(callee, is_skipped))
            .clone()
    }
}

fn classify(callee: Value, is_skipped: &dyn Fn(Value) -> bool) -> Callee {
    if !callee.is_function() {
        return Callee::Leaves(Reads::Anything);
    }
    let name = callee.name();
    if name == "llvm.trap" {
        return Callee::Trap;
    }
    if name.starts_with("llvm.") {
        return match HARMLESS.iter().any(|prefix| name.starts_with(prefix)) {
            true => Callee::Harmless,
            false => Callee::Intrinsic(name),
        };
    }
    if name.starts_with("__dpor_") {
        return Callee::Harmless;
    }
    if !callee.is_declaration() && !is_skipped(callee) {
        return Callee::Defined;
    }
    let is_declared = callee.is_declaration();
    let reads = match is_declared {
        true => reads(&name),
        // What is skipped reads what it likes.
        false => Reads::Anything,
    };
    let is_elsewhere = is_declared || callee.is_available_externally();
    let member = is_elsewhere.then(|| member_call::of(callee)).flatten();
    match (memory_call::extents(&name), member) {
        (Some(_), _) if is_declared => Callee::MemoryFunction(name),
        (_, Some(what)) => Callee::Member(what, reads),
        _ => Callee::Leaves(reads),
    }
}
