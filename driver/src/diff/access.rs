//! The accesses of a source at two levels: compared by object and line, from the lists that the pass
//! left in both programs ([`dpor_abi::access_list`]).
//!
//! A line that is compiled several times (inlined, in a template) counts once: the copy with most
//! accesses. What is left when the same accesses are taken away on both sides is paired:
//!
//! | before | after | change |
//! |---|---|---|
//! | several | one that covers them | merged |
//! | one | several that it covers | split |
//! | one | the same at another line, or at none | moved |
//! | one | nothing, the same is done elsewhere in the function | merged |
//! | one | nothing | vanished |
//! | nothing | one | appeared |

use dpor_abi::access_list::ListedAccess;
use serde::Serialize;
use std::collections::BTreeMap;

/// An access of a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    /// Name of the variable; empty for memory that only a pointer leads to.
    pub object: String,
    /// `read`, `write`, `atomic read`, …
    pub access: String,
    /// First byte in the variable, if it is a constant.
    pub offset: Option<i64>,
    /// 0 if the program computes them.
    pub bytes: u64,
    /// Path of the source file below the folder of the build.
    pub file: String,
    /// 0 for code that the optimizer moved from its line.
    pub line: u32,
    /// Source function.
    pub function: String,
}

/// Sites, and how often each is in its function.
type Counts = BTreeMap<Site, u64>;

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the module says what they mean")]
pub enum What {
    Merged,
    Split,
    Moved,
    Vanished,
    Appeared,
}

/// A difference between the two levels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// The kind of the difference.
    pub what: What,
    /// The accesses at the first level.
    pub before: Vec<Site>,
    /// The accesses at the second level.
    pub after: Vec<Site>,
}

impl Change {
    /// All accesses of it.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        self.before.iter().chain(&self.after)
    }
}

/// All differences, by object.
pub fn changes(first: &[ListedAccess], second: &[ListedAccess]) -> Vec<Change> {
    let (first, second) = (counts(first), counts(second));
    let mut pairing = Pairing {
        before: without(&first, &second),
        after: without(&second, &first),
        kept: first
            .keys()
            .filter(|site| second.contains_key(site))
            .cloned()
            .collect(),
        changes: Vec::new(),
    };
    pairing.merge();
    pairing.split();
    pairing.move_on();
    pairing.drop_repeated();
    pairing.finish()
}

fn counts(list: &[ListedAccess]) -> Counts {
    let mut copies: BTreeMap<(Site, &str), u64> = BTreeMap::new();
    for listed in list {
        *copies.entry((site(listed), &listed.copy)).or_insert(0) += 1;
    }
    let mut counts = Counts::new();
    for ((site, _), count) in copies {
        let most = counts.entry(site).or_insert(0);
        *most = count.max(*most);
    }
    counts
}

fn site(listed: &ListedAccess) -> Site {
    let whole = whole(&listed.object);
    // Without a variable the offset is one from wherever the compiler began to add, and of a part of one from where that
    // begins.
    let is_from_start = !listed.object.is_empty() && whole == listed.object;
    Site {
        object: crate::names::demangle(whole),
        access: listed.access.clone(),
        offset: listed.offset.filter(|_| is_from_start),
        bytes: listed.bytes,
        file: listed.file.clone(),
        line: listed.line,
        function: crate::names::demangle(&listed.function),
    }
}

/// `pair` of `pair.0`, which the optimizer made of a member of it.
fn whole(object: &str) -> &str {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    match object.rsplit_once('.') {
        Some((whole, part)) if !part.is_empty() && is_number(part) => whole,
        _ => object,
    }
}

/// Each site as often as it is in `one` more than in `other`.
fn without(one: &Counts, other: &Counts) -> Vec<Site> {
    let rest = one.iter().flat_map(|(site, &count)| {
        let more = count.saturating_sub(other.get(site).copied().unwrap_or(0));
        std::iter::repeat_n(site.clone(), usize::try_from(more).unwrap_or(usize::MAX))
    });
    rest.collect()
}

impl Site {
    /// Whether this access does what `other` does, and maybe more: to the same variable, reading or writing, at least
    /// those bytes. For memory behind pointers that is known within one line only.
    fn covers(&self, other: &Site) -> bool {
        let is_known = |site: &Site| !site.object.is_empty();
        let reaches = match (self.offset, other.offset) {
            (Some(own), Some(its)) => own <= its && end(its, other.bytes) <= end(own, self.bytes),
            (None, None) => self.bytes == other.bytes,
            _ => false,
        };
        self.access == other.access
            && self.object == other.object
            && reaches
            && (is_known(self) || self.file == other.file && self.line == other.line)
    }

    fn is_alike(&self, other: &Site) -> bool {
        self.covers(other) && other.covers(self)
    }
}

fn end(offset: i64, bytes: u64) -> i64 {
    offset.saturating_add_unsigned(bytes)
}

/// The accesses that have no partner at the other level yet, and those that have.
struct Pairing {
    before: Vec<Site>,
    after: Vec<Site>,
    /// The accesses that are the same at both levels.
    kept: Vec<Site>,
    changes: Vec<Change>,
}

impl Pairing {
    fn merge(&mut self) {
        for wide in std::mem::take(&mut self.after) {
            match take_covered(&mut self.before, &wide) {
                Some(before) => self.push(What::Merged, before, vec![wide]),
                None => self.after.push(wide),
            }
        }
    }

    fn split(&mut self) {
        for wide in std::mem::take(&mut self.before) {
            match take_covered(&mut self.after, &wide) {
                Some(after) => self.push(What::Split, vec![wide], after),
                None => self.before.push(wide),
            }
        }
    }

    fn move_on(&mut self) {
        for site in std::mem::take(&mut self.before) {
            let partner = self.after.iter().position(|other| site.is_alike(other));
            match partner.map(|at| self.after.remove(at)) {
                Some(after) => self.push(What::Moved, vec![site], vec![after]),
                None => self.before.push(site),
            }
        }
    }

    /// Drops accesses that are made once instead of twice, or twice instead of once.
    fn drop_repeated(&mut self) {
        let same_in = |kept: &[Site], site: &Site| {
            let is_it = |other: &&Site| other.covers(site) && other.function == site.function;
            kept.iter().find(is_it).cloned()
        };
        for site in std::mem::take(&mut self.before) {
            match same_in(&self.kept, &site) {
                Some(same) => self.push(What::Merged, vec![same.clone(), site], vec![same]),
                None => self.before.push(site),
            }
        }
        for site in std::mem::take(&mut self.after) {
            match same_in(&self.kept, &site) {
                Some(same) => self.push(What::Split, vec![same.clone()], vec![same, site]),
                None => self.after.push(site),
            }
        }
    }

    fn finish(mut self) -> Vec<Change> {
        for site in std::mem::take(&mut self.before) {
            self.push(What::Vanished, vec![site], Vec::new());
        }
        for site in std::mem::take(&mut self.after) {
            self.push(What::Appeared, Vec::new(), vec![site]);
        }
        self.changes.sort_by_cached_key(|change| {
            let first = change.sites().next();
            first.map(|site| (site.object.clone(), site.file.clone(), site.line))
        });
        self.changes
    }

    fn push(&mut self, what: What, mut before: Vec<Site>, mut after: Vec<Site>) {
        before.sort();
        after.sort();
        self.changes.push(Change {
            what,
            before,
            after,
        });
    }
}

/// Takes out what `wide` covers, if these are several of its function.
fn take_covered(sites: &mut Vec<Site>, wide: &Site) -> Option<Vec<Site>> {
    let is_it = |site: &Site| wide.covers(site) && wide.function == site.function;
    if sites.iter().filter(|site| is_it(site)).count() < 2 {
        return None;
    }
    let (taken, left) = std::mem::take(sites).into_iter().partition(is_it);
    *sites = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `read x 0 4 7`: access, object, offset (`-`: unknown), bytes, line; all in function f.
    fn list(text: &str) -> Vec<ListedAccess> {
        let access = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[access, object, offset, bytes, line] = &words[..] else {
                panic!("{line}");
            };
            ListedAccess {
                access: access.to_owned(),
                bytes: bytes.parse().unwrap(),
                object: object.trim_start_matches('*').to_owned(),
                offset: offset.parse().ok(),
                file: "x.c".to_owned(),
                line: line.parse().unwrap(),
                column: 0,
                function: "f".to_owned(),
                copy: "f".to_owned(),
            }
        };
        text.split(',')
            .filter(|line| !line.is_empty())
            .map(access)
            .collect()
    }

    /// Each change: what, lines before, lines after.
    fn check(first: &str, second: &str, expect: &[(What, &[u32], &[u32])]) {
        let lines = |sites: &[Site]| sites.iter().map(|site| site.line).collect::<Vec<u32>>();
        let found = changes(&list(first), &list(second));
        let found: Vec<(What, Vec<u32>, Vec<u32>)> = found
            .iter()
            .map(|change| (change.what, lines(&change.before), lines(&change.after)))
            .collect();
        let expect: Vec<(What, Vec<u32>, Vec<u32>)> = expect
            .iter()
            .map(|&(what, before, after)| (what, before.to_vec(), after.to_vec()))
            .collect();
        assert_eq!(found, expect, "{first} against {second}");
    }

    #[test]
    fn what_became_of_them() {
        use What::{Appeared, Merged, Moved, Split, Vanished};
        check("read x 0 4 7", "read x 0 4 7", &[]);
        check("read x 0 4 7", "", &[(Vanished, &[7], &[])]);
        check("", "read x 0 4 7", &[(Appeared, &[], &[7])]);
        check("read x 0 4 7", "read x 0 4 0", &[(Moved, &[7], &[0])]);
        // A write does not become a read, nor x become y.
        check(
            "read x 0 4 7",
            "write x 0 4 0",
            &[(Appeared, &[], &[0]), (Vanished, &[7], &[])],
        );
        check(
            "write p 0 4 7,write p 4 4 8",
            "write p 0 8 7",
            &[(Merged, &[7, 8], &[7])],
        );
        check(
            "read p 0 8 7",
            "read p 0 4 7,read p 4 4 7",
            &[(Split, &[7], &[7, 7])],
        );
        // Two reads become one: of the same line, and of another line.
        check(
            "read x 0 4 7,read x 0 4 7",
            "read x 0 4 7",
            &[(Merged, &[7, 7], &[7])],
        );
        check(
            "read x 0 4 7,read x 0 4 8",
            "read x 0 4 7",
            &[(Merged, &[7, 8], &[7])],
        );
        check(
            "write x 0 4 7,write x 0 4 8",
            "write x 0 4 0",
            &[(Merged, &[7, 8], &[0])],
        );
        check(
            "read x 0 4 7",
            "read x 0 4 7,read x 0 4 7",
            &[(Split, &[7], &[7, 7])],
        );
        // Bytes elsewhere in the variable are others.
        check(
            "write p 0 4 7,write p 4 4 8",
            "write p 0 4 7",
            &[(Vanished, &[8], &[])],
        );
    }

    #[test]
    fn memory_behind_pointers_is_known_by_its_line() {
        use What::{Appeared, Vanished};
        check("read * 0 4 7", "read * 8 4 7", &[]);
        check(
            "read * 0 4 7",
            "read * 0 4 8",
            &[(Vanished, &[7], &[]), (Appeared, &[], &[8])],
        );
    }

    #[test]
    fn copies_of_a_line_count_once() {
        let one = list("read x 0 4 7");
        let mut two = list("read x 0 4 7,read x 0 4 7");
        two[1].copy = "main 12:3".to_owned();
        assert_eq!(changes(&one, &two), []);
    }
}
