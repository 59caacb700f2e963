//! A search for one finding, which was found before: with fewer preemptions, or after a prefix of its schedule.
//!
//! The driver asks for it (`dpor_report::Sought`). The search ends where the finding is found. A prefix is that
//! of the recorded trace, step by step, or nothing is said about the finding.

use crate::knowledge::find_one::FindOne;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::stop::Stop;
use crate::{journal, learned_events, schedule, search_config};
use dpor_explorer::{Continuation, Explorer, Prefix};
use dpor_model::ThreadId;
use dpor_report::{Schedule, Sought};

/// Reads the finding that is to be looked for, if there is one. To be called before the first execution.
///
/// # Errors
/// One sentence that says why the finding cannot be looked for.
pub fn prepare(rt: &mut Runtime, search: &mut Searching) -> Result<(), String> {
    if rt.options.seek.is_empty() {
        return Ok(());
    }
    let path = rt.options.seek.clone();
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let mut sought: Sought =
        serde_json::from_str(&text).map_err(|why| format!("{path} is no finding: {why}"))?;
    sought.finding = sought.finding.as_recorded();
    if let Ok(schedule) = sought.finding.schedule.parse::<Schedule>() {
        // So that it does the same.
        learned_events::decode_masks(&schedule.learned);
    }
    let prefix = match sought.without {
        None => None,
        Some(decision) => Some(prefix_of(rt, &sought, decision)?),
    };
    let mut config = search_config::config(search_config::search(&rt.options), &rt.options);
    config.prefix.clone_from(&prefix);
    let is_compared = prefix.is_none();
    rt.find_one = Some(Box::new(FindOne {
        sought,
        prefix,
        is_compared,
    }));
    *search = Searching::Alone(Explorer::new(config));
    search.spill(rt.spill_file, rt.options.tree_memory);
    Ok(())
}

/// The first decisions of the schedule.
fn prefix_of(rt: &mut Runtime, sought: &Sought, decision: usize) -> Result<Prefix, String> {
    let unreadable = || "the finding has no readable schedule".to_owned();
    let schedule: Schedule = sought.finding.schedule.parse().map_err(|_| unreadable())?;
    learned_events::decode(&schedule.learned).ok_or_else(unreadable)?;
    schedule::name_threads(rt, &schedule).ok_or_else(unreadable)?;
    journal::calls(&schedule.learned);
    let next = schedule.decisions.get(decision).ok_or_else(unreadable)?;
    Ok(Prefix {
        continuation: Continuation::Without(ThreadId(next.thread)),
        decisions: schedule::of_search(&schedule.decisions[..decision]),
    })
}

/// The decisions that all executions begin with, if they are given.
pub fn prefix(rt: &Runtime) -> Option<Prefix> {
    rt.find_one.as_ref()?.prefix.clone()
}

/// The search begins anew.
pub fn start_over(rt: &mut Runtime) {
    if let Some(find_one) = &mut rt.find_one {
        find_one.is_compared = find_one.prefix.is_none();
    }
}

/// An execution ended.
pub fn execution_ended(rt: &mut Runtime, search: &Searching) {
    let Some(find_one) = rt
        .find_one
        .as_ref()
        .filter(|find_one| !find_one.is_compared)
    else {
        return;
    };
    let decisions = find_one.sought.without.unwrap_or(0);
    let difference = schedule::difference_before(search, &find_one.sought.finding, decisions);
    match difference {
        Some(why) => rt.stop = Some(Stop::Unsupported(format!("nondeterminism: {why}"))),
        None => {
            if let Some(find_one) = &mut rt.find_one {
                find_one.is_compared = true;
            }
        }
    }
}

/// Whether the finding is found.
pub fn is_found(rt: &Runtime) -> bool {
    let mark = rt.find_one.as_ref();
    let mark = mark.and_then(|find_one| find_one.sought.finding.mark.as_ref());
    mark.is_some_and(|mark| rt.findings.has(&mark.key))
}
