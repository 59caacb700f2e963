//! What was explored before the search began anew is in no count: who reads the counts of a search that did not come to its
//! end is told.

use crate::knowledge::begun_anew::BegunAnew;
use crate::runtime::Runtime;
use dpor_report::{text, Verdict};

/// The search begins anew: what it explored counts no more.
pub fn note_beginning(rt: &mut Runtime) {
    let executions = rt.findings.executions.total();
    if executions > 0 {
        rt.begun_anew.times += 1;
        rt.begun_anew.executions += executions;
    }
}

/// The note on a search that was not ended, if what was not counted is a tenth of what was, or more.
pub fn note(rt: &Runtime, verdict: Verdict) -> Option<String> {
    let BegunAnew { times, executions } = rt.begun_anew;
    let counted = rt.findings.executions.total();
    let matters = verdict == Verdict::Incomplete && executions > 0 && executions * 10 >= counted;
    matters.then(|| {
        let (executions, times) = (
            text::counted(executions, "execution"),
            text::counted(times, "time"),
        );
        format!("{executions} of before are not counted: the search began anew {times}, as it had learnt more of what the program does")
    })
}
