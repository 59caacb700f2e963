//! Properties of the program's memory: invariants, which have to hold after every event, and propositions, of which
//! formulas speak (`DPOR_INVARIANT`, `DPOR_PROPOSITION`, `dpor_invariant`).
//!
//! After each step their functions run ([`look`]). What they read is watched from then on ([`watched`]): stores to it are
//! events, and those that one invariant sees conflict. So two stores that no thread can tell apart come in both orders,
//! if an invariant can: without that `x = 1 ∥ y = 1` has one trace and shows two of its four valuations. What is watched is
//! kept for all executions, and the search begins anew where it grows, so that what an event conflicts with never depends
//! on where a pointer points just now.

pub mod look;
mod registry;
pub mod watched;

use crate::findings::{access, severity};
use crate::given::concerns;
use crate::knowledge::findings::Pending;
use crate::learned_events;
use crate::runtime::Runtime;
use crate::sites::place;
use crate::stop::Stop;
use crate::world::world;
use dpor_model::{Next, SiteId, ThreadId};
use dpor_report::FindingKind;
pub use registry::{add, all, Holds, Property, Purpose, PROPERTIES_MAX};

/// How often it is looked whether the functions change memory: always at first, and then one time of so many.
const CHECKED_FIRST: u64 = 64;
const CHECKED_EVERY: u64 = 1024;

/// The running thread asks for an invariant from here on; true if it was not asked for yet.
pub fn begin_invariant(number: usize) {
    // SAFETY: a fiber runs, or thread 0 before the root: the world is mapped, and nobody else writes to it meanwhile.
    unsafe { (*world()).engine.invariants |= 1 << number };
}

/// Bit `p`: property `p` is looked at.
fn active(rt: &Runtime) -> u64 {
    let of_all = all().iter().enumerate();
    let invariants = of_all.filter(|(_, property)| property.purpose == Purpose::Invariant);
    let invariants = invariants.fold(0, |bits, (number, _)| bits | 1 << number);
    // SAFETY: the world is mapped from the root on; no fiber runs.
    invariants | rt.properties.wanted | unsafe { (*world()).engine.invariants }
}

/// A step of a thread ended, of an operation at `site`: looks at the properties.
#[inline(always)]
pub fn step_ended(rt: &mut Runtime, thread: ThreadId, site: SiteId) {
    if registry::is_any() && !matches!(rt.executed.next, Next::Stopped) {
        look_after(rt, thread, site);
    }
}

#[cold]
fn look_after(rt: &mut Runtime, thread: ThreadId, site: SiteId) {
    if !look_at(rt) {
        rt.executed.next = Next::Stopped;
        return;
    }
    let of_all = all().iter().enumerate();
    let invariants = of_all.filter(|(_, property)| property.purpose != Purpose::Proposition);
    let active = active(rt);
    let broken = invariants
        .filter(|&(number, _)| active & !rt.properties.values & 1 << number != 0)
        .fold(0, |bits, (number, _)| bits | 1_u64 << number);
    // SAFETY: the world is mapped from the root on; no fiber runs.
    let before = unsafe { core::mem::replace(&mut (*world()).engine.broken, broken) };
    for (number, property) in all().iter().enumerate() {
        if broken & !before & 1 << number != 0 {
            note_broken(rt, property, thread, site);
        }
    }
}

fn note_broken(rt: &mut Runtime, property: &Property, thread: ThreadId, site: SiteId) {
    let mut at = access(thread, "event", place(site), 0);
    if at.place.file.is_empty() {
        // The end of a thread has none.
        at.place.file.clone_from(&property.file);
        at.place.line = property.line;
    }
    let stated = format!("stated at {}:{}", property.file, property.line);
    let pending = Pending {
        kind: FindingKind::Invariant,
        severity: severity(rt, FindingKind::Invariant),
        message: format!("invariant {} does not hold", property.name),
        object: None,
        accesses: vec![at],
        details: vec![stated],
        depth: rt.depth,
    };
    rt.findings.note(pending);
}

/// Runs the functions of the properties; false if that stops the check.
fn look_at(rt: &mut Runtime) -> bool {
    let looks = rt.properties.looks;
    rt.properties.looks += 1;
    let is_checked = looks < CHECKED_FIRST || looks.is_multiple_of(CHECKED_EVERY);
    let before = match &rt.snapshots {
        Some(snapshots) if is_checked && (concerns().can_checkpoint)() => Some(snapshots.save(&[])),
        _ => None,
    };
    let seen = look::run(active(rt));
    rt.properties.values = seen.values;
    let mut trouble = seen.trouble;
    if let (Some(before), Some(snapshots)) = (before, &rt.snapshots) {
        if trouble.is_none() && !snapshots.is_unchanged(&before) {
            trouble = Some((seen.last, "changes memory (it writes, locks or allocates)"));
        }
    }
    if let Some((number, what)) = trouble {
        let property = &all()[number];
        let (word, name) = (property.purpose.word(), &property.name);
        let (file, line) = (&property.file, property.line);
        rt.stop = Some(Stop::Unsupported(format!(
            "{word} {name} {what} at {file}:{line}"
        )));
        return false;
    }
    let mut is_new = false;
    for (address, bytes, number) in seen.reads {
        is_new |= rt.properties.watched.watch((address, bytes), number);
    }
    if is_new && !rt.is_replay() {
        rt.properties.watched.begin(&mut rt.blocks);
        learned_events::note_other();
    }
    true
}

/// Formulas speak of these propositions, a bit each: what one of them sees conflicts with what the others do.
pub fn want(rt: &mut Runtime, propositions: u64) {
    rt.properties.wanted = propositions;
    rt.properties.watched.together = propositions;
}

/// The program was taken back to where it stands, without a step: looks at the properties.
pub fn look_again(rt: &mut Runtime) {
    if registry::is_any() && rt.stop.is_none() {
        look_at(rt);
    }
}

/// The root is there, and no step was made yet: what the functions read now is watched from the first step on.
pub fn at_root(rt: &mut Runtime) {
    if registry::is_any() && !rt.is_replay() && rt.stop.is_none() {
        look_at(rt);
        learned_events::take_changed();
    }
}
