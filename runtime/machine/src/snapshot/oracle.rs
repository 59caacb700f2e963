//! Compares all memory after each restore with what it was, over random programs: they write, have the kernel write,
//! unmap and get back, save, discard and go back in any order. Small limits, so that all of it happens often; each
//! condition of cooling.rs is broken once, which has to be noticed.

use super::cooling::{Broken, Limits};
use super::tests::memory;
use super::*;
use crate::sys;

const PAGES: usize = 24;
const STEPS: usize = 400;
const PROGRAMS: u64 = 40;
/// What a test's page is 0 to.
const WORDS: usize = PAGE / 8;

/// Numbers by SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Memory of a test, two ranges and a stack, and what is to be in it.
struct Machine {
    snapshots: Snapshots,
    first: Range,
    second: Range,
    stack: Range,
    /// Pages that the program unmapped.
    unmapped: Vec<usize>,
    faults: usize,
}

/// A saved state, and all memory as it was then.
type State = (Saved, Vec<u64>);

fn words((start, end): Range) -> impl Iterator<Item = usize> {
    (start..end).step_by(8)
}

impl Machine {
    fn new(broken: Option<Broken>) -> Machine {
        let (first, stack) = memory(PAGES);
        let (second, _) = memory(PAGES / 2);
        let mut ranges = vec![first, second];
        ranges.sort_unstable();
        let mut snapshots = Snapshots::at_root(ranges, &[stack], true);
        snapshots.cooling.limits = Limits {
            large: 6,
            many: 4,
            idle: 2,
            run_max: 4,
            runs_max: 5,
            range_min: PAGES / 2,
        };
        snapshots.cooling.broken = broken;
        // The runtime's own.
        snapshots.keep_warm(vec![(second.0, second.0 + PAGE)]);
        Machine {
            snapshots,
            first,
            second,
            stack,
            unmapped: Vec::new(),
            faults: 0,
        }
    }

    fn page(&self, k: usize) -> usize {
        match k < PAGES {
            true => self.first.0 + k * PAGE,
            false => self.second.0 + (k - PAGES) * PAGE,
        }
    }

    fn all(&self) -> Vec<u64> {
        let ranges = [self.first, self.second, self.stack];
        // SAFETY: the test's own memory, which nobody unmapped at this moment.
        let read = |address: usize| unsafe { (address as *const u64).read() };
        ranges.into_iter().flat_map(words).map(read).collect()
    }

    /// A write of the program's; false if it is the program's fault.
    fn write(&mut self, address: usize, value: u64) -> bool {
        if !sys::is_word_writable(address) {
            self.faults += 1;
            if !self.snapshots.promote(address) {
                return false;
            }
        }
        // SAFETY: a page of the test's, writable now.
        unsafe { (address as *mut u64).write(value) };
        true
    }

    /// The kernel writes to a page, which was announced.
    fn write_by_the_kernel(
        &mut self,
        k: usize,
        value: u64,
        random: &mut Random,
    ) -> Result<(), String> {
        let (page, bytes) = (self.page(k), 8 * (1 + random.below(WORDS - 1)));
        self.snapshots.touch(page + 8, bytes);
        if !sys::is_word_writable(page + 8) {
            return Err(format!("page {k} was announced"));
        }
        // SAFETY: a page of the test's, writable now.
        unsafe { ((page + bytes) as *mut u64).write(value) };
        Ok(())
    }

    /// Takes a page from the program.
    fn unmap(&mut self, page: usize) {
        // SAFETY: the test's own page.
        unsafe { sys::protect(page, PAGE, libc::PROT_NONE) };
        self.unmapped.push(page);
    }

    /// As before each restore: what was unmapped comes back.
    fn map_again(&mut self) {
        for page in self.unmapped.drain(..) {
            // SAFETY: the test's own page, as it was at the root.
            unsafe { sys::protect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE) };
            self.snapshots.protect_again(page, page + PAGE);
        }
    }

    fn check(&self, expected: &[u64], what: &str) -> Result<(), String> {
        let all = self.all();
        let differing = (0..all.len()).find(|&k| all[k] != expected[k]);
        differing.map_or(Ok(()), |k| Err(format!("{what}: page {}", k / WORDS)))
    }
}

/// One random program; what is wrong, if something is. Counts what got cold.
fn run(seed: u64, broken: Option<Broken>, cold: &mut usize) -> Result<(), String> {
    let mut random = Random(seed);
    let mut machine = Machine::new(broken);
    let root = machine.all();
    let mut states: Vec<State> = Vec::new();
    for step in 1..STEPS as u64 {
        let k = random.below(PAGES + PAGES / 2);
        let page = machine.page(k);
        match random.below(20) {
            // Pages one after the other, or one of a few, or any.
            kind @ 0..=8 => {
                let (page, count) = match kind {
                    0 | 1 => (page, 1 + random.below(8)),
                    2..=5 => (machine.page(k % 3), 1),
                    _ => (page, 1),
                };
                let end = [machine.first, machine.second];
                let (_, end) = end
                    .into_iter()
                    .find(|&(a, b)| (a..b).contains(&page))
                    .unwrap();
                for page in (page..end).step_by(PAGE).take(count) {
                    let is_unmapped = machine.unmapped.contains(&page);
                    let word = page + 8 * random.below(WORDS);
                    if machine.write(word, step) == is_unmapped {
                        return Err(format!("a write to page {k}, unmapped: {is_unmapped}"));
                    }
                }
            }
            9 => {
                // SAFETY: stacks are never protected, and this one is the test's.
                unsafe { ((machine.stack.0 + 8 * k) as *mut u64).write(step) };
            }
            10 if machine.unmapped.is_empty() => {
                machine.write_by_the_kernel(k, step, &mut random)?
            }
            11 if !machine.unmapped.contains(&page) => machine.unmap(page),
            // No state is kept in which something is unmapped.
            12..=14 if machine.unmapped.is_empty() => {
                let saved = machine.snapshots.take(&[machine.stack]);
                let all = machine.all();
                states.push((saved, all));
                if !machine.snapshots.is_unchanged(&states.last().unwrap().0) {
                    return Err("a state differs from what was saved of it".to_owned());
                }
            }
            15 if !states.is_empty() => {
                states.swap_remove(random.below(states.len()));
            }
            16 => {
                machine.map_again();
                machine.snapshots.restore_root();
                machine.check(&root, "root")?;
            }
            17.. if !states.is_empty() => {
                machine.map_again();
                let (saved, all) = &states[random.below(states.len())];
                machine.snapshots.restore(saved);
                machine.check(all, "checkpoint")?;
            }
            _ => {}
        }
        let hot = 0..machine.snapshots.hot.len();
        *cold += hot.filter(|&k| machine.snapshots.is_cold(k)).count();
        if machine.snapshots.is_cold_any_of(machine.second.0) {
            return Err("a page got cold that is kept warm".to_owned());
        }
    }
    drop(states);
    machine.map_again();
    machine.snapshots.restore_root();
    machine.check(&root, "root at the end")?;
    // SAFETY: the test's own memory, which nobody uses any more.
    unsafe {
        for (start, end) in [machine.first, machine.second, machine.stack] {
            sys::call3(libc::SYS_munmap, start, end - start, 0);
        }
    }
    let cold = { machine.snapshots.hot.iter() }.filter(|hot| hot.cold.is_some());
    // Nothing but cold pages holds copies now.
    match machine.snapshots.bytes_shared() <= cold.count() * PAGE {
        true => Ok(()),
        false => Err("copies are held that no state needs".to_owned()),
    }
}

impl Snapshots {
    fn is_cold_any_of(&self, page: usize) -> bool {
        self.is_hot.get(&page).is_some_and(|&k| self.is_cold(k))
    }
}

#[test]
fn memory_goes_back_to_what_it_was_whatever_happened_since() {
    let mut cold = 0;
    for seed in 0..PROGRAMS {
        run(seed, None, &mut cold).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    // On average so many pages are cold after a step.
    let mean = cold / (PROGRAMS as usize * STEPS);
    assert!(mean >= 4, "{mean}");
}

#[test]
fn each_broken_condition_is_noticed() {
    let all = [
        Broken::UnmappedIsWarmed,
        Broken::ColdStays,
        Broken::NotProtected,
        Broken::NotProtectedAgain,
        Broken::RunStaysCold,
        Broken::IdleThoughChanged,
        Broken::WarmIsRoot,
    ];
    for broken in all {
        let is_noticed = (0..PROGRAMS).any(|seed| run(seed, Some(broken), &mut 0).is_err());
        assert!(is_noticed, "{broken:?}");
    }
}

#[test]
fn a_checkpoint_of_much_memory_is_gone_back_to_by_what_changed() {
    let (pages, stack) = memory(4096);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    let write_all = |snapshots: &mut Snapshots, value| {
        for page in (pages.0..pages.1).step_by(PAGE) {
            super::tests::write(snapshots, page, value);
        }
    };
    write_all(&mut snapshots, 1);
    let saved = snapshots.take(&[stack]);
    assert!(snapshots.bytes_shared() >= 4096 * PAGE);
    for page in [3, 2000, 2001] {
        super::tests::write(&mut snapshots, pages.0 + page * PAGE, 2);
    }
    assert_eq!(snapshots.restore(&saved), 3);
    // A second state shares all that did not change.
    super::tests::write(&mut snapshots, pages.0, 2);
    let second = snapshots.take(&[stack]);
    assert!(second.bytes_copied() <= second.bytes() + 8 * PAGE);
    assert!(second.bytes() < 4096 * PAGE / 100 + 2 * PAGE);
    assert_eq!(snapshots.restore_root(), 4096);
    drop((saved, second));
    assert_eq!(snapshots.bytes_shared(), 0);
}
