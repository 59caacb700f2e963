//! pbzip2, a parallel bzip2 in C++.

use super::super::build::System;
use super::super::program::{Edit, Input, Made, Program, Run, Seed};
use super::BLOCKS;

pub const PROGRAM: Program = Program {
    name: "pbzip2",
    package: "pbzip2",
    needs: &["libbz2-dev"],
    system: System::Make,
    // As C++11, clang takes the formats that it puts together for literals of the user's.
    options: &["CXXFLAGS_PTHREAD=-pthread -D_POSIX_PTHREAD_SEMANTICS -std=gnu++98"],
    targets: &["pbzip2"],
    made: Made::Program("pbzip2"),
    inputs: &[
        BLOCKS,
        Input::Output {
            name: "blocks.bz2",
            arguments: &["-p2", "-1", "-b1", "-k", "-c", "blocks.txt"],
        },
    ],
    runs: &[
        Run {
            arguments: &["-p3", "-1", "-b1", "-k", "-c", "blocks.txt"],
            found: "",
            remark: "`-std=gnu++98`: clang refuses its literals as C++11",
        },
        Run {
            arguments: &["-p2", "-d", "-k", "-c", "blocks.bz2"],
            found: "",
            remark: "",
        },
    ],
    seed: Seed {
        what: "the flag that says that all was read is set without its lock",
        edits: &[
            Edit {
                file: "pbzip2.cpp",
                after: "inline void syncSetProducerDone(int newValue)\n{",
                find: "safe_mutex_lock(ProducerDoneMutex);",
                replace: "",
            },
            Edit {
                file: "pbzip2.cpp",
                after: "producerDone = newValue;",
                find: "safe_mutex_unlock(ProducerDoneMutex);",
                replace: "",
            },
        ],
        options: &[],
        found: "data-race",
        arguments: &["-p3", "-1", "-b1", "-k", "-c", "blocks.txt"],
    },
    // Its archive has none, nor its Makefile a target.
    suite: None,
};
