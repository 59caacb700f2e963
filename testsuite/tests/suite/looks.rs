//! Random programs whose threads wait for values that others store, also plainly: the looks that a search leaves
//! out race as those that it makes.
//!
//! Each program is compiled twice: with loops that wait, and with two looks instead, behind which the execution is
//! left if both were in vain. One look is enough to race, so that both have races of the same variables.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 60, `DPOR_TEST_SEED=N` begins at another seed.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Programs in a normal run.
const PROGRAMS: u64 = 60;

const PRELUDE: &str = "#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef TWO_LOOKS
#define WAIT(passes) do { if (!(passes) && !(passes)) dpor_assume(0); } while (0)
#else
#define WAIT(passes) while (!(passes)) {}
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
";

fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len() as u64) as usize]
}

/// A store or load of one of the cells, of any kind.
fn write_step(random: &mut Random, text: &mut String) {
    let cell = one(random, &["z", "z", "w"]);
    let value = random.below(3);
    let release = one(random, &["RLX", "REL"]);
    let _ = match random.below(9) {
        0..=2 => writeln!(text, "    *(int *)&{cell} = {value};"),
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
    let passes = match random.below(5) {
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

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn looks_in_vain_race_as_those_that_are_made() {
    let tool = Tool::new("looks");
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", PROGRAMS);
    let text = programs((0..count).map(|k| first + k));
    let waiting = tool.compile("waiting", &text, &["-O1"]);
    let looking = tool.compile("looking", &text, &["-O1", "-DTWO_LOOKS"]);
    let (mut races, mut clean, mut wrong) = (0, 0, Vec::new());
    for index in 0..count {
        let argument = index.to_string();
        let run = |binary, options: &[&str]| {
            let all = [&["-k", "--max-executions=3000"], options].concat();
            tool.check(binary, &all, &[&argument]).report
        };
        let made = run(&looking, &[]);
        for options in [&[][..], &["--reductions=none"], &["--search=classic"]] {
            let left_out = run(&waiting, options);
            if made.verdict == Verdict::Incomplete || left_out.verdict == Verdict::Incomplete {
                continue;
            }
            if raced(&made) != raced(&left_out) {
                wrong.push((
                    first + index,
                    options.join(" "),
                    raced(&made),
                    raced(&left_out),
                ));
            }
            match raced(&made).is_empty() {
                true => clean += 1,
                false => races += 1,
            }
        }
    }
    println!("{races} with races, {clean} without");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(races > 0 && clean > 0);
}
