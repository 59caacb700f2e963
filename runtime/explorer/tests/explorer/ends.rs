//! How executions end, replay, depth-first search, and programs that are not deterministic.

use crate::brute;
use crate::interpreter;
use crate::interpreter::{Interpreter, Machine, Op, Threads};
use crate::random;
use crate::random::{program, Flavour, Random};
use dpor_explorer::*;
use dpor_model::*;
use std::collections::HashSet;

const X: usize = 0;
const R: usize = 0;

fn search(search: SearchKind) -> Config {
    let mut config = Config::default();
    config.search = search;
    config
}

/// All executions: how each ended, and its schedule.
fn run(threads: &Threads, config: Config) -> Vec<(End, Vec<(ThreadId, u32)>)> {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    let mut all = Vec::new();
    while let Some(execution) = explorer.next(&mut program).expect("deterministic") {
        assert_eq!(execution.events, explorer.trace().len());
        all.push((execution.end, explorer.schedule()));
    }
    all
}

fn deadlocks(threads: &Threads) -> Vec<Deadlock> {
    let ends = run(threads, Config::default()).into_iter();
    ends.filter_map(|(end, _)| {
        if let End::Deadlock(d) = end {
            Some(d)
        } else {
            None
        }
    })
    .collect()
}

fn misuses(threads: &Threads) -> HashSet<MisuseKind> {
    let ends = run(threads, Config::default()).into_iter();
    ends.filter_map(|(end, _)| {
        if let End::Misuse(m) = end {
            Some(m.kind)
        } else {
            None
        }
    })
    .collect()
}

#[test]
fn cycle_of_locks() {
    let take = |a, b| vec![Op::Lock(a), Op::Lock(b), Op::Unlock(b), Op::Unlock(a)];
    let found = deadlocks(&vec![take(0, 1), take(1, 0), vec![Op::Load(X, R)]]);
    assert_eq!(found.len(), 1);
    let deadlock = &found[0];
    assert_eq!(deadlock.cycle.len(), 2);
    assert_eq!(deadlock.self_deadlock(), None);
    let first = &deadlock.waiting[0];
    assert_eq!(
        (first.thread, first.waits_for),
        (ThreadId(0), Some(ThreadId(1)))
    );
    assert_eq!(first.operation.kind, Kind::MutexLock);
    assert!(first.acquired_by.is_some());
}

#[test]
fn self_deadlock_of_a_normal_mutex_only() {
    let twice = |m| vec![vec![Op::Lock(m), Op::Lock(m), Op::Unlock(m)]];
    let found = deadlocks(&twice(0));
    assert_eq!(found[0].self_deadlock(), Some(ThreadId(0)));
    assert_eq!(found[0].waiting[0].acquired_by, Some(0));
    assert_eq!(deadlocks(&twice(10)), vec![], "recursive");
    assert_eq!(deadlocks(&twice(20)), vec![], "error-checking: EDEADLK");
}

/// The signal can come before the wait; then nobody wakes the waiter.
#[test]
fn lost_wakeup() {
    let found = deadlocks(&vec![
        vec![Op::Lock(0), Op::Wait(0, 0), Op::Unlock(0)],
        vec![Op::Signal(0)],
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].cycle, vec![]);
    assert_eq!(found[0].waiting[0].operation.kind, Kind::CondReacquire);
    assert_eq!(found[0].waiting[0].waits_for, None);
}

#[test]
fn misuse_of_objects() {
    let check = |threads: Threads, expect: &[MisuseKind]| {
        assert_eq!(
            misuses(&threads),
            expect.iter().copied().collect(),
            "{threads:?}"
        );
    };
    check(vec![vec![Op::Unlock(0)]], &[MisuseKind::UnlockNotOwner]);
    check(vec![vec![Op::Unlock(20)]], &[]);
    check(
        vec![vec![Op::Lock(0)], vec![Op::Unlock(0)]],
        &[MisuseKind::UnlockNotOwner],
    );
    check(vec![vec![Op::RwUnlock(0)]], &[MisuseKind::UnlockNotOwner]);
    check(vec![vec![Op::Wait(0, 0)]], &[MisuseKind::UnlockNotOwner]);
    let wait = |m| vec![Op::Lock(m), Op::Wait(0, m)];
    check(vec![wait(0), wait(0)], &[]);
    check(vec![wait(0), wait(1)], &[MisuseKind::CondvarMutexMismatch]);
    check(
        vec![wait(0), vec![Op::CondDestroy(0)]],
        &[MisuseKind::DestroyedInUse, MisuseKind::UseAfterDestroy],
    );
    let lock = vec![Op::Lock(0), Op::Unlock(0)];
    check(
        vec![lock, vec![Op::MutexDestroy(0)]],
        &[MisuseKind::DestroyedInUse, MisuseKind::UseAfterDestroy],
    );
    check(
        vec![vec![
            Op::MutexDestroy(0),
            Op::MutexInit(0),
            Op::Lock(0),
            Op::Unlock(0),
        ]],
        &[],
    );
}

#[test]
fn misuse_of_locks_semaphores_and_barriers() {
    use MisuseKind::{DestroyedInUse, UseAfterDestroy, UseBeforeInit};
    let check = |threads: Threads, expect: &[MisuseKind]| {
        let expect: HashSet<MisuseKind> = expect.iter().copied().collect();
        assert_eq!(misuses(&threads), expect, "{threads:?}");
    };
    let read = vec![Op::RwRead(0), Op::RwUnlock(0)];
    let both = [DestroyedInUse, UseAfterDestroy];
    check(vec![read, vec![Op::RwDestroy(0)]], &both);
    let again = vec![Op::RwDestroy(0), Op::RwInit(0), Op::RwWrite(0)];
    check(vec![again], &[]);
    check(
        vec![vec![Op::SemPost(0)], vec![Op::SemDestroy(0)]],
        &[UseAfterDestroy],
    );
    // Destruction wakes a waiter, which then uses a destroyed object.
    check(
        vec![vec![Op::SemWait(0)], vec![Op::SemDestroy(0)]],
        &[UseAfterDestroy],
    );
    check(
        vec![vec![Op::SemDestroy(0), Op::SemInit(0, 1), Op::SemWait(0)]],
        &[],
    );
    check(vec![vec![Op::Barrier(0, 1)]], &[UseBeforeInit]);
    check(
        vec![vec![Op::Barrier(20, 1)], vec![Op::BarrierDestroy(20)]],
        &both,
    );
    // Who was let go may leave after the barrier was destroyed, or is another one by now.
    let meet = vec![Op::Barrier(20, 1)];
    let mut meet_and = meet.clone();
    meet_and.extend([Op::BarrierDestroy(20), Op::BarrierInit(20, 1), meet[0]]);
    check(vec![meet_and, meet], &[]);
}

/// The process may end before, between and after the other thread's two stores.
#[test]
fn exit_at_every_point() {
    let threads = vec![vec![Op::Exit], vec![Op::Store(X, 1), Op::Store(1, 1)]];
    let ends = run(&threads, Config::default());
    let lengths: Vec<usize> = ends.iter().map(|(_, schedule)| schedule.len()).collect();
    assert!(ends.iter().all(|(end, _)| *end == End::Exited));
    assert_eq!(
        lengths.iter().copied().collect::<HashSet<_>>(),
        HashSet::from([1, 2, 3])
    );
    assert_eq!(lengths.len(), 3);
}

/// A compare-exchange that the end of the process forestalled has no event to learn its cell's
/// value from.
#[test]
fn forestalled_exchange_is_predicted() {
    for old in [0, 1] {
        let threads = vec![
            vec![Op::Exit],
            vec![Op::Cas(X, old, 2, R)],
            vec![Op::Cas(X, old, 3, R)],
        ];
        let expected = brute::traces(&threads, 1000).expect("small").len();
        assert_eq!(run(&threads, Config::default()).len(), expected, "{old}");
    }
}

/// Plain writes after an event change what a compare-exchange finds.
#[test]
fn plain_writes_decide_exchanges() {
    let threads = vec![
        vec![Op::Lock(0), Op::Load(X, R), Op::Plain(X, 7), Op::Unlock(0)],
        vec![Op::Lock(0), Op::Cas(X, 7, 8, R), Op::Unlock(0)],
    ];
    assert_eq!(run(&threads, Config::default()).len(), 2);
}

#[test]
fn replay_repeats_an_execution() {
    for seed in 0..200 {
        let threads = program(&mut Random(seed), Flavour::Mix);
        let mut all = Interpreter::new(&threads);
        let mut explorer = Explorer::new(Config::default());
        for _ in 0..20 {
            let Some(execution) = explorer.next(&mut all).expect("deterministic") else {
                break;
            };
            let schedule = explorer.schedule();
            let mut again = Interpreter::new(&threads);
            let mut replayer = Explorer::new(search(SearchKind::Replay(schedule.clone())));
            let same = replayer
                .next(&mut again)
                .expect("deterministic")
                .expect("one execution");
            assert_eq!(same.end, execution.end, "seed {seed}");
            assert_eq!(
                (replayer.schedule(), &again.machine),
                (schedule, &all.machine)
            );
            assert_eq!(replayer.preemptions(), explorer.preemptions());
            assert_eq!(replayer.next(&mut again), Ok(None));
        }
    }
}

#[test]
fn replay_ends_with_the_default_scheduler() {
    let threads = vec![vec![Op::Store(X, 1), Op::Store(X, 2)], vec![Op::Load(X, R)]];
    let one = run(&threads, search(SearchKind::Replay(vec![(ThreadId(1), 0)])));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].0, End::Complete);
    let order: Vec<u16> = one[0].1.iter().map(|step| step.0 .0).collect();
    assert_eq!(order, [1, 0, 0]);
}

#[test]
fn bad_schedules_are_named() {
    let threads = vec![vec![Op::Lock(0)], vec![Op::Lock(0)], vec![Op::Choose(2, R)]];
    let check = |schedule: &[(u16, u32)], step| {
        let schedule = schedule.iter().map(|&(t, a)| (ThreadId(t), a)).collect();
        let mut explorer = Explorer::new(search(SearchKind::Replay(schedule)));
        let fault = explorer.next(&mut Interpreter::new(&threads));
        assert_eq!(fault, Err(Fault::BadSchedule { step }));
    };
    check(&[(0, 0), (1, 0)], 1); // Blocked.
    check(&[(0, 0), (0, 0)], 1); // Finished.
    check(&[(9, 0)], 0);
    check(&[(99, 0)], 0);
    check(&[(2, 2)], 0); // No such alternative.
}

/// Depth-first search reaches the same final states, from more executions.
#[test]
fn dfs_reaches_the_same_states() {
    let finals = |threads: &Threads, config: Config, most: u64| {
        let mut program = Interpreter::new(threads);
        let mut explorer = Explorer::new(config);
        let mut seen: Vec<Machine> = Vec::new();
        while explorer
            .next(&mut program)
            .expect("deterministic")
            .is_some()
        {
            // A search that began anew counts from there.
            if explorer.counters().executions() > most {
                return None;
            }
            if !seen.contains(&program.machine) {
                seen.push(program.machine.clone());
            }
        }
        Some((explorer.counters().executions(), seen))
    };
    let (mut compared, mut fewer) = (0, 0);
    for seed in 0..1000 {
        let flavour = random::FLAVOURS[seed as usize % random::FLAVOURS.len()];
        let threads = program(&mut Random(seed), flavour);
        // Where a loop was last depends on the order of independent events, and some go round for ever:
        // places.rs runs them as written.
        if threads.iter().flatten().any(|op| matches!(op, Op::Head)) {
            continue;
        }
        let Some((all, states)) = finals(&threads, search(SearchKind::Dfs), 3000) else {
            continue;
        };
        let found = finals(&threads, Config::default(), all);
        let (few, mut same) = found.unwrap_or_else(|| panic!("more than {all}: {threads:?}"));
        compared += 1;
        fewer += usize::from(few < all);
        same.retain(|state| !states.contains(state));
        assert!(same.is_empty(), "{threads:?}");
        let (_, optimal) = finals(&threads, Config::default(), all).expect("never more");
        assert!(
            states.iter().all(|state| optimal.contains(state)),
            "{threads:?}"
        );
    }
    assert!(compared > 300 && fewer > 200, "{compared} {fewer}");
}

#[test]
fn event_bound_cuts_executions() {
    let mut config = Config::default();
    config.max_events = Some(3);
    let threads = vec![vec![Op::Store(X, 1); 4], vec![Op::Load(X, R)]];
    let ends = run(&threads, config.clone());
    assert!(ends
        .iter()
        .all(|(end, schedule)| *end == End::EventBound && schedule.len() == 3));
    config.max_events = Some(5);
    assert!(run(&threads, config)
        .iter()
        .all(|(end, _)| *end == End::Complete));
}

/// Forgets to restore memory, so that what a thread does next depends on earlier executions.
struct Forgetful(Interpreter);

impl Program for Forgetful {
    fn restore(&mut self, checkpoint: Checkpoint) {
        let memory = self.0.machine.memory;
        self.0.restore(checkpoint);
        self.0.machine.memory = memory;
    }
    fn checkpoint(&mut self) -> Option<Checkpoint> {
        None
    }
    fn discard(&mut self, _: Checkpoint) {}
    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        self.0.root()
    }
    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed {
        self.0.step(thread, decision)
    }
}

#[test]
fn divergence_is_named() {
    let threads = vec![
        vec![
            Op::FetchAdd(2, 1, R),
            Op::SkipUnless(R, 0, 1),
            Op::Load(3, R),
            Op::Store(X, 1),
        ],
        vec![Op::Load(X, R)],
    ];
    let mut program = Forgetful(Interpreter::new(&threads));
    let mut explorer = Explorer::new(Config::default());
    assert!(explorer.next(&mut program).is_ok_and(|e| e.is_some()));
    match explorer.next(&mut program) {
        Err(Fault::Divergence {
            event: 0,
            expected: Some(expected),
            got: Some(got),
        }) => {
            assert_eq!((expected.kind, got.kind), (Kind::Load, Kind::Store));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        explorer.next(&mut program),
        Ok(None),
        "a fault ends the search"
    );
}

/// The value that a compare-exchange finds is not the one that the log predicts.
#[test]
fn misprediction_is_a_fault() {
    let threads = vec![vec![Op::Store(X, 1)], vec![Op::Cas(X, 0, 2, R)]];
    let mut program = Forgetful(Interpreter::new(&threads));
    let mut explorer = Explorer::new(Config::default());
    assert!(explorer.next(&mut program).is_ok_and(|e| e.is_some()));
    assert!(matches!(
        explorer.next(&mut program),
        Err(Fault::Misprediction {
            event: 0,
            thread: ThreadId(1),
            ..
        })
    ));
}

#[test]
fn many_threads() {
    let many = |n: usize| {
        let mut threads: Threads = vec![(1..n).map(Op::Create).collect()];
        threads[0].push(Op::JoinAll);
        threads.extend((1..n).map(|t| vec![Op::Store(t % 20, 1)]));
        threads
    };
    // Threads t and t + 20 and … store to one cell: of 64, 4 to a cell if t is 1, 2 or 3, otherwise 3, so that there
    // are 4!^3 · 3!^17 executions; and more of more.
    for (count, executions) in [(64, 2000), (65, 200), (THREADS_MAX, 20)] {
        let threads = many(count);
        let mut explorer = Explorer::new(Config::default());
        let mut interpreter = Interpreter::new(&threads);
        for _ in 0..executions {
            let execution = explorer.next(&mut interpreter).expect("they fit");
            assert_eq!(execution.expect("many").end, End::Complete);
        }
        assert_eq!(explorer.counters().threads_max as usize, count);
    }
    let mut explorer = Explorer::new(Config::default());
    let fault = explorer.next(&mut Interpreter::new(&many(THREADS_MAX + 1)));
    assert_eq!(fault, Err(Fault::ThreadLimit));
}

/// What a report needs: objects, values, results, locks held, the order of events.
#[test]
fn the_trace_tells_what_happened() {
    let threads = vec![
        vec![Op::Lock(0), Op::Store(X, 5), Op::Unlock(0)],
        vec![Op::Trylock(0, R)],
    ];
    let schedule = [0, 0, 1].map(|t| (ThreadId(t), 0)).to_vec();
    let mut explorer = Explorer::new(search(SearchKind::Replay(schedule)));
    explorer
        .next(&mut Interpreter::new(&threads))
        .expect("deterministic");
    let trace = explorer.trace();
    let mutex = ObjectId(2000);
    assert_eq!(trace.len(), 4);
    assert_eq!(trace.operation(0).kind, Kind::MutexLock);
    assert_eq!(
        trace.accesses(1).collect::<Vec<_>>(),
        [(interpreter::cell(X), true)]
    );
    assert_eq!(trace.values(1, interpreter::cell(X)), Some((0, 5)));
    assert_eq!(
        trace.lockset(trace.event(1).lockset).collect::<Vec<_>>(),
        [mutex]
    );
    assert_eq!(trace.event(2).decision.result, 16, "EBUSY");
    assert_eq!(trace.accesses(2).collect::<Vec<_>>(), [(mutex, false)]);
    assert!(trace.happens_before(0, 2) && !trace.happens_before(1, 2));
    assert!(
        trace.happens_before(2, 3),
        "the unlock changes what the trylock saw"
    );
    assert_eq!(trace.last_event(ThreadId(1)), Some(2));
    assert_eq!(explorer.preemptions(), 1);
}

/// The number of a joined thread is used again, by the thread that joined it.
#[test]
fn thread_numbers_are_used_again() {
    let threads = vec![
        vec![
            Op::Create(1),
            Op::Join(1),
            Op::Load(X, R),
            Op::Create(1),
            Op::Join(1),
        ],
        vec![Op::FetchAdd(X, 1, R), Op::Lock(0), Op::Unlock(0)],
        vec![Op::Store(X, 3), Op::Lock(0), Op::Unlock(0)],
    ];
    let expected = brute::traces(&threads, 10_000).expect("small").len();
    for order in [Order::Leftmost, Order::Random(1), Order::Random(2)] {
        let mut config = Config::default();
        config.order = order;
        let ends = run(&threads, config);
        assert_eq!(ends.len(), expected);
        assert!(ends.iter().all(|(end, _)| *end == End::Complete));
    }
}
