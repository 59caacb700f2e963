//! Programs whose number of traces is known by hand.

use crate::interpreter::{Interpreter, Op, Threads, BACKWARDS};
use dpor_explorer::{Config, Counters, Explorer, Mutation, SearchKind};

fn explore(threads: &Threads, config: Config) -> Counters {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    while explorer
        .next(&mut program)
        .expect("a deterministic program")
        .is_some()
    {}
    explorer.counters()
}

#[track_caller]
fn check(name: &str, threads: Threads, complete: u64) {
    let counters = explore(&threads, Config::default());
    assert_eq!(counters.complete, complete, "{name}");
    assert_eq!(counters.executions(), complete, "{name}: {counters:?}");
}

const X: usize = 0;
const Y: usize = 1;

/// Each thread reads 0 or 1; 0 and 0 would need a cycle. Of the 4 pairs of outcomes 3 remain, and
/// each is one trace, since each read is before or after the one write to its cell.
#[test]
fn store_buffering() {
    let program = vec![
        vec![Op::Store(X, 1), Op::Load(Y, 0)],
        vec![Op::Store(Y, 1), Op::Load(X, 0)],
    ];
    check("SB", program, 3);
}

/// Two threads that may give up early. None does: 1. One does, before the other looks at the count or after it: 2 for
/// each. Where two may: both do, in either order, 2 more.
#[test]
fn early_time_outs() {
    let program = |most| vec![vec![Op::Early(most, 0)], vec![Op::Early(most, 0)]];
    check("none", program(0), 1);
    check("one", program(1), 5);
    check("two", program(2), 7);
}

/// Flag seen and data not would be a cycle: 3 of 4.
#[test]
fn message_passing() {
    let program = vec![
        vec![Op::Store(X, 1), Op::Store(Y, 1)],
        vec![Op::Load(Y, 0), Op::Load(X, 1)],
    ];
    check("MP", program, 3);
}

/// Both reads seeing the other's later write would be a cycle: 3 of 4.
#[test]
fn load_buffering() {
    let program = vec![
        vec![Op::Load(X, 0), Op::Store(Y, 1)],
        vec![Op::Load(Y, 0), Op::Store(X, 1)],
    ];
    check("LB", program, 3);
}

/// Four reads, each before or after its cell's only write: 16, minus the one in which the readers
/// see the two writes in different orders.
#[test]
fn independent_reads() {
    let program = vec![
        vec![Op::Store(X, 1)],
        vec![Op::Store(Y, 1)],
        vec![Op::Load(X, 0), Op::Load(Y, 1)],
        vec![Op::Load(Y, 0), Op::Load(X, 1)],
    ];
    check("IRIW", program, 15);
}

/// Each of n readers is before or after the writer, independently: 2^n.
#[test]
fn readers() {
    for n in 1..=10 {
        let mut program = vec![vec![Op::Store(X, 1)]];
        program.extend((0..n).map(|_| vec![Op::Load(X, 0)]));
        check("readers", program, 1 << n);
    }
}

/// All pairs conflict: every order of the n additions, n!.
#[test]
fn fetch_adds() {
    let mut factorial = 1;
    for n in 1..=7 {
        factorial *= n;
        check(
            "fetch-add",
            vec![vec![Op::FetchAdd(X, 1, 0)]; n as usize],
            factorial,
        );
    }
}

fn lock_program(threads: usize, rounds: usize) -> Threads {
    let body = [Op::Lock(0), Op::FetchAdd(X, 1, 0), Op::Unlock(0)];
    vec![body.repeat(rounds); threads]
}

/// A trace is an order of the critical sections: (n·k)! / (k!)^n. 9! / 6^3 = 1,680.
#[test]
fn lock_3_by_3() {
    check("lock 3x3", lock_program(3, 3), 1_680);
}

/// 12! / 6^4 = 369,600.
#[test]
fn lock_4_by_3() {
    let counters = explore(&lock_program(4, 3), Config::default());
    assert_eq!(
        (counters.complete, counters.executions()),
        (369_600, 369_600)
    );
    // What is finished is freed: the tree holds the path and what branches off it, at most one
    // plan for each other thread and event.
    assert!(counters.nodes_max < 4 * 36, "{counters:?}");
}

/// A semaphore of count 1 is a lock, as long as nobody posts out of turn: 9! / 6^3.
#[test]
fn semaphore_as_lock() {
    let round = [Op::SemWait(10), Op::StoreSum(X, 0, 1), Op::SemPost(10)];
    check("semaphore 3x3", vec![round.repeat(3); 3], 1_680);
}

/// A wait needs at least one of n posts before it; which ones are is all that tells two traces
/// apart: 2^n - 1. Without a wait there is one.
#[test]
fn posts() {
    for n in 1..=8 {
        let mut program = vec![vec![Op::SemPost(0)]; n];
        check("posts", program.clone(), 1);
        program.push(vec![Op::SemWait(0)]);
        check("posts and a wait", program, (1 << n) - 1);
    }
}

/// Nothing but who was told that it is the serial thread tells two executions apart, if somebody
/// looks: threads^rounds.
#[test]
fn barriers() {
    for (threads, rounds) in [(1, 3), (2, 1), (2, 3), (3, 2), (4, 1), (4, 2)] {
        let program = |b: usize| vec![vec![Op::Barrier(b + 10 * threads, 0); rounds]; threads];
        check("barrier", program(0), 1);
        let choices = (threads as u64).pow(rounds as u32);
        check("barrier with serial thread", program(100), choices);
    }
}

/// Four threads meet in pairs. Each order of arrivals is a trace, 4!, and the search begins anew
/// once, in its first execution, when the third thread arrives.
#[test]
fn crowded_barrier() {
    let program = vec![vec![Op::Barrier(20, 0)]; 4];
    let counters = explore(&program, Config::default());
    assert_eq!((counters.complete, counters.executions()), (24, 24));
    assert_eq!(counters.restarts, 1);
}

/// Two threads at most use the barrier in each execution, but not always the same two: a choice
/// decides which of the first two goes there. The search has to remember over executions, and
/// what it counted before it began anew is forgotten.
#[test]
fn crowded_over_executions() {
    let program = vec![
        vec![
            Op::Choose(2, 0),
            Op::StoreSum(X, 0, 1),
            Op::SkipUnless(0, 0, 1),
            Op::Barrier(20, 1),
        ],
        vec![Op::Load(X, 0), Op::SkipUnless(0, 2, 1), Op::Barrier(20, 1)],
        vec![Op::Barrier(20, 1)],
    ];
    let counters = explore(&program, Config::default());
    assert_eq!(counters.restarts, 1);
    let mut config = Config::default();
    config.mutation = Mutation::ArrivalsConflict.into();
    let conflicting = explore(&program, config);
    assert_eq!(conflicting.restarts, 0);
    assert_eq!(counters.executions(), conflicting.executions());
}

const BITS: u32 = u32::MAX >> 1;

/// Each waiter joins before the word changes, or finds it changed: 2^n, and nobody waits for ever.
#[test]
fn futex_with_a_word() {
    for n in 1..=6 {
        let mut program = vec![vec![Op::FutexWait(X, 0, BITS, 0)]; n];
        program.push(vec![Op::Store(X, 1), Op::FutexWake(X, 99, BITS, 0)]);
        check("a word", program, 1 << n);
    }
}

/// A subset S of n waiters joined before the wake-up of k: (|S| over k) ways, one if S is smaller.
/// Everybody who joined later or was not woken waits for ever.
#[test]
fn futex_without_a_word() {
    for (n, k) in [
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
        (3, 2),
        (4, 2),
        (4, 3),
        (5, 2),
    ] {
        let mut program = vec![vec![Op::FutexWait(X, 0, BITS, 0)]; n as usize];
        program.push(vec![Op::FutexWake(X, k, BITS, 0)]);
        let of = |n: u32, k: u32| (0..k.min(n)).fold(1, |all, i| all * (n - i) / (i + 1));
        let ways = (0..=n).map(|s| u64::from(of(n, s) * if s < k { 1 } else { of(s, k) }));
        let counters = explore(&program, Config::default());
        let in_time = u64::from(n <= k);
        assert_eq!(counters.executions(), ways.sum::<u64>(), "{n} {k}");
        assert_eq!(counters.complete, in_time, "{n} {k}");
    }
}

/// Two waiters join, or not, before a requeue that wakes one and moves the other; then the other
/// futex is woken. None or one of them joined in time: 1 + 2; both: 2 ways, and nobody is left. The
/// second wake-up conflicts with the requeue only by program order.
#[test]
fn futex_requeue() {
    for expected in [None, Some(0)] {
        let mut program = vec![vec![Op::FutexWait(X, 0, BITS, 0)]; 2];
        program.push(vec![
            Op::FutexRequeue(X, (1, 9), Y, expected, 0),
            Op::FutexWake(Y, 1, BITS, 0),
        ]);
        let counters = explore(&program, Config::default());
        assert_eq!((counters.complete, counters.deadlocked), (2, 3));
        // The comparison fails: everybody waits for ever, having joined before or after.
        program[2][0] = Op::FutexRequeue(X, (1, 9), Y, Some(7), 0);
        let counters = explore(&program, Config::default());
        assert_eq!((counters.complete, counters.deadlocked), (0, 4));
    }
}

/// 3 threads of 2 rounds of (load, store of value + 1): the same number as orders of the stores
/// with the loads between them; counted by [`brute_force_orders`] from the definition alone.
#[test]
fn three_counters() {
    let program = vec![[Op::Load(X, 0), Op::StoreSum(X, 0, 1)].repeat(2); 3];
    assert_eq!(brute_force_orders(3, 4), 7_134);
    check("load, store", program, 7_134);
}

/// Traces of n threads that each load and store one cell in turn, `events` in all: a trace is the
/// order of the stores and for each load the number of stores before it. Counted as interleavings
/// in which no two neighbouring loads are out of order of their threads.
fn brute_force_orders(n: usize, events: usize) -> u64 {
    fn count(done: &mut Vec<usize>, events: usize, last_load: Option<usize>) -> u64 {
        if done.iter().all(|&d| d == events) {
            return 1;
        }
        let mut total = 0;
        for t in 0..done.len() {
            let is_load = done[t].is_multiple_of(2);
            // Neighbouring loads of different threads commute: only ascending runs count.
            if done[t] == events || (is_load && last_load.is_some_and(|before| before > t)) {
                continue;
            }
            done[t] += 1;
            total += count(done, events, is_load.then_some(t));
            done[t] -= 1;
        }
        total
    }
    count(&mut vec![0; n], events, None)
}

/// Thread j of 1..=n stores a[j-1] + 1 into a[j]; thread 0 scans from n down to the first zero.
fn last_zero(n: usize) -> Threads {
    let scan = |i: usize| {
        [
            Op::Load(i, 0),
            Op::SkipUnless(0, 0, 1),
            Op::SkipUnless(1, 1, 99),
        ]
    };
    let mut program = vec![(0..=n).rev().flat_map(scan).collect()];
    program.extend((1..=n).map(|j| vec![Op::Load(j - 1, 0), Op::StoreSum(j, 0, 1)]));
    program
}

/// 2^(n-2)·(n+3). Store j and load j+1 of the writers are ordered either way: n-1 independent
/// choices. The scan ends at i: it read a[k] after store k for all k > i, and then a[i] before
/// store i. For i = 0 (never written) and i = n that constrains no choice: 2^(n-1) each. For
/// 0 < i < n, store i must not come before store k > i, so load i+1 is before store i: one choice
/// is fixed, 2^(n-2) each. Sum: (n-1)·2^(n-2) + 2·2^(n-1).
#[test]
fn last_zero_counts() {
    for n in [2, 3, 5, 10] {
        check("lastzero", last_zero(n), (1 << (n - 2)) * (n as u64 + 3));
    }
}

#[test]
fn last_zero_15() {
    check("lastzero 15", last_zero(15), 147_456);
}

/// Opposite lock orders: two traces complete (one thread first, or the other), one deadlocks.
#[test]
fn opposite_locks() {
    let take = |a, b| vec![Op::Lock(a), Op::Lock(b), Op::Unlock(b), Op::Unlock(a)];
    let counters = explore(&vec![take(0, 1), take(1, 0)], Config::default());
    assert_eq!((counters.complete, counters.deadlocked), (2, 1));
}

/// n philosophers: orders of each fork's two users, with one cycle of waits. Each fork's order is
/// independent: 2^n; the cyclic ones are two, and of these only one deadlocks while the other is
/// not executable, so that 2^n - 2 complete.
#[test]
fn philosophers() {
    for n in 2..=5 {
        let dine = |i: usize| {
            let (left, right) = (i, (i + 1) % n);
            vec![
                Op::Lock(left),
                Op::Lock(right),
                Op::Unlock(right),
                Op::Unlock(left),
            ]
        };
        let counters = explore(&(0..n).map(dine).collect(), Config::default());
        assert_eq!(
            (counters.complete, counters.deadlocked),
            ((1 << n) - 2, 1),
            "{n}"
        );
    }
}

/// The same with both forks taken at once, or three of n: nobody waits with a fork in its hand. With two, the
/// orders of the forks are those without a cycle, 2^n - 2. With all three forks at one time each (n = 3), the
/// threads come one after the other: 3!.
#[test]
fn philosophers_at_once() {
    for n in 2..=5 {
        let dine = |i: usize| {
            let (left, right) = (i, (i + 1) % n);
            vec![
                Op::LockAll(1 << left | 1 << right),
                Op::Unlock(right),
                Op::Unlock(left),
            ]
        };
        let counters = explore(&(0..n).map(dine).collect(), Config::default());
        assert_eq!(
            (counters.complete, counters.deadlocked),
            ((1 << n) - 2, 0),
            "{n}"
        );
    }
    // The same with 16.
    for n in [3, 16] {
        let dine = |i: usize| {
            let all = Op::LockAll(((1 << n) - 1) | if i == 1 { BACKWARDS } else { 0 });
            std::iter::once(all).chain((0..n).map(Op::Unlock)).collect()
        };
        let counters = explore(&(0..3).map(dine).collect(), Config::default());
        assert_eq!((counters.complete, counters.deadlocked), (6, 0), "{n}");
    }
}

/// n threads each keep one mutex for ever, and one more wants all of them. It comes first, and all others wait
/// for ever; or some of them have theirs and it waits for ever: then all have, as nobody waits for them. Two.
#[test]
fn all_against_each() {
    for n in 1..=7 {
        let mut program: Vec<Vec<Op>> = (0..n).map(|m| vec![Op::Lock(m)]).collect();
        program.push(vec![Op::LockAll((1 << n) - 1)]);
        let counters = explore(&program, Config::default());
        assert_eq!(counters.deadlocked, 2, "{n}");
    }
}

/// Without reduction: 4 + 4 events interleave in 8! / (4!)^2 = 70 ways; of the plain accesses of
/// 3 threads with 2 each, 6! / 2^3 = 90.
#[test]
fn dfs_counts_interleavings() {
    let mut config = Config::default();
    config.search = SearchKind::Dfs;
    let four = vec![[Op::Load(X, 0), Op::Store(Y, 1)].repeat(2); 2];
    assert_eq!(explore(&four, config.clone()).complete, 70);
    let three = vec![vec![Op::Store(X, 1), Op::Load(Y, 0)]; 3];
    assert_eq!(explore(&three, config).complete, 90);
}

/// Checkpoints change nothing but the number of events repeated.
#[test]
fn checkpoints_save_replay() {
    let mut config = Config::default();
    let program = last_zero(6);
    let with = explore(&program, config.clone());
    config.checkpoints = false;
    let without = explore(&program, config);
    assert_eq!(
        (with.complete, with.events),
        (without.complete, without.events)
    );
    assert_eq!(without.checkpoints_taken, 0);
    assert!(with.checkpoints_taken > 0);
    assert!(with.events_replayed < without.events_replayed);
}

/// A checkpoint more than there may be takes the place of another, and changes nothing but the number of
/// events repeated: fewer than without any.
#[test]
fn checkpoints_beyond_the_limit_are_given_up() {
    let run = |wanted: usize| {
        let mut config = Config::default();
        config.checkpoint_after = 3;
        let mut program = Interpreter::new(&last_zero(6));
        program.checkpoints_wanted = wanted;
        let mut explorer = Explorer::new(config);
        while explorer.next(&mut program).expect("no fault").is_some() {
            assert!(program.checkpoints_alive() <= wanted + 1);
        }
        explorer.counters()
    };
    let (all, two, none) = (run(100), run(2), run(0));
    assert_eq!((all.complete, all.checkpoints_evicted), (two.complete, 0));
    assert_eq!(all.complete, none.complete);
    assert!(two.checkpoints_evicted > 0);
    assert_eq!(none.checkpoints_evicted, none.checkpoints_taken);
    assert!(all.events_replayed <= two.events_replayed);
    assert!(two.events_replayed < none.events_replayed);
}

/// Putting and taking one at a time: what is there stays between 0 and the room, so that traces are
/// paths of n steps up and n down between these. Room 1: one. Room 2: after each step up from 0 the
/// path is at 1, and goes up or down: 2^(n-1).
#[test]
fn channels() {
    for n in 1..=6 {
        let program = |c| vec![vec![Op::Put(c, 1); n], vec![Op::Take(c, 1, 0); n]];
        check("room for one", program(0), 1);
        check("room for two", program(1), 1 << (n - 1));
    }
}

/// Two writers and a reader: whoever is first of the writers, the reader comes second or last.
#[test]
fn channel_with_two_writers() {
    let program = vec![
        vec![Op::Put(1, 1)],
        vec![Op::Put(1, 1)],
        vec![Op::Take(1, 2, 0)],
    ];
    check("two writers", program, 4);
}

/// A reader waits for a token or for the writer to go. Both may be there when it looks: put and
/// hang-up in order, and the reader after the first or after both.
#[test]
fn channel_that_ends() {
    let program = vec![
        vec![Op::Put(0, 1), Op::Hangup(0, 1)],
        vec![Op::Take(0, 1, 0)],
    ];
    check("end", program, 2);
}
