//! Loads of which the program asks nothing but whether a count is 1.
//!
//! libstdc++'s `shared_ptr` looks at the counts of owners and of weak pointers at once before it drops one, so as to leave out
//! the atomic operations where nobody else has the object. The runtime is told: looks that are told "no" need not be explored
//! in both orders with the drops of others (docs/decisions/0114).

use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::waits::expression;
use dpor_abi::wait;

/// How far the uses of a value are followed.
const DEPTH_MAX: u32 = 4;

/// Bytes of the count for which a load of `width` bytes asks, if the program only compares what it finds with a constant that
/// it equals only where the count is 1: the count itself, or two of which it is the lower one. 0: it asks for more, or the
/// function does not drop one at the same address (a flag is compared with 1, too).
pub fn counted_by(load: Value, width: u32) -> u32 {
    if load.is_volatile() || load.ty().kind() != TypeKind::Integer || !is_dropped(load.operand(0)) {
        return 0;
    }
    let mut users = load
        .users()
        .into_iter()
        .filter(|&user| !is_alone(load, user, 0));
    let (Some(asks), None) = (users.next(), users.next()) else {
        return 0;
    };
    if asks.opcode() != Some(Opcode::LLVMICmp) || asks.operand(0) != load {
        return 0;
    }
    let kind = expression::test(asks.comparison(), false);
    let is_equality = kind.is_some_and(|kind| kind == wait::EQUAL || kind == wait::NOT_EQUAL);
    match (width, asks.operand(1).constant_integer()) {
        _ if !is_equality => 0,
        (4 | 8, Some(1)) => width,
        (8, Some(both)) if both as u32 == 1 => 4,
        _ => 0,
    }
}

/// Whether the function changes what is at an address by an atomic operation, which may have been replaced by a hook's call.
fn is_dropped(address: Value) -> bool {
    let is_hook = |call: Value| call.callee().name().starts_with("__dpor_rmw");
    address.users().into_iter().any(|user| match user.opcode() {
        Some(Opcode::LLVMAtomicRMW) => {
            user.operand(0) == address && matches!(&user.rmw_name()[..], "add" | "sub")
        }
        Some(Opcode::LLVMCall) => is_hook(user),
        _ => false,
    })
}

/// Whether a value is used by `user` only while there is one thread: libstdc++ leaves atomic operations out then, and the
/// optimizer takes the value of the load for that of the plain one there.
fn is_alone(value: Value, user: Value, depth: u32) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMPHI) => {
            let from = user.block().predecessors().into_iter();
            let mut from = from.filter(|&block| user.incoming(block) == Some(value));
            from.all(is_for_one_thread)
        }
        Some(Opcode::LLVMTrunc) if depth < DEPTH_MAX => {
            let mut users = user.users().into_iter();
            is_for_one_thread(user.block()) || users.all(|next| is_alone(user, next, depth + 1))
        }
        Some(_) => is_for_one_thread(user.block()),
        None => false,
    }
}

/// Whether a block runs only where `__libc_single_threaded` was found not to be 0 just before.
fn is_for_one_thread(block: Block) -> bool {
    let [before] = block.predecessors()[..] else {
        return false;
    };
    let condition = before.end().and_then(Value::branch_condition);
    let Some(asks) = condition.filter(|asks| asks.opcode() == Some(Opcode::LLVMICmp)) else {
        return false;
    };
    let (flag, zero) = (asks.operand(0), asks.operand(1));
    let is_flag = flag.opcode() == Some(Opcode::LLVMLoad)
        && flag.operand(0).name() == "__libc_single_threaded"
        && zero.constant_integer() == Some(0);
    let otherwise = match expression::test(asks.comparison(), false) {
        Some(wait::EQUAL) => 1,
        Some(wait::NOT_EQUAL) => 0,
        _ => return false,
    };
    let ways = before.successors();
    is_flag && ways.len() == 2 && ways[0] != ways[1] && ways[otherwise] == block
}
