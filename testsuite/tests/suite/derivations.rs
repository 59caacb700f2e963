//! Numbers in program headers, derived a second time by brute force.
//!
//! Each test names the program whose header has the number. The programs here are written from
//! the definition of the test program, not from any output of the checker.

use dpor_testsuite::enumerate::{constant, count, register, Op, Totals};
use dpor_testsuite::header;
use dpor_testsuite::normal_form::{self, Access};
use dpor_testsuite::trial;
use Op::{
    Assert, Assume, Broadcast, CompareExchange, Create, Enqueue, Everything, FetchAdd, Join, Load,
    Lock, Reacquire, Signal, SkipUnless, Start, Store, Trylock, Unlock,
};

/// The complete executions that the header of `file` promises for a revision.
fn promised(file: &str, revision: &str) -> u64 {
    let text = std::fs::read_to_string(trial::programs().join(file)).expect("the program is there");
    let headers = header::parse(&text).expect("the header is right");
    let header = headers.into_iter().find(|h| h.revision == revision);
    let expect = header.expect("the revision is there").executions;
    expect.expect("the header has counters").complete
}

/// Counts `program` and compares with every revision of `file` that `revision` names.
fn check(file: &str, revision: &str, program: &[Vec<Op>]) {
    let found = count(program);
    let text = std::fs::read_to_string(trial::programs().join(file)).expect("the program is there");
    let header = header::parse(&text)
        .expect("the header is right")
        .into_iter()
        .find(|header| header.revision == revision)
        .expect("the revision is there");
    let expect = header.executions.expect("the header has counters");
    let numbers = (
        found.complete,
        found.blocked,
        found.deadlocked,
        found.failed,
    );
    let wanted = (
        expect.complete,
        expect.blocked,
        expect.deadlocked,
        expect.failed,
    );
    assert_eq!(numbers, wanted, "{file} [{revision}]");
}

const X: usize = 0;
const Y: usize = 1;

#[test]
fn store_buffering() {
    let thread = |mine, other| vec![Store(mine, constant(1)), Load(0, other)];
    check("litmus/sb.c", "", &[thread(X, Y), thread(Y, X)]);
}

#[test]
fn message_passing() {
    check(
        "litmus/mp.c",
        "",
        &[
            vec![Store(X, constant(1)), Store(Y, constant(1))],
            vec![Load(0, Y), Load(1, X)],
        ],
    );
}

#[test]
fn load_buffering() {
    let thread = |from, to| vec![Load(0, from), Store(to, constant(1))];
    check("litmus/lb.c", "", &[thread(X, Y), thread(Y, X)]);
}

#[test]
fn independent_reads_of_independent_writes() {
    check(
        "litmus/iriw.c",
        "",
        &[
            vec![Store(X, constant(1))],
            vec![Store(Y, constant(1))],
            vec![Load(0, X), Load(1, Y)],
            vec![Load(0, Y), Load(1, X)],
        ],
    );
}

#[test]
fn readers_and_a_writer() {
    for readers in [1, 3, 6] {
        let mut program = vec![vec![Load(0, X)]; readers];
        program.push(vec![Store(X, constant(1))]);
        check("atomics/readers.c", &format!("n{readers}"), &program);
    }
}

#[test]
fn fetch_adds() {
    for threads in [2, 4, 5] {
        let program = vec![vec![FetchAdd(0, X, 1)]; threads];
        check("atomics/fetch_add.c", &format!("n{threads}"), &program);
    }
}

#[test]
fn three_threads_lock_three_times() {
    let program = vec![[Lock(0), Unlock(0)].repeat(3); 3];
    check("pthread/lock.c", "t3", &program);
}

#[test]
fn increments_by_load_and_store() {
    let program = vec![[Load(0, X), Store(X, register(0, 1))].repeat(2); 3];
    check("atomics/load_store.c", "r2", &program);
}

#[test]
fn increments_as_normal_forms() {
    for rounds in [2, 3] {
        let thread = [Access::Read(X), Access::Write(X)].repeat(rounds);
        let traces = normal_form::count(&vec![thread; 3]);
        assert_eq!(
            traces,
            promised("atomics/load_store.c", &format!("r{rounds}"))
        );
    }
}

#[test]
fn fib_bench() {
    for rounds in [1, 2, 5] {
        let add = |to| [Access::Read(X), Access::Read(Y), Access::Write(to)].repeat(rounds);
        let main = vec![Access::Read(X), Access::Read(Y)];
        let traces = normal_form::count(&[main, add(X), add(Y)]);
        assert_eq!(
            traces,
            promised("atomics/fib_bench.c", &format!("n{rounds}"))
        );
    }
}

#[test]
fn writers_and_a_reader() {
    for writers in [3, 8] {
        let mut threads = vec![vec![Access::Write(X)]; writers];
        threads.push(vec![Access::Read(X)]);
        let traces = normal_form::count(&threads);
        assert_eq!(
            traces,
            promised("atomics/writers.c", &format!("n{writers}"))
        );
    }
}

#[test]
fn sections_of_two_threads() {
    let program = vec![[Lock(0), Unlock(0)].repeat(3); 2];
    check("pthread/bounded_stack.c", "n3", &program);
    check("pthread/circular_buffer.c", "n3", &program);
}

/// Threads of `producers_consumers.c` by what they stand before: 0 the lock, 1 a signal, 2 the
/// mutex again after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Side([u64; 3]);

impl Side {
    /// The sections that one of its threads can enter: how many threads, and who is left.
    fn entering(self) -> impl Iterator<Item = (u64, Side)> {
        [0, 2].into_iter().filter_map(move |from| {
            let mut left = self;
            left.0[from] = left.0[from].checked_sub(1)?;
            Some((self.0[from], left))
        })
    }

    /// A signal: how many threads it can wake, or 1 if there are none, and who is left.
    fn signalled(mut self) -> (u64, Side) {
        let waiting = self.0[1];
        if waiting > 0 {
            self.0[1] -= 1;
            self.0[2] += 1;
        }
        (waiting.max(1), self)
    }

    fn waits(mut self) -> Side {
        self.0[1] += 1;
        self
    }
}

/// Orders of sections, signals' choices included, from here to the end.
fn orders(places: u64, held: u64, makers: Side, takers: Side) -> u64 {
    let mut sum = u64::from(makers == Side::default() && takers == Side::default());
    for (threads, left) in makers.entering() {
        sum += threads
            * if held == places {
                orders(places, held, left.waits(), takers)
            } else {
                let (ways, takers) = takers.signalled();
                ways * orders(places, held + 1, left, takers)
            };
    }
    for (threads, left) in takers.entering() {
        sum += threads
            * if held == 0 {
                orders(places, held, makers, left.waits())
            } else {
                let (ways, makers) = makers.signalled();
                ways * orders(places, held - 1, makers, left)
            };
    }
    sum
}

#[test]
fn producers_and_consumers() {
    let all = |n| orders(n, 0, Side([n, 0, 0]), Side([n, 0, 0]));
    for n in [1, 2, 3] {
        let promised = promised("pthread/producers_consumers.c", &format!("n{n}"));
        assert_eq!(all(n), promised, "{n}");
    }
    // Too many for the programs' tests; `cargo xtask bench --full` runs them.
    assert_eq!(all(4), 5_001_984);
}

#[test]
fn lastzero() {
    // Written cells are 1 here and not a[j-1] + 1: only zero or not decides anything.
    let size = 5;
    let mut program = Vec::new();
    let mut scan = Vec::new();
    for cell in (0..=size).rev() {
        scan.push(Load(0, cell));
        // Found: skip all the rest, two instructions for each cell below.
        scan.push(SkipUnless(0, 1, 2 * cell));
    }
    program.push(scan);
    for cell in 1..=size {
        program.push(vec![Load(0, cell - 1), Store(cell, constant(1))]);
    }
    check("atomics/lastzero.c", "n5", &program);
}

#[test]
fn deadlock_of_two_locks() {
    let thread = |a, b| vec![Lock(a), Lock(b), Unlock(b), Unlock(a)];
    check("bugs/ab_ba.c", "all", &[thread(0, 1), thread(1, 0)]);
}

#[test]
fn philosophers() {
    for seats in [3, 4, 5] {
        let seat =
            |left: usize, right: usize| vec![Lock(left), Lock(right), Unlock(right), Unlock(left)];
        let greedy: Vec<_> = (0..seats).map(|i| seat(i, (i + 1) % seats)).collect();
        check("bugs/philosophers.c", &format!("n{seats}"), &greedy);
        let ordered: Vec<_> = (0..seats)
            .map(|i| seat(i.min((i + 1) % seats), i.max((i + 1) % seats)))
            .collect();
        check(
            "pthread/philosophers_ordered.c",
            &format!("n{seats}"),
            &ordered,
        );
    }
}

#[test]
fn trylock_against_lock() {
    check(
        "pthread/trylock.c",
        "",
        &[
            vec![Lock(0), Unlock(0)],
            vec![Trylock(0, 0), SkipUnless(0, 1, 1), Unlock(0)],
        ],
    );
}

#[test]
fn compare_exchange_has_one_winner() {
    let program = vec![vec![CompareExchange(0, X, 0, constant(1))]; 3];
    check("atomics/compare_exchange.c", "", &program);
}

#[test]
fn condition_variables() {
    let wait = [Enqueue(0, 0), Reacquire(0, 0)];
    let always = [vec![Lock(0)], wait.to_vec(), vec![Unlock(0)]].concat();
    let signaller = vec![Lock(0), Signal(0), Unlock(0)];
    check("bugs/lost_wakeup.c", "all", &[always, signaller]);

    // The flag is cell X; a wait only if it is 0.
    let asked = vec![Lock(0), Load(0, X), SkipUnless(0, 0, 2)];
    let waiter = [asked, wait.to_vec(), vec![Unlock(0)]].concat();
    let setter = |wake: Op| vec![Lock(0), Store(X, constant(1)), wake, Unlock(0)];
    for (name, wake) in [("signal", Signal(0)), ("broadcast", Broadcast(0))] {
        let program = [waiter.clone(), waiter.clone(), setter(wake)];
        check("pthread/cond_wake.c", name, &program);
    }
}

#[test]
fn two_classes() {
    let (mutex, lock) = (0, 1);
    let operation = vec![
        Lock(mutex),
        Lock(lock),
        Unlock(mutex),
        Lock(mutex),
        Unlock(lock),
        Unlock(mutex),
    ];
    check("bugs/two_classes.c", "one", &[operation.clone(), operation]);
}

#[test]
fn assumption() {
    let writer = vec![Store(X, constant(1))];
    let reader = vec![Load(0, X), Assume(0, 1)];
    check("annotations/assume.c", "", &[writer, reader]);
}

#[test]
fn the_enumerator_knows_the_textbook_numbers() {
    let check = |program: &[Vec<Op>], complete| {
        let totals = count(program);
        assert_eq!(
            totals,
            Totals {
                complete,
                finals: totals.finals.clone(),
                ..Totals::default()
            }
        );
    };
    // Independent threads: one trace. Two writers of one cell: two. Two readers: one.
    check(
        &[vec![Store(X, constant(1))], vec![Store(Y, constant(1))]],
        1,
    );
    check(
        &[vec![Store(X, constant(1))], vec![Store(X, constant(2))]],
        2,
    );
    check(&[vec![Load(0, X)], vec![Load(0, X)]], 1);
    // A failed assertion ends the execution where it is.
    let failing = [vec![Load(0, X), Assert(0, 1)], vec![Store(X, constant(1))]];
    assert_eq!((count(&failing).complete, count(&failing).failed), (1, 1));
}

#[test]
fn atomic_sections_conflict_with_every_event_but_starts_and_joins() {
    let increment = vec![Start, Everything];
    let main = vec![Create(1), Create(2), Join(1), Join(2), Load(0, X)];
    check(
        "annotations/atomic_section.c",
        "atomic",
        &[main, increment.clone(), increment],
    );
}
