//! A queue for one producer and one consumer, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};

pub const PROGRAM: Program = Program {
    name: "readerwriterqueue",
    package: "readerwriterqueue",
    needs: &[],
    system: System::Headers,
    options: &[],
    targets: &[],
    made: Made::Driver {
        source: "spsc.cc",
        arguments: &["-I."],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "",
        remark: "header only, C++11",
    }],
    seed: Seed {
        what: "no release fence between an element and the tail behind it",
        edits: &[Edit {
            file: "readerwriterqueue.h",
            after: "new (location) T(std::forward<U>(element));\n#endif",
            find: "fence(memory_order_release);",
            replace: "",
        }],
        options: &[],
        found: "data-race",
        arguments: &[],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &["make", "-C", "tests/unittests"],
            &["tests/unittests/unittests", "--disable-prompt"],
        ],
        tally: Tally::Exit,
        remark: "",
    }),
};
