//! Volatile accesses that are taken for atomic ones (`--volatile=atomic`).
//!
//! C has a race where two threads access a volatile object like any other, and it orders nothing; what the processor
//! and the compiler make of it is mostly an access of its own. The search takes it for a sequentially consistent atomic
//! access, which is an event and synchronizes. A verdict says at how many places it did, of those that access what
//! another thread accesses, too, when one of both writes.

use crate::knowledge::volatiles::Volatiles;
use crate::runtime::runtime;
use crate::{steps, thread, weaker};
use dpor_explorer::Trace;
use dpor_model::{SiteId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// The thread, and whether it writes.
fn by(thread: ThreadId, writes: bool) -> u32 {
    u32::from(thread.0) << 1 | u32::from(writes)
}

/// Places of the source that access what two threads access, one of which writes: each of both with volatile
/// accesses in any execution, or in any way in the one of which `trace` is.
fn places(volatiles: &Volatiles, trace: &Trace) -> usize {
    let mut users: BTreeMap<u64, (BTreeSet<u32>, bool)> = BTreeMap::new();
    for step in steps::outline(trace, trace.len()).distinct() {
        if step.operation.starts_with("atomic-") {
            let (threads, written) = users.entry(step.address).or_default();
            threads.insert(step.thread);
            *written |= step.operation != "atomic-load";
        }
    }
    for (_, address, by) in volatiles.iter() {
        let (threads, written) = users.entry(address).or_default();
        threads.insert(by >> 1);
        *written |= by & 1 == 1;
    }
    let is_shared = |address: &u64| {
        let (threads, written) = &users[address];
        threads.len() > 1 && *written
    };
    let made = volatiles.iter().map(|(site, address, _)| (site, address));
    weaker::places(made.filter(|(_, address)| is_shared(address)))
}

/// A volatile access is made as an atomic one.
#[inline(always)]
pub fn note(address: usize, writes: bool, site: SiteId) {
    if !crate::active() {
        return;
    }
    let address = address as u64;
    let access = (site, address, by(thread(), writes));
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).volatiles.keep(access, site, address) };
}

/// The note in a verdict on these accesses, after executions of which `trace` is the last.
pub fn note_of(volatiles: &Volatiles, trace: &Trace) -> Option<String> {
    let what = match places(volatiles, trace) {
        0 => return None,
        1 => "1 volatile access is taken for an atomic one".to_owned(),
        n => format!("{n} volatile accesses are taken for atomic ones"),
    };
    Some(format!("{what} (--volatile=plain: for plain ones)"))
}
