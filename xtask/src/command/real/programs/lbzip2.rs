//! lbzip2, a parallel bzip2 with a scheduler of its own.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, AUTOMAKE};
use super::BLOCKS;

const ARGUMENTS: &[&str] = &["-n", "2", "-1", "-k", "-c", "blocks.txt"];

pub const PROGRAM: Program = Program {
    name: "lbzip2",
    package: "lbzip2",
    needs: &[],
    system: System::Configure,
    // Its gnulib of 2014 tells glibc by macros that glibc 2.28 took away.
    options: &["CPPFLAGS=-D_IO_ftrylockfile"],
    targets: &[],
    made: Made::Program("src/lbzip2"),
    inputs: &[BLOCKS],
    runs: &[Run {
        arguments: ARGUMENTS,
        found: "",
        remark: "`-D_IO_ftrylockfile`: its gnulib looks for this macro of glibc before 2.28",
    }],
    seed: Seed {
        what: "a block that was compressed is handed to the writer without the writer's lock",
        edits: &[
            Edit {
                file: "src/process.c",
                after: "sink_write_buffer(",
                find: "xlock(&sink_mutex);",
                replace: "",
            },
            Edit {
                file: "src/process.c",
                after: "sink_write_buffer(",
                find: "xunlock(&sink_mutex);",
                replace: "",
            },
        ],
        options: &[],
        arguments: ARGUMENTS,
        found: "data-race",
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[&["make", "check"]],
        tally: AUTOMAKE,
        remark: "",
    }),
};
