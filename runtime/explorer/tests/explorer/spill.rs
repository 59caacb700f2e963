//! A tree that does not fit into memory: the same executions, whatever the limit.

use crate::brute;
use crate::compare::{compare_search, config};
use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, Random, FLAVOURS};
use dpor_explorer::{Explorer, Fault, Mutation, Order, Spill, SpillId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// What was written and not taken back, and how much ever.
#[derive(Default)]
struct Records {
    there: Vec<Option<Vec<u8>>>,
    taken: usize,
    bytes: usize,
}

/// A store in memory. Refuses every so many records, and loses one.
struct Store {
    records: Arc<Mutex<Records>>,
    /// 0: refuses none.
    refuse: usize,
    /// The number of the record taken that cannot be read; 0: all can.
    lose: usize,
}

impl Spill for Store {
    fn write(&mut self, record: &[u8]) -> Option<SpillId> {
        let mut records = self.records.lock().unwrap();
        let id = records.there.len();
        records.there.push(Some(record.to_vec()));
        records.bytes += record.len();
        if self.refuse != 0 && id.is_multiple_of(self.refuse) {
            records.there[id] = None;
            return None;
        }
        Some(SpillId(id as u32))
    }

    fn take(&mut self, id: SpillId, into: &mut Vec<u8>) -> bool {
        let mut records = self.records.lock().unwrap();
        let record = records.there[id.0 as usize].take();
        let record = record.expect("written, and not taken before");
        records.taken += 1;
        let is_read = records.taken != self.lose;
        into.extend(record.into_iter().filter(|_| is_read));
        is_read
    }
}

fn spilling(order: Order, bytes: usize, refuse: usize) -> (Explorer, Arc<Mutex<Records>>) {
    spilling_to(order, bytes, (refuse, 0))
}

fn spilling_to(
    order: Order,
    bytes: usize,
    (refuse, lose): (usize, usize),
) -> (Explorer, Arc<Mutex<Records>>) {
    let records = Arc::new(Mutex::new(Records::default()));
    let mut explorer = Explorer::new(config(order, Mutation::None, true));
    let store = Store {
        records: records.clone(),
        refuse,
        lose,
    };
    explorer.spill_to(Box::new(store), bytes);
    (explorer, records)
}

fn left(records: &Mutex<Records>) -> usize {
    records.lock().unwrap().there.iter().flatten().count()
}

/// With a limit of nothing or next to nothing, in leftmost and in random order.
#[test]
fn explores_each_trace_once() {
    let (mut written, mut taken) = (0, 0);
    for at in 0..600 {
        let flavour = FLAVOURS[at % FLAVOURS.len()];
        let threads = program(&mut Random(at as u64), flavour);
        let Some(expected) = brute::traces(&threads, 4_000) else {
            continue;
        };
        for (order, bytes, refuse) in [
            (Order::Leftmost, 0, 0),
            (Order::Leftmost, 4_000, 7),
            (Order::Random(at as u64), 0, 0),
        ] {
            let (mut explorer, records) = spilling(order, bytes, refuse);
            let defects = compare_search(&threads, true, &expected, &mut explorer);
            assert!(!defects.any(), "{flavour:?} {at} {order:?}: {defects:?}");
            assert_eq!(left(&records), 0, "everything was needed");
            let records = records.lock().unwrap();
            written += records.there.len();
            taken += records.taken;
        }
    }
    println!("{written} records written, {taken} taken back");
    assert!(taken > 10_000, "hardly anything was spilled: {taken}");
}

/// Threads 1 to `n` each read a cell and write the next; thread 0 looks for the last that is 0.
/// (lastzero of the literature.)
fn lastzero(n: usize) -> Threads {
    let mut threads = vec![Vec::new()];
    for i in (1..=n).rev() {
        threads[0].push(Op::Load(i, 0));
        threads[0].push(Op::SkipUnless(0, 1, 2 * (i - 1)));
        threads.push(vec![Op::Load(i - 1, 0), Op::Store(i, 1)]);
    }
    threads
}

/// The number of executions of lastzero is known from the literature: 3,328 for 10 threads. Their
/// plans take 500,000 bytes; a tenth is enough, and what one execution adds before it is written.
#[test]
fn limit_is_kept() {
    let limit = 50_000;
    let (mut explorer, records) = spilling(Order::Leftmost, limit, 0);
    let mut program = Interpreter::new(&lastzero(10));
    while let Some(execution) = explorer.next(&mut program).expect("no fault") {
        assert!(execution.events > 0);
    }
    let counters = explorer.counters();
    println!("{counters:?}, {} bytes", records.lock().unwrap().bytes);
    assert_eq!(counters.complete, 3_328);
    assert_eq!(counters.executions(), 3_328);
    assert!(counters.nodes_spilled > 1_000);
    // A node takes at least 40 bytes.
    assert!(
        counters.nodes_max as usize * 40 <= 2 * limit,
        "{counters:?}"
    );
    assert_eq!(left(&records), 0);
}

/// Whichever record cannot be read again, the search says so and ends; all that it says it executed are
/// executions of the program, each another one.
#[test]
fn what_cannot_be_read_again_ends_the_search() {
    let threads = lastzero(6);
    let (mut whole, records) = spilling(Order::Leftmost, 0, 0);
    let mut program = Interpreter::new(&threads);
    let mut all = BTreeSet::new();
    while whole.next(&mut program).expect("no fault").is_some() {
        all.insert(whole.schedule());
    }
    let taken = records.lock().unwrap().taken;
    assert!(taken > 20, "hardly anything was spilled: {taken}");
    for lose in 1..=taken {
        let (mut explorer, _) = spilling_to(Order::Leftmost, 0, (0, lose));
        let mut program = Interpreter::new(&threads);
        let mut seen = BTreeSet::new();
        let end = loop {
            match explorer.next(&mut program) {
                Ok(Some(_)) => assert!(seen.insert(explorer.schedule()), "{lose}: twice"),
                end => break end,
            }
        };
        assert_eq!(end, Err(Fault::Unreadable), "record {lose}");
        assert!(seen.is_subset(&all), "record {lose}");
        assert!(seen.len() < all.len(), "record {lose}");
        assert!(!explorer.has_more());
    }
}
