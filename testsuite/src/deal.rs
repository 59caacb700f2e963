//! Deals out a program's matrix: which cells are checked, and how each is besides with snapshots.
//!
//! A cell is a revision at a level. All ways to check all cells with all versions of clang would be
//! eight times the work, and what a way breaks it breaks in many programs. So a cell gets one version
//! and one [`Way`], dealt by a hash of the program's path: the same everywhere and every time, and such
//! that each program gets each way that it can be checked in, as far as it has cells.
//!
//! Versions that only get a smoke test are dealt no cell away: they check all of the programs that say
//! `smoke`. `DPOR_TEST_EACH=1` deals nothing: every version, every cell, every way.

use crate::header::{Checkpoints, Header, Mode};
use crate::trial::{programs, Trial};
use std::path::{Path, PathBuf};

/// A way in which a search is done once more; what it finds must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Every execution in a process of its own.
    Restart,
    /// Processes as checkpoints.
    Fork,
    /// Saved where half of it is done, and taken up, each by two workers.
    Parts,
    /// A search by two workers.
    Workers,
}

impl Way {
    /// The ways in the order in which they are dealt.
    pub const ALL: [Way; 4] = [Way::Restart, Way::Parts, Way::Fork, Way::Workers];

    /// Executions that are searched in this way at most: there are more processes as checkpoints than
    /// executions, and a fresh process for each takes 5 ms.
    pub fn executions_max(self) -> u64 {
        match self {
            Way::Restart => 30_000,
            Way::Fork => 400,
            Way::Parts | Way::Workers => u64::MAX,
        }
    }

    /// Whether what the header asks for can be done in this way. `executions` is how many there are, if
    /// that is known.
    pub fn can(self, header: &Header, executions: Option<u64>) -> bool {
        if header.mode != Mode::Check || header.checkpoints == Checkpoints::Restart {
            return false;
        }
        // States, and what executions leave, are remembered by one process, which does not save them.
        const STATES: [&str; 6] = [
            "--deterministic",
            "--states",
            "--ltl",
            "--automaton",
            "--non-progress",
            "--no-starvation",
        ];
        let asks = |arg: &String| STATES.iter().any(|option| arg.starts_with(option));
        let is_by_states = header.args.iter().any(asks);
        if is_by_states {
            return false;
        }
        let fits = executions.is_none_or(|total| total <= self.executions_max());
        fits && match self {
            Way::Restart | Way::Fork => header.checkpoints == Checkpoints::Both,
            // A bound of preemptions is for one process only.
            Way::Workers => !header.is_bounded() && header.workers,
            Way::Parts => {
                // What cannot be saved, or is stopped elsewhere.
                const NOT: [&str; 5] = [
                    "--search",
                    "--reductions=symmetry",
                    "--commit-files",
                    "--max-executions",
                    "--time-limit",
                ];
                let mut args = header.args.iter();
                let cannot = args.any(|arg| NOT.iter().any(|not| arg.starts_with(not)));
                let halves = executions.is_none_or(|total| total >= 2);
                header.parts && !header.is_bounded() && !cannot && halves
            }
        }
    }
}

/// A version of clang that the pass was built for.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// Major version of LLVM.
    pub llvm: u32,
    /// Whether programs that do not say `smoke` are compiled with it.
    pub is_full: bool,
}

/// Whether everything was asked for.
pub fn is_each() -> bool {
    std::env::var_os("DPOR_TEST_EACH").is_some_and(|value| value == "1")
}

/// All trials of a program, of which `headers` are the revisions: one per cell, or `each`.
pub fn trials(file: &Path, headers: &[Header], versions: &[Version], each: bool) -> Vec<Trial> {
    let trial = |header: &Header, level: &String, llvm: u32| Trial {
        file: file.to_owned(),
        header: header.clone(),
        level: level.clone(),
        llvm,
        gcc: false,
        ways: Vec::new(),
        each: true,
        bless: std::env::var_os("DPOR_BLESS").is_some(),
        shared_all: false,
        apart: false,
        environment: Vec::new(),
    };
    let cells = || {
        headers
            .iter()
            .flat_map(|h| h.levels.iter().map(move |l| (h, l)))
    };
    let full: Vec<u32> = versions
        .iter()
        .filter(|v| v.is_full)
        .map(|v| v.llvm)
        .collect();
    let mut all = Vec::new();
    if each {
        for &llvm in &full {
            all.extend(cells().map(|(header, level)| trial(header, level, llvm)));
        }
    } else if !full.is_empty() {
        let start = hash(file) as usize;
        all.extend(cells().enumerate().map(|(number, (header, level))| {
            // One further after each round of the ways, so that a version meets all of them.
            let turn = number + number / Way::ALL.len();
            trial(
                header,
                level,
                full[(start / Way::ALL.len() + turn) % full.len()],
            )
        }));
    }
    for version in versions.iter().filter(|version| !version.is_full) {
        let smoke = cells().filter(|(header, _)| header.smoke);
        all.extend(smoke.map(|(header, level)| trial(header, level, version.llvm)));
    }
    match each {
        true => all
            .iter_mut()
            .for_each(|trial| trial.ways = Way::ALL.to_vec()),
        false => deal(hash(file), &mut all),
    }
    all
}

/// Gives each trial its way, and those that follow if that one turns out to be impossible.
///
/// Whoever has fewest to choose from chooses first, and the way that was chosen least: what one cell
/// takes then is missing to none that has nothing else.
fn deal(start: u64, trials: &mut [Trial]) {
    let possible = |trial: &Trial| -> Vec<Way> {
        let total = trial.header.executions.map(|executions| executions.total());
        { Way::ALL.into_iter() }
            .filter(|way| way.can(&trial.header, total))
            .collect()
    };
    let mut order: Vec<usize> = (0..trials.len()).collect();
    order.sort_by_key(|&index| possible(&trials[index]).len());
    let mut times = [0usize; Way::ALL.len()];
    for index in order {
        let mut ways = possible(&trials[index]);
        let place = |way: &Way| Way::ALL.iter().position(|one| one == way).unwrap_or(0);
        let turn = |way: &Way| (place(way) + Way::ALL.len() - start as usize % 4) % 4;
        ways.sort_by_key(|way| (times[place(way)], turn(way)));
        if let Some(first) = ways.first() {
            times[place(first)] += 1;
        }
        trials[index].ways = ways;
        trials[index].each = false;
    }
}

/// FNV-1a (64 bits) of the path below `programs/`: the same with every version of Rust, and wherever
/// the repository lies.
fn hash(file: &Path) -> u64 {
    let path = file.strip_prefix(programs()).unwrap_or(file);
    { path.to_string_lossy().bytes() }.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Returns the one of several variants of a program's check whose turn it is, or all of them if `each`.
pub fn one_of<T>(file: &Path, all: Vec<T>, each: bool) -> Vec<T> {
    let turn = hash(file) as usize % all.len().max(1);
    match each {
        true => all,
        false => all.into_iter().skip(turn).take(1).collect(),
    }
}

/// Whether a program is in the half of them that takes its turn, or `each` does.
pub fn is_of_half(file: &Path, each: bool) -> bool {
    // The lowest bits choose among what a program has.
    each || hash(file) >> 32 & 1 == 0
}

/// All programs, sorted.
pub fn files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    add_files(&programs(), &mut all);
    all.sort();
    all
}

fn add_files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_files(&path, all);
        } else if path.extension().is_some_and(|e| e == "c" || e == "cc") {
            all.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header;
    use std::collections::BTreeSet;

    const VERSIONS: [Version; 3] = [
        Version {
            llvm: 15,
            is_full: false,
        },
        Version {
            llvm: 19,
            is_full: true,
        },
        Version {
            llvm: 22,
            is_full: true,
        },
    ];

    fn dealt(file: &Path) -> Vec<Trial> {
        let text = std::fs::read_to_string(file).expect("the program is readable");
        let headers = header::parse(&text).expect("the header is right");
        trials(file, &headers, &VERSIONS, false)
    }

    /// Number of the ways that could be given to a trial of their own at best (bipartite matching).
    fn most(trials: &[Trial]) -> usize {
        fn give(way: Way, trials: &[Trial], tried: &mut [bool], has: &mut [Option<Way>]) -> bool {
            for index in 0..trials.len() {
                if tried[index] || !trials[index].ways.contains(&way) {
                    continue;
                }
                tried[index] = true;
                if has[index].is_none_or(|other| give(other, trials, tried, has)) {
                    has[index] = Some(way);
                    return true;
                }
            }
            false
        }
        let mut has = vec![None; trials.len()];
        { Way::ALL.into_iter() }
            .filter(|&way| give(way, trials, &mut vec![false; trials.len()], &mut has))
            .count()
    }

    #[test]
    fn a_program_has_each_way_as_far_as_it_has_cells() {
        for file in files() {
            let trials = dealt(&file);
            let dealt: BTreeSet<Way> = { trials.iter() }
                .filter_map(|trial| trial.ways.first().copied())
                .collect();
            assert_eq!(dealt.len(), most(&trials), "{}: {dealt:?}", file.display());
        }
    }

    #[test]
    fn each_cell_is_checked_once_and_smoke_programs_by_all() {
        for file in files() {
            let trials = dealt(&file);
            let cell = |trial: &Trial| (trial.header.revision.clone(), trial.level.clone());
            let full: Vec<_> = trials.iter().filter(|t| t.llvm != 15).map(cell).collect();
            let different: BTreeSet<_> = full.iter().cloned().collect();
            assert_eq!(full.len(), different.len(), "{}", file.display());
            let smoke = trials.iter().filter(|trial| trial.header.smoke);
            let (old, new): (Vec<_>, Vec<_>) = smoke.partition(|trial| trial.llvm == 15);
            assert_eq!(old.len(), new.len(), "{}", file.display());
        }
    }

    #[test]
    fn versions_and_ways_are_dealt_evenly_and_with_each_other() {
        let mut times = std::collections::BTreeMap::new();
        for trial in files().iter().flat_map(|file| dealt(file)) {
            if let Some(&way) = trial.ways.first().filter(|_| trial.llvm != 15) {
                *times.entry((trial.llvm, way)).or_insert(0u64) += 1;
            }
        }
        let (least, most) = (times.values().min(), times.values().max());
        assert_eq!(times.len(), 2 * Way::ALL.len(), "{times:?}");
        assert!(
            least
                .zip(most)
                .is_some_and(|(least, most)| most < &(3 * least)),
            "{times:?}"
        );
    }

    #[test]
    fn the_hash_is_that_of_its_definition() {
        // From the test vectors of draft-eastlake-fnv.
        assert_eq!(hash(Path::new("foobar")), 0x8594_4171_f739_67e8);
    }
}
