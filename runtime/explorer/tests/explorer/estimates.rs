//! What a search says of its own length, held against how long it was: on random programs, each one of the
//! oracle's with another in front of it, so that they are long enough.
//!
//! `DPOR_ESTIMATE_PROGRAMS` sets how many programs (40 unless set).

use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, Flavour, Random};
use dpor_explorer::{Config, Estimate, Explorer, Order, SearchKind};

/// Parts of the work at which the estimates are judged, in percent.
const PARTS: [u64; 4] = [1, 3, 10, 30];
/// Searches that are shorter say nothing for most of their time.
const LEAST: u64 = 3_000;
/// Longer ones take too long to test.
const MOST: u64 = 150_000;

const FLAVOURS: [Flavour; 8] = [
    Flavour::Memory,
    Flavour::Mutex,
    Flavour::Condvar,
    Flavour::Rwlock,
    Flavour::Mix,
    Flavour::Update,
    Flavour::Semaphore,
    Flavour::Await,
];

/// Two programs of the oracle's, thread by thread one after the other.
fn long(seed: u64) -> Threads {
    let flavour = FLAVOURS[(seed % FLAVOURS.len() as u64) as usize];
    let mut random = Random(seed);
    let mut first = program(&mut random, flavour);
    for (k, thread) in program(&mut random, flavour).into_iter().enumerate() {
        match first.get_mut(k) {
            Some(before) => before.extend(thread),
            None => first.push(thread),
        }
    }
    first
}

/// All executions, and the estimates after each of which `at` says so. `None`: too many, or a fault.
fn run(
    threads: &Threads,
    config: Config,
    mut at: impl FnMut(u64) -> bool,
) -> Option<(u64, Vec<Option<Estimate>>)> {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    let mut estimates = Vec::new();
    while explorer.next(&mut program).ok()?.is_some() {
        let executions = explorer.counters().executions();
        if executions > MOST {
            return None;
        }
        if at(executions) {
            estimates.push(explorer.estimate());
        }
    }
    Some((explorer.counters().executions(), estimates))
}

#[derive(Default)]
struct Tally {
    said: u32,
    within_three: u32,
    in_band: u32,
    over: u32,
    /// Logarithms of estimate / truth.
    errors: f64,
    /// Logarithms of most / least.
    widths: f64,
}

impl Tally {
    fn add(&mut self, estimate: Estimate, truth: u64) {
        let truth = truth as f64;
        let error = estimate.executions / truth;
        self.said += 1;
        self.within_three += u32::from((1.0 / 3.0..=3.0).contains(&error));
        self.in_band += u32::from((estimate.low..=estimate.high).contains(&truth));
        self.over += u32::from(truth < estimate.low);
        self.errors += error.ln();
        self.widths += (estimate.high / estimate.low).ln();
    }

    /// Geometric mean of most / least.
    fn width(&self) -> f64 {
        (self.widths / f64::from(self.said)).exp()
    }

    fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.said.max(1))
    }
}

/// Of odd seeds, on which the constants were chosen, and of even ones, which have the other flavours: for each of
/// [`PARTS`].
fn measure(programs: u64) -> [[Tally; 4]; 2] {
    let mut halves: [[Tally; 4]; 2] = Default::default();
    let (mut done, mut seed) = (0, 0);
    while done < programs {
        seed += 1;
        let threads = long(seed);
        let Some((all, _)) = run(&threads, Config::default(), |_| false) else {
            continue;
        };
        if all < LEAST {
            continue;
        }
        done += 1;
        let at = PARTS.map(|part| (all * part / 100).max(1));
        let again = run(&threads, Config::default(), |executions| {
            at.contains(&executions)
        });
        let (same, estimates) = again.expect("it ended before");
        assert_eq!(same, all);
        let tallies = &mut halves[usize::from(seed % 2 == 0)];
        for (tally, estimate) in tallies.iter_mut().zip(estimates) {
            if let Some(estimate) = estimate {
                assert!(
                    estimate.low <= estimate.executions && estimate.executions <= estimate.high
                );
                tally.add(estimate, all);
            }
        }
    }
    for (half, tallies) in ["odd", "even"].iter().zip(&halves) {
        for (part, tally) in PARTS.iter().zip(tallies) {
            println!(
                "{half:4} {part:2} %: {} said, {:.2} within 3, {:.2} in band, {:.2} below it; error {:.2}, width {:.1}",
                tally.said,
                tally.share(tally.within_three),
                tally.share(tally.in_band),
                tally.share(tally.over),
                (tally.errors / f64::from(tally.said)).exp(),
                tally.width(),
            );
        }
    }
    halves
}

fn programs() -> u64 {
    let set = std::env::var("DPOR_ESTIMATE_PROGRAMS").ok();
    set.map_or(40, |text| text.parse().expect("a number"))
}

/// The measured figures are in docs/decisions/0048. Bands that were made from the growth of the estimate were wider by
/// far, and had the truth in them less often.
#[test]
fn most_estimates_are_near() {
    let halves = measure(programs());
    let said: u32 = halves.iter().map(|tallies| tallies[2].said).sum();
    assert!(u64::from(said) >= programs() * 9 / 10, "{said}");
    for tallies in &halves {
        for (tally, width) in tallies[1..].iter().zip([35.0, 24.0, 12.0]) {
            assert!(tally.share(tally.in_band) >= Estimate::CONFIDENCE);
            assert!(tally.width() <= width);
        }
        for tally in &tallies[2..] {
            assert!(tally.share(tally.within_three) >= 0.7);
            assert!(tally.share(tally.over) <= 0.1);
        }
    }
}

/// A search that is not one is not estimated.
#[test]
fn other_searches_say_nothing() {
    let mut bounded = Config::default();
    bounded.bound = Some(2);
    let mut iterative = Config::default();
    iterative.iterative = true;
    let mut random = Config::default();
    random.order = Order::Random(1);
    let mut dfs = Config::default();
    dfs.search = SearchKind::Dfs;
    let threads = many_writers(6);
    for config in [bounded, iterative, random, dfs] {
        let (all, estimates) = run(&threads, config, |executions| executions == 300).expect("few");
        assert!(all > 300);
        assert_eq!(estimates, [None]);
    }
    let (all, estimates) = run(&threads, Config::default(), |run| run >= 255).expect("few");
    assert_eq!((all, estimates[0]), (720, None));
    assert!(estimates[1..].iter().all(Option::is_some));
    let last = estimates.last().copied().flatten().expect("some");
    assert_eq!(
        [last.low, last.executions, last.high],
        [720.0; 3],
        "nothing is left"
    );
}

/// n threads add to one cell and look at what it was: each order is a trace, n! in all.
fn many_writers(n: u64) -> Threads {
    (0..n).map(|k| vec![Op::FetchAdd(0, 1 + k, 0)]).collect()
}
