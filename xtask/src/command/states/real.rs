//! `cargo xtask states --real`: libraries of Debian's under drivers that go on for ever, as they are and with a bug.

use crate::checked::{check, said};
use crate::command::bench::today;
use crate::command::real::build::{Build, Compilers};
use crate::command::real::program::{Edit, Made, Program, Seed};
use crate::command::real::programs::{ck, liburcu};
use crate::command::real::seed;
use crate::stop::{Outcome, Stop};
use dpor_report::{text, Report, Verdict};

/// A library with its driver, and what checks of it say: as it is, and with its bug.
struct Case {
    program: Program,
    what: &'static str,
    options: &'static [&'static str],
    expected: Verdict,
}

const CASES: [Case; 2] = [
    Case {
        program: Program {
            name: "liburcu-mb",
            made: Made::Driver {
                source: "urcu_settings.c",
                arguments: &[
                    "-DRCU_MB",
                    "-Iinclude",
                    "src/.libs/liburcu-mb.a",
                    "src/.libs/liburcu-common.a",
                ],
            },
            runs: &[],
            seed: Seed {
                what: "a grace period waits for readers of one phase only",
                edits: &[Edit {
                    file: "src/urcu.c",
                    after: "",
                    find: "wait_for_readers(&registry, &cur_snap_readers, &qsreaders);",
                    replace: "cds_list_splice(&registry, &cur_snap_readers); CDS_INIT_LIST_HEAD(&registry);",
                }],
                options: &[],
                arguments: &[],
                found: "data-race",
            },
            suite: None,
            ..liburcu::PROGRAM
        },
        what: "a reader, a writer that frees what was current; flavour of memory barriers",
        options: &["--states"],
        expected: Verdict::Verified,
    },
    Case {
        program: Program {
            name: "ck-spsc",
            made: Made::Driver {
                source: "ck_spsc.c",
                arguments: &["-Iinclude", "src/libck.a"],
            },
            runs: &[],
            seed: Seed {
                what: "the producer shows an entry before it is written",
                edits: &[Edit {
                    file: "include/ck_ring.h",
                    after: "_ck_ring_enqueue_sp(struct ck_ring *ring,",
                    find: "buffer = (char *)buffer + ts * (producer & mask);",
                    replace: "ck_pr_store_uint(&ring->p_tail, delta); buffer = (char *)buffer + ts * (producer & mask);",
                }],
                options: &[],
                arguments: &[],
                found: "data-race",
            },
            suite: None,
            ..ck::PROGRAM
        },
        what: "ck_ring of 4 places, a producer and a consumer; its positions only grow",
        options: &["--states", "--max-states=100000"],
        expected: Verdict::Incomplete,
    },
];

/// The section of docs/states.md about them.
pub const HEADING: &str = "## Libraries of others, measured";

/// Fetches, builds and checks them; the section.
///
/// # Errors
/// If one cannot be had, or a check does not say what it must.
pub fn section() -> Outcome<String> {
    let mut rows = String::new();
    for case in &CASES {
        let build = Build::new(&case.program, Compilers::ours())?;
        let options = [&["--output=none"], case.options].concat();
        let report = check(&build.made(), &options, &[])?;
        expect(case, report.verdict == case.expected, &report)?;
        rows += &row(&build, case.what, &report);
        let seed = &case.program.seed;
        seed::plant(seed.edits, &build.folder)?;
        build.make()?;
        let report = check(&build.made(), &options, &[])?;
        let is_found = { report.findings.iter() }.any(|f| f.kind.to_string() == seed.found);
        expect(case, is_found, &report)?;
        rows += &row(&build, seed.what, &report);
    }
    Ok(format!(
        "{HEADING}\n\n\
         Written by `cargo xtask states --real` on {}: source packages of Debian's, built with `CC=dpor-cc`, under drivers of ours that go on for ever (`xtask/src/command/real/drivers/`); then with a bug that we planted.\n\n\
         | library | what | found | states | steps | rounds | seconds |\n\
         |---|---|---|--:|--:|--:|--:|\n{rows}",
        today()?
    ))
}

fn expect(case: &Case, is_right: bool, report: &Report) -> Outcome {
    match is_right {
        true => Ok(()),
        false => Err(Stop::failed(format!(
            "{}: {}: {}",
            case.program.name,
            report.verdict,
            said(report)
        ))),
    }
}

fn row(build: &Build, what: &str, report: &Report) -> String {
    let states = report.states.clone().unwrap_or_default();
    let differing: Vec<String> = { states.differing.iter() }
        .filter(|differing| !differing.object.name.starts_with("0x"))
        .map(|differing| format!("`{}` {:.0} %", differing.object.name, differing.share))
        .collect();
    let found = match report.verdict {
        Verdict::Verified => "verified".to_owned(),
        Verdict::Incomplete => format!("endless: {}", differing.join(", ")),
        _ => said(report),
    };
    let row = format!(
        "| {} | {what} | {found} | {} | {} | {} | {:.1} |\n",
        build.version,
        text::grouped(states.states),
        text::grouped(states.steps.unwrap_or(states.steps_executed)),
        states.rounds,
        report.seconds.wall,
    );
    eprint!("{row}");
    row
}
