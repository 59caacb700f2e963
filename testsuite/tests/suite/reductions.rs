//! Random programs with the reduction `commute` and without: the same verdict, the same pairs of
//! racing lines, and, where nothing races, the same outcomes.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 30, `DPOR_TEST_SEED=N` begins at another seed.

use dpor_report::Report;
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/// One statement. Two plain variables, two atomic ones, and the thread's own number `s`.
fn statement(random: &mut Random) -> String {
    let x = random.below(2);
    let order = |random: &mut Random, of: &[usize]| {
        ORDERS[of[random.below(of.len() as u64) as usize]].to_owned()
    };
    let any = order(random, &[0, 1, 2, 3, 4]);
    match random.below(100) {
        0..8 => format!("p{x}++;"),
        8..24 => format!("s += p{x};"),
        24..70 => {
            let operator = ["add", "add", "add", "sub", "or"][random.below(5) as usize];
            format!("atomic_fetch_{operator}_explicit(&a{x}, 1, memory_order_{any});")
        }
        70..75 => format!("s += atomic_fetch_add_explicit(&a{x}, 1, memory_order_{any});"),
        75..82 => {
            let order = order(random, &[0, 1, 4]);
            format!("s += atomic_load_explicit(&a{x}, memory_order_{order});")
        }
        82..88 => {
            let order = order(random, &[0, 2, 4]);
            format!("atomic_store_explicit(&a{x}, 1, memory_order_{order});")
        }
        _ => {
            let order = order(random, &[1, 2, 3, 4]);
            format!("atomic_thread_fence(memory_order_{order});")
        }
    }
}

/// All programs in one file; the first argument says which one runs.
fn programs(seeds: impl Iterator<Item = u64>) -> String {
    let mut text = "#include <dpor.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        #include <stdlib.h>\natomic_int a0, a1;\nint p0, p1;\n"
        .to_owned();
    let mut cases = String::new();
    for (number, seed) in seeds.enumerate() {
        let mut random = Random(seed);
        let threads = [2, 2, 3][random.below(3) as usize];
        for thread in 0..threads {
            let _ = writeln!(text, "static void *t{number}_{thread}(void *u) {{");
            let _ = writeln!(text, "    long s = 0;\n    (void)u;");
            for _ in 0..2 + random.below(5 - threads / 3) {
                let _ = writeln!(text, "    {}", statement(&mut random));
            }
            let _ = writeln!(text, "    return (void *)s;\n}}");
        }
        let _ = writeln!(cases, "    case {number}:");
        for thread in 0..threads {
            let _ = writeln!(
                cases,
                "        pthread_create(&t[{thread}], 0, t{number}_{thread}, 0);"
            );
        }
        for thread in 0..threads {
            let _ = writeln!(cases, "        pthread_join(t[{thread}], &r[{thread}]);");
        }
        cases.push_str("        break;\n");
    }
    let _ = write!(
        text,
        "int main(int count, char **arguments) {{\n    pthread_t t[3];\n    void *r[3] = {{0, 0, 0}};\n\
         \x20   if (count < 2) return 2;\n    switch (atoi(arguments[1])) {{\n{cases}    }}\n"
    );
    for value in [
        "a0",
        "a1",
        "p0",
        "p1",
        "(long)r[0]",
        "(long)r[1]",
        "(long)r[2]",
    ] {
        let _ = writeln!(text, "    dpor_observe(\"{value}\", {value});");
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// Findings as sets of (line, access).
fn findings(report: &Report) -> BTreeSet<Vec<(u32, String)>> {
    let sides = |finding: &dpor_report::Finding| {
        let sides = finding.accesses.iter();
        let mut sides: Vec<_> = sides.map(|a| (a.place.line, a.access.clone())).collect();
        sides.sort();
        sides
    };
    report.findings.iter().map(sides).collect()
}

fn outcomes(report: &Report) -> BTreeSet<BTreeMap<String, i64>> {
    report.outcomes.iter().map(|o| o.values.clone()).collect()
}

#[test]
fn commuting_updates_hide_nothing() {
    let tool = Tool::new("reductions");
    let count = number("DPOR_TEST_RANDOM", 30);
    let first = number("DPOR_TEST_SEED", 1);
    let binary = tool.compile("reductions", &programs(first..first + count), &[]);
    let (mut clean, mut given_up, mut all, mut reduced) = (0, 0, 0, 0);
    for index in 0..count {
        let argument = index.to_string();
        let run = |reductions: &str| {
            let options = ["-k", "--outcomes", "--minimize-time=0", reductions];
            tool.check(&binary, &options, &[&argument]).report
        };
        let (none, commute) = (run("--reductions=none"), run("--reductions=commute"));
        let seed = first + index;
        assert_eq!(none.verdict, commute.verdict, "seed {seed}");
        assert_eq!(findings(&none), findings(&commute), "seed {seed}");
        if none.findings.is_empty() {
            assert_eq!(outcomes(&none), outcomes(&commute), "seed {seed}");
            clean += 1;
        }
        given_up += u64::from(commute.reductions.is_empty());
        all += none.executions.total();
        reduced += commute.executions.total();
    }
    println!("{count} programs, {clean} without races, {given_up} without the reduction in the end; {all} executions, {reduced} with it");
    assert!(clean * 5 > count && clean < count, "programs of both kinds");
    assert!(reduced * 10 < all * 9, "the reduction was hardly used");
}
