//! pixz, a parallel xz with an index.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, AUTOMAKE};
use super::BLOCKS;

pub const PROGRAM: Program = Program {
    name: "pixz",
    package: "pixz",
    needs: &["autoconf", "automake", "libarchive-dev", "liblzma-dev"],
    system: System::Configure,
    options: &["--without-manpage"],
    targets: &[],
    made: Made::Program("src/pixz"),
    inputs: &[BLOCKS],
    runs: &[Run {
        arguments: &["-0", "-p", "2", "-t", "-i", "blocks.txt", "-o", "/dev/null"],
        found: "",
        remark: "liblzma is the system's, not instrumented",
    }],
    seed: Seed {
        what: "who waits for a queue does not look again: `if` for `while`",
        edits: &[Edit {
            file: "src/common.c",
            after: "int queue_pop(",
            find: "while (!q->first)",
            replace: "if (!q->first)",
        }],
        options: &[],
        found: "crash",
        arguments: &["-0", "-p", "2", "-t", "-i", "blocks.txt", "-o", "/dev/null"],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[&["make", "check"]],
        tally: AUTOMAKE,
        remark: "`cppcheck-src.sh` fails where there is no cppcheck",
    }),
};
