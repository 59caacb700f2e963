//! Plain and volatile loads and stores.

use crate::llvm::{Type, TypeKind, Value};
use crate::rewriter::Rewriter;
use dpor_abi::{hook::WIDTHS, site_flag};

/// The direction of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The access is a load.
    Read,
    /// The access is a store.
    Write,
}

impl Direction {
    /// Returns `read` for a load and `write` for a store.
    pub fn choose<T>(self, read: T, write: T) -> T {
        match self {
            Direction::Read => read,
            Direction::Write => write,
        }
    }
}

/// The width with which a scalar of this type is accessed, if a hook of that width exists.
pub fn scalar_width(rewriter: &Rewriter, ty: Type) -> Option<u32> {
    let scalar = matches!(
        ty.kind(),
        TypeKind::Integer | TypeKind::Float | TypeKind::Pointer
    );
    let bytes = || rewriter.module.store_bytes(ty);
    scalar
        .then(bytes)
        .and_then(|bytes| WIDTHS.into_iter().find(|&width| u64::from(width) == bytes))
}

/// The bytes that an access to this type touches, as an `i64`.
pub fn bytes(rewriter: &Rewriter, ty: Type) -> Value {
    match ty.kind() {
        TypeKind::ScalableVector => rewriter.builder.run_time_size(ty),
        _ => rewriter.size(rewriter.module.store_bytes(ty)),
    }
}

/// A load or store that is neither atomic nor volatile.
pub fn plain(rewriter: &mut Rewriter, direction: Direction, pointer: Value, ty: Type) {
    if !rewriter.meet(pointer) {
        return;
    }
    if !Rewriter::is_flat(pointer) {
        return rewriter.insert_unknown();
    }
    let address = rewriter.builder.to_flat_pointer(pointer);
    match scalar_width(rewriter, ty) {
        Some(width) => {
            let name = direction.choose("__dpor_read", "__dpor_write");
            rewriter.insert(name, width, &[address], 0);
        }
        None => {
            let name = direction.choose("__dpor_read_range", "__dpor_write_range");
            let bytes = bytes(rewriter, ty);
            rewriter.insert(name, 0, &[address, bytes], 0);
        }
    }
}

/// A volatile load: its value comes from the hook if its width has one.
pub fn volatile_load(rewriter: &mut Rewriter, load: Value) {
    let pointer = load.operand(0);
    if !rewriter.meet(pointer) {
        return;
    }
    let ty = load.ty();
    match scalar_width(rewriter, ty).filter(|_| Rewriter::is_flat(pointer)) {
        Some(width) => {
            let address = rewriter.builder.to_flat_pointer(pointer);
            let read = rewriter.insert(
                "__dpor_volatile_load",
                width,
                &[address],
                site_flag::VOLATILE,
            );
            let value = rewriter.builder.to_value(read, ty);
            rewriter.replace(load, Some(value));
        }
        None => volatile_range(rewriter, Direction::Read, pointer, ty),
    }
}

/// A volatile store: the hook performs it if its width has one.
pub fn volatile_store(rewriter: &mut Rewriter, store: Value) {
    let (value, pointer) = (store.operand(0), store.operand(1));
    if !rewriter.meet(pointer) {
        return;
    }
    match scalar_width(rewriter, value.ty()).filter(|_| Rewriter::is_flat(pointer)) {
        Some(width) => {
            let address = rewriter.builder.to_flat_pointer(pointer);
            let bits = rewriter.builder.to_integer(value, 8 * width);
            let arguments = [address, bits];
            rewriter.insert(
                "__dpor_volatile_store",
                width,
                &arguments,
                site_flag::VOLATILE,
            );
            rewriter.replace(store, None);
        }
        None => volatile_range(rewriter, Direction::Write, pointer, value.ty()),
    }
}

fn volatile_range(rewriter: &mut Rewriter, direction: Direction, pointer: Value, ty: Type) {
    if !Rewriter::is_flat(pointer) {
        return rewriter.insert_unknown();
    }
    let bytes = bytes(rewriter, ty);
    insert_volatile_range(rewriter, direction, pointer, bytes);
}

/// `__dpor_volatile_range` for an access that [`Rewriter::meet`] has let through.
pub fn insert_volatile_range(
    rewriter: &mut Rewriter,
    direction: Direction,
    pointer: Value,
    bytes: Value,
) {
    let address = rewriter.builder.to_flat_pointer(pointer);
    let is_write = rewriter.word(direction.choose(0, 1));
    let arguments = [address, bytes, is_write];
    rewriter.insert("__dpor_volatile_range", 0, &arguments, site_flag::VOLATILE);
}

/// A range that is read or written, volatile or not.
pub fn range(
    rewriter: &mut Rewriter,
    direction: Direction,
    pointer: Value,
    bytes: Value,
    volatile: bool,
) {
    if !rewriter.meet(pointer) {
        return;
    }
    if !Rewriter::is_flat(pointer) {
        return rewriter.insert_unknown();
    }
    let bytes = rewriter.length(bytes);
    if volatile {
        return insert_volatile_range(rewriter, direction, pointer, bytes);
    }
    let address = rewriter.builder.to_flat_pointer(pointer);
    let name = direction.choose("__dpor_read_range", "__dpor_write_range");
    rewriter.insert(name, 0, &[address, bytes], 0);
}
