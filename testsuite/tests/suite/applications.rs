//! Executions of programs in `programs/apps/` with condition variables, counted a second time.
//!
//! A state is how far main or the reader is, how many items are taken, and what each taker does; a step is one section of
//! the mutex. The counts are of sequences of steps, written from the programs' text, not from any output of the checker.

use dpor_testsuite::{header, trial};
use Taker::{Ended, Ready, Waiting};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Taker {
    /// Wants the mutex.
    Ready,
    Waiting,
    Ended,
}

/// Complete executions in the header of a revision of `file`.
fn promised(file: &str, revision: &str) -> u64 {
    let text = std::fs::read_to_string(trial::programs().join(file)).expect("the program is there");
    let headers = header::parse(&text).expect("the header is right");
    let header = headers.into_iter().find(|h| h.revision == revision);
    let expect = header.expect("the revision is there").executions;
    expect.expect("the header has counters").complete
}

fn with(takers: &[Taker], index: usize, taker: Taker) -> Vec<Taker> {
    let mut all = takers.to_vec();
    all[index] = taker;
    all
}

/// `scanner.c`: main queues two files, each with a signal, and closes the queue with a broadcast.
fn scanner(main: usize, taken: usize, workers: &[Taker]) -> u64 {
    const FILES: usize = 2;
    let mut sum = 0;
    let waiting = |i: &usize| workers[*i] == Waiting;
    let mut woken: Vec<usize> = (0..workers.len()).filter(waiting).collect();
    if main < FILES {
        if woken.is_empty() {
            sum += scanner(main + 1, taken, workers);
        }
        // Any of them may be the one whom the signal wakes.
        for i in woken.drain(..) {
            sum += scanner(main + 1, taken, &with(workers, i, Ready));
        }
    } else if main == FILES {
        let all = woken
            .iter()
            .fold(workers.to_vec(), |all, &i| with(&all, i, Ready));
        sum += scanner(main + 1, taken, &all);
    }
    for i in (0..workers.len()).filter(|&i| workers[i] == Ready) {
        sum += if taken < main.min(FILES) {
            scanner(main, taken + 1, workers)
        } else {
            let then = if main > FILES { Ended } else { Waiting };
            scanner(main, taken, &with(workers, i, then))
        };
    }
    sum.max(1)
}

/// `player.c`: whether the reader and the player are ready.
fn player(read: usize, played: usize, reader: Taker, taker: Taker) -> u64 {
    const RING: usize = 2;
    const BLOCKS: usize = 3;
    let mut sum = 0;
    if reader == Ready && read < BLOCKS {
        sum += if read - played == RING {
            player(read, played, Waiting, taker)
        } else {
            player(read + 1, played, reader, Ready)
        };
    }
    if taker == Ready {
        sum += if read > played {
            player(read, played + 1, Ready, Ready)
        } else {
            let then = if read == BLOCKS { Ended } else { Waiting };
            player(read, played, reader, then)
        };
    }
    sum.max(1)
}

#[test]
fn scanner_with_one_worker() {
    let count = scanner(0, 0, &[Ready]);
    for revision in ["correct", "zeros", "left"] {
        assert_eq!(count, promised("apps/scanner.c", revision), "{revision}");
    }
}

/// After their last look into the queue the workers add up what they found, in two orders.
#[test]
fn scanner_with_two_workers() {
    let count = 2 * scanner(0, 0, &[Ready, Ready]);
    assert_eq!(count, promised("apps/scanner.c", "two"));
}

#[test]
fn player_with_a_ring_of_two() {
    let count = player(0, 0, Ready, Ready);
    for revision in ["correct", "one"] {
        assert_eq!(count, promised("apps/player.c", revision), "{revision}");
    }
}
