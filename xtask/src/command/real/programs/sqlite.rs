//! SQLite, two threads on one database in memory, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};

pub const PROGRAM: Program = Program {
    name: "sqlite",
    package: "sqlite3",
    needs: &["tcl"],
    system: System::Configure,
    options: &[
        "--disable-tcl",
        "--disable-readline",
        "--disable-shared",
        "--disable-load-extension",
    ],
    targets: &["libsqlite3.la"],
    made: Made::Driver {
        source: "sqlite_rows.c",
        arguments: &["-I.", ".libs/libsqlite3.a", "-lm"],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "",
        remark: "a database in memory with a shared cache; a thread-safe build, as it comes",
    }],
    seed: Seed {
        what: "freed memory is taken off the statistics without their lock",
        edits: &[
            Edit {
                file: "src/malloc.c",
                after: "void sqlite3_free(void *p){",
                find: "sqlite3_mutex_enter(mem0.mutex);",
                replace: "",
            },
            Edit {
                file: "src/malloc.c",
                after: "void sqlite3_free(void *p){",
                find: "sqlite3_mutex_leave(mem0.mutex);",
                replace: "",
            },
        ],
        options: &[],
        found: "data-race",
        arguments: &[],
    },
    suite: Some(Suite {
        needs: &["tcl-dev"],
        commands: &[
            &[
                "make",
                "testfixture",
                "LIBTCL=-ltcl8.6",
                "OPTS=-I/usr/include/tcl8.6",
            ],
            // One command for both: the numbers are those of the last.
            &[
                "env",
                "QUICKTEST_INCLUDE=notify2.test thread001.test thread002.test thread003.test thread004.test thread005.test walthread.test",
                "QUICKTEST_OMIT=^attach.test,^backup2.test,^delete.test,^extension01.test,^oserror.test,^pager1.test,^temptable.test,^tkt3457.test,^wal2.test",
                "./testfixture",
                "test/extraquick.test",
            ],
        ],
        tally: Tally::Lines {
            passed: "... Ok",
            failed: " expected: [",
        },
        remark: "`make quicktest` and all of its `threads`, together ten minutes; without nine files that test permissions, which root has, and without `fuzztest`, injected faults and crashes, which take longer",
    }),
};
