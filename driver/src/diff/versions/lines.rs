//! Which line of one version of a text is which of the other.
//!
//! A line that each text has once is the same, wherever it is, and so are the lines around it that are alike. Of the
//! others, those are the same that both texts have in the same order. A line whose text changed has no partner.
//!
//! **Source**: lines that are unique as anchors, Bram Cohen's patience diff; longest common subsequence, Myers, "An O(ND)
//! Difference Algorithm and Its Variations", Algorithmica 1986.

use similar::{capture_diff_slices, Algorithm, DiffOp};
use std::collections::BTreeMap;

/// Lines of an old text, and where they are in a new one; all numbers from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    in_new: BTreeMap<u32, u32>,
}

impl Lines {
    /// Compares two texts. Blanks at the ends of lines, and how many there are between words, do not count.
    pub fn of(old: &str, new: &str) -> Lines {
        let [old, new] = [old, new].map(|text| text.lines().map(plain).collect::<Vec<String>>());
        let mut pairs = Pairs {
            in_new: vec![None; old.len()],
            is_taken: vec![false; new.len()],
            old,
            new,
        };
        pairs.find_unique();
        pairs.keep_order();
        // Of lines that are left one may be unique.
        pairs.find_unique();
        let in_new = pairs.in_new.iter().enumerate();
        let in_new = in_new.filter_map(|(old, new)| Some((number(old), number((*new)?))));
        Lines {
            in_new: in_new.collect(),
        }
    }

    /// The line of the new text that is this line of the old one; `None` if there is none.
    pub fn in_new(&self, line: u32) -> Option<u32> {
        self.in_new.get(&line).copied()
    }
}

fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// The lines of two texts, and which are partners.
struct Pairs {
    old: Vec<String>,
    new: Vec<String>,
    /// The partner of each old line.
    in_new: Vec<Option<usize>>,
    /// Whether a new line has a partner.
    is_taken: Vec<bool>,
}

impl Pairs {
    fn pair(&mut self, old: usize, new: usize) {
        self.in_new[old] = Some(new);
        self.is_taken[new] = true;
    }

    /// Lines that are left and in the same order.
    fn keep_order(&mut self) {
        // What has a partner is like nothing else.
        let partner = |new: usize| format!("\0{new}");
        let old = self.old.iter().zip(&self.in_new);
        let old = old.map(|(line, new)| new.map_or_else(|| line.clone(), partner));
        let new = self.new.iter().zip(&self.is_taken).enumerate();
        let new = new.map(|(at, (line, taken))| match taken {
            true => partner(at),
            false => line.clone(),
        });
        let (old, new) = (old.collect::<Vec<_>>(), new.collect::<Vec<_>>());
        for part in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = part
            {
                (0..len).for_each(|k| self.pair(old_index + k, new_index + k));
            }
        }
    }

    /// Lines that are left and unique, with their neighbours.
    fn find_unique(&mut self) {
        let mut places: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, line) in self.old.iter().enumerate() {
            if self.in_new[at].is_none() {
                places.entry(line.clone()).or_default()[0].push(at);
            }
        }
        for (at, line) in self.new.iter().enumerate() {
            if !self.is_taken[at] {
                places.entry(line.clone()).or_default()[1].push(at);
            }
        }
        let mut anchors: Vec<(usize, usize)> = Vec::new();
        for (line, [old, new]) in &places {
            // A bracket says nothing.
            let says_something = line.chars().any(char::is_alphanumeric);
            if let (true, [old], [new]) = (says_something, &old[..], &new[..]) {
                anchors.push((*old, *new));
            }
        }
        anchors.sort_unstable();
        for (old, new) in anchors {
            if self.in_new[old].is_some() || self.is_taken[new] {
                continue;
            }
            self.pair(old, new);
            let (mut o, mut n) = (old, new);
            while o + 1 < self.old.len() && n + 1 < self.new.len() && self.are_alike(o + 1, n + 1) {
                (o, n) = (o + 1, n + 1);
                self.pair(o, n);
            }
            let (mut o, mut n) = (old, new);
            while o > 0 && n > 0 && self.are_alike(o - 1, n - 1) {
                (o, n) = (o - 1, n - 1);
                self.pair(o, n);
            }
        }
    }

    /// Whether two lines without partners have the same text.
    fn are_alike(&self, old: usize, new: usize) -> bool {
        self.in_new[old].is_none() && !self.is_taken[new] && self.old[old] == self.new[new]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each word of the old text, a line each, the number of its partner; 0 for none.
    fn check(old: &str, new: &str, expect: &[u32]) {
        let text = |words: &str| words.split(' ').collect::<Vec<&str>>().join("\n");
        let lines = Lines::of(&text(old), &text(new));
        let count = number(old.split(' ').count() - 1);
        let found = (1..=count).map(|line| lines.in_new(line).unwrap_or(0));
        assert_eq!(found.collect::<Vec<u32>>(), expect, "{old} / {new}");
    }

    #[test]
    fn lines_and_their_partners() {
        check("a b c", "a b c", &[1, 2, 3]);
        check("a b c", "x a b y c", &[2, 3, 5]);
        check("a b c", "a x c", &[1, 0, 3]);
        check("a b c", "c", &[0, 0, 1]);
        // The second of two that are alike stays the second.
        check("x++ b x++ c", "x++ b y x++ c", &[1, 2, 4, 5]);
        // One of two that are alike is gone; which one is known by what is around it.
        check(
            "lock x++ unlock x++ end",
            "lock x++ unlock end",
            &[1, 2, 3, 0, 4],
        );
    }

    #[test]
    fn what_was_moved_is_found_by_what_is_unique() {
        // A function behind another, with lines that both have.
        check(
            "f { x++ } g { y++ x++ z }",
            "g { y++ x++ z } f { x++ }",
            &[7, 8, 9, 10, 1, 2, 3, 4, 5, 6],
        );
        // Two are alike, and nothing says which is which.
        check("a b x x", "x y x z", &[0, 0, 1, 3]);
        check("x a", "b c", &[0, 0]);
    }

    #[test]
    fn blanks_do_not_count() {
        let lines = Lines::of("  x =  1;\n", "\n\tx = 1; \n");
        assert_eq!(lines.in_new(1), Some(2));
        assert_eq!(lines.in_new(2), None);
    }
}
