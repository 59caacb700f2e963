//! States that the program tells apart by itself (`dpor_abstraction`): what its functions write is matched instead of the
//! program's memory. Objects, and where threads stand, stay matched. (*Source:* pancam, section 3.1, data abstraction.)
//! With `dpor_abstraction_all` nothing else is matched but how the execution ended, if it did, and what was observed: both
//! are of the answer. Two states that are taken for one then may have other threads before other operations, so that
//! nothing that is known of a thread at the one is known of a thread at the other: persistent sets and what was learnt of
//! places are not used, each state is expanded whole, and the samples compare sets ([`check`], [`walk`]).
//!
//! All findings are real: each way was executed. A proof holds if states that are taken for one go on alike. That is looked
//! at by samples: of some states that were met again, whatever was executed at the first one is executed at the other, too
//! ([`check`]); the verdict says how often.

use super::checked::{Checked, Halt};
use super::{matched, unmatched};
use crate::given::concerns;
use crate::live_stacks::live_parts;
use crate::properties::look::{self, Write, WRITTEN_MAX};
use crate::runtime::Runtime;
use crate::schedule;
use crate::sites::place;
use crate::stop::Stop;
use crate::{learned_events, world};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_explorer::states::{Draws, Explored, Program, StateId, Wait};
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_model::{SiteId, ThreadId};
use std::collections::HashSet;

/// A function that tells states apart.
#[derive(Clone, Copy)]
struct Abstraction {
    bytes: usize,
    write: Write,
    /// Nothing else is matched.
    is_all: bool,
    /// Where it was given.
    site: SiteId,
}

static ALL: Kept<AtomicPtr<Vec<Abstraction>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// How often it is looked whether the functions change memory: always at first, and then one time of so many.
const CHECKED_FIRST: u64 = 64;
const CHECKED_EVERY: u64 = 1024;

/// Samples at most.
const SAMPLES: usize = 1000;

/// Random ways that are walked where nothing else is matched, and the steps of each (chosen: some tenths of a second).
const WALKS: usize = 32;
const WALK_STEPS: usize = 128;

fn all() -> &'static [Abstraction] {
    // SAFETY: null, or a list that is never freed and only grows by being replaced.
    unsafe { ALL.load(Ordering::Relaxed).as_ref() }.map_or(&[], Vec::as_slice)
}

/// The program says that so many bytes, which `write` writes, tell states apart, and nothing else (`is_all`). If that is
/// new in a search, it begins anew. False: they are too many.
pub fn add(bytes: usize, write: Write, is_all: bool, site: SiteId) -> bool {
    let is_same = |known: &Abstraction| {
        ptr::fn_addr_eq(known.write, write) && known.bytes >= bytes && known.is_all >= is_all
    };
    if all().iter().any(is_same) {
        return true;
    }
    if self::bytes() as usize + bytes > WRITTEN_MAX {
        return false;
    }
    let mut list = all().to_vec();
    list.push(Abstraction {
        bytes,
        write,
        is_all,
        site,
    });
    ALL.store(Box::into_raw(Box::new(list)), Ordering::Relaxed);
    if crate::active() {
        learned_events::note_other();
    }
    true
}

/// Bytes that tell states apart; 0: all of memory does.
pub(super) fn bytes() -> u64 {
    all().iter().map(|one| one.bytes as u64).sum()
}

/// Whether the program tells states apart by itself.
pub(super) fn is_any() -> bool {
    !all().is_empty()
}

/// Whether nothing is matched but what the program's functions write.
pub(super) fn is_all() -> bool {
    all().iter().any(|one| one.is_all)
}

/// What is left out of memory then: all but the runtime's part.
pub(super) fn left_out() -> Vec<Range> {
    let (start, end) = world::range();
    match is_any() {
        true => vec![(0, start), (end, usize::MAX)],
        false => Vec::new(),
    }
}

/// Appends what tells the state apart.
pub(super) fn write(rt: &mut Runtime, into: &mut Vec<u8>) {
    let looks = rt.states.as_ref().map_or(0, |counts| counts.states);
    let is_checked = looks < CHECKED_FIRST || looks.is_multiple_of(CHECKED_EVERY);
    let before = match &rt.snapshots {
        Some(snapshots) if is_checked && (concerns().can_checkpoint)() => Some(snapshots.save(&[])),
        _ => None,
    };
    for one in all() {
        let written = look::call(one.write, one.bytes);
        let is_unchanged = match (&before, &rt.snapshots) {
            (Some(before), Some(snapshots)) => snapshots.is_unchanged(before),
            _ => true,
        };
        let trouble = match written {
            Ok(bytes) => {
                into.extend_from_slice(bytes);
                (!is_unchanged).then_some("changes memory (it writes, locks or allocates)")
            }
            Err(what) => Some(what),
        };
        if let Some(what) = trouble {
            let at = place(one.site);
            rt.stop.get_or_insert(Stop::Unsupported(format!(
                "the function of dpor_abstraction {what}, given at {}:{}",
                at.file, at.line
            )));
        }
    }
}

/// A way from the root: the thread and the alternative of each step.
type Way = Vec<(ThreadId, u32)>;

/// States that were met again, of which it is looked whether they go on as when they were met first.
#[derive(Default)]
pub(super) struct Samples {
    seen: HashSet<u128>,
    again: u64,
    taken: Vec<(u128, Way)>,
}

impl Samples {
    /// A state was met. `way`: how, asked of a sample.
    pub fn met(&mut self, fingerprint: u128, every: u64, way: impl FnOnce() -> Way) {
        if self.seen.insert(fingerprint) || every == 0 {
            return;
        }
        self.again += 1;
        if self.again.is_multiple_of(every) && self.taken.len() < SAMPLES {
            self.taken.push((fingerprint, way()));
        }
    }

    /// A round begins anew.
    pub fn forget(&mut self) {
        *self = Samples::default();
    }

    fn take(&mut self) -> Vec<(u128, Way)> {
        core::mem::take(&mut self.taken)
    }
}

/// Looks at the samples. What goes on differently is told, and the search is incomplete.
pub(super) fn check(checked: &mut Checked, explored: &Explored) -> Result<(), Halt> {
    for (fingerprint, way) in checked.samples().take() {
        let Some(state) = explored.graph.find(fingerprint) else {
            continue;
        };
        let first = explored.graph.way(state);
        let whole = [&first, &way].map(|way| whole(checked, way));
        let [one, other] = whole;
        if one? == other? {
            continue;
        }
        // States that a limit kept from being expanded have no steps to compare with.
        let is_expanded = explored.is_complete || explored.graph.edges(state).next().is_some();
        if is_all() && !is_expanded {
            continue;
        }
        note_compared(checked);
        let odd = match is_all() {
            true => odd_step_of_any(checked, explored, state, &way)?,
            false => odd_step(checked, explored, state, &way)?,
        };
        if let Some(thread) = odd {
            differ(checked, [&first, &way], thread);
            return Ok(());
        }
    }
    match is_all() && explored.is_complete && checked.rt().options.check_abstraction > 0 {
        true => walk(checked, explored),
        false => Ok(()),
    }
}

fn note_compared(checked: &mut Checked) {
    if let Some(counts) = &mut checked.rt().states {
        counts.compared += 1;
    }
}

/// A thread whose step at the end of this way leads elsewhere than its step at the state does, if there is one.
fn odd_step(
    checked: &mut Checked,
    explored: &Explored,
    state: StateId,
    way: &Way,
) -> Result<Option<ThreadId>, Halt> {
    for edge in explored.graph.edges(state) {
        go(checked, way)?;
        checked.step(edge.thread, edge.alternative)?;
        if checked.fingerprint() != explored.graph.fingerprint(edge.target) {
            return Ok(Some(edge.thread));
        }
    }
    Ok(None)
}

/// A thread whose step at the end of this way, or at the state, leads to where no thread's step does at the other.
fn odd_step_of_any(
    checked: &mut Checked,
    explored: &Explored,
    state: StateId,
    way: &Way,
) -> Result<Option<ThreadId>, Halt> {
    let mut left: Vec<(u128, ThreadId)> = { explored.graph.edges(state) }
        .map(|edge| (explored.graph.fingerprint(edge.target), edge.thread))
        .collect();
    let all = left.clone();
    go(checked, way)?;
    for (thread, alternative) in steps(checked) {
        go(checked, way)?;
        checked.step(thread, alternative)?;
        let target = checked.fingerprint();
        if !all.iter().any(|(known, _)| *known == target) {
            return Ok(Some(thread));
        }
        left.retain(|(known, _)| *known != target);
    }
    Ok(left.first().map(|(_, thread)| *thread))
}

/// The steps that can be made where the program stands.
fn steps(checked: &mut Checked) -> Way {
    let mut standings = Vec::new();
    checked.standings(&mut standings);
    let threads = (0_u16..).map(ThreadId).zip(standings);
    let all = threads.filter(|(_, standing)| standing.wait == Wait::Enabled);
    all.flat_map(|(thread, standing)| {
        let alternatives = standing.alternatives.into_iter();
        alternatives.map(move |alternative| (thread, alternative))
    })
    .collect()
}

/// Walks at random: each step has to be one of the graph. If states with the same bytes go on alike, all are; if they do
/// not, the samples see that only where it shows behind one step, and where a state was met again that is a sample.
fn walk(checked: &mut Checked, explored: &Explored) -> Result<(), Halt> {
    let mut draws = Draws(checked.rt().options.seed);
    for _ in 0..WALKS {
        checked.to_root()?;
        let mut way = Way::new();
        let mut at = explored.graph.find(checked.fingerprint());
        for _ in 0..WALK_STEPS {
            let all = steps(checked);
            let Some(state) = at.filter(|_| !all.is_empty()) else {
                break;
            };
            let (thread, alternative) = all[draws.below(all.len())];
            checked.step(thread, alternative)?;
            let target = explored.graph.find(checked.fingerprint());
            note_compared(checked);
            let mut edges = explored.graph.edges(state);
            if target.is_none() || !edges.any(|edge| Some(edge.target) == target) {
                let first = explored.graph.way(state);
                differ(checked, [&first, &way], thread);
                return Ok(());
            }
            way.push((thread, alternative));
            at = target;
        }
    }
    Ok(())
}

fn go(checked: &mut Checked, way: &Way) -> Result<(), Halt> {
    checked.to_root()?;
    for &(thread, alternative) in way {
        checked.step(thread, alternative)?;
    }
    Ok(())
}

/// A number for all of memory at the end of a way, and one for all else.
fn whole(checked: &mut Checked, way: &Way) -> Result<Option<[u128; 2]>, Halt> {
    go(checked, way)?;
    let rest = match is_all() {
        true => checked.fingerprint_with_objects(),
        // They are of the same fingerprint.
        false => 0,
    };
    let rt = checked.rt();
    let stacks = live_parts(rt, 0);
    let mut left_out = matched::own();
    (concerns().unmatched)(&mut left_out);
    left_out.extend(unmatched::all());
    let snapshots = rt.snapshots.as_ref();
    Ok(snapshots
        .zip(stacks)
        .map(|(all, stacks)| [all.number(&stacks, &left_out), rest]))
}

fn differ(checked: &mut Checked, ways: [&Way; 2], thread: ThreadId) {
    let rt = checked.rt();
    let [one, other] = ways.map(|way| {
        let decisions = way
            .iter()
            .map(|&(thread, alternative)| (thread.0, alternative));
        schedule::text(rt, decisions)
    });
    let n = thread.0;
    rt.stop.get_or_insert(Stop::Incomplete(format!(
        "the abstraction: two states that it does not tell apart go on differently by a step of T{n}; their schedules: {one} and {other}"
    )));
}
