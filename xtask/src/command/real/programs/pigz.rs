//! pigz, a parallel gzip.

use super::super::build::System;
use super::super::program::{Edit, Input, Made, Program, Run, Seed, Suite, Tally};

/// Several blocks of 32 KiB.
const ARGUMENTS: &[&str] = &["-p", "3", "-b", "32", "-k", "-c", "input.txt"];

pub const PROGRAM: Program = Program {
    name: "pigz",
    package: "pigz",
    needs: &["zlib1g-dev"],
    system: System::Make,
    options: &[],
    targets: &["pigz"],
    made: Made::Program("pigz"),
    inputs: &[
        Input::Text {
            name: "input.txt",
            bytes: 100_000,
        },
        Input::Output {
            name: "input.gz",
            arguments: ARGUMENTS,
        },
    ],
    runs: &[
        Run {
            arguments: ARGUMENTS,
            found: "",
            remark: "zlib is the system's, not instrumented",
        },
        Run {
            arguments: &["-d", "-p", "3", "-k", "-c", "input.gz"],
            found: "",
            remark: "reads, decompresses, checks and writes in a thread each",
        },
    ],
    seed: Seed {
        what: "the check value of a block is taken without waiting until it is calculated",
        edits: &[Edit {
            file: "pigz.c",
            after: "compress thread is done with the input, release it",
            find: "wait_for(job->calc, TO_BE, 1);",
            replace: "",
        }],
        options: &[],
        arguments: ARGUMENTS,
        found: "data-race",
    },
    suite: Some(Suite {
        needs: &["ncompress"],
        commands: &[&["make", "test"]],
        tally: Tally::Exit,
        remark: "round trips",
    }),
};
