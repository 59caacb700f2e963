//! Edges of a graph in six bytes each: where one leads, and the number of its label; the last one of its state is marked.

use super::column::Column;

/// In the words of an edge: it is the last one of its state.
const LAST: u16 = 1 << 15;

/// Bits of a label's number beside that mark.
const LOW: u32 = 15;

/// Edges by their numbers. Those of a state lie side by side.
#[derive(Default)]
pub(super) struct Edges {
    /// Where it leads, low and high, and the low part of its label, with [`LAST`].
    all: Column<[u16; 3]>,
    /// The high parts of the labels, once one of them is not 0: there are rarely so many.
    high: Option<Column<u16>>,
}

/// An edge as it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub target: u32,
    /// The number of its label, below 2^31.
    pub label: u32,
    /// It is the last one of its state.
    pub is_last: bool,
}

impl Edges {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.high.as_ref().map_or(0, Column::bytes)
    }

    pub fn push(&mut self, edge: Kept) {
        let high = (edge.label >> LOW) as u16;
        if high > 0 && self.high.is_none() {
            let mut zeros = Column::default();
            (0..self.len()).for_each(|_| zeros.push(0));
            self.high = Some(zeros);
        }
        if let Some(column) = &mut self.high {
            column.push(high);
        }
        let last = if edge.is_last { LAST } else { 0 };
        let low = edge.label as u16 & !LAST;
        let target = [edge.target as u16, (edge.target >> 16) as u16];
        self.all.push([target[0], target[1], low | last]);
    }

    #[inline]
    pub fn get(&self, number: u32) -> Kept {
        let [low, high, label] = self.all.get(number);
        let of_label = self.high.as_ref().map_or(0, |column| column.get(number));
        Kept {
            target: u32::from(high) << 16 | u32::from(low),
            label: u32::from(of_label) << LOW | u32::from(label & !LAST),
            is_last: label & LAST != 0,
        }
    }

    /// An edge is the last one of its state no more.
    pub fn is_followed(&mut self, number: u32) {
        self.all.get_mut(number)[2] &= !LAST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_as_they_were_added() {
        let edge = |n: u32| Kept {
            target: n.wrapping_mul(2_654_435_761),
            // Large ones come late.
            label: n * (n / 1_000),
            is_last: n.is_multiple_of(3),
        };
        let mut edges = Edges::default();
        (0..30_000).for_each(|n| edges.push(edge(n)));
        assert!(edge(29_999).label > 1 << LOW && edges.high.is_some());
        for n in 0..30_000 {
            assert_eq!(edges.get(n), edge(n));
            edges.is_followed(n);
            let expected = Kept {
                is_last: false,
                ..edge(n)
            };
            assert_eq!(edges.get(n), expected);
        }
        assert_eq!(edges.len(), 30_000);
    }
}
