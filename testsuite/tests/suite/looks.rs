//! Random programs whose threads wait for values that others store, also plainly: the looks that a search leaves
//! out race as those that it makes.
//!
//! Each program is compiled twice: with loops that wait, and with two looks instead, behind which the execution is
//! left if both were in vain. One look is enough to race, so that both have races or none.
//!
//! Where there is a race, what comes of it depends on the order of the plain accesses, and so may a further one. So
//! if different variables are told of, all orders are explored, and the variables have to be the same then.
//!
//! They wait in loops that look, exchange or compare and exchange, at one cell, at part of it or at two cells in turn,
//! and on futex words.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 60, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind polled` runs many.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Programs in a normal run.
const PROGRAMS: u64 = 60;
/// Programs that are compiled at once.
const BATCH: u64 = 250;

const PRELUDE: &str = "#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef TWO_LOOKS
#define WAIT(passes) do { if (!(passes) && !(passes)) dpor_assume(0); } while (0)
#define ROUNDS 2
#else
#define WAIT(passes) while (!(passes)) {}
#define ROUNDS 100
#endif
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SEQ memory_order_seq_cst
_Atomic int z, w, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int exchange(_Atomic int *at, int from, int to, memory_order how) {
    return atomic_compare_exchange_strong_explicit(at, &from, to, how, how);
}
static void sleeps_until(_Atomic int *at, int value) {
    for (int k = 0; k < ROUNDS; k++) {
        int found = atomic_load_explicit(at, ACQ);
        if (found == value) return;
        syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, found, 0, 0, 0);
    }
    dpor_assume(0);
}
static void wakes(_Atomic int *at, int value, memory_order how) {
    atomic_store_explicit(at, value, how);
    syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, 9, 0, 0, 0);
}
";

fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len() as u64) as usize]
}

/// A store or load of one of the cells, of any kind.
fn write_step(random: &mut Random, text: &mut String) {
    let cell = one(random, &["z", "z", "w"]);
    let value = random.below(3);
    let release = one(random, &["RLX", "REL"]);
    let _ = match random.below(12) {
        0..=2 => writeln!(text, "    *(int *)&{cell} = {value};"),
        9 => writeln!(
            text,
            "    ((short *)&{cell})[{}] = {value};",
            random.below(2)
        ),
        10 => writeln!(
            text,
            "    atomic_store_explicit(&((_Atomic char *)&{cell})[{}], {value}, {release});",
            random.below(2)
        ),
        11 => writeln!(text, "    wakes(&{cell}, {value}, {release});"),
        3 => writeln!(
            text,
            "    ((char *)&{cell})[{}] = {value};",
            random.below(2)
        ),
        4 | 5 => writeln!(
            text,
            "    atomic_store_explicit(&{cell}, {value}, {release});"
        ),
        6 => writeln!(text, "    atomic_exchange_explicit(&{cell}, {value}, SEQ);"),
        7 => writeln!(text, "    atomic_store_explicit(&y, 1, {release});"),
        _ => {
            let acquire = one(random, &["RLX", "ACQ"]);
            writeln!(
                text,
                "    if (!atomic_load_explicit(&y, {acquire})) return p;"
            )
        }
    };
}

fn wait_step(random: &mut Random, text: &mut String) {
    let cell = one(random, &["z", "z", "w"]);
    let value = random.below(3);
    let order = one(random, &["RLX", "ACQ", "SEQ"]);
    let passes = match random.below(7) {
        5 => format!(
            "atomic_load_explicit(&((_Atomic {} *)&{cell})[{}], {order}) == {value}",
            one(random, &["char", "short"]),
            random.below(2)
        ),
        6 => {
            let _ = writeln!(text, "    sleeps_until(&{cell}, {value});");
            return;
        }
        0 => format!("atomic_load_explicit(&{cell}, {order}) == {value}"),
        1 => format!("atomic_load_explicit(&{cell}, {order}) != {value}"),
        2 => format!("exchange(&{cell}, {value}, {}, {order})", random.below(3)),
        3 => format!("atomic_exchange_explicit(&{cell}, 1, {order}) != 1"),
        _ => "atomic_load_explicit(&z, ACQ) != 1 && atomic_load_explicit(&w, ACQ) != 2".to_owned(),
    };
    let _ = writeln!(text, "    WAIT({passes});");
}

fn program(number: u64, random: &mut Random, text: &mut String) {
    let threads = 2 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(text, "static void *t{number}_{thread}(void *p) {{");
        let waits = thread == 0 || random.below(4) == 0;
        for _ in 0..random.below(2) {
            write_step(random, text);
        }
        if waits {
            if random.below(3) == 0 {
                text.push_str("    if (!atomic_load_explicit(&y, RLX)) return p;\n");
            }
            wait_step(random, text);
        } else {
            write_step(random, text);
            write_step(random, text);
        }
        for _ in 0..random.below(2) {
            write_step(random, text);
        }
        text.push_str("    return p;\n}\n");
    }
    let _ = writeln!(
        text,
        "static void main_{number}(void) {{\n    pthread_t t[3];"
    );
    let mut order: Vec<u64> = (0..threads).collect();
    if random.below(2) == 0 {
        order.reverse();
    }
    for thread in order {
        let _ = writeln!(
            text,
            "    pthread_create(&t[{thread}], 0, t{number}_{thread}, 0);"
        );
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    text.push_str("}\n");
}

fn programs(seeds: impl Iterator<Item = u64>) -> String {
    let mut text = PRELUDE.to_owned();
    let mut cases = String::new();
    for (number, seed) in (0..).zip(seeds) {
        program(number, &mut Random(seed), &mut text);
        let _ = writeln!(cases, "    case {number}: main_{number}(); break;");
    }
    let _ = writeln!(
        text,
        "int main(int count, char **arguments) {{\n    (void)count;\n    switch (atoi(arguments[1])) {{\n{cases}    }}\n}}"
    );
    text
}

/// The variables on which there are races.
fn raced(report: &Report) -> BTreeSet<String> {
    let races = report.findings.iter();
    let races = races.filter(|finding| finding.kind == FindingKind::DataRace);
    let names = races.filter_map(|finding| Some(finding.object.as_ref()?.name.clone()));
    // Part of a variable is `z+1`.
    names.map(|name| name[..1].to_owned()).collect()
}

fn is_racy(report: &Report) -> bool {
    !raced(report).is_empty()
}

/// Whether all was searched; perhaps nobody's second look found what it waits for.
fn is_whole(report: &Report) -> bool {
    let is_vain = |reason: &String| reason.starts_with("no execution fulfils");
    report.verdict != Verdict::Incomplete || report.reason.as_ref().is_some_and(is_vain)
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Numbers of the programs that were compared.
#[derive(Default)]
struct Sums {
    /// Programs with races, each counted once for each search that was compared.
    races: u64,
    clean: u64,
    /// Searches that did not come to their end.
    left: u64,
    /// Searches of all orders of plain accesses.
    again: u64,
    wrong: Vec<(u64, String, BTreeSet<String>, BTreeSet<String>)>,
}

/// Compares the programs with these seeds, each in every way or, if there are many, in one that changes.
fn compare(seeds: std::ops::Range<u64>, is_brief: bool, sums: &mut Sums) {
    const WAYS: [&[&str]; 3] = [&[], &["--reductions=none"], &["--search=classic"]];
    let tool = Tool::new("looks");
    let text = programs(seeds.clone());
    let waiting = tool.compile("waiting", &text, &["-O1"]);
    let looking = tool.compile("looking", &text, &["-O1", "-DTWO_LOOKS"]);
    for (index, seed) in seeds.enumerate() {
        let argument = index.to_string();
        let run = |binary, options: &[&str]| {
            let all = [
                &["-k", "--max-executions=3000", "--minimize-time=0"],
                options,
            ];
            tool.check(binary, &all.concat(), &[&argument]).report
        };
        let made = run(&looking, &[]);
        for (way, options) in WAYS.into_iter().enumerate() {
            if is_brief && seed as usize % WAYS.len() != way {
                continue;
            }
            let mut reports = [made.clone(), run(&waiting, options)];
            if reports.iter().all(is_racy) && raced(&reports[0]) != raced(&reports[1]) {
                let options = [&["--plain=explore"], options].concat();
                reports = [run(&looking, &["--plain=explore"]), run(&waiting, &options)];
                sums.again += 1;
            }
            if !reports.iter().all(is_whole) {
                sums.left += 1;
                continue;
            }
            let [made, left_out] = reports.map(|report| raced(&report));
            match made.is_empty() {
                true => sums.clean += 1,
                false => sums.races += 1,
            }
            if made != left_out {
                let wrong = (seed, options.join(" "), made, left_out);
                println!("{wrong:?}");
                sums.wrong.push(wrong);
            }
        }
    }
}

#[test]
fn looks_in_vain_race_as_those_that_are_made() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", PROGRAMS);
    let (end, mut sums) = (first + count, Sums::default());
    for from in (first..end).step_by(BATCH as usize) {
        let batch = from..end.min(from + BATCH);
        compare(batch, count > PROGRAMS, &mut sums);
    }
    let Sums {
        races,
        clean,
        left,
        again,
        wrong,
    } = sums;
    println!(
        "{count} programs, {races} with races and {clean} without, {again} in all orders of plain accesses, {left} not searched to the end"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(races > 0 && clean > 0 && left < count / 10);
}
