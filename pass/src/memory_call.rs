//! Calls whose extent in memory their arguments tell: `llvm.mem*` and libc's `mem*`.
//!
//! libc's functions are recognised by name and shape when the module only declares them. The
//! runtime interposes none of these; those whose extent depends on the contents (`memchr`,
//! `strlen`, …) are the runtime's.

use crate::access::{range, Direction};
use crate::escape::Fate;
use crate::llvm::{TypeKind, Value};
use crate::rewriter::Rewriter;

/// Which argument is what.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    /// Read through these arguments.
    reads: &'static [u32],
    /// Written through this argument.
    write: Option<u32>,
    /// Number of bytes.
    length: u32,
}

const COPY: Extents = Extents {
    reads: &[1],
    write: Some(0),
    length: 2,
};
const SET: Extents = Extents {
    reads: &[],
    write: Some(0),
    length: 2,
};
const COMPARE: Extents = Extents {
    reads: &[0, 1],
    write: None,
    length: 2,
};

/// What the libc function or intrinsic called `name` does, if it is one of this family.
pub fn extents(name: &str) -> Option<Extents> {
    Some(match name {
        "memcpy" | "memmove" | "mempcpy" | "__mempcpy" | "__memcpy_chk" | "__memmove_chk"
        | "__mempcpy_chk" => COPY,
        "memset" | "__memset_chk" => SET,
        "memcmp" | "bcmp" => COMPARE,
        "bcopy" => Extents {
            reads: &[0],
            write: Some(1),
            length: 2,
        },
        "bzero" | "__bzero" | "explicit_bzero" => Extents { length: 1, ..SET },
        "memset_explicit" => SET,
        _ if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") => COPY,
        _ if name.starts_with("llvm.memset.") => SET,
        _ => return None,
    })
}

/// What a function or intrinsic of this family does with the address in argument `index`: it keeps
/// none, some return the address they write to, and what they read from is copied.
pub fn fate(name: &str, index: u32) -> Option<Fate> {
    let extents = extents(name)?;
    let returns_destination = !name.starts_with("llvm.") && extents.write == Some(0);
    Some(match () {
        _ if extents.reads.contains(&index) => Fate::CopiedFrom,
        _ if extents.write == Some(index) && returns_destination => Fate::Returned,
        _ if extents.write == Some(index) => Fate::Forgotten,
        _ => Fate::Unknown,
    })
}

/// Does the call have the arguments that the function should have?
fn has_shape(call: Value, extents: Extents) -> bool {
    let is =
        |index: u32, kind| index < call.argument_count() && call.operand(index).ty().kind() == kind;
    extents
        .reads
        .iter()
        .chain(&extents.write)
        .all(|&index| is(index, TypeKind::Pointer))
        && is(extents.length, TypeKind::Integer)
}

/// Inserts the hooks of a call of `name`. False if it is not of this family.
pub fn instrument(rewriter: &mut Rewriter, call: Value, name: &str) -> bool {
    let Some(extents) = extents(name).filter(|&extents| has_shape(call, extents)) else {
        return false;
    };
    let volatile = name.starts_with("llvm.") && call.is_volatile();
    let length = call.operand(extents.length);
    for &index in extents.reads {
        range(
            rewriter,
            Direction::Read,
            call.operand(index),
            length,
            volatile,
        );
    }
    if let Some(index) = extents.write {
        range(
            rewriter,
            Direction::Write,
            call.operand(index),
            length,
            volatile,
        );
    }
    true
}
