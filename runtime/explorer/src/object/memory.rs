//! Memory cells of 8 bytes. The program performs the accesses; here is only what the search has
//! to know: which cells, written or read, and whether a compare-exchange succeeds.

use crate::conflict::{Access, Class, Footprint};
use crate::operation::Interned;
use crate::program::{Kind, Operation};

/// Cells an access of at most 16 bytes can touch.
pub(crate) const CELLS_MAX: usize = 3;

/// The accesses of a memory operation; a compare-exchange writes if it `succeeds`.
pub(crate) fn footprint(interned: &Interned, succeeds: bool) -> Footprint {
    let class = match interned.operation.kind {
        Kind::Load => Class::READ,
        Kind::CompareExchange if !succeeds => Class::READ,
        _ => Class::WRITE,
    };
    interned
        .objects
        .iter()
        .map(|&object| Access { object, class })
        .collect()
}

/// True if a compare-exchange finds what it expects in its cells.
pub(crate) fn succeeds(operation: &Operation, cells: [u64; CELLS_MAX]) -> bool {
    let mut bytes = [0; 8 * CELLS_MAX];
    for (i, cell) in cells.iter().enumerate() {
        bytes[8 * i..8 * i + 8].copy_from_slice(&cell.to_le_bytes());
    }
    let first = usize::from(operation.offset);
    let width = (operation.bytes as usize).min(16);
    bytes[first..first + width] == operation.expected.to_le_bytes()[..width]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_the_bytes_named() {
        let check = |offset, bytes, expected, cells, expect| {
            let mut op = Operation::new(Kind::CompareExchange, 0);
            (op.offset, op.bytes, op.expected) = (offset, bytes, expected);
            assert_eq!(succeeds(&op, cells), expect, "{op:?} {cells:x?}");
        };
        check(0, 8, 7, [7, 1, 1], true);
        check(0, 8, 7, [8, 0, 0], false);
        check(4, 4, 0xdead_beef, [0xdead_beef_0000_0001, 0, 0], true);
        check(6, 4, 0x4433_2211, [0x2211 << 48, 0x4433, 0], true);
        check(1, 1, 0x100, [0, 0, 0], true); // Bytes beyond the width do not count.
        check(
            7,
            16,
            u128::MAX,
            [0xff << 56, u64::MAX, u64::MAX >> 8],
            true,
        );
        check(
            7,
            16,
            u128::MAX,
            [0xff << 56, u64::MAX, u64::MAX >> 9],
            false,
        );
    }
}
