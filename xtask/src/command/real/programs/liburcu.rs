//! Userspace RCU's queue, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, AUTOMAKE};

pub const PROGRAM: Program = Program {
    name: "liburcu",
    package: "liburcu",
    needs: &[],
    system: System::Configure,
    options: &["--disable-shared"],
    targets: &["SUBDIRS=include src"],
    made: Made::Driver {
        source: "urcu_queue.c",
        arguments: &[
            "-Iinclude",
            "src/.libs/liburcu-cds.a",
            "src/.libs/liburcu.a",
            "src/.libs/liburcu-common.a",
        ],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &["8"],
        found: "",
        remark: "wfcqueue; its atomic operations are inline assembly",
    }],
    seed: Seed {
        what: "the tail is exchanged by a load and a store",
        edits: &[Edit {
            file: "include/urcu/static/wfcqueue.h",
            after: "",
            find: "old_tail = uatomic_xchg(&tail->p, new_tail);",
            replace: "old_tail = CMM_LOAD_SHARED(tail->p); CMM_STORE_SHARED(tail->p, new_tail);",
        }],
        options: &[],
        found: "assertion",
        arguments: &["2"],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[&["make"], &["make", "check"]],
        tally: AUTOMAKE,
        remark: "",
    }),
};
