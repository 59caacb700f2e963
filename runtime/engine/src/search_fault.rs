//! What it means for the check that the search cannot go on as it planned.

use crate::fault_words;
use crate::runtime::Runtime;
use crate::schedule::not_as_recorded;
use crate::sites::place;
use crate::steps::name;
use crate::stop::Stop;
use dpor_explorer::Fault;
use dpor_machine::thread_limit;
use dpor_model::Operation;
use dpor_report::FindingKind;

/// What a fault of the search means for the check; `None`: begin the search again.
pub fn stop(rt: &mut Runtime, fault: Fault) -> Option<Stop> {
    let describe = |operation: &Option<Box<Operation>>| match operation {
        Some(operation) => {
            let place = place(operation.site);
            format!("{} at {}:{}", name(operation), place.file, place.line)
        }
        None => "the end of the thread".to_owned(),
    };
    Some(match fault {
        Fault::Divergence { event, expected, got } => Stop::Unsupported(format!(
            "nondeterminism: when the same events ran again, a thread stood before {} instead of {} after event {event}",
            describe(&got),
            describe(&expected),
        )),
        Fault::Misprediction { operation, .. } => {
            // A plain write to the cell of a compare-exchange that was not known as one yet.
            if rt.exchange_cells.len() > rt.exchange_cells_known {
                rt.exchange_cells_known = rt.exchange_cells.len();
                return None;
            }
            let of = describe(&operation);
            let mut findings = rt.findings.distinct.iter();
            match findings.any(|finding| finding.kind == FindingKind::DataRace) {
                // Its own order is not among those that the search knows.
                true => Stop::Incomplete(format!(
                    "races: the outcome of {of} depends on the order of plain accesses (--plain=explore)"
                )),
                false => Stop::Unsupported(format!(
                    "nondeterminism: the outcome of {of} depends on memory that changed without being seen"
                )),
            }
        }
        Fault::CrowdedBarrier { barrier, width } => {
            rt.learn_crowded((barrier, width));
            return None;
        }
        Fault::AwaitedCell { cell } => {
            rt.learn_awaited(cell);
            return None;
        }
        Fault::Disordered => {
            rt.options.reductions.observers = false;
            return None;
        }
        Fault::Miscounted => {
            rt.options.reductions.increments = false;
            return None;
        }
        Fault::Unlike { .. } => {
            rt.options.reductions.symmetry = false;
            return None;
        }
        Fault::Unreadable => Stop::Failure(
            "a part of the search that was written to disk cannot be read again".to_owned(),
        ),
        Fault::BadSchedule { step } => Stop::Unsupported(not_as_recorded(&format!(
            "the thread of step {step} of the schedule, or its way to go on, is none that there is"
        ))),
        Fault::ThreadLimit => {
            Stop::Unsupported(thread_limit::sentence().to_owned())
        },
        other => Stop::Failure(format!("[dpor internal bug] {}", fault_words::describe(&other))),
    })
}
