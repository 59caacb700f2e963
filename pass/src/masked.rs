//! Vector accesses under a mask.
//!
//! Gathers and scatters use one masked hook of a single lane per lane, with the lane's mask bit:
//! the same meaning as a plain hook on active lanes, and no branch in the program.

use crate::access::Direction;
use crate::llvm::{Predicate, TypeKind, Value};
use crate::rewriter::Rewriter;

/// Where an intrinsic has its operands.
struct Shape {
    direction: Direction,
    pointer: Value,
    mask: Value,
    /// The vector that is read or written.
    vector: Value,
}

/// Most lanes that fit the mask argument of the hooks.
const LANES_MAX: u32 = 64;

/// Inserts the hooks of a call of intrinsic `name`. False if it is not of this family.
pub fn instrument(rewriter: &mut Rewriter, call: Value, name: &str) -> bool {
    let kind = kind(name);
    let Some(shape) = shape(call, kind) else {
        return false;
    };
    if !rewriter.meet(shape.pointer) {
        return true;
    }
    let ty = shape.vector.ty();
    let lane_bits = match ty.kind() {
        TypeKind::Vector => rewriter.module.value_bits(ty.element()),
        _ => 0,
    };
    let measurable = lane_bits > 0 && lane_bits % 8 == 0 && ty.lanes() <= LANES_MAX;
    if !measurable || !Rewriter::is_flat(shape.pointer) {
        rewriter.insert_unknown();
        return true;
    }
    let lane_bytes = lane_bits / 8;
    match kind {
        "gather" | "scatter" => insert_lanes(rewriter, &shape, lane_bytes),
        "load" | "store" | "maskload" | "maskstore" => insert_masked(rewriter, &shape, lane_bytes),
        _ => insert_packed(rewriter, &shape, lane_bytes),
    }
    true
}

/// The part of the name that tells the intrinsics of this family apart; empty for others.
fn kind(name: &str) -> &str {
    ["llvm.masked.", "llvm.x86.avx.", "llvm.x86.avx2."]
        .iter()
        .find_map(|family| name.strip_prefix(family))
        .and_then(|rest| rest.split('.').next())
        .unwrap_or("")
}

/// Finds the operands. Up to LLVM 21 an alignment precedes the mask of four of the intrinsics.
fn shape(call: Value, kind: &str) -> Option<Shape> {
    let count = call.argument_count();
    let (direction, pointer, mask, vector) = match kind {
        "load" | "gather" | "expandload" => (
            Direction::Read,
            call.operand(0),
            call.operand(count - 2),
            call,
        ),
        "store" | "scatter" | "compressstore" => (
            Direction::Write,
            call.operand(1),
            call.operand(count - 1),
            call.operand(0),
        ),
        // Intel's: the sign of an integer lane says whether it is active.
        "maskload" => (Direction::Read, call.operand(0), call.operand(1), call),
        "maskstore" => (
            Direction::Write,
            call.operand(0),
            call.operand(1),
            call.operand(2),
        ),
        _ => return None,
    };
    Some(Shape {
        direction,
        pointer,
        mask,
        vector,
    })
}

/// The mask as an `i64`, bit k for lane k.
fn mask_bits(rewriter: &Rewriter, mask: Value) -> Value {
    let active = match mask.ty().element().integer_bits() {
        1 => mask,
        _ => {
            let zero = rewriter.module.zero(mask.ty());
            rewriter.builder.compare(Predicate::SignedLess, mask, zero)
        }
    };
    rewriter.builder.to_integer(active, 64)
}

fn hook_name(direction: Direction) -> &'static str {
    direction.choose("__dpor_read_masked", "__dpor_write_masked")
}

/// Lanes side by side, some of them masked out.
fn insert_masked(rewriter: &mut Rewriter, shape: &Shape, lane_bytes: u64) {
    let address = rewriter.builder.to_flat_pointer(shape.pointer);
    let lane_bytes = rewriter.word(lane_bytes as u32);
    let lanes = rewriter.word(shape.vector.ty().lanes());
    let mask = mask_bits(rewriter, shape.mask);
    rewriter.insert(
        hook_name(shape.direction),
        0,
        &[address, lane_bytes, lanes, mask],
        0,
    );
}

/// Every lane at an address of its own.
fn insert_lanes(rewriter: &mut Rewriter, shape: &Shape, lane_bytes: u64) {
    let (lane_bytes, one) = (rewriter.word(lane_bytes as u32), rewriter.word(1));
    for lane in 0..shape.vector.ty().lanes() {
        let pointer = rewriter.builder.extract_lane(shape.pointer, lane);
        let address = rewriter.builder.to_flat_pointer(pointer);
        let active = rewriter.builder.extract_lane(shape.mask, lane);
        let mask = rewriter.builder.to_integer(active, 64);
        rewriter.insert(
            hook_name(shape.direction),
            0,
            &[address, lane_bytes, one, mask],
            0,
        );
    }
}

/// The active lanes packed together: as many elements as the mask has ones.
fn insert_packed(rewriter: &mut Rewriter, shape: &Shape, lane_bytes: u64) {
    let address = rewriter.builder.to_flat_pointer(shape.pointer);
    let mask = mask_bits(rewriter, shape.mask);
    let active = rewriter.builder.count_ones(mask);
    let lane_bytes = rewriter.size(lane_bytes);
    let bytes = rewriter
        .builder
        .binary(crate::llvm::Opcode::LLVMMul, active, lane_bytes);
    let name = shape
        .direction
        .choose("__dpor_read_range", "__dpor_write_range");
    rewriter.insert(name, 0, &[address, bytes], 0);
}
