//! What a thread did last, and clocks as rows of numbers.

/// The last event or passive step of a thread, from whose clock the thread's next event starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// The thread did nothing yet.
    Zero,
    /// The event at this position.
    Event(u32),
    /// The row is this passive step (`crate::passive`).
    Passive(u32),
}

/// Copies rows of `from` numbers each into rows of `to` numbers, filled up with zeros.
pub(crate) fn widen(rows: &[u32], from: usize, to: usize) -> Vec<u32> {
    let mut wider = vec![0; rows.len() / from * to];
    for (new, old) in wider.chunks_mut(to).zip(rows.chunks(from)) {
        new[..from].copy_from_slice(old);
    }
    wider
}

#[inline]
pub(crate) fn join_rows(into: &mut [u32], from: &[u32]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}
