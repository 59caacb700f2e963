//! A number for what memory holds, by which states are told apart.
//!
//! Of pages, only what differs from the root counts: the sum over all hot pages of h(address, content) − h(address, root
//! image). So a page that became hot in another execution, and is as it was at the root, does not tell two states apart.
//! h is XXH3 with 128 bits, with the address in its seed, so that two pages that swap contents are another state.
//!
//! Some bytes of pages are left out ([`Snapshots::leave_out`]): what their owner says decides nothing.

use super::{Hot, Range, Saved, Snapshots};
use crate::sys::PAGE;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// 2^64 divided by the golden ratio, made odd: spreads addresses over all bits of a seed.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Bytes of a word, of which it is told whether it differs: those of an `int`.
const WORD: usize = 4;

/// The number of what `bytes` at `address` are.
fn of_bytes(seed: u64, address: usize, bytes: &[u8]) -> u128 {
    xxh3_128_with_seed(bytes, seed ^ (address as u64).wrapping_mul(SPREAD))
}

/// The number of a page's content, without the bytes that are left out.
fn of_page(seed: u64, address: usize, content: &[u8; PAGE], left_out: &[Range]) -> u128 {
    let mut inside = overlapping(left_out, address).peekable();
    if inside.peek().is_none() {
        return of_bytes(seed, address, content);
    }
    let mut matched = *content;
    for (start, end) in inside {
        matched[start..end].fill(0);
    }
    of_bytes(seed, address, &matched)
}

/// The parts of ranges that lie in the page at `address`, by offset in it. `ranges` are ascending and disjoint.
fn overlapping(ranges: &[Range], address: usize) -> impl Iterator<Item = Range> + '_ {
    let first = ranges.partition_point(|&(_, end)| end <= address);
    let inside = ranges[first..].iter();
    inside
        .take_while(move |&&(start, _)| start < address + PAGE)
        .map(move |&(start, end)| {
            let offset = |place: usize| place.clamp(address, address + PAGE) - address;
            (offset(start), offset(end))
        })
}

impl Snapshots {
    /// Wants fingerprints, of which different seeds take different states for the same, if they take any.
    pub fn match_by(&mut self, seed: u64) {
        self.seed = Some(seed);
        self.number_roots();
    }

    /// Leaves these ranges out of fingerprints, and no others.
    pub fn leave_out(&mut self, ranges: &[Range]) {
        self.left_out = disjoint(ranges);
        self.number_roots();
    }

    /// Computes the number of a page's root image, if fingerprints are wanted.
    pub(super) fn number_root(&self, hot: &mut Hot) {
        if let Some(seed) = self.seed {
            hot.root_number = of_page(seed, hot.address, &hot.root, &self.left_out);
        }
    }

    fn number_roots(&mut self) {
        let mut all = core::mem::take(&mut self.hot);
        all.iter_mut().for_each(|hot| self.number_root(hot));
        self.hot = all;
    }

    /// Tells the addresses of the words (of four bytes) that differ between what was saved and what memory holds now, and that are not
    /// left out. Of stacks, only where both have the same live part: `stacks` is what lives now.
    pub fn differences(&self, saved: &Saved, stacks: &[Range], each: &mut dyn FnMut(usize)) {
        let mut compare = |address: usize, before: &[u8]| {
            // SAFETY: hot pages and the live parts of stacks are mapped and readable; no fiber runs.
            let now = unsafe { core::slice::from_raw_parts(address as *const u8, before.len()) };
            let words = before.chunks(WORD).zip(now.chunks(WORD)).enumerate();
            for (word, _) in words.filter(|(_, (before, now))| before != now) {
                let at = address + WORD * word;
                let is_out = |&(start, end): &Range| start < at + WORD && at < end;
                if !self.left_out.iter().any(is_out) {
                    each(at);
                }
            }
        };
        for (k, hot) in self.hot.iter().enumerate() {
            compare(hot.address, saved.content(k, hot));
        }
        let mut at = 0;
        for &(start, end) in &saved.copies.ranges {
            let before = &saved.copies.bytes[at..at + (end - start)];
            at += end - start;
            if stacks.contains(&(start, end)) {
                compare(start, before);
            }
        }
    }

    /// As [`Snapshots::fingerprint`], with these ranges left out, and no others.
    pub fn number(&self, stacks: &[Range], left_out: &[Range]) -> u128 {
        let seed = self.seed.unwrap_or(0);
        let ranges = disjoint(left_out);
        let mut sum = 0_u128;
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and readable; no fiber runs.
            let content = unsafe { &*(hot.address as *const [u8; PAGE]) };
            let of = |content| of_page(seed, hot.address, content, &ranges);
            sum = sum.wrapping_add(of(content)).wrapping_sub(of(&hot.root));
        }
        sum.wrapping_add(of_stacks(seed, stacks))
    }

    /// Tells the address and the value of each word (of four bytes) that holds something else now than at the root.
    pub fn changed(&self, each: &mut dyn FnMut(usize, u32)) {
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and readable; no fiber runs.
            let now = unsafe { &*(hot.address as *const [u8; PAGE]) };
            let words = hot.root.chunks(WORD).zip(now.chunks(WORD)).enumerate();
            for (word, (_, now)) in words.filter(|(_, (root, now))| root != now) {
                let value = u32::from_le_bytes([now[0], now[1], now[2], now[3]]);
                each(hot.address + WORD * word, value);
            }
        }
    }

    /// Tells what [`Snapshots::fingerprint`] is the number of, in parts, each of which begins with its address and its
    /// kind: the words of a page that are not as they were at the root, for each page that has some, and the live part of
    /// each stack. The order decides nothing. False: as it has none.
    pub fn contents(&self, stacks: &[Range], each: &mut dyn FnMut(&[u8])) -> bool {
        if self.seed.is_none() || !self.protecting {
            return false;
        }
        let mut part: Vec<u8> = Vec::new();
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and readable; no fiber runs.
            let mut content = unsafe { *(hot.address as *const [u8; PAGE]) };
            for (start, end) in overlapping(&self.left_out, hot.address) {
                content[start..end].copy_from_slice(&hot.root[start..end]);
            }
            part.clear();
            part.extend((hot.address as u64).to_le_bytes());
            part.push(b'p');
            let begin = part.len();
            let words = content.chunks_exact(8).zip(hot.root.chunks_exact(8));
            for (number, (now, at_root)) in words.enumerate() {
                if now != at_root {
                    part.extend((number as u16).to_le_bytes());
                    part.extend(now);
                }
            }
            if part.len() > begin {
                each(&part);
            }
        }
        for &(start, end) in stacks {
            // SAFETY: the live part of a stack is mapped and readable; no fiber runs.
            let live = unsafe { core::slice::from_raw_parts(start as *const u8, end - start) };
            part.clear();
            part.extend((start as u64).to_le_bytes());
            part.push(b's');
            part.extend(live);
            each(&part);
        }
        true
    }

    /// The number of what memory holds now, in its pages and in these live parts of stacks. Memory with the same number
    /// is taken for the same. `None`: nobody asked for numbers ([`Snapshots::match_by`]), or it is not known which pages
    /// were written.
    pub fn fingerprint(&self, stacks: &[Range]) -> Option<u128> {
        let seed = self.seed.filter(|_| self.protecting)?;
        let mut sum = 0_u128;
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and readable; no fiber runs.
            let content = unsafe { &*(hot.address as *const [u8; PAGE]) };
            let number = of_page(seed, hot.address, content, &self.left_out);
            sum = sum.wrapping_add(number).wrapping_sub(hot.root_number);
        }
        Some(sum.wrapping_add(of_stacks(seed, stacks)))
    }
}

/// The number of what these live parts of stacks hold.
fn of_stacks(seed: u64, stacks: &[Range]) -> u128 {
    let numbers = stacks.iter().map(|&(start, end)| {
        // SAFETY: the live part of a stack is mapped and readable; no fiber runs.
        let live = unsafe { core::slice::from_raw_parts(start as *const u8, end - start) };
        of_bytes(seed, start, live)
    });
    numbers.fold(0, u128::wrapping_add)
}

/// The same bytes, as ranges that are ascending and disjoint.
fn disjoint(ranges: &[Range]) -> Vec<Range> {
    let mut sorted: Vec<Range> = ranges.iter().copied().filter(|(a, b)| a < b).collect();
    sorted.sort_unstable();
    let mut disjoint: Vec<Range> = Vec::with_capacity(sorted.len());
    for (start, end) in sorted {
        match disjoint.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => disjoint.push((start, end)),
        }
    }
    disjoint
}

#[cfg(test)]
mod tests {
    use super::super::tests::{memory, write};
    use super::*;

    #[test]
    fn equal_memory_has_equal_numbers_whatever_became_hot() {
        let (pages, stack) = memory(2);
        let second = pages.0 + PAGE;
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        snapshots.match_by(7);
        let at_root = snapshots.fingerprint(&[stack]);
        write(&mut snapshots, pages.0, 1);
        let first_has_it = snapshots.fingerprint(&[stack]);
        assert_ne!(at_root, first_has_it);
        write(&mut snapshots, pages.0, 0);
        // Hot, and as it was.
        assert_eq!(at_root, snapshots.fingerprint(&[stack]));
        write(&mut snapshots, second, 1);
        let second_has_it = snapshots.fingerprint(&[stack]);
        assert!(![at_root, first_has_it].contains(&second_has_it));
        // Other contents in the same place of two pages do not add up to the same.
        write(&mut snapshots, pages.0, 2);
        let two_and_one = snapshots.fingerprint(&[stack]);
        write(&mut snapshots, pages.0, 1);
        write(&mut snapshots, second, 2);
        assert_ne!(two_and_one, snapshots.fingerprint(&[stack]));
        write(&mut snapshots, second, 0);
        assert_eq!(first_has_it, snapshots.fingerprint(&[stack]));
    }

    #[test]
    fn what_is_left_out_does_not_count_and_all_else_does() {
        let (pages, stack) = memory(3);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        snapshots.match_by(7);
        // Over a page boundary, and in two overlapping parts.
        let out = (pages.0 + PAGE - 8, pages.0 + PAGE + 8);
        write(&mut snapshots, pages.0, 5);
        snapshots.leave_out(&[(out.0 + 8, out.1), (out.0, out.0 + 12)]);
        let before = snapshots.fingerprint(&[stack]);
        for address in [out.0, out.1 - 8] {
            write(&mut snapshots, address, 9);
            assert_eq!(before, snapshots.fingerprint(&[stack]), "{address:x}");
        }
        for address in [out.0 - 8, out.1, pages.0 + 2 * PAGE] {
            write(&mut snapshots, address, 9);
            assert_ne!(before, snapshots.fingerprint(&[stack]), "{address:x}");
            write(&mut snapshots, address, 0);
            assert_eq!(before, snapshots.fingerprint(&[stack]), "{address:x}");
        }
    }

    /// What [`Snapshots::contents`] tells, in an order of its own.
    fn contents(snapshots: &Snapshots, stacks: &[Range]) -> Option<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        let is_known = snapshots.contents(stacks, &mut |part| all.push(part.to_vec()));
        all.sort();
        is_known.then_some(all)
    }

    #[test]
    fn contents_are_what_differs_from_the_root() {
        let (pages, stack) = memory(2);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        assert_eq!(contents(&snapshots, &[stack]), None, "nobody asked");
        snapshots.match_by(7);
        let at_root = contents(&snapshots, &[stack]);
        assert_eq!(at_root.as_ref().map(Vec::len), Some(1), "the stack");
        write(&mut snapshots, pages.0, 1);
        let first = contents(&snapshots, &[stack]);
        write(&mut snapshots, pages.0, 0);
        // Hot, and as it was.
        assert_eq!(at_root, contents(&snapshots, &[stack]));
        write(&mut snapshots, pages.0 + PAGE, 1);
        let second = contents(&snapshots, &[stack]);
        write(&mut snapshots, pages.0 + PAGE, 0);
        write(&mut snapshots, pages.0 + 8, 1);
        let third = contents(&snapshots, &[stack]);
        assert!(first != second && first != third && second != third && first != at_root);
        snapshots.leave_out(&[(pages.0 + 8, pages.0 + 16)]);
        assert_eq!(at_root, contents(&snapshots, &[stack]));
        let live = (stack.0 + 64, stack.1);
        let upper = contents(&snapshots, &[live]);
        assert_ne!(at_root, upper);
        // SAFETY: the test's own stack.
        unsafe { (stack.0 as *mut u64).write(1) };
        assert_eq!(upper, contents(&snapshots, &[live]));
        // SAFETY: the test's own stack.
        unsafe { (live.0 as *mut u64).write(1) };
        assert_ne!(upper, contents(&snapshots, &[live]));
    }

    #[test]
    fn only_the_live_part_of_a_stack_counts() {
        let (pages, stack) = memory(1);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        assert_eq!(snapshots.fingerprint(&[stack]), None, "nobody asked");
        snapshots.match_by(7);
        let live = (stack.0 + 64, stack.1);
        let before = snapshots.fingerprint(&[live]);
        // SAFETY: the test's own stack.
        unsafe { (stack.0 as *mut u64).write(1) };
        assert_eq!(before, snapshots.fingerprint(&[live]));
        // SAFETY: the test's own stack.
        unsafe { (live.0 as *mut u64).write(1) };
        assert_ne!(before, snapshots.fingerprint(&[live]));
        assert_ne!(
            snapshots.fingerprint(&[live]),
            snapshots.fingerprint(&[(live.0 + 8, live.1)])
        );
    }
}
