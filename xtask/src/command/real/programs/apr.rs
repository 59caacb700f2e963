//! The Apache Portable Runtime's pools and threads, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};

pub const PROGRAM: Program = Program {
    name: "apr",
    package: "apr",
    needs: &["uuid-dev"],
    system: System::Configure,
    options: &[],
    targets: &[],
    made: Made::Driver {
        source: "apr_pools.c",
        arguments: &[
            "-Iinclude",
            "-D_GNU_SOURCE",
            ".libs/libapr-1.a",
            "-lcrypt",
            "-luuid",
        ],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &["4"],
        found: "data-race",
        remark: "theirs: `allocator_alloc` looks at `max_index` of the allocator without its lock first. Undefined by C11 5.1.2.4; the value decides where a free node is looked for, and is read again under the lock",
    }],
    seed: Seed {
        what: "apr_atomic_inc32 is a load and a store",
        edits: &[Edit {
            file: "atomic/unix/builtins.c",
            after: "apr_atomic_inc32(",
            find: "return __atomic_fetch_add(mem, 1, __ATOMIC_SEQ_CST);",
            replace: "apr_uint32_t before = *mem; *mem = before + 1; return before;",
        }],
        // The race that it has is found before.
        options: &["--races=off"],
        arguments: &["1"],
        found: "abort",
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[&["make", "check"]],
        tally: Tally::Lines {
            passed: ":  SUCCESS",
            failed: ":  FAILED",
        },
        remark: "",
    }),
};
