//! `--deterministic`: executions that end have to leave the same in memory, whatever the schedule (the One Page Model
//! Checker, *divergence*).
//!
//! *What is compared*: the variables of instrumented parts of the program, and the blocks of the heap that live at the end:
//! where they are, and what they hold. Not compared: stacks and thread-local variables, which end with their threads; what
//! libraries without instrumentation keep; tables that the dynamic linker fills as functions are called first; and what
//! the program leaves out (`dpor_unmatched`). The first execution that comes to its end is what others are compared with.
//!
//! *A replay* runs one execution and has no other: it compares with the number of the memory in the finding's message.

use crate::by_states::unmatched;
use crate::knowledge::findings::Pending;
use crate::knowledge::first_end::FirstEnd;
use crate::memory::object;
use crate::own_places::{live_blocks, variables};
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::{findings, schedule};
use dpor_machine::snapshot::Range;
use dpor_report::{text, FindingKind, Object};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a word, of which it is told whether it differs.
const WORD: usize = 4;

/// An execution came to its end, all of it: compares what it leaves in memory.
pub fn execution_ended(rt: &mut Runtime, search: &Searching) {
    if !rt.options.deterministic {
        return;
    }
    if rt.is_replay() {
        return replayed(rt, search);
    }
    let blocks = live_blocks();
    let Some(first) = rt.first_end.take() else {
        rt.first_end = FirstEnd::of(rt, search, blocks).map(Box::new);
        return;
    };
    let different = differences(rt, &first, &blocks);
    if let Some(&(address, bytes)) = different.first() {
        let number = number(rt, &first.variables, &blocks);
        let details = vec![
            format!(
                "it differs from what the first execution left in {}",
                text::counted(different.len() as u64, "place")
            ),
            format!("the first execution: {}", first.schedule),
        ];
        let object = object(address as u64, bytes as u64, None);
        note(rt, search, message(number), Some(object), details);
    }
    rt.first_end = Some(first);
}

fn message(number: u64) -> String {
    format!("what memory holds at the end depends on the order of threads (here {number:016x})")
}

fn note(
    rt: &mut Runtime,
    search: &Searching,
    message: String,
    object: Option<Object>,
    details: Vec<String>,
) {
    let kind = FindingKind::Nondeterminism;
    rt.findings.note(Pending {
        kind,
        severity: findings::severity(rt, kind),
        message,
        object,
        accesses: Vec::new(),
        details,
        depth: search.trace().len(),
    });
}

/// The one execution of a replay ended: it shows its finding if it leaves the same.
fn replayed(rt: &mut Runtime, search: &Searching) {
    let is_its = |kind| kind == FindingKind::Nondeterminism;
    let Some(expected) = rt.expected.as_ref().filter(|found| is_its(found.kind)) else {
        return;
    };
    let said = expected.message.clone();
    let (object, details) = (expected.object.clone(), expected.details.clone());
    if said == message(number(rt, &variables(), &live_blocks())) {
        note(rt, search, said, object, details);
    }
}

impl FirstEnd {
    fn of(rt: &Runtime, search: &Searching, blocks: Vec<Range>) -> Option<FirstEnd> {
        let decisions = search.schedule();
        let decisions = decisions
            .iter()
            .map(|&(thread, alternative)| (thread.0, alternative));
        Some(FirstEnd {
            memory: rt.snapshots.as_ref()?.save(&[]),
            blocks,
            variables: variables(),
            schedule: schedule::text(rt, decisions),
        })
    }
}

/// The range of `ranges` that an address lies in.
fn around(ranges: &[Range], address: usize) -> Option<Range> {
    let behind = ranges.partition_point(|&(start, _)| start <= address);
    let found = ranges[..behind].last().copied();
    found.filter(|&(_, end)| address < end)
}

/// Where memory differs from the first execution's: first bytes and lengths, neighbouring words as one, ascending.
fn differences(rt: &Runtime, first: &FirstEnd, blocks: &[Range]) -> Vec<(usize, usize)> {
    let left_out = unmatched::all();
    let mut words: Vec<usize> = Vec::new();
    // Blocks that only one has.
    let only = |mine: &[Range], others: &[Range]| -> Vec<usize> {
        let missing = mine
            .iter()
            .filter(|block| others.binary_search(block).is_err());
        missing.map(|&(start, _)| start).collect()
    };
    words.extend(only(blocks, &first.blocks));
    words.extend(only(&first.blocks, blocks));
    if let Some(snapshots) = &rt.snapshots {
        snapshots.differences(&first.memory, &[], &mut |word| {
            let is_out = |&(start, end): &Range| start < word + WORD && word < end;
            let counts = around(&first.variables, word).or_else(|| around(blocks, word));
            if counts.is_some() && !left_out.iter().any(is_out) {
                words.push(word);
            }
        });
    }
    words.sort_unstable();
    words.dedup();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for word in words {
        match places.last_mut() {
            Some((start, bytes)) if *start + *bytes == word => *bytes += WORD,
            _ => places.push((word, WORD)),
        }
    }
    places
}

/// A number for what memory holds, of what is compared.
fn number(rt: &Runtime, variables: &[Range], blocks: &[Range]) -> u64 {
    let left_out = unmatched::all();
    let mut sum = 0_u64;
    let mut add = |one: usize, other: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&one.to_le_bytes());
        bytes[8..].copy_from_slice(&other.to_le_bytes());
        sum = sum.wrapping_add(xxh3_64(&bytes));
    };
    for &(start, end) in blocks {
        add(start, end as u64);
    }
    if let Some(snapshots) = &rt.snapshots {
        snapshots.changed(&mut |word, value| {
            let is_out = |&(start, end): &Range| start < word + WORD && word < end;
            let counts = around(variables, word).or_else(|| around(blocks, word));
            if counts.is_some() && !left_out.iter().any(is_out) {
                add(word, u64::from(value));
            }
        });
    }
    sum
}
