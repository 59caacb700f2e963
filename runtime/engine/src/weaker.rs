//! Atomic accesses that ask for less than sequential consistency.
//!
//! The search explores sequential consistency, for which every atomic access has its place in one order. A
//! program that asks for less (`memory_order_release`) may do more on a real machine; a verdict says how
//! many places of the program ask for less, wherever that can make a difference: with one atomic object, and
//! everything else behind locks or ordered by it, there is nothing to be reordered (accesses to one object are
//! in one order, whatever they ask for).
//!
//! What stands in a library's header and is no access that the program spelt (the counts of a `shared_ptr`)
//! is the library's affair.

use crate::knowledge::weaker::{Access, Weaker};
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::runtime;
use crate::{polled, sites, steps};
use dpor_abi::order;
use dpor_explorer::Trace;
use dpor_model::SiteId;
use dpor_report::library::OWN_HEADERS;
use dpor_report::{Place, Step};
use std::collections::BTreeSet;

/// The number of places of the source that these accesses are made at.
pub fn places(made: impl Iterator<Item = Access>) -> usize {
    let spelt = made.filter_map(|(site, address)| {
        Some(match spelt_at(&sites::place(site))? {
            // Without debug information, an instruction.
            Spelt::At(file, _, _) if file.is_empty() => (file, (site.0, 0)),
            Spelt::At(file, line, column) => (file, (line.into(), column.into())),
            Spelt::InMember => (String::new(), (site.0, address)),
        })
    });
    spelt.collect::<BTreeSet<(String, (u64, u64))>>().len()
}

/// An atomic access with this order (of [`order`]) is made.
#[inline(always)]
pub fn note(address: usize, order: u32, site: SiteId) {
    if order == order::SEQ_CST {
        return;
    }
    if order <= order::RELAXED {
        polled::relaxed();
    }
    let address = address as u64;
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).weaker.keep((site, address), site, address) };
}

/// An atomic read-modify-write is made, or a compare-exchange, which reads in the order `failure` where it fails. What only
/// acquires stores in relaxed order, what only releases reads in it.
#[inline(always)]
pub fn note_update(address: usize, order: u32, failure: u32, site: SiteId) {
    let weaker = if order == order::SEQ_CST {
        failure
    } else {
        order
    };
    if weaker == order::SEQ_CST {
        return;
    }
    if order < order::ACQ_REL || failure <= order::RELAXED {
        polled::relaxed();
    }
    note(address, weaker, site);
}

/// Files of the standard library in which what the program spelt as one access is made.
const SPELT: [&str; 3] = ["/atomic", "/bits/atomic_base.h", "/stdatomic.h"];

/// The way in which the program asked for an access.
#[derive(Debug, PartialEq)]
enum Spelt {
    /// A place in the source, by file, line and column: however often the compiler copied it.
    At(String, u32, u32),
    /// A member of `std::atomic`, whose uses are all one place without optimization, the member's own: what they access
    /// tells them apart.
    InMember,
}

/// Where an access at this place is spelt: `None` if a library's header asked for it.
fn spelt_at(place: &Place) -> Option<Spelt> {
    let mut chain = std::iter::once(place).chain(&place.inlined_into);
    let is_of_system = |file: &str| file.starts_with("/usr/") || file.contains(OWN_HEADERS);
    let is_member = |file: &str| is_of_system(file) && SPELT.iter().any(|end| file.ends_with(end));
    match chain.find(|place| !is_member(&place.file)) {
        None => Some(Spelt::InMember),
        Some(place) => (!is_of_system(&place.file))
            .then(|| Spelt::At(place.file.clone(), place.line, place.column)),
    }
}

/// The note in a verdict on these accesses, after executions of which `trace` is the last.
pub fn note_of(weaker: &Weaker, trace: &Trace) -> Option<String> {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::AllStrong) {
        return None;
    }
    let made = steps::outline(trace, trace.len());
    let is_atomic = |step: &&Step| step.operation.starts_with("atomic-");
    let objects: BTreeSet<u64> = { made.distinct().iter() }
        .filter(is_atomic)
        .map(|step| step.address)
        .collect();
    // Where the executions were others' (workers), nothing is known of them here.
    if objects.len() == 1 {
        return None;
    }
    let what = match places(weaker.iter()) {
        0 => return None,
        1 => "1 atomic access is weaker".to_owned(),
        n => format!("{n} atomic accesses are weaker"),
    };
    Some(format!("verified under sequential consistency; {what}"))
}
