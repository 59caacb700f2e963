//! With which chances samples come: by hand for small programs, held against many samples of one seed.

use crate::interpreter::{Interpreter, Op, Threads};
use dpor_explorer::{Config, Counters, Explorer, Method, Sampling, SearchKind};
use dpor_model::{Kind, TIMEOUT};
use std::collections::BTreeMap;

const SAMPLES: u64 = 40_000;

fn search(method: Method, samples: u64) -> Explorer {
    let mut config = Config::default();
    config.search = SearchKind::Sample(Sampling {
        method,
        samples,
        seed: 5,
    });
    Explorer::new(config)
}

/// The threads of the last execution's events, a digit each.
fn word(explorer: &Explorer) -> String {
    let schedule = explorer.schedule();
    schedule.iter().map(|(t, _)| t.0.to_string()).collect()
}

/// How often each schedule came, without the first samples, in which PCT and SURW know nothing yet.
fn frequencies(threads: &Threads, method: Method) -> BTreeMap<String, u64> {
    const FIRST: u64 = 10;
    let (mut program, mut explorer) = (Interpreter::new(threads), search(method, SAMPLES + FIRST));
    let (mut all, mut count) = (BTreeMap::new(), 0);
    while explorer.next(&mut program).expect("no fault").is_some() {
        count += 1;
        if count > FIRST {
            *all.entry(word(&explorer)).or_insert(0) += 1;
        }
    }
    assert_eq!(all.values().sum::<u64>(), SAMPLES);
    all
}

/// Panics unless there are exactly these, with these chances: each within five standard deviations, which
/// is left by chance once in a million times.
#[track_caller]
fn check(found: &BTreeMap<String, u64>, expected: &[(&str, f64)]) {
    let total: f64 = expected.iter().map(|(_, chance)| chance).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    let n = SAMPLES as f64;
    for (word, chance) in expected {
        let got = found.get(*word).copied().unwrap_or(0) as f64;
        let deviation = (n * chance * (1.0 - chance)).sqrt();
        assert!(
            (got - n * chance).abs() < 5.0 * deviation,
            "{word}: {got} of {n}, expected {}; all {found:?}",
            n * chance
        );
    }
    let others = found
        .keys()
        .filter(|word| !expected.iter().any(|e| e.0 == *word));
    assert_eq!(others.count(), 0, "{found:?}");
}

/// Two threads of two events, on cells of their own.
fn two_and_two() -> Threads {
    vec![
        vec![Op::Store(0, 1), Op::Store(1, 1)],
        vec![Op::Store(2, 1), Op::Store(3, 1)],
    ]
}

/// Both threads can go on until one has made both events: 1/2 for each step up to there.
#[test]
fn random_walk() {
    let expected = [
        ("0011", 1.0 / 4.0),
        ("0101", 1.0 / 8.0),
        ("0110", 1.0 / 8.0),
        ("1001", 1.0 / 8.0),
        ("1010", 1.0 / 8.0),
        ("1100", 1.0 / 4.0),
    ];
    check(&frequencies(&two_and_two(), Method::Random), &expected);
}

/// The numbers of a choice have equal chances.
#[test]
fn alternatives() {
    let threads = vec![vec![Op::Choose(3, 0)]];
    let mut program = Interpreter::new(&threads);
    for method in [
        Method::Random,
        Method::Pct { depth: 3 },
        Method::Pos,
        Method::Surw,
    ] {
        let mut explorer = search(method, SAMPLES);
        let mut found = BTreeMap::new();
        while explorer.next(&mut program).expect("no fault").is_some() {
            let alternative = explorer.schedule()[0].1;
            *found.entry(alternative.to_string()).or_insert(0) += 1;
        }
        let third = 1.0 / 3.0;
        check(&found, &[("0", third), ("1", third), ("2", third)]);
    }
}

/// Panics unless two ways have equal chances: within five standard deviations. `which` tells the last
/// execution's, if it has one.
#[track_caller]
fn are_even(threads: &Threads, method: Method, which: impl Fn(&Explorer) -> Option<usize>) {
    let mut program = Interpreter::new(threads);
    let (mut explorer, mut found) = (search(method, SAMPLES), [0f64; 2]);
    while explorer.next(&mut program).expect("no fault").is_some() {
        if let Some(way) = which(&explorer) {
            found[way] += 1.0;
        }
    }
    let n = found[0] + found[1];
    assert!(n > 1000.0, "{method:?} {found:?}");
    assert!(
        (found[0] - n / 2.0).abs() < 5.0 * (n / 4.0).sqrt(),
        "{method:?} {found:?}"
    );
}

/// A signal finds two waiters: it wakes one or the other. Whether both wait by then is not up to it.
#[test]
fn who_is_woken() {
    let wait = || vec![Op::Lock(0), Op::Wait(0, 0), Op::Unlock(0)];
    let threads = vec![wait(), wait(), vec![Op::Signal(0)]];
    for method in [
        Method::Random,
        Method::Pct { depth: 3 },
        Method::Pos,
        Method::Surw,
    ] {
        are_even(&threads, method, |explorer| {
            let trace = explorer.trace();
            let kind = |k: usize| trace.operation(k).kind;
            let signal = (0..trace.len()).find(|&k| kind(k) == Kind::CondSignal)?;
            let waiting = (0..signal)
                .filter(|&k| kind(k) == Kind::CondEnqueue)
                .count();
            let woken = trace.event(signal).decision.alternative as usize;
            (waiting == 2).then_some(woken)
        });
    }
}

/// Two threads wait for what never comes: either gives up first.
#[test]
fn who_gives_up() {
    let threads = vec![vec![Op::TimedSemWait(0, 0)], vec![Op::TimedSemWait(1, 0)]];
    for method in [
        Method::Random,
        Method::Pct { depth: 3 },
        Method::Pos,
        Method::Surw,
    ] {
        are_even(&threads, method, |explorer| {
            let (thread, alternative) = explorer.schedule()[0];
            assert_eq!(alternative, TIMEOUT);
            Some(usize::from(thread.0))
        });
    }
}

/// Without a change of priority one thread goes first with both events. With one, after the first of the
/// four events, the other comes between (1/4); after any other it changes nothing.
#[test]
fn pct_of_depth_2() {
    let half = [("0011", 0.5), ("1100", 0.5)];
    let depth = |depth| frequencies(&two_and_two(), Method::Pct { depth });
    check(&depth(1), &half);
    let expected = [
        ("0011", 3.0 / 8.0),
        ("1100", 3.0 / 8.0),
        ("0110", 1.0 / 8.0),
        ("1001", 1.0 / 8.0),
    ];
    // 1/(n k) = 1/8, for two threads and four events, for each of the last two.
    check(&depth(2), &expected);
}

/// The strict alternation needs two changes, after the first and the second event, and the second one
/// lower: two of 16 pairs of places are these, one of them in the right order. With the thread that begins,
/// 1/2 * 1/16 = 1/(n k^2): what PCT promises, and no more.
#[test]
fn pct_of_depth_3() {
    let found = frequencies(&two_and_two(), Method::Pct { depth: 3 });
    let n = SAMPLES as f64;
    let deviation = (n / 32.0 * 31.0 / 32.0).sqrt();
    for word in ["0101", "1010"] {
        let got = found[word] as f64;
        assert!((got - n / 32.0).abs() < 5.0 * deviation, "{word}: {got}");
    }
}

/// PCT's promise for a bug of known depth in a program with more threads: thread 0 reads x twice and finds two
/// values, which needs a write between: depth 2. Three threads, six events: at least 1/18.
#[test]
fn pct_keeps_its_promise() {
    let threads = vec![
        vec![Op::Load(0, 0), Op::Load(0, 1)],
        vec![Op::Store(0, 1), Op::Store(1, 1)],
        vec![Op::Store(2, 1), Op::Store(3, 1)],
    ];
    let found = frequencies(&threads, Method::Pct { depth: 2 });
    let is_between = |word: &str| {
        let events: Vec<(usize, char)> = word.char_indices().collect();
        let of = |thread| {
            { events.iter() }
                .filter(move |e| e.1 == thread)
                .map(|e| e.0)
        };
        let (reads, write) = (
            of('0').collect::<Vec<_>>(),
            of('1').next().expect("a write"),
        );
        reads[0] < write && write < reads[1]
    };
    let hits: u64 = { found.iter() }
        .filter(|(word, _)| is_between(word))
        .map(|(_, n)| n)
        .sum();
    let (share, bound) = (hits as f64 / SAMPLES as f64, 1.0 / 18.0);
    let deviation = (bound * (1.0 - bound) / SAMPLES as f64).sqrt();
    assert!(share > bound - 5.0 * deviation, "{share}");
}

/// Thread 1's only event comes after thread 0's four, none of which it conflicts with, if its priority is the
/// lowest of five: 1/5. A random walk has it there in 1/16.
#[test]
fn pos_without_conflicts() {
    let threads = vec![
        (0..4).map(|x| Op::Store(x, 1)).collect(),
        vec![Op::Store(4, 1)],
    ];
    let share = |method| {
        let found = frequencies(&threads, method);
        found["00001"] as f64 / SAMPLES as f64
    };
    let close = |share: f64, chance: f64| {
        let deviation = (chance * (1.0 - chance) / SAMPLES as f64).sqrt();
        assert!((share - chance).abs() < 5.0 * deviation, "{share} {chance}");
    };
    close(share(Method::Pos), 1.0 / 5.0);
    close(share(Method::Random), 1.0 / 16.0);
}

/// With conflicts its priority is drawn anew after each: it loses against four in a row with a chance of
/// 1/16. It comes k-th, from 0, after k losses and one win.
#[test]
fn pos_with_conflicts() {
    let threads = vec![
        (0..4).map(|_| Op::Store(0, 1)).collect(),
        vec![Op::Store(0, 1)],
    ];
    let expected = [
        ("10000", 1.0 / 2.0),
        ("01000", 1.0 / 4.0),
        ("00100", 1.0 / 8.0),
        ("00010", 1.0 / 16.0),
        ("00001", 1.0 / 16.0),
    ];
    check(&frequencies(&threads, Method::Pos), &expected);
}

/// Under SURW all interleavings have the same chance: four for one event beside three, whether all events are of
/// interest or only those on one object.
#[test]
fn surw_is_uniform() {
    let threads = vec![
        vec![Op::Store(0, 1)],
        (0..3).map(|_| Op::Store(0, 1)).collect(),
    ];
    let expected = ["0111", "1011", "1101", "1110"].map(|word| (word, 0.25));
    check(&frequencies(&threads, Method::Surw), &expected);
}

/// Thread 0 creates 1, then 2, which make two events each. Of interest are those (chance 1/2): then each of
/// the six orders has 1/6. Or all six events: the creation of 2 may stand anywhere before 2's first event, so
/// that an order stands for as many interleavings as 1 has events before that, and one more: 3 + 2 + 2 + 1 + 1 + 1.
#[test]
fn surw_with_threads_that_are_created() {
    let stores = || vec![Op::Store(0, 1), Op::Store(0, 2)];
    let threads = vec![vec![Op::Create(1), Op::Create(2)], stores(), stores()];
    let mut found = BTreeMap::new();
    for (word, n) in frequencies(&threads, Method::Surw) {
        *found.entry(word.replace('0', "")).or_insert(0) += n;
    }
    let orders = [
        ("1122", 3.0),
        ("1212", 2.0),
        ("1221", 2.0),
        ("2112", 1.0),
        ("2121", 1.0),
        ("2211", 1.0),
    ];
    check(
        &found,
        &orders.map(|(word, n)| (word, 1.0 / 12.0 + n / 20.0)),
    );
}

/// A thread that waits for others by yielding lets them go on, whatever its priority.
#[test]
fn pct_lets_others_go_on_where_a_thread_yields() {
    let threads = vec![
        vec![Op::Pause, Op::Pause, Op::Store(0, 1)],
        vec![Op::Store(0, 2)],
    ];
    let found = frequencies(&threads, Method::Pct { depth: 1 });
    check(&found, &[("0100", 0.5), ("1000", 0.5)]);
}

/// What three processes draw is what one draws: samples do not depend on those before them.
#[test]
fn samples_can_be_shared() {
    let threads = vec![
        vec![Op::Store(0, 1), Op::Load(1, 0), Op::Store(0, 2)],
        vec![Op::Store(1, 1), Op::Load(0, 0), Op::Choose(2, 1)],
        vec![Op::Lock(0), Op::Store(0, 3), Op::Unlock(0)],
    ];
    const COUNT: u64 = 300;
    let methods = [
        Method::Random,
        Method::Pct { depth: 3 },
        Method::Pos,
        Method::Surw,
    ];
    for method in methods {
        let mut program = Interpreter::new(&threads);
        let mut one = search(method, COUNT);
        let mut words = Vec::new();
        while one.next(&mut program).expect("no fault").is_some() {
            words.push(one.schedule());
        }
        // Each runs the first ones, and then a third.
        let mut leader = search(method, COUNT);
        while !leader.is_profiled() {
            leader.next(&mut program).expect("no fault");
        }
        let first = leader.next_sample();
        assert!(first < 10);
        for k in 0..3 {
            let mut helper = search(method, COUNT);
            (0..first).for_each(|_| drop(helper.next(&mut program).expect("no fault")));
            helper.forget_samples();
            let (mut forms, mut executions) = (Vec::new(), 0);
            for sample in (first + k..COUNT).step_by(3) {
                helper.skip_to_sample(sample);
                helper
                    .next(&mut program)
                    .expect("no fault")
                    .expect("a sample");
                assert_eq!(
                    helper.schedule(),
                    words[sample as usize],
                    "{method:?} {sample}"
                );
                forms.push(helper.last_trace_hash().expect("samples"));
                executions += 1;
            }
            assert_eq!(helper.counters().executions(), executions);
            leader.add_samples(&forms, helper.counters());
        }
        leader.skip_to_sample(COUNT);
        assert!(!leader.has_more());
        assert_eq!(leader.samples(), one.samples(), "{method:?}");
        let complete = |counters: Counters| (counters.complete, counters.events);
        assert_eq!(complete(leader.counters()), complete(one.counters()));
    }
}
