//! Concurrency Kit's ring, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};

pub const PROGRAM: Program = Program {
    name: "ck",
    package: "ck",
    needs: &[],
    system: System::Configure,
    // Threads of its regressions, of which most spin.
    options: &["--cores=2"],
    targets: &[],
    made: Made::Driver {
        source: "ck_ring.c",
        arguments: &["-Iinclude", "src/libck.a"],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &["6"],
        found: "",
        remark:
            "ck_ring, several producers and consumers; its atomic operations are inline assembly",
    }],
    seed: Seed {
        what: "a producer does not wait for those before it: `if` for `while`",
        edits: &[Edit {
            file: "include/ck_ring.h",
            after: "_ck_ring_enqueue_mp(struct ck_ring *ring,",
            find: "while (ck_pr_load_uint(&ring->p_tail) != producer)",
            replace: "if (ck_pr_load_uint(&ring->p_tail) != producer)",
        }],
        options: &[],
        found: "data-race",
        arguments: &["3"],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[&["make", "check"]],
        tally: Tally::Exit,
        remark: "`validate` of 25 folders, with `--cores=2`; a few minutes",
    }),
};
