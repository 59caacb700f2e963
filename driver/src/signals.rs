//! Signals that ask this command to end: a run of a program answers them ([`crate::launch`]), and without one
//! they do what they do to any command.
//!
//! Once a signal has a handler it never again does by itself what it does without. So the handlers are
//! there from the first run to the end, and ask whether a run answers. The third signal ends the command whatever
//! it is at: a run that cannot answer (no memory, a disk that does not) must not keep it.

use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// No run answers.
static IDLE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));
/// Enough was asked.
static IMPATIENT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Runs that answer.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Signals that a run answers: a terminal that was closed is as good as a request, unless it was ignored when
/// this command was started (`nohup`).
pub fn answered() -> Vec<i32> {
    // A handler does not change the answer: there is none for a signal that is ignored.
    static IGNORES_HANGUP: LazyLock<bool> = LazyLock::new(|| is_ignored(SIGHUP));
    let mut signals = vec![SIGINT, SIGTERM];
    if !*IGNORES_HANGUP {
        signals.push(SIGHUP);
    }
    signals
}

fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Registers the signals. To be called once, before anything else. A signal that cannot be registered does what it does
/// without.
pub fn begin() {
    // Without memory the standard library says so and aborts: it is this tool that failed (exit code 2).
    let _ = flag::register_conditional_shutdown(SIGABRT, 2, Arc::new(AtomicBool::new(true)));
    // A file that must not grow is an error of the write.
    let _ = flag::register(SIGXFSZ, Arc::default());
    for signal in answered() {
        let _ = flag::register_conditional_default(signal, Arc::clone(&IDLE));
        let _ = flag::register_conditional_default(signal, Arc::clone(&IMPATIENT));
    }
}

/// The next signal ends this command.
pub fn no_more_patience() {
    IMPATIENT.store(true, Ordering::Relaxed);
}

/// A run that answers signals itself, as long as the value lives.
#[derive(Debug)]
pub struct Answering(());

impl Answering {
    /// Lets a run answer signals from now on.
    pub fn begin() -> Answering {
        RUNS.fetch_add(1, Ordering::SeqCst);
        IDLE.store(false, Ordering::SeqCst);
        Answering(())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if RUNS.fetch_sub(1, Ordering::SeqCst) == 1 {
            IDLE.store(true, Ordering::SeqCst);
        }
    }
}
