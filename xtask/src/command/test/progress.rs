//! A line a minute: what runs, how many tests ended and failed so far.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(60);

/// The progress of several threads, told in a line a minute.
pub struct Progress {
    start: Instant,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Parts that were begun and have not ended.
    running: Vec<String>,
    done: u64,
    failed: u64,
    over: bool,
}

impl Progress {
    /// The state in which nothing runs yet.
    pub fn new() -> Progress {
        Progress {
            start: Instant::now(),
            state: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// The time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Does one part of the work, and returns its result and how long it took.
    pub fn during<T>(&self, what: &str, work: impl FnOnce() -> T) -> (T, Duration) {
        let start = Instant::now();
        self.state().running.push(what.to_owned());
        let result = work();
        let mut state = self.state();
        if let Some(at) = state.running.iter().position(|name| name == what) {
            state.running.remove(at);
        }
        (result, start.elapsed())
    }

    /// One line of a harness's output, of which `test NAME ... ok` and its like are counted.
    pub fn read(&self, line: &str) {
        let Some((_, outcome)) = line
            .strip_prefix("test ")
            .and_then(|line| line.split_once(" ... "))
        else {
            return;
        };
        let mut state = self.state();
        state.done += u64::from(outcome.starts_with("ok") || outcome.starts_with("FAILED"));
        state.failed += u64::from(outcome.starts_with("FAILED"));
    }

    /// Prints a line a minute while `work` is done.
    pub fn told<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| self.tell());
            // However the work ends, the other thread must.
            let _over = Over(self);
            work()
        })
    }

    fn tell(&self) {
        let mut state = self.state();
        while !state.over {
            let waited = self.ended.wait_timeout(state, INTERVAL);
            let (next, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if timeout.timed_out() && !state.over {
                println!("{}", state.line(self.elapsed()));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Over<'a>(&'a Progress);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.ended.notify_all();
    }
}

impl State {
    fn line(&self, elapsed: Duration) -> String {
        format!(
            "{} min: {} tests done, {} failed; running: {}",
            elapsed.as_secs() / 60,
            self.done,
            self.failed,
            self.running.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_runs_and_what_ended() {
        let progress = Progress::new();
        progress.read("test oracle::one ... ok");
        progress.read("test oracle::two ... FAILED");
        progress.read("test oracle::three ... ignored, takes long");
        progress.read("a line of a test ... ok");
        let ((), _) = progress.during("races", || {
            let line = progress.state().line(Duration::from_secs(125));
            assert_eq!(line, "2 min: 2 tests done, 1 failed; running: races");
        });
        assert!(progress.state().running.is_empty());
    }

    #[test]
    fn telling_ends_with_the_work() {
        assert_eq!(Progress::new().told(|| 7), 7);
    }
}
