//! Mutexes that threads held when they ended.

use crate::findings::warning_severity;
use crate::knowledge::findings::Pending;
use crate::object;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::waits::{access, taken_by};
use dpor_explorer::End;
use dpor_model::{ObjectId, ThreadId};
use dpor_report::FindingKind;

/// Threads that ended while they held a mutex. The first one may: with it ends the process.
pub fn note(rt: &mut Runtime, search: &Searching, end: &End, depth: usize) {
    let is_normal = match end {
        End::Complete | End::Deadlock(_) => true,
        End::Exited => !rt.failed,
        _ => false,
    };
    if !is_normal {
        return;
    }
    for thread in (1..=rt.names.len() as u16).map(ThreadId) {
        let trace = search.trace();
        let held = trace.held(thread);
        if held == 0 || trace.pending(thread).is_some() || trace.is_parked(thread) {
            continue;
        }
        let locks: Vec<ObjectId> = trace
            .lockset(held)
            .filter(|&o| object::is_mutex(o))
            .collect();
        for lock in locks {
            let trace = search.trace();
            let Some(event) = taken_by(trace, thread, lock) else {
                continue;
            };
            let access = access(thread, "lock", trace.operation(event));
            rt.findings.note(Pending {
                kind: FindingKind::ThreadMisuse,
                severity: warning_severity(rt),
                message: "a thread ends while it holds a mutex".to_owned(),
                object: None,
                accesses: vec![access],
                details: vec![format!("thread {} took it last where this says", thread.0)],
                depth,
            });
        }
    }
}
