//! SQLite, two threads on one database in memory, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed};

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
    suite: None,
};
