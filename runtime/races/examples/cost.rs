//! What an access costs: `cargo run --release -p dpor-races --example cost [NAME]`.
//!
//! Prints nanoseconds per call for each pattern; with a name, runs only that one, 10^6 times, so that
//! `valgrind --tool=callgrind` can count its instructions.

use dpor_abi::order::{ACQUIRE, ACQ_REL, RELEASE};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Block, Judgement, Races};
use std::hint::black_box;
use std::time::Instant;

const BASE: u64 = 0x5555_0000_0000;
const CALLS: u64 = 1_000_000;

/// One pattern: prepares the detector outside the measured time, then makes `calls` calls.
struct Pattern {
    name: &'static str,
    run: fn(&mut Races, u64),
}

const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "read-same-epoch",
        run: read_same_epoch,
    },
    Pattern {
        name: "write-same-epoch",
        run: write_same_epoch,
    },
    Pattern {
        name: "write-then-read-array",
        run: array_again,
    },
    Pattern {
        name: "first-touch",
        run: first_touch,
    },
    Pattern {
        name: "new-epoch",
        run: new_epoch,
    },
    Pattern {
        name: "halves-in-new-epochs",
        run: halves_in_new_epochs,
    },
    Pattern {
        name: "two-threads-lock",
        run: two_threads_lock,
    },
    Pattern {
        name: "object-lock",
        run: object_lock,
    },
    Pattern {
        name: "object-use-then-lock",
        run: object_use_then_lock,
    },
    Pattern {
        name: "atomic-message",
        run: atomic_message,
    },
    Pattern {
        name: "blocks",
        run: blocks,
    },
    Pattern {
        name: "execution",
        run: execution,
    },
];

/// Four threads take turns at a mutex whose memory is watched; one call in two is an unlock.
fn object_lock(races: &mut Races, calls: u64) {
    take_turns(races, calls, |races, thread| {
        races.lock_object(ThreadId(thread), MUTEX, (black_box(BASE), 8), SiteId(1))
    });
}

/// Four threads take turns at a mutex as in [`object_lock`], with the use of its memory remembered before the lock.
fn object_use_then_lock(races: &mut Races, calls: u64) {
    take_turns(races, calls, |races, thread| {
        let race = races.use_object(ThreadId(thread), black_box(BASE), 8, SiteId(1));
        races.lock(ThreadId(thread), MUTEX);
        race
    });
}

const MUTEX: u64 = 1 << 56 | BASE;

fn take_turns(
    races: &mut Races,
    calls: u64,
    lock: impl Fn(&mut Races, u16) -> Option<dpor_races::Race>,
) {
    for call in 0..calls / 2 {
        let thread = (call % 4) as u16;
        assert!(lock(races, thread).is_none());
        assert!(races
            .use_object(ThreadId(thread), black_box(BASE), 8, SiteId(2))
            .is_none());
        races.unlock(ThreadId(thread), MUTEX);
    }
}

/// One thread reads one variable again and again within one epoch.
fn read_same_epoch(races: &mut Races, calls: u64) {
    for _ in 0..calls {
        assert!(races
            .read(ThreadId(1), black_box(BASE), 4, SiteId(1))
            .is_none());
    }
}

fn write_same_epoch(races: &mut Races, calls: u64) {
    for _ in 0..calls {
        assert!(races
            .write(ThreadId(1), black_box(BASE), 4, SiteId(1))
            .is_none());
    }
}

/// A warm array of 32 KB, read in order.
fn array_again(races: &mut Races, calls: u64) {
    for call in 0..calls {
        assert!(races
            .write(ThreadId(1), BASE + call % 4096 * 8, 8, SiteId(1))
            .is_none());
    }
}

/// Every call touches a granule for the first time; the pages exist from an earlier execution.
fn first_touch(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 10_000 {
        for call in 0..10_000 {
            assert!(races
                .write(ThreadId(1), BASE + call * 8, 8, SiteId(1))
                .is_none());
        }
        races.rollback(root);
    }
}

/// An array of 160 KB of four-byte words is read, and every other word is written, in each epoch anew; the detector may go
/// back to where each began.
fn halves_in_new_epochs(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 60_000 {
        races.mark();
        for word in 0..40_000 {
            let address = BASE + word * 4;
            assert!(races.read(ThreadId(1), address, 4, SiteId(1)).is_none());
            if word % 2 == 0 {
                assert!(races.write(ThreadId(1), address, 4, SiteId(2)).is_none());
            }
        }
        races.unlock(ThreadId(1), 5);
    }
    races.rollback(root);
}

/// Every call is the first to its variable in a new epoch.
fn new_epoch(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 10_000 {
        for _ in 0..100 {
            for call in 0..100 {
                assert!(races
                    .write(ThreadId(1), BASE + call * 8, 8, SiteId(1))
                    .is_none());
            }
            races.unlock(ThreadId(1), 5);
        }
        races.rollback(root);
    }
}

/// Two threads in turn: lock, read, write, unlock. Four calls each.
fn two_threads_lock(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 4_000 {
        for call in 0..1_000u64 {
            let thread = 1 + (call % 2) as u16;
            races.lock(ThreadId(thread), 5);
            assert!(races.read(ThreadId(thread), BASE, 4, SiteId(1)).is_none());
            assert!(races.write(ThreadId(thread), BASE, 4, SiteId(2)).is_none());
            races.unlock(ThreadId(thread), 5);
        }
        races.rollback(root);
    }
}

/// Store-release by one, load-acquire by the other, one read-modify-write by both.
fn atomic_message(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 4_000 {
        for _ in 0..1_000 {
            races.atomic_store(ThreadId(1), BASE, 4, RELEASE, SiteId(1));
            races.atomic_load(ThreadId(2), BASE, 4, ACQUIRE, SiteId(2));
            races.atomic_rmw(ThreadId(1), BASE + 8, 4, ACQ_REL, SiteId(3));
            races.atomic_rmw(ThreadId(2), BASE + 8, 4, ACQ_REL, SiteId(4));
        }
        races.rollback(root);
    }
}

/// Blocks of 40 bytes come and go, with the bytes next to them as the runtime's `malloc` has it; each word is written once.
/// A call is all of that for one block.
fn blocks(races: &mut Races, calls: u64) {
    let root = races.mark();
    for call in 0..calls {
        let start = BASE + call * 7 % 64 * 112;
        let block = Block {
            start,
            bytes: 40,
            site: SiteId(1 << 4),
            thread: ThreadId(1),
        };
        races.allocate(ThreadId(1), start, 40, SiteId(1 << 4));
        races.guard(block, start + 40, 56);
        races.guard(block, start - 16, 16);
        for word in 0..5 {
            let race = races.write(ThreadId(1), start + word * 8, 8, SiteId(2 << 4));
            assert!(race.is_none());
        }
        assert!(races.free(ThreadId(1), start, 40, SiteId(3 << 4)).is_none());
    }
    races.rollback(root);
}

/// A whole small execution of 50 calls, and back to the root.
fn execution(races: &mut Races, calls: u64) {
    let root = races.mark();
    for _ in 0..calls / 50 {
        for round in 0..4u64 {
            for thread in 1..4 {
                races.lock(ThreadId(thread), 5);
                races.read(ThreadId(thread), BASE + 64 * round, 4, SiteId(1));
                races.write(ThreadId(thread), BASE + 64 * round, 4, SiteId(2));
                races.unlock(ThreadId(thread), 5);
            }
        }
        races.read(ThreadId(1), BASE, 4, SiteId(3));
        races.read(ThreadId(2), BASE + 4096, 4, SiteId(3));
        races.rollback(root);
    }
}

fn measure(pattern: &Pattern) {
    let mut races = Races::new(Judgement::C11);
    for child in 1..4 {
        races.create(ThreadId::MAIN, ThreadId(child));
    }
    (pattern.run)(&mut races, CALLS / 10);
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            (pattern.run)(&mut races, CALLS);
            start.elapsed().as_nanos()
        })
        .min()
        .unwrap_or(0);
    println!(
        "{:24} {:7.2} ns per call",
        pattern.name,
        best as f64 / CALLS as f64
    );
}

fn main() {
    let wanted = std::env::args().nth(1);
    for pattern in PATTERNS {
        match &wanted {
            None => measure(pattern),
            Some(name) if name == pattern.name => {
                let mut races = Races::new(Judgement::C11);
                for child in 1..4 {
                    races.create(ThreadId::MAIN, ThreadId(child));
                }
                (pattern.run)(&mut races, CALLS);
            }
            Some(_) => {}
        }
    }
}
