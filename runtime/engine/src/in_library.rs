//! Findings that lie in C++'s library and not in the program (`dpor_abi::cxx_findings` has the rule).

use crate::findings::warning_severity;
use crate::knowledge::findings::Pending;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::object;
use crate::runtime::Runtime;
use crate::sites::{outside_of_system, place};
use dpor_abi::cxx_findings::{
    family_of, family_of_access, is_semaphore_wait, Family, FAMILIES, STALE_SLEEP,
};
use dpor_explorer::Waiting;
use dpor_machine::probe;
use dpor_model::{Kind, SiteId};
use dpor_report::{Finding, FindingKind, Place};

/// The words added to the message of a finding that lies in the library.
const WHERE: &str = ", in libstdc++, not in your code";

/// The functions that a place is in, the innermost first.
fn functions(place: &Place) -> impl Iterator<Item = &str> {
    let all = core::iter::once(place).chain(&place.inlined_into);
    all.map(|place| place.function.as_str())
}

/// Marks a race at two sites as the library's, if it is.
pub fn mark_race(rt: &Runtime, pending: &mut Pending, sites: [SiteId; 2]) {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::OwnLibrary) {
        return;
    }
    let [first, second] = sites.map(place);
    let family = family_of_access(functions(&first));
    let Some(family) = family.filter(|_| family == family_of_access(functions(&second))) else {
        return;
    };
    pending.severity = warning_severity(rt);
    pending.message += WHERE;
    pending.details.push(explanation(family));
    for (access, inside) in pending.accesses.iter_mut().zip([&first, &second]) {
        let Place { file, line, .. } = inside;
        let (thread, verb) = (access.thread, &access.access);
        pending
            .details
            .push(format!("thread {thread}: {verb} at {file}:{line}"));
    }
    for (access, site) in pending.accesses.iter_mut().zip(sites) {
        access.place = outside_of_system(site);
    }
}

fn explanation(family: &Family) -> String {
    let Family { class, promise, .. } = family;
    let known = match &family.known_race {
        Some(known) => format!("{}; {}", known.what, known.why_whole),
        None => "what the other order of the two does is not known".to_owned(),
    };
    format!("{class} promises that its members do not race ({promise}): {known}")
}

/// Whether a race is one of the library's of which it is not known what its other order does.
pub fn leaves_orders_out(finding: &Finding) -> bool {
    let is_known = |detail: &String| {
        let known = FAMILIES.iter().filter(|family| family.known_race.is_some());
        known.map(explanation).any(|known| known == *detail)
    };
    finding.kind == FindingKind::DataRace
        && finding.message.ends_with(WHERE)
        && !finding.details.iter().any(is_known)
}

/// Where a thread waits, for a report: in a function that synchronizes and is written in a header, at the user's call.
pub fn place_of_wait(site: SiteId) -> Place {
    let inside = place(site);
    match family_of(&inside.function) {
        Some(_) => outside_of_system(site),
        None => inside,
    }
}

/// Says of a deadlock that it is the library's, if one of its threads sleeps in a semaphore that counts more than 0.
pub fn mark_deadlock(message: &mut String, details: &mut Vec<String>, waiting: &[Waiting]) {
    let Some(asleep) = waiting.iter().find(|waiting| is_stale(waiting)) else {
        return;
    };
    *message += WHERE;
    details.push(format!("thread {}: {STALE_SLEEP}", asleep.thread.0));
}

fn is_stale(waiting: &Waiting) -> bool {
    let operation = &waiting.operation;
    if operation.kind != Kind::FutexWoken || !is_semaphore_wait(functions(&place(operation.site))) {
        return false;
    }
    let Some(word) = object::futex_word(operation.object) else {
        return false;
    };
    let cell = probe::word(word & !7).unwrap_or(0);
    ((cell >> (8 * (word & 4))) as i32) > 0
}
