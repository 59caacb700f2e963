//! The threads of a finding: in which order they were created, and the functions they began with.

use crate::given::posix;
use dpor_explorer::Trace;
use dpor_model::{Kind, ThreadId};
use dpor_report::{Alike, Thread};

/// The threads of the first `depth` events, in the order of their creation, as the ended execution left them.
pub(crate) fn threads(trace: &Trace, depth: usize) -> Vec<Thread> {
    let mut threads = vec![Thread {
        thread: 0,
        function: "main".to_owned(),
        start: 0,
    }];
    let creations = (0..depth).filter(|&k| trace.operation(k).kind == Kind::Create);
    for number in creations.map(|k| trace.operation(k).thread().0) {
        let thread = u32::from(number);
        if threads.iter().any(|known| known.thread == thread) {
            continue;
        }
        threads.push(Thread {
            thread,
            function: String::new(),
            start: start(ThreadId(number)),
        });
    }
    threads
}

/// Start functions that several threads of the present execution had.
pub(crate) fn alike(trace: &Trace) -> Vec<Alike> {
    let mut all: Vec<Alike> = Vec::new();
    for thread in threads(trace, trace.len()) {
        match all.iter_mut().find(|one| one.start == thread.start) {
            Some(one) => one.threads += 1,
            None => all.push(Alike {
                function: String::new(),
                start: thread.start,
                threads: 1,
            }),
        }
    }
    all.retain(|one| one.threads > 1 && one.start != 0);
    all
}

/// Where a thread began; 0 if that is not known: the number may have belonged to several, one after the other.
fn start(thread: ThreadId) -> u64 {
    match (posix().start(thread), posix().predecessors(thread)) {
        (Some(start), 0) => start as u64,
        _ => 0,
    }
}
