//! What of the native program's state is matched, as one number.

use super::{abstraction, unmatched};
use crate::given::concerns;
use crate::live_stacks::live_parts;
use crate::runtime::Runtime;
use crate::world::world;
use dpor_explorer::states::Contents;
use dpor_machine::snapshot::{Range, Snapshots};
use dpor_model::ThreadId;
use std::mem::size_of;
use std::ptr::addr_of;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The search begins: says what is left out.
pub(super) fn begin(rt: &mut Runtime) {
    let mut left_out = own();
    (concerns().unmatched)(&mut left_out);
    left_out.extend(unmatched::all());
    left_out.extend(abstraction::left_out());
    unmatched::check(rt);
    let seed = rt.options.seed;
    let snapshots = rt.snapshots.as_mut().expect("made at the root");
    snapshots.leave_out(&left_out);
    snapshots.match_by(seed);
}

/// A place of the world and its bytes.
macro_rules! bytes_of {
    ($place:expr) => {{
        // SAFETY: only an address in the world is computed, which is mapped.
        let at = unsafe { addr_of!($place) };
        let start = at as usize;
        (start, start + of(at))
    }};
}

const fn of<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// What of the engine's own part of the world decides nothing under `--states`.
pub(super) fn own() -> Vec<Range> {
    let mut all = Vec::new();
    // SAFETY: only a length is read, which is of the type.
    let threads = unsafe { (*addr_of!((*world()).threads)).len() };
    for thread in 0..threads {
        all.extend([
            // Numbers of events; loops are not remembered by them here.
            bytes_of!((*world()).threads[thread].fiber.turn),
            bytes_of!((*world()).threads[thread].fiber.turn_reads),
            bytes_of!((*world()).threads[thread].fiber.wrote),
            bytes_of!((*world()).threads[thread].fiber.round),
            // A number in a list that only grows; what it says of follows from where the thread stands.
            bytes_of!((*world()).threads[thread].fiber.doom),
        ]);
    }
    all
}

/// The number of the program's state, where no fiber runs; `None` if it cannot be told. Where states are compared exactly
/// it is that of what is kept of the state.
pub fn fingerprint(rt: &mut Runtime) -> Option<u128> {
    let mut stacks = live_parts(rt, 0)?;
    if abstraction::is_any() {
        stacks.clear();
    }
    let snapshots = rt.snapshots.as_ref()?;
    let contents = rt.states.as_mut().and_then(|all| all.contents.as_mut());
    let mut words = match contents {
        Some(contents) => memory(snapshots, &stacks, contents)?,
        None => {
            let memory = snapshots.fingerprint(&stacks)?;
            vec![memory as u64, (memory >> 64) as u64]
        }
    };
    if rt.options.detects() {
        rt.races.knowledge(&mut words);
    }
    let mut bytes = Vec::with_capacity(words.len() * size_of::<u64>());
    for word in &words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    abstraction::write(rt, &mut bytes);
    Some(number(rt, bytes))
}

/// The number of a state of which nothing is matched but what the program's functions write, and these words.
pub(super) fn bytes_alone(rt: &mut Runtime, words: [u64; 2]) -> u128 {
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    abstraction::write(rt, &mut bytes);
    number(rt, bytes)
}

/// The number of these bytes and of what was observed.
fn number(rt: &mut Runtime, mut bytes: Vec<u8>) -> u128 {
    // What was observed tells of the way here, and an end tells of it.
    for (name, value) in rt.findings.values() {
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.extend(value.to_le_bytes());
    }
    let contents = rt.states.as_mut().and_then(|all| all.contents.as_mut());
    match contents {
        Some(contents) => contents.number(&bytes).into(),
        None => xxh3_128_with_seed(&bytes, rt.options.seed),
    }
}

/// What memory holds now: the number of parts, and the number of each, ascending.
fn memory(snapshots: &Snapshots, stacks: &[Range], contents: &mut Contents) -> Option<Vec<u64>> {
    let mut parts = vec![0];
    let is_known = snapshots.contents(stacks, &mut |part| {
        parts.push(u64::from(contents.number(part)));
    });
    parts[1..].sort_unstable();
    parts[0] = parts.len() as u64 - 1;
    is_known.then_some(parts)
}

/// A number for where a thread is: how deep on its stack. (What it stands before, and at which site, the explorer adds.)
pub fn place(thread: ThreadId) -> u64 {
    // SAFETY: the world is mapped from the root on, and the array checks the index; no fiber runs.
    unsafe {
        (*world()).threads[usize::from(thread.0)]
            .fiber
            .stack_pointer as u64
    }
}
