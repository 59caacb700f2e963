//! Atomic loads, stores, read-modify-writes and fences.
//!
//! The hook performs the access and returns the value. An access whose width has no hook (more
//! than 16 bytes: LLVM turns it into a call of `__atomic_*` later) stays, after a `__dpor_call`.
//! A read-modify-write that orders against signal handlers of its own thread only
//! (`syncscope("singlethread")`) is still indivisible, and synchronizes with no other thread:
//! relaxed.

use crate::counted;
use crate::counters;
use crate::llvm::{Opcode, Predicate, TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::{hook::WIDTHS, order, rmw, site_flag, used};

/// Flags of the site of an atomic instruction.
fn flags(instruction: Value) -> u32 {
    match instruction.is_volatile() {
        true => site_flag::VOLATILE,
        false => 0,
    }
}

/// The order as the hooks want it.
fn order_word(rewriter: &Rewriter, instruction: Value, order: u32) -> Value {
    let order = match instruction.is_single_thread() {
        true => order::RELAXED,
        false => order,
    };
    rewriter.word(order)
}

/// Width of an atomic access to a value of this type, if a hook of that width exists.
fn width(rewriter: &Rewriter, value: Value) -> Option<u32> {
    let ty = value.ty();
    let known = matches!(
        ty.kind(),
        TypeKind::Integer | TypeKind::Float | TypeKind::Pointer | TypeKind::Vector
    );
    let bits = known.then(|| rewriter.module.value_bits(ty))?;
    WIDTHS
        .into_iter()
        .find(|&width| u64::from(8 * width) == bits)
}

/// Counts the access and finds its address and width, as all atomic accesses begin. `None`: there is nothing to
/// replace.
fn begin(rewriter: &mut Rewriter, pointer: Value, value: Value) -> Option<(Value, u32)> {
    if !rewriter.meet(pointer) {
        return None;
    }
    if !Rewriter::is_flat(pointer) {
        rewriter.insert_unknown();
        return None;
    }
    match width(rewriter, value) {
        Some(width) => Some((rewriter.builder.to_flat_pointer(pointer), width)),
        None => {
            rewriter.insert("__dpor_call", 0, &[], 0);
            None
        }
    }
}

/// An atomic load.
pub fn load(rewriter: &mut Rewriter, load: Value) {
    let Some((address, width)) = begin(rewriter, load.operand(0), load) else {
        return;
    };
    let order = match load.is_single_thread() {
        true => order::RELAXED,
        false => load.ordering(),
    };
    let order = rewriter.word(order::counting(order, counted::counted_by(load, width)));
    let read = rewriter.insert("__dpor_load", width, &[address, order], flags(load));
    let value = rewriter.builder.to_value(read, load.ty());
    rewriter.replace(load, Some(value));
}

/// An atomic store.
pub fn store(rewriter: &mut Rewriter, store: Value) {
    let (value, pointer) = (store.operand(0), store.operand(1));
    let Some((address, width)) = begin(rewriter, pointer, value) else {
        return;
    };
    let bits = rewriter.builder.to_integer(value, 8 * width);
    let order = order_word(rewriter, store, store.ordering());
    rewriter.insert("__dpor_store", width, &[address, bits, order], flags(store));
    rewriter.replace(store, None);
}

/// Replaces a compare-and-exchange, whose value is the pair (old value, did it succeed).
pub fn compare_exchange(rewriter: &mut Rewriter, cas: Value) {
    let (pointer, expected, desired) = (cas.operand(0), cas.operand(1), cas.operand(2));
    let Some((address, width)) = begin(rewriter, pointer, expected) else {
        return;
    };
    let expected_bits = rewriter.builder.to_integer(expected, 8 * width);
    let desired_bits = rewriter.builder.to_integer(desired, 8 * width);
    let success = order_word(rewriter, cas, cas.ordering());
    let failure = order_word(rewriter, cas, cas.failure_ordering());
    let weak = rewriter.word(u32::from(cas.is_weak()));
    let arguments = [address, expected_bits, desired_bits, success, failure, weak];
    let old = rewriter.insert("__dpor_cas", width, &arguments, flags(cas));
    let succeeded = rewriter
        .builder
        .compare(Predicate::Equal, old, expected_bits);
    let old = rewriter.builder.to_value(old, expected.ty());
    let pair = rewriter
        .builder
        .insert_field(rewriter.module.poison(cas.ty()), old, 0);
    let pair = rewriter.builder.insert_field(pair, succeeded, 1);
    rewriter.replace(cas, Some(pair));
}

/// The runtime's number for an integer operator that it performs itself.
fn integer_operator(name: &str) -> Option<u32> {
    Some(match name {
        "xchg" => rmw::XCHG,
        "add" => rmw::ADD,
        "sub" => rmw::SUB,
        "and" => rmw::AND,
        "nand" => rmw::NAND,
        "or" => rmw::OR,
        "xor" => rmw::XOR,
        "max" => rmw::MAX,
        "min" => rmw::MIN,
        "umax" => rmw::UMAX,
        "umin" => rmw::UMIN,
        _ => return None,
    })
}

/// Replaces a read-modify-write.
pub fn read_modify_write(rewriter: &mut Rewriter, instruction: Value) {
    let (pointer, operand) = (instruction.operand(0), instruction.operand(1));
    let Some((address, width)) = begin(rewriter, pointer, operand) else {
        return;
    };
    let order = order_word(rewriter, instruction, instruction.ordering());
    let used = rewriter.word(match is_observed(instruction) {
        true => counters::used_by(instruction),
        false => used::NOT,
    });
    let name = instruction.rmw_name();
    let flags = flags(instruction);
    let old = match integer_operator(&name) {
        Some(operator) => {
            let bits = rewriter.builder.to_integer(operand, 8 * width);
            let operator = rewriter.word(operator);
            let arguments = [address, bits, operator, order, used];
            let old = rewriter.insert("__dpor_rmw", width, &arguments, flags);
            rewriter.builder.to_value(old, operand.ty())
        }
        None => {
            let old = rewriter.insert("__dpor_rmw_begin", width, &[address, order, used], flags);
            let old = rewriter.builder.to_value(old, operand.ty());
            let Some(new) = compute(rewriter, &name, old, operand) else {
                return unknown_operator(rewriter, &name);
            };
            let bits = rewriter.builder.to_integer(new, 8 * width);
            rewriter.insert("__dpor_rmw_end", width, &[address, bits, order], flags);
            old
        }
    };
    rewriter.replace(instruction, Some(old));
}

/// Can the value have any effect? Without optimization clang stores the result of an atomic
/// expression statement in a temporary, loads it and drops it, or computes `++x` from it for nobody.
pub fn is_observed(value: Value) -> bool {
    value.users().into_iter().any(|user| match user.opcode() {
        Some(Opcode::LLVMStore) => user.operand(0) != value || !is_never_looked_at(user.operand(1)),
        Some(
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMBitCast,
        ) => is_observed(user),
        _ => true,
    })
}

/// A local variable that is stored to, and loaded only where the value is dropped.
fn is_never_looked_at(pointer: Value) -> bool {
    pointer.opcode() == Some(Opcode::LLVMAlloca)
        && pointer.users().into_iter().all(|user| match user.opcode() {
            Some(Opcode::LLVMLoad) => user.users().is_empty(),
            Some(Opcode::LLVMStore) => user.operand(0) != pointer,
            _ => false,
        })
}

/// What `atomicrmw NAME` stores, by the definition in LLVM's language reference.
fn compute(rewriter: &Rewriter, name: &str, old: Value, operand: Value) -> Option<Value> {
    let builder = &rewriter.builder;
    let bits = operand.ty().integer_bits();
    let constant = |value| rewriter.module.integer(bits, value);
    Some(match name {
        "fadd" => builder.binary(Opcode::LLVMFAdd, old, operand),
        "fsub" => builder.binary(Opcode::LLVMFSub, old, operand),
        "fmax" => builder.intrinsic("llvm.maxnum", &[old, operand]),
        "fmin" => builder.intrinsic("llvm.minnum", &[old, operand]),
        "fmaximum" => builder.intrinsic("llvm.maximum", &[old, operand]),
        "fminimum" => builder.intrinsic("llvm.minimum", &[old, operand]),
        // *p = old >= operand ? 0 : old + 1
        "uinc_wrap" => {
            let wraps = builder.compare(Predicate::UnsignedAtLeast, old, operand);
            builder.select(
                wraps,
                constant(0),
                builder.binary(Opcode::LLVMAdd, old, constant(1)),
            )
        }
        // *p = (old == 0 || old > operand) ? operand : old - 1
        "udec_wrap" => {
            let zero = builder.compare(Predicate::Equal, old, constant(0));
            let above = builder.compare(Predicate::UnsignedAbove, old, operand);
            let wraps = builder.binary(Opcode::LLVMOr, zero, above);
            builder.select(
                wraps,
                operand,
                builder.binary(Opcode::LLVMSub, old, constant(1)),
            )
        }
        // *p = old >= operand ? old - operand : old
        "usub_cond" => {
            let enough = builder.compare(Predicate::UnsignedAtLeast, old, operand);
            builder.select(enough, builder.binary(Opcode::LLVMSub, old, operand), old)
        }
        // *p = old >= operand ? old - operand : 0
        "usub_sat" => {
            let enough = builder.compare(Predicate::UnsignedAtLeast, old, operand);
            let difference = builder.binary(Opcode::LLVMSub, old, operand);
            builder.select(enough, difference, constant(0))
        }
        _ => return None,
    })
}

/// An operator of a newer LLVM than this pass knows must not go unseen.
fn unknown_operator(rewriter: &Rewriter, name: &str) {
    let message = format!("dpor: atomicrmw {name} is not supported by this version of libdpor.so");
    rewriter.module.report_error(&message);
}

/// Inserts the hook of a fence.
pub fn fence(rewriter: &mut Rewriter, fence: Value) {
    if rewriter.only_counts() {
        return;
    }
    let order = rewriter.word(fence.ordering());
    let single_thread = rewriter.word(u32::from(fence.is_single_thread()));
    rewriter.insert("__dpor_fence", 0, &[order, single_thread], 0);
    rewriter.replace(fence, None);
}
