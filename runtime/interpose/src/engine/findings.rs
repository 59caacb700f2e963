//! What is wrong with the program: noted while an execution runs, reported when it has ended.
//!
//! Two findings are the same if they have the same kind and the same places (and, for races, the
//! same directions); the first execution that shows one is its witness.

use super::debugger;
use super::runtime::{runtime, Runtime, CALL_SITE};
use super::sites::place;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Wrong};
use crate::world::world;
use dpor_abi::options::Races as RacesOption;
use dpor_explorer::program::ThreadId;
use dpor_report::{visible, Access, Finding, FindingKind, Object, Place, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::atomic::Ordering;

/// A map without random state: that would need thread-local storage.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A finding of the running execution, before its trace is known.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What.
    pub kind: FindingKind,
    /// Whether it is a bug under the options.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// On what.
    pub object: Option<Object>,
    /// Its accesses.
    pub accesses: Vec<Access>,
    /// Further lines.
    pub details: Vec<String>,
    /// Events of the execution when it happened.
    pub depth: usize,
}

/// How a thread will end the process.
#[derive(Clone, Debug)]
pub struct Doom {
    pub(super) kind: FindingKind,
    pub(super) message: String,
    pub(super) site: u64,
    pub(super) instruction: u64,
    pub(super) object: Option<Object>,
    pub(super) details: Vec<String>,
}

/// What an execution left when all its threads had ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Left {
    kind: FindingKind,
    address: u64,
    /// Where it was initialized, or allocated.
    site: u64,
}

/// All of them.
#[derive(Default)]
pub struct Findings {
    /// Of the running execution.
    running: Vec<Pending>,
    /// Values observed by the running execution.
    observed: Vec<(String, i64)>,
    /// Ways threads ended the process, over the whole run.
    dooms: Vec<Doom>,
    /// Distinct findings so far, in order.
    pub distinct: Vec<Finding>,
    keys: Map<String, usize>,
    /// Executions by how they ended.
    pub executions: dpor_report::Executions,
    /// Those that end where others go on.
    pub cut: Cut,
    /// Whether one of them is a bug.
    pub has_bug: bool,
    /// Objects and blocks that an execution left, and that were told.
    left: Vec<Left>,
    /// Mutexes of zeros, by address, and who used each first, where.
    uninitialized_mutexes: Map<u64, (ThreadId, u64)>,
    /// How much of the running execution's was found before the root: all executions share it.
    at_root: usize,
    /// Distinct outcomes and how many executions had them.
    pub outcomes: BTreeMap<BTreeMap<String, i64>, u64>,
}

/// Executions that end where others go on.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Cut {
    /// With a cycle ([`dpor_explorer::End::Livelock`]).
    pub cycles: u64,
    /// By a bound on loops.
    pub executions: u64,
    /// The loops, `FILE:LINE`, and in how many of the executions each was cut.
    pub loops: BTreeMap<String, u64>,
    /// Those with too many events, by where they were, `FILE:LINE`; empty if that is not known.
    pub long: BTreeMap<String, u64>,
    /// What is said of executions that run for ever with progress.
    pub forever: BTreeSet<String>,
}

impl Cut {
    /// An execution with too many events.
    pub fn count_long(&mut self, place: String) {
        *self.long.entry(place).or_insert(0) += 1;
    }

    /// An execution, with the loops at whose heads threads stand.
    pub fn count(&mut self, loops: impl Iterator<Item = String>) {
        self.executions += 1;
        for place in loops.collect::<BTreeSet<String>>() {
            *self.loops.entry(place).or_insert(0) += 1;
        }
    }
}

/// What a worker found, for the coordinator.
#[derive(Clone, Serialize, Deserialize)]
pub struct Found {
    /// Keys and findings, in order.
    distinct: Vec<(String, Finding)>,
    executions: dpor_report::Executions,
    cut: Cut,
    /// Whether one of them is a bug.
    pub has_bug: bool,
    left: Vec<Left>,
    outcomes: Vec<(BTreeMap<String, i64>, u64)>,
}

impl Found {
    /// Leaves out what is a bug by its kind.
    pub fn keep_warnings(&mut self) {
        let is_warning = |finding: &Finding| finding.severity() == Severity::Warning;
        self.distinct.retain(|(_, finding)| is_warning(finding));
        self.has_bug = false;
    }
}

/// How much a running execution had found and observed.
#[derive(Clone, Copy)]
pub struct Position {
    running: usize,
    observed: usize,
}

impl Findings {
    /// Now.
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
        self.observed.truncate(to.map_or(0, |to| to.observed));
    }

    /// What was found so far was found before the root.
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

    /// All that was found, to be added to another process's.
    pub fn give(&self) -> Found {
        let mut keys: Vec<(usize, &String)> =
            { self.keys.iter() }.map(|(k, &at)| (at, k)).collect();
        keys.sort_unstable();
        let keys = keys.into_iter().map(|(_, key)| key.clone());
        let outcomes = self.outcomes.iter();
        Found {
            distinct: keys.zip(self.distinct.iter().cloned()).collect(),
            executions: self.executions,
            cut: self.cut.clone(),
            has_bug: self.has_bug,
            left: self.left.clone(),
            outcomes: outcomes.map(|(values, &n)| (values.clone(), n)).collect(),
        }
    }

    /// What tells the distinct findings apart.
    pub fn keys(&self) -> BTreeSet<String> {
        self.keys.keys().cloned().collect()
    }

    /// Whether this is among what was found.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Whether nothing was found but what is known.
    pub fn are_among(&self, known: &BTreeSet<String>) -> bool {
        self.keys.keys().all(|key| known.contains(key))
    }

    /// Adds what another process found.
    pub fn take(&mut self, found: Found) {
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
    pub fn left_again(&mut self, kind: FindingKind, address: u64, site: u64) -> bool {
        let same = |left: &&Left| {
            let is_there = kind == FindingKind::Leak || left.address == address;
            left.kind == kind && left.site == site && is_there
        };
        let Some(&first) = self.left.iter().find(same) else {
            self.left.push(Left {
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
    pub fn first_use(&mut self, address: u64, at: (ThreadId, u64)) -> (ThreadId, u64) {
        *self.uninitialized_mutexes.entry(address).or_insert(at)
    }

    /// Adds one to the running execution.
    pub fn note(&mut self, pending: Pending) {
        debugger::noted(&pending);
        self.running.push(pending);
    }

    /// Records a value.
    pub fn observe(&mut self, name: &[u8], value: i64) {
        #[cfg(feature = "mutations")]
        if mutations::does(Wrong::NamesLossy) {
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
        finish: &dyn Fn(&Pending) -> Finding,
    ) -> bool {
        let mut bug = false;
        let mut counted = Vec::new();
        for pending in &self.running {
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
                        ..finish(pending)
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

/// What makes two findings the same.
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

/// Whether a kind is a bug under the options.
pub fn severity(rt: &Runtime, kind: FindingKind) -> Severity {
    match kind {
        _ if rt.options.warnings_as_errors => Severity::Error,
        FindingKind::DataRace if rt.options.races == RacesOption::Warn => Severity::Warning,
        _ => kind.severity(),
    }
}

/// One access of a finding that is a single place.
pub fn access(thread: ThreadId, what: &str, place: Place, instruction: u64) -> Access {
    Access {
        thread: u32::from(thread.0),
        access: what.to_owned(),
        place,
        locks: Vec::new(),
        instruction,
        lock_addresses: Vec::new(),
    }
}

/// That of what is a warning whatever its kind.
pub fn warning_severity(rt: &Runtime) -> Severity {
    match rt.options.warnings_as_errors {
        true => Severity::Error,
        false => Severity::Warning,
    }
}

/// The running thread found something that ends nothing.
pub fn warn(kind: FindingKind, message: &str) {
    warn_of(kind, message, Vec::new());
}

/// As [`warn`], with further lines.
pub fn warn_of(kind: FindingKind, message: &str, details: Vec<String>) {
    // SAFETY: a fiber runs; nobody else holds a reference (see `runtime`).
    let rt = unsafe { &*runtime() };
    let (thread, severity) = (rt.current, severity(rt, kind));
    let site = CALL_SITE.load(Ordering::Relaxed);
    note_at(kind, severity, message, (thread, "call", site), details);
}

/// `at`: a thread, what it does, and where.
fn note_at(
    kind: FindingKind,
    severity: Severity,
    message: &str,
    at: (ThreadId, &str, u64),
    details: Vec<String>,
) {
    let (thread, what, site) = at;
    // SAFETY: as in `warn_of`.
    let rt = unsafe { &mut *runtime() };
    rt.findings.note(Pending {
        kind,
        severity,
        message: message.to_owned(),
        object: None,
        accesses: vec![access(thread, what, place(site), 0)],
        details,
        depth: rt.depth,
    });
}

/// Notes how the running thread will end the process; it must next stand before `Kind::Exit`.
/// Safe in a signal handler: allocates in the arena only.
///
/// `instruction`: where the thread was, if `site` does not tell; otherwise 0.
pub fn sentence(
    kind: FindingKind,
    message: String,
    site: u64,
    instruction: u64,
    details: Vec<String>,
) {
    sentence_of(Doom {
        kind,
        message,
        site,
        instruction,
        object: None,
        details,
    });
}

/// As [`sentence`].
pub fn sentence_of(doom: Doom) {
    if doom.kind == FindingKind::Crash {
        // SAFETY: as in `warn_of`.
        debugger::crashes(unsafe { (*runtime()).current });
    }
    // SAFETY: as in `warn_of`.
    unsafe {
        let rt = &mut *runtime();
        rt.findings.dooms.push(doom);
        let index = rt.findings.dooms.len() - 1;
        let t = rt.current.0 as usize;
        (*world()).threads[t].fiber.doom = index as u32;
        (*world()).engine.doomed.insert(rt.current);
    }
}

/// The explorer let a doomed thread end the process.
pub fn doom(rt: &mut Runtime, thread: ThreadId) {
    // SAFETY: the world is mapped.
    let index = unsafe { (*world()).threads[thread.0 as usize].fiber.doom };
    let doom = rt.findings.dooms[index as usize].clone();
    let pending = Pending {
        kind: doom.kind,
        severity: severity(rt, doom.kind),
        message: doom.message,
        object: doom.object,
        accesses: vec![access(thread, "end", place(doom.site), doom.instruction)],
        details: doom.details,
        depth: rt.depth,
    };
    rt.findings.note(pending);
    rt.failed = true;
}
