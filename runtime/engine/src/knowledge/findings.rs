//! Findings of the running execution and of the whole check, and what is told of them between workers.
//!
//! Two findings are the same if they have the same kind and the same places (and, for races, the
//! same directions); the first execution that shows one is its witness.

#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use dpor_model::{SiteId, ThreadId};
use dpor_report::{image::Moment, visible, Access, Finding, FindingKind, Image, Object, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A map without random state: that would need thread-local storage.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A finding of the running execution, before its trace is known.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// Error or warning, as the options have it.
    pub severity: Severity,
    /// One sentence that says what is wrong.
    pub message: String,
    /// The object that the finding is on, if it is on one.
    pub object: Option<Object>,
    /// The accesses that make the finding.
    pub accesses: Vec<Access>,
    /// Further lines of the report.
    pub details: Vec<String>,
    /// Number of events of the execution when it happened.
    pub depth: usize,
}

/// A finding with which a thread will end the process.
#[derive(Clone, Debug)]
pub struct FatalFinding {
    pub(crate) kind: FindingKind,
    pub(crate) message: String,
    pub(crate) site: SiteId,
    pub(crate) instruction: u64,
    pub(crate) object: Option<Object>,
    pub(crate) details: Vec<String>,
    /// The calls on the stack, where a signal interrupted the thread and they are kept; empty otherwise.
    pub(crate) calls: Vec<u64>,
}

/// An object or a block that an execution left when all its threads had ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftObject {
    pub(crate) kind: FindingKind,
    pub(crate) address: u64,
    /// The site at which the object was initialized, or the block allocated.
    pub site: SiteId,
}

/// Memory and stacks where something was found, and at the first uses of objects before it.
pub type Images = (Box<Image>, Vec<Moment>);

/// The findings of the whole check.
#[derive(Default)]
pub struct Findings {
    /// The findings of the running execution.
    pub running: Vec<Pending>,
    /// Memory and stacks when one of `running` was found, by its index there, and at first uses of objects before it;
    /// where calls are kept.
    pub images: BTreeMap<usize, Images>,
    /// Values observed by the running execution.
    pub observed: Vec<(String, i64)>,
    /// Ways threads ended the process, over the whole run.
    pub dooms: Vec<FatalFinding>,
    /// Distinct findings so far, in order.
    pub distinct: Vec<Finding>,
    pub(crate) keys: Map<String, usize>,
    /// Executions by how they ended.
    pub executions: dpor_report::Executions,
    /// Executions that end where others go on.
    pub cut: CutExecutions,
    /// True if one of the distinct findings is a bug.
    pub has_bug: bool,
    /// Objects and blocks that executions left, and that were told of.
    pub left: Vec<LeftObject>,
    /// Mutexes of zeros, by address, and who used each first, where.
    pub uninitialized_mutexes: Map<u64, (ThreadId, SiteId)>,
    /// Number of the running execution's findings that were made before the root: all executions share them.
    pub at_root: usize,
    /// Distinct outcomes and how many executions had them.
    pub outcomes: BTreeMap<BTreeMap<String, i64>, u64>,
}

/// Executions that end where others go on.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct CutExecutions {
    /// Executions that end with a cycle ([`dpor_explorer::End::Livelock`]).
    pub cycles: u64,
    /// Executions that a bound on loops ended.
    pub executions: u64,
    /// The loops at which they were cut, as `FILE:LINE`, each with the number of executions.
    pub loops: BTreeMap<String, u64>,
    /// Executions with too many events, by the place they were at, as `FILE:LINE`; empty if that is not known.
    pub long: BTreeMap<String, u64>,
    /// The notes on executions that run for ever with progress.
    pub forever: BTreeSet<String>,
}

impl CutExecutions {
    /// Counts an execution with too many events.
    pub fn count_long(&mut self, place: String) {
        *self.long.entry(place).or_insert(0) += 1;
    }

    /// Counts an execution that a bound ended, with the loops at whose heads threads stand.
    pub fn count(&mut self, loops: impl Iterator<Item = String>) {
        self.executions += 1;
        for place in loops.collect::<BTreeSet<String>>() {
            *self.loops.entry(place).or_insert(0) += 1;
        }
    }
}

/// The findings and counts of a worker, for the coordinator.
#[derive(Clone, Serialize, Deserialize)]
pub struct WorkerFindings {
    /// Keys and findings, in the order in which they were found.
    pub distinct: Vec<(String, Finding)>,
    pub(crate) executions: dpor_report::Executions,
    pub(crate) cut: CutExecutions,
    /// True if one of the findings is a bug.
    pub has_bug: bool,
    pub(crate) left: Vec<LeftObject>,
    pub(crate) outcomes: Vec<(BTreeMap<String, i64>, u64)>,
}

impl WorkerFindings {
    /// Leaves out the findings that are bugs by their kind.
    pub fn keep_warnings(&mut self) {
        let is_warning = |finding: &Finding| finding.severity() == Severity::Warning;
        self.distinct.retain(|(_, finding)| is_warning(finding));
        self.has_bug = false;
    }
}

/// Numbers of findings and observations that a running execution had.
#[derive(Clone, Copy)]
pub struct Position {
    pub(crate) running: usize,
    pub(crate) observed: usize,
}

impl Findings {
    /// The numbers of findings and observations that the running execution has now.
    pub fn position(&self) -> Position {
        Position {
            running: self.running.len(),
            observed: self.observed.len(),
        }
    }

    /// Forgets what the running execution found later.
    pub fn rewind(&mut self, to: Option<Position>) {
        self.running
            .truncate(to.map_or(self.at_root, |to| to.running));
        let left = self.running.len();
        self.images.retain(|&of, _| of < left);
        self.observed.truncate(to.map_or(0, |to| to.observed));
    }

    /// Tells that what was found so far was found before the root.
    pub fn root_is_here(&mut self) {
        self.at_root = self.running.len();
    }

    /// The search begins anew: forgets all but what was found before the root.
    pub fn start_over(&mut self) {
        let mut running = core::mem::take(&mut self.running);
        running.truncate(self.at_root);
        *self = Findings {
            at_root: running.len(),
            running,
            ..Findings::default()
        };
    }

    /// The findings and counts of this process, to be added to another's.
    pub fn give(&self) -> WorkerFindings {
        let mut keys: Vec<(usize, &String)> =
            { self.keys.iter() }.map(|(k, &at)| (at, k)).collect();
        keys.sort_unstable();
        let keys = keys.into_iter().map(|(_, key)| key.clone());
        let outcomes = self.outcomes.iter();
        WorkerFindings {
            distinct: keys.zip(self.distinct.iter().cloned()).collect(),
            executions: self.executions,
            cut: self.cut.clone(),
            has_bug: self.has_bug,
            left: self.left.clone(),
            outcomes: outcomes.map(|(values, &n)| (values.clone(), n)).collect(),
        }
    }

    /// The keys of the distinct findings, by which two processes compare them.
    pub fn keys(&self) -> BTreeSet<String> {
        self.keys.keys().cloned().collect()
    }

    /// Whether a finding with this key was found.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Whether nothing was found but what is known.
    pub fn are_among(&self, known: &BTreeSet<String>) -> bool {
        self.keys.keys().all(|key| known.contains(key))
    }

    /// Adds what another process found.
    pub fn take(&mut self, found: WorkerFindings) {
        for (key, finding) in found.distinct {
            match self.keys.get(&key) {
                Some(&known) => self.distinct[known].executions += finding.executions,
                None => {
                    self.keys.insert(key, self.distinct.len());
                    self.distinct.push(finding);
                }
            }
        }
        self.executions += found.executions;
        self.cut.cycles += found.cut.cycles;
        self.cut.executions += found.cut.executions;
        for (place, executions) in found.cut.loops {
            *self.cut.loops.entry(place).or_insert(0) += executions;
        }
        for (place, executions) in found.cut.long {
            *self.cut.long.entry(place).or_insert(0) += executions;
        }
        self.cut.forever.extend(found.cut.forever);
        self.has_bug |= found.has_bug;
        for left in found.left {
            if !self.left.contains(&left) {
                self.left.push(left);
            }
        }
        for (values, executions) in found.outcomes {
            *self.outcomes.entry(values).or_insert(0) += executions;
        }
    }

    /// The running execution left what was made at a site, an object or a block of the heap: counts it, and tells whether
    /// one before it did too. Objects are told apart by their addresses.
    pub fn left_again(&mut self, kind: FindingKind, address: u64, site: SiteId) -> bool {
        let same = |left: &&LeftObject| {
            let is_there = kind == FindingKind::Leak || left.address == address;
            left.kind == kind && left.site == site && is_there
        };
        let Some(&first) = self.left.iter().find(same) else {
            self.left.push(LeftObject {
                kind,
                address,
                site,
            });
            return false;
        };
        let told = |finding: &&mut Finding| {
            let object = finding.object.as_ref();
            finding.kind == kind && object.is_some_and(|o| o.address == first.address)
        };
        if let Some(finding) = self.distinct.iter_mut().find(told) {
            finding.executions += 1;
        }
        true
    }

    /// A mutex of zeros is used, by this thread at this site: by whom and where it was in the first
    /// execution that did.
    pub fn first_use(&mut self, address: u64, at: (ThreadId, SiteId)) -> (ThreadId, SiteId) {
        *self.uninitialized_mutexes.entry(address).or_insert(at)
    }

    /// Records a value.
    pub fn observe(&mut self, name: &[u8], value: i64) {
        #[cfg(feature = "mutations")]
        if mutations::does(Mutation::NamesLossy) {
            let name = name.utf8_chunks().next().map_or("", |first| first.valid());
            return self.observed.push((name.to_owned(), value));
        }
        self.observed.push((visible::name(name), value));
    }

    /// The execution ended: counts what it found. `finish` completes a new finding (its trace).
    /// Returns whether it had a bug.
    /// Unless `keep_going`, what came after the first bug is dropped.
    ///
    /// The running execution keeps what it found: the next one may go on from a checkpoint in its
    /// midst, and then shares what was found before ([`Findings::rewind`]).
    pub fn execution_ended(
        &mut self,
        keep_going: bool,
        finish: &dyn Fn(&Pending, Option<Images>) -> Finding,
    ) -> bool {
        let mut bug = false;
        let mut counted = Vec::new();
        for (index, pending) in self.running.iter().enumerate() {
            // A lost wake-up tells where a deadlock comes from.
            if bug && !keep_going && pending.kind != FindingKind::LostWakeup {
                break;
            }
            bug |= pending.severity == Severity::Error;
            let known = match self.keys.get(&key(pending)) {
                Some(&known) => known,
                None => {
                    self.keys.insert(key(pending), self.distinct.len());
                    self.distinct.push(Finding {
                        executions: 0,
                        ..finish(pending, self.images.get(&index).cloned())
                    });
                    self.distinct.len() - 1
                }
            };
            if !counted.contains(&known) {
                counted.push(known);
                self.distinct[known].executions += 1;
            }
        }
        self.has_bug |= bug;
        bug
    }

    /// What the running execution observed: the last value of each name.
    pub fn values(&self) -> BTreeMap<String, i64> {
        self.observed.iter().cloned().collect()
    }

    /// Distinct endings, or executions, that were reported ([`dpor_report::Ending`]).
    pub fn endings(&self) -> u64 {
        let is_ending = |finding: &&Finding| finding.kind == FindingKind::OutcomeDifference;
        self.distinct.iter().filter(is_ending).count() as u64
    }

    /// The execution ran to its end: counts its outcome, if it observed anything.
    pub fn count_outcome(&mut self) {
        if !self.observed.is_empty() {
            let values = self.values();
            *self.outcomes.entry(values).or_insert(0) += 1;
        }
    }
}

/// The key of a finding: two findings with the same key are the same.
pub fn key(pending: &Pending) -> String {
    let mut key = format!("{:?}", pending.kind);
    let mut places: Vec<String> = pending
        .accesses
        .iter()
        .map(|a| {
            format!(
                "|{}:{}:{}:{}:{}",
                a.access, a.place.file, a.place.line, a.place.column, a.place.function
            )
        })
        .collect();
    places.sort_unstable();
    key.extend(places);
    if pending.accesses.is_empty() {
        key.push_str(&pending.message);
    }
    key
}
