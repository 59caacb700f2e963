//! Known ways to get the search wrong, each caught by a program that is known to need the right
//! one. Every program is also explored without the mistake, so that what is caught is the mistake.

use crate::brute;
use crate::compare::{compare, config, Defects};
use crate::interpreter::{Op, Threads, WHOLE};
use dpor_explorer::{Mutation, Order};
use dpor_model::{update, Test};

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

fn orders(first: u64, count: u64) -> impl Iterator<Item = Order> {
    std::iter::once(Order::Leftmost).chain((first..first + count).map(Order::Random))
}

/// Number of random orders of work that are explored without the mistake, which must find nothing.
const CONTROLS: u64 = 60;

/// Explores in up to `count` orders until the mistake is noticed, and in some without it; panics
/// if it is not noticed or the right search is found wrong.
#[track_caller]
fn caught(threads: &Threads, mutation: Mutation, count: u64, defect: fn(&Defects) -> bool) {
    let expected = brute::traces(threads, 100_000).expect("small");
    for order in orders(1, CONTROLS.min(count)) {
        for right in [Mutation::None, Mutation::DeepInsertion] {
            let found = compare(threads, &expected, config(order, right, true));
            assert!(!found.any(), "{order:?} {right:?} {found:?} {threads:?}");
        }
    }
    let wrong = |order| defect(&compare(threads, &expected, config(order, mutation, true)));
    let noticed = orders(1, count).position(wrong);
    println!("{mutation:?}: noticed in order {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

/// Threads: x=2 | x=1 | if trylock a then x=1 | lock a, unlock a.
fn suffix_matters() -> Threads {
    vec![
        vec![Op::Store(X, 2)],
        vec![Op::Store(X, 1)],
        vec![Op::Trylock(0, R), Op::SkipUnless(R, 1, 1), Op::Store(X, 1)],
        vec![Op::Lock(0), Op::Unlock(0)],
    ]
}

/// Plans contain events after the race: whether one is covered can change with the end of the
/// execution alone.
#[test]
fn incremental_analysis() {
    caught(&suffix_matters(), Mutation::IncrementalAnalysis, 200, |d| {
        d.missed > 0
    });
}

/// A destruction of a barrier whose users have all arrived writes the barrier alone; moved before an
/// arrival it is a misuse, which conflicts with everything, also with what came after it and
/// had nothing to do with it. Threads: barrier, barrier | x=1 | barrier | x=1, destroy, barrier.
#[test]
fn any_shields() {
    const BARRIER: usize = 120;
    let program = vec![
        vec![Op::Barrier(BARRIER, 1), Op::Barrier(BARRIER, 1)],
        vec![Op::StoreSum(X, R, 1)],
        vec![Op::Barrier(BARRIER, 1)],
        vec![
            Op::Store(X, 1),
            Op::BarrierDestroy(BARRIER),
            Op::Barrier(BARRIER, 1),
        ],
    ];
    caught(&program, Mutation::AnyShields, 200, |d| d.missed > 0);
}

/// A plan that meets a started branch has to go on below it.
#[test]
fn started_is_covered() {
    let writer_and_readers = vec![
        vec![Op::Store(Y, 1)],
        vec![Op::Load(Y, R)],
        vec![Op::Load(Y, R)],
        vec![Op::Load(Y, R)],
    ];
    caught(&writer_and_readers, Mutation::StartedIsCovered, 100, |d| {
        d.missed > 0
    });
}

/// A compare-exchange or trylock that is moved may succeed where it failed.
#[test]
fn stale_outcome() {
    let exchange = vec![
        vec![Op::Store(X, 1)],
        vec![Op::Cas(X, 0, 2, R), Op::Load(Y, R)],
        vec![Op::Load(X, R), Op::Store(Y, 1)],
    ];
    let wrong = |d: &Defects| d.fault > 0 || d.duplicate > 0 || d.missed > 0;
    caught(&exchange, Mutation::StaleOutcome, 20, wrong);
    caught(&suffix_matters(), Mutation::StaleOutcome, 20, wrong);
}

/// A wait that may end by itself, and did, commutes with another thread's wait with another mutex, and
/// with a destruction of the condition variable. Its other alternative is planned after them, and is a
/// misuse there. Traces of lock a, wait with a | lock b, wait with b: the first wait is too late, the
/// second one is, or the second one ends by itself. With a destruction: the wait is too late, the
/// destruction is, or the wait ends by itself.
///
/// With a third thread that tries mutex a the mistake is noticed in leftmost order, too. The last program
/// is the one that was found at random.
#[test]
fn alternatives_in_place() {
    let ends_by_itself = vec![Op::Lock(0), Op::WaitOrLeave(0, 0, 1, 1)];
    let waits = vec![Op::Lock(2), Op::Wait(0, 2)];
    let two = vec![waits, ends_by_itself.clone()];
    let destroyed = vec![vec![Op::CondDestroy(0)], ends_by_itself];
    for program in [&two, &destroyed] {
        assert_eq!(brute::traces(program, 1000).expect("small").len(), 3);
        caught(program, Mutation::AlternativesInPlace, 20, |d| d.fault > 0);
    }
    let third = |operations| [&two[..], &[operations]].concat();
    let tries = third(vec![Op::Trylock(2, R)]);
    caught(&tries, Mutation::AlternativesInPlace, 20, |d| d.missed > 0);
    let found = third(vec![Op::Lock(0), Op::Enqueue(1, 0), Op::Unlock(0)]);
    caught(&found, Mutation::AlternativesInPlace, 20, |d| d.missed > 0);
}

/// Two readers that never unlock, and a writer: the trace in which the writer comes first is found
/// only by removing both readers at once.
#[test]
fn single_removal() {
    let program = vec![
        vec![Op::RwRead(0)],
        vec![Op::RwRead(0)],
        vec![Op::RwWrite(0)],
    ];
    caught(&program, Mutation::SingleRemoval, 1, |d| d.missed > 0);
}

/// Two additions and a wait for none: the trace in which the wait comes first is found only by removing
/// both. With a wait for 2 after the additions 1, 1 and 2, one of the two ways to bring that about is lost
/// otherwise: the additions 1 and 1 make it, and so does 2 alone, and from there the others follow in any order.
#[test]
fn single_removal_of_additions() {
    let add = |operand| vec![Op::Update(X, update::ADD, WHOLE, operand)];
    let wait = |value| vec![Op::Await(X, WHOLE, Test::Equal, (3, value), R)];
    let none = vec![add(1), add(1), wait(0)];
    // The wait is first, or never ends.
    assert_eq!(brute::traces(&none, 1000).expect("small").len(), 2);
    caught(&none, Mutation::SingleRemoval, 1, |d| d.missed > 0);
    let two = vec![add(1), add(1), add(2), wait(2)];
    // {1, 1}, {2}, or it never ends.
    assert_eq!(brute::traces(&two, 1000).expect("small").len(), 3);
    caught(&two, Mutation::SingleRemoval, 1, |d| d.missed > 0);
}

/// Two threads each keep one mutex, and a third wants both: both have to be removed.
#[test]
fn single_removal_of_locks() {
    let program = vec![
        vec![Op::Lock(0)],
        vec![Op::Lock(1)],
        vec![Op::LockAll(0b11)],
    ];
    caught(&program, Mutation::SingleRemoval, 1, |d| d.missed > 0);
}

/// A loop that goes on while two cells are 0, and others that make one of them 1 for a moment.
#[test]
fn gate_of_one_cell() {
    let program = vec![
        vec![
            Op::Head,
            Op::Load(X, 2),
            Op::SkipUnless(2, 0, 3),
            Op::Load(X + 1, 3),
            Op::SkipUnless(3, 0, 1),
            Op::Again(5),
        ],
        vec![Op::Store(X, 1), Op::Store(X, 0)],
        vec![Op::Store(X + 1, 1), Op::Store(X + 1, 0)],
    ];
    caught(&program, Mutation::GateOfOneCell, 1, |d| d.missed > 0);
}

/// What waits for ever could have come before what changed the cell.
#[test]
fn waits_for_ever() {
    let program = vec![
        vec![Op::Store(X, 1)],
        vec![Op::Await(X, WHOLE, Test::Equal, (3, 0), R)],
    ];
    assert_eq!(brute::traces(&program, 1000).expect("small").len(), 2);
    caught(&program, Mutation::NoVirtualEvents, 1, |d| d.missed > 0);
}

/// What is blocked while a thread gives up could have come before what blocks it. Threads: lock a,
/// wait for a semaphore for some time, unlock a | lock a, unlock a. Either thread may lock first.
#[test]
fn blocked_forgotten() {
    let program = vec![
        vec![Op::Lock(0), Op::TimedSemWait(0, R), Op::Unlock(0)],
        vec![Op::Lock(0), Op::Unlock(0)],
    ];
    let expected = brute::traces(&program, 1000).expect("small");
    assert_eq!(expected.len(), 2);
    caught(&program, Mutation::BlockedForgotten, 1, |d| d.missed > 0);
}

/// Plans contain choices too; only a race of the choice with its alternatives finds the others.
/// A few work orders in a thousand lose a trace.
#[test]
fn alternatives_at_free_nodes() {
    let skip = |value| Op::SkipUnless(R, value, 1);
    let sum = |x| Op::StoreSum(x, R, 1);
    let choose = |n| Op::Choose(n, R);
    let a = vec![
        vec![Op::Load(X, R), Op::Store(Y, 1), Op::Store(X, 1)],
        vec![Op::Store(X, 1), choose(2)],
        vec![Op::Load(Y, R)],
        vec![
            Op::Store(X, 1),
            skip(0),
            Op::Store(X, 1),
            choose(2),
            skip(0),
        ],
    ];
    let b = vec![
        vec![sum(X), Op::Store(Y, 1), choose(2)],
        vec![Op::Load(Y, R), sum(X), skip(1), choose(2)],
        vec![choose(2)],
        vec![Op::Load(X, R), Op::Load(Y, R), Op::Store(Y, 1), skip(1)],
    ];
    let c = vec![
        vec![Op::Load(X, R), choose(3)],
        vec![choose(3)],
        vec![choose(2), Op::Lock(0), Op::Store(X, 2), Op::Unlock(0)],
        vec![Op::Lock(0), sum(X), choose(3)],
    ];
    let lost = |d: &Defects| d.missed > 0;
    for (program, orders) in [(a, 20_000), (b, 10_000), (c, 5_000)] {
        caught(&program, Mutation::AlternativesAtFreeNodes, orders, lost);
    }
}

/// An execution that a misuse ends has not all choices of others, so that another choice of a thread goes into a branch that
/// begins with one of them: that covers it in this execution, and not for good.
#[test]
fn choices_are_for_good() {
    let program = vec![
        vec![Op::Choose(2, R)],
        vec![Op::Choose(2, R), Op::SkipUnless(R, 1, 1), Op::Unlock(0)],
    ];
    caught(&program, Mutation::ChoicesAreForGood, 20, |d| d.missed > 0);
}

/// What another thread was about to do when the process ended has to happen before the end too.
#[test]
fn exit_forestalls() {
    let program = vec![vec![Op::Exit], vec![Op::Store(X, 1)]];
    caught(&program, Mutation::ExitForestallsNothing, 1, |d| {
        d.missed > 0
    });
}

/// A post that was not needed races with the wait as the needed one does: each of two posts may
/// come after it.
#[test]
fn latest_post_only() {
    let program = vec![
        vec![Op::SemPost(0)],
        vec![Op::SemPost(0)],
        vec![Op::SemWait(0)],
    ];
    caught(&program, Mutation::LatestPostOnly, 20, |d| d.missed > 0);
    caught(&program, Mutation::LaterPostsForgotten, 20, |d| {
        d.missed > 0
    });
    caught(&program, Mutation::PostsConflict, 1, |d| d.duplicate > 0);
}

/// The thread that took the last token keeps it, and the other one could have been first.
#[test]
fn semaphore_blocked_at_the_end() {
    let program = vec![vec![Op::SemWait(10)], vec![Op::SemWait(10)]];
    caught(&program, Mutation::NoVirtualEvents, 1, |d| d.missed > 0);
}

/// The reader that took the only token keeps it, and the other one could have been first.
#[test]
fn channel_blocked_at_the_end() {
    let take = vec![Op::Take(0, 1, R)];
    let program = vec![take.clone(), take, vec![Op::Put(0, 1)]];
    caught(&program, Mutation::NoVirtualEvents, 1, |d| d.missed > 0);
}

/// A failed attempt that is moved before the wait that took the token succeeds.
#[test]
fn stale_attempt() {
    let program = vec![
        vec![Op::SemWait(10), Op::SemPost(10)],
        vec![
            Op::SemTrywait(10, R),
            Op::SkipUnless(R, 1, 1),
            Op::Store(X, 1),
        ],
    ];
    caught(&program, Mutation::StaleOutcome, 20, |d| {
        d.fault > 0 || d.duplicate > 0 || d.missed > 0
    });
}

#[test]
fn arrivals_of_few() {
    let program = vec![vec![Op::Barrier(20, R)]; 2];
    caught(&program, Mutation::ArrivalsConflict, 1, |d| d.duplicate > 0);
}

/// The last of three waits for ever: who it is depends on the order of arrivals.
#[test]
fn arrivals_of_many() {
    let program = vec![vec![Op::Barrier(20, R), Op::Store(X, 1)]; 3];
    caught(&program, Mutation::CrowdsCommute, 1, |d| d.missed > 0);
}

/// What one does after a barrier comes after what the other did before it.
#[test]
fn leaves_without_edges() {
    let program = vec![
        vec![Op::Store(X, 1), Op::Barrier(20, R)],
        vec![Op::Barrier(20, R), Op::Store(X, 2)],
    ];
    caught(&program, Mutation::LeavesWithoutEdges, 20, Defects::any);
}

#[test]
fn serial_is_lowest() {
    let program = vec![vec![Op::Barrier(120, R)]; 2];
    caught(&program, Mutation::SerialIsLowest, 1, |d| d.missed > 0);
}

const ALL: u32 = u32::MAX >> 1;

/// What a thread does after it was woken comes after what was done before the wake-up.
#[test]
fn woken_without_edge() {
    let program = vec![
        vec![Op::FutexWait(X, 0, ALL, R), Op::Store(Y, 1)],
        vec![Op::Store(Y, 2), Op::FutexWake(X, 1, ALL, R)],
    ];
    caught(&program, Mutation::WokenWithoutEdge, 20, Defects::any);
}

#[test]
fn wakes_lowest() {
    let wait = vec![Op::FutexWait(X, 0, ALL, R)];
    let program = vec![wait.clone(), wait, vec![Op::FutexWake(X, 1, ALL, R)]];
    caught(&program, Mutation::WakesLowest, 1, |d| d.missed > 0);
}

/// A wait that comes before the store joins the waiters, and one that comes after it does not.
#[test]
fn waits_find_the_same() {
    let program = vec![
        vec![Op::Store(X, 1), Op::FutexWake(X, 1, ALL, R)],
        vec![Op::FutexWait(X, 0, ALL, R)],
    ];
    caught(&program, Mutation::WaitsFindTheSame, 20, Defects::any);
}

/// A wait that fails because the mutex is not held does not look at the condition variable, and a
/// mutex has the kind that it was initialized with, whenever an operation on it was published:
/// otherwise the order of events that do not conflict would matter.
#[test]
fn outcomes_depend_on_objects_alone() {
    let wait = vec![
        vec![Op::Wait(0, 10)],
        vec![Op::CondDestroy(0)],
        vec![Op::Store(X, 1)],
    ];
    let kinds = vec![
        vec![Op::MutexDestroy(0), Op::MutexInitAs(0, 1)],
        vec![Op::Load(X, R), Op::Unlock(0), Op::Unlock(0)],
    ];
    let woken_by_destruction = vec![vec![Op::SemWait(0)], vec![Op::SemDestroy(0)]];
    for program in [wait, kinds, woken_by_destruction] {
        let expected = brute::traces(&program, 100_000).expect("small");
        for order in orders(1, 40) {
            let found = compare(&program, &expected, config(order, Mutation::None, true));
            assert!(!found.any(), "{order:?} {found:?} {program:?}");
        }
    }
}

/// A lock that is still blocked at the end races with the one that holds it.
#[test]
fn blocked_at_the_end() {
    let program = vec![vec![Op::Lock(0)], vec![Op::Lock(0), Op::Store(X, 1)]];
    caught(&program, Mutation::NoVirtualEvents, 1, |d| d.missed > 0);
}

/// Two threads of which one may give up early: none does, or one of them, before the other looks or after it: 5.
/// Who does not look cannot come first, and who is not counted does not keep the other from it.
#[test]
fn early_time_outs_are_counted() {
    let program = vec![vec![Op::Early(1, R)], vec![Op::Early(1, R)]];
    assert_eq!(brute::traces(&program, 1000).expect("small").len(), 5);
    caught(&program, Mutation::EarlyUnread, 1, |d| d.missed > 0);
    caught(&program, Mutation::EarlyUncounted, 1, |d| d.extra > 0);
}
