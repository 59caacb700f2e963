//! What made states differ lately, of a search that did not come to its end: mostly a counter, which is of no use to
//! anybody but makes the search endless.
//!
//! Of the states that were met last, pairs are compared at which all threads stand alike; the words of memory that differ
//! in most of them are named.

use super::checked::{Checked, Halt};
use crate::given::{concerns, system};
use crate::live_stacks::live_parts;
use crate::memory::object;
use crate::{call_stacks, memory_image};
use dpor_explorer::states::{Explored, Program, StateId};
use dpor_machine::snapshot::{Range, Saved};
use dpor_model::ThreadId;
use dpor_report::{Differing, Object};
use std::collections::BTreeMap;

/// States that were met last, of which pairs are made.
const LAST: usize = 1000;

/// Pairs at most, and steps at most on the ways to them.
const PAIRS: usize = 64;
const STEPS: usize = 200_000;

/// Bytes of a word that differs.
const WORD: u64 = 4;

/// Places that the driver is told of at most, and those among them that it is to find a name for, which may be the same for
/// several.
const NAMED: usize = 12;
const UNNAMED: usize = 8;

/// Places that are looked at: those that differ most often.
const LOOKED_AT: usize = 64;

/// Part of the pairs, in percent, in which a place has to differ to be named.
const SHARE_MIN: f64 = 10.0;

/// Names what made the last states differ. A limit of time is over already: what is looked at is bounded by steps.
pub(super) fn look(checked: &mut Checked, explored: &Explored) {
    checked.goes_on();
    call_stacks::prepare();
    let limit = core::mem::take(&mut checked.rt().options.time_limit_seconds);
    let mut compared = Compared::default();
    // What goes wrong on the way ends the comparison, and nothing else: the check is over.
    let _ = compare(checked, explored, &mut compared);
    let found = named(checked, explored, &compared);
    checked.rt().options.time_limit_seconds = limit;
    if let Some(counts) = &mut checked.rt().states {
        counts.differing = found;
    }
}

/// Pairs of states that were compared.
#[derive(Default)]
struct Compared {
    pairs: u32,
    /// By the address of a word: the number of pairs in which it differs, and a state of the first of them.
    differs: BTreeMap<usize, (u32, StateId)>,
}

fn compare(
    checked: &mut Checked,
    explored: &Explored,
    compared: &mut Compared,
) -> Result<(), Halt> {
    let mut steps = 0;
    for (one, other) in explored.alike(LAST, PAIRS) {
        let ways = [one, other].map(|state| explored.graph.way(state));
        steps += ways[0].len() + ways[1].len();
        if steps > STEPS && compared.pairs > 0 {
            break;
        }
        let (Some((before, _)), Some((_, stacks))) =
            (at(checked, &ways[0])?, at(checked, &ways[1])?)
        else {
            continue;
        };
        compared.pairs += 1;
        if let Some(snapshots) = &checked.rt().snapshots {
            snapshots.differences(&before, &stacks, &mut |word| {
                compared.differs.entry(word).or_insert((0, other)).0 += 1;
            });
        }
    }
    Ok(())
}

/// The places that differ in most pairs.
fn named(checked: &mut Checked, explored: &Explored, compared: &Compared) -> Vec<Differing> {
    let Compared { pairs, differs } = compared;
    let mut named: Vec<(u32, usize, u64, StateId)> = Vec::new();
    for (&word, &(count, state)) in differs {
        match named.last_mut() {
            // The next word of the same object, as it seems.
            Some((of_last, start, bytes, _))
                if *of_last == count && *start + *bytes as usize == word =>
            {
                *bytes += WORD;
            }
            _ => named.push((count, word, WORD, state)),
        }
    }
    named.sort_by_key(|&(count, word, ..)| (std::cmp::Reverse(count), word));
    let share = |count: u32| 100.0 * f64::from(count) / f64::from((*pairs).max(1));
    let often = named
        .iter()
        .filter(|&&(count, ..)| share(count) >= SHARE_MIN)
        .take(LOOKED_AT);
    let mut told: Vec<Differing> = Vec::new();
    for &(count, address, bytes, state) in often {
        // What is at an address, it is in that state.
        let is_there = at(checked, &explored.graph.way(state)).is_ok_and(|there| there.is_some());
        let (object, stack) = (name_of(address, bytes), stack_at(checked, address));
        let same = |other: &&Differing| other.object.name == object.name;
        let known = told.iter().filter(same).count();
        let has_name = !object.name.is_empty();
        // Places with the same name are one to the user, who is told of the one that differs most often.
        if known < if has_name { 1 } else { UNNAMED } {
            told.push(Differing {
                object,
                stack,
                share: share(count),
                image: (is_there && !has_name).then(|| Box::new(memory_image::take())),
            });
        }
        if told.len() == NAMED {
            break;
        }
    }
    told
}

/// What lies at an address: a variable, the virtual time of a thread, or what libc's functions work on.
fn name_of(address: usize, bytes: u64) -> Object {
    let object = object(address as u64, bytes, None);
    let time = system().has_clock_at(address);
    let time = time.map(|thread| format!("the time at which T{} is", thread.0));
    match time.or_else(|| (concerns().describe_place)(address)) {
        Some(name) => Object { name, ..object },
        None => object,
    }
}

/// Goes to a state, and copies what its memory holds; `None`: something else is there now.
fn at(checked: &mut Checked, way: &[(ThreadId, u32)]) -> Result<Option<(Saved, Vec<Range>)>, Halt> {
    checked.to_root()?;
    for &(thread, alternative) in way {
        checked.step(thread, alternative)?;
    }
    let rt = checked.rt();
    let stacks = live_parts(rt, 0);
    let snapshots = rt.snapshots.as_ref();
    Ok(snapshots
        .zip(stacks)
        .map(|(all, stacks)| (all.save(&stacks), stacks)))
}

/// The thread on whose stack an address is.
fn stack_at(checked: &mut Checked, address: usize) -> Option<u32> {
    let threads = checked.rt().areas.len();
    let on_stack = |&thread: &usize| {
        let (low, bytes) = crate::stack_of(ThreadId(thread as u16));
        (low..low + bytes).contains(&address)
    };
    (0..threads).find(on_stack).map(|thread| thread as u32)
}
