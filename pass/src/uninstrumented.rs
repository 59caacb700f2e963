//! Calls that leave the module, and what may be read there that no hook tells of.
//!
//! The called function may be instrumented in another module, so the runtime is told which it is and
//! looks it up among those that [`functions`] lists. If its name or its attributes say that it reads
//! only what its arguments point to, it is enough that none of them leads to memory that threads share.

use crate::llvm::{TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::initializer::USERS;
use dpor_abi::libc_access::is_accessing;
use dpor_abi::uninstrumented::{is_ordering, Reads};
use std::collections::HashSet;

/// Inserts the hook before a call that may leave the module. `reads`: by its name.
pub fn leaves(rewriter: &mut Rewriter, call: Value, reads: Reads) {
    if rewriter.only_counts() {
        return;
    }
    let returns = |name: &str| is_accessing(name) || is_ordering(name) || USERS.contains(&name);
    if call.callee().is_function() && returns(&call.callee().name()) {
        // The runtime tells calls of the program from others by where they return to.
        call.forbid_tail_call();
    }
    let reads = match reads {
        // The word is an event of the runtime's.
        Reads::Anything if is_futex(call) => Reads::Arguments { but: Some(1) },
        Reads::Anything => call.call_reads(),
        by_name => by_name,
    };
    let function = match reads {
        Reads::Nothing => None,
        Reads::Arguments { but } => {
            let shared = (0..call.argument_count())
                .any(|index| but != Some(index as u8) && is_shared(rewriter, call, index));
            shared.then(|| rewriter.module.null())
        }
        Reads::Anything => {
            let callee = call.callee();
            callee.take_address_from_table();
            Some(match Rewriter::is_flat(callee) {
                true => callee,
                false => rewriter.module.null(),
            })
        }
    };
    match function {
        Some(function) => rewriter.insert("__dpor_call_unseen", 0, &[function], 0),
        None => rewriter.insert("__dpor_call", 0, &[], 0),
    };
}

/// Linux's number of the system call `futex` on x86-64.
const SYS_FUTEX: i64 = 202;

/// True for the call `syscall(SYS_futex, …)`.
fn is_futex(call: Value) -> bool {
    call.argument_count() > 0
        && call.operand(0).constant_integer() == Some(SYS_FUTEX)
        && call.callee().is_function()
        && call.callee().name() == "syscall"
}

/// True if the call may read shared memory through argument `index`.
fn is_shared(rewriter: &Rewriter, call: Value, index: u32) -> bool {
    let argument = call.operand(index);
    argument.ty().kind() == TypeKind::Pointer
        && !argument.is_null_or_undefined()
        && !argument.is_function()
        && !call.argument_not_read(index)
        && !rewriter.is_private(argument)
}

/// The instrumented functions that code outside the module can call: what it can name, and what it can
/// be given the address of.
pub fn functions(functions: &[Value], skipped: &HashSet<Value>) -> Vec<Value> {
    let is_called = |function: Value, user: &Value| {
        crate::escape::is_call(*user)
            && user.callee() == function
            && (0..user.argument_count()).all(|index| user.operand(index) != function)
    };
    let is_reachable = |&&function: &&Value| {
        !function.is_droppable()
            || !function
                .users()
                .iter()
                .all(|user| is_called(function, user))
    };
    let seen = functions.iter().filter(|f| !skipped.contains(f));
    seen.filter(is_reachable).copied().collect()
}
