//! States that the program tells apart by itself (`dpor_abstraction`): what its functions write is matched instead of the
//! program's memory. Objects, and where threads stand, stay matched. (*Source:* pancam, section 3.1, data abstraction.)
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
use dpor_explorer::states::{Explored, Program};
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_model::{SiteId, ThreadId};
use std::collections::HashSet;

/// A function that tells states apart.
#[derive(Clone, Copy)]
struct Abstraction {
    bytes: usize,
    write: Write,
    /// Where it was given.
    site: SiteId,
}

static ALL: Kept<AtomicPtr<Vec<Abstraction>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// How often it is looked whether the functions change memory: always at first, and then one time of so many.
const CHECKED_FIRST: u64 = 64;
const CHECKED_EVERY: u64 = 1024;

/// Samples at most.
const SAMPLES: usize = 1000;

fn all() -> &'static [Abstraction] {
    // SAFETY: null, or a list that is never freed and only grows by being replaced.
    unsafe { ALL.load(Ordering::Relaxed).as_ref() }.map_or(&[], Vec::as_slice)
}

/// The program says that so many bytes, which `write` writes, tell states apart. If that is new in a search, it begins
/// anew. False: they are too many.
pub fn add(bytes: usize, write: Write, site: SiteId) -> bool {
    if all()
        .iter()
        .any(|known| ptr::fn_addr_eq(known.write, write))
    {
        return true;
    }
    if self::bytes() as usize + bytes > WRITTEN_MAX {
        return false;
    }
    let mut list = all().to_vec();
    list.push(Abstraction { bytes, write, site });
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
        if let Some(counts) = &mut checked.rt().states {
            counts.compared += 1;
        }
        for edge in explored.graph.edges(state) {
            go(checked, &way)?;
            checked.step(edge.thread, edge.alternative)?;
            if checked.fingerprint() != explored.graph.fingerprint(edge.target) {
                differ(checked, [&first, &way], edge.thread);
                return Ok(());
            }
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

/// A number for all of memory at the end of a way.
fn whole(checked: &mut Checked, way: &Way) -> Result<Option<u128>, Halt> {
    go(checked, way)?;
    let rt = checked.rt();
    let stacks = live_parts(rt, 0);
    let mut left_out = matched::own();
    (concerns().unmatched)(&mut left_out);
    left_out.extend(unmatched::all());
    let snapshots = rt.snapshots.as_ref();
    Ok(snapshots
        .zip(stacks)
        .map(|(all, stacks)| all.number(&stacks, &left_out)))
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
