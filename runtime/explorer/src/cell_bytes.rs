//! Parts of cells, and what read-modify-writes make of them.

use dpor_model::{update, Operation};

/// Some bytes of a cell.
pub(crate) struct Bytes {
    /// Position of the first one.
    pub offset: u8,
    /// Number of bytes.
    pub bytes: u32,
}

impl Bytes {
    /// Those that the operation touches.
    pub fn of(operation: &Operation) -> Bytes {
        let (offset, bytes) = (operation.offset, operation.bytes);
        Bytes { offset, bytes }
    }

    /// The cell after an update of these bytes.
    pub fn updated(&self, operator: u64, operand: u64, cell: u64) -> u64 {
        let bits = 8 * self.bytes;
        let mask = u64::MAX >> (64 - bits);
        let shift = 8 * u32::from(self.offset);
        let old = cell >> shift & mask;
        // Comparisons are of the sign-extended values.
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        let new = match operator {
            update::ADD => old.wrapping_add(operand),
            update::AND => old & operand,
            update::OR => old | operand,
            update::XOR => old ^ operand,
            update::MAX => signed(old).max(signed(operand)) as u64,
            update::MIN => signed(old).min(signed(operand)) as u64,
            update::UMAX => old.max(operand & mask),
            update::UMIN => old.min(operand & mask),
            _ => operand,
        };
        cell & !(mask << shift) | (new & mask) << shift
    }
}
