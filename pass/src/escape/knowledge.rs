//! The module's functions, as the two walks of the escape analysis know them.

use crate::llvm::{Attribute, Module, Opcode, Value};
use crate::memory_call;
use std::collections::HashSet;

/// Functions whose result is a new block that nobody else has the address of.
pub const ALLOCATORS: [&str; 15] = [
    "malloc",
    "calloc",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "__libc_malloc",
];

/// Functions that take a block back and keep nothing.
pub const DEALLOCATORS: [&str; 13] = [
    "free",
    "cfree",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdaPvRKSt9nothrow_t",
    "__libc_free",
];

/// Intrinsics that use the address at most to reach what is there.
const INTRINSICS: [&str; 13] = [
    "llvm.assume",
    "llvm.dbg.",
    "llvm.experimental.noalias.scope.decl",
    "llvm.fake.use",
    "llvm.invariant.",
    "llvm.is.constant.",
    "llvm.lifetime.",
    "llvm.objectsize.",
    "llvm.prefetch",
    "llvm.va_copy",
    "llvm.va_end",
    "llvm.va_start",
    "llvm.memset.",
];

/// Intrinsics whose result is their first operand, seen with other assumptions.
const IDENTITIES: [&str; 4] = [
    "llvm.launder.invariant.group",
    "llvm.strip.invariant.group",
    "llvm.threadlocal.address",
    "llvm.ptrmask",
];

/// The fate of an address that a call is given as an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The callee keeps no copy of the address.
    Forgotten,
    /// The address is the call's result.
    Returned,
    /// The address becomes this parameter of a function whose body is at hand.
    Enters(Value),
    /// The callee copies what is at the address, and does not keep the address itself.
    CopiedFrom,
    /// Anything may happen to the address.
    Unknown,
}

/// The module's functions as the analysis sees them.
pub struct Knowledge {
    skipped: HashSet<Value>,
    /// The linker may exchange even strong definitions (`-fsemantic-interposition`).
    interposition: bool,
    byval: Attribute,
    nofree: Attribute,
}

impl Knowledge {
    /// `skipped` are the functions that are left alone.
    pub fn new(module: Module, skipped: HashSet<Value>) -> Knowledge {
        Knowledge {
            skipped,
            interposition: module.has_flag("SemanticInterposition"),
            byval: Attribute::named("byval"),
            nofree: Attribute::named("nofree"),
        }
    }

    /// True for a function that is left alone. A coroutine that is not split yet is one, and its variables move to a
    /// frame that another thread may resume.
    pub fn is_skipped(&self, function: Value) -> bool {
        self.skipped.contains(&function)
    }

    /// True if the body at hand is the one that will run.
    pub fn is_body_certain(&self, function: Value) -> bool {
        function.is_function()
            && !function.is_declaration()
            && (function.is_local() || (function.is_strong_definition() && !self.interposition))
            && !self.skipped.contains(&function)
    }

    /// The calls of a function that nobody outside the module can call; none if there may be others.
    pub fn all_calls(&self, function: Value) -> Option<Vec<Value>> {
        if !function.is_local() || !self.is_body_certain(function) {
            return None;
        }
        let users = function.users();
        let is_plain_call = |&call: &Value| {
            is_call(call)
                && call.callee() == function
                && (0..call.argument_count()).all(|index| call.operand(index) != function)
                && call.argument_count() >= function.parameter_count()
        };
        users.iter().all(is_plain_call).then_some(users)
    }

    /// True for a parameter that is a copy which belongs to the function (`byval`).
    pub fn is_byval_parameter(&self, argument: Value) -> bool {
        let function = argument.parent_of_argument();
        (0..function.parameter_count())
            .find(|&index| function.parameter(index) == argument)
            .is_some_and(|index| function.parameter_has_attribute(index, self.byval))
    }

    /// True for a call that returns a new block.
    pub fn is_allocation(&self, call: Value) -> bool {
        let callee = call.callee();
        callee.is_function()
            && callee.is_declaration()
            && ALLOCATORS.contains(&callee.name().as_str())
    }

    /// True for a call whose result is its first operand.
    pub fn is_identity(&self, call: Value) -> bool {
        let callee = call.callee();
        callee.is_function() && {
            let name = callee.name();
            IDENTITIES.iter().any(|prefix| name.starts_with(prefix))
        }
    }

    /// The fate of the address in argument `index` of the call.
    pub fn fate(&self, call: Value, index: u32) -> Fate {
        let callee = call.callee();
        if !callee.is_function() {
            return Fate::Unknown;
        }
        if call.argument_type_attribute(index, self.byval).is_some() {
            return Fate::CopiedFrom;
        }
        if self.is_body_certain(callee) {
            return match index < callee.parameter_count() {
                true => Fate::Enters(callee.parameter(index)),
                false => Fate::Unknown,
            };
        }
        if !callee.is_declaration() {
            return Fate::Unknown;
        }
        self.fate_outside(call, callee, index)
    }

    /// The fate of the address in argument `index` of a call of a function that the module only declares.
    fn fate_outside(&self, call: Value, callee: Value, index: u32) -> Fate {
        let name = callee.name();
        if let Some(fate) = memory_call::fate(&name, index) {
            return fate;
        }
        if let Some(kind) = name.strip_prefix("llvm.masked.") {
            return fate_under_mask(kind, index);
        }
        if name.starts_with("llvm.") {
            return match () {
                _ if IDENTITIES.iter().any(|prefix| name.starts_with(prefix)) => Fate::Returned,
                _ if INTRINSICS.iter().any(|prefix| name.starts_with(prefix)) => Fate::Forgotten,
                _ => Fate::Unknown,
            };
        }
        // Some accesses have their hooks by now; the runtime keeps no address for other threads.
        if name.starts_with("__dpor_") {
            return Fate::Forgotten;
        }
        if DEALLOCATORS.contains(&name.as_str()) && index == 0 {
            return Fate::Forgotten;
        }
        // LLVM marks the arguments of libc functions it knows. A `noescape` written by a programmer
        // is no promise about other threads during the call; LLVM's own marking comes with nofree.
        match call.argument_not_captured(index) && callee.has_attribute(self.nofree) {
            true => Fate::Forgotten,
            false => Fate::Unknown,
        }
    }
}

/// Masked accesses go through one argument; the others are values that are stored or passed through.
fn fate_under_mask(kind: &str, index: u32) -> Fate {
    let pointer = match kind.split('.').next() {
        Some("load" | "gather" | "expandload") => 0,
        Some("store" | "scatter" | "compressstore") => 1,
        _ => return Fate::Unknown,
    };
    match index == pointer {
        true => Fate::Forgotten,
        false => Fate::Unknown,
    }
}

/// True for the three instructions that call.
pub fn is_call(value: Value) -> bool {
    matches!(
        value.opcode(),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    )
}
