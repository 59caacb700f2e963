//! GLib's pool of threads, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};
use super::DRAWN;

pub const PROGRAM: Program = Program {
    name: "glib",
    package: "glib2.0",
    needs: &["meson", "libffi-dev", "libpcre2-dev", "zlib1g-dev"],
    system: System::Meson,
    options: &[
        "--default-library=static",
        "-Dtests=false",
        "-Dnls=disabled",
        "-Dlibmount=disabled",
        "-Dselinux=disabled",
    ],
    targets: &["glib/libglib-2.0.a"],
    made: Made::Driver {
        source: "glib_pool.c",
        arguments: &[
            "-I.",
            "-Iglib",
            "-I_build",
            "-I_build/glib",
            "_build/glib/libglib-2.0.a",
            "-lpcre2-8",
            "-lm",
        ],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "(main-exits-early)",
        remark: "GThreadPool, GAsyncQueue, GMutex and GCond on futexes; idle threads of the pool live on when main returns",
    }],
    seed: Seed {
        what: "who waits for a GAsyncQueue does not look again: `if` for `while`",
        edits: &[Edit {
            file: "glib/gasyncqueue.c",
            after: "queue->waiting_threads++;",
            find: "while (!g_queue_peek_tail_link (&queue->queue))",
            replace: "if (!g_queue_peek_tail_link (&queue->queue)) do",
        }, Edit {
            file: "glib/gasyncqueue.c",
            after: "queue->waiting_threads++;",
            find: "queue->waiting_threads--;",
            replace: "while (0); queue->waiting_threads--;",
        }],
        options: DRAWN,
        found: "abort",
        arguments: &[],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &["meson", "configure", "_build", "-Dtests=true"],
            &["ninja", "-C", "_build", "-j1", "glib/tests/thread", "glib/tests/thread-pool", "glib/tests/thread-pool-slow", "glib/tests/asyncqueue", "glib/tests/cond", "glib/tests/mutex", "glib/tests/rec-mutex", "glib/tests/rwlock", "glib/tests/once", "glib/tests/atomic"],
            &["meson", "test", "-C", "_build", "--no-rebuild", "thread", "thread-pool", "thread-pool-slow", "asyncqueue", "cond", "mutex", "rec-mutex", "rwlock", "once", "atomic"],
        ],
        tally: Tally::Numbers {
            passed: "Ok:",
            failed: &["Fail:", "Timeout:"],
        },
        remark: "those that use threads",
    }),
};
